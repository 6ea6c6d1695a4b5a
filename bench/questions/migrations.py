"""How long does a start wait while 100,000 living runs go on with another version?"""

import json
import statistics
import threading
import time

from documents import PARKED, PARKED_START
from measure import Answer, Figures, median, ms, number, spread

TEXT = """Living runs of one definition go on with its next version (`POST /api/migrations`), while a client starts more runs of the same definition, each
when the start before it is answered. *Worst* is the longest of all starts, from the request for the migration until its last run has moved. The same number
of starts on the same store without a migration is the reference, measured right after it."""
COLUMNS = (("starts", "starts", median), ("p50 ms", "p50Us", ms), ("worst ms", "maxUs", ms), ("spread of the worst", "maxUs", spread))
STARTS_AT_ONCE = 200  # Of one run of the client.
DONE_SECONDS = 600
WORST_MS = 300


class Starts(threading.Thread):
    """Goes on until it is told to end, or has made so many."""
    next = 10 ** 7

    def __init__(self, bench, engine, count=0):
        super().__init__()
        self.bench, self.engine, self.count = bench, engine, count
        self.parts, self.over, self.failed = [], threading.Event(), None
        self.start()

    def run(self):
        try:
            while not self.over.is_set() and not (self.count and len(self.parts) * STARTS_AT_ONCE >= self.count):
                Starts.next += STARTS_AT_ONCE  # Each has a business key of its own.
                self.parts.append(self.bench.shoot(self.engine, path="/v1/instances", body=PARKED_START, first=Starts.next, count=STARTS_AT_ONCE))
        except SystemExit as failed:
            self.failed = failed

    def figures(self):
        self.join()
        if self.failed:
            raise self.failed
        return {"starts": len(self.parts) * STARTS_AT_ONCE, "p50Us": statistics.median(part["p50Us"] for part in self.parts),
                "maxUs": max(part["maxUs"] for part in self.parts)}


def migrated(engine, number_, runs):
    """Seconds until all of them go on with the next version, and until the request was answered."""
    began = time.monotonic()
    bulk = engine.post("/api/migrations", {"definitionId": "parked", "from": number_, "to": number_ + 1})
    answered = time.monotonic() - began
    while bulk["state"] == "running":
        if time.monotonic() - began > DONE_SECONDS:
            raise SystemExit(f"the migration takes longer than {DONE_SECONDS} s: {bulk}")
        time.sleep(0.05)
        bulk = json.loads(engine.get("/v1/bulk/" + bulk["id"]))
    if bulk["succeeded"] != runs:
        raise SystemExit(f"not all runs have moved: {bulk}")
    return time.monotonic() - began, answered


def measure(bench, engine, number_, runs):
    """Once beside a migration, and once without."""
    starts = Starts(bench, engine)
    try:
        seconds, answered = migrated(engine, number_, runs)
    finally:
        starts.over.set()
    beside = starts.figures()
    alone = Starts(bench, engine, beside["starts"]).figures()
    bench.say(f"{number(runs)} moved in {seconds:.1f} s, worst start {beside['maxUs'] / 1000:.1f} ms, alone {alone['maxUs'] / 1000:.1f} ms")
    return {**beside, "seconds": seconds, "answeredMs": answered * 1000, "perSecond": runs / seconds}, alone


def ask(bench):
    runs = bench.pick(2000, 100000)
    answer = Answer(f"Starts while {number(runs)} runs migrate", TEXT)
    with bench.engine() as engine:
        engine.deploy(PARKED)
        bench.shoot(engine, path="/v1/instances", body=PARKED_START, count=runs, connections=32, depth=8)
        for version in range(bench.repetitions):  # Starts take the last one, so that no migration finds them.
            engine.deploy({**PARKED, "name": f"Parked {version}"})
        engine.wait_until_quiet()
        pairs = [measure(bench, engine, version + 1, runs) for version in range(bench.repetitions)]
    beside, alone = (Figures(list(kind)) for kind in zip(*pairs))
    table = answer.table(["starts"], COLUMNS)
    for name, figures in (("beside a migration", beside), ("alone (reference)", alone)):
        answer.keep(f"starts {name}", figures)
        table.add([name], figures)
    answer.table(["runs that moved", "request answered after ms", "all moved after s", "moved/s", "spread"]).add(
        [number(runs), number(beside.median("answeredMs")), number(beside.median("seconds")), number(beside.median("perSecond")),
         spread(beside, "perSecond")])
    ratio = beside.median("p50Us") / alone.median("p50Us")
    worst = max(run["maxUs"] for run in beside.runs) / 1000
    answer.table(["p50 by the reference", "worst by the reference"]).add(
        [f"{ratio:.1f} ×", f"{beside.median('maxUs') / alone.median('maxUs'):.1f} ×"])
    answer.budget(f"the worst start while {number(runs)} runs migrate", f"≤ {WORST_MS / 1000} s", f"{worst / 1000:.2f} s", worst <= WORST_MS)
    return answer
