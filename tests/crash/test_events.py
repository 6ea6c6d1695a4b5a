"""Workflows that events begin and wake, killed under load.

Senders repeat an event, with the same source and id, until it is answered; workers do not care whether a result
arrived. In the end there is one instance for each first event, and it has every event and every result once.

    CRASH_CYCLES, CRASH_SEED   as in test_kill.py
"""

import collections
import itertools
import os
import random
import shutil
import signal
import tempfile
import threading
import traceback
import unittest

from engine import PATIENCE, Engine, check_store
from load import Cut, Finished, Site, Stopping, Wire, all_pages, exchange, with_connection

CYCLES = int(os.environ.get("CRASH_CYCLES", "6"))
SEED = int(os.environ.get("CRASH_SEED", "20260419"))
SENDERS, WORKERS = 4, 3
AT_ONCE = 10  # Parcels that a sender has under way.
FUNCTIONS = ["pack", "label", "hand-over"]
LATER = ["paid", "checked", "called"]


def action(function, *names):
    return {"functionref": {"refname": function, "parameters": {name: "$." + name for name in names}},
            "filter": {"resultPath": f"$['{function}']"}}


def entry(condition, transition):
    return {"condition": condition, "actions": [], "transition": transition}


# Begins with one event; two jobs side by side; two events in any order, and a third that comes whenever it likes
# and is asked for last; a job that sees all of it.
PARCEL = {
    "id": "parcel", "name": "parcel", "startsAt": "Begin",
    "triggers": [{"name": name, "source": "/shop", "type": name, "correlationToken": "$.data.parcel"}
                 for name in ("placed", *LATER)],
    "functions": [{"name": name, "type": "worker"} for name in FUNCTIONS],
    "states": [
        {"name": "Begin", "type": "EVENT", "eventActions": [entry("placed", "Work")]},
        {"name": "Work", "type": "OPERATION", "actionMode": "PARALLEL", "transition": "Wait",
         "actions": [action("pack", "parcel", "placed"), action("label", "parcel")]},
        {"name": "Wait", "type": "EVENT", "eventActions": [entry("paid and checked", "Call")]},
        {"name": "Call", "type": "EVENT", "eventActions": [entry("called", "Leave")]},
        {"name": "Leave", "type": "OPERATION", "end": True, "actions": [action("hand-over", "parcel", *LATER)]}]}


class Everybody:
    """The threads, what they were told, and what went wrong."""

    def __init__(self):
        self.site = Site()
        self.changed = threading.Condition()
        self.sending, self.senders_left = True, SENDERS
        self.numbers = itertools.count(1)
        self.sent, self.acknowledged, self.repeated = set(), 0, 0
        self.failures = []
        self.threads = [threading.Thread(target=self._run, args=(turn, f"{turn.__name__}-{number}"), daemon=True)
                        for turn, count in ((self._send, SENDERS), (self._work, WORKERS)) for number in range(count)]

    def begin(self):
        for thread in self.threads:
            thread.start()

    def await_acknowledgements(self, more):
        with self.changed:
            goal = self.acknowledged + more
            assert self.changed.wait_for(lambda: self.acknowledged >= goal or self.failures, PATIENCE), "nothing goes on"
        self.raise_failures()

    def await_senders(self):
        """All that was begun is sent."""
        with self.changed:
            self.sending = False
            assert self.changed.wait_for(lambda: not self.senders_left or self.failures, PATIENCE), "senders hang"
        self.raise_failures()

    def finish(self):
        self.sending = False
        self.site.finish()
        for thread in self.threads:
            if thread.ident:
                thread.join(PATIENCE)

    def raise_failures(self):
        assert not self.failures, "\n".join(self.failures)

    def _run(self, turn, name):
        wire, chance = Wire(self.site), random.Random(f"{SEED} {name}")
        try:
            turn(wire, chance)
        except Finished:
            pass
        except Exception:
            with self.changed:
                self.failures.append(f"{name}: {traceback.format_exc()}")
                self.changed.notify_all()
        finally:
            wire.close()

    # ---- senders ----

    def _send(self, wire, chance):
        try:
            while self.sending:
                parcels = [next(self.numbers) for _ in range(AT_ONCE)]
                for parcel in parcels:
                    self._deliver(wire, chance, parcel, "placed", "started")
                events = [(parcel, name) for parcel in parcels for name in LATER]
                chance.shuffle(events)
                for parcel, name in events:
                    self._deliver(wire, chance, parcel, name, "delivered")
        finally:
            with self.changed:
                self.senders_left -= 1
                self.changed.notify_all()

    def _deliver(self, wire, chance, parcel, name, outcome):
        event = {"specversion": "1.0", "id": f"{name}-{parcel}", "source": "/shop", "type": name,
                 "data": {"parcel": parcel, name: f"{name} {parcel}"}}
        with self.changed:
            self.sent.add(parcel)
        cut = False
        while True:
            try:
                status, answer = wire.call("POST", "/v1/events", event, content_type="application/cloudevents+json")
            except Cut:
                cut = True
                continue
            except Stopping:
                continue
            assert status == 202, answer
            told, = answer["events"]
            fresh = told["outcome"] == outcome
            assert fresh or (cut and told["outcome"] == "duplicate" and told["firstOutcome"] == outcome), (cut, told)
            assert told["instanceCount"] == 1, told
            with self.changed:
                self.acknowledged += 1
                self.repeated += cut
                self.changed.notify_all()
            if cut or not chance.random() < 0.1:
                return
            cut = True  # Once more, for nothing.

    # ---- workers ----

    def _work(self, wire, chance):
        while True:
            poll = {"workerId": threading.current_thread().name, "jobTypes": FUNCTIONS, "waitSeconds": 0.5,
                    "maxJobs": chance.randint(1, 4)}
            try:
                status, answer = wire.call("POST", "/v1/jobs/poll", poll)
                assert status == 200, answer
                for job in answer["jobs"]:
                    result = {"workerId": poll["workerId"], "variables": {"of": job["variables"]}}
                    status, told = wire.call("POST", f"/v1/jobs/{job['id']}/complete", result)
                    assert status == 204, told
            except (Cut, Stopping):
                pass


