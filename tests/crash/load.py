"""Clients, workers and people, all at once, who do not know that the engine will be killed.

Each thread has a connection and a random number generator of its own. When its request is cut
off it waits for the engine's next run and then does what real clients do: some repeat the request,
some forget it. Nothing here sleeps: threads block on sockets, on queues, and on Site.
"""

import functools
import http.client
import json
import queue
import random
import threading
import traceback
import urllib.parse
from datetime import datetime

from definitions import DEFINITIONS, JOB_TYPES, LAST_STEPS, STARTED, counter_of
from engine import PATIENCE

BUSINESS_KEYS = 12
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
STARTERS, WORKERS, PEOPLE = 3, 5, 2


class Cut(Exception):
    """The connection broke: nobody knows what became of the request."""


class Stopping(Exception):
    """The engine is about to stop and did nothing."""


class Finished(Exception):
    """The load is over."""


class Site:
    """Where the engine is now. Runs are counted from 1."""

    def __init__(self):
        self.changed = threading.Condition()
        self.run, self.port, self.finished = 0, None, False

    def open(self, port):
        with self.changed:
            self.run, self.port = self.run + 1, port
            self.changed.notify_all()

    def finish(self):
        with self.changed:
            self.finished = True
            self.changed.notify_all()

    def after(self, run):
        """The first run after this one, once it is there."""
        with self.changed:
            if not self.changed.wait_for(lambda: self.finished or self.run > run, PATIENCE):
                raise AssertionError(f"no engine after run {run}")
            if self.finished:
                raise Finished
            return self.run, self.port


class Wire:
    """One thread's connection, made anew in every run of the engine."""

    def __init__(self, site):
        self.site = site
        self.lost, self.run, self.connection = 0, 0, None

    def close(self):
        if self.connection:
            self.connection.close()

    def call(self, method, path, body=None, key=None, content_type="application/json"):
        """The answer's status and JSON. `run` says who gave it."""
        run, port = self.site.after(self.lost)
        if run != self.run:
            self.close()
            self.run, self.connection = run, http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        try:
            status, answer = exchange(self.connection, method, path, body, key, content_type)
        except TimeoutError:
            raise AssertionError(f"no answer to {method} {path}") from None
        except (OSError, http.client.HTTPException):
            self.lost = run
            raise Cut from None
        if status == 503 and answer["error"] == "shutting-down":
            self.lost = run
            raise Stopping
        if status in (429, 500, 503, 507):
            raise AssertionError(f"{method} {path}: {status} {answer}")
        return status, answer


def exchange(connection, method, path, body=None, key=None, content_type="application/json"):
    headers = {"Content-Type": content_type}
    if key:
        headers["Idempotency-Key"] = key
    connection.request(method, path, None if body is None else json.dumps(body).encode(), headers)
    response = connection.getresponse()
    text = response.read()
    return response.status, json.loads(text) if text else None


def all_pages(connection, path, **query):
    """Every item of a list that has cursors."""
    cursor = {}
    while True:
        asked = urllib.parse.urlencode({**query, "pageSize": 200, **cursor})
        status, page = exchange(connection, "GET", f"{path}?{asked}")
        assert status == 200, f"{path}: {status} {page}"
        yield from page["items"]
        if "nextCursor" not in page:
            return
        cursor = {"cursor": page["nextCursor"]}


