from argparse import ArgumentParser
from pathlib import Path

from django.core.management import BaseCommand, call_command

from portal.management.demo.seed import seed


class Command(BaseCommand):
    help = "What `make demo` does once its database is there: migrate, collect static files, seed. Safe to repeat."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("credentials", type=Path, help="the file for the passwords of the people it makes")

    def handle(self, *, credentials: Path, **options: object) -> None:
        call_command("migrate", interactive=False, verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        seed(credentials)
