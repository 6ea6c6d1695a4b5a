"""How long the engine took, not how long the machine was busy with something else."""

import glob
import time


def queued(*pids):
    """Seconds that threads of these processes were ready to run and had no core."""
    nanoseconds = 0
    for path in (path for pid in pids for path in glob.glob(f"/proc/{pid}/task/*/schedstat")):
        try:
            with open(path, encoding="ascii") as file:
                nanoseconds += int(file.read().split()[1])
        except OSError:  # The thread has ended.
            continue
    return nanoseconds / 1e9


class Stopwatch:
    """Runs while the engine works or waits; stands while the engine or the test waits for a core."""

    def __init__(self, pid):
        self.pids = (pid, "self")
        self.began, self.queued = time.monotonic(), queued(*self.pids)

    def seconds(self):
        return max(0.0, time.monotonic() - self.began - (queued(*self.pids) - self.queued))