class Load:
    def __init__(self, seed, in_flight, ledger):
        self.seed, self.in_flight, self.ledger = seed, in_flight, ledger
        self.site = Site()
        self.chores = queue.SimpleQueue()  # (kind, instance, step), None at the end
        self.chores_open = 0
        self.live_changed = threading.Condition()
        self.found_live = []                # How many there were at each resume: in flight when the engine ended.
        self.live = set()                   # Roughly: ended ones may be in it until the next restart.
        self.starting = True
        self.faults = True
        self.failures = []
        self.starters, self.threads = [], []

    # ---- from the test ----

    def deploy(self, port):
        with_connection(port, lambda connection: [self._upload(connection, d) for d in DEFINITIONS])

    def _upload(self, connection, document):
        status, answer = exchange(connection, "POST", "/v1/definitions", document)
        assert status == 201, answer

    def begin(self):
        for role, count in ((Starter, STARTERS), (Worker, WORKERS), (Person, PEOPLE)):
            for number in range(count):
                member = role(self, f"{role.__name__.lower()}-{number}")
                thread = threading.Thread(target=member.run, name=member.name, daemon=True)
                self.threads.append(thread)
                if role is Starter:
                    self.starters.append(thread)
        for thread in self.threads:
            thread.start()

    def resume(self, port):
        """Lets everybody at a new run of the engine, after a look at what is alive in it: some of
        those instances nobody knows of, as the answer to their start was cut off."""
        live = with_connection(port, list_live)
        holders = [(i["definitionId"], i["businessKey"]) for i in live if "businessKey" in i]
        assert len(holders) == len(set(holders)), f"live instances share a business key: {sorted(holders)}"
        self.found_live.append(len(live))
        for instance in live:
            self._give_chores(instance)
        with self.live_changed:
            self.live = {instance["id"] for instance in live}
        self.site.open(port)

    def await_flight(self, count):
        """Returns when that many instances are under way, or something is wrong."""
        with self.live_changed:
            if not self.live_changed.wait_for(lambda: len(self.live) >= count or self.failures, PATIENCE):
                raise AssertionError(f"only {len(self.live)} instances are under way")

    def _give_chores(self, instance):
        waiting = instance["currentStepIds"]
        if "ballot" in waiting:
            self.give_chore("task", instance["id"], "ballot")
        if "w" in waiting and instance["variables"].get("note_count"):
            self.give_chore("signal", instance["id"], "w")

    def drain(self, port):
        """No more starts and faults; returns when every instance has ended."""
        self.starting = self.faults = False
        self.ended(None)
        self.resume(port)
        join(self.starters)
        while True:
            self._await_chores()
            live = with_connection(port, list_live)
            if not live:
                return
            for instance in live:
                with_connection(port, lambda connection: self._await_end(connection, instance))

    def _await_chores(self):
        with self.live_changed:
            if not self.live_changed.wait_for(lambda: self.chores_open == 0, PATIENCE):
                raise AssertionError(f"{self.chores_open} chores are not run: {self.failures}")

    def _await_end(self, connection, instance):
        connection.request("GET", f"/v1/instances/{instance['id']}/events")
        try:
            connection.getresponse().read()
        except TimeoutError:
            _, now = with_connection(connection.port, lambda other: exchange(
                other, "GET", f"/v1/instances/{instance['id']}/explain"))
            raise AssertionError(f"never ended, with everybody at work: {now} {self.failures}") from None

    def finish(self):
        """Sends everybody home."""
        self.starting = False
        self.site.finish()
        self.ended(None)
        for _ in range(PEOPLE):
            self.chores.put(None)

    def join(self):
        join(self.threads)
        self.raise_failures()

    def raise_failures(self):
        assert not self.failures, "\n".join(self.failures)

    # ---- from the threads ----

    def await_room(self):
        with self.live_changed:
            if not self.live_changed.wait_for(lambda: len(self.live) < self.in_flight or not self.starting, PATIENCE):
                raise AssertionError(f"{len(self.live)} instances do not go on")
            if not self.starting:
                raise Finished

    def started(self, instance):
        with self.live_changed:
            self.live.add(instance)
            self.live_changed.notify_all()

    def ended(self, instance):
        with self.live_changed:
            self.live.discard(instance)
            self.live_changed.notify_all()

    def give_chore(self, kind, instance, step):
        with self.live_changed:
            self.chores_open += 1
        self.chores.put((kind, instance, step))

    def chore_done(self):
        with self.live_changed:
            self.chores_open -= 1
            self.live_changed.notify_all()

    def failed(self, name):
        """A thread has seen something wrong. The engine's death, now, lets the test see it too."""
        with self.live_changed:
            self.failures.append(f"{name}: {traceback.format_exc()}")
            self.live_changed.notify_all()
        self.ledger.fire()


def join(threads):
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive(), f"{thread.name} hangs"


def with_connection(port, action):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        return action(connection)
    finally:
        connection.close()


def list_live(connection):
    return [i for status in ("ACTIVE", "WAITING") for i in all_pages(connection, "/v1/instances", status=status)]