def expected(parcel):
    texts = {name: f"{name} {parcel}" for name in ("placed", *LATER)}
    return {"parcel": parcel, **texts, "pack": {"of": {"parcel": parcel, "placed": texts["placed"]}},
            "label": {"of": {"parcel": parcel}},
            "hand-over": {"of": {"parcel": parcel, **{name: texts[name] for name in LATER}}}}


class Events(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="pawl-crash-")
        self.data = os.path.join(self.directory, "data")
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        self.everybody = Everybody()
        self.addCleanup(self.everybody.finish)
        self.engine = self.begin()

    def begin(self):
        engine = Engine(self.data)
        self.addCleanup(engine.end)
        return engine

    def await_end(self, instance):
        def read(connection):
            connection.request("GET", f"/v1/instances/{instance}/events")
            connection.getresponse().read()
        with_connection(self.engine.port, read)

    def read(self, path):
        return with_connection(self.engine.port, lambda connection: list(all_pages(connection, path)))

    def get(self, path):
        status, answer = with_connection(self.engine.port, lambda connection: exchange(connection, "GET", path))
        self.assertEqual(status, 200, answer)
        return answer

    def check_instance(self, listed):
        self.await_end(listed["id"])
        got = self.get(f"/v1/instances/{listed['id']}")
        self.assertEqual((got["executionStatus"], got["pendingEvents"]), ("Success", []), got)
        self.assertEqual(got["output"], expected(got["correlation"]))
        self.assertEqual(self.get(f"/v1/instances/{listed['id']}/history")["path"], ["Begin", "Work", "Wait", "Call", "Leave"])
        return got["correlation"]

    def test_each_event_counts_once_over_kills(self):
        status, answer = with_connection(self.engine.port, lambda connection: exchange(
            connection, "POST", "/v1/definitions", PARCEL))
        self.assertEqual(status, 201, answer)
        chance = random.Random(SEED)
        self.everybody.begin()
        for _ in range(CYCLES):
            self.everybody.site.open(self.engine.port)
            self.everybody.await_acknowledgements(chance.randint(20, 300))
            self.engine.send(signal.SIGKILL)
            self.engine.await_exit(-signal.SIGKILL)
            if chance.random() < 0.3:
                check_store(self.data)
            self.engine = self.begin()
        self.everybody.site.open(self.engine.port)
        self.everybody.await_senders()
        found = collections.Counter(self.check_instance(listed) for listed in self.read("/v1/instances"))
        self.everybody.raise_failures()
        self.assertEqual(found, collections.Counter(self.everybody.sent))
        self.assertEqual((self.read("/v1/jobs"), self.read("/v1/events/unmatched")), ([], []))
        self.everybody.finish()
        self.engine.stop()
        self.assertEqual(check_store(self.data), len(found))
        print(f"{CYCLES} kills, {len(found)} instances, {self.everybody.acknowledged} events acknowledged, "
              f"{self.everybody.repeated} of them sent more than once")


if __name__ == "__main__":
    unittest.main()
