"""Requests that two nodes get at the same moment, and the rules for what they were told.

Two definitions want the address of one webhook, and one of them gets it. One start, or one new entity, is sent twice with one key:
there is one of it, and both answers name it.
"""

import collections
import threading
import time
import typing

import entities
import linear
from clients import Busy, Cut, Member, Unsure
from vault import hook, patiently

CODES = (210, 211)          # The answer of a webhook tells whose it is.
TWICE = ("circle", "split", "relay")  # They need nobody but the workers.
SIDES = 2


class Twin(Member):
    """Asks two nodes at a time. What had no answer goes to the next node, if it is sent again."""

    def __init__(self, load, name, paths):
        super().__init__(load, name)
        self.paths, self.idle = paths, threading.Event()
        self.sides = [load.wires_to_nodes() or [self.wire] for _ in range(SIDES)]

    def turn(self):
        if not self.load.starting:
            self.idle.set()
            time.sleep(0.1)
            return
        self.pause(4 / self.load.rate)
        self.random.choice([self.publish, self.publish, self.start, self.create, self.call_hook])()

    def both(self, asks):
        """Sends two requests to two nodes at the same moment; `asks` are (operation, path, body, key, repeat). Their answers."""
        first = self.random.randrange(len(self.sides[0]))
        answers, failures = [None] * SIDES, []

        def ask(side):
            wires = self.sides[side]
            turned = [wires[(first + side + n) % len(wires)] for n in range(len(wires))]
            op, path, body, key, repeat = asks[side]
            try:
                answers[side] = self.send(op, path, body, key, repeat, wires=turned)
            except Exception as failure:
                failures.append(failure)
        threads = [threading.Thread(target=ask, args=(side,), daemon=True) for side in range(SIDES)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]
        return answers

    def publish(self):
        """Mostly the two want the same new address. Sometimes it is one that somebody may have, and that one of them may leave."""
        path = self.paths.some(self.random) if self.chance(0.4) else None
        leaver = self.random.randrange(SIDES) if path and self.chance(0.5) else None
        path = path or self.paths.add(self.recorder.marker())
        asks = [self.wish(path, number, number == leaver) for number in range(SIDES)]
        for (op, *_), (status, answer) in zip(asks, self.both(asks)):
            assert status in (None, 200, 201, 409), f"{op}: {status} {answer}"
            if status == 409 and op["tries"] > 1:  # An earlier try may still be under way.
                op.update(outcome="unknown", **{"return": None})

    def wish(self, path, number, leaves):
        """A version of a definition that wants the address, or has another one that nobody wants."""
        op = {"op": "publish", "path": path, "definition": f"{path}-{number}", "leaves": leaves, "marker": self.recorder.marker()}
        self.recorder.add(op)
        key = "publish-" + op["marker"] if self.chance(0.6) else None
        address = f"/{path}-{number}-away" if leaves else "/" + path
        # What an older version says would change nothing, so each wish says something new.
        document = {**hook(op["definition"], address, successCode=CODES[number]), "name": op["marker"]}
        return op, "/v1/definitions", document, key, key is not None

    def call_hook(self):
        path = self.paths.some(self.random)
        wire = self.random.choice(self.sides[0])
        if not path:
            return
        op = {"op": "call-hook", "client": self.name, "at": wire.address[0], "path": path, "call": time.monotonic(), "outcome": "ok"}
        try:
            op.update(holder=holder_of(wire, path), **{"return": time.monotonic()})
        except (Cut, Unsure, Busy):
            return
        self.recorder.add(op)

    def start(self):
        name, marker = self.random.choice(TWICE), self.recorder.marker()
        op = {"op": "start", "client": self.name, "definition": name, "marker": marker, "instance": None, "variables": {"tag": marker, "count": 0}}
        told = self.keyed(op, "/v1/instances", {"definitionId": name, "variables": op["variables"]}, 201, lambda answer: answer["id"])
        op["instance"] = told
        if told:
            self.load.note(told)

    def create(self):
        op = {"op": "create", "client": self.name, "by": self.recorder.marker()}
        op["marker"] = op["by"]
        answers = []
        told = self.keyed(op, f"/api/entity/JSON/{entities.MODEL}/1", {"by": op["by"]}, 200, lambda answer: answers.append(answer[0]) or answer[0]["entityIds"][0])
        if told:
            op["entity"] = told
            self.load.shelf.saw(told, answers[0]["transactionId"], op["by"])
            self.load.shelf.add(told)

    def keyed(self, op, path, body, right, name_of):
        """One request with one key to two nodes, until both have answered: what the first answer names."""
        op.update(call=time.monotonic(), outcome="unknown", **{"return": None})
        self.recorder.add(op)
        sides = [{"op": "twin", "of": op["op"], "marker": op["marker"]} for _ in range(SIDES)]
        for side in sides:
            self.recorder.add(side)
        answers = self.both([(side, path, body, f"twin-{op['marker']}", True) for side in sides])
        for side, (status, answer) in zip(sides, answers):
            assert status in (None, right), f"{side}: {status} {answer}"
            side["told"] = name_of(answer) if status else None
        told = [side for side in sides if side["told"]]
        if not told:
            return None
        first = min(told, key=lambda side: side["return"])
        op.update(outcome="ok", **{"return": first["return"]})
        return first["told"]


