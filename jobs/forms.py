"""The submit form, built from a template's schema.

A field's name is the path that services and REST use for it: "name", "values.workers". So an error finds its field.
Fields only turn text into JSON values. jobs.spec judges them, for the form and for REST alike; what was typed is kept.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from django import forms
from django.forms.boundfield import BoundField
from django.http import QueryDict
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from jobs.spec import ordered_properties
from jobs.spec.schema import Schema
from portal.errors import FieldError

VALUES = "values."
MAX_RADIOS = 6
LONG_TEXT = 200  # a text that may be longer gets several lines
# Keys of a POST that are no values of the template.
_OURS = {"csrfmiddlewaretoken", "dry_run", "name", "version", "idempotency_key"}
_INTEGER = re.compile(r"[+-]?[0-9]{1,30}", re.ASCII)
_NUMBER = re.compile(r"[+-]?[0-9]{1,30}(\.[0-9]{1,30})?", re.ASCII)


class ValueField(forms.Field):
    """One property of a schema. `clean` never refuses: what does not parse stays text, for jobs.spec to name."""

    def __init__(self, schema: Schema, *, name: str, required: bool) -> None:
        super().__init__(
            label=_label(schema, name),
            help_text=_hint(schema),
            initial=_shown(schema.get("default")),
            required=required,
            widget=_widget(schema, name),
        )
        self.schema = schema

    def clean(self, value: Any) -> Any:
        return parsed(self.schema, value)

    def has_changed(self, initial: Any, data: Any) -> bool:
        return bool(parsed(self.schema, data) != self.schema.get("default"))


class RawField(forms.CharField):
    """Text as it came: the service says what is wrong with it, in the same words for every door."""

    def clean(self, value: Any) -> str:
        return str(value or "").strip()


@dataclass
class Section:
    title: str
    fields: list[BoundField] = field(default_factory=list)
    advanced: list[BoundField] = field(default_factory=list)

    @property
    def open(self) -> bool:
        """Whether the advanced fields are unfolded: nothing that somebody filled in is ever hidden."""
        return any(
            bound.errors or (bound.form.is_bound and bound.name in bound.form.changed_data) for bound in self.advanced
        )


class SubmissionForm(forms.Form):
    use_required_attribute = False  # messages are ours, with numbers, not the browser's

    name = RawField(
        label=_("Name"),
        help_text=_("What you call this job, up to 63 characters. Its name on the cluster is made from it."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    version = RawField(widget=forms.HiddenInput)
    idempotency_key = RawField(widget=forms.HiddenInput)

    def __init__(self, schema: Schema, *, version: int, data: QueryDict | None = None, readonly: bool = False) -> None:
        # The key is made once for each form that is shown: sent twice by a double click, it is one job.
        super().__init__(data, initial={"version": version, "idempotency_key": uuid4().hex})
        self.schema = schema
        required = schema.get("required", [])
        for name, described in ordered_properties(schema).items():
            self.fields[VALUES + name] = ValueField(described, name=name, required=name in required)
        for name, form_field in self.fields.items():
            form_field.disabled = readonly and not isinstance(form_field.widget, forms.HiddenInput)
            if not readonly:
                form_field.widget.attrs.update(self._checked_alone(name))

    def _checked_alone(self, name: str) -> dict[str, str]:
        """Attributes that ask the server about one field when it was changed; the answer replaces its message only."""
        bound_id = self.auto_id % name if isinstance(self.auto_id, str) else name
        described_by = [f"{bound_id}_helptext"] if self.fields[name].help_text else []
        return {
            "hx-post": f"?part=field&f={name}",
            "hx-trigger": "change",
            "hx-target": "previous .message",
            # Later than a click takes: leaving the field for a button must not move the button from under the cursor.
            "hx-swap": "innerHTML swap:300ms",
            "aria-describedby": " ".join([*described_by, f"{bound_id}_error"]),
        }

    def values(self) -> dict[str, Any]:
        """What was filled in, as REST would send it. Fields that the template does not have stay, to be refused."""
        # Not cleaned_data: an error that was put by a field takes the field's value out of it.
        cleaned = {
            name.removeprefix(VALUES): form_field.clean(self[name].data)
            for name, form_field in self.fields.items()
            if name.startswith(VALUES)
        }
        known = {name: value for name, value in cleaned.items() if value is not None}
        strange = {
            name.removeprefix(VALUES): self.data[name]
            for name in self.data
            if name not in self.fields and name not in _OURS
        }
        return {**strange, **known}

    def renew_key(self) -> None:
        """A new idempotency key in a form that was sent: the next time it is another job."""
        data = QueryDict(mutable=True)
        data.update(self.data)
        data["idempotency_key"] = uuid4().hex
        self.data = data

    def show(self, errors: Sequence[FieldError]) -> None:
        """Puts each error by its field; one without a field of its own stands above the form."""
        for error in errors:
            self.add_error(error.path if error.path in self.fields else None, error.message)

    def sections(self) -> Iterator[Section]:
        """The fields in groups, in the order of the schema; the name leads the first one."""
        groups: dict[str, Section] = {}
        for name, described in ordered_properties(self.schema).items():
            title = described.get("x-section", _("Settings"))
            section = groups.setdefault(title, Section(title))
            (section.advanced if described.get("x-advanced") else section.fields).append(self[VALUES + name])
        next(iter(groups.values())).fields.insert(0, self["name"])
        yield from groups.values()


def parsed(schema: Schema, raw: Any) -> Any:
    """The JSON value of what a field sent; None for nothing. Text that is no value of the type is returned as it is."""
    if schema["type"] == "boolean":
        return bool(raw)
    text = str(raw or "").replace("\r\n", "\n")
    if not text.strip():
        return None
    if schema["type"] == "array":
        return [_scalar(schema["items"], line.strip()) for line in text.splitlines() if line.strip()]
    if schema["type"] == "object":
        pairs = (line.partition("=") for line in text.splitlines() if line.strip())
        return {key.strip(): value if equals else None for key, equals, value in pairs}
    return _scalar(schema, text if schema.get("format") == "shell" else text.strip())


def _scalar(schema: Schema, text: str) -> Any:
    if schema["type"] == "integer" and _INTEGER.fullmatch(text):
        return int(text)
    if schema["type"] == "number" and _NUMBER.fullmatch(text):
        return float(text) if "." in text else int(text)
    return text


def _label(schema: Schema, name: str) -> str:
    title = schema.get("title") or name.replace("_", " ").capitalize()
    return f"{title} ({schema['x-unit']})" if "x-unit" in schema else title


def _hint(schema: Schema) -> str:
    """The description, and an example where no default shows what is meant."""
    parts = [schema["description"]] if schema.get("description") else []
    if schema.get("examples") and "default" not in schema:
        parts.append(gettext("For example %(example)s.") % {"example": schema["examples"][0]})
    return " ".join(parts)


def _shown(value: Any) -> Any:
    """A default as the text that a field shows for it."""
    if isinstance(value, list):
        return "\n".join(map(str, value))
    if isinstance(value, Mapping):
        return "\n".join(f"{key}={entry}" for key, entry in value.items())
    return value


def _widget(schema: Schema, name: str) -> forms.Widget:
    if schema["type"] == "boolean":
        return forms.CheckboxInput()
    if "enum" in schema:
        choices = [(str(choice), str(choice)) for choice in schema["enum"]]
        return forms.RadioSelect(choices=choices) if len(choices) <= MAX_RADIOS else forms.Select(choices=choices)
    attrs: dict[str, Any] = {"autocomplete": "off", "spellcheck": "false"}
    if schema.get("readOnly") or "const" in schema:
        attrs["readonly"] = True
    if schema["type"] in {"integer", "number"}:
        return forms.TextInput(attrs={**attrs, "inputmode": "numeric", "class": "short"})
    if schema["type"] in {"array", "object"} or _is_long(schema):
        return forms.Textarea(attrs={**attrs, "rows": 4, "class": "mono"})
    if schema.get("format") == "quantity":
        attrs["class"] = "short"
    if schema.get("format") == "image":
        attrs |= {"class": "mono", "list": f"recent-{name}"}
    return forms.TextInput(attrs=attrs)


def _is_long(schema: Schema) -> bool:
    if "format" in schema:
        return bool(schema["format"] == "shell")
    return bool(schema.get("maxLength", 0) > LONG_TEXT)
