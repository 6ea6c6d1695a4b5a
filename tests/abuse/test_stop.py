"""A stop comes to its end whatever is under way: the engine ends with 0, also if nobody outside answers.

    STOP_RUNS   stops in the middle of racing requests (4)
    STOP_SEED   for everybody's choices

The threads' timing is the machine's, so a seed repeats the plan, not every interleaving.
"""

import http.client
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import unittest

from abuse import PATIENCE, Client, Server, main, request_bytes

import grpc_client
import mail
from graphs import Graphs, one_call
from members import Member, processor
from steps import decide, end, person, service

# The search for leaks takes longer than a stop; tests/api does it, too.
os.environ.setdefault("ASAN_OPTIONS", "detect_leaks=0")

RUNS = int(os.environ.get("STOP_RUNS", "4"))
SEED = int(os.environ.get("STOP_SEED", "20260419"))


class StopCase(unittest.TestCase):
    def begin(self, *arguments):
        server = Server(arguments)
        self.addCleanup(server.kill)
        return server

    def ask(self, server, method, path, body=None):
        client = Client(server)
        try:
            answer = client.request(method, path, body)
            self.assertLess(answer.status, 300, answer)
        finally:
            client.close()

    def assert_stops(self, server):
        server.process.send_signal(signal.SIGTERM)
        try:
            code = server.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.fail("SIGTERM does not end it")
        self.assertEqual(code, 0, server.log()[-2000:])


class Unanswered(StopCase):
    """Others take their time, or never answer."""

    def test_questions_that_would_take_longer_than_the_stop(self):
        """Four thousand pictures take the query thread more than ten seconds."""
        server = self.begin()
        steps = [service(f"s{i}", f"s{i + 1}") for i in range(1999)] + [end("s1999")]
        self.ask(server, "POST", "/v1/definitions", {"id": "long", "name": "long", "steps": steps})
        picture = request_bytes("GET", "/api/definitions/long/versions/1/picture")
        for _ in range(1000):
            connection = socket.create_connection(("127.0.0.1", server.port), PATIENCE)
            self.addCleanup(connection.close)
            connection.sendall(4 * picture)
        self.assert_stops(server)
        self.assertIn("connections were cut off", server.log())

    def test_a_mail_server_that_does_not_say_goodbye(self):
        server, others = self.begin("--allow-private-calls"), mail.MailServer()
        self.addCleanup(others.close)
        silent = threading.Event()
        self.addCleanup(silent.set)
        say = mail.Session.say

        def say_all_but_goodbye(session, text):
            if text.startswith("221"):
                silent.wait(PATIENCE)
            say(session, text)
        mail.Session.say = say_all_but_goodbye
        self.addCleanup(setattr, mail.Session, "say", say)
        self.ask(server, "PUT", "/api/secrets/mail", {"value": json.dumps({"url": f"smtp://localhost:{others.port}"})})
        config = {"connectionRef": "vault:mail", "from": "ann@a.example", "to": "bob@b.example", "subject": "Hello", "body": "Hi"}
        done = Graphs(server).run(one_call("mailer", {"type": "action_email", "config": config}))
        self.assertEqual(done["status"], "COMPLETED", done)
        self.assert_stops(server)

    def publish_mqtt(self, server, broker):
        self.ask(server, "PUT", "/api/secrets/broker", {"value": json.dumps({"host": "127.0.0.1", **broker})})
        nodes = [{"id": "message", "type": "trigger_mqtt", "config": {"brokerRef": "vault:broker", "topic": "a"}}, {"id": "end", "type": "end"}]
        self.ask(server, "POST", "/v1/definitions", {"dialect": "graph/1", "definitionId": "m", "name": "m", "nodes": nodes,
                                                     "edges": [{"from": "message", "to": "end"}]})

    def test_a_broker_that_takes_one_connection_only(self):
        """The engine looks whether somebody listens, and then connects once more: nobody answers that."""
        server = self.begin("--allow-private-calls")
        with socket.create_server(("127.0.0.1", 0), backlog=0) as broker:
            self.publish_mqtt(server, {"port": broker.getsockname()[1]})
            broker.settimeout(PATIENCE)
            self.await_full(broker.getsockname()[1])
            self.assert_stops(server)

    def await_full(self, port):
        """Until the listener's queue is full, which the engine's first connection and perhaps ours do."""
        while True:
            with socket.socket() as one:
                one.settimeout(0.2)
                try:
                    one.connect(("127.0.0.1", port))
                except TimeoutError:
                    return
                self.addCleanup(socket.socket.close, one.dup())

    def test_a_broker_whose_certificates_are_a_pipe(self):
        """Nobody writes into it: whoever opens it waits for ever."""
        directory = tempfile.mkdtemp(prefix="pawl-files-")
        self.addCleanup(shutil.rmtree, directory)
        os.mkfifo(os.path.join(directory, "pipe"))
        server = self.begin("--allow-private-calls", "--files", directory)
        with socket.create_server(("127.0.0.1", 0)) as broker:
            self.publish_mqtt(server, {"port": broker.getsockname()[1], "tls": {"ca": os.path.join(directory, "pipe")}})
            client = Client(server)
            self.addCleanup(client.close)
            while "cannot be used" not in json.dumps(client.get("/api/triggers").json):
                pass  # Each look is a request.
            self.assert_stops(server)

    def test_a_broker_that_does_not_say_hello(self):
        server = self.begin("--allow-private-calls")
        with socket.create_server(("127.0.0.1", 0)) as broker:
            self.publish_mqtt(server, {"port": broker.getsockname()[1]})
            broker.settimeout(PATIENCE)
            broker.accept()[0].close()
            held, _ = broker.accept()
            self.assert_stops(server)
            held.close()


