import pytest

from sandbox.decoding import decode, decode_object, load_yaml
from sandbox.errors import StatusError

YAML = "application/apply-patch+yaml"
JSON = "application/json"


def test_json_and_yaml():
    assert decode(b'{"a": 1}', JSON) == decode(b"a: 1", YAML) == decode(b'{"a": 1}', YAML) == {"a": 1}


def test_a_time_in_yaml_stays_a_text():
    assert load_yaml("at: 2026-03-01T12:00:00Z") == {"at": "2026-03-01T12:00:00Z"}


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"", JSON),
        (b"{", JSON),
        (b'{"a": NaN}', JSON),
        (b"[" * 100_000, JSON),
        (b"a: [", YAML),
        (b"a: &x [1]\nb: *x", YAML),
        (b"a: !!python/object:os.system x", YAML),
    ],
)
def test_what_cannot_be_read_is_a_bad_request(body, kind):
    with pytest.raises(StatusError) as caught:
        decode(body, kind)
    assert caught.value.code == 400


@pytest.mark.parametrize("body", [b"[]", b"null", b'"x"', b"1"])
def test_an_object_is_a_map(body):
    with pytest.raises(StatusError, match="no map of fields"):
        decode_object(body, JSON)


def test_lone_surrogates_and_broken_bytes_become_text():
    assert decode(b'{"a": "\\ud800"}', JSON) == {"a": "?"}
    assert decode(b'{"a": "\xff"}', JSON) == {"a": "\ufffd"}
