import pytest
from kubernetes import client

from sandbox.auth import Act, Gate, User, read_tokens, review, rule_of
from sandbox.errors import StatusError
from tests.sandbox.conftest import official_client
from tests.sandboxes import running_sandbox

READ_JOBS = {
    "subjects": ["nobody"],
    "apiGroups": ["kubeflow.org"],
    "resources": ["pytorchjobs"],
    "verbs": ["get", "list"],
    "namespaces": ["team-a"],
}


def test_a_token_file(tmp_path):
    path = tmp_path / "tokens"
    path.write_text("# comment\nt1,admin,system:masters\nt2,portal,a|b\nt3,plain\n", encoding="utf-8")
    tokens = read_tokens(path)
    assert tokens["t2"] == User("portal", ("system:authenticated", "a", "b"))
    assert (tokens["t1"].groups[-1], tokens["t3"].name) == ("system:masters", "plain")


def test_a_broken_token_file_names_the_line(tmp_path):
    path = tmp_path / "tokens"
    path.write_text("t1,admin\nlonely\n", encoding="utf-8")
    with pytest.raises(ValueError, match="line 2"):
        read_tokens(path)


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer wrong", "Basic right", "right"])
def test_an_unknown_bearer_is_unauthorized(header):
    with pytest.raises(StatusError) as caught:
        Gate({"right": User("a")}).user(header)
    assert caught.value.code == 401


def test_masters_may_everything_others_what_a_rule_says():
    gate = Gate({}, [rule_of(READ_JOBS)])
    act = Act("get", "kubeflow.org", "pytorchjobs", "team-a", "demo")
    assert gate.allows(User("root", ("system:masters",)), Act("delete", "", "nodes"))
    assert gate.allows(User("nobody"), act)
    assert not gate.allows(User("nobody"), Act("get", "kubeflow.org", "pytorchjobs", "team-b"))
    assert not gate.allows(User("somebody"), act)


def test_a_refusal_reads_as_the_api_servers():
    act = Act("create", "kubeflow.org", "pytorchjobs", "team-a")
    with pytest.raises(StatusError) as caught:
        Gate({}).check(User("nobody"), act)
    assert caught.value.message == (
        'pytorchjobs.kubeflow.org is forbidden: User "nobody" cannot create resource "pytorchjobs" '
        'in API group "kubeflow.org" in the namespace "team-a"'
    )


def test_the_server_asks_who_and_whether(tmp_path):
    with running_sandbox(tmp_path, rules=(rule_of(READ_JOBS),)) as sandbox:
        with official_client(sandbox, token="wrong") as api, pytest.raises(client.ApiException) as unknown:
            client.CoreV1Api(api).list_namespace()
        with official_client(sandbox, token="nobody") as api:
            client.CustomObjectsApi(api).list_namespaced_custom_object("kubeflow.org", "v1", "team-a", "pytorchjobs")
            with pytest.raises(client.ApiException) as refused:
                client.CoreV1Api(api).list_namespace()
    assert (unknown.value.status, refused.value.status) == (401, 403)


def test_self_subject_access_reviews(tmp_path):
    with running_sandbox(tmp_path, rules=(rule_of(READ_JOBS),)) as sandbox:
        answers = [ask(sandbox, token, verb) for token in (sandbox.token, "nobody") for verb in ("get", "delete")]
    assert answers == [True, True, True, False]


def ask(sandbox, token, verb):
    attributes = client.V1ResourceAttributes(
        group="kubeflow.org", resource="pytorchjobs", verb=verb, namespace="team-a"
    )
    spec = client.V1SelfSubjectAccessReviewSpec(resource_attributes=attributes)
    with official_client(sandbox, token) as api:
        review = client.V1SelfSubjectAccessReview(spec=spec)
        return client.AuthorizationV1Api(api).create_self_subject_access_review(review).status.allowed


@pytest.mark.parametrize("spec", [1, [[]], {"resourceAttributes": 1}, {"resourceAttributes": {"verb": []}}], ids=str)
def test_a_review_of_nonsense_is_a_bad_request(spec):
    with pytest.raises(StatusError) as caught:
        review(Gate({}), User("nobody"), {"spec": spec})
    assert caught.value.code == 400
