"""How fast do webhooks create and update instances?"""

from measure import Answer, median, ms, number, spread

TEXT = """A request to a webhook creates an instance under a key of its own, which then waits for a person; a second request for each key updates
it. Every arrival is recorded. Floor: one record for a request."""
COLUMNS = (("creates/s", "createdPerSecond", median), ("spread", "createdPerSecond", spread), ("CPU µs", "createdCpuUs", median), ("p50 ms", "createdP50Us", ms),
           ("p99 ms", "createdP99Us", ms), ("updates/s", "updatedPerSecond", median), ("CPU µs", "updatedCpuUs", median), ("floor/s", "floorPerSecond", median))
HOOK = {"dialect": "graph/1", "definitionId": "hook", "name": "Hook",
        "triggers": [{"id": "t", "type": "http", "path": "/hook", "correlationExpression": "$.body.id"}],
        "nodes": [{"id": "h", "type": "human_task", "config": {"title": "work"}}, {"id": "e", "type": "end"}],
        "edges": [{"from": "t", "to": "h"}, {"from": "h", "to": "e"}]}


def run(bench, count, connections):
    with bench.engine() as engine:
        engine.deploy(HOOK)
        result = {}
        for step in ("created", "updated"):
            part = bench.costed(engine, count, lambda: bench.shoot(engine, path="/hooks/hook", body='{"id":"k{n}","total":12}', count=count, connections=connections))
            result.update({step + name[0].upper() + name[1:]: value for name, value in part.items()})
        done = [engine.metric(f'pawl_arrivals_total{{outcome="{outcome}"}}') for outcome in ("created", "updated")]
        if done != [count, count]:
            raise SystemExit(f"webhooks: {count} keys, but created and updated are {done}")
        return {**result, **bench.floor(connections, 1)}


def ask(bench):
    answer = Answer("Webhooks", TEXT)
    table = answer.table(["in flight", "keys"], COLUMNS)
    for connections, count in ((1, bench.pick(500, 3000)), (64, bench.pick(5000, 60000))):
        figures = bench.repeat(lambda: run(bench, count, connections))
        answer.keep(f"{connections}", figures)
        table.add([connections, number(count)], figures)
    return answer
