"""Free TCP ports on loopback."""

import random
import socket

# Below the range from which kernels take ports for outgoing connections (32768 and up on Linux): a server that is
# restarted finds its port still free.
LOWEST, HIGHEST = 20_000, 32_000
TRIES = 200


def is_free(port: int) -> bool:
    """Whether a server could listen on `port` now."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def free_port() -> int:
    """A port that nothing listens on; another process may still take it first, which its server then reports."""
    chooser = random.SystemRandom()
    for _ in range(TRIES):
        port = chooser.randint(LOWEST, HIGHEST)
        if is_free(port):
            return port
    raise OSError(f"No free port found between {LOWEST} and {HIGHEST} in {TRIES} tries.")
