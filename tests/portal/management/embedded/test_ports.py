import socket

from portal.management.embedded.ports import HIGHEST, LOWEST, free_port, is_free


def test_a_free_port_lies_below_those_of_outgoing_connections() -> None:
    assert LOWEST <= free_port() <= HIGHEST < 32_768


def test_a_port_that_somebody_listens_on_is_not_free() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert not is_free(server.getsockname()[1])