class Member:
    """A thread of the load."""

    def __init__(self, load, name):
        self.load, self.ledger, self.name = load, load.ledger, name
        self.random = random.Random(f"{load.seed} {name}")
        self.wire = Wire(load.site)

    def run(self):
        try:
            while True:
                self.turn()
        except Finished:
            pass
        except Exception:
            self.load.failed(self.name)
        finally:
            self.wire.close()

    def chance(self, share):
        return self.random.random() < share

    def send(self, entry, path, body, repeat):
        """Sends it, again after a crash if asked to; the answer's status and JSON, or (None, None)."""
        while True:
            try:
                entry.sent += 1
                status, answer = self.wire.call("POST", path, body, entry.key)
            except Cut:
                entry.cut += 1
            except Stopping:
                pass
            else:
                self.ledger.answered(entry, status, self.wire.run)
                return status, answer
            if not repeat:
                return None, None

    def unexpected(self, entry, answer):
        raise AssertionError(f"{entry}: {answer}")


class Starter(Member):
    def turn(self):
        self.load.await_room()
        name = self.random.choice(STARTED)
        entry = self.ledger.begin("start", definition=name)
        body = {"definitionId": name, "variables": {"tag": entry.marker, "count": 0}}
        if name == "order":
            entry.business_key = f"key-{self.random.randrange(BUSINESS_KEYS)}"
        elif name == "relay":
            entry.business_key = f"only-{entry.marker}"
        if entry.business_key:
            body["businessKey"] = entry.business_key
        if name == "risky":
            body["variables"]["doomed"] = self.chance(0.5)
        if self.chance(0.5):
            entry.key = f"start-{entry.marker}"
        # Without a key a repeated start would be a second instance.
        status, answer = self.send(entry, "/v1/instances", body, repeat=entry.key is not None)
        if status == 201:
            entry.instance = answer["id"]
            self.load.started(answer["id"])
            self._give_chores(name, answer["id"])
        elif status not in (None, 409) or (status == 409 and name != "order"):
            self.unexpected(entry, answer)

    def _give_chores(self, name, instance):
        chores = []
        if name == "review" and self.chance(0.6):
            chores.append(("task", instance, "approve"))
        if name == "vote":
            chores = [("task", instance, "ballot"), ("cancel", instance, "")]
            self.random.shuffle(chores)
            chores = chores[:self.random.randint(1, 2)]
        for chore in chores:
            self.load.give_chore(*chore)


def job_of(text):
    """The job that an id names, without the number of the delivery: its last eight bits."""
    return functools.reduce(lambda number, digit: number << 5 | CROCKFORD.index(digit), text, 0) >> 8


