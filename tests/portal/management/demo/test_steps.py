import os
import socket
import threading
from pathlib import Path

import pytest

from portal.management.demo.steps import StepFailed, manage, step, wait_for_http
from portal.management.embedded.ports import free_port


def answer_once(server: socket.socket, line: bytes) -> None:
    connection, _ = server.accept()
    with connection:
        connection.recv(1000)
        connection.sendall(b"HTTP/1.1 " + line + b"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")


def test_any_answer_but_a_server_error_will_do(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        lines = (b"503 Service Unavailable", b"302 Found")
        answers = threading.Thread(target=lambda: [answer_once(server, line) for line in lines])
        answers.start()
        wait_for_http("The web process", server.getsockname()[1], "/", tmp_path / "web.log")
        answers.join()


def test_who_does_not_answer_is_named_with_its_last_words(tmp_path: Path) -> None:
    log = tmp_path / "web.log"
    log.write_text("ModuleNotFoundError: portal")
    with pytest.raises(StepFailed, match=r"(?s)web process did not answer within 0\.1 s .*ModuleNotFoundError: portal"):
        wait_for_http("The web process", free_port(), "/", log, seconds=0.1)


def test_a_step_is_one_line_with_its_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    with step("PostgreSQL"):
        pass
    assert capsys.readouterr().out == "==> PostgreSQL (0.0 s)\n"


def test_a_command_that_fails_is_shown_with_what_it_printed() -> None:
    with pytest.raises(StepFailed, match=r"(?s)manage.py migrate failed with code 2.*--no-such-option"):
        manage(["migrate", "--no-such-option"], dict(os.environ))
