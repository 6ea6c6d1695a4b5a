"""Holds the engine's books against the clients' ledger, when all is done.

 1. Nothing acknowledged is lost: instances, results, signals, decisions, cancellations.
 2. Nothing happened that nobody asked for, and nothing twice: one verdict for each visit, one
    instance for each start, one child for each parent, one firing for each timer.
 3. History is in order: visits count up by one, revisions too, and time does not run backwards.
 4. Everything has ended, and where it did not end well the ledger knows why.
"""

import collections
import itertools
import json

from definitions import counter_of
from load import all_pages, exchange, with_connection

DONE, BROKEN, OPEN = "COMPLETED", "FAILED", "RUNNING"
ANSWERED_OUTSIDE = {"SERVICE_TASK", "USER_TASK", "WAIT"}

# How a history may look: definition and final status to the visits, in any order.
SHAPES = {
    ("order", DONE): ["a b c end"],
    ("leg", DONE): ["finish end"],
    ("relay", DONE): ["run end"],
    ("circle", DONE): ["turn more turn more turn more end"],
    ("split", DONE): ["fork left left2 right join after end"],
    ("nudge", DONE): ["w note last end"],
    ("review", DONE): ["approve file end", "approve! late end"],
    ("vote", DONE): ["ballot end"],
    ("vote", "CANCELLED"): ["ballot!"],
    ("risky", DONE): ["try end", "try! try end"],
    ("risky", BROKEN): ["try!"],
}
MARKS = {DONE: "", BROKEN: "!", OPEN: "?"}


class Book:
    """All the engine knows of one instance."""

    def __init__(self, connection, instance):
        self.instance = instance
        self.id, self.variables = instance["id"], instance["variables"]
        self.definition, self.status = instance["definitionId"], instance["status"]
        status, history = exchange(connection, "GET", f"/v1/instances/{self.id}/history")
        assert status == 200, history
        self.visits = history["items"]
        self.events = read_events(connection, self.id)

    def __str__(self):
        visits = " ".join(f"{v['stepId']}#{v['attemptNumber']}{MARKS[v['status']]}" for v in self.visits)
        return f"{self.definition} {self.id} {self.status} [{visits}] {json.dumps(self.variables)}"


def read_events(connection, instance):
    """The events of an instance that has ended, as (name, data)."""
    connection.request("GET", f"/v1/instances/{instance}/events")
    response = connection.getresponse()
    assert response.status == 200, response.status
    events = []
    for block in response.read().decode().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n") if line and not line.startswith(":"))
        if fields:
            events.append((fields["event"], json.loads(fields["data"])))
    return events


def read_books(port):
    def read(connection):
        listed = list(all_pages(connection, "/v1/instances"))
        return {instance["id"]: Book(connection, instance) for instance in listed}
    return with_connection(port, read)


