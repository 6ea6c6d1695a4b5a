"""Schedules that fire every second, on an engine that is killed in the middle of a second's slots.

Each slot starts an instance with one job. As soon as some jobs of a slot are there, the engine is killed: the slot of other
definitions may have fired or not. In the end no slot has fired twice, and slots are missing only where the engine was down.

    CRASH_CYCLES, CRASH_SEED   as in test_kill.py
"""

import collections
import datetime
import os
import random
import shutil
import tempfile
import unittest

from engine import Engine, check_store
from load import all_pages, exchange, with_connection

CYCLES = int(os.environ.get("CRASH_CYCLES", "6"))
SEED = int(os.environ.get("CRASH_SEED", "20260419"))
DEFINITIONS = 40  # Those with an odd number make up for slots that were missed.


def definition(number):
    return {"id": f"tick{number}", "name": "tick",
            "triggers": [{"id": "every-second", "type": "cron", "cronExpression": "* * * * * *",
                          "misfirePolicy": "FireImmediately" if number % 2 else "Discard"}],
            "steps": [{"id": "work", "name": "work", "type": "SERVICE_TASK", "jobType": "tick", "nextStep": "end"},
                      {"id": "end", "name": "end", "type": "END"}]}


def second_of(slot):
    return int(datetime.datetime.fromisoformat(slot.replace("Z", "+00:00")).timestamp())


class Schedules(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="pawl-schedules-")
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.data = os.path.join(self.folder, "data.db")
        self.engine = self.begin()

    def begin(self):
        engine = Engine(self.data)
        self.addCleanup(engine.end)
        return engine

    def exchange(self, method, path, body=None):
        return with_connection(self.engine.port, lambda connection: exchange(connection, method, path, body))

    def await_jobs(self, count):
        """Waits until so many slots have fired; the poll itself waits for the next one. A job is done when it is seen."""
        def work(connection):
            seen = 0
            while seen < count:
                status, answer = exchange(connection, "POST", "/v1/jobs/poll", {
                    "workerId": "w", "jobTypes": ["tick"], "waitSeconds": 30, "maxJobs": count - seen})
                self.assertEqual(status, 200, answer)
                for job in answer["jobs"]:
                    status, done = exchange(connection, "POST", f"/v1/jobs/{job['id']}/complete", {"workerId": "w"})
                    self.assertIn(status, (200, 204), done)
                seen += len(answer["jobs"])
        with_connection(self.engine.port, work)

    def test_no_slot_fires_twice_and_none_is_lost_over_kills(self):
        chance = random.Random(SEED)
        for number in range(DEFINITIONS):
            status, answer = self.exchange("POST", "/v1/definitions", definition(number))
            self.assertEqual(status, 201, answer)
        for _ in range(CYCLES):
            self.await_jobs(chance.randint(1, 2 * DEFINITIONS))
            self.engine.kill()
            if chance.random() < 0.2:
                check_store(self.data)
            self.engine = self.begin()
        self.await_jobs(DEFINITIONS)

        fired = collections.defaultdict(list)
        for instance in with_connection(self.engine.port, lambda connection: list(all_pages(connection, "/v1/instances"))):
            status, got = self.exchange("GET", f"/v1/instances/{instance['id']}")
            self.assertEqual(status, 200, got)
            fired[got["definitionId"]].append(second_of(got["variables"]["trigger"]["scheduled_for"]))
        self.engine.stop()
        check_store(self.data)
        self.assertEqual(len(fired), DEFINITIONS)
        for name, slots in fired.items():
            slots.sort()
            self.assertEqual(len(slots), len(set(slots)), f"a slot of {name} fired twice: {slots}")
            gaps = sum(after != before + 1 for before, after in zip(slots, slots[1:]))
            self.assertLessEqual(gaps, CYCLES, f"a slot of {name} was lost while the engine was up: {slots}")
        print(f"{CYCLES} kills, {sum(map(len, fired.values()))} slots")


if __name__ == "__main__":
    unittest.main()
