"""Clients, workers and people of a run. Each writes down what it asked, when, and what it was told.

An operation is what one client wanted, however often it had to ask: from its first call to its last answer. It is `ok` or `no` as
that answer says, or `unknown` if a request broke off, or the engine could not tell, and nobody asked again.
"""

import http.client
import itertools
import json
import queue
import random
import sys
import threading
import time
import traceback
import urllib.parse

import entities
from definitions import BOUND, DEFINITIONS, JOB_TYPES, LATER, PARCEL, STARTED, TICK, counter_of
from world import TOKEN

BUSINESS_KEYS = 6
MODELLED_STEPS = {step["id"] for document in DEFINITIONS for step in document["steps"]}
NOTHING_HAPPENED = {"try-again", "shutting-down", "overloaded", "storage-full"}


class Cut(Exception):
    """The connection broke: nobody knows what became of the request."""


class Unsure(Exception):
    """The engine says that it does not know, or does not say."""


class Busy(Exception):
    """The engine says that nothing happened."""


class Recorder:
    def __init__(self):
        self.lock = threading.Lock()
        self.operations, self.slow, self.failures = [], [], []
        self.numbers, self.answers, self.longest = 0, {}, 0.0

    def marker(self):
        with self.lock:
            self.numbers += 1
            return f"m{self.numbers}"

    def add(self, op):
        with self.lock:
            self.operations.append(op)

    def answered(self, what, wait, call, status):
        took = time.monotonic() - call - wait
        with self.lock:
            self.answers[status] = self.answers.get(status, 0) + 1
            self.longest = max(self.longest, took)
            if took > BOUND:
                self.slow.append({"what": what, "wait": wait, "call": call, "end": time.monotonic(), "status": status})


class Wire:
    """One thread's connection."""

    def __init__(self, recorder, address):
        self.recorder, self.address, self.connection = recorder, address, None

    def close(self):
        if self.connection:
            self.connection.close()
            self.connection = None

    def call(self, method, path, body=None, key=None, wait=0.0, content_type="application/json", headers=()):
        """The answer's status and JSON."""
        call = time.monotonic()
        status = "cut"
        try:
            if not self.connection:
                self.connection = http.client.HTTPConnection(*self.address)
            self.connection.timeout = wait + 2 * BOUND
            if self.connection.sock:
                self.connection.sock.settimeout(wait + 2 * BOUND)
            headers = {"Content-Type": content_type, "Authorization": "Bearer " + TOKEN, **dict(headers)}
            if key:
                headers["Idempotency-Key"] = key
            self.connection.request(method, path, None if body is None else json.dumps(body).encode(), headers)
            response = self.connection.getresponse()
            text = response.read()
            status = response.status
        except TimeoutError:
            status = "silence"
            self.close()
            raise Cut from None
        except (OSError, http.client.HTTPException):
            self.close()
            raise Cut from None
        finally:
            self.recorder.answered(f"{method} {path}", wait, call, status)
        answer = json.loads(text) if text else None
        if status in (429, 503, 507):
            raise Busy if answer.get("error") in NOTHING_HAPPENED else Unsure
        if status >= 500:
            raise Unsure
        return status, answer


class Load:
    """Everybody. `rate` is in starts a second."""

    def __init__(self, seed, recorder, address, rate, nodes=()):
        self.seed, self.recorder, self.address, self.rate, self.nodes = seed, recorder, address, rate, nodes
        self.starting, self.calm, self.over = True, False, False
        # Not SimpleQueue: with two readers its get() has stayed in a wait of 0.1 s for a minute.
        self.chores, self.recent, self.lock = queue.Queue(), [], threading.Lock()
        self.events, self.shelf = queue.Queue(), entities.Shelf()
        self.members = [*(Starter(self, f"starter{n}") for n in range(2)), *(Worker(self, f"worker{n}") for n in range(3)),
                        *(Person(self, f"person{n}") for n in range(2)), *(Sender(self, f"sender{n}") for n in range(2)), Reader(self, "reader"), Watcher(self, "watcher"),
                        *(Writer(self, f"writer{n}") for n in range(3))]

    def deploy(self):
        wire = Wire(self.recorder, self.address)
        for document in [*DEFINITIONS, TICK, PARCEL]:
            status, answer = wire.call("POST", "/v1/definitions", document)
            assert status == 201, answer
        entities.deploy(wire)
        wire.close()

    def wires_to_nodes(self):
        """One connection to each node, past the balancer."""
        return [Wire(self.recorder, address) for address in self.nodes]

    def begin(self):
        for member in self.members:
            member.thread.start()

    def stop_starting(self):
        """Returns when the last start has its answer: what is listed then is all there is."""
        self.starting, self.calm = False, True
        for member in self.members:
            idle = getattr(member, "idle", None)
            if idle and not idle.wait(3 * BOUND) and member.thread.is_alive():
                self.recorder.failures.append(f"{member.name} waits for ever")

    def end(self):
        """Sends everybody home; who does not come is a problem."""
        self.over = True
        for member in self.members:
            member.thread.join(3 * BOUND)
            if member.thread.is_alive():
                frame = sys._current_frames().get(member.thread.ident)
                where = "".join(traceback.format_stack(frame)) if frame else ""
                self.recorder.failures.append(f"{member.name} waits for ever:\n{where}")

    def note(self, instance):
        with self.lock:
            self.recent.append(instance)
            del self.recent[:-40]

    def some_recent(self, chance):
        with self.lock:
            return chance.choice(self.recent) if self.recent else None


