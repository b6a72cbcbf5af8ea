import pytest

from sandbox.errors import StatusError
from sandbox.history import Change, History
from sandbox.records import Record


def filled(count: int, window: int) -> History:
    history = History(100, window)
    for number in range(count):
        history.append(Change("ADDED", Record("configmaps", "", "", 101 + number, {}, ""), None))
    return history


def test_since_gives_what_came_after():
    assert [change.record.version for change in filled(5, 10).since(103)] == [104, 105]


def test_the_newest_version_has_nothing_after_it():
    assert filled(5, 10).since(105) == []


@pytest.mark.parametrize("count", [11, 25, 100])
def test_the_window_is_what_is_kept(count):
    history = filled(count, 10)
    assert len(history.since(history.version - 10)) == 10
    with pytest.raises(StatusError, match="too old resource version") as caught:
        history.since(history.version - 11)
    assert (caught.value.code, caught.value.reason) == (410, "Expired")


def test_a_version_of_the_future_is_a_timeout():
    with pytest.raises(StatusError, match="Too large resource version: 106, current: 105") as caught:
        filled(5, 10).since(106)
    assert caught.value.code == 504


def test_compaction_keeps_nothing_but_the_present():
    history = filled(5, 10)
    history.compact()
    assert history.since(105) == []
    with pytest.raises(StatusError, match="too old"):
        history.since(104)


def test_versions_of_an_earlier_process_are_lost():
    with pytest.raises(StatusError, match=r"too old resource version: 99 \(100\)"):
        filled(0, 10).check_known(99)
