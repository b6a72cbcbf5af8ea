"""The kinds of custom resource that a job can become. A new kind is a new file here and a line in the list."""

from jobs.translators.base import Progress, Translator
from jobs.translators.pytorchjob import PyTorchJob

TRANSLATORS: tuple[Translator, ...] = (PyTorchJob(),)


def translator_for(kind: str) -> Translator:
    """Raises LookupError for a kind that has no translator."""
    for translator in TRANSLATORS:
        if translator.kind == kind:
            return translator
    raise LookupError(f"Choirmaster knows no kind {kind!r}; it knows {', '.join(t.kind for t in TRANSLATORS)}.")


__all__ = ["TRANSLATORS", "Progress", "Translator", "translator_for"]