class Member:
    def __init__(self, load, name):
        self.load, self.recorder, self.name = load, load.recorder, name
        self.random = random.Random(f"{load.seed} {name}")
        self.wire = Wire(load.recorder, load.address)
        self.thread = threading.Thread(target=self.run, name=name, daemon=True)

    def run(self):
        try:
            while not self.load.over:
                self.turn()
        except Exception:
            self.recorder.failures.append(f"{self.name}: {traceback.format_exc()}")
        finally:
            self.wire.close()

    def chance(self, share):
        return self.random.random() < share

    def pause(self, seconds):
        time.sleep(self.random.expovariate(1 / seconds))

    def send(self, op, path, body, key=None, repeat=True, wait=0.0, wires=None):
        """Asks until there is an answer, or the first time only, over the wires in turn. Writes the operation down; its answer's status and JSON."""
        op.update(client=self.name, call=time.monotonic(), outcome="unknown", tries=0, **{"return": None})
        unsure = False
        turn = itertools.cycle(wires or [self.wire])
        status = answer = None
        while True:
            op["tries"] += 1
            try:
                status, answer = next(turn).call("POST", path, body, key, wait)
                break
            except (Cut, Unsure):
                unsure = True
            except Busy:
                if not repeat and not unsure:
                    op.update(outcome="no", busy=True)
            if not repeat or self.load.over:
                break
            self.pause(0.05)
        if status is not None and 200 <= status < 300:
            op.update(outcome="ok", **{"return": time.monotonic()})
        elif status is not None and not unsure:
            # An earlier attempt may be what this one was refused for, or may still be under way and happen later.
            op.update(outcome="no", **{"return": time.monotonic()})
        elif op["outcome"] == "no":
            op["return"] = time.monotonic()
        return status, answer


class Starter(Member):
    def __init__(self, load, name):
        super().__init__(load, name)
        self.idle = threading.Event()  # It starts nothing any more.

    def turn(self):
        self.pause(2 / self.load.rate)
        if not self.load.starting:
            self.idle.set()
            time.sleep(0.1)
            return
        name = self.random.choice(STARTED)
        marker = self.recorder.marker()
        op = {"op": "start", "definition": name, "marker": marker, "instance": None, "variables": {"tag": marker, "count": 0}}
        body = {"definitionId": name, "variables": op["variables"]}
        if name == "order":
            op["business_key"] = body["businessKey"] = f"key-{self.random.randrange(BUSINESS_KEYS)}"
        key = f"start-{marker}" if self.chance(0.6) else None
        wait = 1 if self.chance(0.1) else 0
        self.recorder.add(op)
        status, answer = self.send(op, "/v1/instances" + (f"?wait={wait}" if wait else ""), body, key, repeat=key is not None, wait=wait)
        if status == 201:
            op["instance"] = answer["id"]
            self.load.note(answer["id"])
            self.give_chores(name, answer["id"])
        elif status is not None and not (status == 409 and name == "order"):
            raise AssertionError(f"{op}: {status} {answer}")

    def give_chores(self, name, instance):
        chores = {"review": [("task", instance, "approve")] * self.random.randint(0, 2), "talk": [("signal", instance, "hear")] * 2,
                  "vote": self.random.choice([["task"], ["cancel"], ["task", "cancel"], ["cancel", "task"], ["task", "task"]])}.get(name, [])
        for chore in chores:
            self.load.chores.put(chore if name != "vote" else (chore, instance, "ballot"))


