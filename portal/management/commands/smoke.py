import logging
import time
import uuid
from argparse import ArgumentParser
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
from django.core.management import BaseCommand, CommandError

from portal.management.smoke import report
from portal.management.smoke.browser import Browser, SmokeFailed
from portal.management.smoke.credentials import read_credentials
from portal.management.smoke.rest import Rest

PERSON = "engineer@premium.test"
TENANT, TEMPLATE = "premium", "pytorch-ddp"
WORKERS = 4
# The rest of the job is what the demo's template proposes.
VALUES = {"model": "meta-llama/Llama-3-8B", "workers": WORKERS, "gpus_per_worker": 4}
REHEARSALS = ("succeed", "crash")
FINISHED = {"succeeded", "failed", "cancelled", "rejected"}


class Command(BaseCommand):
    help = "Submits the demo's job by form and by REST, waits for its end and prints the timeline and the logs."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("credentials", type=Path, help="the demo's file with its URL and passwords")
        parser.add_argument("--rehearsal", choices=REHEARSALS, default="succeed", help="how the job should end")
        parser.add_argument("--seconds", type=int, default=150, help="how long all of it may take")

    def handle(self, *, credentials: Path, rehearsal: str, seconds: int, **options: object) -> None:
        deadline = time.monotonic() + seconds
        logging.getLogger("httpx").setLevel(logging.WARNING)  # else a line for every request
        try:
            kept = read_credentials(credentials)
            self._run(kept.url, kept.passwords[PERSON], rehearsal, deadline)
        except FileNotFoundError:
            raise CommandError(f"There is no {credentials}: start the demo first, with `make demo`.") from None
        except (SmokeFailed, httpx.HTTPError) as error:
            raise CommandError(str(error) or repr(error)) from error

    def _run(self, url: str, password: str, rehearsal: str, deadline: float) -> None:
        browser = Browser(url)
        browser.sign_in(PERSON, password)
        self._say(f"Signed in at {url} as {PERSON}")
        rest = Rest(url, browser.make_token(TENANT, f"smoke {uuid.uuid4().hex[:8]}"), TENANT)
        values = {**VALUES, "rehearsal": rehearsal}
        fields = {"name": "llama3-8b-finetune", **{f"values.{name}": str(value) for name, value in values.items()}}
        jobs = {"form": browser.submit(TENANT, TEMPLATE, fields)}
        body = {"template": TEMPLATE, "name": "llama3-8b-finetune", "values": values}
        jobs["REST"] = rest.submit(body, key=str(uuid.uuid4()))
        for door, uid in jobs.items():
            self._say(f"Submitted by {door}: {url.rstrip('/')}/t/{TENANT}/jobs/{uid}/")
        ends = {door: self._follow(rest, door, uid, deadline) for door, uid in jobs.items()}
        browser.page(f"/t/{TENANT}/jobs/{jobs['form']}/")
        failed = {door: job for door, job in ends.items() if job["state"] != "succeeded"}
        if failed:
            raise SmokeFailed(" ".join(f"By {door}: {job['state']}; {job['sentence']}" for door, job in failed.items()))
        self._say("Both jobs succeeded.")

    def _follow(self, rest: Rest, door: str, uid: UUID, deadline: float) -> dict[str, Any]:
        """Waits for the job's end and prints how it went; the job as it then is."""
        job = rest.job(uid)
        while job["state"] not in FINISHED and time.monotonic() < deadline:
            time.sleep(1)
            job = rest.job(uid)
        self._say(f"\nBy {door}")
        for line in [*report.timeline(job), *report.logs(rest, job)]:
            self._say(line)
        if job["state"] not in FINISHED:
            raise SmokeFailed(
                f"By {door}: not at its end after the time that --seconds gives; {job['state']}: {job['sentence']}"
            )
        return job

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
