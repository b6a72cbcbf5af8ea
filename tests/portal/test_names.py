import re
import uuid

import pytest

from portal.names import DNS_LABEL, MAX_JOB_NAME, SLUG, job_name, namespace_of, new_uid

UID = uuid.UUID("01890a5d-ac96-7b2e-8e5f-0123456789ab")


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("llama3-8b-finetune", "llama3-8b-finetune-0123456789ab"),
        ("Llama 3 (8B)!", "llama-3-8b-0123456789ab"),
        ("3rd try", "j-3rd-try-0123456789ab"),
        ("日本語", "j-0123456789ab"),
        ("---", "j-0123456789ab"),
        ("x" * 300, "x" * 27 + "-0123456789ab"),
        ("a" * 26 + "-b", "a" * 26 + "-0123456789ab"),
    ],
)
def test_job_name(title: str, name: str) -> None:
    assert job_name(title, UID) == name
    assert len(name) <= MAX_JOB_NAME
    assert re.fullmatch(r"[a-z]([-a-z0-9]*[a-z0-9])?", name)


def test_job_names_of_two_submissions_differ() -> None:
    assert job_name("same", new_uid()) != job_name("same", new_uid())


def test_a_pod_of_the_longest_job_fits_in_a_dns_label() -> None:
    assert DNS_LABEL.fullmatch(job_name("x" * 63, UID) + "-worker-999")


def test_the_longest_slug_makes_a_namespace() -> None:
    slug = "a" * 30
    assert SLUG.fullmatch(slug)
    assert not SLUG.fullmatch(slug + "a")
    assert DNS_LABEL.fullmatch(namespace_of(slug))


def test_new_uid_is_version_7_and_ordered_by_time() -> None:
    first, second = new_uid(), new_uid()
    assert first.version == second.version == 7
    assert first.variant == uuid.RFC_4122
    assert first.int >> 80 <= second.int >> 80
