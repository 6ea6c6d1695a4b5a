"""What must hold for a whole history: each instance by itself (linear.py with model.py), and all of them together.

A history is what the clients saw (`operations`, `slow`: requests that were answered late) and what the engine's books
say in the end (`books`: for each instance its last read, its visits and its events; `left`: jobs and tasks that are still open).
"""

import collections
import dataclasses
import datetime
import itertools
import re

import entities
import linear
import model
import twins
import vault
from definitions import BOUND, BY_NAME, UNMODELLED, counter_of

LAST_STEPS = {"c", "finish", "run", "turn", "after", "woke", "never", "say", "file", "late", "ballot", "try", "tock"}
SHOWN_MAX = 8
SILENT_FAULTS = ("stop", "no-clients", "lost-bytes", "no-balancer")
TIME_DIGITS = 10
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


@dataclasses.dataclass
class History:
    operations: list
    books: dict                      # Instance to {"instance", "visits", "events"}.
    notes: dict = dataclasses.field(default_factory=dict)  # Entity to its last read.
    entities: list | None = None     # (entity, whose write was the last) of all that are listed in the end.
    secrets: list = dataclasses.field(default_factory=list)  # What each node says about each secret in the end.
    hooks: list = dataclasses.field(default_factory=list)  # The same about each address of a webhook.
    left: list = dataclasses.field(default_factory=list)
    slow: list = dataclasses.field(default_factory=list)
    skew: float = 0.0                # Seconds between the clocks of nodes.
    faults: list = dataclasses.field(default_factory=list)  # (name, node, begin, end)


@dataclasses.dataclass
class Verdict:
    problems: list
    checked: int = 0                 # Instances that were put in order.
    undecided: int = 0


def judge(history):
    verdict = Verdict([])
    for rule in (starts, business_keys, children, slots, events, results, firings, revisions, ends, waits, twins.same_answers, twins.strangers):
        found = list(rule(history))
        verdict.problems += found[:SHOWN_MAX]
        if len(found) > SHOWN_MAX:
            verdict.problems.append(f"and {len(found) - SHOWN_MAX} more of this kind")
    linearise(history, verdict)
    linearise_entities(history, verdict)
    vault.linearise(history.operations, history.secrets, verdict)
    twins.linearise(history.operations, history.hooks, verdict)
    return verdict


# ---- one instance ----


def linearise(history, verdict):
    """Each instance that somebody started: the clients' operations on it, and the last read behind all of them."""
    started = {op["instance"]: op for op in history.operations if op["op"] == "start" and op.get("instance")}
    by_marker = {op["marker"]: op for op in history.operations if op["op"] == "start"}
    by_instance = collections.defaultdict(list)
    for op in history.operations:
        if op["op"] != "start" and op.get("instance"):
            by_instance[op["instance"]].append(op)
    for name, book in history.books.items():
        start = started.get(name) or by_marker.get(book["instance"]["variables"].get("tag"))
        if not start or book["instance"]["definitionId"] not in (start["definition"],):
            continue
        try:
            why = linear.check(list(operations_of(history, book, start, by_instance[name])), model.apply)
        except linear.Undecided:
            verdict.undecided += 1
            continue
        except KeyError as missing:
            why = f"a job of the visit {missing} was handed out, and the instance's history does not have it"
        verdict.checked += 1
        if why:
            verdict.problems.append(f"instance {name}: {why}")


def linearise_entities(history, verdict):
    """Each entity whose creation was answered: what the clients did with it, and the last read behind all of that."""
    by_entity = collections.defaultdict(list)
    for op in history.operations:
        if op["op"] in ("create", "write", "see") and op.get("entity") and not (op["op"] == "see" and op["outcome"] == "unknown"):
            by_entity[op["entity"]].append(op)
    for entity, operations in by_entity.items():
        last = max(op["return"] or op["call"] for op in operations)
        seen = history.notes[entity]
        operations.append({"op": "see", "client": "the end", **seen, "call": last + 1, "return": last + 2, "outcome": "ok"})
        linear.judge(f"entity {entity}", operations, entities.apply, verdict)


