"""Reads typed values out of a parsed tree and collects what is wrong with it, with paths."""

from collections.abc import Set
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from portal.errors import FieldError
from portal.quantity import BadQuantity, parse

_REQUIRED: Final = object()
T = TypeVar("T")


@dataclass(frozen=True)
class Node:
    """An object of the tree at `path` ("pod_sets.0"). What it returns in place of a wrong value is only a stand-in:
    whoever reads must look at `errors` (shared by all nodes of one tree) before using anything.
    """

    tree: object
    path: str
    errors: list[FieldError]

    def error(self, key: str, message: str) -> None:
        self.errors.append(FieldError(self._path(key), message))

    def names(self) -> Set[str]:
        return self._object().keys()

    def only(self, known: set[str]) -> None:
        if not isinstance(self.tree, dict):
            self.errors.append(FieldError(self.path or "body", "Write an object here."))
        for key in self.names() - known:
            self.error(key, f"{str(key)[:40]!r} means nothing here; known are {', '.join(sorted(known))}.")

    def text(self, key: str, *, default: object = _REQUIRED) -> str:
        value = self._value(key, default)
        return value if isinstance(value, str) else self._wrong(key, value, "Write text here.", "")

    def integer(self, key: str, least: int, most: int, *, default: object = _REQUIRED) -> int:
        value = self._value(key, default)
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            return value
        return self._wrong(key, value, f"Enter a whole number from {least} to {most}.", least)

    def flag(self, key: str, *, default: bool) -> bool:
        value = self._value(key, default)
        return value if isinstance(value, bool) else self._wrong(key, value, "Write true or false here.", default)

    def texts(self, key: str, *, default: object = _REQUIRED) -> tuple[str, ...]:
        values = self._list(key, default)
        for index, value in enumerate(values):
            if not isinstance(value, str):
                self.error(f"{key}.{index}", "Write text here.")
        return tuple(map(str, values))

    def text_map(self, key: str) -> dict[str, str]:
        node = self.node(key)
        return {name: node.text(name) for name in node.names()}

    def quantity(self, key: str, resource: str) -> int:
        """More than zero of `resource` in portal.quantity's unit, written as a whole number or as text like 64Gi."""
        value = self._value(key, _REQUIRED)
        text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
        if not isinstance(text, str):
            return self._wrong(key, value, "Write an amount such as 4 or 64Gi.", 1)
        try:
            amount = parse(text, resource)
        except BadQuantity as error:
            return self._wrong(key, value, str(error), 1)
        return amount if amount > 0 else self._wrong(key, value, "Enter more than 0.", 1)

    def node(self, key: str) -> "Node":
        value = self._value(key, {})
        if not isinstance(value, dict):
            self.error(key, "Write an object here.")
        return Node(value, self._path(key), self.errors)

    def nodes(self, key: str, *, default: object = _REQUIRED) -> list["Node"]:
        return [
            Node(value, self._path(f"{key}.{index}"), self.errors)
            for index, value in enumerate(self._list(key, default))
        ]

    def _path(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key

    def _object(self) -> dict[str, Any]:
        return self.tree if isinstance(self.tree, dict) else {}

    def _value(self, key: str, default: object) -> object:
        return self._object().get(key, default)

    def _list(self, key: str, default: object) -> list[Any]:
        value = self._value(key, default)
        return value if isinstance(value, list) else self._wrong(key, value, "Write a list here.", [])

    def _wrong(self, key: str, value: object, message: str, stand_in: T) -> T:
        self.error(key, f"Fill in {key}." if value is _REQUIRED else message)
        return stand_in
