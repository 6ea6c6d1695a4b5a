"""What does a parallel branch cost, when there are two, ten or a hundred beside it?"""

from documents import fan, members
from measure import Answer, median, ms, spread

WIDTHS = (2, 10, 100)
TEXT = """A fork, so many service tasks at once, a join. 64 workflows in flight, workers of jobs/batch. Cost is per branch. Floor: a
record for the start and one for each branch."""
COLUMNS = (("workflows/s", "perSecond", median), ("branches/s", "branchesPerSecond", median), ("spread", "perSecond", spread),
           ("CPU µs per branch", "cpuUs", median), ("bytes per branch", "bytes", median), ("p50 ms", "p50Us", ms), ("p99 ms", "p99Us", ms),
           ("floor/s", "floorPerSecond", median))
ORDER = {"total": 44.48, "sku": "A-1"}


def run(bench, width):
    workflows = max(100, bench.pick(4000, 40000) // width)
    with bench.engine() as engine:
        engine.deploy(fan(width))
        result = bench.costed(engine, workflows * width, lambda: bench.load(
            engine, definition=f"fan-{width}", types='["f"]', jobs=width, variables=members(ORDER), result='{"ok":true}', mode="batch",
            in_flight=64, workflows=workflows))
        return {**result, **bench.floor(64, width + 1), "branchesPerSecond": result["perSecond"] * width}


def ask(bench):
    answer = Answer("Parallel fan-out", TEXT)
    table = answer.table(["branches"], COLUMNS)
    for width in WIDTHS:
        figures = bench.repeat(lambda: run(bench, width))
        answer.keep(str(width), figures)
        table.add([width], figures)
    return answer
