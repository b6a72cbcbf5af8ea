from argparse import ArgumentParser
from pathlib import Path

from django.core.management import BaseCommand, CommandError

from portal.errors import Invalid
from portal.management.onboarding import DocumentError, make, read_document


class Command(BaseCommand):
    help = (
        "Makes the people, tenants, flavors, cohorts, queues and templates of a YAML file, and changes what differs. "
        "Removes nothing; safe to repeat. Example: portal/management/onboarding/demo.yaml."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *, file: Path, **options: object) -> None:
        try:
            passwords = make(read_document(file))
        except DocumentError as error:
            raise CommandError(f"Nothing was changed. Correct {file}:\n{error}") from error
        except Invalid as error:
            problems = "\n".join(f"{field.path}: {field.message}" for field in error.errors)
            raise CommandError(f"Nothing was changed. Correct {file}:\n{problems}") from error
        if passwords:
            self.stdout.write("New people and their first passwords, shown only now:")
        for email, password in passwords.items():
            self.stdout.write(f"  {email:<32} {password}")
        self.stdout.write("Done. The worker brings namespaces and queues to the cluster as soon as it answers.")
