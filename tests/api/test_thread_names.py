"""Threads of the engine have names, so `top -H` and profiles tell them apart."""

import os

from harness import Case, main


class ThreadNames(Case):
    def test_each_thread_says_what_it_does(self):
        tasks = f"/proc/{self.server.process.pid}/task"
        names = set()
        for task in os.listdir(tasks):
            with open(f"{tasks}/{task}/comm", encoding="utf-8") as file:
                names.add(file.read().strip())
        self.assertLessEqual({"pawl", "engine", "query", "polling"}, names)


if __name__ == "__main__":
    main()
