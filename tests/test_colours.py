"""Recomputes the contrasts of static/css/tokens.css (WCAG 2.2: 1.4.3 for text, 1.4.11 for the lines of controls)."""

import re
from pathlib import Path

import pytest

TOKENS = (Path(__file__).parents[1] / "static/css/tokens.css").read_text()
COLOURS = {
    name: {"light": light, "dark": dark}
    for name, light, dark in re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", TOKENS)
}
GROUNDS = ("page", "surface", "surface2")
STATES = ("queued", "starting", "running", "succeeded", "failed", "preempted", "warning", "quiet")
PAIRS = [
    *((text, ground, 4.5) for text in ("text", "text2", "text3", "accent", "accent-hover") for ground in GROUNDS),
    ("on-accent", "accent", 4.5),
    ("on-accent", "accent-hover", 4.5),
    ("text3", "selected", 4.5),
    *((state, f"{state}-bg", 4.5) for state in STATES),
    *((state, "surface", 4.5) for state in STATES),
    *((text, f"{state}-bg", 4.5) for text in ("text", "text2") for state in STATES),
    ("page", "failed", 4.5),  # the button that cancels
    *(("line-strong", ground, 3) for ground in GROUNDS),
]


def _luminance(colour: str) -> float:
    channels = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    red, green, blue = (value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(one: str, other: str) -> float:
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_the_formula_is_that_of_wcag():
    assert _contrast("#ffffff", "#000000") == pytest.approx(21)
    assert _contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("front", "ground", "least"), PAIRS)
def test_contrast(front, ground, least, scheme):
    assert _contrast(COLOURS[front][scheme], COLOURS[ground][scheme]) >= least
