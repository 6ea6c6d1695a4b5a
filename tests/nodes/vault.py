"""Secrets of a run: clients that set, remove, list and use a few of them at every node, and the model that judges what they were told.

Each secret is the key of a webhook of its own, which drops whoever comes in. So a request that is let in shows that the node it
reached opens the secret, and with which value. Each value is set once.
"""

import collections
import threading
import time

import linear
from clients import Busy, Cut, Member, Unsure

NAMES = [f"secret{n}" for n in range(10)]
VALUES_MAX = 3              # How many of the newest values of a secret are tried during the run.
END_SECONDS = 45
PAGE = "/api/secrets?pageSize=200"


def hook(name, path, **more):
    """A definition with a webhook that drops every arrival."""
    return {"dialect": "graph/1", "definitionId": name, "name": name,
            "triggers": [{"id": "hook", "type": "http", "path": path, "filter": "false", **more}],
            "nodes": [{"id": "done", "type": "end"}], "edges": [{"from": "hook", "to": "done"}]}


def deploy(wire):
    for name in NAMES:
        status, answer = wire.call("POST", "/v1/definitions", hook("uses-" + name, "/" + name, authType="ApiKey", secretRef=name))
        assert status == 201, answer


def knock(wire, name, value):
    """Is this the value?"""
    status, answer = wire.call("POST", "/hooks/" + name, {}, headers={"X-Api-Key": value})
    assert status in (202, 401), f"the webhook of {name}: {status} {answer}"
    return status == 202


class Drawer:
    """The values that clients have tried to set."""

    def __init__(self):
        self.lock, self.values = threading.Lock(), collections.defaultdict(list)

    def add(self, name, value):
        with self.lock:
            self.values[name].append(value)

    def all(self, name):
        with self.lock:
            return list(self.values[name])


class Keeper(Member):
    """What had no answer is not sent again."""

    def __init__(self, load, name, drawer):
        super().__init__(load, name)
        self.drawer, self.idle = drawer, threading.Event()
        self.wires = [self.wire, *load.wires_to_nodes()]

    def turn(self):
        if not self.load.starting:
            self.idle.set()
            time.sleep(0.1)
            return
        self.pause(3 / self.load.rate)
        wire, name = self.random.choice(self.wires), self.random.choice(NAMES)
        acts = {self.put: 8, self.remove: 4, self.use: 9, self.list: 3, self.rekey: 2}
        try:
            self.random.choices(list(acts), acts.values())[0](wire, name)
        except (Cut, Unsure):
            pass
        except Busy:
            self.pause(0.05)

    def begin(self, kind, wire, **more):
        op = {"op": kind, "client": self.name, "at": wire.address[0], "call": time.monotonic(), "return": None, "outcome": "unknown", **more}
        self.recorder.add(op)
        return op

    def ask(self, op, wire, method, path, body=None):
        """The answer's status; the operation has its end."""
        try:
            status, answer = wire.call(method, path, body)
        except Busy:
            op.update(outcome="no", busy=True, **{"return": time.monotonic()})
            raise
        op.update(outcome="ok" if status < 300 else "no", status=status, **{"return": time.monotonic()})
        return status, answer

    def put(self, wire, name):
        op = self.begin("put-secret", wire, secret=name, value="value-" + self.recorder.marker())
        self.drawer.add(name, op["value"])
        status, answer = self.ask(op, wire, "PUT", "/api/secrets/" + name, {"value": op["value"]})
        assert status in (200, 201), f"{op}: {status} {answer}"

    def remove(self, wire, name):
        op = self.begin("remove-secret", wire, secret=name)
        status, answer = self.ask(op, wire, "DELETE", "/api/secrets/" + name)
        assert status in (204, 404), f"{op}: {status} {answer}"

    def use(self, wire, name):
        values = self.drawer.all(name)[-VALUES_MAX:]
        if not values:
            return
        op = {"op": "use-secret", "client": self.name, "at": wire.address[0], "secret": name, "value": self.random.choice(values), "call": time.monotonic()}
        op.update(outcome="ok" if knock(wire, name, op["value"]) else "no", **{"return": time.monotonic()})
        self.recorder.add(op)

    def list(self, wire, _):
        call = time.monotonic()
        status, answer = wire.call("GET", PAGE)
        assert status == 200, answer
        names, end = {item["name"] for item in answer["items"]}, time.monotonic()
        for name in NAMES:
            self.recorder.add({"op": "list-secret", "client": self.name, "at": wire.address[0], "secret": name, "listed": name in names, "call": call, "return": end, "outcome": "ok"})

    def rekey(self, wire, _):
        op = self.begin("rekey", wire)
        status, answer = self.ask(op, wire, "POST", "/api/secrets/rekey")
        assert status in (200, 409), f"{op}: {status} {answer}"
        op["why"] = answer.get("reason")


