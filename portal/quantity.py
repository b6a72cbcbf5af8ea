"""Kubernetes quantities as whole numbers, and back.

A quantity is a decimal number with an optional suffix (k8s.io/apimachinery 1.36, pkg/api/resource/quantity.go):
m, none, k, M, G, T, P, E, or Ki, Mi, Gi, Ti, Pi, Ei, or an exponent (1e3).
We count cpu in thousandths of a core and everything else (bytes, GPUs) in ones. Fractions of those are refused, never
rounded.
"""

import re
from decimal import Decimal, InvalidOperation

_NUMBER = re.compile(r"([0-9]{1,24}(?:\.[0-9]{0,9})?)(m|k|[MGTPE]|[KMGTPE]i|[eE][+-]?[0-9]{1,2})?", re.ASCII)
_DECIMAL = {"": 0, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_MAX = 2**63 - 1  # what Kubernetes stores, and a bigint column


class BadQuantity(ValueError):
    """The text is not a quantity that this resource can have; the message says what would be."""


def parse(text: str, resource: str = "") -> int:
    """`text` in the resource's own unit: thousandths of a core for "cpu", else ones. Raises BadQuantity."""
    amount = _decimal(text) * (1000 if resource == "cpu" else 1)
    if amount != amount.to_integral_value():
        smallest = "1m" if resource == "cpu" else "1"
        raise BadQuantity(
            f"{text!r} is not a whole number of units; the smallest step of {resource or 'this'} is {smallest}."
        )
    if amount > _MAX:
        raise BadQuantity(f"{text!r} is more than 2^63-1, the largest amount that Kubernetes can store.")
    return int(amount)


def _decimal(text: str) -> Decimal:
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise BadQuantity(f"{text[:40]!r} is not a quantity; write a number such as 4, 500m, 64Gi or 2Ti.")
    number, suffix = match[1], match[2] or ""
    try:
        if suffix in _BINARY:
            return Decimal(number) * (1 << _BINARY[suffix])
        exponent = _DECIMAL[suffix] if suffix in _DECIMAL else int(suffix[1:])
        return Decimal(number).scaleb(exponent)
    except InvalidOperation as error:
        raise BadQuantity(f"{text[:40]!r} is not a quantity that can be counted.") from error


def show(amount: int, resource: str) -> str:
    """The canonical quantity of `amount` (in parse's unit): "256Gi", "32", "1500m"."""
    if resource == "cpu":
        return f"{amount}m" if amount % 1000 else str(amount // 1000)
    if resource in {"memory", "ephemeral-storage", "storage"}:
        for suffix, shift in reversed(_BINARY.items()):
            if amount and amount % (1 << shift) == 0:
                return f"{amount >> shift}{suffix}"
    return str(amount)
