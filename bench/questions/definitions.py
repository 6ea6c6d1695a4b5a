"""Does a command cost more when there are more definitions?"""

import json

from documents import ORDER, END, task
from measure import Answer, Figures, mebibytes, median, mib, ms, number, spread, whole
from svg import curves

PARTS = 3
RESTART_COLUMNS = (("start-up ms", "startMs", whole), ("spread", "startMs", spread), ("memory MiB", "rssKib", mib))
KINDS = ("upload", "start of any", "start of one")
TEXT = """Different small definitions whose instances wait for a signal. Uploads are measured one at a time, each with its own sync;
starts are of one that is picked at random each time, and always of the same one, by 64 connections. Reference: ten definitions."""


def template(first):
    return json.dumps({"id": "def-{n}", "name": "Definition {n}", "steps": [first, task("b", "b2", "end"), END]}, separators=(",", ":"))


WAITING = template({"id": "a", "name": "A", "type": "WAIT", "nextStep": "b"})
WORKING = template(task("a", "b1", "b"))
START_ANY = json.dumps({"definitionId": "def-{r}", "variables": ORDER}, separators=(",", ":"))
START_ONE = START_ANY.replace("{r}", "0")


def upload(bench, engine, body, first, count, connections=16):
    return bench.shoot(engine, path="/v1/definitions", body=body, first=first, count=count, connections=connections)


def grow(bench, engine, have, size):
    """Uploads the missing definitions; the cost of the last of them, one at a time."""
    part = max(2, min(300, size // 10))
    upload(bench, engine, WAITING, have, size - have - PARTS * part)
    return Figures([bench.costed(engine, part, lambda i=i: upload(bench, engine, WAITING, size - (PARTS - i) * part, part, 1)) for i in range(PARTS)])


def measure_size(bench, engine, have, size):
    count = bench.pick(1000, 5000)
    found = {"upload": grow(bench, engine, have, size)}
    engine.restart()
    found["startMs"], found["rssKib"] = engine.start_ms, engine.memory_kib()
    for name, body in (("start of any", START_ANY), ("start of one", START_ONE)):
        found[name] = bench.repeat(lambda: bench.costed(engine, count, lambda: bench.shoot(engine, path="/v1/instances", body=body, count=count,
                                                                                           connections=64, below=size)))
    bench.say(f"{number(size)}: " + ", ".join(f"{kind} {median(found[kind], 'cpuUs')} µs" for kind in KINDS))
    return found


def restart_with_jobs(bench, size, count):
    """Open jobs are found again by reading their instances; what these are instances of should not matter."""
    with bench.engine() as engine:
        upload(bench, engine, WORKING, 0, size)
        bench.shoot(engine, path="/v1/instances", body=START_ANY, count=count, connections=32, depth=8, below=size)
        engine.restart()
        return {"startMs": engine.start_ms, "rssKib": engine.memory_kib()}


def write(answer, found):
    heads = [f"{kind}: {what}" for kind in KINDS for what in ("CPU µs", "p50 ms", "spread")]
    table = answer.table(["definitions", *heads, "start-up ms", "memory MiB"])
    for size, at in found.items():
        shown = [how(at[kind], name) for kind in KINDS for name, how in (("cpuUs", median), ("p50Us", ms), ("cpuUs", spread))]
        table.add([number(size), *shown, f"{at['startMs']:.0f}", mebibytes(at["rssKib"])])
        for kind in KINDS:
            answer.keep(f"{kind} at {size}", at[kind])


def ask(bench):
    sizes = bench.pick((10, 100, 1000), (10, 100, 1000, 10000, 100000))
    answer = Answer("Definitions", TEXT)
    found, have = {}, 0
    with bench.engine() as engine:
        for size in sizes:
            found[size] = measure_size(bench, engine, have, size)
            have = size
    write(answer, found)
    count = bench.pick(1000, 10000)
    table = answer.table([f"definitions of {number(count)} open jobs"], RESTART_COLUMNS)
    for size in bench.pick((1, 1000), (1, 10000)):
        figures = bench.repeat(lambda: restart_with_jobs(bench, size, count))
        answer.keep(f"restart {size}", figures)
        table.add([number(size)], figures)
    growth = found[sizes[-1]]["start of any"].median("cpuUs") / found[sizes[0]]["start of any"].median("cpuUs")
    answer.budget(f"CPU per start from {sizes[0]} to {number(sizes[-1])} definitions", "flat (≤ 1.25 ×)", f"{growth:.2f} ×", growth <= 1.25)
    answer.pictures["growth-definitions"] = curves("Cost of one command by the number of definitions", "definitions in the store", "engine CPU, µs",
                                                   {kind: [(size, at[kind].median("cpuUs")) for size, at in found.items()] for kind in KINDS})
    return answer
