"""The sandbox as a process: what it acknowledged survives kill -9, and it ends at once when it is asked to."""

import contextlib
import json
import signal
import subprocess
import sys
import threading

import httpx
import pytest

from tests.sandbox.objects import config_map
from tests.sandboxes import REPOSITORY, sandbox_process

MAPS = "/api/v1/namespaces/default/configmaps"


def test_what_was_acknowledged_survives_kill_9(tmp_path):
    with sandbox_process(tmp_path) as sandbox:
        made: list[dict] = []
        hundred = threading.Event()
        writer = threading.Thread(target=write_until_killed, args=(sandbox, made, hundred))
        writer.start()
        assert hundred.wait(30)
        sandbox.kill()
        writer.join(10)
        sandbox.start()
        kept = {item["metadata"]["uid"]: item for item in json.loads(sandbox.call("GET", MAPS))["items"]}
        journal = {line["uid"] for line in sandbox.journal()}
        uids = {item["metadata"]["uid"] for item in made}
        assert uids <= kept.keys()
        assert uids <= journal
        assert all(kept[item["metadata"]["uid"]] == item for item in made)


def write_until_killed(sandbox, made, hundred):
    while True:
        try:
            made.append(json.loads(sandbox.call("POST", MAPS, config_map(f"m{len(made)}", "default"))))
        except httpx.TransportError:
            return
        if len(made) == 100:
            hundred.set()


def test_versions_never_go_back_and_older_ones_are_gone_after_a_restart(tmp_path):
    with sandbox_process(tmp_path) as sandbox:
        first = json.loads(sandbox.call("GET", MAPS))["metadata"]["resourceVersion"]
        made = json.loads(sandbox.call("POST", MAPS, config_map("a", "default")))
        sandbox.kill()
        sandbox.start()
        second = json.loads(sandbox.call("GET", MAPS))["metadata"]["resourceVersion"]
        assert int(second) >= int(made["metadata"]["resourceVersion"])
        with pytest.raises(httpx.HTTPStatusError) as caught:
            sandbox.call("GET", f"{MAPS}?watch=1&resourceVersion={first}")
        assert caught.value.response.status_code == 410
        assert sandbox.call("GET", f"{MAPS}?watch=1&timeoutSeconds=1&resourceVersion={second}") == ""


def test_the_clock_survives_too(tmp_path):
    with sandbox_process(tmp_path) as sandbox:
        sandbox.tick(86_400)
        before = sandbox.call("GET", "/_sandbox/clock")
        sandbox.kill()
        sandbox.start()
        assert sandbox.call("GET", "/_sandbox/clock") == before


def test_it_ends_within_two_seconds_with_streams_open(tmp_path):
    with sandbox_process(tmp_path, clock="real") as sandbox:
        headers = {"Authorization": f"Bearer {sandbox.token}"}
        with contextlib.ExitStack() as streams:
            for _ in range(5):
                watch = httpx.stream("GET", f"{sandbox.url}{MAPS}?watch=1", headers=headers, timeout=10)
                assert streams.enter_context(watch).status_code == 200
            assert sandbox.stop() < 2
        assert sandbox.process.returncode in (0, -signal.SIGTERM)


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    command = [sys.executable, "-m", "sandbox", "--data", tmp_path, "--port", "0", "--token-file", tmp_path / "none"]
    ended = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=30, check=False)
    assert ended.returncode == 2
    assert f"No such file or directory: '{tmp_path / 'none'}'" in ended.stderr


def test_ctrl_c_leaves_no_traceback(tmp_path, capfd):
    with sandbox_process(tmp_path) as sandbox:
        sandbox.process.send_signal(signal.SIGINT)
        sandbox.process.wait(5)
    assert "Traceback" not in capfd.readouterr().err
