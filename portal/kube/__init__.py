"""All speech with Kubernetes. Nothing outside this package imports the official client."""
