"""What a page weighs, and that it needs nothing from other hosts."""

import gzip
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
STATIC = ROOT / "static"
KIB = 1000


def weight(pattern: str) -> int:
    return sum(len(gzip.compress(path.read_bytes(), 9)) for path in STATIC.glob(pattern))


@pytest.mark.parametrize(
    ("patterns", "most"),
    [
        (("js/*.js", "vendor/*/*.js"), 29 * KIB),
        (("css/*.css",), 12 * KIB),
        (("vendor/lucide-*/icons.svg",), 4 * KIB),
    ],
)
def test_weight(patterns, most):
    assert 0 < sum(map(weight, patterns)) <= most


def test_templates_and_styles_ask_no_other_host():
    sources = [*(ROOT / "templates").rglob("*.html"), *STATIC.glob("*/*.css"), *STATIC.glob("js/*.js")]
    asked = re.compile(r"""(?:src|href|url|action)\s*[=(]\s*["']?(?:https?:)?//""")
    assert [path.name for path in sources if asked.search(path.read_text())] == []


def test_every_icon_that_is_drawn_exists():
    drawn = re.compile(r"""icon "([\w-]+)"|chip "\w+" "([\w-]+)\"""")
    texts = [path.read_text() for path in (ROOT / "templates").rglob("*.html")]
    texts += [(ROOT / "portal/templatetags/portal.py").read_text(), (ROOT / "jobs/views/replicas.py").read_text()]
    names = {name for text in texts for found in drawn.findall(text) for name in found if name}
    names |= set(re.findall(r'\("([a-z-]+)", "[a-z]+"\)', texts[-2])) | set(
        re.findall(r'"[a-z]+", "([a-z-]+)", _', texts[-1])
    )
    known = set(re.findall(r'<symbol id="([\w-]+)"', next(STATIC.glob("vendor/lucide-*/icons.svg")).read_text()))
    assert names - known == set()
    assert len(names) > 20
