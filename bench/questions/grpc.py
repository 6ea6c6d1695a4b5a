"""What does a call of gRPC cost the engine, beside the same request over HTTP/1.1?"""

import re

from documents import CHAIN
from measure import Answer, median, ms, number, spread

CONNECTIONS, STREAMS = 2, 32
TEXT = f"""Two unary calls and what says the same over HTTP/1.1: `Health.Check` and `GET /readyz`, which are answered by the network's thread and
show what the protocols cost; `GetInstance` and `GET /v1/instances/…`, which the engine answers. gRPC and HTTP/2 have {STREAMS} in flight in each of
{CONNECTIONS} connections, HTTP/1.1 one in each of {CONNECTIONS * STREAMS}. CPU is the engine's, user and system."""
COLUMNS = (("calls/s", "perSecond", median), ("spread", "perSecond", spread), ("CPU µs", "cpuUs", median),
           ("client CPU µs", "clientCpuUs", median), ("p50 ms", "p50Us", ms), ("p99 ms", "p99Us", ms))
PROTOCOLS = ("HTTP/1.1", "HTTP/2", "gRPC")


def calls(engine):
    """The path over HTTP, that over gRPC and its message, by the call's name."""
    engine.deploy(CHAIN)
    instance = engine.post("/v1/instances", {"definitionId": CHAIN["id"], "variables": {"n": 1}})["id"]
    message = bytes([0x0A, len(instance)]) + instance.encode()  # GetInstanceRequest: id = 1.
    return {"Health.Check": ("/readyz", "/grpc.health.v1.Health/Check", ""),
            "GetInstance": (f"/v1/instances/{instance}", "/workflow.v1.WorkflowEngine/GetInstance", message.hex())}


def run(bench, call, protocol, count):
    with bench.engine("--grpc", "127.0.0.1:0") as engine:
        path, method, message = calls(engine)[call]
        if protocol == "HTTP/1.1":
            return bench.costed(engine, count, lambda: bench.shoot(engine, method="GET", path=path, count=count,
                                                                   connections=CONNECTIONS * STREAMS))
        port = re.search(r"gRPC on [^,]*:(\d+)", engine.banner)[1]
        what = [f"path={path}"] if protocol == "HTTP/2" else [f"path={method}", f"message={message}"]
        return bench.costed(engine, count, lambda: bench.program("call", f"port={port}", f"count={count}", *what,
                                                                 f"connections={CONNECTIONS}", f"streams={STREAMS}"))


def ask(bench):
    answer = Answer("Calls of gRPC", TEXT)
    table = answer.table(["call", "protocol"], COLUMNS)
    found = {}
    for call in ("Health.Check", "GetInstance"):
        for protocol in PROTOCOLS:
            found[call, protocol] = figures = bench.repeat(lambda: run(bench, call, protocol, bench.pick(10000, 100000)))
            answer.keep(f"{call} {protocol}", figures)
            table.add([call, protocol], figures)
            bench.say(f"{call}, {protocol}: {median(figures, 'perSecond')}/s, {median(figures, 'cpuUs')} µs")
        ratio = found[call, "gRPC"].median("cpuUs") / found[call, "HTTP/1.1"].median("cpuUs")
        answer.budget(f"engine CPU of {call} over gRPC, by the same over HTTP/1.1", "≤ 1.2", number(ratio), ratio <= 1.2)
    return answer
