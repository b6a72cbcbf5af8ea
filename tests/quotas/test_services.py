import pytest

from portal.errors import Invalid
from portal.names import GPU
from quotas.manifests import QuotaLine
from quotas.models import ClusterQueue, Cohort
from quotas.queries import quota_lines
from quotas.services import onboard_tenant, set_flavor, set_queue, set_quota
from tenants.models import AuditEntry
from tests.factories import make_access, make_flavor, make_queue, make_tenant

pytestmark = pytest.mark.django_db
LINES = [QuotaLine("a100", GPU, 32, 16), QuotaLine("a100", "cpu", 1000)]


@pytest.fixture
def cohort():
    make_flavor("a100")
    return Cohort.objects.create(name="gpu-cohort")


def paths(refusal):
    return [error.path for error in refusal.value.errors]


def test_onboard_tenant(cohort):
    tenant = onboard_tenant(slug="premium", name="Premium", cohort=cohort, quotas=LINES)
    assert tenant.namespace == "cm-premium"
    assert tenant.cluster_queue.name == "premium"
    assert quota_lines(tenant.cluster_queue) == LINES


def test_set_queue_again_changes_nothing(cohort):
    first = set_queue(name="q", cohort=cohort, quotas=LINES)
    again = set_queue(name="q", cohort=cohort, quotas=LINES)
    assert (first.pk, first.generation) == (again.pk, again.generation)
    assert AuditEntry.objects.filter(verb="queue.set").count() == 1


def test_set_quota_raises_the_generation_and_tells_what_changed(cohort):
    queue = set_queue(name="q", cohort=cohort, quotas=LINES)
    access = make_access(make_tenant())
    set_quota(cluster_queue=queue, quota=QuotaLine("a100", GPU, 32, 8), caller=access)
    queue.refresh_from_db()
    assert queue.generation == 2
    assert quota_lines(queue) == [QuotaLine("a100", GPU, 32, 8), LINES[1]]
    entry = AuditEntry.objects.latest("pk")
    assert entry.actor == access.user
    assert [q["borrowing_limit"] for q in (*entry.before["quotas"], *entry.after["quotas"])] == [16, None, 8, None]


def test_a_changed_flavor_is_applied_with_its_queues(cohort):
    queue = set_queue(name="q", cohort=cohort, quotas=LINES)
    other = make_queue("other", gpus=1, others={})
    set_flavor(name="a100", title="A100", node_labels={"gpu": "a100"})
    assert list(ClusterQueue.objects.order_by("name").values_list("generation", flat=True)) == [2, 2]
    set_flavor(name="a100", title="A100", node_labels={"gpu": "a100"})
    assert {queue.generation, other.generation} == {1}
    assert set(ClusterQueue.objects.values_list("generation", flat=True)) == {2}


@pytest.mark.parametrize(
    ("line", "path"),
    [
        (QuotaLine("a100", GPU, -1), "quotas.a100.nvidia.com/gpu"),
        (QuotaLine("a100", GPU, 2**63), "quotas.a100.nvidia.com/gpu"),
        (QuotaLine("a100", GPU, 4, lending_limit=5), "quotas.a100.nvidia.com/gpu"),
        (QuotaLine("h100", GPU, 4), "quotas"),
    ],
)
def test_lines_that_are_refused(cohort, line, path):
    with pytest.raises(Invalid) as refusal:
        set_queue(name="q", cohort=cohort, quotas=[line])
    assert paths(refusal) == [path]
    assert not ClusterQueue.objects.exists()


def test_a_limit_needs_a_cohort(cohort):
    with pytest.raises(Invalid, match="needs a cohort"):
        set_queue(name="q", quotas=[QuotaLine("a100", GPU, 4, borrowing_limit=1)])


def test_every_flavor_needs_every_resource(cohort):
    make_flavor("h100")
    with pytest.raises(Invalid, match=r"cpu, nvidia\.com/gpu exactly once"):
        set_queue(name="q", cohort=cohort, quotas=[*LINES, QuotaLine("h100", GPU, 4)])


def test_a_queue_without_quotas(cohort):
    with pytest.raises(Invalid, match="at least one"):
        set_queue(name="q", quotas=[])


def test_a_queue_keeps_its_tenant(cohort):
    set_queue(name="q", quotas=[QuotaLine("a100", GPU, 4)], tenant=make_tenant())
    with pytest.raises(Invalid, match="keeps its tenant"):
        set_queue(name="q", quotas=[QuotaLine("a100", GPU, 4)], tenant=make_tenant())


@pytest.mark.parametrize("name", ["", "Q", "a_b", "-a", "a" * 64, "a\n"])
def test_names_that_are_refused(cohort, name):
    with pytest.raises(Invalid) as refusal:
        set_queue(name=name, quotas=[QuotaLine("a100", GPU, 4)])
    assert paths(refusal) == ["name"]
