import pytest
from django.db import connection
from django.utils import timezone

from jobs.logs import tail
from jobs.logs.tail import why_none
from portal.kube.client import Cluster
from tests.jobs.logs.conftest import Printing


def test_the_newest_lines(printing: Printing) -> None:
    log = tail(printing.control.cluster, printing.submission, printing.pod(1), lines=3)
    assert (log.replica, log.empty, len(log.lines)) == ("worker-1", None, 3)
    assert all(line.time and line.text for line in log.lines)
    assert (
        list(tail(printing.control.cluster, printing.submission, printing.pod(1), lines=None).lines)[-3:] == log.lines
    )


def test_there_is_no_previous_container(printing: Printing) -> None:
    log = tail(printing.control.cluster, printing.submission, printing.pod(), previous=True)
    assert (log.empty, log.lines) == ("no_previous", ())


def test_the_pod_is_gone(printing: Printing) -> None:
    pod = printing.pod()
    pod.name = "another"
    assert tail(printing.control.cluster, printing.submission, pod).empty == "pod_gone"
    pod.gone_at = timezone.now()
    assert tail(printing.control.cluster, printing.submission, pod).empty == "pod_gone"


def test_the_cluster_does_not_answer(printing: Printing, tmp_path) -> None:
    away = Cluster(url="http://127.0.0.1:9", token_file=str(tmp_path / "token"))
    log = tail(away, printing.submission, printing.pod())
    assert log.empty == "unreachable"
    assert "does not answer" in log.message


def test_a_page_waits_less_than_a_download(printing: Printing, monkeypatch: pytest.MonkeyPatch) -> None:
    waits = []
    monkeypatch.setattr(Cluster, "logs", lambda *arguments, read_seconds, **others: waits.append(read_seconds) or b"")
    for lines in (200, None):
        tail(printing.control.cluster, printing.submission, printing.pod(), lines=lines)
    assert waits == [3, 10]


@pytest.mark.django_db(transaction=True)
def test_no_database_connection_is_held_meanwhile(printing: Printing, monkeypatch: pytest.MonkeyPatch) -> None:
    held = []
    monkeypatch.setattr(Cluster, "logs", lambda *_, **__: held.append(connection.connection) or b"")
    tail(printing.control.cluster, printing.submission, printing.pod())
    assert held == [None]


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ('container "pytorch" in pod "p" is waiting to start: ContainerCreating', "pulling"),
        ('container "pytorch" in pod "p" is waiting to start: trying and failing to pull image', "image_failed"),
        ('container "pytorch" in pod "p" is waiting to start: image can\'t be pulled', "image_failed"),
        ("pod p does not have a host assigned", "not_started"),
        ('previous terminated container "pytorch" in pod "p" not found', "no_previous"),
    ],
)
def test_why_there_is_none(message: str, code: str) -> None:
    assert why_none(message) == code