class Worker(Member):
    def __init__(self, load, name):
        super().__init__(load, name)
        self.done = []               # Results that go with the next poll.
        self.batches = name.endswith("0")

    def turn(self):
        mortal = not self.load.calm and self.chance(0.2)
        wait = self.random.choice([0, 0.5, 2])
        poll = {"jobTypes": JOB_TYPES, "maxJobs": self.random.randint(1, 6), "leaseSeconds": 1 if mortal else 10, "waitSeconds": wait}
        begun = time.monotonic()
        try:
            jobs = self.hand_in(poll, wait) if self.done else self.poll(poll, wait)
        except (Cut, Unsure, Busy):
            self.pause(0.05)
            return
        end = time.monotonic()
        for job in jobs:
            if job["jobType"] not in ("tock", "hand-over"):
                self.recorder.add({"op": "poll", "client": self.name, "call": begun, "return": end, "outcome": "ok", "variables": job["variables"],
                                   **self.about(job)})
        for job in jobs:
            if not (mortal and self.chance(0.3)):
                self.work(job)
        if not wait:
            self.pause(0.1)

    @staticmethod
    def about(job):
        return {"instance": job["instanceId"], "step": job["stepId"], "execution": job["stepExecutionId"], "job": job["id"]}

    def poll(self, poll, wait):
        status, answer = self.wire.call("POST", "/v1/jobs/poll", {"workerId": self.name, **poll}, wait=wait)
        assert status == 200, answer
        return answer["jobs"]

    def hand_in(self, poll, wait):
        """Results and the next poll in one request. What broke off is not handed in again."""
        done, self.done = self.done, []
        call = time.monotonic()
        for op, _ in done:
            op.update(call=call, outcome="unknown", client=self.name, **{"return": None})
            self.recorder.add(op)
        status, answer = self.wire.call("POST", "/v1/jobs/batch", {
            "workerId": self.name, "complete": [{"id": op["job"], "variables": result} for op, result in done], "poll": poll}, wait=wait)
        assert status == 200 and len(answer["completed"]) == len(done), answer
        for (op, _), told in zip(done, answer["completed"]):
            assert told["status"] in (204, 503, 507), told
            if told["status"] == 204:
                op.update(outcome="ok", **{"return": time.monotonic()})
        return answer["jobs"]

    def work(self, job):
        self.pause(0.01)
        if not self.load.calm and self.chance(0.06):
            self.extend(job)
        if job["stepId"] == "try" and self.chance(0.3):
            self.fail(job, retryable=False)
            return
        if not self.load.calm and job["stepId"] in MODELLED_STEPS and self.chance(0.06):  # The others do not try again.
            self.fail(job, retryable=True)
            return
        counter = counter_of(job["stepId"])
        op = {"op": "complete", "marker": self.recorder.marker(), **self.about(job)}
        op["variables"] = {op["marker"]: job["stepId"], counter: job["variables"].get(counter, 0) + 1}
        if self.batches and self.chance(0.7):
            self.done.append((op, op["variables"]))
            return
        self.recorder.add(op)
        key = f"complete-{op['marker']}" if self.chance(0.3) else None
        status, answer = self.send(op, f"/v1/jobs/{job['id']}/complete", {"workerId": self.name, "variables": op["variables"]}, key,
                                   repeat=self.chance(0.8))
        assert status in (None, 204), f"{op}: {status} {answer}"

    def extend(self, job):
        op = {"op": "extend", **self.about(job)}
        self.recorder.add(op)
        status, answer = self.send(op, f"/v1/jobs/{job['id']}/extend", {"workerId": self.name, "leaseSeconds": 5}, repeat=False)
        if status == 204:
            op["outcome"] = "no"
        assert status in (None, 200, 204, 409), f"{op}: {status} {answer}"

    def fail(self, job, retryable):
        op = {"op": "fail", "marker": self.recorder.marker(), "retryable": retryable, **self.about(job)}
        self.recorder.add(op)
        status, answer = self.send(op, f"/v1/jobs/{job['id']}/fail", {
            "workerId": self.name, "errorMessage": op["marker"], "retryable": retryable}, repeat=self.chance(0.8))
        assert status in (None, 204), f"{op}: {status} {answer}"


class Person(Member):
    """Signals, tasks and cancellations. Somebody else, or a timer, may be first."""

    def turn(self):
        try:
            kind, instance, step = self.load.chores.get(timeout=0.1)
        except queue.Empty:
            return
        op = {"op": kind, "marker": self.recorder.marker(), "instance": instance, "step": step}
        op["variables"] = {op["marker"]: step}
        self.recorder.add(op)
        path, body = {"signal": (f"signals/{step}", op["variables"]), "task": (f"user-tasks/{step}/complete", {"variables": op["variables"]}),
                      "cancel": ("cancel", {"reason": op["marker"]})}[kind]
        key = f"{kind}-{op['marker']}" if self.chance(0.5) else None
        status, answer = self.send(op, f"/v1/instances/{instance}/{path}", body, key, repeat=self.chance(0.8))
        assert status in (None, 200, 204, 404, 409), f"{op}: {status} {answer}"
        if status == 404 and "is not open" not in answer["reason"]:
            raise AssertionError(f"an instance that was started is not there: {op} {answer}")


