"""Entities of a run: a few documents that several clients write at the same time, and the model that judges what they were told.

Each write puts a mark of its own into the document, so a read says whose write was the last one. Most writes name the version
that they have seen (If-Match): then exactly one of those who have seen the same version may succeed. A document can be locked
and unlocked, which only a document in the other state can.
"""

import threading
import time
import typing

MODEL = "note"
DEFINITION = "note.1"       # Of the instances that entities are.
ENTITIES_MAX = 12           # How many of the newest ones are written at the same time.
SEEN_MAX = 4                # How many versions of each are remembered.
TRANSITIONS = {"OPEN": ("lock", "LOCKED"), "LOCKED": ("unlock", "OPEN")}
WORKFLOW = {"version": "1", "name": "note", "initialState": "OPEN",
            "states": {state: {"transitions": [{"name": name, "next": after, "manual": True}]} for state, (name, after) in TRANSITIONS.items()}}


def deploy(wire):
    for method, path, body in (("POST", f"/api/model/import/JSON/SAMPLE_DATA/{MODEL}/1", {"by": "nobody"}),
                               ("POST", f"/api/model/{MODEL}/1/workflow/import", {"importMode": "MERGE", "workflows": [WORKFLOW]}),
                               ("PUT", f"/api/model/{MODEL}/1/lock", None)):
        status, answer = wire.call(method, path, body)
        assert status == 200, f"{path}: {status} {answer}"


class Shelf:
    """The entities that clients know of."""

    def __init__(self):
        self.lock, self.all, self.seen = threading.Lock(), [], {}

    def add(self, entity):
        with self.lock:
            self.all.append(entity)

    def some(self, chance):
        with self.lock:
            return chance.choice(self.all[-ENTITIES_MAX:]) if self.all else None

    def saw(self, entity, transaction, by):
        with self.lock:
            self.seen.setdefault(entity, []).append((transaction, by))
            del self.seen[entity][:-SEEN_MAX]

    def some_seen(self, entity, chance):
        """A version to write on: mostly the last that somebody has seen, sometimes an older one."""
        with self.lock:
            seen = self.seen[entity]
            return seen[-1] if chance.random() < 0.7 else chance.choice(seen)


def create(wire, recorder, name, shelf):
    op = begin(recorder, name, "create")
    status, answer = wire.call("POST", f"/api/entity/JSON/{MODEL}/1", {"by": op["by"]})
    assert status == 200, f"{op}: {status} {answer}"
    end(op, answer[0]["entityIds"][0])
    shelf.add(op["entity"])
    shelf.saw(op["entity"], answer[0]["transactionId"], op["by"])


def write(wire, recorder, name, entity, seen, transition, shelf):
    """`seen` is a version that must still be the last, or None."""
    op = begin(recorder, name, "write", entity=entity, expects=seen[1] if seen else None, transition=transition)
    status, answer = wire.call("PUT", f"/api/entity/JSON/{entity}" + (f"/{transition}" if transition else ""), {"by": op["by"]},
                               headers={"If-Match": seen[0]} if seen else {})
    assert status in (200, 404, 412), f"{op}: {status} {answer}"
    end(op, entity, None if status == 200 else answer["properties"]["errorCode"])
    if status == 200:
        shelf.saw(entity, answer["transactionId"], op["by"])


def read(wire, recorder, name, entity, shelf):
    op = begin(recorder, name, "see", entity=entity)
    status, answer = wire.call("GET", f"/api/entity/{entity}")
    assert status == 200, f"an entity that was created is not there: {op} {status} {answer}"
    op.update(by=answer["data"]["by"], state=answer["meta"]["state"])
    end(op, entity)
    shelf.saw(entity, answer["meta"]["transactionId"], op["by"])


def begin(recorder, name, kind, **more):
    op = {"op": kind, "client": name, "by": recorder.marker(), "call": time.monotonic(), "return": None, "outcome": "unknown", **more}
    recorder.add(op)
    return op


def end(op, entity, refusal=None):
    op.update(entity=entity, outcome="no" if refusal else "ok", refusal=refusal, **{"return": time.monotonic()})


# ---- the model ----


class Note(typing.NamedTuple):
    by: str
    state: str


def apply(note, op):
    """The entities that an operation may leave, as a list, or a sentence that says why it cannot have been answered so."""
    if op["op"] == "create":
        return "it was created before" if note else [Note(op["by"], "OPEN")]
    if note is None:
        return "the entity does not exist yet"
    if op["op"] == "see":
        return [note] if (op["by"], op["state"]) == note else f"the read shows {op['by']} {op['state']}, and it is {note.by} {note.state}"
    return apply_write(note, op)


def apply_write(note, op):
    stale = op["expects"] not in (None, note.by)
    name, after = TRANSITIONS[note.state]
    closed = op["transition"] not in (None, name)
    new = Note(op["by"], after if op["transition"] else note.state)
    if op["outcome"] == "ok":
        if stale or closed:
            return f"the write was accepted, and it expects {op['expects']} and {op['transition']}: it is {note.by} {note.state}"
        return [new]
    if op["outcome"] == "unknown":
        return [note] if stale or closed else [new]
    right = stale if op["refusal"] == "ENTITY_MODIFIED" else closed
    return [note] if right else f"the write was refused as {op['refusal']}, and it is {note.by} {note.state}"
