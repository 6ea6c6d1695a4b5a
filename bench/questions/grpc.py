"""What does a call of gRPC cost the engine, beside the same request over HTTP/1.1?"""

import re

from measure import Answer, median, ms, number, spread

CONNECTIONS, STREAMS = 2, 32
TEXT = f"""One unary call, `Health.Check`, {STREAMS} at a time in each of {CONNECTIONS} connections, and what says the same over HTTP/1.1, `GET
/readyz`, in {CONNECTIONS * STREAMS} connections with one request at a time. Neither gets to the engine's thread: it is what the protocols cost. CPU is the
engine's, user and system."""
COLUMNS = (("calls/s", "perSecond", median), ("spread", "perSecond", spread), ("CPU µs", "cpuUs", median),
           ("client CPU µs", "clientCpuUs", median), ("p50 ms", "p50Us", ms), ("p99 ms", "p99Us", ms))
PROTOCOLS = ("HTTP/1.1", "HTTP/2", "gRPC")


def run(bench, protocol, count):
    with bench.engine("--grpc", "127.0.0.1:0") as engine:
        port = int(re.search(r"gRPC on [^,]*:(\d+)", engine.banner)[1])
        if protocol == "HTTP/1.1":
            shoot = lambda: bench.shoot(engine, method="GET", path="/readyz", count=count, connections=CONNECTIONS * STREAMS)
        else:
            what = {"path": "/readyz"} if protocol == "HTTP/2" else {"path": "/grpc.health.v1.Health/Check", "message": ""}
            shoot = lambda: bench.program("call", f"port={port}", f"count={count}", f"connections={CONNECTIONS}", f"streams={STREAMS}",
                                          *(f"{name}={value}" for name, value in what.items()))
        return bench.costed(engine, count, shoot)


def ask(bench):
    answer = Answer("Calls of gRPC", TEXT)
    table = answer.table(["protocol"], COLUMNS)
    found = {}
    for protocol in PROTOCOLS:
        found[protocol] = figures = bench.repeat(lambda: run(bench, protocol, bench.pick(20000, 200000)))
        answer.keep(protocol, figures)
        table.add([protocol], figures)
        bench.say(f"{protocol}: {median(figures, 'perSecond')}/s, {median(figures, 'cpuUs')} µs")
    ratio = found["gRPC"].median("cpuUs") / found["HTTP/1.1"].median("cpuUs")
    answer.budget("engine CPU per unary gRPC call, by the same over HTTP/1.1", "≤ 1.2", number(ratio), ratio <= 1.2)
    return answer
