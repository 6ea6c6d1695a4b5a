"""How many three-step workflows a second, and what does one cost?"""

from documents import CHAIN, CHAIN_COMMANDS, CHAIN_LOAD
from measure import Answer, median, mebibytes, mib, ms, number, spread

MODES = ("single", "longpoll", "batch")
IN_FLIGHT = (1, 64, 256)
TEXT = """Start, then three jobs polled and completed, each completion synced before it is answered; client and worker on
the same machine. CPU is the engine's, per workflow. Floor: four records of 650 bytes in an append-only log, synced as many at
a time as workflows are in flight."""
COLUMNS = (("workflows/s", "perSecond", median), ("spread", "perSecond", spread), ("CPU µs", "cpuUs", median),
           ("client CPU µs", "clientCpuUs", median), ("p50 ms", "p50Us", ms), ("p99 ms", "p99Us", ms), ("requests", "requests", median),
           ("syncs", "syncs", lambda figures, name: f"{figures.median(name):.3f}"), ("bytes", "bytes", median), ("peak MiB", "peakKib", mib),
           ("floor/s", "floorPerSecond", median), ("floor CPU µs", "floorCpuUs", median))
HTTP_COLUMNS = (("requests/s", "perSecond", median), ("spread", "perSecond", spread), ("CPU µs", "cpuUs", median),
                ("client CPU µs", "clientCpuUs", median), ("p50 ms", "p50Us", ms))


def run(bench, mode, in_flight, workflows):
    with bench.engine() as engine:
        idle, start_ms = engine.memory_kib(), engine.start_ms
        engine.deploy(CHAIN)
        result = bench.costed(engine, workflows, lambda: bench.load(engine, **CHAIN_LOAD, mode=mode, in_flight=in_flight, workflows=workflows))
        return {**result, **bench.floor(in_flight, CHAIN_COMMANDS), "peakKib": engine.memory_kib("VmHWM"), "idleKib": idle, "startMs": start_ms}


def http_alone(bench):
    """A request that never gets to the engine's thread: what HTTP costs."""
    count = bench.pick(20000, 200000)
    with bench.engine() as engine:
        return bench.costed(engine, count, lambda: bench.shoot(engine, method="GET", path="/livez", count=count, connections=64))


def ask(bench):
    answer = Answer("Three-step chain over HTTP, durable", TEXT)
    table = answer.table(["mode", "in flight"], COLUMNS)
    found = {}
    for in_flight in IN_FLIGHT:
        for mode in MODES:
            workflows = bench.pick(500, 2000) if in_flight == 1 else bench.pick(4000, 30000)
            figures = found[mode, in_flight] = bench.repeat(lambda: run(bench, mode, in_flight, workflows))
            answer.keep(f"{mode} {in_flight}", figures)
            table.add([mode, in_flight], figures)
            bench.say(f"{mode} × {in_flight}: {median(figures, 'perSecond')}/s, {median(figures, 'cpuUs')} µs")
    http = bench.repeat(lambda: http_alone(bench))
    answer.keep("http", http)
    answer.table(["reference"], HTTP_COLUMNS).add(["HTTP alone: GET /livez, 64 connections"], http)
    many = [figures for (_, in_flight), figures in found.items() if in_flight >= 64]
    fastest, cheapest = max(figures.median("perSecond") for figures in many), min(figures.median("cpuUs") for figures in many)
    start_ms, idle_kib = (found["single", 1].median(name) for name in ("startMs", "idleKib"))
    answer.budget("three-step workflow over HTTP, durable, 64+ concurrent", "≥ 10,000/s", f"{number(fastest)}/s", fastest >= 10000)
    answer.budget("engine CPU per three-step workflow", "≤ 100 µs", f"{number(cheapest)} µs", cheapest <= 100)
    answer.budget("start-up to first served request, empty store", "≤ 20 ms", f"{start_ms:.0f} ms", start_ms <= 20)
    answer.budget("idle memory", "≤ 10 MiB", f"{mebibytes(idle_kib)} MiB", idle_kib <= 10240)
    return answer
