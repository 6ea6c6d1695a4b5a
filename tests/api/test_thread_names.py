"""Threads of the engine have names, so `top -H` and profiles tell them apart."""

import contextlib
import os

from harness import Case, main


class ThreadNames(Case):
    def names(self):
        tasks, names = f"/proc/{self.server.process.pid}/task", set()
        for task in os.listdir(tasks):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError), open(f"{tasks}/{task}/comm", encoding="utf-8") as file:  # It may have ended.
                names.add(file.read().strip())
        return names

    def test_each_thread_says_what_it_does(self):
        """A thread names itself when it first runs."""
        self.until(lambda: {"pawl", "engine", "query", "polling"} <= self.names())


if __name__ == "__main__":
    main()
