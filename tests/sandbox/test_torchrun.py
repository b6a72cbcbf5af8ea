"""What a rehearsed training prints."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

from sandbox.scenario import Ending, Scenario
from sandbox.torchrun import Run, lines, replica_index

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
RUNS_A_MINUTE = Scenario()


def run(seconds: float | None = None, index: int = 1, scenario: Scenario = RUNS_A_MINUTE, **container: Any) -> Run:
    """A run of replica `index` that began at noon and, with `seconds`, is over."""
    labels = {"training.kubeflow.org/replica-index": str(index)}
    pod = {"metadata": {"name": f"demo-worker-{index}", "uid": "1", "labels": labels}}
    made = {"name": "pytorch", "command": ["torchrun", "--nproc_per_node=4", "--nnodes", "2"], **container}
    end = None if seconds is None else NOON + timedelta(seconds=seconds)
    code = scenario.ending.code if scenario.ending and end else 0
    return Run(pod, made, scenario, 0, NOON, end, code)


def texts(made: Run, seconds: float) -> list[str]:
    return [text for _, text in lines(made, NOON + timedelta(seconds=seconds))]


def test_the_command_line_is_read() -> None:
    made = run()
    assert (made.processes, made.nodes, made.rank) == (4, "2", 4)


def test_the_resources_and_the_environment_stand_in() -> None:
    resources = {"limits": {"nvidia.com/gpu": "8"}}
    made = run(
        command=["sh", "-c", "exec torchrun train.py"], resources=resources, env=[{"name": "PET_NNODES", "value": "3"}]
    )
    assert (made.processes, made.nodes, made.rank) == (8, "3", 8)


def test_lines_appear_with_time_and_stay() -> None:
    made = run()
    counts = [len(texts(made, seconds)) for seconds in (0, 0.5, 2, 10, 60)]
    assert counts == sorted(set(counts))
    assert texts(made, 60)[: counts[3]] == texts(made, 10)


def test_steps_come_every_second_or_two() -> None:
    steps = [at for at, text in lines(run(), NOON + timedelta(seconds=60)) if "step=" in text]
    gaps = {(later - earlier).total_seconds() for earlier, later in pairwise(steps)}
    assert gaps == {1.5}


def test_a_long_training_prints_less_often() -> None:
    assert len(texts(run(), 12 * 3600)) < 1200


def test_success_names_the_checkpoint() -> None:
    made = run(30, command=["torchrun", "train.py", "--output=/data/out"])
    assert texts(made, 60)[-1].endswith("training finished, checkpoint saved to /data/out")
    assert texts(made, 29)[-1].startswith("[rank 1] step=")


def test_a_crash_ends_in_a_traceback() -> None:
    crashed = texts(run(5, scenario=Scenario(Ending(5, 7, "Error"))), 60)
    assert "[rank 4]: Traceback (most recent call last):" in crashed
    assert crashed[-1] == "  exitcode  : 7 (pid: 71)"


def test_a_killed_process_says_no_more_than_that() -> None:
    assert texts(run(5, scenario=Scenario(Ending(5, 137, "OOMKilled"))), 60)[-1] == "Killed"


def test_who_hangs_prints_no_step() -> None:
    hanging = texts(run(scenario=Scenario(ending=None, hang=True)), 3600)
    assert hanging and not any("step=" in text for text in hanging)


def test_any_other_pod_is_replica_zero() -> None:
    assert replica_index({"metadata": {"labels": {"training.kubeflow.org/replica-index": "x"}}}) == 0
    assert replica_index({"metadata": {}}) == 0
