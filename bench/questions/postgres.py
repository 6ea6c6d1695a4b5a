"""What do nodes on PostgreSQL cost, and what happens when one of them dies?

Everything runs on this machine: the server, the nodes, clients and workers. Processor time and bytes of the log are what counts;
rates depend on how many cores are free.
"""

import json
import threading
import time

from database import SETTINGS, Database, Missing
from documents import CHAIN, CHAIN_LOAD, ORDER, PARKED, PARKED_START, delay
from measure import Answer, Figures, median, ms, number, spread, whole

IN_FLIGHT = 64
# How workers work, how many there are for each workflow in flight, and whether all requests of one go to one node.
WAYS = {"spare": ("longpoll", 2, 1), "longpoll": ("longpoll", 1, 1), "batch": ("batch", 1, 1), "spare, elsewhere": ("longpoll", 2, 0), "longpoll, elsewhere": ("longpoll", 1, 0)}
JUDGED = "spare"  # The way in which one node and two are compared, …
JUDGED_REPETITIONS = 5  # … more often than others: their difference is no larger than the spread of a noisy machine.
# How many nodes there are on each of how many stores, and what the table calls that.
ONE, TWO, APART = (1, 1), (2, 1), (1, 2)
NAMES = {ONE: "1", TWO: "2", APART: "1 + 1"}
SETTLE_SECONDS = 60
TEXT = """Three-step workflows over HTTP on nodes whose store is PostgreSQL {version} on the same disk, with a server of its own ({settings}). 64 workflows are in
flight at each node. *Server* is the processor time of all processes of PostgreSQL, *nodes* that of all engines, *log* what PostgreSQL has logged, all per workflow; *turn* is how
many commands share a transaction. With two nodes a client sends everything to one of them, as behind a balancer that spreads connections; *elsewhere* are those who poll one node
and send starts and completions to both in turn. *Spare* has two workers for each workflow in flight, the others have one.
*1 + 1* are two nodes with a store each, side by side: they share the server and the machine, and no work. What they cost more than one is what two busy processors cost here, and not what
two nodes cost. The rows with spare workers are medians of five."""
COLUMNS = (("workflows/s", "perSecond", median), ("spread", "perSecond", spread), ("server CPU µs", "serverCpuUs", median), ("nodes CPU µs", "cpuUs", median),
           ("together µs", "togetherUs", median), ("spread", "togetherUs", spread), ("client CPU µs", "clientCpuUs", median), ("log bytes", "logBytes", whole),
           ("turn", "commandsPerTurn", median), ("conflicts", "conflicts", median), ("p50 ms", "p50Us", ms), ("p99 ms", "p99Us", ms))
OVER_COLUMNS = (("jobs", "jobs", whole), ("first after ms", "firstMs", whole), ("all after ms", "allMs", whole), ("timers", "timers", whole),
                ("last timer late by ms", "timerMs", whole))
COMMANDS = 4  # The start and three completions.


class Nodes:
    """So many nodes on each of so many stores; `with` ends them."""

    def __init__(self, bench, database, count, stores=1):
        self.bench, self.database, self.engines = bench, database, []
        for place in range(stores):
            self.schema = f"bench{place}"
            self.uri = database.store(self.schema)
            for _ in range(count):
                self.add()
            self.engines[-1].deploy(CHAIN)

    def add(self):
        self.engines.append(self.bench.engine("--store", self.uri, place=f"bench-data-{len(self.engines)}"))
        return self.engines[-1]

    def load(self, workflows, mode, **options):
        options = {"in_flight": IN_FLIGHT * len(self.engines), **CHAIN_LOAD, **options}
        return self.bench.program("load", "port=" + ",".join(str(engine.port) for engine in self.engines), f"mode={mode}",
                                  f"workflows={workflows}", *(f"{name}={value}" for name, value in options.items()))

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

def cost(bench, database, count, stores, way):
    mode, workers, stay = WAYS[way]
    workflows, options = bench.pick(1500, 24000), {"workers": workers * IN_FLIGHT * count * stores, "stay": stay}
    with Nodes(bench, database, count, stores) as nodes:
        nodes.load(bench.pick(300, 2000), mode, **options)  # The statements are planned, the caches are warm.
        return nodes.costed(workflows, mode, **options)


