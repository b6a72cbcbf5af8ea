from pathlib import Path

from jobs.policy.document import document

DOCS = Path(__file__).parents[3] / "docs"


def test_the_docs_show_the_table_as_it_is() -> None:
    assert (DOCS / "policy.md").read_text() == document()
