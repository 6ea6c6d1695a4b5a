"""What do a thousand to a million parked instances cost, and does a command among them cost more?

Each size has a store of its own. It is measured what the instances take, how long the engine takes to start with
them, what one more command costs, and how long lists take. As many signals and reads are sent to a thousand instances
as to a million: a few hundred would be over before the engine is warm.
"""

import json
import time

from documents import PARKED, PARKED_START
from measure import Answer, Figures, mebibytes, median, mib, ms, number, spread, whole
from svg import curves

PARTS = 3  # The last instances of each size are started in so many parts, whose cost is measured.
IDS = "bench-ids.txt"
USED = "bench-ids-used.txt"
USED_COUNT = 1000
KINDS = ("start", "signal to one in use", "signal to any", "read of any")
TEXT = """Instances that wait for a signal, with 200 bytes of variables and a business key. Commands are sent by 64 connections, the same number at every
size and after a tenth of it to get warm; lists are asked by one. *In use* are a thousand of them, evenly spread over the store, which are signalled
again and again; *any* is one from all over the store: among a thousand every one is in memory, among a million none is asked twice. Reference: the
smallest store, and an empty one."""


def starts(bench, engine, first, count, **options):
    return bench.shoot(engine, path="/v1/instances", body=PARKED_START, first=first, count=count, keep=bench.out / IDS, **options)


def fill(bench, engine, size):
    """Starts them all; the cost of the last of them."""
    part = max(300, min(5000, size // 10))
    starts(bench, engine, 0, size - PARTS * part, connections=32, depth=8)
    return Figures([bench.costed(engine, part, lambda first=first: starts(bench, engine, first, part, connections=64))
                    for first in range(size - PARTS * part, size, part)])


def ask_many(bench, engine, ids, request):
    count = bench.pick(1000, 20000)
    warm = count // 10

    def send(first, many):
        return bench.shoot(engine, **request, ids=bench.out / ids, connections=64, count=many, first=first)
    send(0, warm)
    return Figures([bench.costed(engine, count, lambda first=warm + i * count: send(first, count)) for i in range(bench.repetitions)])


def commands(bench, engine):
    """Signals, after which an instance goes on to wait again, and reads."""
    ids = (bench.out / IDS).read_text().split()
    (bench.out / USED).write_text("".join(f"{one}\n" for one in ids[::len(ids) // USED_COUNT][:USED_COUNT]))
    signal, read = {"path": "/v1/instances/{id}/signals/wait", "body": '{"seen":{n}}'}, {"method": "GET", "path": "/v1/instances/{id}"}
    return {kind: ask_many(bench, engine, ids, request)
            for kind, ids, request in zip(KINDS[1:], (USED, IDS, IDS), (signal, signal, read))}


def lists(bench, engine, size):
    cursor = json.loads(engine.get(f"/v1/instances?pageSize=20&page={size // 40}"))["nextCursor"]
    queries = {
        "first page": "", "by cursor, from the middle": f"&cursor={cursor}", "page in the middle by number": f"&page={size // 40}",
        "by status": "&status=WAITING", "by a status that none has": "&status=FAILED", "by definition": "&definitionId=parked",
        "by business key": f"&businessKey=order-{size // 2}"}
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


def measure_size(bench, size):
    (bench.out / IDS).unlink(missing_ok=True)
    with bench.engine() as engine:
        idle = {"idleKib": engine.memory_kib(), "emptyMs": engine.start_ms}
        engine.deploy(PARKED)
        found = {**idle, "start": fill(bench, engine, size), "rest": start_up(bench, engine), **commands(bench, engine)}
        found["lists"] = lists(bench, engine, size)
        found["busyKib"] = engine.memory_kib()
    for name in (IDS, USED):
        (bench.out / name).unlink()
    bench.say(f"{number(size)}: " + ", ".join(f"{kind} {median(found[kind], 'cpuUs')} µs" for kind in KINDS))
    return found


def write(answer, found):
    idle_kib, empty_ms = (found[min(found)][name] for name in ("idleKib", "emptyMs"))
    table = answer.table(["parked", "disk bytes each", "memory MiB, started anew", "in use", "in use: bytes each", "start-up ms", "spread"])
    for size, at in found.items():
        rest = at["rest"]
        answer.keep(f"rest at {size}", rest)
        table.add([number(size), number(rest.median("diskBytes") / size), mib(rest, "rssKib"), mebibytes(at["busyKib"]),
                   number((at["busyKib"] - idle_kib) * 1024 / size), whole(rest, "startMs"), spread(rest, "startMs")])
    table.add(["none (reference)", "", mebibytes(idle_kib), "", "", f"{empty_ms:.0f}", ""])
    table = answer.table(["among", *(f"{kind}: {what}" for kind in KINDS for what in ("CPU µs", "p50 ms", "spread"))])
    for size, at in found.items():
        table.add([number(size), *(how(at[kind], name) for kind in KINDS for name, how in (("cpuUs", median), ("p50Us", ms), ("cpuUs", spread)))])
        for kind in KINDS:
            answer.keep(f"{kind} at {size}", at[kind])
    table = answer.table(["20 instances of", *(f"{name}, ms" for name in found[max(found)]["lists"])])
    for size, at in found.items():
        table.add([number(size), *(ms(figures, "p50Us") for figures in at["lists"].values())])
        for name, figures in at["lists"].items():
            answer.keep(f"list {name} at {size}", figures)


def judge(answer, found):
    least, most = min(found), max(found)
    each = (found[most]["busyKib"] - found[least]["busyKib"]) * 1024 / (most - least)
    disk = found[most]["rest"].median("diskBytes") / most
    growth = {kind: found[most][kind].median("cpuUs") / found[least][kind].median("cpuUs") for kind in KINDS[:3]}
    answer.budget(f"a parked instance, memory ({number(most)} parked)", "≤ 1 KiB beyond its data", f"{each:.0f} bytes", each <= 1024)
    answer.budget(f"a parked instance, disk ({number(most)} parked)", "≤ 2 KiB", f"{disk:.0f} bytes", disk <= 2048)
    answer.budget(f"CPU per command from {number(least)} to {number(most)} instances", "flat (≤ 1.25 ×)",
                  ", ".join(f"{kind} {by:.2f} ×" for kind, by in growth.items()), max(growth.values()) <= 1.25)


def ask(bench):
    answer = Answer("Parked instances", TEXT)
    found = {size: measure_size(bench, size) for size in bench.pick((1000, 10000), (1000, 10000, 100000, 1000000))}
    write(answer, found)
    judge(answer, found)
    answer.pictures["growth-instances"] = curves(
        "Cost of one command by the number of instances", "instances in the store", "engine CPU, µs",
        {kind: [(size, at[kind].median("cpuUs")) for size, at in found.items()] for kind in KINDS})
    answer.pictures["growth-lists"] = curves(
        "Lists of 20 by the number of instances", "instances in the store", "p50, ms",
        {name: [(size, at["lists"][name].median("p50Us") / 1000) for size, at in found.items()] for name in found[max(found)]["lists"]})
    return answer