def places_of(way):
    """Requests that go elsewhere need two nodes; the nodes that share nothing are there for the comparison."""
    if not WAYS[way][2]:
        return (TWO,)
    return (ONE, TWO, APART) if way == JUDGED else (ONE, TWO)


def costs(bench, database, answer):
    """One node and two, by turns."""
    table = answer.table(["nodes", "workers"], COLUMNS)
    found = {}
    for way in list(WAYS)[:bench.pick(1, len(WAYS))]:
        runs = {places: [] for places in places_of(way)}
        for _ in range(bench.pick(1, JUDGED_REPETITIONS) if way == JUDGED else bench.repetitions):
            for places in runs:
                runs[places].append(cost(bench, database, *places, way))
        for places in runs:
            figures, name = Figures(runs[places]), NAMES[places]
            found[way, places] = figures
            answer.keep(f"{name} {way}", figures)
            table.add([name, way], figures)
            bench.say(f"{name} × {way}: {median(figures, 'perSecond')}/s, server {median(figures, 'serverCpuUs')} µs, nodes {median(figures, 'cpuUs')} µs, "
                      f"log {whole(figures, 'logBytes')} bytes")
    return found


def judge_costs(answer, found):
    # Each of the first three is that of the way that does best, as in the question of the chain; the table has all.
    one = [figures for (_, places), figures in found.items() if places == ONE]
    rate = max(figures.median("perSecond") for figures in one)
    server, log = (min(figures.median(name) for figures in one) for name in ("serverCpuUs", "logBytes"))
    # Where a worker waits for each job, as a rule: one that is late costs a row and a claim on two nodes, and nothing on one.
    ratio = found[JUDGED, TWO].median("togetherUs") / found[JUDGED, ONE].median("togetherUs")
    answer.budget("PostgreSQL: three-step workflows on one node, 64 in flight", "≥ 3,000/s", f"{number(rate)}/s", rate >= 3000)
    answer.budget("PostgreSQL: its processor time per workflow, best way", "≤ 120 µs", f"{number(server)} µs", server <= 120)
    answer.budget("PostgreSQL: its log per workflow, best way", "≤ 3,000 bytes", f"{log:,.0f} bytes", log <= 3000)
    answer.budget("PostgreSQL: cost on two nodes, by one, with spare workers", "≤ 1.2", f"{ratio:.2f}", ratio <= 1.2)


# ---- many instances ----

def fill(database, schema, count):
    """Copies of an instance that waits, with its history, in the rows that the engine has written for it: those are only in the store, and
    nobody asks for them. The ids lie between those that were given and those that will be."""
    last = database.number("SELECT last_value FROM instance_block", schema)
    first = int(16 * (last + 100))
    database.ask(f"SELECT setval('instance_block', {(first + count) // 16 + 100})", schema)
    one = "(SELECT i.id FROM instance i JOIN definition d ON d.number = i.definition WHERE d.id = 'parked' ORDER BY i.id LIMIT 1)"
    columns = "definition, created, holder, ended, ns, phase, revision, key, state"
    database.ask(f"INSERT INTO instance(id, {columns}) SELECT {first} + n, {columns} FROM instance, generate_series(1, {count}) n WHERE id = {one};"
                 f"INSERT INTO history(instance, revision, at, blob) SELECT {first} + n, revision, at, blob FROM history, generate_series(1, {count}) n WHERE instance = {one} ORDER BY n, revision", schema)
    database.ask(f"UPDATE tally SET count = count + {count} WHERE (definition, slot, node) IN (SELECT definition, slot, node FROM tally t JOIN definition d ON d.number = "
                 "t.definition WHERE d.id = 'parked' AND slot >= 0 AND count > 0 LIMIT 1)", schema)
    for table in ("instance", "history"):
        database.ask(f"VACUUM (ANALYZE) {table}", schema)
    database.ask("CHECKPOINT")


