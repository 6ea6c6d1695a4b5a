"""A polled database, and an engine that is killed while the rows of an answer arrive.

In the end each row has one instance for each state that it had when it was read, and none is missing.

    EXAMPLE_CYCLES   kills (default: 1)
"""

import os
import random
import sqlite3
import tempfile
import unittest

from engine import check_store
from parts import Life

CYCLES = int(os.environ.get("EXAMPLE_CYCLES", "1"))
SEED = int(os.environ.get("CRASH_SEED", "20260419"))
ROWS = 400  # In one answer; rows go to the engine in groups of 64.

DEFINITION = {"id": "parcels", "name": "Parcels", "steps": [{"id": "end", "name": "End", "type": "END"}],
              "triggers": [{"id": "table", "type": "poll", "sourceType": "SqlDatabase", "connectionRef": "vault:shop", "deduplicationKey": "$.id",
                            "query": "select id, state from parcel order by id", "pollingInterval": 1, "pollingUnit": "Seconds"}]}


class Polling(unittest.TestCase):
    def setUp(self):
        self.life = Life("--allow-private-calls")
        self.addCleanup(self.life.remove)
        self.addCleanup(self.life.close)
        folder = tempfile.TemporaryDirectory(prefix="pawl-polling-")
        self.addCleanup(folder.cleanup)
        self.file = os.path.join(folder.name, "shop.db")
        self.change("create table parcel (id integer primary key, state text)")

    def change(self, sql, rows=()):
        database = sqlite3.connect(self.file, timeout=30)
        with database:
            database.executemany(sql, rows) if rows else database.execute(sql)
        database.close()

    def count(self):
        return self.life.get("/v1/instances?definitionId=parcels&pageSize=1")["total"]

    def payloads(self):
        found, page = [], 0
        while True:
            items = self.life.get(f"/v1/instances?definitionId=parcels&pageSize=200&page={page}")["items"]
            if not items:
                return found
            found += [(item["variables"]["trigger"]["payload"]["id"], item["variables"]["trigger"]["payload"]["state"]) for item in items]
            page += 1

    def test_each_row_counts_once_over_kills(self):
        chance, expected = random.Random(SEED), []
        self.life.call("PUT", "/api/secrets/shop", {"value": f"sqlite:{self.file}"})
        self.life.call("POST", "/v1/definitions", DEFINITION)
        for cycle in range(CYCLES):
            # All rows change at once: every one of them counts again.
            rows = [(number, f"state {cycle}") for number in range(ROWS)]
            before = len(expected)
            expected += rows
            self.change("replace into parcel values (?, ?)", rows)
            goal = before + chance.randint(1, ROWS - 1)
            self.life.until(lambda: self.count() >= goal)
            self.life.server.process.kill()
            self.life.revive()
            self.life.until(lambda: self.count() >= len(expected))
        self.assertEqual(sorted(self.payloads()), sorted(expected))
        self.life.close()
        self.assertEqual(check_store(os.path.join(self.life.directory, "data")), len(expected))
        print(f"{CYCLES} kills, {len(expected)} rows")


if __name__ == "__main__":
    unittest.main()
