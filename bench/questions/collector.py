"""What does a collector of traces cost that hangs, and what is lost while it is away?"""

import http.server
import json
import os
import socket
import threading
import time

from documents import CHAIN, CHAIN_LOAD
from measure import Answer, Figures, median, ms, number

TEXT = """The chain at a fixed rate, every run traced. First without a collector and with one that takes connections and never answers; there is room for the
notes of 4,096 runs, so that most are dropped. Then with one that is not there (`AWAY=3600` for an hour), the usual room, and a collector that comes at the
end: it counts the spans that it gets, each once. Memory is what the process has more after the load than before it, its growing store's caches included."""
COLUMNS = (("workflows/s", "rate", median), ("spans/s", "spanRate", median), ("p99 ms", "p99Us", ms), ("CPU µs", "cpuUs", median),
           ("memory KiB", "memory", median), ("times that spans of a run were dropped", "dropped", median))
SPANS = 9  # Of a run of the chain.
ROOM, USUAL_ROOM = 4096, 65536
HELD = USUAL_ROOM * 9 // 10  # Runs of a collector's absence: they leave some room.
BACK_SECONDS = 600


class Collector(http.server.ThreadingHTTPServer):
    """Remembers each span's id, and how often it came."""

    daemon_threads = True

    def __init__(self, port):
        self.spans, self.again, self.lock = set(), 0, threading.Lock()
        super().__init__(("127.0.0.1", port), self.handler())
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def take(self, message):
        with self.lock:
            for part in (scope for resource in message["resourceSpans"] for scope in resource["scopeSpans"]):
                for span in part["spans"]:
                    self.again += (span["traceId"], span["spanId"]) in self.spans
                    self.spans.add((span["traceId"], span["spanId"]))

    def handler(collector):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                collector.take(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(200)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *_):
                pass
        return Handler


def variables(**more):
    """The exporter's settings; a size of its queue cannot be given on the command line."""
    os.environ.update({"OTEL_EXPORTER_OTLP_PROTOCOL": "http/json", "OTEL_EXPORTER_OTLP_COMPRESSION": "none", **more})


def load(bench, engine, rate, workflows):
    bench.load(engine, **CHAIN_LOAD, mode="batch", in_flight=64, workflows=2000)  # Caches fill; with a collector that hangs, the queue begins to.
    memory = engine.memory_kib()
    result = bench.costed(engine, workflows, lambda: bench.load(engine, **CHAIN_LOAD, mode="batch", in_flight=64, rate=rate, workflows=workflows))
    dropped = sum(float(line.split()[-1]) for line in engine.get("/metrics").decode().split("\n") if line.startswith("pawl_trace_runs_dropped_total"))
    return {**result, "rate": rate, "spanRate": rate * SPANS, "memory": engine.memory_kib() - memory, "dropped": dropped}


def flood(bench, hangs):
    rate = 1200
    variables(OTEL_BSP_MAX_QUEUE_SIZE=str(ROOM))
    with socket.create_server(("127.0.0.1", 0), backlog=64) as silent:
        options = ("--otlp", f"http://127.0.0.1:{silent.getsockname()[1]}") if hangs else ()
        with bench.engine(*options) as engine:
            engine.deploy(CHAIN)
            return load(bench, engine, rate, rate * bench.pick(5, 30))


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


def away(bench):
    seconds = int(os.environ.get("AWAY", bench.pick(5, 60)))
    rate = min(800, (HELD - 2000) // seconds)
    variables(OTEL_BSP_MAX_QUEUE_SIZE=str(USUAL_ROOM))
    port = free_port()
    with bench.engine("--otlp", f"http://127.0.0.1:{port}") as engine:
        engine.deploy(CHAIN)
        result = load(bench, engine, rate, rate * seconds)
        runs = rate * seconds + 2000
        began, collector = time.monotonic(), Collector(port)
        try:
            while len(collector.spans) < runs * SPANS and time.monotonic() - began < BACK_SECONDS:
                time.sleep(0.1)
            came = len(collector.spans)
            return {**result, "seconds": seconds, "backSeconds": time.monotonic() - began, "runs": runs, "came": came, "lost": runs * SPANS - came,
                    "again": collector.again}
        finally:
            collector.shutdown()
            collector.server_close()


def ask(bench):
    answer = Answer("A collector that hangs, or is away", TEXT)
    floods = {"none": [], "hangs": []}
    for _ in range(bench.repetitions):
        for name in floods:
            floods[name].append(flood(bench, name == "hangs"))
    table = answer.table(["collector"], COLUMNS)
    figures = {name: Figures(runs) for name, runs in floods.items()}
    for name, figure in figures.items():
        answer.keep(f"collector {name}", figure)
        table.add([name], figure)
    absent = Figures([away(bench)])
    answer.keep("collector away", absent)
    table.add([f"away for {absent.median('seconds'):.0f} s"], absent)
    back = answer.table(["runs while it was away", "spans that came", "lost", "came twice", "all there after s"])
    back.add([number(absent.median(name)) for name in ("runs", "came", "lost", "again")] + [f"{absent.median('backSeconds'):.1f}"])
    more = figures["hangs"].median("memory") - figures["none"].median("memory")
    answer.budget("memory of a collector that hangs at 10,000 spans/s", "≤ 8 MiB more", f"{more / 1024:.1f} MiB", more <= 8192)
    answer.budget("spans lost while a collector is away", "0", number(absent.median("lost")), absent.median("lost") == 0)
    return answer
