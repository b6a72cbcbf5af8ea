import pytest
from asgiref.sync import async_to_sync
from django.test import AsyncClient

from quotas.models import ClusterQueue
from tests.jobs.factories import make_submission, make_submitter

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def access():
    return make_submitter("vision")


def opened(user, address):
    """(status, headers, first chunk) of a stream, closed afterwards."""

    async def read():
        client = AsyncClient()
        await client.aforce_login(user)
        response = await client.get(address)
        if not response.streaming:
            return response.status_code, response.headers, b""
        chunks = aiter(response.streaming_content)
        first = await anext(chunks)
        await chunks.aclose()
        return response.status_code, response.headers, first

    return async_to_sync(read)()


def test_one_s_own_channels_can_be_listened_to(access):
    queue = ClusterQueue.objects.get(tenant=access.tenant)
    job = make_submission(access)
    channels = f"submission.{job.uid},jobs.{access.tenant.uid},queue.{queue.uid}"
    status, headers, first = opened(access.user, f"/t/vision/live/?c={channels}")
    assert status == 200
    assert headers["Content-Type"] == "text/event-stream"
    assert headers["X-Accel-Buffering"] == "no"
    assert first == b"retry: 2000\n\n"


def test_channels_of_others_and_malformed_ones_are_not_there(access):
    other = make_submitter("rival")
    theirs = [
        f"submission.{make_submission(other).uid}",
        f"jobs.{other.tenant.uid}",
        f"queue.{ClusterQueue.objects.get(tenant=other.tenant).uid}",
    ]
    own = f"jobs.{access.tenant.uid}"
    wrong = ["", "jobs", "jobs.x", f"pods.{access.tenant.uid}", own.upper(), f"{own},{theirs[0]}", ",".join([own] * 11)]
    for channel in (*theirs, *wrong):
        assert opened(access.user, f"/t/vision/live/?c={channel}")[0] == 404, channel


def test_the_log_stream_needs_a_replica(access):
    job = make_submission(access)
    assert opened(access.user, f"/t/vision/jobs/{job.uid}/logs/live/")[0] == 404
