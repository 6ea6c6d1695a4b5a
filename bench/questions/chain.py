"""How many three-step workflows a second, and what does one cost?"""

from documents import CHAIN, CHAIN_COMMANDS, CHAIN_LOAD
from measure import Answer, milliseconds, mebibytes, number, percent

MODES = ("single", "longpoll", "batch")
IN_FLIGHT = (1, 64, 256)


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
    answer = Answer("Three-step chain over HTTP, durable", "Start, then three jobs polled and completed, each completion synced before it is "
                    "answered; client and worker on the same machine. CPU is the engine's, per workflow. Floor: four records of 650 bytes in an "
                    "append-only log, synced as many at a time as workflows are in flight.")
    rows = answer.table(["mode", "in flight", "workflows/s", "spread", "CPU µs", "client CPU µs", "p50 ms", "p99 ms", "requests", "syncs", "bytes",
                         "peak MiB", "floor/s", "floor CPU µs"])
    best = {}
    for in_flight in IN_FLIGHT:
        for mode in MODES:
            workflows = bench.pick(500, 2000) if in_flight == 1 else bench.pick(4000, 30000)
            figures = bench.repeat(lambda: run(bench, mode, in_flight, workflows))
            answer.keep(f"{mode} {in_flight}", figures)
            m = figures.medians()
            bench.say(f"{mode} × {in_flight}: {number(m['perSecond'])}/s, {number(m['cpuUs'])} µs")
            rows.append([mode, in_flight, number(m["perSecond"]), percent(figures.spread("perSecond")), number(m["cpuUs"]), number(m["clientCpuUs"]),
                         milliseconds(m["p50Us"]), milliseconds(m["p99Us"]), number(m["requests"]), f"{m['syncs']:.3f}", number(m["bytes"]),
                         mebibytes(m["peakKib"]), number(m["floorPerSecond"]), number(m["floorCpuUs"])])
            best[mode, in_flight] = m
    http = bench.repeat(lambda: http_alone(bench))
    answer.keep("http", http)
    answer.table(["reference", "requests/s", "spread", "CPU µs", "client CPU µs", "p50 ms"]).append(
        ["HTTP alone: GET /livez, 64 connections", number(http.median("perSecond")), percent(http.spread("perSecond")), number(http.median("cpuUs")),
         number(http.median("clientCpuUs")), milliseconds(http.median("p50Us"))])
    fastest = max(best[mode, in_flight]["perSecond"] for mode in MODES for in_flight in (64, 256))
    cheapest = min(best[mode, in_flight]["cpuUs"] for mode in MODES for in_flight in (64, 256))
    first = best["single", 1]
    answer.budget("three-step workflow over HTTP, durable, 64+ concurrent", "≥ 10,000/s", f"{number(fastest)}/s", fastest >= 10000)
    answer.budget("engine CPU per three-step workflow", "≤ 100 µs", f"{number(cheapest)} µs", cheapest <= 100)
    answer.budget("start-up to first served request, empty store", "≤ 20 ms", f"{first['startMs']:.0f} ms", first["startMs"] <= 20)
    answer.budget("idle memory", "≤ 10 MiB", f"{mebibytes(first['idleKib'])} MiB", first["idleKib"] <= 10240)
    return answer
