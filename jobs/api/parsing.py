"""JSON as RFC 8259 has it and PostgreSQL can keep it.

Python's parser is more generous than the standard: of two equal keys the last one wins in silence, NaN and Infinity
pass, and 1e999 becomes infinity. Two readers of one body could then disagree about what was asked for, so all of that
is refused here.
"""

import json
import math
from collections.abc import Mapping
from typing import IO, Any, NoReturn

from django.utils.translation import gettext as _
from rest_framework.parsers import BaseParser

from portal.errors import PortalError

MAX_DEPTH = 20
MAX_DIGITS = 40  # more than any number Kubernetes stores, less than what makes Python's int() slow


class StrictJSONParser(BaseParser):
    """Reads `application/json` in UTF-8 into any JSON value.

    Raises PortalError 400 `malformed_json` that says what is wrong and where, 415 for another type.
    """

    media_type = "application/json"

    def parse(
        self, stream: IO[bytes], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        refuse_other_types(media_type or "")
        try:
            return loads(stream.read().decode("utf-8"))
        except UnicodeDecodeError as error:
            _refuse(_("The body is not UTF-8 text: byte %(at)d is wrong.") % {"at": error.start})


def refuse_other_types(media_type: str) -> None:
    """Raises PortalError 415 unless `media_type` is `application/json`, with no parameter but charset=utf-8."""
    main, *parameters = (part.strip().lower() for part in media_type.split(";"))
    allowed = {"charset=utf-8", 'charset="utf-8"', ""}
    if main != "application/json" or not allowed.issuperset(parameters):
        message = _("Send the body as application/json in UTF-8; this one says %(type)s.") % {
            "type": repr(media_type[:80])
        }
        raise PortalError("unsupported_media_type", message, 415)


def loads(text: str) -> object:
    """The value of `text`.

    Raises PortalError 400 for what the module's docstring names, NUL, lone surrogates and deep nesting.
    """
    try:
        value: object = json.loads(
            text, object_pairs_hook=_object, parse_constant=_constant, parse_float=_float, parse_int=_int
        )
    except json.JSONDecodeError as error:
        _refuse(
            _("The body is not JSON: %(what)s at line %(line)d, column %(column)d.")
            % {"what": error.msg, "line": error.lineno, "column": error.colno}
        )
    except RecursionError:
        _refuse(_too_deep())
    _check(value)
    return value


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members: dict[str, object] = {}
    for key, value in pairs:
        if key in members:
            _refuse(_("The key %(key)s stands twice in one object.") % {"key": repr(key[:80])})
        members[key] = value
    return members


def _constant(word: str) -> NoReturn:
    _refuse(_("%(word)s is not a number in JSON.") % {"word": word})


def _float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        _refuse(_("%(number)s is too large for a number.") % {"number": text[:40]})
    return number


def _int(text: str) -> int:
    if len(text) > MAX_DIGITS:
        _refuse(_("A number has %(digits)d digits; %(max)d are the most.") % {"digits": len(text), "max": MAX_DIGITS})
    return int(text)


def _check(root: object) -> None:
    """Walks the value without recursion: depth, and text that PostgreSQL cannot store."""
    todo: list[tuple[object, int]] = [(root, 1)]
    while todo:
        value, depth = todo.pop()
        if depth > MAX_DEPTH:
            _refuse(_too_deep())
        if isinstance(value, str):
            _check_text(value)
        elif isinstance(value, list):
            todo.extend((item, depth + 1) for item in value)
        elif isinstance(value, dict):
            todo.extend((key, depth) for key in value)
            todo.extend((item, depth + 1) for item in value.values())


def _check_text(text: str) -> None:
    if "\0" in text:
        _refuse(_("The body contains the character NUL (\\u0000); remove it."))
    if any("\ud800" <= character <= "\udfff" for character in text):
        _refuse(
            _("The body contains half of a surrogate pair (\\ud800 to \\udfff), which is not a character; remove it.")
        )


def _too_deep() -> str:
    return _("The body is nested deeper than %(max)d levels.") % {"max": MAX_DEPTH}


def _refuse(message: str) -> NoReturn:
    raise PortalError("malformed_json", message, 400)
