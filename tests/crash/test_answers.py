"""Tasks that people answer, and an engine that is killed meanwhile: no answer lacks its row in the audit.

Clients answer side by side, so blocks of the audit have one row and several. After each kill and at the end the chain must be whole, and there is
one row of `task.complete` for each task that was answered, whether the client heard of it or not.

    EXAMPLE_CYCLES   kills (default: 3)
"""

import http.client
import os
import random
import tempfile
import threading
import unittest

from engine import Engine, check_store
from load import exchange, with_connection

CYCLES = int(os.environ.get("EXAMPLE_CYCLES", "3"))
SEED = int(os.environ.get("CRASH_SEED", "20260419"))
CLIENTS = 8
TASKS_EACH = 60  # More than any client answers before the kill.
DEFINITION = {"id": "ask", "name": "Ask", "steps": [{"id": "ask", "name": "Ask", "type": "USER_TASK", "nextStep": "end"},
                                                    {"id": "end", "name": "End", "type": "END"}]}


class Answers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="pawl-answers-")
        self.addCleanup(folder.cleanup)
        self.data = os.path.join(folder.name, "data")
        self.heard = set()
        self.engine = self.begin()

    def begin(self):
        engine = Engine(self.data)
        self.addCleanup(engine.end)
        return engine

    def call(self, method, path, body=None):
        status, answer = with_connection(self.engine.port, lambda connection: exchange(connection, method, path, body))
        self.assertLess(status, 300, answer)
        return answer

    def pages(self, path):
        found, cursor = [], ""
        while True:
            page = self.call("GET", f"{path}{cursor}")
            found += page["items"]
            if not page.get("nextCursor"):
                return found
            cursor = f"&cursor={page['nextCursor']}"

    def answer(self, port, instances, enough):
        """Answers until the engine is gone. Each task is answered by one client once: nobody repeats a request."""
        def send(connection):
            for instance in instances:
                status, _ = exchange(connection, "POST", f"/v1/instances/{instance}/user-tasks/ask/complete", {"variables": {"yes": True}})
                if status < 300:
                    self.heard.add(instance)
                enough()
        try:
            with_connection(port, send)
        except (OSError, http.client.HTTPException):
            pass  # It was killed, as it should be.

    def kill_while_answers_come(self, after):
        instances = [self.call("POST", "/v1/instances", {"definitionId": "ask"})["id"] for _ in range(CLIENTS * TASKS_EACH)]
        lock, count = threading.Lock(), [0]

        def enough():
            with lock:
                count[0] += 1
                if count[0] == after:
                    self.engine.send(9)
        threads = [threading.Thread(target=self.answer, args=(self.engine.port, instances[n::CLIENTS], enough)) for n in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.engine.await_exit(-9)
        self.engine = self.begin()

    def check_rows(self):
        verified = self.call("POST", "/api/audit/verify", {})
        self.assertTrue(verified["whole"], verified)
        rows = [row["object"] for row in self.pages("/api/audit?action=task.complete&pageSize=1000")]
        done = {item["id"] for item in self.pages("/api/instances?status=completed&pageSize=200")}
        self.assertEqual(len(rows), len(set(rows)), "an answer has two rows")
        self.assertEqual(set(rows), done, "an answer lacks its row, or a row its answer")
        self.assertLessEqual(self.heard, done, "an answer that was acknowledged is lost")
        return len(rows)

    def test_no_answer_lacks_its_row_over_kills(self):
        chance, count = random.Random(SEED), 0
        self.call("POST", "/v1/definitions", DEFINITION)
        for _ in range(CYCLES):
            self.kill_while_answers_come(chance.randint(1, CLIENTS * TASKS_EACH // 2))
            more = self.check_rows()
            self.assertGreater(more, count)
            count = more
        self.engine.stop()
        check_store(self.data)
        self.engine = self.begin()
        self.assertEqual(self.check_rows(), count)
        print(f"{CYCLES} kills, {count} answers, {count - len(self.heard)} of them unheard")


if __name__ == "__main__":
    unittest.main()
