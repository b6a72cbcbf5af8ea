"""Rows that tests begin with. Each returns what it made; what is left out gets a value that no other call has."""

from collections.abc import Mapping
from datetime import timedelta
from itertools import count

from django.utils import timezone

from portal.names import GPU
from portal.quantity import parse
from quotas.manifests import QuotaLine
from quotas.models import ClusterQueue, Cohort, Flavor
from quotas.services import set_queue
from tenants.access import Access
from tenants.models import ApiToken, Member, Role, Tenant, User
from tenants.services import create_tenant, create_token

_numbers = count(1)
# Of every resource but GPUs each queue has more than a test asks for.
PLENTY = {"cpu": "1000", "memory": "8Ti", "ephemeral-storage": "8Ti"}


def make_user(email: str = "", **columns: object) -> User:
    """Has no password: sign in with client.force_login."""
    return User.objects.create(email=email or f"person-{next(_numbers)}@example.test", **columns)


def make_admin(email: str = "") -> User:
    return make_user(email, platform_role="admin")


def make_tenant(slug: str = "") -> Tenant:
    return create_tenant(slug=slug or f"team-{next(_numbers)}", name=slug.title() or "Team")


def make_member(tenant: Tenant, role: Role = Role.SUBMITTER, user: User | None = None) -> User:
    """The user, now a member."""
    user = user or make_user()
    Member.objects.create(tenant=tenant, user=user, role=role)
    return user


def make_access(tenant: Tenant, role: Role = Role.SUBMITTER, user: User | None = None) -> Access:
    """What tenants.access.tenant_for gives a member on a page."""
    return Access(user=user or make_member(tenant, role), tenant=tenant, role=role, channel="page")


def make_token(access: Access, role: Role | None = None, days: float = 30) -> tuple[ApiToken, str]:
    """The row and the secret text. With `days` <= 0 it has expired."""
    expires_at = timezone.now() + timedelta(days=30)
    token, secret = create_token(
        access=access, name=f"token {next(_numbers)}", role=role or access.role, expires_at=expires_at
    )
    if days <= 0:
        token.expires_at = timezone.now() + timedelta(days=days)
        token.save(update_fields=["expires_at"])
    return token, secret


def make_flavor(name: str = "a100") -> Flavor:
    labels = {"nvidia.com/gpu.product": "A100-SXM4-40GB"}
    return Flavor.objects.get_or_create(name=name, defaults={"title": "A100-SXM4-40GB", "node_labels": labels})[0]


def make_queue(
    name: str,
    *,
    gpus: int,
    borrowing: int | None = None,
    tenant: Tenant | None = None,
    cohort: str = "gpu-cohort",
    others: Mapping[str, str] = PLENTY,
) -> ClusterQueue:
    """A queue in `cohort` with `gpus` of flavor a100, and `others` ({resource: quantity})."""
    flavor = make_flavor().name
    quotas = [QuotaLine(flavor, resource, parse(amount, resource)) for resource, amount in others.items()]
    quotas.append(QuotaLine(flavor, GPU, gpus, borrowing))
    return set_queue(name=name, tenant=tenant, cohort=Cohort.objects.get_or_create(name=cohort)[0], quotas=quotas)


def make_cohort_of_the_demo() -> tuple[Tenant, Tenant]:
    """Tenants premium (32 GPUs, may borrow 16) and free (4, none) with a reserve of 12: premium can reach 48."""
    premium, free = make_tenant("premium"), make_tenant("free")
    make_queue("premium", gpus=32, borrowing=16, tenant=premium)
    make_queue("free", gpus=4, borrowing=0, tenant=free)
    make_queue("reserve", gpus=12)
    return premium, free
