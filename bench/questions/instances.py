"""What do a thousand to a million parked instances cost, and does a command among them cost more?

One store grows from size to size. At each it is measured what the instances take, how long the engine
takes to start with them, what one more command costs, and how long lists take.
"""

import json
import time

from documents import PARKED, PARKED_START
from measure import Answer, Figures, mebibytes, milliseconds, number, percent
from svg import curves

PARTS = 3  # The last instances of each size are started in so many parts, whose cost is measured.
IDS = "bench-ids.txt"


def starts(bench, engine, first, count, **options):
    return bench.shoot(engine, path="/v1/instances", body=PARKED_START, first=first, count=count, keep=bench.out / IDS, **options)


def grow(bench, engine, have, size):
    """Starts the missing instances; the cost of the last of them."""
    part = max(100, min(5000, size // 10))
    bulk = size - have - PARTS * part
    if bulk > 0:
        starts(bench, engine, have, bulk, connections=32, depth=8)
    return Figures([bench.costed(engine, part, lambda i=i: starts(bench, engine, size - (PARTS - i) * part, part, connections=64)) for i in range(PARTS)])


def commands(bench, engine, size):
    """Signals to instances from all over the store, each going on to wait again, and reads."""
    count = max(300, min(5000, size // 3))
    ids = {"ids": bench.out / IDS, "connections": 64, "count": count}
    rounds = range(bench.repetitions)
    return {
        "signal": Figures([bench.costed(engine, count, lambda: bench.shoot(engine, path="/v1/instances/{id}/signals/wait", body='{"seen":{n}}',
                                                                           first=i * count, **ids)) for i in rounds]),
        "read": Figures([bench.costed(engine, count, lambda: bench.shoot(engine, method="GET", path="/v1/instances/{id}", first=i * count, **ids)) for i in rounds]),
    }


def lists(bench, engine, size):
    cursor = json.loads(engine.get(f"/v1/instances?pageSize=20&page={size // 40}"))["nextCursor"]
    queries = {
        "first page": "", "by cursor, from the middle": f"&cursor={cursor}", "page in the middle by number": f"&page={size // 40}", "by status": "&status=ACTIVE",
        "by a status that none has": "&status=FAILED", "by definition": "&definitionId=parked", "by business key": f"&businessKey=order-{size // 2}"}
    return {name: bench.repeat(lambda: bench.shoot(engine, method="GET", path="/v1/instances?pageSize=20" + query, count=bench.pick(50, 200)))
            for name, query in queries.items()}


def start_up(bench, engine):
    """Stopped in order and started again; what is on disk then has been merged into the store's file."""
    runs = []
    for _ in range(bench.repetitions):
        engine.stop()
        disk = engine.disk_bytes()
        engine.start()
        time.sleep(0.2)
        runs.append({"startMs": engine.start_ms, "diskBytes": disk, "rssKib": engine.memory_kib()})
    return Figures(runs)


def measure_size(bench, engine, have, size):
    found = {"start": grow(bench, engine, have, size), "rest": start_up(bench, engine)}
    found.update(commands(bench, engine, size))
    found["lists"] = lists(bench, engine, size)
    found["busyKib"] = engine.memory_kib()
    bench.say(f"{number(size)}: start {number(found['start'].median('cpuUs'))} µs, signal {number(found['signal'].median('cpuUs'))} µs")
    return found


def write(answer, found, idle_kib, empty_ms):
    rows = answer.table(["parked", "disk bytes each", "memory bytes each, after a start", "memory MiB, after a start", "and in use", "start-up ms", "spread"])
    for size, at in found.items():
        rest = at["rest"].medians()
        rows.append([number(size), number(rest["diskBytes"] / size), number((rest["rssKib"] - idle_kib) * 1024 / size), mebibytes(rest["rssKib"]),
                     mebibytes(at["busyKib"]), f"{rest['startMs']:.0f}", percent(at["rest"].spread("startMs"))])
        answer.keep(f"rest at {size}", at["rest"])
    rows.append(["none (reference)", "", "", mebibytes(idle_kib), "", f"{empty_ms:.0f}", ""])
    rows = answer.table(["command among", "start: CPU µs", "p50 ms", "spread", "signal: CPU µs", "p50 ms", "spread", "read: CPU µs", "p50 ms"])
    for size, at in found.items():
        row = [number(size)]
        for name in ("start", "signal", "read"):
            answer.keep(f"{name} at {size}", at[name])
            row += [number(at[name].median("cpuUs")), milliseconds(at[name].median("p50Us")), percent(at[name].spread("cpuUs"))]
        rows.append(row[:-1])
    rows = answer.table(["20 instances of", *found[max(found)]["lists"]])
    for size, at in found.items():
        rows.append([number(size)] + [milliseconds(figures.median("p50Us")) + " ms" for figures in at["lists"].values()])
        for name, figures in at["lists"].items():
            answer.keep(f"list {name} at {size}", figures)


def ask(bench):
    sizes = bench.pick((1000, 10000), (1000, 10000, 100000, 1000000))
    answer = Answer("Parked instances", "Instances that wait for a signal, with 200 bytes of variables and a business key. Commands are sent by 64 connections, signals and reads go to "
                    "instances from all over the store; lists are asked by one. Reference: the smallest store, and an empty one.")
    found, have = {}, 0
    (bench.out / IDS).unlink(missing_ok=True)
    with bench.engine() as engine:
        idle_kib, empty_ms = engine.memory_kib(), engine.start_ms
        engine.deploy(PARKED)
        for size in sizes:
            found[size] = measure_size(bench, engine, have, size)
            have = size
    (bench.out / IDS).unlink()
    write(answer, found, idle_kib, empty_ms)
    least, most = sizes[0], sizes[-1]
    rest = found[most]["rest"].medians()
    each, disk = (rest["rssKib"] - idle_kib) * 1024 / most, rest["diskBytes"] / most
    growth = {name: found[most][name].median("cpuUs") / found[least][name].median("cpuUs") for name in ("start", "signal")}
    answer.budget(f"a parked instance, memory ({number(most)} parked)", "≤ 1 KiB beyond its data", f"{each:.0f} bytes", each <= 1024)
    answer.budget(f"a parked instance, disk ({number(most)} parked)", "≤ 2 KiB", f"{disk:.0f} bytes", disk <= 2048)
    answer.budget(f"CPU per command from {number(least)} to {number(most)} instances", "flat (≤ 1.25 ×)", ", ".join(f"{name} {by:.2f} ×" for name, by in growth.items()),
                  max(growth.values()) <= 1.25)
    answer.pictures["growth-instances"] = curves(
        "Cost of one command by the number of instances", "instances in the store", "engine CPU, µs",
        {name: [(size, at[name].median("cpuUs")) for size, at in found.items()] for name in ("start", "signal", "read")})
    answer.pictures["growth-lists"] = curves(
        "Lists of 20 by the number of instances", "instances in the store", "p50, ms",
        {name: [(size, at["lists"][name].median("p50Us") / 1000) for size, at in found.items()] for name in found[most]["lists"]})
    return answer
