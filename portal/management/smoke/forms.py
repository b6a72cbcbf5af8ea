"""The forms of a page as a browser without JavaScript sees them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser

Attributes = list[tuple[str, str | None]]
UNSENT = {"submit", "button", "reset", "image", "file"}


@dataclass
class Form:
    """`fields` holds what would be sent without touching anything; `names` also what is there but would not be sent."""

    action: str
    method: str
    fields: dict[str, str] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)


class FormReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.forms: list[Form] = []
        self._open: Form | None = None
        self._select = ""
        self._textarea = ""
        self._text: list[str] = []

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._open = Form(attributes.get("action", ""), attributes.get("method", "get").lower())
            self.forms.append(self._open)
        elif self._open is not None:
            self._field(self._open, tag, attributes)

    def _field(self, form: Form, tag: str, attributes: Mapping[str, str]) -> None:
        name = attributes.get("name", "")
        if tag == "option" and self._select:
            if "selected" in attributes or self._select not in form.fields:
                form.fields[self._select] = attributes.get("value", "")
        elif tag == "input" and name:
            self._input(form, name, attributes)
        elif tag == "select":
            self._select = name
            form.names.add(name)
        elif tag == "textarea" and name:
            self._textarea, self._text = name, []
            form.names.add(name)

    def _input(self, form: Form, name: str, attributes: Mapping[str, str]) -> None:
        kind = attributes.get("type", "text")
        if kind in UNSENT:
            return
        form.names.add(name)
        if kind not in {"checkbox", "radio"} or "checked" in attributes:
            form.fields[name] = attributes.get("value", "on" if kind == "checkbox" else "")

    def handle_data(self, data: str) -> None:
        if self._textarea:
            self._text.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._open = None
        elif tag == "select":
            self._select = ""
        elif tag == "textarea" and self._open is not None and self._textarea:
            # HTML drops one newline right after the opening tag.
            self._open.fields[self._textarea] = "".join(self._text).removeprefix("\n")
            self._textarea = ""


def forms_of(html: str) -> list[Form]:
    reader = FormReader()
    reader.feed(html)
    reader.close()
    return reader.forms
