"""What does interpretation cost when the whole workflow runs inside the engine?"""

import json

from documents import RULES_DATA, RULES_STATES, rules
from measure import Answer, median, ms, spread

TEXT = """Four rounds of a transformation, a decision table and a decision; nothing is done outside. One request and one command a
workflow. Floor: one record."""
HTTP_COLUMNS = (("workflows/s", "perSecond", median), ("states/s", "statesPerSecond", median), ("spread", "perSecond", spread),
                ("CPU µs", "cpuUs", median), ("p50 ms", "p50Us", ms), ("p99 ms", "p99Us", ms), ("bytes", "bytes", median),
                ("floor/s", "floorPerSecond", median))
CORE_COLUMNS = (("ns per state", "stepNs", median), ("spread", "stepNs", spread), ("with stored forms", "storedNs", median),
                ("µs per workflow", "startUs", median), ("history bytes per state", "historyBytes", median),
                ("reference: parsing the data, µs", "parseUs", median))


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


def over_http(bench, definition, data, states, connections, count):
    """Each request starts an instance that has ended when it is answered."""
    body = json.dumps({"definitionId": definition["id"], "variables": data}, separators=(",", ":"))
    with bench.engine() as engine:
        engine.deploy(definition)
        result = bench.costed(engine, count, lambda: bench.shoot(engine, path="/v1/instances", body=body, count=count, connections=connections))
        if engine.metric('workflow_instances_completed_total{outcome="COMPLETED"}') != count:
            raise SystemExit(f"not all of {count} instances of {definition['id']} came to their end")
        return {**result, **bench.floor(connections), "statesPerSecond": result["perSecond"] * states}


def answer_both(bench, answer, definition, data, states, rounds, counts):
    table = answer.table(["over HTTP", "in flight"], HTTP_COLUMNS)
    for connections, count in counts:
        figures = bench.repeat(lambda: over_http(bench, definition, data, states, connections, count))
        answer.keep(f"http {connections}", figures)
        table.add(["durable", connections], figures)
    core = bench.repeat(lambda: core_only(bench, definition, data, states, rounds))
    answer.keep("core", core)
    answer.table(["core only"], CORE_COLUMNS).add([f"{states} states, {core.median('dataBytes'):.0f} bytes of data"], core)
    return answer


def ask(bench):
    counts = (1, bench.pick(500, 3000)), (64, bench.pick(5000, 50000))
    return answer_both(bench, Answer("Pure interpretation", TEXT), rules(), RULES_DATA, RULES_STATES, bench.pick(2000, 20000), counts)
