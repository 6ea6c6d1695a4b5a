"""What does interpretation cost when the whole workflow runs inside the engine?"""

import json

from documents import RULES_DATA, RULES_STATES, rules
from measure import Answer, milliseconds, number, percent


def core_only(bench, definition, data, states, rounds):
    """The core's time, without store and network."""
    paths = bench.out / "bench-definition.json", bench.out / "bench-data.json"
    paths[0].write_text(json.dumps(definition))
    paths[1].write_text(json.dumps(data, separators=(",", ":")))
    try:
        return bench.program("states", *paths, states, rounds)
    finally:
        for path in paths:
            path.unlink()


def over_http(bench, definition, data, connections, count):
    """Each request starts an instance that has ended when it is answered."""
    body = json.dumps({"definitionId": definition["id"], "variables": data}, separators=(",", ":"))
    with bench.engine() as engine:
        engine.deploy(definition)
        result = bench.costed(engine, count, lambda: bench.shoot(engine, path="/v1/instances", body=body, count=count, connections=connections))
        if engine.metric('workflow_instances_completed_total{outcome="COMPLETED"}') != count:
            raise SystemExit(f"not all of {count} instances of {definition['id']} came to their end")
        return {**result, **bench.floor(connections)}


def answer_both(bench, answer, definition, data, states, rounds, counts):
    rows = answer.table(["over HTTP", "in flight", "workflows/s", "states/s", "spread", "CPU µs", "p50 ms", "p99 ms", "bytes", "floor/s"])
    for connections, count in counts:
        figures = bench.repeat(lambda: over_http(bench, definition, data, connections, count))
        answer.keep(f"http {connections}", figures)
        m = figures.medians()
        rows.append(["durable", connections, number(m["perSecond"]), number(m["perSecond"] * states), percent(figures.spread("perSecond")), number(m["cpuUs"]),
                     milliseconds(m["p50Us"]), milliseconds(m["p99Us"]), number(m["bytes"]), number(m["floorPerSecond"])])
    core = bench.repeat(lambda: core_only(bench, definition, data, states, rounds))
    answer.keep("core", core)
    m = core.medians()
    rows = answer.table(["core only", "ns per state", "spread", "with stored forms: ns per state", "µs per workflow", "history bytes per state", "reference: parsing the data, µs"])
    rows.append([f"{states} states, {m['dataBytes']:.0f} bytes", number(m["stepNs"]), percent(core.spread("stepNs")), number(m["storedNs"]), number(m["startUs"]),
                 number(m["historyBytes"]), number(m["parseUs"])])
    return answer


def ask(bench):
    answer = Answer("Pure interpretation", "Four rounds of a transformation, a decision table and a decision; nothing is done outside. One request and one command a workflow. "
                    "Floor: one record.")
    return answer_both(bench, answer, rules(), RULES_DATA, RULES_STATES, bench.pick(2000, 20000), ((1, bench.pick(500, 3000)), (64, bench.pick(5000, 50000))))
