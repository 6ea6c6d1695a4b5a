"""How figures are made: repetitions, median and spread, and the floor beside them."""

import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys

from engine import Engine

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMMAND_BYTES = 650  # What the engine's own rows of one command come to, about: the floor writes as much.


class Figures:
    """Results of repetitions: dictionaries with the same names."""

    def __init__(self, runs):
        self.runs = runs

    def median(self, name):
        return statistics.median(run[name] for run in self.runs)

    def spread(self, name):
        """Largest minus smallest, as a part of the median."""
        values = [run[name] for run in self.runs]
        return (max(values) - min(values)) / self.median(name) if self.median(name) else 0.0

    def medians(self):
        return {name: self.median(name) for name in self.runs[0]}

    def spreads(self):
        return {name: self.spread(name) for name in self.runs[0]}


class Table:
    """Some cells of its own in each row, then columns (heading, name of a figure, how it is shown)."""

    def __init__(self, lead, columns=()):
        self.heads = [*lead, *(heading for heading, _, _ in columns)]
        self.columns = columns
        self.rows = []

    def add(self, lead, figures=None):
        shown = [how(figures, name) for _, name, how in self.columns] if figures else [""] * len(self.columns)
        self.rows.append([str(cell) for cell in (*lead, *shown)])

    def markdown(self):
        lines = [self.heads, ["---"] * len(self.heads), *self.rows]
        return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


class Answer:
    """What a question came to: tables for people, figures for programs, budgets."""

    def __init__(self, title, text):
        self.title = title
        self.text = " ".join(text.split())
        self.tables = []
        self.budgets = []
        self.figures = {}
        self.pictures = {}

    def table(self, lead, columns=()):
        self.tables.append(Table(lead, columns))
        return self.tables[-1]

    def keep(self, name, figures):
        self.figures[name] = {"median": figures.medians(), "spread": figures.spreads(), "runs": figures.runs}

    def budget(self, what, allowed, measured, met):
        self.budgets.append((what, allowed, measured, met))

    def markdown(self):
        return "\n".join([f"### {self.title}", "", self.text, "", *(table.markdown() for table in self.tables)])


class Bench:
    def __init__(self, out, quick):
        self.out = pathlib.Path(out).resolve()
        self.quick = quick
        self.repetitions = 1 if quick else 3

    def pick(self, quick, full):
        return quick if self.quick else full

    def engine(self, *options, **more):
        return Engine(self.out, *options, **more)

    def say(self, text):
        print("  " + text, file=sys.stderr, flush=True)

    def program(self, name, *arguments, under=()):
        done = subprocess.run([*under, self.out / "bench" / name, *map(str, arguments)], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"bench/{name} failed: {done.stdout}{done.stderr}")
        return json.loads(done.stdout)

    def load(self, engine, under=(), **options):
        return self.program("load", f"port={engine.port}", *(f"{name}={value}" for name, value in options.items()), under=under)

    def shoot(self, engine, **options):
        return self.program("shoot", f"port={engine.port}", *(f"{name}={value}" for name, value in options.items()))

    def costed(self, engine, count, measure):
        """A run with what it cost the engine, by `count` of whatever it did."""
        commits = engine.metric("pawl_commits_total")
        # Its clock is read last before the run and first after it: reading the counter costs something, too.
        written, cpu = engine.written_bytes(), engine.cpu_us()
        result = measure()
        result["cpuUs"] = (engine.cpu_us() - cpu) / count
        result["bytes"] = (engine.written_bytes() - written) / count
        result["syncs"] = (engine.metric("pawl_commits_total") - commits) / count
        return result

    def repeat(self, measure):
        return Figures([measure() for _ in range(self.repetitions)])

    def floor(self, batch, commands_each=1):
        """Durable commands in an append-only log, `batch` to a sync, for about a tenth of a second to a few; the rate
        and cost of whatever takes `commands_each` of them."""
        log = self.program("floor", self.out / "bench-floor.log", batch * self.pick(200, 1000), batch, COMMAND_BYTES)
        return {"floorPerSecond": log["perSecond"] / commands_each, "floorCpuUs": log["cpuUs"] * commands_each,
                "syncUs": log["syncP50Us"], "syncP99Us": log["syncP99Us"], "inPlaceUs": log["inPlaceP50Us"]}


# ---- numbers for people ----

def number(value):
    """Three digits that count; whole numbers as they are."""
    if isinstance(value, int) or value == 0:
        return f"{value:,}"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def milliseconds(us):
    return f"{us / 1000:.2f}"


def mebibytes(kib):
    return f"{kib / 1024:.1f}"


# How a column shows its figure.

def median(figures, name):
    return number(figures.median(name))


def whole(figures, name):
    return f"{figures.median(name):,.0f}"


def spread(figures, name):
    return f"{figures.spread(name):.0%}" if len(figures.runs) > 1 else "–"


def ms(figures, name):
    return milliseconds(figures.median(name))


def mib(figures, name):
    return mebibytes(figures.median(name))


# ---- the machine ----

def machine():
    def first(path, label):
        for line in pathlib.Path(path).read_text().split("\n"):
            if line.startswith(label):
                return line.split(":", 1)[1].strip()
        return ""
    cpu = first("/proc/cpuinfo", "model name") or platform.machine()
    memory = int(first("/proc/meminfo", "MemTotal").split()[0]) / (1 << 20)
    disk = subprocess.run(["df", "--output=fstype", "."], capture_output=True, text=True).stdout.split()[-1]
    return f"{os.cpu_count()} × {cpu}, {memory:.0f} GiB, {disk}, Linux {platform.release().split('-')[0]}"


def load_average():
    return os.getloadavg()[0]
