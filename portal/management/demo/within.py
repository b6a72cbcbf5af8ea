"""`python -m portal.management.demo.within COMMAND…` runs a command with the environment of this checkout's demo."""

import os
import sys

from portal.management.demo.home import CHECKOUT, AlreadyRunning, Home


def main(command: list[str]) -> int:
    home = Home(CHECKOUT / ".choirmaster")
    try:
        home.lock().close()
    except AlreadyRunning:
        run = home.last_run()
        if run is not None:
            os.execvpe(command[0], command, run.environment)
    print("No demo runs in this checkout. Start one in another shell: make demo", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