def growth(bench, database, answer):
    """Each size in the same store, one after the other."""
    sizes = bench.pick((1000, 20000), (1000, 100000, 1000000))
    workflows, figures, have = bench.pick(1000, 5000), {}, 1
    with Nodes(bench, database, 1) as nodes:
        engine = nodes.engines[0]
        engine.deploy(PARKED)
        engine.post("/v1/instances", json.loads(PARKED_START.replace("{n}", "1").replace('"businessKey":"order-1",', "")))
        for size in sizes:
            fill(database, nodes.schema, size - have)
            have = size
            nodes.load(bench.pick(300, 2000), "longpoll")
            figures[size] = Figures([nodes.costed(workflows, "longpoll") for _ in range(bench.repetitions)])
            bench.say(f"among {number(size)}: {median(figures[size], 'togetherUs')} µs")
    table = answer.table(["instances in the store"], COLUMNS)
    for size in sizes:
        answer.keep(f"among {size}", figures[size])
        table.add([number(size)], figures[size])
    ratio = figures[sizes[-1]].median("togetherUs") / figures[sizes[0]].median("togetherUs")
    answer.budget(f"PostgreSQL: cost of a workflow among {number(sizes[-1])} instances, by that among {number(sizes[0])}", "≤ 1.25", f"{ratio:.2f}", ratio <= 1.25)


# ---- jobs that cross nodes ----

def crossing(bench, database, answer):
    """Workers poll one node, and everything else goes to the other: each job is a row that is offered, claimed and removed."""
    workflows, rounds = bench.pick(1000, 84000), bench.pick(1, 4)  # A connection that is not used for two minutes is closed.
    with Nodes(bench, database, 2) as nodes:
        for _ in range(rounds):
            result = nodes.costed(workflows, "longpoll", apart=1)
        pages, live, dead = (float(word) for word in database.ask("SELECT pg_relation_size('job') / 8192, n_live_tup, n_dead_tup FROM pg_stat_user_tables "
                                                                  "WHERE relid = 'job'::regclass", nodes.schema)[0])
        index = database.number("SELECT pg_indexes_size('job') / 8192", nodes.schema)
        offered, left = nodes.sum("pawl_node_jobs_offered_total"), database.number("SELECT count(*) FROM job", nodes.schema)
        if offered < rounds * workflows:
            raise SystemExit(f"crossing: only {offered:.0f} jobs were offered")
    figures = Figures([{**result, "pages": pages, "indexPages": index, "dead": dead, "offered": offered, "left": left}])
    answer.keep("crossing", figures)
    answer.table(["jobs that crossed nodes"], (("workflows/s", "perSecond", median), ("server CPU µs", "serverCpuUs", median), ("nodes CPU µs", "cpuUs", median),
                                               ("log bytes", "logBytes", whole), ("pages of the table", "pages", whole), ("of its indexes", "indexPages", whole),
                                               ("dead rows", "dead", whole), ("rows left", "left", whole))).add([f"{offered:,.0f}"], figures)
    bench.say(f"crossing: {offered:,.0f} jobs, {pages:.0f} pages, {dead:.0f} dead rows")
    answer.budget("PostgreSQL: pages of the table of jobs after a million jobs that crossed nodes", "≤ 4,000", f"{pages:,.0f}", pages <= 4000)


# ---- others on the same server ----

def peers(bench, answer):
    """What the question of the peers measures for those on PostgreSQL, in the same run."""
    from peers import run as other  # It needs npm, which the rest does not.
    table = answer.table(["engine", "in flight", "not measured because"], other.COLUMNS)
    table.add(["the engine that Pawl was made after", "", "it was not run here; the issue that asked for this store names 98 to 130 workflows a second"])
    with other.workplace() as place:
        for peer in ("dbos", "graphile-worker"):
            try:
                title = other.title_of(place, peer)
                figures = Figures([other.run(place, peer, IN_FLIGHT, bench.pick(300, 4000)) for _ in range(bench.repetitions)])
                answer.keep(peer, figures)
                table.add([title, IN_FLIGHT, ""], figures)
                bench.say(f"{peer}: {median(figures, 'perSecond')}/s")
            except other.FAILURES as reason:
                table.add([peer, "", reason])
                bench.say(f"{peer}: {reason}")


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
            growth(bench, database, answer)
            crossing(bench, database, answer)
        if not bench.quick:
            peers(bench, answer)
        return answer
    except Missing as reason:
        raise SystemExit(str(reason))
