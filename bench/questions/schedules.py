"""How long does it take until ten thousand schedules of the same second have fired, and what do a hundred thousand cost in between?"""

import datetime
import time

from measure import Answer, median, number, spread

TEXT = """Definitions with a hundred cron triggers each. Some are due in the same second, and each slot starts an instance, durably; the
others are due in a year. Idle: the engine's CPU time per second with all of them armed."""
COLUMNS = (("all fired after s", "seconds", median), ("spread", "seconds", spread), ("CPU µs each", "cpuUs", median),
           ("idle CPU µs/s", "idleUs", median))
TRIGGERS = 100  # Of one definition, the most there may be.
IDLE_SECONDS = 2


def definition(name, cron):
    return {"id": name, "name": name, "steps": [{"id": "end", "name": "End", "type": "END"}],
            "triggers": [{"id": f"t{n}", "type": "cron", "cronExpression": cron} for n in range(TRIGGERS)]}


def await_rest(engine):
    """The list of triggers is read once after definitions were published."""
    for _ in range(120):
        cpu = engine.cpu_us()
        time.sleep(0.5)
        if engine.cpu_us() - cpu < 5000:
            return


def fire(engine, due, count):
    time.sleep(max(0, due - time.time() - 0.1))
    cpu = engine.cpu_us()
    fired = 0
    while fired < count and time.time() < due + 60:
        time.sleep(0.02)
        fired = engine.metric("pawl_schedule_slots_fired_total")
    seconds = time.time() - due
    time.sleep(0.5)  # One too many would come now.
    return engine.metric("pawl_schedule_slots_fired_total"), seconds, (engine.cpu_us() - cpu) / count


def run(bench, due_count, idle_count):
    with bench.engine() as engine:
        for n in range((idle_count - due_count) // TRIGGERS):
            engine.deploy(definition(f"idle-{n}", "0 0 0 1 1 *"))
        await_rest(engine)
        due = int(time.time()) + bench.pick(5, 15)
        moment = datetime.datetime.fromtimestamp(due, datetime.timezone.utc)
        for n in range(due_count // TRIGGERS):
            engine.deploy(definition(f"due-{n}", moment.strftime("%S %M %H %d %m *")))
        if time.time() > due - 0.5:
            raise SystemExit("schedules: the definitions took longer than planned; the machine is too busy")
        fired, seconds, each = fire(engine, due, due_count)
        await_rest(engine)  # After an upload, triggers of other kinds are looked for among all of them, once.
        cpu = engine.cpu_us()
        time.sleep(IDLE_SECONDS)
        idle = (engine.cpu_us() - cpu) / IDLE_SECONDS
        armed = engine.metric("pawl_schedules")
        engine.stop()
    if (fired, armed) != (due_count, idle_count):
        raise SystemExit(f"schedules: {due_count} due, {fired} fired, {armed} of {idle_count} armed")
    bench.say(f"{seconds:.2f} s")
    return {"seconds": seconds, "cpuUs": each, "idleUs": idle}


def ask(bench):
    due, idle = bench.pick(1000, 10000), bench.pick(5000, 100000)
    answer = Answer("Schedules due in the same second", TEXT)
    figures = bench.repeat(lambda: run(bench, due, idle))
    answer.keep("schedules", figures)
    answer.table(["due", "armed", "twice", "never"], COLUMNS).add([number(due), number(idle), 0, 0], figures)
    seconds = figures.median("seconds")
    answer.budget("schedules of one second", "10,000 fire within it", f"{number(due)} in {seconds:.2f} s", seconds <= 1)
    return answer
