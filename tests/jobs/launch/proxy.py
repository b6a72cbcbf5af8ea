"""A proxy between the portal and a sandbox, at which things go wrong when a test says so."""

import http.client
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

# Gets method, path and a function that forwards the request; returns (status, headers, body), or None for no answer.
Answer = tuple[int, dict[str, str], bytes]
Fault = Callable[[str, str, Callable[[], Answer]], Answer | None]


@dataclass
class Proxy:
    url: str = ""
    fault: Fault | None = None
    requests: list[str] = field(default_factory=list)  # "POST /apis/…"

    def count(self, method: str) -> int:
        return sum(request.startswith(method) for request in self.requests)


def status(code: int, message: str, reason: str = "", headers: dict[str, str] | None = None) -> Answer:
    """An error as the API server answers it."""
    body = {
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "code": code,
        "reason": reason,
        "message": message,
    }
    return code, {"Content-Type": "application/json", **(headers or {})}, json.dumps(body).encode()


def on(method: str, what: Callable[[Callable[[], Answer]], Answer | None]) -> Fault:
    """A fault of one method; the others are forwarded."""
    return lambda called, _path, forward: what(forward) if called == method else forward()


def lose_the_answer(forward: Callable[[], Answer]) -> None:
    forward()


@contextmanager
def running_proxy(target: str) -> Iterator[Proxy]:
    proxy = Proxy()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(proxy, urlsplit(target).netloc))
    server.daemon_threads = True
    proxy.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield proxy
    finally:
        server.shutdown()
        thread.join(5)
        server.server_close()


def _handler(proxy: Proxy, target: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            proxy.requests.append(f"{self.command} {self.path}")
            forward = lambda: _forward(target, self.command, self.path, dict(self.headers), body)  # noqa: E731
            answer = proxy.fault(self.command, self.path, forward) if proxy.fault else forward()
            if answer is None:
                self.close_connection = True
                return
            code, headers, content = answer
            self.send_response(code)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PATCH = do_DELETE = handle_any

        def log_message(self, *args: object) -> None:
            pass

    return Handler


def _forward(target: str, method: str, path: str, headers: dict[str, str], body: bytes) -> Answer:
    connection = http.client.HTTPConnection(target, timeout=30)
    try:
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        return response.status, {"Content-Type": response.headers["Content-Type"]}, response.read()
    finally:
        connection.close()
