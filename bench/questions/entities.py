"""How fast are entities created and changed?"""

from documents import ORDER_MODEL, ORDER_SAMPLE, ORDER_WORKFLOW, order
from measure import Answer, median, ms, number, spread, whole

BATCH = 100
TEXT = """A create checks the document against its model, chooses the workflow, makes one automated transition and answers when all of it is durable. A PUT of each entity then
fires a transition by name with another document. A list of a hundred documents is one request and one transaction. Floor: one record for a write."""
COLUMNS = (("creates/s", "createdPerSecond", median), ("spread", "createdPerSecond", spread), ("CPU µs", "createdCpuUs", median), ("p50 ms", "createdP50Us", ms),
           ("p99 ms", "createdP99Us", ms), ("disk bytes", "createdBytes", whole), ("transitions/s", "firedPerSecond", median), ("CPU µs", "firedCpuUs", median),
           ("p50 ms", "firedP50Us", ms), ("floor/s", "floorPerSecond", median))
IDS = "bench-ids.txt"
GOAL = 20000


def run(bench, count, connections, batch):
    ids = bench.out / IDS
    ids.unlink(missing_ok=True)
    with bench.engine() as engine:
        engine.deploy_model(ORDER_MODEL, ORDER_SAMPLE, ORDER_WORKFLOW)
        path = f"/api/entity/JSON/{ORDER_MODEL}/1"
        made = bench.costed(engine, count, lambda: bench.shoot(engine, path=path, body=order("open"), count=count // (batch or 1), batch=batch, connections=connections,
                                                               keep=ids, mark='"entityIds":["'))
        result = {"created" + name[0].upper() + name[1:]: value for name, value in made.items()}
        fired = count // (batch or 1)  # A list's first entity stands for it.
        part = bench.costed(engine, fired, lambda: bench.shoot(engine, method="PUT", path="/api/entity/JSON/{id}/TOUCH", body=order("seen"), ids=ids, count=fired,
                                                               connections=connections))
        result.update({"fired" + name[0].upper() + name[1:]: value for name, value in part.items()})
        commands = engine.metric("workflow_instances_started_total")
        if commands != count:
            raise SystemExit(f"entities: {count} were created, but {commands:.0f} are there")
    ids.unlink()
    return {**result, **bench.floor(connections * (batch or 1), 1)}


def ask(bench):
    answer = Answer("Entities", TEXT)
    table = answer.table(["documents a request", "in flight", "entities"], COLUMNS)
    for batch, connections, count in ((0, 1, bench.pick(500, 3000)), (0, 64, bench.pick(5000, 60000)), (BATCH, 8, bench.pick(8000, 200000))):
        figures = bench.repeat(lambda: run(bench, count, connections, batch))
        answer.keep(f"{batch or 1} × {connections}", figures)
        table.add([batch or 1, connections, number(count)], figures)
        if connections == 64 and not bench.quick:
            rate = figures.median("createdPerSecond")
            answer.budget("entities created, 64 in flight, client included", f"≥ {GOAL:,}/s", f"{rate:,.0f}/s", rate >= GOAL)
    return answer
