from django.apps import AppConfig


class PortalConfig(AppConfig):
    name = "portal"

    def ready(self) -> None:
        # A shared task sends through the current Celery app, which in the web process is ours only by this import.
        from portal import celery  # noqa: F401
