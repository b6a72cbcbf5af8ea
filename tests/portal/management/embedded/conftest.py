import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from portal.management.embedded.account import temporary_folder


@pytest.fixture
def folder() -> Iterator[Path]:
    """One that PostgreSQL can reach also when the tests run as root, unlike pytest's own."""
    path = temporary_folder()
    yield path
    shutil.rmtree(path)
