"""The engine killed while clients create entities and fire transitions.

    CRASH_CYCLES   kills (3)
    CRASH_SEED     for the moments of the kills

Every write has a key. A client that was cut off sends it again after the restart. What was acknowledged is there, a
list of entities is there as a whole or not at all, and nothing has happened twice. Requests that take many
transactions are killed in their middle.
"""

import http.client
import json
import os
import random
import shutil
import signal
import tempfile
import threading
import time
import unittest

from engine import PATIENCE, Engine, check_store

CYCLES = int(os.environ.get("CRASH_CYCLES", "3"))
SEED = int(os.environ.get("CRASH_SEED", "20260419"))
CLIENTS = 6
GROUP = 3  # Entities that are created together.
WRITES_BEFORE_A_KILL = 150
DOCUMENT = {"entityName": "order", "modelVersion": 1, "sample": {"group": "x", "step": 1}, "workflows": [
    {"version": "1", "name": "sale", "initialState": "NEW", "states": {
        "NEW": {"transitions": [{"name": "GO", "next": "ON", "manual": True}]},
        "ON": {"transitions": [{"name": "FURTHER", "next": "NEW", "criterion": {
            "type": "simple", "jsonPath": "$.step", "operatorType": "GREATER_THAN", "value": 1000000}},
            {"name": "BACK", "next": "NEW", "manual": True}]}}}]}


class CutOff(Exception):
    """Nobody knows what became of the request."""


class Client:
    """Creates groups of entities and writes them one after the other; what it was told is in `told`."""

    def __init__(self, name, count):
        self.name, self.count = name, count
        self.connection, self.port = None, None
        self.number = 0
        self.told = {}  # Id -> (step, state)
        self.groups = {}  # Group -> ids
        self.pending = None  # The request that was cut off.

    def once(self, port, method, path, body=None, status=200):
        """On a connection of its own."""
        self.port = port
        try:
            return self.send(method, path, body, status=status)
        finally:
            self.connection.close()

    def send(self, method, path, body=None, key=None, status=200):
        headers = {"Content-Type": "application/json", **({"Idempotency-Key": key} if key else {})}
        try:
            if not self.connection:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
            self.connection.request(method, path, json.dumps(body) if body is not None else None, headers)
            answer = self.connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException):
            self.connection.close()
            self.connection = None
            raise CutOff from None
        assert answer.status == status, f"{method} {path}: {answer.status} {text!r}"
        return json.loads(text)

    def write(self, request):
        self.pending = request
        answer = self.send(*request["send"], request["key"])
        self.pending = None
        if "group" in request:
            ids = answer[0]["entityIds"]
            assert len(set(ids)) == GROUP, answer
            self.groups[request["group"]] = ids
            self.told.update(dict.fromkeys(ids, (0, "NEW")))
        else:
            self.told[request["id"]] = request["after"]
        self.count()

    def next_request(self, chance):
        self.number += 1
        key = f"{self.name}-{self.number}"
        if not self.told or chance.random() < 0.3:
            body = [{"group": key, "step": 0} for _ in range(GROUP)]
            return {"send": ("POST", "/api/entity/JSON/order/1", body), "key": key, "group": key}
        entity = chance.choice(list(self.told))
        step, state = self.told[entity]
        transition = {"NEW": "GO", "ON": "BACK"}[state] if chance.random() < 0.7 else None
        after = (step + 1, {"GO": "ON", "BACK": "NEW"}.get(transition, state))
        group = next(group for group, ids in self.groups.items() if entity in ids)
        path = f"/api/entity/JSON/{entity}" + (f"/{transition}" if transition else "")
        return {"send": ("PUT", path, {"group": group, "step": step + 1}), "key": key, "id": entity, "after": after}

    def run(self, port, chance):
        """Until it is cut off."""
        self.port, self.connection = port, None
        try:
            if self.pending:
                self.write(self.pending)
            while True:
                self.write(self.next_request(chance))
        except CutOff:
            pass


class Killed(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="pawl-crash-")
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        self.data = os.path.join(self.directory, "data")
        self.written = 0
        self.lock = threading.Condition()
        self.clients = [Client(f"c{i}", self.count) for i in range(CLIENTS)]
        self.failures = []

    def count(self):
        with self.lock:
            self.written += 1
            self.lock.notify_all()

    def begin(self):
        engine = Engine(self.data)
        self.addCleanup(engine.end)
        return engine

    def run_client(self, client, port, chance):
        try:
            client.run(port, chance)
        except BaseException as failure:  # A thread's own would be lost.
            with self.lock:
                self.failures.append(f"{client.name}: {failure}")
                self.lock.notify_all()

    def load_and_kill(self, engine, chance):
        threads = [threading.Thread(target=self.run_client, args=(client, engine.port, random.Random(f"{SEED} {client.name} {client.number}")))
                   for client in self.clients]
        goal = self.written + WRITES_BEFORE_A_KILL + chance.randrange(50)
        for thread in threads:
            thread.start()
        with self.lock:
            self.assertTrue(self.lock.wait_for(lambda: self.written >= goal or self.failures, PATIENCE), "the load came to a halt")
        engine.send(signal.SIGKILL)
        engine.await_exit(-signal.SIGKILL)
        for thread in threads:
            thread.join(PATIENCE)
        self.assertEqual([], self.failures)

    def check(self, port):
        """What is stored against what the clients were told; they send nothing meanwhile."""
        entities, page = {}, 0
        while True:
            found = Client("reader", None).once(port, "GET", f"/api/entity/order/1?pageSize=500&pageNumber={page}")
            entities.update({one["meta"]["id"]: one for one in found})
            page += 1
            if len(found) < 500:
                break
        groups = {}
        for one in entities.values():
            groups.setdefault(one["data"]["group"], []).append(one["meta"]["id"])
        for client in self.clients:
            for group, ids in client.groups.items():
                self.assertEqual(sorted(ids), sorted(groups.pop(group, [])), f"the entities of {group}")
            unsure = client.pending if client.pending and "id" in client.pending else None
            for entity, (step, state) in client.told.items():
                seen = entities[entity]
                got = (seen["data"]["step"], seen["meta"]["state"])
                known = [(step, state)] + ([unsure["after"]] if unsure and unsure["id"] == entity else [])
                self.assertIn(got, known, f"{client.name}, {entity}")
            if client.pending and "group" in client.pending:
                self.assertIn(len(groups.pop(client.pending["group"], [])), (0, GROUP), "half a list was created")
        self.assertEqual({}, groups, "entities that nobody asked for")
        return len(entities)

    def test_acknowledged_writes_are_there_once_and_whole(self):
        chance = random.Random(SEED)
        engine = self.begin()
        Client("admin", None).once(engine.port, "POST", "/v1/definitions", DOCUMENT, 201)
        began = time.monotonic()
        for _ in range(CYCLES):
            self.load_and_kill(engine, chance)
            engine = self.begin()
            self.check(engine.port)
        count = self.check(engine.port)
        engine.stop()
        self.assertEqual(count, check_store(self.data))
        print(f"{CYCLES} kills, {self.written} writes of {count} entities, {time.monotonic() - began:.1f} s")


