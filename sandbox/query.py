"""Numbers and switches out of a query string, as Go's strconv takes them."""

from collections.abc import Mapping

from sandbox.errors import bad_request

_INT64 = 2**63


def whole(query: Mapping[str, str], name: str, default: int) -> int:
    """A whole number; `default` when it is absent or empty, 400 when it is none."""
    text = query.get(name, "")
    if not text:
        return default
    digits = text.removeprefix("-")
    if not digits.isascii() or not digits.isdigit() or int(digits) >= _INT64:
        raise bad_request(f'strconv.ParseInt: parsing "{text}": invalid syntax')
    return int(text)


def flag(query: Mapping[str, str], name: str) -> bool:
    """Whether a switch is on."""
    return query.get(name, "").lower() in ("true", "1")
