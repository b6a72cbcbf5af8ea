"""What people and programs send by mistake or on purpose, and words that the message must have."""

from dataclasses import dataclass, field
from typing import Any

BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b,*b]"
LONG = "x" * 300


@dataclass(frozen=True)
class BadField:
    """`path` is where the message must stand; `value` is what REST sends there, and with `form` the form too."""

    path: str
    value: Any
    words: str = ""
    form: bool = True

    def __str__(self) -> str:
        return f"{self.path}={self.value!r}"[:60]


FIELDS = [
    BadField("name", "", "name"),
    BadField("name", "   ", "name"),
    BadField("name", LONG, "63 characters; this has 300"),
    BadField("name", "two\nlines", "U+000A"),
    BadField("name", "bell\x07", "U+0007"),
    BadField("name", "abc\u202egpj", "U+202E"),
    BadField("name", 5, "text", form=False),
    BadField("name", None, "null", form=False),
    BadField("name", ["a"], "text", form=False),
    BadField("template", "no-such-form", form=False),
    BadField("template", 7, "text", form=False),
    BadField("version", 0, form=False),
    BadField("version", 99, form=False),
    BadField("version", 10**18, form=False),
    BadField("version", True, "whole number", form=False),
    BadField("version", "1", "whole number", form=False),
    BadField("values", "a string", form=False),
    BadField("values", [], form=False),
    BadField("values", None, form=False),
    BadField("values", BOMB, form=False),
    BadField("namespace", "kube-system", "no such field", form=False),
    BadField("manifest", {"kind": "ClusterRole"}, "no such field", form=False),
    BadField("tenant", "other", "no such field", form=False),
    BadField("values.hostNetwork", True, "no field"),
    BadField("values.__proto__", "x", "no field"),
    BadField("values.securityContext", {"privileged": True}, "no field", form=False),
    BadField("values.image", LONG, "200 characters; this has 300"),
    BadField("values.image", "registry.internal/pytorch", "tag"),
    BadField("values.image", "evil.example/pytorch:1", "registry.internal/"),
    BadField("values.image", "registry.internal.evil/pytorch:1", "registry.internal/"),
    BadField("values.image", "evil/registry.internal/pytorch:1", "registry.internal/"),
    BadField("values.image", "registry.internal/../pytorch:1", "registry/name:tag"),
    BadField("values.image", "registry.internal/PyTorch:1", "registry/name:tag"),
    BadField("values.image", "registry.internal/pytorch:1 --privileged", "registry/name:tag"),
    BadField("values.image", BOMB),
    BadField("values.image", 5, "text", form=False),
    BadField("values.model", "", "Fill in"),
    BadField("values.model", LONG, "96 characters; this has 300"),
    BadField("values.model", "$(whoami)", "model's name"),
    BadField("values.model", "{{ 7*7 }}", "model's name"),
    BadField("values.model", "a\nhostNetwork: true", "U+000A"),
    BadField("values.model", BOMB),
    BadField("values.script", "../../bin/sh", "Python file"),
    BadField("values.script", "train.py; rm -rf /", "Python file"),
    BadField("values.script", BOMB),
    BadField("values.output", "/etc", "/checkpoints"),
    BadField("values.output", "/checkpoints/../etc", "/checkpoints"),
    BadField("values.arguments", LONG),
    BadField("values.arguments", ["--a"] * 41, "40 entries; this has 41", form=False),
    BadField("values.arguments", [1], "text", form=False),
    BadField("values.arguments", {"a": "b"}, "list", form=False),
    BadField("values.arguments", ["a\u2028b"], "U+2028", form=False),
    BadField("values.workers", 0, "1 or more"),
    BadField("values.workers", -1, "1 or more"),
    BadField("values.workers", 65, "64 or less"),
    BadField("values.workers", 10**30),
    BadField("values.workers", "four", "whole number"),
    BadField("values.workers", "1e2", "whole number"),
    BadField("values.workers", 1.5, "whole number"),
    BadField("values.workers", True, "whole number", form=False),
    BadField("values.workers", [4], "whole number", form=False),
    BadField("values.workers", {"$value": "cpu"}, "whole number", form=False),
    BadField("values.workers", "٤", "whole number"),
    BadField("values.workers", 64, "at most 48"),
    BadField("values.gpus_per_worker", 3, "1, 2, 4, 8"),
    BadField("values.gpus_per_worker", 0, "1, 2, 4, 8"),
    BadField("values.cpu", 0, "1 or more"),
    BadField("values.cpu", 193, "192 or less"),
    BadField("values.memory", "lots", "quantity"),
    BadField("values.memory", "-1Gi", "quantity"),
    BadField("values.memory", "0", "more than 0"),
    BadField("values.memory", "1e9", "exponent"),
    BadField("values.memory", "99999999Ei", ""),
    BadField("values.memory", "６４Gi", "quantity"),
    BadField("values.memory", LONG, "16 characters; this has 300"),
    BadField("values.memory", 256, "text", form=False),
    BadField("values.shared_memory", "512Gi", "memory"),
    BadField("values.ephemeral_storage", "100 Gi", "quantity"),
    BadField("values.data_claim", "../secrets", "lower case"),
    BadField("values.data_claim", "Training-Data", "lower case"),
    BadField("values.checkpoint_claim", LONG, "253 characters; this has 300"),
    BadField("values.backoff_limit", -1, "0 or more"),
    BadField("values.backoff_limit", 11, "10 or less"),
    BadField("values.time_limit_hours", 73, "72 or less"),
    BadField("values.rehearsal", "explode", "Choose one of"),
]