def operations_of(history, book, start, others):
    yield start
    visits = {visit["id"]: visit["attemptNumber"] for visit in book["visits"]}
    jobs = collections.defaultdict(set)
    for op in others:
        if "execution" in op:
            jobs[op["execution"]].add(job_number(op["job"]))
    last = start["return"] or start["call"]
    for op in others:
        last = max(last, op["return"] or op["call"])
        if "execution" in op:
            # Only a job that somebody knows can fail, so the ones that were seen are all but perhaps the last.
            attempt = sorted(jobs[op["execution"]]).index(job_number(op["job"]))
            op = {**op, "visit": visits[op["execution"]], "attempt": attempt}
        # A refused job request, and a lease that was not extended, say nothing. A refused signal, task or cancellation does.
        if op["outcome"] == "no" and op["op"] in ("complete", "fail", "extend"):
            continue
        if op["outcome"] == "unknown" and op["op"] in ("read", "poll", "extend"):
            continue
        yield op
    for step in BY_NAME[start["definition"]]["steps"]:
        for timer in step.get("boundaryEvents", ()):
            seconds = float(re.fullmatch(r"PT([0-9.]+)S", timer["duration"])[1])
            yield {"op": "fire", "step": step["id"], "call": start["call"] + seconds - history.skew, "return": None, "outcome": "unknown"}
    seen = book["instance"]
    yield {"op": "read", "client": "the end", "status": seen["status"], "steps": seen["currentStepIds"],
           "variables": seen["variables"], "call": last + 1, "return": last + 2, "outcome": "ok"}


def job_number(text):
    """The job that an id names, without the number of the delivery: its last eight bits. Nor does the time count with which
    an id begins: nodes have clocks of their own."""
    number = 0
    for digit in text[TIME_DIGITS:]:
        number = number << 5 | CROCKFORD.index(digit)
    return number >> 8


# ---- all of them ----


def starts(history):
    """Nothing acknowledged is lost, one instance for each start and each key, and none that nobody started."""
    found = collections.defaultdict(list)
    for name, book in history.books.items():
        if book["instance"]["definitionId"] not in ("leg", *UNMODELLED):
            found[book["instance"]["variables"].get("tag")].append(name)
    for op in (op for op in history.operations if op["op"] == "start"):
        names = found.pop(op["marker"], [])
        if len(names) > 1:
            yield f"one start, several instances: {linear.describe(op)}: {names}"
        if op["outcome"] == "ok" and op["instance"] not in names:
            yield f"an acknowledged start is lost: {linear.describe(op)}: told {op['instance']}, found {names or 'nothing'}"
        if op["outcome"] == "no" and names:
            yield f"a refused start left an instance: {linear.describe(op)}: {names}"
    for tag, names in found.items():
        yield f"instances that nobody started: {tag}: {names}"


def sure_life(op, enders):
    """From the answer to its start to the first request that may have ended it."""
    calls = [end["call"] for end in enders.get(op["instance"], ())]
    return op["return"], min(calls, default=float("inf"))


def business_keys(history):
    enders = collections.defaultdict(list)
    for op in history.operations:
        if op["op"] in ("cancel", "fail") or (op["op"] in ("complete", "task") and op["step"] in LAST_STEPS):
            enders[op["instance"]].append(op)
    holders = collections.defaultdict(list)
    for op in history.operations:
        if op["op"] == "start" and op["outcome"] == "ok" and op.get("business_key"):
            holders[op["definition"], op["business_key"]].append((sure_life(op, enders), op["instance"]))
    for (definition, key), lives in holders.items():
        # An answer may come long after the start, but an instance that lives when another's start is answered, and both end later…
        for (one, name), (other, second) in itertools.combinations(sorted(lives), 2):
            if name != second and max(one[0], other[0]) < min(one[1], other[1]):
                yield f"{definition} {key}: {name} and {second} lived at the same time, from {max(one[0], other[0]):.3f} to {min(one[1], other[1]):.3f}"


def children(history):
    legs = collections.defaultdict(list)
    parents = {}
    for name, book in history.books.items():
        seen = book["instance"]
        if seen["definitionId"] == "leg":
            legs[seen["variables"].get("tag")].append(name)
        elif seen["definitionId"] == "relay" and seen["status"] == model.DONE:
            parents[seen["variables"].get("tag")] = name
    for tag in parents.keys() | legs.keys():
        if tag not in parents or len(legs[tag]) != 1:
            yield f"{len(legs[tag])} children of one parent: {parents.get(tag)}: {legs[tag]}"


def slots(history):
    """No slot of a schedule fires twice."""
    fired = collections.defaultdict(list)
    for name, book in history.books.items():
        if book["instance"]["definitionId"] == "tick":
            fired[book["instance"]["variables"]["trigger"]["scheduled_for"]].append(name)
    for slot, names in fired.items():
        if len(names) > 1:
            yield f"the slot {slot} fired {len(names)} times: {names}"


