import pytest
from django.utils import timezone

from portal.errors import PortalError
from portal.names import GPU
from portal.quantity import parse
from quotas.manifests import QuotaLine
from quotas.models import ClusterQueue, QueueStatus
from quotas.queries import flavors_of, in_force, queue_of, reach_of, room_of
from quotas.services import set_quota
from tenants.models import Tenant
from tests.factories import make_cohort_of_the_demo, make_queue, make_tenant

pytestmark = pytest.mark.django_db


def see(queue: ClusterQueue, **amounts: int) -> None:
    """What the mirror would write; amounts by resource of flavor a100."""
    usage = {"a100": amounts}
    status = {"object_uid": "u", "usage": usage, "active": True, "seen_at": timezone.now()}
    status["observed_generation"] = queue.generation
    QueueStatus.objects.update_or_create(cluster_queue=queue, defaults=status)


def see_all(**gpus: int) -> None:
    for queue in ClusterQueue.objects.all():
        see(queue, **{GPU: gpus.get(queue.name, 0)})


def test_reach_of_the_demo():
    premium, free = make_cohort_of_the_demo()
    assert reach_of(premium, "a100")[GPU] == 48
    assert reach_of(free, "a100")[GPU] == 4


@pytest.mark.parametrize(("queue", "line"), [("premium", (32, 8)), ("reserve", (4, None))])
def test_reach_follows_the_quota(queue, line):
    premium, _ = make_cohort_of_the_demo()
    set_quota(cluster_queue=ClusterQueue.objects.get(name=queue), quota=QuotaLine("a100", GPU, *line))
    assert reach_of(premium, "a100")[GPU] == 40


def test_reach_covers_every_resource():
    premium, _ = make_cohort_of_the_demo()
    assert reach_of(premium, "a100")["cpu"] == 3 * parse("1000", "cpu")


def test_a_flavor_without_quota():
    premium, _ = make_cohort_of_the_demo()
    assert reach_of(premium, "h100") == {}
    assert flavors_of(premium) == ["a100"]


def test_room_before_the_mirror_saw_everybody():
    premium, _ = make_cohort_of_the_demo()
    see(queue_of(premium), **{GPU: 32})
    room = room_of(premium, "a100")[GPU]
    assert (room.nominal, room.at_most, room.free) == (32, 48, None)


def test_room_beside_a_job_of_32():
    premium, _ = make_cohort_of_the_demo()
    see_all(premium=32)
    room = room_of(premium, "a100")[GPU]
    assert room.free == 16


def test_room_takes_one_query_for_the_cohort(django_assert_num_queries):
    premium, _ = make_cohort_of_the_demo()
    with django_assert_num_queries(2):
        room_of(premium, "a100")


def test_a_tenant_without_a_queue():
    with pytest.raises(PortalError, match="Ask a platform admin") as refusal:
        queue_of(make_tenant())
    assert refusal.value.code == "no_queue"


def test_in_force():
    queue = make_queue("q", gpus=8)
    assert not in_force(queue)
    see(queue)
    assert in_force(ClusterQueue.objects.get())
    set_quota(cluster_queue=queue, quota=QuotaLine("a100", GPU, 9))
    assert not in_force(ClusterQueue.objects.get())


def test_a_queue_in_force_is_applied_again_while_its_tenant_has_no_namespace():
    make_cohort_of_the_demo()
    see_all()
    unapplied = ClusterQueue.objects.unapplied().order_by("name").values_list("name", flat=True)
    assert list(unapplied) == ["free", "premium"]
    Tenant.objects.update(namespace_uid="uid")
    assert list(unapplied.all()) == []
