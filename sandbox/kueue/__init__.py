"""Kueue 0.19.2 as the sandbox plays it: quota, admission, preemption, and the life of a Workload.

Left out on purpose, because nothing here needs them: hierarchical cohorts, Fair Sharing, topology-aware scheduling,
admission checks, `borrowWithinCohort` and waitForPodsReady (switched off, so there is no PodsReady condition).
"""
