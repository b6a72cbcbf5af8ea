import pytest
import yaml

from portal.management.demo.seed import DEMO
from portal.management.onboarding import DocumentError, read_document
from portal.names import GPU
from portal.quantity import parse
from quotas.manifests import QuotaLine


@pytest.fixture
def problems(tmp_path):
    """Writes `text` and returns what is wrong with it."""

    def read(text: str) -> list[str]:
        (tmp_path / "file.yaml").write_text(text)
        with pytest.raises(DocumentError) as refusal:
            read_document(tmp_path / "file.yaml")
        return refusal.value.problems

    return read


def test_the_demo():
    document = read_document(DEMO)
    assert QuotaLine("a100", GPU, 32, borrowing_limit=16) in document.quotas("premium")
    assert QuotaLine("a100", GPU, 4, borrowing_limit=0) in document.quotas("free")
    assert QuotaLine("a100", GPU, 12) in document.quotas("reserve")
    assert [template["slug"] for template in document.templates] == ["pytorch-ddp"]


def test_the_demo_promises_what_its_nodes_have():
    document = read_document(DEMO)
    lines = [line for queue in document.queues for line in document.quotas(queue)]
    totals = {line.resource: 0 for line in lines}
    for line in lines:
        totals[line.resource] += line.nominal
    node = {"cpu": "192", "memory": "2Ti", "ephemeral-storage": "2Ti", GPU: "8"}
    assert totals == {resource: 6 * parse(amount, resource) for resource, amount in node.items()}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "is not of type 'object'"),
        ("a: 1", "'a' was unexpected"),
        ("users: {nobody: {}}", "nobody"),
        ("users: {a@b.test: {platform_role: king}}", "users.a@b.test.platform_role: 'king' is not one of"),
        (
            "queues: {q: {tenant: t, quotas: {a100: {nvidia.com/gpu: {nominal: 8, borowing_limit: 3}}}}}",
            "queues.q.quotas.a100.nvidia.com/gpu: Additional properties are not allowed ('borowing_limit' was",
        ),
        ("queues: {q: {tenant: t, quotas: {a100: {nvidia.com/gpu: []}}}}", "nvidia.com/gpu: [] is not"),
        ("tenants: {premium: {}}", "tenants.premium: 'name' is a required property"),
        ("tenants: {premium: {name: P, members: {a@b.test: boss}}}", "'boss' is not one of"),
        ("tenants: {premium: {name: P, members: {a@b.test: owner}}}", "name a@b.test under users too"),
        ("queues: {q: {quotas: {}}}", "queues.q.quotas"),
        ("queues: {q: {tenant: t, quotas: {a: {cpu: 1}}}}", "name t under tenants too"),
        ("queues: {q: {cohort: c, quotas: {a: {cpu: 1}}}}", "name c under cohorts too"),
        ("queues: {q: {quotas: {a: {cpu: 1}}}}", "name a under flavors too"),
        ("queues: {q: {quotas: {a: {cpu: 1.5.2}}}}", "queues.q.quotas: '1.5.2' is not a quantity"),
        ("templates: [missing.yaml]", "missing.yaml cannot be read"),
        ("templates: [file.yaml]", "needs exactly the keys"),
        ("a: [", "is no YAML"),
    ],
)
def test_what_is_refused(problems, text, words):
    assert any(words in problem for problem in problems(text)), problems(text)


def test_everything_wrong_is_told_at_once(problems):
    assert len(problems(yaml.safe_dump({"users": {"a@b.test": {"x": 1}}, "cohorts": 7, "y": 0}))) == 3
