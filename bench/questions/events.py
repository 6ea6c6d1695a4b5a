"""How fast do events start instances, find the one that waits for them, and end it?"""

from documents import ORDERS, event
from measure import Answer, median, ms, number, spread

BATCH = 16
TEXT = """A CloudEvent starts an instance for each order; when all wait, a second event for each, found by its correlation key, ends
it. Every event is remembered by its id. Floor: two records for an order."""
COLUMNS = (("orders/s", "perSecond", median), ("spread", "perSecond", spread), ("start: events/s", "placedPerSecond", median),
           ("CPU µs", "placedCpuUs", median), ("correlate and end: events/s", "paidPerSecond", median), ("CPU µs", "paidCpuUs", median),
           ("p50 ms", "paidP50Us", ms), ("p99 ms", "paidP99Us", ms), ("floor orders/s", "floorPerSecond", median))


def run(bench, orders, connections, batch):
    kind = "application/cloudevents-batch+json" if batch else "application/cloudevents+json"
    count = orders // (batch or 1)
    with bench.engine() as engine:
        engine.deploy(ORDERS)
        result = {}
        for step in ("placed", "paid"):
            part = bench.costed(engine, orders, lambda: bench.shoot(engine, path="/v1/events", type=kind, body=event(step), count=count,
                                                                    connections=connections, batch=batch))
            result.update({step + name[0].upper() + name[1:]: value for name, value in part.items()})
        done = [engine.metric(name) for name in ("pawl_events_started_total", "pawl_events_delivered_total", "pawl_events_unmatched_total")]
        if done != [orders, orders, 0] or engine.metric('workflow_instances_completed_total{outcome="COMPLETED"}') != orders:
            raise SystemExit(f"events: {orders} orders, but started, delivered and unmatched are {done}")
        result["perSecond"] = 1 / (1 / result["placedPerSecond"] + 1 / result["paidPerSecond"])
        return {**result, **bench.floor(connections * (batch or 1), 2)}


def ask(bench):
    answer = Answer("Event correlation", TEXT)
    table = answer.table(["events a request", "in flight", "waiting"], COLUMNS)
    for batch, connections, orders in ((0, 1, bench.pick(500, 3000)), (0, 64, bench.pick(5000, 40000)), (BATCH, 16, bench.pick(8000, 160000))):
        figures = bench.repeat(lambda: run(bench, orders, connections, batch))
        answer.keep(f"{batch or 1} × {connections}", figures)
        table.add([batch or 1, connections, number(orders)], figures)
    return answer
