"""Keys of a run: holders that make, use, rotate and revoke them at every node, and the rule that judges what they were told.

A key that was revoked is refused at every node that reaches the database, within a heartbeat. Nodes that are stopped or cut off hear of it when
they are back. A key that nobody has revoked is never refused, and each change that was acknowledged is in the audit.
"""

import threading
import time

from clients import Busy, Cut, Member, Unsure
from vault import patiently

LIVING_MAX = 12
HEARD_SECONDS = 3.0         # A heartbeat is 0.2 s; the rest is for machines that share two processors.
BACK_SECONDS = 8.0          # Behind a fault a node connects to the database once a second, and a server may have to recover.
USE = "/v1/instances?pageSize=1"
NODE_FAULTS_THAT_HIDE = {"stop", "no-database", "kill", "rekey"}


class Ring:
    """All keys of a run: their secrets, and when somebody tried to revoke them."""

    def __init__(self):
        self.lock, self.keys, self.uses = threading.Lock(), [], []

    def add(self, name, text):
        with self.lock:
            self.keys.append({"id": name, "texts": [text], "revoked": [], "rotated": False})

    def choose(self, random, living):
        with self.lock:
            some = [key for key in self.keys if not living or not key["revoked"]]
            return random.choice(some[-3 * LIVING_MAX:]) if some else None

    def living(self):
        with self.lock:
            return sum(not key["revoked"] for key in self.keys)

    def note(self, use):
        with self.lock:
            self.uses.append(use)


def accepted(wire, text):
    """Is this the secret of a key that counts?"""
    status, answer = wire.call("GET", USE, headers={"Authorization": "Bearer " + text})
    assert status in (200, 401), f"a key was answered with {status} {answer}"
    return status == 200


class Holder(Member):
    def __init__(self, load, name, ring):
        super().__init__(load, name)
        self.ring = ring
        self.wires = [self.wire, *load.wires_to_nodes()]

    def turn(self):
        if not self.load.starting:
            time.sleep(0.1)
            return
        self.pause(0.5 / self.load.rate)
        wire = self.random.choice(self.wires)
        acts = {self.make: 2, self.revoke: 2, self.rotate: 1, self.use: 12}
        try:
            self.random.choices(list(acts), acts.values())[0](wire)
        except (Cut, Unsure):
            pass
        except Busy:
            self.pause(0.05)

    def make(self, wire):
        if self.ring.living() >= LIVING_MAX:
            return
        status, answer = wire.call("POST", "/api/keys", {"name": self.recorder.marker(), "roles": ["viewer"]})
        assert status == 201, f"a key is not made: {status} {answer}"
        self.ring.add(answer["id"], answer["key"])

    def revoke(self, wire):
        """One half is removed, the other half stays as revoked. An attempt without an answer may count at any time."""
        key = self.ring.choose(self.random, living=True)
        if not key:
            return
        attempt = {"call": time.monotonic(), "return": None}
        with self.ring.lock:
            key["revoked"].append(attempt)
        removes = self.chance(0.5)
        try:
            status, answer = wire.call("DELETE" if removes else "PATCH", "/api/keys/" + key["id"], None if removes else {"state": "revoked"})
        except Busy:
            with self.ring.lock:
                key["revoked"].remove(attempt)
            raise
        assert status in (200, 204, 404) or status == 409 and not removes, f"a key is not revoked: {status} {answer}"
        attempt["return"] = time.monotonic()

    def rotate(self, wire):
        """Once for each key: then its first secret counts as long as the second."""
        key = self.ring.choose(self.random, living=True)
        if not key or key["rotated"]:
            return
        key["rotated"] = True
        status, answer = wire.call("POST", f"/api/keys/{key['id']}/rotate")
        assert status in (200, 201, 404, 409), f"a key is not rotated: {status} {answer}"
        if status < 300:
            with self.ring.lock:
                key["texts"].append(answer["key"])

    def use(self, wire):
        key = self.ring.choose(self.random, living=self.chance(0.4))
        if not key:
            return
        use = {"key": key["id"], "at": wire.address[0], "call": time.monotonic()}
        use["accepted"] = accepted(wire, self.random.choice(key["texts"]))
        use["return"] = time.monotonic()
        self.ring.note(use)


# ---- the end ----


def look(wire, ring):
    """What one node says in the end of every secret."""
    problems = []
    for key in ring.keys:
        is_gone = any(attempt["return"] for attempt in key["revoked"])
        for text in key["texts"]:
            counts = patiently(lambda t=text: accepted(wire, t))
            if counts and is_gone:
                problems.append(f"{wire.address[0]}: the key {key['id']} was revoked and is accepted in the end")
            if not counts and not key["revoked"]:
                problems.append(f"{wire.address[0]}: the key {key['id']} is lost: nobody has revoked it")
    return problems


def pages(wire, path):
    cursor = ""
    while True:
        status, page = patiently(lambda c=cursor: wire.call("GET", path + c))
        assert status == 200, page
        yield from page["items"]
        if not page.get("nextCursor"):
            return
        cursor = "&cursor=" + page["nextCursor"]


def look_at_audit(wire, ring):
    """Each change that was acknowledged has its row, and the chains are whole."""
    rows = {(row["action"], row["object"]) for row in pages(wire, "/api/audit?action=key.*&pageSize=1000")}
    problems = [f"the audit does not have the making of key {key['id']}" for key in ring.keys if ("key.create", key["id"]) not in rows]
    problems += [f"the audit does not have the end of key {key['id']}" for key in ring.keys if any(attempt["return"] for attempt in key["revoked"])
                 and not {("key.change", key["id"]), ("key.remove", key["id"])} & rows]
    status, answer = patiently(lambda: wire.call("POST", "/api/audit/verify"))
    if status != 200 or answer.get("broken"):
        problems.append(f"the audit is not whole: {status} {answer}")
    return problems


# ---- the rule ----


def heard_by(revoked, use, faults):
    """The moment from which the node that was asked must refuse the key."""
    number = int(use["at"].rsplit(".", 1)[1]) - 10
    moment, through_balancer = revoked + HEARD_SECONDS, use["at"].endswith(".71.1.1")
    for name, node, begin, end in faults:
        hides = name in NODE_FAULTS_THAT_HIDE and (node == number or through_balancer) or node == 0
        if hides and begin < use["return"] and end + BACK_SECONDS > revoked:
            moment = max(moment, end + BACK_SECONDS)
    return moment


def judge(ring, faults):
    """Sentences about what must not have been, and the longest time that a revoked key was accepted where nothing hid the revocation."""
    problems, longest = [], 0.0
    keys = {key["id"]: key for key in ring.keys}
    for use in ring.uses:
        attempts = keys[use["key"]]["revoked"]
        known = min((attempt["return"] for attempt in attempts if attempt["return"]), default=None)
        if not use["accepted"] and not any(attempt["call"] < use["return"] for attempt in attempts):
            problems.append(f"{use}: refused, and nobody had revoked it")
        if not use["accepted"] or known is None or use["call"] <= known:
            continue
        moment = heard_by(known, use, faults)
        if moment == known + HEARD_SECONDS:
            longest = max(longest, use["call"] - known)
        if use["call"] > moment:
            problems.append(f"{use}: accepted {use['call'] - known:.2f} s after it was revoked")
    return problems, longest
