"""A small Kubernetes-like server: what the portal needs of an API server, of Kueue, of the training operator and of a kubelet.

It is a process of its own and shares no code with the portal, which only ever knows its URL.
"""
