"""Kubernetes quantities as whole numbers, and back in their canonical text.

CPU is counted in thousandths, everything else in units, rounded up (Kueue 0.19, pkg/resources/requests.go).
"""

import re
from collections.abc import Iterable, Mapping
from decimal import ROUND_CEILING, Decimal
from typing import Any

_BINARY = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50, "Ei": 2**60}
_DECIMAL = {"k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18}
_SMALL = {"n": Decimal("1e-9"), "u": Decimal("1e-6"), "m": Decimal("1e-3"), "": Decimal(1)}
_FACTORS = {**_SMALL, **{unit: Decimal(n) for unit, n in (_BINARY | _DECIMAL).items()}}
_PATTERN = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))([eE][+-]?[0-9]+|[A-Za-z]*)")
_LARGEST = 2**63 - 1

Amounts = dict[str, int]


def parse(resource: str, text: str | int | float) -> int:
    """Return `text` in the whole units of `resource`; raises ValueError when it is no quantity.

    Amounts beyond 2^63 - 1 count as that, as in k8s.io/apimachinery, pkg/api/resource.
    """
    match = _PATTERN.fullmatch(str(text).strip())
    if not match:
        raise ValueError(f"{text!r} is not a quantity such as 4, 500m or 16Gi")
    digits, suffix = match.groups()
    exponent = suffix[:1] in {"e", "E"} and len(suffix) > 1 and suffix not in _FACTORS
    if not exponent and suffix not in _FACTORS:
        raise ValueError(f"{text!r} has the unknown suffix {suffix!r}")
    factor = Decimal(10) ** max(-30, min(30, int(suffix[1:]))) if exponent else _FACTORS[suffix]
    value = Decimal(digits) * factor * (1000 if resource == "cpu" else 1)
    return int(max(Decimal(-_LARGEST), min(value, Decimal(_LARGEST))).to_integral_value(ROUND_CEILING))


def show(resource: str, amount: int) -> str:
    """Return the canonical text: `96Gi` for memory, `24` or `1500m` for CPU, `16` or `1k` for the rest."""
    if resource == "cpu":
        if amount % 1000:
            return f"{amount}m"
        amount //= 1000
    binary = resource in {"memory", "ephemeral-storage"} or resource.startswith("hugepages-")
    units = _BINARY if binary else _DECIMAL
    for suffix, factor in reversed(units.items()):
        if amount and amount % factor == 0:
            return f"{amount // factor}{suffix}"
    return str(amount)


def container_requests(container: Mapping[str, Any]) -> Amounts:
    """Return what one container asks for; a limit without a request counts as the request."""
    resources = container.get("resources") or {}
    texts = {**(resources.get("limits") or {}), **(resources.get("requests") or {})}
    return {name: parse(name, text) for name, text in texts.items()}


def pod_requests(spec: Mapping[str, Any]) -> Amounts:
    """Return what a pod asks for: the sum over its containers, or its largest init container where that is more."""
    total = add(container_requests(container) for container in spec.get("containers") or [])
    for container in spec.get("initContainers") or []:
        for name, amount in container_requests(container).items():
            total[name] = max(total.get(name, 0), amount)
    return total


def add(amounts: Iterable[Mapping[str, int]]) -> Amounts:
    """Return the sum of several amounts, resource by resource."""
    total: Amounts = {}
    for item in amounts:
        for name, amount in item.items():
            total[name] = total.get(name, 0) + amount
    return total