FLOW = [service("a", "b", "work"), person("b", "end"), end()]
LOOP = [service("a", "again"), decide("again", {"1 == 1": "a", "1 == 2": "end"}), end()]


def workflow():
    """Transitions whose processors hold the write, commit first, or run apart from it."""
    def go(name, state, *modes, manual=True):
        return {"name": name, "next": state, "manual": manual, "processors": [processor(f"p{i}", "t", mode) for i, mode in enumerate(modes)]}
    return {"version": "1", "name": "work", "initialState": "NEW", "states": {
        "NEW": {"transitions": [go("GO", "ON", "SYNC", manual=False), go("RE", "NEW", "SYNC", "COMMIT_BEFORE_DISPATCH")]},
        "ON": {"transitions": [go("BACK", "NEW", "COMMIT_BEFORE_DISPATCH", "ASYNC_NEW_TX"), go("STAY", "ON", "SYNC")]}}}


class Racer(threading.Thread):
    """Sends one request after the other until the engine is gone. Nobody cares for the answers."""

    def __init__(self, race, number):
        super().__init__(daemon=True)
        self.race, self.chance = race, random.Random(f"{race.seed} {number}")

    def run(self):
        while not self.race.over.is_set():
            try:
                getattr(self, self.chance.choice(self.race.kinds))()
            except (OSError, http.client.HTTPException, ValueError, KeyError):
                pass

    def ask(self, method, path, body=None, timeout=PATIENCE, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.race.server.port, timeout=timeout)
        try:
            connection.request(method, path, json.dumps(body) if body is not None else None, {"Content-Type": "application/json", **headers})
            return json.loads(connection.getresponse().read() or b"null")
        finally:
            connection.close()
            self.race.count()

    def one_of(self, things):
        return self.chance.choice(things[-30:] or ["none"])

    def leave(self, path, body):
        """Sends a request and goes."""
        with socket.create_connection(("127.0.0.1", self.race.server.port), PATIENCE) as connection:
            connection.sendall(request_bytes("POST", path, json.dumps(body).encode(), Content_Type="application/json"))
            self.race.over.wait(self.chance.random() / 20)

    def deploy(self):
        self.ask("POST", "/v1/definitions", {"id": "flow", "name": str(self.chance.random()), "steps": FLOW})

    def start_one(self):
        self.race.instances.append(self.ask("POST", "/v1/instances" + self.chance.choice(["", "?wait=20"]), {"definitionId": "flow"})["id"])

    def start_and_leave(self):
        self.leave("/v1/instances?wait=20", {"definitionId": "flow"})

    def create(self):
        made = self.ask("POST", "/api/entity/JSON/order/1", [{"amount": 1}] * self.chance.choice([1, 3]),
                        **({"Idempotency-Key": str(self.chance.randrange(50))} if self.chance.random() < 0.3 else {}))
        self.race.entities.extend(made[0]["entityIds"])

    def create_and_leave(self):
        self.leave("/api/entity/JSON/order/1", {"amount": 1})

    def fire(self):
        self.ask("PUT", f"/api/entity/JSON/{self.one_of(self.race.entities)}" + self.chance.choice(["", "/BACK", "/STAY", "/RE"]), {"amount": 2})

    def remove(self):
        self.ask("DELETE", f"/api/entity/{self.one_of(self.race.entities)}")

    def bulk(self):
        self.ask("POST", "/v1/bulk", {"action": self.chance.choice(["cancel", "retry"]), "filter": {"definitionId": "flow"}})

    def search(self):
        condition = {"type": "simple", "jsonPath": "$.amount", "operatorType": "GREATER_THAN", "value": 0}
        self.ask("POST", f"/api/search/{self.chance.choice(['direct', 'async'])}/order/1", condition)

    def trial(self):
        self.ask("POST", "/api/trials", {"document": {"id": "t", "name": "t", "steps": LOOP}})

    def poll(self):
        jobs = self.ask("POST", "/v1/jobs/poll", {"workerId": "w", "jobTypes": ["work"], "waitSeconds": self.chance.choice([0, 20]), "maxJobs": 5})
        for job in jobs["jobs"]:
            end_of_it = self.chance.choice([("complete", {}), ("fail", {"errorMessage": "x", "retryable": False})])
            self.ask("POST", f"/v1/jobs/{job['id']}/{end_of_it[0]}", {"workerId": "w", **end_of_it[1]})

    def cancel(self):
        self.ask("POST", f"/v1/instances/{self.one_of(self.race.instances)}/cancel", {})

    def retry(self):
        self.ask("POST", f"/v1/instances/{self.one_of(self.race.instances)}/retry", {})

    def watch(self):
        path = self.chance.choice([f"/v1/instances/{self.one_of(self.race.instances)}/events", "/api/tasks/stream", "/api/live?topics=tasks"])
        self.ask("GET", path, timeout=self.chance.choice([0.1, PATIENCE]), Accept="text/event-stream")

    def list(self):
        self.ask("GET", self.chance.choice(["/v1/instances?pageSize=50", "/api/instances", "/api/overview", "/v1/user-tasks"]))