class Sender(Member):
    """Events. What follows the first event of a parcel either sender sends, and some both."""

    def __init__(self, load, name):
        super().__init__(load, name)
        self.idle = threading.Event()

    def turn(self):
        try:
            self.send_event(*self.load.events.get(timeout=0.05))
            return
        except queue.Empty:
            pass
        if not self.load.starting:
            self.idle.set()
            return
        self.pause(6 / self.load.rate)
        parcel = self.recorder.marker()
        self.send_event(parcel, "placed")
        later = [(parcel, name) for name in LATER for _ in range(1 + self.chance(0.2))]
        self.random.shuffle(later)
        for event in later:
            self.load.events.put(event)

    def send_event(self, parcel, name):
        """The same again until it is answered: its source and id are its key."""
        op = {"op": "event", "client": self.name, "parcel": parcel, "event": name, "call": time.monotonic(), "return": None, "outcome": "unknown"}
        self.recorder.add(op)
        event = {"specversion": "1.0", "id": f"{name}-{parcel}", "source": "/shop", "type": name, "data": {"parcel": parcel, name: f"{name} {parcel}"}}
        while not self.load.over:
            try:
                status, answer = self.wire.call("POST", "/v1/events", event, content_type="application/cloudevents+json")
            except (Cut, Unsure, Busy):
                self.pause(0.05)
                continue
            assert status == 202, f"{op}: {status} {answer}"
            told, = answer["events"]
            op.update(outcome="ok", told=told["outcome"], first=told.get("firstOutcome"), instances=[i["id"] for i in told.get("instances", ())],
                      **{"return": time.monotonic()})
            return


class Writer(Member):
    """Writes and reads entities. What had no answer is not sent again."""

    def __init__(self, load, name):
        super().__init__(load, name)
        self.idle = threading.Event()

    def turn(self):
        if not self.load.starting:
            self.idle.set()
            time.sleep(0.1)
            return
        self.pause(1.5 / self.load.rate)
        shelf, entity = self.load.shelf, self.load.shelf.some(self.random)
        try:
            if not entity or self.chance(0.1):
                entities.create(self.wire, self.recorder, self.name, shelf)
            elif self.chance(0.4):
                entities.read(self.wire, self.recorder, self.name, entity, shelf)
            else:
                seen = None if self.chance(0.2) else shelf.some_seen(entity, self.random)
                entities.write(self.wire, self.recorder, self.name, entity, seen, self.random.choice([None, None, "lock", "unlock"]), shelf)
        except (Cut, Unsure, Busy):
            self.pause(0.05)


class Reader(Member):
    def turn(self):
        self.pause(0.5 / self.load.rate)
        instance = self.load.some_recent(self.random)
        if not instance:
            return
        op = {"op": "read", "client": self.name, "instance": instance, "call": time.monotonic(), "outcome": "ok"}
        try:
            status, answer = self.wire.call("GET", f"/v1/instances/{instance}")
        except (Cut, Unsure, Busy):
            self.pause(0.1)
            return
        assert status == 200, f"an instance that was started is not there: {op} {status} {answer}"
        op.update(status=answer["status"], steps=answer["currentStepIds"], variables=answer["variables"], **{"return": time.monotonic()})
        self.recorder.add(op)


class Watcher(Member):
    """Follows the events of one instance after the other, from its first to its last, over as many streams as it takes."""

    def turn(self):
        self.pause(0.2)
        instance = self.load.some_recent(self.random)
        if not instance:
            return
        last, ended = 0, False
        while not ended and not self.load.over:
            try:
                last, ended = self.follow(instance, last)
            except (OSError, http.client.HTTPException):
                self.pause(0.1)

    def follow(self, instance, last):
        connection = http.client.HTTPConnection(*self.load.address, timeout=BOUND)
        try:
            connection.request("GET", f"/v1/instances/{instance}/events", headers={
                "Accept": "text/event-stream", "Authorization": "Bearer " + TOKEN, "Last-Event-ID": str(last)})
            response = connection.getresponse()
            if response.status != 200:
                response.read()
                assert response.status in (429, 503), f"the events of {instance}: {response.status}"
                raise http.client.HTTPException
            for line in response:
                if self.load.over:
                    return last, True
                if line.startswith(b"event: end"):
                    return last, True
                if line.startswith(b"id: "):
                    assert int(line[4:]) == last + 1, f"the events of {instance}: {int(line[4:])} after {last}"
                    last += 1
            return last, False
        finally:
            connection.close()


def all_pages(wire, path, **query):
    cursor = {}
    while True:
        status, page = wire.call("GET", path + "?" + urllib.parse.urlencode({**query, "pageSize": 200, **cursor}))
        assert status == 200, f"{path}: {status} {page}"
        yield from page["items"]
        if "nextCursor" not in page:
            return
        cursor = {"cursor": page["nextCursor"]}