@dataclass(frozen=True)
class BadBody:
    """A body that is not even a submission. `words` must stand in the answer."""

    name: str
    body: bytes
    status: int
    words: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = "application/json"

    def __str__(self) -> str:
        return self.name


URLENCODED = "application/x-www-form-urlencoded"
GOOD = b'{"template": "pytorch-ddp", "name": "a", "values": {"model": "m"}}'
BODIES = [
    BadBody("empty", b"", 422, "template"),
    BadBody("empty object", b"{}", 422, "template"),
    BadBody("not JSON", b"template: pytorch-ddp", 400, "line 1, column 1"),
    BadBody("cut off", GOOD[:-1], 400, "not JSON"),
    BadBody("two values", GOOD + GOOD, 400, "not JSON"),
    BadBody("a list", b"[]", 422),
    BadBody("a string", b'"pytorch-ddp"', 422),
    BadBody("null", b"null", 422),
    BadBody("a key twice", b'{"name": "a", "name": "b"}', 400, "twice"),
    BadBody("NaN", b'{"values": {"cpu": NaN}}', 400, "NaN"),
    BadBody("infinity", b'{"values": {"cpu": 1e999}}', 400, "too large"),
    BadBody("100,000 digits", b'{"values": {"cpu": ' + b"9" * 100_000 + b"}}", 400, "digits"),
    BadBody("NUL", GOOD.replace(b'"a"', b'"a\\u0000b"'), 400, "NUL"),
    BadBody("raw NUL", GOOD.replace(b'"a"', b'"a\x00b"'), 400, "not JSON"),
    BadBody("half a surrogate pair", GOOD.replace(b'"a"', b'"\\ud800"'), 400, "surrogate"),
    BadBody("Latin-1", GOOD.replace(b'"a"', b'"\xe4"'), 400, "UTF-8"),
    BadBody("100,000 levels", b'{"values": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", 400, "20 levels"),
    BadBody("2 MB", b'{"name": "' + b"x" * 2_000_000 + b'"}', 413, "1048576"),
    BadBody("as YAML", GOOD, 415, "", content_type="application/yaml"),
    BadBody("as text", GOOD, 415, "", content_type="text/plain"),
    BadBody("as a form", b"name=a", 415, "", content_type=URLENCODED),
    BadBody("in UTF-16", GOOD, 415, "UTF-8", content_type="application/json; charset=utf-16"),
    BadBody("an empty key", GOOD, 422, "128", headers={"Idempotency-Key": ""}),
    BadBody("a long key", GOOD, 422, "128", headers={"Idempotency-Key": "k" * 129}),
    BadBody("a key with a tab", GOOD, 422, "128", headers={"Idempotency-Key": "a\tb"}),
]
FORM_BODIES = [
    BadBody("NUL", b"name=a%00b&values.model=m", 422, "U+0000", content_type=URLENCODED),
    BadBody("NUL in a value", b"name=a&values.model=m%00", 422, "U+0000", content_type=URLENCODED),
    BadBody("Latin-1", b"name=%E4&values.model=%FF", 422, content_type=URLENCODED),
    BadBody("2 MB", b"name=" + b"x" * 2_000_000, 413, "1048576", content_type=URLENCODED),
    BadBody("1,000 fields", b"&".join(b"f%d=1" % number for number in range(1000)), 400, content_type=URLENCODED),
    BadBody("broken multipart", b"--x\r\nnonsense", 400, content_type="multipart/form-data"),
    BadBody("JSON", GOOD, 422, content_type="application/json"),
]
