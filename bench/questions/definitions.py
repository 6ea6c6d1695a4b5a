"""Does a command cost more when there are more definitions?"""

import json

from documents import ORDER, END, task
from measure import Answer, Figures, mebibytes, milliseconds, number, percent
from svg import curves

PARTS = 3

UPLOAD = json.dumps({"id": "def-{n}", "name": "Definition {n}", "steps": [task("a", "b1", "b"), task("b", "b2", "end"), END]}, separators=(",", ":"))
START_ANY = json.dumps({"definitionId": "def-{r}", "variables": ORDER}, separators=(",", ":"))
START_ONE = START_ANY.replace("{r}", "0")


def upload(bench, engine, first, count, connections):
    return bench.shoot(engine, path="/v1/definitions", body=UPLOAD, first=first, count=count, connections=connections)


def grow(bench, engine, have, size):
    part = max(2, min(1000, size // 10))
    upload(bench, engine, have, size - have - PARTS * part, 16)
    return Figures([bench.costed(engine, part, lambda i=i: upload(bench, engine, size - (PARTS - i) * part, part, 16)) for i in range(PARTS)])


def measure_size(bench, engine, have, size):
    count = bench.pick(1000, 5000)
    found = {"upload": grow(bench, engine, have, size)}
    for name, body in (("start of any", START_ANY), ("start of one", START_ONE)):
        found[name] = bench.repeat(lambda: bench.costed(engine, count, lambda: bench.shoot(engine, path="/v1/instances", body=body, count=count,
                                                                                           connections=64, below=size)))
    engine.stop()
    engine.start()
    found["startMs"], found["rssKib"] = engine.start_ms, engine.memory_kib()
    bench.say(f"{number(size)}: upload {number(found['upload'].median('cpuUs'))} µs, start of any {number(found['start of any'].median('cpuUs'))} µs")
    return found


def ask(bench):
    sizes = bench.pick((10, 100, 1000), (10, 100, 1000, 10000, 100000))
    answer = Answer("Definitions", "Different definitions of two service tasks. Starts are of one that is picked at random each time, and always of the same one, by 64 connections. Reference: ten definitions.")
    rows = answer.table(["definitions", "upload: CPU µs", "p50 ms", "spread", "start of any: CPU µs", "p50 ms", "spread", "start of one: CPU µs", "p50 ms", "spread", "start-up ms", "memory MiB"])
    names = ("upload", "start of any", "start of one")
    found, have = {}, 0
    with bench.engine() as engine:
        for size in sizes:
            at = found[size] = measure_size(bench, engine, have, size)
            have = size
            row = [number(size)]
            for name in names:
                answer.keep(f"{name} at {size}", at[name])
                row += [number(at[name].median("cpuUs")), milliseconds(at[name].median("p50Us")), percent(at[name].spread("cpuUs"))]
            rows.append(row + [f"{at['startMs']:.0f}", mebibytes(at["rssKib"])])
    growth = found[sizes[-1]]["start of any"].median("cpuUs") / found[sizes[0]]["start of any"].median("cpuUs")
    answer.budget(f"CPU per start from {sizes[0]} to {number(sizes[-1])} definitions", "flat (≤ 1.25 ×)", f"{growth:.2f} ×", growth <= 1.25)
    answer.pictures["growth-definitions"] = curves("Cost of one command by the number of definitions", "definitions in the store", "engine CPU, µs",
                                                   {name: [(size, at[name].median("cpuUs")) for size, at in found.items()] for name in names})
    return answer
