"""Text that people typed: what it may hold, and the formats of ux's form schema (image, claim, quantity)."""

import re
import unicodedata

from portal.quantity import BadQuantity, parse

MAX_TITLE = 63
# What a text may be at most where its schema says nothing.
MAX_TEXT = 4096

# They reorder or hide what is shown (Unicode 15.1, UAX #9 and "Trojan Source", CVE-2021-42574).
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_BREAKS = frozenset("\u2028\u2029")

# distribution/reference 3.0: host[:port]/path[:tag][@digest], paths in lower case.
_COMPONENT = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_HOST = r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::[0-9]{1,5})?"
_IMAGE = re.compile(
    rf"(?P<name>(?:{_HOST}/)?{_COMPONENT}(?:/{_COMPONENT})*)"
    r"(?::(?P<tag>[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(?:@(?P<digest>sha256:[0-9a-f]{64}))?"
)
_EXPONENT = re.compile(r"[eE][+-]?[0-9]")
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")


def bad_character(text: str, *, lines: bool = False) -> str:
    """A sentence about the first character that must not be in `text`, or "". `lines` allows line breaks and tabs."""
    for position, character in enumerate(text, start=1):
        if lines and character in "\n\t":
            continue
        if unicodedata.category(character) in {"Cc", "Cs"} or character in _BIDI or character in _BREAKS:
            return f"Remove the invisible character U+{ord(character):04X} at position {position}."
    return ""


def check_title(title: object) -> str:
    """What is wrong with a job's name as a person typed it, or ""."""
    if not isinstance(title, str) or not title.strip():
        return "Give the job a name."
    if len(title) > MAX_TITLE:
        return f"Use at most {MAX_TITLE} characters; this has {len(title)}."
    return bad_character(title)


def check_image(image: str, prefixes: tuple[str, ...]) -> str:
    """What is wrong with an image reference, or "". `prefixes` end at a "/" or are a whole name without a tag."""
    match = _IMAGE.fullmatch(image) if len(image) <= 512 else None
    if match is None:
        return "Write an image as registry/name:tag in lower case, such as registry.internal/pytorch:2.3.0-cuda12.1."
    if not (match["tag"] or match["digest"]):
        return f"Add a tag or digest to the image, such as {image[:80]}:1.0."
    if not any(_is_from(match["name"], prefix) for prefix in prefixes):
        return f"Choose an image from {', '.join(prefixes) or 'an allowed registry; none is set up yet'}."
    return ""


def _is_from(name: str, prefix: str) -> bool:
    return name.startswith(prefix) if prefix.endswith("/") else name == prefix


def check_claim(name: str) -> str:
    """What is wrong with the name of a PersistentVolumeClaim (DNS-1123 subdomain), or ""."""
    if len(name) <= 253 and _SUBDOMAIN.fullmatch(name):
        return ""
    return "Write the claim's name in lower case letters, digits, - and . (at most 253 characters)."


def check_quantity(text: str) -> str:
    """What is wrong with an amount of bytes such as 64Gi, or ""."""
    if _EXPONENT.search(text):
        return "Write the amount without an exponent, such as 64Gi."
    try:
        amount = parse(text)
    except BadQuantity as error:
        return str(error)
    return "" if amount > 0 else "Enter more than 0, such as 64Gi."
