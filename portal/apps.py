from django.apps import AppConfig


class PortalConfig(AppConfig):
    name = "portal"

    def ready(self) -> None:
        # A shared task sends through the current Celery app; without this import the web process would have Celery's default one.
        from portal import celery  # noqa: F401, PLC0415
