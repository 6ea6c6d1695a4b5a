"""How many timers fire a second when a million are due in the same one, and does any fire twice?"""

import datetime
import time

from documents import delay
from measure import Answer, median, number, spread

TEXT = """Instances of a DELAY until the same time; each timer that fires ends its instance, durably. After it, counters and the rows of
history say that each fired once. Floor: a record for each, 256 to a sync."""
COLUMNS = (("fired/s", "perSecond", median), ("spread", "perSecond", spread), ("CPU µs", "cpuUs", median), ("all fired after s", "seconds", median),
           ("floor/s", "floorPerSecond", median))

LATE_MAX = 3  # Attempts to be done with the starts before the time has come.


def start_body(name):
    return '{"definitionId":"%s","variables":{"order":"order-{n}"}}' % name


def fill(bench, engine, name, count):
    return bench.shoot(engine, path="/v1/instances", body=start_body(name), count=count, connections=32, depth=8)


def filled(bench, engine, count, warm_up):
    """Starts `count` instances that all sleep until the same time, and returns that time."""
    seconds = count / fill(bench, engine, "warm-up", warm_up)["perSecond"] * 1.5 + 3
    due = int(time.time() + seconds) + 1
    engine.deploy(delay("sleep", datetime.datetime.fromtimestamp(due, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")))
    fill(bench, engine, "sleep", count)
    return due


def fire(bench, engine, due, count):
    """Watches them fire. The counter is read now and then, as reading it costs the engine something."""
    time.sleep(max(0, due - time.time() - 0.1))
    cpu = engine.cpu_us()
    fired = 0
    while fired < count and time.time() < due + 600:
        time.sleep(bench.pick(0.05, 0.25))
        fired = engine.metric("pawl_timers_fired_total")
    seconds = time.time() - due
    time.sleep(0.5)  # One too many would come now.
    fired = engine.metric("pawl_timers_fired_total")
    return {"fired": fired, "perSecond": fired / seconds, "seconds": seconds, "cpuUs": (engine.cpu_us() - cpu) / count}


def run(bench, count):
    warm_up = count // 20
    with bench.engine() as engine:
        engine.deploy(delay("warm-up", "2090-01-01T00:00:00Z"))
        due = filled(bench, engine, count, warm_up)
        if time.time() > due:
            return None
        waiting = engine.metric("pawl_timers_fired_total")
        result = fire(bench, engine, due, count)
        ended = engine.metric('workflow_instances_completed_total{outcome="COMPLETED"}')
        engine.stop()
        # Each start and each firing is one row of history: a timer that fired twice would be one more.
        rows = engine.rows("history")
    if waiting or (result["fired"], ended, rows) != (count, count, 2 * count + warm_up):
        raise SystemExit(f"timers: {count} due, {waiting} early, {result['fired']} fired, {ended} instances ended, {rows} rows of history")
    bench.say(f"{number(result['perSecond'])}/s")
    return {**result, **bench.floor(256)}


def run_in_time(bench, count):
    for _ in range(LATE_MAX):
        result = run(bench, count)
        if result:
            return result
    raise SystemExit("timers: the starts took longer than planned; the machine is too busy")


def ask(bench):
    count = bench.pick(20000, 1000000)
    answer = Answer("Timers due in the same second", TEXT)
    figures = bench.repeat(lambda: run_in_time(bench, count))
    answer.keep("timers", figures)
    answer.table(["timers", "twice", "never"], COLUMNS).add([number(count), 0, 0], figures)
    rate = figures.median("perSecond")
    answer.budget("due timers", "≥ 20,000/s, none twice", f"{number(rate)}/s of {number(count)}, none twice", rate >= 20000)
    return answer