class Checker:
    def __init__(self, ledger, port):
        self.ledger, self.port = ledger, port
        self.problems = []
        self.books = read_books(port)
        self.by_marker = {entry.marker: entry for entry in ledger.entries}
        self.by_instance = collections.defaultdict(list)
        for entry in ledger.entries:
            if entry.instance:
                self.by_instance[entry.instance].append(entry)

    def run(self, graceful):
        """The problems found, as sentences. A graceful stop, which is no crash, owes an answer for
        everything that was done."""
        self.check_starts()
        self.check_children()
        self.check_business_keys()
        self.check_nothing_is_open()
        if graceful:
            self.check_nothing_was_done_in_secret()
        for book in self.books.values():
            self.check_order(book)
            self.check_ending(book)
            self.check_markers(book)
            self.check_counters(book)
            self.check_failures(book)
            self.check_timers(book)
        return self.problems

    def expect(self, truth, sentence, *about):
        if not truth:
            self.problems.append(sentence + "".join(f"\n    {item}" for item in about))

    # ---- across instances ----

    def check_starts(self):
        found = collections.defaultdict(list)
        for book in self.books.values():
            if book.definition != "leg":
                found[book.variables.get("tag")].append(book)
        for entry in self.ledger.of("start"):
            books = found.pop(entry.marker, [])
            self.expect(len(books) <= 1, "one start, several instances", entry, *books)
            self.expect(books or not entry.acked, "an acknowledged start is lost", entry)
            self.expect(entry.possible or not books, "a refused start left an instance", entry, *books)
            for book in books:
                self.expect(book.definition == entry.definition, "an instance of another definition", entry, book)
                self.expect(not entry.acked or book.id == entry.instance, "another id than was told", entry, book)
                self.expect(book.instance.get("businessKey", "") == entry.business_key,
                            "another business key", entry, book)
        self.expect(not found, "instances that nobody started", *itertools.chain(*found.values()))

    def check_children(self):
        parents = {b.variables["tag"]: b for b in self.books.values() if b.definition == "relay" and b.status == DONE}
        children = collections.defaultdict(list)
        for book in self.books.values():
            if book.definition == "leg":
                children[book.variables["tag"]].append(book)
        for tag in parents.keys() | children.keys():
            parent, legs = parents.get(tag), children[tag]
            self.expect(parent and len(legs) == 1, f"{len(legs)} children of one parent", parent, *legs)
            for leg in legs if parent else ():
                inherited = {name: leg.variables.get(name) for name in parent.variables if name != "count"}
                self.expect(inherited == {n: v for n, v in parent.variables.items() if n != "count"},
                            "a child without its parent's variables", parent, leg)
                self.expect(leg.instance["businessKey"] == parent.instance["businessKey"], "another business key", leg)

    def check_business_keys(self):
        holders = collections.defaultdict(list)
        for book in self.books.values():
            if "businessKey" in book.instance:
                holders[book.definition, book.instance["businessKey"]].append(book)
        for books in holders.values():
            books.sort(key=lambda book: book.id)  # As they were started.
            for one, other in itertools.pairwise(books):
                self.expect(one.instance.get("completedAt", "never") <= other.instance["startedAt"],
                            "two live instances had the same business key", one, other)

    def check_nothing_is_open(self):
        for path in ("/v1/jobs", "/v1/user-tasks"):
            left = with_connection(self.port, lambda connection: list(all_pages(connection, path)))
            self.expect(not left, f"{path} still has", *left)

    def check_nothing_was_done_in_secret(self):
        """What was cut off did not happen. (What was sent again later tells nothing.)"""
        written = {name for book in self.books.values() for name in (*book.variables, book.variables["tag"])}
        for entry in self.ledger.entries:
            self.expect(not (entry.cut and entry.sent == 1) or entry.marker not in written,
                        "done, and its answer was withheld", entry)

    # ---- one instance ----

    def check_order(self, book):
        ids = [visit["id"] for visit in book.visits]
        self.expect(len(ids) == len(set(ids)), "a visit is there twice", book)
        attempts = collections.Counter()
        for visit in book.visits:
            attempts[visit["stepId"]] += 1
            self.expect(visit["attemptNumber"] == attempts[visit["stepId"]], "visits do not count up by one", book)
            self.expect(visit["endedAt"] is None or visit["startedAt"] <= visit["endedAt"],
                        "a visit of negative length", book, visit)
        times = [book.instance["startedAt"], *(visit["startedAt"] for visit in book.visits)]
        self.expect(times == sorted(times), "visits are not in order of time", book, times)
        *events, (last, _) = book.events
        self.expect(last == "end", "the events do not say that it ended", book)
        self.expect([data["revision"] for _, data in events] == list(range(1, len(events) + 1)),
                    "revisions do not count up by one", book, [data["revision"] for _, data in events])
        times = [data["at"] for _, data in events]
        self.expect(times == sorted(times), "events are not in order of time", book, times)
        self.expect(events[0][0] == "start" and [name for name, _ in events].count("start") == 1, "not one start", book)

    def check_ending(self, book):
        shapes = [sorted(shape.split()) for shape in SHAPES.get((book.definition, book.status), [])]
        visits = sorted(visit["stepId"] + MARKS[visit["status"]] for visit in book.visits)
        self.expect(visits in shapes, "a history that cannot be", book)
        cancels = [e for e in self.by_instance[book.id] if e.kind == "cancel"]
        if book.status == "CANCELLED":
            self.expect(any(e.possible and e.marker == book.instance["failureReason"] for e in cancels),
                        "cancelled, and nobody did it", book, *cancels)
        self.expect(book.status == "CANCELLED" or not any(e.acked for e in cancels),
                    "an acknowledged cancellation is lost", book, *cancels)
        if book.status == BROKEN:
            reason = self.by_marker.get(book.instance.get("failureReason"))
            self.expect(reason and reason.kind == "fail" and reason.possible and reason.instance == book.id and
                        not reason.retryable, "failed, and nobody knows why", book, reason)

    def check_markers(self, book):
        """Each answer from outside left its marker; each visit has one."""
        own = [e for e in self.by_instance[book.id] if e.kind in ("complete", "signal", "task", "retry")]
        there = {e.marker for e in own if e.marker in book.variables}
        for entry in own:
            self.expect(entry.marker in there or not entry.binding(self.by_instance[book.id]),
                        f"an acknowledged {entry.kind} is lost", entry, book)
            self.expect(entry.possible or entry.marker not in there,
                        f"a refused {entry.kind} took effect", entry, book)
        if book.definition != "leg":  # Which has its parent's too.
            strange = [n for n in book.variables if n in self.by_marker and n not in there]
            self.expect(not strange, "results of somebody else", book, strange)
        answers = [e for e in own if e.marker in there and e.kind != "retry"]
        visited = collections.Counter(v["stepId"] for v in book.visits
                                      if v["stepType"] in ANSWERED_OUTSIDE and v["status"] == DONE)
        answered = collections.Counter(e.step for e in answers)
        self.expect(visited == answered, "not one verdict for each visit", book, *answers)
        self.check_results(book, [e for e in answers if e.kind == "complete"])

    def check_results(self, book, answers):
        by_execution = {e.execution: e for e in answers}
        for visit in book.visits:
            if visit["stepType"] == "SERVICE_TASK" and visit["status"] == DONE:
                entry = by_execution.get(visit["id"])
                output = visit["outputSnapshot"] or {}
                self.expect(entry and entry.marker in output, "a visit without its result", book, visit, entry)

    def check_counters(self, book):
        """Workers added one to what the job told them: a lost or a doubled step would show."""
        if book.status != DONE:
            return
        counts = collections.Counter(counter_of(v["stepId"]) for v in book.visits
                                     if v["stepType"] == "SERVICE_TASK" and v["status"] == DONE)
        counts["count"] += book.definition == "leg"  # Its parent's one.
        for name, count in counts.items():
            self.expect(book.variables.get(name) == count, f"{name} should be {count}", book)

    def check_failures(self, book):
        """Failed attempts are in the events, each once."""
        told = collections.Counter(entry["text"] for name, data in book.events if name == "fail_job"
                                   for entry in data["entries"] if entry["kind"] == "job_close")
        for entry in self.by_instance[book.id]:
            if entry.kind == "fail":
                count = told.pop(entry.marker, 0)
                self.expect(count == 1 or (count == 0 and not entry.binding(self.by_instance[book.id])),
                            f"a failure counted {count} times", entry, book)
        self.expect(not told, "failures that nobody reported", book, told)

    def check_timers(self, book):
        fired = [name for name, _ in book.events].count("fire_timer")
        due = sum(visit["stepId"] in ("note", "late") for visit in book.visits)
        self.expect(fired == due and due <= 1, f"{due} visits by timer, {fired} firings", book)
