"""Quantities in the one form in which Go's types write them (k8s.io/apimachinery, pkg/api/resource/quantity.go)."""

import re
from decimal import ROUND_CEILING, Decimal
from typing import Any

_PATTERN = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))(Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?[0-9]{1,2}|[numkMGTPE]?)")
_BINARY = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
_DECIMAL = {-9: "n", -6: "u", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T", 15: "P", 18: "E"}
_EXPONENTS = {suffix: exponent for exponent, suffix in _DECIMAL.items()}


def canonical(value: Any) -> str:
    """The canonical text: no fraction, the largest suffix of its own family (`1024Mi` is `1Gi`, `0.5` is `500m`).

    What is no quantity comes back as it is, in text.
    """
    match = _PATTERN.fullmatch(str(value))
    if match is None:
        return str(value)
    digits, suffix = match.groups()
    if suffix in _BINARY[1:]:
        return _binary(Decimal(digits) * 1024 ** _BINARY.index(suffix))
    if suffix[:1] in ("e", "E") and len(suffix) > 1:
        return _decimal(Decimal(digits).scaleb(int(suffix[1:])), exponents=True)
    return _decimal(Decimal(digits).scaleb(_EXPONENTS[suffix]), exponents=False)


def _binary(amount: Decimal) -> str:
    if -1024 < amount < 1024:
        return _decimal(amount, exponents=False)
    whole, power = int(amount.to_integral_value(ROUND_CEILING)), 0
    while whole % 1024 == 0 and power < len(_BINARY) - 1:
        whole, power = whole // 1024, power + 1
    return f"{whole}{_BINARY[power]}"


def _decimal(amount: Decimal, exponents: bool) -> str:
    """`amount`, rounded up to a billionth, with a suffix or with an exponent."""
    whole, power = int(amount.scaleb(9).to_integral_value(ROUND_CEILING)), -9
    while whole and whole % 1000 == 0 and power < max(_DECIMAL):
        whole, power = whole // 1000, power + 3
    if not whole:
        return "0"
    if exponents:
        return f"{whole}e{power}" if power else str(whole)
    return f"{whole}{_DECIMAL[power]}"
