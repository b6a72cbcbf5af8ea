"""A small Kubernetes-like server: the API server, Kueue, training operator and kubelet that the portal needs.

It is a process of its own and shares no code with the portal, which only ever knows its URL.
"""
