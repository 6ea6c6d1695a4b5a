"""What do nodes on PostgreSQL cost, and what happens when one of them dies?

Everything runs on this machine: the server, the nodes, clients and workers. Processor time and bytes of the log are what counts;
rates depend on how many cores are free.
"""

import json
import threading
import time

from database import SETTINGS, Database, Missing
from documents import CHAIN, CHAIN_LOAD, ORDER, delay
from measure import Answer, Figures, median, ms, number, spread, whole

IN_FLIGHT = 64
MODES = ("longpoll", "batch", "single")
SETTLE_SECONDS = 60
TEXT = """Three-step workflows over HTTP on nodes whose store is PostgreSQL {version} on the same disk, with a server of its own ({settings}). 64 workflows are in
flight. *Server* is the processor time of all processes of PostgreSQL, *nodes* that of all engines, *log* what PostgreSQL has logged, all per workflow; *turn* is how
many commands share a transaction. With two nodes each worker polls one of them, and sends starts and completions to both in turn."""
COLUMNS = (("workflows/s", "perSecond", median), ("spread", "perSecond", spread), ("server CPU µs", "serverCpuUs", median), ("nodes CPU µs", "cpuUs", median),
           ("together µs", "togetherUs", median), ("spread", "togetherUs", spread), ("client CPU µs", "clientCpuUs", median), ("log bytes", "logBytes", whole),
           ("turn", "commandsPerTurn", median), ("conflicts", "conflicts", median), ("p50 ms", "p50Us", ms), ("p99 ms", "p99Us", ms))
OVER_COLUMNS = (("jobs", "jobs", whole), ("first after ms", "firstMs", whole), ("all after ms", "allMs", whole), ("timers", "timers", whole),
                ("last timer late by ms", "timerMs", whole))
COMMANDS = 4  # The start and three completions.


class Nodes:
    """So many nodes on a store of their own; `with` ends them."""

    def __init__(self, bench, database, count, schema="bench"):
        self.bench, self.database, self.schema, self.engines = bench, database, schema, []
        self.uri = database.store(schema)
        for _ in range(count):
            self.add()
        self.engines[0].deploy(CHAIN)

    def add(self):
        self.engines.append(self.bench.engine("--store", self.uri, place=f"bench-data-{len(self.engines)}"))
        return self.engines[-1]

    def load(self, workflows, mode, **options):
        return self.bench.program("load", "port=" + ",".join(str(engine.port) for engine in self.engines), f"mode={mode}", f"in_flight={IN_FLIGHT}",
                                  f"workflows={workflows}", *(f"{name}={value}" for name, value in {**CHAIN_LOAD, **options}.items()))

    def sum(self, metric):
        return sum(engine.metric(metric) for engine in self.engines)

    def cpu_us(self):
        return sum(engine.cpu_us() for engine in self.engines)

    def costed(self, workflows, mode, **options):
        """A run, and what it cost per workflow."""
        turns, conflicts, log = self.sum("pawl_commits_total"), self.sum("pawl_node_conflicts_total"), self.database.log_bytes()
        server, nodes = self.database.cpu_us(), self.cpu_us()
        result = self.load(workflows, mode, **options)
        result["cpuUs"] = (self.cpu_us() - nodes) / workflows
        result["serverCpuUs"] = (self.database.cpu_us() - server) / workflows
        result["togetherUs"] = result["cpuUs"] + result["serverCpuUs"]
        result["logBytes"] = (self.database.log_bytes() - log) / workflows
        result["commandsPerTurn"] = COMMANDS * workflows / max(1, self.sum("pawl_commits_total") - turns)
        result["conflicts"] = self.sum("pawl_node_conflicts_total") - conflicts
        return result

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        for engine in self.engines:
            engine.remove()


# ---- one node and two ----

def cost(bench, database, count, mode):
    workflows = bench.pick(1500, 12000)
    with Nodes(bench, database, count) as nodes:
        nodes.load(bench.pick(300, 2000), mode)  # The statements are planned, the caches are warm.
        return nodes.costed(workflows, mode)


def costs(bench, database, answer):
    """One node and two, by turns."""
    table = answer.table(["nodes", "mode"], COLUMNS)
    found = {}
    for mode in bench.pick(MODES[:1], MODES):
        runs = {1: [], 2: []}
        for _ in range(bench.repetitions):
            for count in runs:
                runs[count].append(cost(bench, database, count, mode))
        for count in runs:
            figures = found[mode, count] = Figures(runs[count])
            answer.keep(f"{count} {mode}", figures)
            table.add([count, mode], figures)
            bench.say(f"{count} × {mode}: {median(figures, 'perSecond')}/s, server {median(figures, 'serverCpuUs')} µs, nodes {median(figures, 'cpuUs')} µs, "
                      f"log {whole(figures, 'logBytes')} bytes")
    return found


