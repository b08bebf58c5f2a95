"""Bounded log: messages wait in memory and never hold the program up; what finds no room is counted. Pure."""

KEEP = 40
LENGTH = 160


class Log:
    """Lines with device seconds; `take` hands out the next one not yet written."""

    def __init__(self):
        self.lines = []
        self.first = 0  # number of lines[0]
        self.next = 0  # number of the next line to be written
        self.lost = 0
        self.clock = None

    def __call__(self, text):
        """Keep a message."""
        t = self.clock() // 1000 if self.clock else 0
        self.lines.append((t, text[:LENGTH]))
        if len(self.lines) > KEEP:
            self.lines.pop(0)
            self.first += 1
            if self.next < self.first:
                self.next = self.first
                self.lost += 1

    def peek(self):
        """(ms, text) of the next line to be written, or None."""
        i = self.next - self.first
        return self.lines[i] if i < len(self.lines) else None

    def done(self):
        """The line from `peek` was written."""
        self.next += 1

    def tail(self, n):
        """The last n lines."""
        return self.lines[-n:]


log = Log()
