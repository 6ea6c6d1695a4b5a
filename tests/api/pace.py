"""Tests that must do something before a moment of the real clock has passed.

A busy machine may be too slow for a short moment, and long moments make every run long. A paced test asks the function that it gets for
its seconds. If it fails, it is set up and runs again with moments five times and then 25 times as long. A fault of the engine fails it each
time. What was repeated is said at the end of `make test`.
"""

import functools
import sys

PACES = (1, 5, 25)


class Pace:
    def __init__(self, factor):
        self.factor = factor

    def seconds(self, count):
        return count * self.factor

    def duration(self, count):
        """As a definition has it."""
        return f"PT{count * self.factor:g}S"


def paced(test):
    """The test gets a Pace behind its own arguments."""
    @functools.wraps(test)
    def run(self, *arguments):
        for factor in PACES:
            try:
                return test(self, *arguments, Pace(factor))
            except (AssertionError, LookupError, ValueError) as failure:
                if factor == PACES[-1]:
                    raise
                print(f"\nrepeated: {self.id()}: {(str(failure).splitlines() or [type(failure).__name__])[0][:160]}", file=sys.stderr, flush=True)
            self.setUp()
        return None
    return run
