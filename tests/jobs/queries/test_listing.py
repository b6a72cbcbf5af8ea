import pytest

from jobs.queries import Filters, group_counts, job_page
from jobs.queries.listing import GROUPS, PAGE_SIZE
from tests.factories import make_access
from tests.jobs.factories import make_submission, make_submitter
from tests.jobs.views.pages import job_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def access():
    return make_submitter("vision")


def titles(access, **filters):
    return [job.title for job in job_page(access, Filters(**filters)).rows]


def test_the_newest_job_comes_first_and_other_tenants_never(access):
    for title in ("one", "two"):
        make_submission(access, title=title)
    make_submission(title="theirs")
    assert titles(access) == ["two", "one"]


def test_filters(access):
    job_in(access, "running", title="llama run")
    job_in(access, "failed", "crashed", title="llama crash")
    make_submission(make_access(access.tenant), title="other author", image="registry.internal/special:1")
    assert titles(access, text="LLAMA") == ["llama crash", "llama run"]
    assert titles(access, text="special") == ["other author"]
    assert titles(access, group="failed") == ["llama crash"]
    assert titles(access, mine=True) == ["llama crash", "llama run"]
    assert titles(access, template="pytorch-ddp", group="running") == ["llama run"]
    assert titles(access, template="another") == []


def test_a_job_is_found_by_its_uid(access):
    job = make_submission(access, title="wanted")
    make_submission(access)
    assert titles(access, text=str(job.uid)) == ["wanted"]


def test_every_state_is_active_or_finished(access):
    assert set(GROUPS["active"]) | set(GROUPS["finished"]) == {state for states in GROUPS.values() for state in states}
    assert not set(GROUPS["active"]) & set(GROUPS["finished"])


def test_counts(access):
    for state in ("queued", "running", "failed", "failed", "succeeded"):
        job_in(access, state)
    counts = {"": 5, "active": 2, "queued": 1, "running": 1, "failed": 2, "finished": 3}
    assert group_counts(access, Filters()) == counts


def test_counts_are_of_what_the_other_filters_leave(access):
    job_in(access, "running", title="llama run")
    job_in(access, "failed", title="other")
    found = group_counts(access, Filters(text="llama", group="failed"))
    assert (found[""], found["running"], found["failed"]) == (1, 1, 0)


def test_pages_go_by_key(access):
    first = make_submission(access, title="oldest")
    for number in range(PAGE_SIZE):
        make_submission(access, title=f"job {number}")
    page = job_page(access, Filters())
    assert len(page.rows) == PAGE_SIZE
    assert page.next == page.rows[-1].uid
    rest = job_page(access, Filters(after=page.next))
    assert [job.uid for job in rest.rows] == [first.uid]
    assert rest.next is None


def test_a_page_that_refreshes_itself_counts_newer_jobs_without_showing_them(access):
    shown = make_submission(access, title="shown")
    make_submission(access, title="newer")
    page = job_page(access, Filters(until=shown.uid))
    assert [job.title for job in page.rows] == ["shown"]
    assert page.newer == 1


def test_a_key_of_another_tenant_shows_nothing(access):
    make_submission(access)
    assert job_page(access, Filters(after=make_submission().uid)).rows == []