class Worker(Member):
    """Takes jobs and mostly does them."""

    def __init__(self, load, name):
        super().__init__(load, name)
        self.lives = 1
        self.mortal = False
        self.taken_in = 0
        self.handed_in = []  # Results that go with the next poll: (entry, item).
        self.late = []       # Jobs that take long, maybe longer than their lease or the engine: (run, job).
        self.batches = name.endswith("-0")

    @property
    def worker_id(self):
        return f"{self.name}/{self.lives}"

    def turn(self):
        # Who may die holds leases that run out soon.
        self.mortal = self.load.faults and self.chance(0.3)
        poll = {"jobTypes": JOB_TYPES, "maxJobs": self.random.randint(1, 8),
                "leaseSeconds": 0.5 if self.mortal else 30, "waitSeconds": 0 if self.chance(0.1) else 0.5}
        try:
            jobs = self._hand_in_and_poll(poll) if self.handed_in else self._poll(poll)
        except (Cut, Stopping):
            return
        polled_in = self.wire.run  # The engine may be killed while a late job is worked on.
        if self.late and self.chance(0.3):
            self.taken_in, job = self.late.pop(0)
            self._work_on(job)
        self.taken_in = polled_in
        for job in jobs:
            if self.mortal and self.chance(0.1):
                self.lives += 1
                self.late.clear()
                return
            if self.load.faults and self.chance(0.05):
                self.late.append((self.taken_in, job))
            else:
                self._work_on(job)

    def _poll(self, poll):
        status, answer = self.wire.call("POST", "/v1/jobs/poll", {"workerId": self.worker_id, **poll})
        assert status == 200, answer
        return answer["jobs"]

    def _hand_in_and_poll(self, poll):
        """The same with /v1/jobs/batch. Results that were cut off are not handed in again."""
        handed_in, self.handed_in = self.handed_in, []
        for entry, _ in handed_in:
            entry.sent += 1
        try:
            status, answer = self.wire.call("POST", "/v1/jobs/batch", {
                "workerId": self.worker_id, "complete": [item for _, item in handed_in], "poll": poll})
        except Cut:
            for entry, _ in handed_in:
                entry.cut += 1
            raise
        assert status == 200 and len(answer["completed"]) == len(handed_in), answer
        for (entry, item), told in zip(handed_in, answer["completed"]):
            assert told == {"id": item["id"], "status": 204}, told
            self.ledger.answered(entry, 204, self.wire.run)
            self._follow(entry, item["variables"])
        return answer["jobs"]

    def _entry(self, kind, job, **more):
        return self.ledger.begin(kind, instance=job["instanceId"], step=job["stepId"],
                                 execution=job["stepExecutionId"], job=job_of(job["id"]), taken_in=self.taken_in,
                                 lease_ends=datetime.fromisoformat(job["lockExpiresAt"]).timestamp(), **more)

    def _work_on(self, job):
        doomed = job["variables"].get("doomed", False)
        if doomed or (self.load.faults and self.chance(0.1)):
            self._fail(job, retryable=not doomed)
            return
        counter = counter_of(job["stepId"])
        entry = self._entry("complete", job)
        result = {entry.marker: job["stepId"], counter: job["variables"].get(counter, 0) + 1}
        if self.batches and not self.mortal:
            self.handed_in.append((entry, {"id": job["id"], "variables": result}))
            return
        if self.chance(0.2):
            entry.key = f"complete-{entry.marker}"
        status, answer = self._call_back(entry, job, "complete", {"variables": result})
        if status not in (None, 204):
            self.unexpected(entry, answer)
        if status == 204:
            self._follow(entry, result)
        if status == 204 and self.chance(0.1):
            self._say_something_else(job, result)

    def _call_back(self, entry, job, verb, body):
        return self.send(entry, f"/v1/jobs/{job['id']}/{verb}", {"workerId": self.worker_id, **body},
                         repeat=self.chance(0.8))

    def _say_something_else(self, job, result):
        """A second result for the same job: told 204, and ignored."""
        entry = self._entry("complete", job)
        entry.lease_ends = 0.0
        status, answer = self._call_back(entry, job, "complete", {"variables": {**result, entry.marker: "again"}})
        if status not in (None, 204):
            self.unexpected(entry, answer)

    def _fail(self, job, retryable):
        entry = self._entry("fail", job, retryable=retryable)
        status, answer = self._call_back(entry, job, "fail", {"errorMessage": entry.marker, "retryable": retryable})
        if status not in (None, 204):
            self.unexpected(entry, answer)
        if status == 204 and not retryable:
            self.load.ended(job["instanceId"])
            if self.load.faults and self.chance(0.6):
                self.load.give_chore("retry", job["instanceId"], job["stepId"])

    def _follow(self, entry, result):
        if entry.step == "note":
            self.load.give_chore("signal", entry.instance, "w")
        if entry.step in LAST_STEPS or (entry.step == "turn" and result["count"] == 3):
            self.load.ended(entry.instance)


class Person(Member):
    """Runs chores: signals, tasks, cancellations and retries. Somebody else, or a timer, may
    have been first, so a refusal is no surprise; afterwards the books must agree."""

    def turn(self):
        chore = self.load.chores.get()
        if not chore:
            raise Finished
        try:
            self._run(*chore)
        finally:
            self.load.chore_done()

    def _run(self, kind, instance, step):
        if kind == "signal" and not self._noted(instance):
            return
        entry = self.ledger.begin(kind, instance=instance, step=step)
        if self.chance(0.3):
            entry.key = f"{kind}-{entry.marker}"
        path, body = {
            "signal": (f"signals/{step}", {entry.marker: step}),
            "task": (f"user-tasks/{step}/complete", {"variables": {entry.marker: step}}),
            "cancel": ("cancel", {"reason": entry.marker}),
            "retry": (f"steps/{step}/retry", {"variables": {entry.marker: step, "doomed": False}}),
        }[kind]
        status, answer = self.send(entry, f"/v1/instances/{instance}/{path}", body, repeat=self.chance(0.8))
        if status not in (None, 200, 204, 404, 409):
            self.unexpected(entry, answer)
        if kind in ("task", "cancel") and status in (200, 204) and step != "approve":
            self.load.ended(instance)

    def _noted(self, instance):
        """Is the job done that must come before the signal? If its worker was told 204 for a lost
        lease it is not, and who has it now will send somebody."""
        while True:
            try:
                status, answer = self.wire.call("GET", f"/v1/instances/{instance}")
            except (Cut, Stopping):
                continue
            assert status == 200, answer
            return "note_count" in answer["variables"]
