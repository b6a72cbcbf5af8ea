"""States of jobs as real control planes reported them (Kueue 0.17 and 0.19, training-operator 1.9), one row each."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from jobs import sentences
from jobs.models import Submission
from jobs.state import Condition, Derived, Facts, PodFacts, WorkloadFacts, derive
from jobs.state.derive import RULES

RECORDED = json.loads(Path(__file__).with_name("recorded.json").read_text())
TIMES = ("sent_at", "started_at", "finished_at", "cancel_requested_at", "at")


def dated(values: dict[str, Any]) -> dict[str, Any]:
    return {name: datetime.fromisoformat(value) if name in TIMES else value for name, value in values.items()}


def facts_from(recorded: dict[str, Any]) -> Facts:
    values = dated(recorded)
    if "workload" in values:
        conditions = {
            name: Condition(**dated(found)) for name, found in values["workload"].pop("conditions", {}).items()
        }
        values["workload"] = WorkloadFacts(conditions=conditions, **values["workload"])
    values["pods"] = [PodFacts(**dated(pod)) for pod in values.get("pods", ())]
    return Facts(**values)


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: case["name"])
def test_recorded(case: dict[str, Any]) -> None:
    derived = derive(facts_from(json.loads(json.dumps(case["facts"]))))
    assert derived == Derived(case["state"], case["reason"], case["params"])


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: case["name"])
def test_numbers_can_be_stored_and_said(case: dict[str, Any]) -> None:
    assert case["state"] in Submission.State.values
    assert json.loads(json.dumps(case["params"])) == case["params"]
    assert sentences.sentence(case["state"], case["reason"], case["params"])


def test_a_job_that_kueue_cannot_start_has_failed() -> None:
    """Kueue 0.19 ends a Workload so whose flavor contradicts the pods; the job itself stays suspended for ever."""
    why = "invalid admission check PodSetUpdate: conflict for nodeSelector"
    conditions = {
        "QuotaReserved": Condition("True", "QuotaReserved"),
        "Admitted": Condition("True", "Admitted"),
        "Finished": Condition("True", "FailedToStart", why),
    }
    sent = datetime.fromisoformat("2026-11-29T14:00:00+00:00")
    facts = Facts(sent_at=sent, suspended=True, phase="Suspended", workload=WorkloadFacts(conditions=conditions))
    assert derive(facts) == Derived("failed", "failed", {"message": why})


def test_every_state_that_can_be_derived_is_recorded() -> None:
    assert {case["state"] for case in RECORDED} == set(Submission.State.values)


def test_every_rule_decides_a_recorded_case() -> None:
    facts = [facts_from(json.loads(json.dumps(case["facts"]))) for case in RECORDED]
    assert [rule.__name__ for rule in RULES if not any(rule(each) for each in facts)] == []
