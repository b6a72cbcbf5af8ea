import json

import httpx
import pytest


def test_the_clock_moves_by_ticks_only(sandbox):
    before = json.loads(sandbox.call("GET", "/_sandbox/clock"))["now"]
    assert json.loads(sandbox.call("GET", "/_sandbox/clock"))["now"] == before
    sandbox.tick(90)
    after = json.loads(sandbox.call("GET", "/_sandbox/clock"))["now"]
    minutes = (int(after[14:16]) - int(before[14:16])) % 60
    assert minutes in (1, 2)


@pytest.mark.parametrize(
    "body",
    [None, {}, {"seconds": -1}, {"seconds": "x"}, {"seconds": "1e999"}, {"seconds": "nan"}, {"seconds": 1e15}, []],
)
def test_a_tick_is_a_number_of_seconds(sandbox, body):
    with pytest.raises(httpx.HTTPStatusError) as caught:
        sandbox.call("POST", "/_sandbox/tick", body)
    assert caught.value.response.status_code == 400


def test_the_journal_is_a_line_for_each_uid(sandbox):
    uids = [line["uid"] for line in sandbox.journal()]
    assert len(uids) == len(set(uids)) > 0


def test_health_asks_for_no_token_but_the_rest_does(sandbox):
    sandbox.token = "wrong"
    assert sandbox.call("GET", "/readyz") == "ok"
    for path in ("/_sandbox/clock", "/_sandbox/journal", "/api"):
        with pytest.raises(httpx.HTTPStatusError) as caught:
            sandbox.call("GET", path)
        assert caught.value.response.status_code == 401
