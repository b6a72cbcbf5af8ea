"""What everything we know about a job amounts to: one state, one reason and its numbers. Pure."""

from jobs.state.derive import derive
from jobs.state.facts import ABSENT, Condition, Derived, Facts, PodFacts, WorkloadFacts
from jobs.state.pending import Verdict, verdict

__all__ = ["ABSENT", "Condition", "Derived", "Facts", "PodFacts", "Verdict", "WorkloadFacts", "derive", "verdict"]
