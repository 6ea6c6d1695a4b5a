"""What do traces cost the work that they tell of?"""

import contextlib
import http.server
import os
import subprocess
import sys
import threading
import time

from counted import Counted
from documents import CHAIN, CHAIN_LOAD
from measure import Answer, Figures, median, number, spread

TEXT = """The chain, once without a collector, once with 1 % of the runs sent to one, and once with all of them. Instructions are callgrind's, by
thread; they hardly depend on other load. The thread that reads histories and sends spans stands alone: it works behind the others, and on a machine with
a core to spare it takes nothing from them. The collector answers at once and is not counted. The second table has the speed of the chain on a machine
whose cores are all busy, with 64 workflows in flight and the store in memory, so that nobody waits for a disk; the settings take turns. There the thread that sends spans gets what the others leave, and
sends the rest when they are done: the last column has how much was sent while the chain still ran, and nothing was dropped. *A neighbour* is no tracing, but an unrelated program
that counts for ever and gets only the time that nobody else wants (`SCHED_IDLE`): cores that share a cache, or are two halves of one core, slow each other down, and it shows by how much. On a virtual machine the
speed differs by more from run to run than the budgets allow, so instructions decide."""
SPARE_TEXT = """The speed of the chain on a machine with a core to spare: the engine and its clients share one core, and the thread that sends spans has another. An unrelated program
takes all time of that other core which the thread leaves, with and without traces alike, because a core whose neighbour rests is faster than one whose neighbour works."""
COLUMNS = (("instructions of a workflow, without the exporter", "instructions", median), ("more than without traces", "ratio", lambda figures, name: percent(figures.median(name) - 1)),
           ("of the exporter's thread", "exporter", median), ("spans", "spans", lambda figures, name: f"{figures.median(name):.2f}"))
SPEED_COLUMNS = (("workflows/s", "perSecond", median), ("spread", "perSecond", spread), ("of the speed without traces", "ratio", lambda figures, name: f"{figures.median(name) * 100:.1f} %"),
                 ("spans of a workflow", "spans", lambda figures, name: f"{figures.median(name):.2f}"), ("sent meanwhile", "meanwhile", lambda figures, name: f"{figures.median(name) * 100:.0f} %"))
SETTINGS = (("none", ()), ("1 %", ("--trace-sample", "1%")), ("100 %", ("--trace-sample", "100%")))
SPARE_COLUMNS = SPEED_COLUMNS[:-1]
NEIGHBOUR = "none, a neighbour"
SPEED_SETTINGS = (*SETTINGS, (NEIGHBOUR, ()))
BUDGETS = {"1 %": 0.03, "100 %": 0.10}
IN_MEMORY = "/dev/shm/pawl-bench-data"  # A disk differs by more from run to run than the budgets allow, and leaves cores idle.
WARM = 20
SPANS_THREAD = "spans"
OF_EXPORTER = "runs_gather"  # A function that only the exporter's thread calls.
QUIET_SECONDS = 7  # Longer than spans wait for others.


def percent(part):
    return f"{part * 100:+.2f} %"


class Collector(http.server.ThreadingHTTPServer):
    """Takes everything and remembers when the last message came."""

    daemon_threads = True

    def __init__(self, core=None):
        self.core = core
        self.last = time.monotonic()
        super().__init__(("127.0.0.1", 0), self.handler())
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handler(collector):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self):
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)  # A collector has a machine of its own.
                if collector.core is not None:
                    os.sched_setaffinity(threading.get_native_id(), {collector.core})
                super().setup()

            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                collector.last = time.monotonic()
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass
        return Handler

    def await_quiet(self):
        """The exporter has nothing left when it was silent for longer than it gathers."""
        began = time.monotonic()
        while time.monotonic() - max(began, self.last) < QUIET_SECONDS:
            time.sleep(0.2)


def counter(engine, name):
    """The sum over all labels."""
    return sum(float(line.split()[-1]) for line in engine.get("/metrics").decode().split("\n") if line.startswith(name))


def place_threads(engine, cores):
    """The first core serves, the second one sends spans."""
    serving, spare = cores
    for task in os.listdir(f"/proc/{engine.process.pid}/task"):
        with open(f"/proc/{engine.process.pid}/task/{task}/comm", encoding="ascii") as file:
            sends = file.read().strip() == SPANS_THREAD
        os.sched_setaffinity(int(task), {spare if sends else serving})


def speed(bench, mode, options, cores=None):
    """The chain on a busy machine. Spans that are left are sent afterwards."""
    workflows = bench.pick(4000, 30000)
    under = ("taskset", "-c", str(cores[0])) if cores else ()
    collector = Collector(cores[1] if cores else None)
    sends = ("--otlp", f"http://127.0.0.1:{collector.server_port}", *options) if options else ()
    try:
        with bench.engine(*sends, place=IN_MEMORY if os.path.isdir(IN_MEMORY.rsplit("/", 1)[0]) else "bench-data") as engine:
            engine.deploy(CHAIN)
            if cores:
                place_threads(engine, cores)
            result = bench.load(engine, under=under, **CHAIN_LOAD, mode=mode, in_flight=64, workflows=workflows)
            meanwhile = counter(engine, "pawl_trace_spans_total") if sends else 0
            spans = 0
            if sends:
                collector.await_quiet()
                spans = counter(engine, "pawl_trace_spans_total")
                assert counter(engine, "pawl_trace_runs_dropped_total") == 0
    finally:
        collector.shutdown()
        collector.server_close()
    return {"perSecond": result["perSecond"], "spans": spans / workflows, "meanwhile": meanwhile / spans if spans else 0}