KINDS = [name for name, value in vars(Racer).items() if callable(value) and not name.startswith("_") and name not in ("run", "ask", "one_of", "leave")]


class Race:
    def __init__(self, server, seed):
        self.server, self.seed, self.chance = server, seed, random.Random(seed)
        self.over, self.moved, self.requests = threading.Event(), threading.Condition(), 0
        self.instances, self.entities, self.members = [], [], []
        self.kinds = self.chance.choices(KINDS, k=12) + ["fire", "create", "start_one"]
        self.prepare(Client(server))
        self.racers = [Racer(self, i) for i in range(self.chance.choice([3, 12, 25]))]

    def prepare(self, client):
        for method, path, body in (("POST", "/v1/definitions", {"id": "flow", "name": "flow", "steps": FLOW}),
                                   ("POST", "/api/model/import/JSON/SAMPLE_DATA/order/1", {"amount": 12}),
                                   ("POST", "/api/model/order/1/workflow/import", {"workflows": [workflow()]}),
                                   ("PUT", "/api/model/order/1/lock", None)):
            answer = client.request(method, path, body)
            assert answer.status < 300, answer
        client.close()
        self.slow = self.chance.choice([0, 0.01, 0.5, PATIENCE])
        for _ in range(self.chance.choice([0, 1, 3])):
            self.members.append(Member(grpc_client.port_of(self.server), ["t"], self.work))

    def work(self, _):
        """A calculation node answers, fails, takes its time, or says nothing."""
        chance = random.random()
        if chance < 0.3:
            self.over.wait(random.random() * self.slow)
        return None if chance < 0.1 else {"success": chance < 0.8}

    def count(self):
        with self.moved:
            self.requests += 1
            self.moved.notify_all()

    def run(self):
        """Until some requests have been answered."""
        for racer in self.racers:
            racer.start()
        some = self.chance.randrange(400)
        with self.moved:
            self.moved.wait_for(lambda: self.requests >= some, 3)  # Fewer do as well.

    def end(self):
        self.over.set()
        for member in self.members:
            member.close()
        for racer in self.racers:
            racer.join(PATIENCE)


class Racing(StopCase):
    def test_a_stop_in_the_middle_of_everything(self):
        for run in range(RUNS):
            with self.subTest(again=f"STOP_SEED={SEED + run} STOP_RUNS=1"):
                server = self.begin("--grpc", "127.0.0.1:0")
                race = Race(server, SEED + run)
                try:
                    race.run()
                    self.assert_stops(server)
                finally:
                    server.kill()
                    race.end()


if __name__ == "__main__":
    main()
