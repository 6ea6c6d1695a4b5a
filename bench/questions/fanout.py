"""What does a parallel branch cost, when there are two, ten or a hundred beside it?"""

from documents import fan, members
from measure import Answer, milliseconds, number, percent

WIDTHS = (2, 10, 100)
ORDER = {"total": 44.48, "sku": "A-1"}


def run(bench, width):
    workflows = max(100, bench.pick(4000, 40000) // width)
    with bench.engine() as engine:
        engine.deploy(fan(width))
        result = bench.costed(engine, workflows * width, lambda: bench.load(
            engine, definition=f"fan-{width}", types='["f"]', jobs=width, variables=members(ORDER), result='{"ok":true}', mode="batch",
            in_flight=64, workflows=workflows))
        return {**result, **bench.floor(64, width + 1)}


def ask(bench):
    answer = Answer("Parallel fan-out", "A fork, so many service tasks at once, a join. 64 workflows in flight, workers of jobs/batch. Cost is per branch. "
                    "Floor: a record for the start and one for each branch.")
    rows = answer.table(["branches", "workflows/s", "branches/s", "spread", "CPU µs per branch", "bytes per branch", "p50 ms", "p99 ms", "floor/s"])
    for width in WIDTHS:
        figures = bench.repeat(lambda: run(bench, width))
        answer.keep(str(width), figures)
        m = figures.medians()
        rows.append([width, number(m["perSecond"]), number(m["perSecond"] * width), percent(figures.spread("perSecond")), number(m["cpuUs"]), number(m["bytes"]),
                     milliseconds(m["p50Us"]), milliseconds(m["p99Us"]), number(m["floorPerSecond"])])
    return answer