def judge_costs(answer, found):
    one = [figures for (_, count), figures in found.items() if count == 1]
    rate = max(figures.median("perSecond") for figures in one)
    server, log = (min(figures.median(name) for figures in one) for name in ("serverCpuUs", "logBytes"))
    ratio = min(figures.median("togetherUs") / found[mode, 1].median("togetherUs") for (mode, count), figures in found.items() if count == 2)
    answer.budget("PostgreSQL: three-step workflows on one node, 64 in flight", "≥ 3,000/s", f"{number(rate)}/s", rate >= 3000)
    answer.budget("PostgreSQL: its processor time per workflow", "≤ 120 µs", f"{number(server)} µs", server <= 120)
    answer.budget("PostgreSQL: its log per workflow", "≤ 3,000 bytes", f"{log:,.0f} bytes", log <= 3000)
    answer.budget("PostgreSQL: cost on two nodes, by one", "≤ 1.2", f"{ratio:.2f}", ratio <= 1.2)


# ---- a node dies ----

def take_over(bench, database):
    """Jobs that workers have from the dead node, and timers that were its own."""
    jobs, timers, delay_ms = bench.pick(50, 500), 20, 2000
    with Nodes(bench, database, 2) as nodes:
        dying, other = nodes.engines
        dying.deploy(delay("delay", f"PT{delay_ms // 1000}S"))
        bench.shoot(dying, path="/v1/instances", body=json.dumps({"definitionId": "chain", "variables": ORDER}), count=jobs, connections=8)
        held = 0
        while held < jobs:
            held += len(dying.post("/v1/jobs/poll", {"workerId": "w", "jobTypes": ["b1"], "maxJobs": 100, "waitSeconds": 5, "leaseSeconds": 600})["jobs"])
        ids = [dying.post("/v1/instances", {"definitionId": "delay"})["id"] for _ in range(timers)]
        due = time.monotonic() + delay_ms / 1000
        got = {"first": None, "count": 0}

        def work():
            while got["count"] < jobs:
                found = len(other.post("/v1/jobs/poll", {"workerId": "v", "jobTypes": ["b1"], "maxJobs": 100, "waitSeconds": 20})["jobs"])
                got["count"] += found
                if found and got["first"] is None:
                    got["first"] = time.monotonic()
        worker = threading.Thread(target=work, daemon=True)
        worker.start()
        killed = time.monotonic()
        dying.kill()
        worker.join(SETTLE_SECONDS)
        all_ms = (time.monotonic() - killed) * 1000
        if got["count"] != jobs:
            raise SystemExit(f"take-over: {got['count']} of {jobs} jobs came")
        while any(json.loads(other.get(f"/v1/instances/{one}"))["status"] != "COMPLETED" for one in ids):
            if time.monotonic() > due + SETTLE_SECONDS:
                raise SystemExit("take-over: timers of the dead node did not fire")
            time.sleep(0.02)
        late_ms = max(0, (time.monotonic() - due) * 1000)
        return {"jobs": jobs, "firstMs": (got["first"] - killed) * 1000, "allMs": all_ms, "timers": timers, "timerMs": late_ms}


def deaths(bench, database, answer):
    figures = bench.repeat(lambda: take_over(bench, database))
    answer.keep("take-over", figures)
    answer.table(["a node is killed that holds"], OVER_COLUMNS).add(["jobs with workers, and timers"], figures)
    bench.say(f"take-over: first job after {whole(figures, 'firstMs')} ms, all after {whole(figures, 'allMs')} ms")
    worst = figures.median("allMs")
    answer.budget("PostgreSQL: jobs of a killed node are at the other", "≤ 2 s", f"{worst / 1000:.2f} s", worst <= 2000)


def ask(bench):
    try:
        with Database() as database:
            version = database.ask("SHOW server_version")[0][0].split()[0]
            settings = ", ".join(f"`{name} = {value}`" for name, value in SETTINGS.items())
            answer = Answer("Nodes on PostgreSQL", TEXT.format(version=version, settings=settings))
            judge_costs(answer, costs(bench, database, answer))
            deaths(bench, database, answer)
            return answer
    except Missing as reason:
        raise SystemExit(str(reason))
