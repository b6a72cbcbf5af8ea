import pytest

from jobs.spec import check_placeholders, field_of
from jobs.spec.placeholders import NOTHING, resolve
from tests.jobs.factories import demo_template

FACTS = {"workers": 4, "gpus_per_worker": 8, "rendezvous_endpoint": "x-worker-0:29500"}
SCHEMA = {"properties": {"a": {"type": "string"}, "b": {"type": "array"}}}


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        ({"$value": "a"}, 3),
        ({"$value": "missing"}, NOTHING),
        ({"x": {"$value": "missing"}, "y": 1}, {"y": 1}),
        ([1, {"$value": "missing"}, {"$value": "a"}], [1, 3]),
        ({"$concat": ["--n=", {"$value": "a"}, {"$fact": "workers"}]}, "--n=34"),
        ({"$concat": ["--n=", {"$value": "missing"}]}, NOTHING),
        ([{"$splat": "list"}, "end"], ["p", "q", "end"]),
        ([{"$splat": "missing"}], []),
        ({"$seconds": "a"}, 10800),
        ({"$fact": "rendezvous_endpoint"}, "x-worker-0:29500"),
        ({"$choice": "size", "options": {"big": {"k": {"$value": "a"}}}}, {"k": 3}),
        ({"$choice": "size", "options": {"small": 1}}, NOTHING),
        ({"$choice": "missing", "options": {"small": 1}}, NOTHING),
        ("$value", "$value"),
        (None, None),
    ],
)
def test_placeholders_become_values(node: object, expected: object) -> None:
    values = {"a": 3, "list": ["p", "q"], "size": "big"}
    assert resolve(node, values, FACTS) == expected


def test_a_value_that_looks_like_a_placeholder_is_only_text() -> None:
    values = {"a": '{"$value": "secret"}', "b": ["$(HOME)", "{{ b }}"], "secret": "s"}
    node = {"command": [{"$value": "a"}, {"$splat": "b"}, {"$concat": ["--x=", {"$value": "a"}]}]}
    resolved = resolve(node, values, FACTS)["command"]
    assert resolved == ['{"$value": "secret"}', "$(HOME)", "{{ b }}", '--x={"$value": "secret"}']


def test_a_part_of_the_body_leads_to_its_field() -> None:
    body = demo_template()["body"]
    assert field_of(body, "pod_sets.0.replicas") == "values.workers"
    assert field_of(body, "pod_sets.0.resources.nvidia.com/gpu") == "values.gpus_per_worker"
    assert field_of(body, "pod_sets.0.volumes.0.memory") == "values.shared_memory"
    assert field_of(body, "pod_sets.0.command.5") == "values.script"
    assert field_of(body, "pod_sets.0.role") == "template"
    assert field_of(body, "active_deadline_seconds") == "values.time_limit_hours"


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"x": {"$value": "nope"}}, "body.x"),
        ({"x": [{"$splat": "nope"}]}, "body.x.0"),
        ({"x": {"$value": 3}}, "body.x"),
        ({"x": {"$value": "a", "y": 1}}, "body.x"),
        ({"x": {"$fact": "password"}}, "body.x"),
        ({"x": {"$eval": "1"}}, "body.x"),
        ({"x": {"$choice": "a"}}, "body.x"),
        ({"x": {"$choice": "a", "options": []}}, "body.x"),
        ({"x": {"$concat": "a"}}, "body.x"),
    ],
)
def test_malformed_placeholders_are_named_by_path(body: object, path: str) -> None:
    assert [error.path for error in check_placeholders(SCHEMA, body)] == [path]


@pytest.mark.parametrize("levels", [20, 100_000])
def test_a_body_that_nests_too_deeply_is_refused(levels: int) -> None:
    body: object = 1
    for _ in range(levels):
        body = {"x": body}
    assert "at most 12 levels" in check_placeholders(SCHEMA, body)[0].message


def test_the_demo_body_names_only_fields_of_its_form() -> None:
    template = demo_template()
    assert check_placeholders(template["schema"], template["body"]) == []