# ---- the end ----


def patiently(ask):
    """Nothing is wrong any more, so there must be an answer."""
    deadline = time.monotonic() + END_SECONDS
    while True:
        try:
            return ask()
        except (Cut, Unsure, Busy):
            assert time.monotonic() < deadline, "no answer, and nothing is wrong any more"
            time.sleep(0.2)


def look(wire, drawer):
    """What one node says in the end: for each secret whether it is listed, and the value that opens its webhook."""
    status, answer = patiently(lambda: wire.call("GET", PAGE))
    assert status == 200, answer
    names = {item["name"] for item in answer["items"]}
    for name in NAMES:
        value = next((value for value in reversed(drawer.all(name)) if patiently(lambda v=value: knock(wire, name, v))), None)
        yield {"at": wire.address[0], "secret": name, "listed": name in names, "value": value}


def set_one_more(wire):
    """Each node must be able to set a secret in the end. None, or why it cannot."""
    deadline = time.monotonic() + END_SECONDS
    while True:
        status, answer = patiently(lambda: wire.call("PUT", "/api/secrets/one-more", {"value": "more"}))
        if status in (200, 201):
            return None
        if time.monotonic() > deadline:
            return f"{wire.address[0]} sets no secrets any more: {status} {answer}"
        time.sleep(0.5)


def rekey_once_more(wire):
    """Resealed, or a rekey was cut short less than two minutes ago."""
    status, answer = patiently(lambda: wire.call("POST", "/api/secrets/rekey"))
    return None if status in (200, 409) else f"{wire.address[0]} makes no new key: {status} {answer}"


# ---- the rule ----


def apply(value, op):
    """The values that an operation may leave, as a list, or a sentence that says why it cannot have been answered so."""
    return ACTIONS[op["op"]](value, op)


def apply_put(value, op):
    if op["outcome"] == "ok" and (op["status"] == 201) != (value is None):
        return f"it was answered with {op['status']}, and the secret is {value}"
    return [op["value"]]


def apply_remove(value, op):
    if op["outcome"] == "no":
        return [value] if value is None else f"the removal found nothing, and the secret is {value}"
    return [None] if value is not None or op["outcome"] == "unknown" else "it was removed, and it was not there"


def apply_use(value, op):
    if (op["outcome"] == "ok") == (op["value"] == value):
        return [value]
    return f"{op['value']} was {'let in' if op['outcome'] == 'ok' else 'kept out'}, and the secret is {value}"


def apply_list(value, op):
    if op["listed"] == (value is not None):
        return [value]
    return f"it is {'listed' if op['listed'] else 'not listed'}, and the secret is {value}"


def apply_last(value, op):
    """A secret that is listed and opens nothing has no value."""
    if op["listed"] and op["value"] is None:
        return "it is listed, and none of its values opens"
    return apply_list(value, op) if op["value"] == value else f"{op['value']} opens in the end, and the secret is {value}"


ACTIONS = {"put-secret": apply_put, "remove-secret": apply_remove, "use-secret": apply_use, "list-secret": apply_list, "last-secret": apply_last}


def by_secret(operations, seen):
    """What was done to each secret, and behind it what each node says in the end."""
    grouped = collections.defaultdict(list)
    for op in operations:
        if op.get("secret") and not op.get("busy") and not (op["outcome"] == "unknown" and op["op"] == "list-secret"):
            grouped[op["secret"]].append(op)
    for last in seen:
        before = grouped[last["secret"]]
        end = max((op["return"] or op["call"] for op in before), default=0.0)
        before.append({"op": "last-secret", "client": "the end", **last, "call": end + 1, "return": end + 2, "outcome": "ok"})
    return grouped


def linearise(operations, seen, verdict):
    linear.agree("secret", seen, verdict)
    for name, some in by_secret(operations, seen).items():
        linear.judge(f"secret {name}", some, apply, verdict)
