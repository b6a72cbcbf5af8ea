"""The training operator 1.9.4 as the sandbox plays it: PyTorchJobs become pods and Services, pods become conditions.

Left out on purpose, because nothing here needs them: gang scheduling, the HorizontalPodAutoscaler of elastic jobs, and
every kind but PyTorchJob.
"""
