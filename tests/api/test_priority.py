"""The priority of definitions: urgent work comes before other work that waits, wherever it waits."""

import os
import sqlite3
import threading

from functions import Functions, Reply
from graphs import Graphs, one_call
from harness import PATIENCE, Killed, main, needs_a_file, needs_one_node
from mail import MailServer

USUAL, URGENT = 4, 8
PER_HOST, PER_MAIL_SERVER = 32, 8  # Calls that the engine makes at one time.


class Gate:
    """Takes the place of a planned reply: lets one command pass for each permit."""

    def __init__(self):
        self.permits, self.arrived = threading.Semaphore(0), threading.Semaphore(0)

    def __bool__(self):
        self.arrived.release()
        self.permits.acquire(timeout=2 * PATIENCE)
        return False

    def open(self):
        self.permits.release(1000)


class Waiting(Killed):
    flags = ("--allow-private-calls",)

    def again(self):
        super().again()
        self.graphs = Graphs(self.server)

    def publish(self, node):
        """The same flow twice; the names of the usual one and of the urgent one."""
        for name, priority in (("usual", USUAL), ("urgent", URGENT)):
            self.graphs.publish(one_call(name, node, priority=priority))

    def begin(self, name, count, first=0):
        return [self.start(name, {"name": f"{name} {first + i}", "from": f"{name}@a.example"})["id"] for i in range(count)]

    def taken(self, count):
        """Waits until the performer has that many jobs: those that it does, and those that wait for their server."""
        self.until(lambda: self.metric("pawl_jobs_leased") >= count)


@needs_one_node
class Calls(Waiting):
    def setUp(self):
        super().setUp()
        self.functions = Functions()
        self.addCleanup(self.functions.close)
        self.functions.answer("/slow", Reply(200, {}))
        self.functions.hold("/slow")
        self.publish({"type": "action_http", "config": {"method": "POST", "url": self.functions.url + "/slow", "body": "{{ trigger.payload.name }}"}})

    def called(self, begin, end):
        """Who has called, in order of the calls, as far as calls at one time have an order."""
        return sorted(call.body.decode().strip("\"") for call in self.functions.wait("/slow", end)[begin:end])

    def test_twenty_urgent_runs_overtake_three_hundred(self):
        self.begin("usual", PER_HOST)
        self.functions.wait("/slow", PER_HOST)
        self.begin("usual", 268, PER_HOST)
        urgent = self.begin("urgent", 20)
        self.taken(320)
        self.functions.let_pass("/slow", PER_HOST)  # As many again come, and no more: which of them comes first does not count.
        self.assertEqual(self.called(PER_HOST, 2 * PER_HOST), sorted([f"urgent {i}" for i in range(20)] + [f"usual {PER_HOST + i}" for i in range(12)]))
        self.functions.release("/slow")
        for instance in urgent:
            self.assertEqual(self.ended(instance)["status"], "COMPLETED")

    def test_they_come_first_after_a_restart(self):
        self.begin("usual", 60)
        self.begin("urgent", 5)
        self.taken(65)
        before = len(self.functions.wait("/slow", PER_HOST))
        self.again()
        self.assertEqual([name for name in self.called(before, before + PER_HOST) if name.startswith("urgent")], [f"urgent {i}" for i in range(5)])
        self.functions.release("/slow")


@needs_a_file
@needs_one_node
class Databases(Waiting):
    def test_urgent_statements_overtake_others(self):
        """All of them write to one file, which has one writer at a time."""
        path = os.path.join(self.directory, "a.db")
        file = sqlite3.connect(path, isolation_level=None)
        self.addCleanup(file.close)
        file.execute("create table t (id integer primary key, name text)")
        self.client.request("PUT", "/api/secrets/file", {"value": f"sqlite:{path}"})
        self.publish({"type": "action_db", "config": {"connectionRef": "vault:file", "sql": "insert into t (name) values (?1)", "params": ["{{ trigger.payload.name }}"]}})
        file.execute("begin exclusive")
        instances = self.begin("usual", 1)
        self.taken(1)
        instances += self.begin("usual", 6, 1) + self.begin("urgent", 3)
        self.taken(10)
        file.execute("rollback")
        for instance in instances:
            self.assertEqual(self.ended(instance)["status"], "COMPLETED")
        names = [name for name, in file.execute("select name from t order by id")]
        # The first one waited for the file before the others came. It tries again later if it waited for long.
        names.remove("usual 0")
        self.assertEqual(names, [f"urgent {i}" for i in range(3)] + [f"usual {i}" for i in range(1, 7)])


@needs_one_node
class Mail(Waiting):
    def test_urgent_messages_overtake_others(self):
        server = MailServer()
        self.addCleanup(server.close)
        gate = server.answers["DATA"] = Gate()
        self.addCleanup(gate.open)
        self.client.request("PUT", "/api/secrets/mail", {"value": f"smtp://127.0.0.1:{server.port}"})
        self.publish({"type": "action_email", "config": {
            "connectionRef": "vault:mail", "from": "{{ trigger.payload.from }}", "to": "bob@b.example", "subject": "Hi", "body": "Hi"}})
        self.begin("usual", PER_MAIL_SERVER)
        for _ in range(PER_MAIL_SERVER):
            self.assertTrue(gate.arrived.acquire(timeout=PATIENCE))
        self.begin("usual", 20, PER_MAIL_SERVER)
        self.begin("urgent", 4)
        self.taken(32)
        for _ in range(4):  # Each message that is through makes room for one.
            gate.permits.release()
            self.assertTrue(gate.arrived.acquire(timeout=PATIENCE))
        senders = [sender.split("@")[0] for sender in server.senders[PER_MAIL_SERVER:]]
        self.assertEqual(senders, ["urgent"] * 4)
        gate.open()
        server.wait(32)


if __name__ == "__main__":
    main()
