"""Makes people, tenants, queues and templates from one file. See `manage.py onboard --help` and demo.yaml."""

from portal.management.onboarding.document import Document, DocumentError, read_document
from portal.management.onboarding.making import make

__all__ = ["Document", "DocumentError", "make", "read_document"]