class InTheMiddle(unittest.TestCase):
    """The engine is killed in the middle of one request that takes many transactions."""

    CHUNK = 5

    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="pawl-crash-")
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        self.data = os.path.join(self.directory, "data")
        self.begin()
        self.call("POST", "/v1/definitions", DOCUMENT, status=201)

    def begin(self):
        self.engine = Engine(self.data)
        self.addCleanup(self.engine.end)
        self.client = client = Client("watcher", None)
        self.client.port = self.engine.port
        self.addCleanup(lambda: client.connection and client.connection.close())

    def call(self, method, path, body=None, key=None, status=200):
        return self.client.send(method, path, body, key, status)

    def count(self):
        return self.call("GET", "/api/entity/stats/order/1")["count"]

    def listed(self):
        """The ids of all entities, read one by one."""
        ids, after = [], "00000000-0000-0000-0000-000000000000"
        while True:
            page = self.call("GET", f"/api/entity/order/1?pageSize=1000&after={after}")
            if not page:
                return ids
            ids += [one["meta"]["id"] for one in page]
            after = ids[-1]

    def kill_during(self, is_under_way, *request):
        """Sends the request beside, kills the engine as soon as it is under way, and begins again. The answer, if one came."""
        answers = []

        def send():
            other = Client("other", None)
            other.port = self.engine.port
            try:
                answers.append(other.send(*request))
            except CutOff:
                pass
        thread = threading.Thread(target=send)
        thread.start()
        deadline = time.monotonic() + PATIENCE
        while not is_under_way(self.count()) and not answers:
            self.assertLess(time.monotonic(), deadline, "it did not begin")
        self.engine.kill()
        thread.join(PATIENCE)
        self.client.connection.close()
        self.begin()
        return answers

    def assert_sound(self):
        """Numbers that are kept agree with what is there; nothing else is wrong with the store."""
        ids = self.listed()
        self.assertEqual(len(ids), len(set(ids)))
        self.assertEqual(len(ids), self.count())
        by_state = {one["state"]: one["count"] for one in self.call("GET", "/api/entity/stats/states/order/1")}
        self.assertEqual({"NEW": len(ids)} if ids else {}, by_state)
        self.client.connection.close()
        self.engine.stop()
        check_store(self.data)
        self.begin()
        return ids

    def repeat_until_cut(self, attempt):
        """The request may be done before the kill; then a longer one is sent."""
        for size in (2000, 10000, 30000):
            if attempt(size):
                return
        self.fail("the engine was never killed in time")

    def test_a_list_goes_on_with_its_key(self):
        def attempt(size):
            before = self.count()
            items = [{"group": f"list-{size}", "step": i} for i in range(size)]
            request = ("POST", f"/api/entity/JSON/order/1?transactionWindow={self.CHUNK}", items, f"list-{size}")
            answered = self.kill_during(lambda count: count > before + 10 * self.CHUNK, *request)
            there = self.assert_sound()
            self.assertEqual(0, (len(there) - before) % self.CHUNK, "a chunk is there whole or not at all")
            chunks = self.call(*request)
            self.assertEqual([self.CHUNK] * (size // self.CHUNK), [len(chunk["entityIds"]) for chunk in chunks])
            ids = [one for chunk in chunks for one in chunk["entityIds"]]
            after = self.assert_sound()
            self.assertEqual(size, len(set(ids)))
            self.assertEqual(before + size, len(after), "nothing was created twice")
            self.assertLessEqual(set(ids) | set(there), set(after))
            self.assertEqual(chunks, self.call(*request), "the same answer again")
            return not answered and len(there) < before + size
        self.repeat_until_cut(attempt)

    def test_the_rest_of_all_entities_can_be_deleted(self):
        def attempt(size):
            for first in range(0, size, 1000):
                self.call("POST", "/api/entity/JSON/order/1?transactionWindow=1000", [{"group": "x", "step": first + i} for i in range(1000)])
            self.assertEqual(size, self.count())
            answered = self.kill_during(lambda count: count < size, "DELETE", "/api/entity/order/1")
            left = self.assert_sound()
            self.call("DELETE", "/api/entity/order/1")
            self.assertEqual([], self.assert_sound())
            return not answered and left
        self.repeat_until_cut(attempt)


if __name__ == "__main__":
    unittest.main()
