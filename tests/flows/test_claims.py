"""Check without submitting looks at the claims, which no admission of the cluster does."""

import json

import pytest
from django.db import connection
from django.test import Client

from jobs.models import Submission
from portal.kube.client import Cluster
from tests.flows.control import Control, claim_of
from tests.flows.people import Place
from tests.jobs.factories import INPUT


@pytest.fixture
def one_node(control: Control, premium: Place) -> str:
    claim = claim_of(premium.tenant.namespace, "one-node")
    control.cluster.create(claim | {"spec": claim["spec"] | {"accessModes": ["ReadWriteOnce"]}})
    return "one-node"


def errors_of_a_check(place: Place, **values: object) -> dict[str, str]:
    body = json.dumps({"template": "pytorch-ddp", "name": "a", "values": {**INPUT, **values}})
    headers = {"Authorization": f"Bearer {place.token}"}
    answer = Client().post(f"{place.rest_url}?dry_run=1", body, content_type="application/json", headers=headers)
    assert not Submission.objects.exists()
    return {error["path"]: error["message"] for error in answer.json().get("errors", [])}


def test_claims_that_are_there(premium: Place) -> None:
    assert errors_of_a_check(premium) == {}


def test_a_claim_that_is_not_there(premium: Place) -> None:
    errors = errors_of_a_check(premium, data_claim="trainning-data")
    assert list(errors) == ["values.data_claim"]
    assert "no claim trainning-data in cm-premium" in errors["values.data_claim"]


def test_a_claim_for_one_node(premium: Place, one_node: str) -> None:
    assert errors_of_a_check(premium, checkpoint_claim=one_node, workers=1) == {}
    errors = errors_of_a_check(premium, checkpoint_claim=one_node)
    assert list(errors) == ["values.checkpoint_claim"]
    assert "4 replicas" in errors["values.checkpoint_claim"]


@pytest.mark.django_db(transaction=True)
def test_no_database_connection_is_held_while_the_cluster_checks(
    premium: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = []
    monkeypatch.setattr(Cluster, "create", lambda *_, **__: held.append(connection.connection))
    assert errors_of_a_check(premium) == {}
    assert held == [None]
