"""Where a log stream stands. A request by time repeats lines of the same second; the cursor knows which."""

from jobs.logs.lines import moment


class Cursor:
    """The newest time that was sent and how many lines of exactly that time: "<time>/<count>" as an event's id."""

    def __init__(self, text: str = "") -> None:
        """From an id that the browser sent back; one that we did not write means a start from the beginning."""
        time, _, count = text.partition("/")
        known = moment(time) is not None and count.isascii() and count.isdecimal() and len(count) <= 9
        self.time = time if known else ""
        self.gone = False  # the pod was not there at the last request
        self._sent = int(count) if known else 0
        self._skip = 0

    def __str__(self) -> str:
        return f"{self.time}/{self._sent}"

    def rewind(self) -> None:
        """A new request begins at this time: as many lines of it as were sent come again."""
        self._skip = self._sent

    def is_new(self, time: str) -> bool:
        """Whether a line of this time was not sent yet; counts it as sent."""
        at, stand = moment(time), moment(self.time)
        if at is None:
            return True
        if stand is not None and at < stand:
            return False
        if at == stand:
            if self._skip:
                self._skip -= 1
                return False
            self._sent += 1
            return True
        self.time, self._sent, self._skip = time, 1, 0
        return True