@contextlib.contextmanager
def neighbour(core=None):
    """A program that does nothing for ever, in the time that nobody else wants."""
    def leave_first():
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        if core is not None:
            os.sched_setaffinity(0, {core})
    with subprocess.Popen([sys.executable, "-c", "while True: pass"], preexec_fn=leave_first) as program:
        try:
            yield
        finally:
            program.kill()


def in_turn(bench, mode, measure, figure, settings):
    """Repeats all settings in turn; `ratio` compares a figure with the one without traces in the same round."""
    runs = {name: [] for name, _ in settings}
    for _ in range(bench.repetitions):
        for name, options in settings:
            with neighbour() if name == NEIGHBOUR else contextlib.nullcontext():
                runs[name].append(measure(bench, mode, options))
            runs[name][-1]["ratio"] = runs[name][-1][figure] / runs["none"][-1][figure]
    return runs


def ask_speed(bench, answer):
    table = answer.table(["mode", "runs that are traced"], SPEED_COLUMNS)
    for mode in ("single", "batch"):
        runs = in_turn(bench, mode, speed, "perSecond", SPEED_SETTINGS)
        for name, _ in SPEED_SETTINGS:
            figures = Figures(runs[name])
            answer.keep(f"speed {mode} {name}", figures)
            table.add([mode, name], figures)
            ratio = figures.median("ratio")
            bench.say(f"{mode}, {name}: {number(figures.median('perSecond'))}/s, {ratio * 100:.1f} % of the speed without traces")


def ask_spare(bench, answer):
    cores = sorted(os.sched_getaffinity(0))[:2]
    if len(cores) < 2:
        bench.say("this machine has no core to spare")
        return
    table = answer.table(["mode", "runs that are traced, with a core to spare"], SPARE_COLUMNS)
    for mode in ("single", "batch"):
        with neighbour(cores[1]):
            runs = in_turn(bench, mode, lambda bench, mode, options: speed(bench, mode, options, cores), "perSecond", SETTINGS)
        for name, _ in SETTINGS:
            figures = Figures(runs[name])
            answer.keep(f"spare {mode} {name}", figures)
            table.add([mode, name], figures)
            ratio, allowed = figures.median("ratio"), BUDGETS.get(name)
            bench.say(f"{mode}, {name}, with a core to spare: {number(figures.median('perSecond'))}/s, {ratio * 100:.1f} % of the speed without traces")
            if allowed is not None:
                answer.budget(f"speed of chain with traces of {name}, {mode}, with a core to spare", f"≥ {100 - allowed * 100:.0f} %", f"{ratio * 100:.1f} %", ratio >= 1 - allowed)


def count(bench, mode, options):
    workflows = bench.pick(60, 400)
    collector = Collector()
    sends = ("--otlp", f"http://127.0.0.1:{collector.server_port}", *options) if options else ()
    try:
        with Counted(bench.out, *sends, threads=True) as counted:
            counted.engine.deploy(CHAIN)

            def load(number):
                bench.load(counted.engine, **CHAIN_LOAD, mode=mode, in_flight=1 if mode == "single" else 16, workflows=number)
            load(WARM)
            collector.await_quiet()
            before = counted.engine.metric("pawl_trace_spans_total") if sends else 0
            counted.zero()
            load(workflows)
            collector.await_quiet()
            counted.end()
            spans = counted.engine.metric("pawl_trace_spans_total") - before if sends else 0
    finally:
        collector.shutdown()
        collector.server_close()
    of_exporter = sum(thread.total() for thread in counted.by_thread if thread[OF_EXPORTER])
    assert (of_exporter > 0) == bool(sends), "the thread that exports is the one that gathers"
    return {"instructions": (counted.total() - of_exporter) / workflows, "exporter": of_exporter / workflows, "spans": spans / workflows}


def ask(bench):
    answer = Answer("Traces beside the work", f"{TEXT} {SPARE_TEXT}")
    table = answer.table(["mode", "runs that are traced"], COLUMNS)
    for mode in ("single", "batch"):
        runs = in_turn(bench, mode, count, "instructions", SETTINGS)
        for name, allowed in ((name, BUDGETS.get(name)) for name, _ in SETTINGS):
            figures = Figures(runs[name])
            answer.keep(f"{mode} {name}", figures)
            table.add([mode, name], figures)
            bench.say(f"{mode}, {name}: {percent(figures.median('ratio') - 1)}, and {median(figures, 'exporter')} on the exporter's thread")
            if allowed is not None:
                more = figures.median("ratio") - 1
                answer.budget(f"chain with traces of {name}, {mode}, beside none", f"≤ {allowed * 100:.0f} % more", percent(more), more <= allowed)
    ask_spare(bench, answer)
    ask_speed(bench, answer)
    return answer