class Paths:
    """The addresses that definitions have wanted."""

    def __init__(self):
        self.lock, self.all = threading.Lock(), []

    def add(self, path):
        with self.lock:
            self.all.append(path)
        return path

    def some(self, chance):
        with self.lock:
            return chance.choice(self.all[-8:]) if self.all else None


def holder_of(wire, path):
    """The definition that answers at this address, or None."""
    status, answer = wire.call("POST", "/hooks/" + path, {})
    assert status in (*CODES, 404), f"the webhook {path}: {status} {answer}"
    return None if status == 404 else f"{path}-{CODES.index(status)}"


# ---- the end ----


def look(wire, paths):
    """What one node says in the end: for each address who answers there, and which of its definitions exist."""
    for path in paths.all:
        names = [f"{path}-{number}" for number in range(len(CODES))]
        found = [patiently(lambda n=name: wire.call("GET", f"/v1/definitions/{n}"))[0] for name in names]
        yield {"at": wire.address[0], "path": path, "holder": patiently(lambda: holder_of(wire, path)),
               "there": [name for name, status in zip(names, found) if status == 200]}


def list_entities(wire):
    """(entity, whose write was the last) of all that there are."""
    found, page = [], 0
    while True:
        status, items = patiently(lambda: wire.call("GET", f"/api/entity/{entities.MODEL}/1?pageSize=1000&pageNumber={page}"))
        assert status == 200, items
        found += [(item["meta"]["id"], item["data"]["by"]) for item in items]
        if not items:
            return found
        page += 1


# ---- the rules ----


class Address(typing.NamedTuple):
    """The definition that has it, and all that exist of those who have wanted it."""

    holder: str | None = None
    there: frozenset = frozenset()


def apply(address, op):
    """The addresses that an operation may leave, as a list, or a sentence that says why it cannot have been answered so."""
    address = address or Address()
    if op["op"] == "publish":
        return apply_publish(address, op)
    if op["holder"] != address.holder:
        return f"{op['holder']} answers, and the address belongs to {address.holder}"
    if op["op"] == "last-hook" and set(op["there"]) != address.there:
        return f"the definitions {op['there']} exist, and those that were accepted are {sorted(address.there)}"
    return [address]


def apply_publish(address, op):
    mine = op["leaves"] or address.holder in (None, op["definition"])
    if op["outcome"] == "no":
        return [address] if not mine else f"the definition was refused, and the address belongs to {address.holder}"
    if not mine:
        return [address] if op["outcome"] == "unknown" else f"the definition was accepted, and the address belongs to {address.holder}"
    holder = op["definition"]
    if op["leaves"]:
        holder = None if address.holder == op["definition"] else address.holder
    return [Address(holder, address.there | {op["definition"]})]


def linearise(operations, seen, verdict):
    """Each address: of those who want it one gets it, and who was refused has left nothing."""
    linear.agree("path", seen, verdict)
    by_path = collections.defaultdict(list)
    for op in operations:
        if op.get("path") and not op.get("busy"):
            by_path[op["path"]].append(op)
    for last in seen:
        before = by_path[last["path"]]
        end = max((op["return"] or op["call"] for op in before), default=0.0)
        before.append({"op": "last-hook", "client": "the end", **last, "call": end + 1, "return": end + 2, "outcome": "ok"})
    for path, some in by_path.items():
        linear.judge(f"address {path}", some, apply, verdict)


def same_answers(history):
    """All answers under one key name the same thing."""
    told = collections.defaultdict(set)
    for op in history.operations:
        if op["op"] == "twin" and op.get("told"):
            told[op["of"], op["marker"]].add(op["told"])
    for (kind, marker), names in told.items():
        if len(names) > 1:
            yield f"one key, several answers: {kind} {marker}: {sorted(names)}"


def strangers(history):
    """Each entity was told to somebody, or it is the only one of a creation without an answer; and each that was told is there."""
    creates = [op for op in history.operations if op["op"] == "create"]
    told = {op["entity"] for op in creates if op["outcome"] == "ok"}
    open_ones = {op["by"] for op in creates if op["outcome"] == "unknown"}
    for entity, by in history.entities or ():
        if entity in told:
            continue
        if by not in open_ones:
            yield f"an entity that nobody was told of: {entity} by {by}"
        open_ones.discard(by)
    if history.entities is not None:
        for entity in sorted(told - {entity for entity, _ in history.entities}):
            yield f"an entity that was created is not listed: {entity}"
