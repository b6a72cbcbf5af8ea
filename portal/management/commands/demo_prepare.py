from argparse import ArgumentParser
from pathlib import Path

from django.core.management import BaseCommand, call_command

from portal.management.demo.seed import seed


class Command(BaseCommand):
    help = "What `make demo` does once its database is there: migrate, collect static files, seed. Safe to repeat."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "credentials", type=Path, help="the file for the URL and the passwords of the demo's people"
        )
        parser.add_argument("url", help="where the demo will be")

    def handle(self, *, credentials: Path, url: str, **options: object) -> None:
        call_command("migrate", interactive=False, verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        for email, password in seed(credentials, url).items():
            self.stdout.write(f"  {email:<32} {password}")
