"""Does a transition cost more among a million entities than among a thousand?"""

from documents import ORDER_MODEL, ORDER_SAMPLE, ORDER_WORKFLOW, order
from measure import Answer, Figures, median, ms, number, spread
from svg import curves

KINDS = ("create", "transition of one in use", "transition of any")
IDS, USED, USED_COUNT = "bench-ids.txt", "bench-ids-used.txt", 1000
MARK = '"entityIds":["'
TEXT = """Stores of entities that have come to rest. Commands come from 64 connections, the same number at every size and after a tenth of it to get warm. *In use* are a thousand
of them, spread over the store; *any* is one from all over the store. Reference: the smallest store."""


def create(bench, engine, first, count, **options):
    return bench.shoot(engine, path=f"/api/entity/JSON/{ORDER_MODEL}/1", body=order("open"), first=first, count=count, keep=bench.out / IDS, mark=MARK, **options)


def fill(bench, engine, size):
    """Creates them all; the cost of the last of them."""
    part = max(200, min(5000, size // 10))
    create(bench, engine, 0, size - bench.repetitions * part, connections=32, depth=8)
    return Figures([bench.costed(engine, part, lambda first=first: create(bench, engine, first, part, connections=64))
                    for first in range(size - bench.repetitions * part, size, part)])


def fire(bench, engine, ids):
    count = bench.pick(1000, 20000)
    warm = count // 10

    def send(first, many):
        return bench.shoot(engine, method="PUT", path="/api/entity/JSON/{id}/TOUCH", body=order("seen"), ids=bench.out / ids, connections=64, count=many, first=first)
    send(0, warm)
    return Figures([bench.costed(engine, count, lambda first=warm + i * count: send(first, count)) for i in range(bench.repetitions)])


def measure_size(bench, size):
    (bench.out / IDS).unlink(missing_ok=True)
    with bench.engine() as engine:
        engine.deploy_model(ORDER_MODEL, ORDER_SAMPLE, ORDER_WORKFLOW)
        found = {KINDS[0]: fill(bench, engine, size)}
        ids = (bench.out / IDS).read_text().split()
        (bench.out / USED).write_text("".join(f"{one}\n" for one in ids[::max(1, len(ids) // USED_COUNT)][:USED_COUNT]))
        found[KINDS[1]], found[KINDS[2]] = fire(bench, engine, USED), fire(bench, engine, IDS)
    for name in (IDS, USED):
        (bench.out / name).unlink()
    bench.say(f"{number(size)}: " + ", ".join(f"{kind} {median(found[kind], 'cpuUs')} µs" for kind in KINDS))
    return found


def ask(bench):
    answer = Answer("Transitions among many entities", TEXT)
    found = {size: measure_size(bench, size) for size in bench.pick((1000, 10000), (1000, 10000, 100000, 1000000))}
    table = answer.table(["among", *(f"{kind}: {what}" for kind in KINDS for what in ("CPU µs", "p50 ms", "spread"))])
    for size, at in found.items():
        table.add([number(size), *(how(at[kind], name) for kind in KINDS for name, how in (("cpuUs", median), ("p50Us", ms), ("cpuUs", spread)))])
        for kind in KINDS:
            answer.keep(f"{kind} at {size}", at[kind])
    least, most = min(found), max(found)
    growth = {kind: found[most][kind].median("cpuUs") / found[least][kind].median("cpuUs") for kind in KINDS}
    answer.budget(f"CPU per write from {number(least)} to {number(most)} entities", "flat (≤ 1.25 ×)", ", ".join(f"{kind} {by:.2f} ×" for kind, by in growth.items()),
                  max(growth.values()) <= 1.25)
    answer.pictures["growth-entities"] = curves("Cost of one write by the number of entities", "entities in the store", "engine CPU, µs",
                                                {kind: [(size, at[kind].median("cpuUs")) for size, at in found.items()] for kind in KINDS})
    return answer