def events(history):
    """An event counts once, however often it is sent; the first of a parcel starts one instance, and the others reach it."""
    parcels = collections.defaultdict(list)
    for name, book in history.books.items():
        if book["instance"]["definitionId"] == "parcel":
            parcels[book["instance"].get("correlation")].append(name)
    sent = collections.defaultdict(list)
    for op in history.operations:
        if op["op"] == "event":
            sent[op["parcel"], op["event"]].append(op)
    for (parcel, name), ops in sent.items():
        wanted = "started" if name == "placed" else "delivered"
        answers = [op for op in ops if op["outcome"] == "ok"]
        fresh = [op for op in answers if op["told"] != "duplicate"]
        if len(fresh) > 1:
            yield f"the event {name} of {parcel} counted {len(fresh)} times: {[op['instances'] for op in fresh]}"
        for op in answers:
            if (op["told"] if op["told"] != "duplicate" else op["first"]) != wanted:
                yield f"the event {name} of {parcel} was not {wanted}: {op['told']} {op['first']}, asked at {op['call']:.3f}"
        found = parcels[parcel]
        if name == "placed" and (len(found) > 1 or (answers and not found)):
            yield f"the event {name} of {parcel} has {len(found)} instances: {found}"
        for instance in found if answers else ():
            seen = history.books[instance]["instance"]
            if seen["status"] == model.DONE and seen.get("output", {}).get(name) != f"{name} {parcel}":
                yield f"{instance} has ended without the event {name} of {parcel}: {seen.get('output')}"
    for parcel in parcels.keys() - {parcel for parcel, _ in sent}:
        yield f"instances of an event that nobody sent: {parcel}: {parcels[parcel]}"


def results(history):
    """One result for each visit of a job, and each counted once."""
    for name, book in history.books.items():
        seen = book["instance"]
        if seen["status"] != model.DONE or seen["definitionId"] in ("leg", *UNMODELLED):
            continue
        counts = collections.Counter(counter_of(visit["stepId"]) for visit in book["visits"]
                                     if visit["stepType"] == "SERVICE_TASK" and visit["status"] == model.DONE)
        for counter, count in counts.items():
            if seen["variables"].get(counter) != count:
                yield f"{name}: {counter} should be {count}: {seen['variables']}"


def firings(history):
    """A timer fires at most once, and not before its time."""
    for name, book in history.books.items():
        fired = [data for kind, data in book["events"] if kind == "fire_timer"]
        if len(fired) > 1:
            yield f"{name}: {len(fired)} firings of one timer"
        for data in fired:
            steps = BY_NAME.get(book["instance"]["definitionId"], {"steps": ()})["steps"]
            timed = next((s for s in steps if "boundaryEvents" in s), None)
            if timed:
                seconds = float(timed["boundaryEvents"][0]["duration"][2:-1])
                passed = moment(data["at"]) - moment(book["instance"]["startedAt"])
                if passed < seconds - history.skew - 0.001:
                    yield f"{name}: the timer of {seconds} s fired after {passed:.3f} s"


def moment(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def revisions(history):
    """The events of an instance count up by one, and begin with its start."""
    for name, book in history.books.items():
        numbers = [data["revision"] for kind, data in book["events"] if kind != "end"]
        if numbers != list(range(1, len(numbers) + 1)):
            yield f"{name}: revisions do not count up by one: {numbers}"


def ends(history):
    """Everything has ended, and where it failed somebody said so."""
    reasons = {op["marker"] for op in history.operations if op["op"] in ("fail", "cancel")}
    for name, book in history.books.items():
        seen = book["instance"]
        if seen["status"] in ("ACTIVE", "WAITING"):
            yield f"{name} ({seen['definitionId']}) never ended, with everybody at work: {seen['currentStepIds']}"
        elif seen["status"] != model.DONE and seen.get("failureReason") not in reasons:
            yield f"{name} is {seen['status']}, and nobody said so: {seen.get('failureReason')}"
    for item in history.left:
        yield f"still open: {item}"


def waits(history):
    """Whoever is cut off from the clients cannot answer them, and a fault may last longer than was planned."""
    for request in history.slow:
        cut_off = sum(max(0.0, min(end, request["end"]) - max(begin, request["call"]))
                      for name, _, begin, end in history.faults if name in SILENT_FAULTS)
        late = request["end"] - request["call"] - request["wait"]
        if late - cut_off > BOUND:
            yield (f"no answer within its time: {request['what']} asked to wait {request['wait']:.1f} s, called at {request['call']:.3f}: "
                   f"{request['status']} {late:.1f} s after that, of which it was cut off for {cut_off:.1f} s")
