"""What the clients asked for and what they were told: the truth the engine is held against.

Every request that changes something is an Entry, made before it is sent. Then one of three
things happens to each attempt:

    answered 2xx      acknowledged: from now on it may not be lost
    answered 4xx      refused: this attempt did nothing
    cut off           nobody knows; it took effect once, or not at all

A repeated attempt belongs to the same entry: it carries the same marker, or the same key.
"""

import dataclasses
import threading
import time
from typing import Optional


@dataclasses.dataclass
class Entry:
    kind: str                        # start, complete, fail, signal, task, cancel, retry
    marker: str                      # A variable, or for a failed job a reason, that nobody else writes.
    definition: str = ""             # Of a start.
    business_key: str = ""
    key: Optional[str] = None        # Its Idempotency-Key.
    instance: str = ""
    step: str = ""
    execution: str = ""              # The visit a job belongs to.
    taken_in: int = 0                # The engine's run in which the job was polled.
    lease_ends: float = 0.0          # By the wall clock, which engine and clients share.
    retryable: bool = True

    sent: int = 0
    cut: int = 0
    status: int = 0                  # Of the last answer.
    acked: bool = False
    in_time: bool = False            # A job's result that no other worker's can have beaten.

    @property
    def possible(self):
        """May it have taken effect?"""
        return self.acked or self.cut > 0

    @property
    def binding(self):
        """Must it have taken effect? A result for a lost lease gets a 204 too, so for those
        it takes more than an acknowledgement."""
        return self.acked and (self.in_time or self.kind not in ("complete", "fail"))


class Ledger:
    def __init__(self):
        self.lock = threading.Lock()
        self.entries = []
        self.numbers = 0
        self.acknowledged = 0
        self.trigger = None          # (count, action)

    def begin(self, kind, **about):
        with self.lock:
            self.numbers += 1
            entry = Entry(kind, f"m{self.numbers}", **about)
            self.entries.append(entry)
            return entry

    def arm(self, acknowledgements, action):
        """Has the thread that sees this many more acknowledgements do the deed at once, while
        all others are in the middle of something."""
        with self.lock:
            self.trigger = (self.acknowledged + acknowledgements, action)

    def answered(self, entry, status, run):
        with self.lock:
            entry.status = status
            if not 200 <= status < 300:
                return
            entry.acked = True
            entry.in_time = entry.cut == 0 and entry.taken_in == run and time.time() < entry.lease_ends
            self.acknowledged += 1
            due = self.trigger and self.acknowledged >= self.trigger[0]
        if due:
            self.fire()

    def fire(self):
        """Does what was armed, if nobody else has."""
        with self.lock:
            trigger, self.trigger = self.trigger, None
        if trigger:
            trigger[1]()

    def of(self, *kinds):
        return [entry for entry in self.entries if entry.kind in kinds]

    def summary(self):
        """One line for people: what happened, and was it worth the name of a load?"""
        counts = {}
        for entry in self.entries:
            acked, cut = counts.get(entry.kind, (0, 0))
            counts[entry.kind] = (acked + entry.acked, cut + (entry.cut > 0))
        return ", ".join(f"{kind} {acked} acknowledged {cut} cut off" for kind, (acked, cut) in sorted(counts.items()))
