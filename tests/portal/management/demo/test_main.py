"""What the demo says about arguments that it cannot use."""

import pytest

from portal.management.demo.__main__ import main


@pytest.mark.parametrize("port", ["0", "65536", "99999", "80x", "-1", ""])
def test_a_port_that_does_not_exist_is_refused_with_the_range(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([f"--port={port}"])

    assert ended.value.code == 2
    assert "choose a number from 1 to 65535" in capsys.readouterr().err
