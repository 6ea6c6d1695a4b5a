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
    job: int = 0                     # The job itself, in all its deliveries.
    taken_in: int = 0                # The engine's run in which the job was polled.
    lease_ends: float = 0.0          # By the wall clock, which engine and clients share.
    retryable: bool = True

    sent: int = 0
    cut: int = 0
    status: int = 0                  # Of the last answer.
    acked: bool = False
    in_time: bool = False            # Its worker held the job, so that also a failure counts.
    begun: int = 0                   # When, in the order of the ledger…
    settled: int = 0                 # … and when it was acknowledged.

    @property
    def possible(self):
        """May it have taken effect?"""
        return self.acked or self.cut > 0

    def binding(self, others):
        """Must it have taken effect? The first completion of an open job counts, whichever delivery it is for, also
        across a restart; a failure only from the holder. All others get a 204 too, so a report that somebody else's
        on the same job may have beaten owes nothing."""
        if not self.acked or self.kind not in ("complete", "fail"):
            return self.acked
        beaten = any(other is not self and other.job == self.job and other.possible and other.begun < self.settled
                     for other in others if other.kind in ("complete", "fail"))
        return not beaten and (self.in_time or self.kind == "complete")


class Ledger:
    def __init__(self):
        self.lock = threading.Lock()
        self.entries = []
        self.numbers = 0
        self.ticks = 0
        self.acknowledged = 0
        self.trigger = None          # (count, action)

    def begin(self, kind, **about):
        with self.lock:
            self.numbers += 1
            entry = Entry(kind, f"m{self.numbers}", begun=self._tick(), **about)
            self.entries.append(entry)
            return entry

    def _tick(self):
        self.ticks += 1
        return self.ticks

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
            entry.settled = entry.settled or self._tick()
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
