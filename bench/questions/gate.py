"""What does access add to the work that there was before it?"""

import http.client
import json
import re
import shutil
import subprocess
import time

from database import Database, Missing
from documents import CHAIN, CHAIN_LOAD, END
from measure import Answer, median
from questions.access import PASSWORD, ask_api, with_root

TEXT = """Instructions are callgrind's and hardly depend on other load. `chain`: those of `access_identify()` and `access_authorize()` among all of the
engine's, for an engine that asks nobody and for one that asks for a key. Task answers: those of the audit's rows and chain,
and the part of the time until the answer comes, synced, that this processor time is. A password is argon2id with
19 MiB, beside the engine's thread. Revocation: three nodes on one PostgreSQL server; a key ends at one of them, and the others are asked until both
refuse it."""
IN_CHAIN = (("instructions of a workflow", "instructions", median), ("of access", "part", lambda figures, name: f"{figures.median(name) * 100:.2f} %"))
ANSWERS = (("instructions of an answer", "instructions", median), ("of the audit", "part", lambda figures, name: f"{figures.median(name) * 100:.2f} %"),
           ("CPU µs of an answer", "cpuUs", median), ("µs until it comes", "tookUs", median))
TASK = {"id": "ask", "name": "Ask", "steps": [{"id": "ask", "name": "Ask", "type": "USER_TASK", "nextStep": "end"}, END]}
POLL_SECONDS = 0.005


class Counted:
    """An engine under callgrind. `counts(function)` is for its life since zero()."""

    def __init__(self, bench, *options):
        if not shutil.which("valgrind"):
            raise SystemExit("counting instructions needs valgrind: apt-get install valgrind")
        self.file = bench.out / "bench-callgrind"
        self.engine = bench.engine(*options, under=("valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={self.file}"))

    def zero(self):
        subprocess.run(["callgrind_control", "-z", str(self.engine.process.pid)], check=True, capture_output=True)

    def end(self):
        self.engine.stop()
        done = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", self.file], check=True, capture_output=True, text=True)
        self.engine.remove()
        self.file.unlink()
        self.lines = done.stdout.replace(",", "")

    def total(self):
        return int(re.search(r"^ *(\d+).*PROGRAM TOTALS", self.lines, re.M)[1])

    def counts(self, *functions):
        found = [re.search(rf"^ *(\d+) .*:{function}\b", self.lines, re.M) for function in functions]
        return sum(int(one[1]) for one in found if one)


def in_chain(bench, mode, with_key):
    options, root = with_root(bench)
    counted = Counted(bench, *(options if with_key else ()))
    engine, workflows = counted.engine, bench.pick(60, 400)
    ask_api(engine, "POST", "/v1/definitions", CHAIN, root if with_key else {})
    more = {"header": "Authorization: " + root["Authorization"]} if with_key else {}

    def load(count):
        bench.load(engine, **CHAIN_LOAD, **more, mode=mode, in_flight=1 if mode == "single" else 16, workflows=count)
    load(20)
    counted.zero()
    load(workflows)
    counted.end()
    return {"instructions": counted.total() / workflows, "part": counted.counts("access_identify", "access_authorize") / counted.total()}


def answer_tasks(engine, count, begin):
    ask_api(engine, "POST", "/v1/definitions", TASK, {})
    started = [ask_api(engine, "POST", "/v1/instances", {"definitionId": "ask"}, {})[1]["id"] for _ in range(count)]
    begin()
    for instance in started:
        ask_api(engine, "POST", f"/v1/instances/{instance}/user-tasks/ask/complete", {"variables": {"approved": True}}, {})


def task_answers(bench):
    counted, count, began = Counted(bench), bench.pick(20, 100), {}
    answer_tasks(counted.engine, count, counted.zero)
    counted.end()
    part = counted.counts("audit_calls_note", "audit_note_settle", "audit_note_end") / counted.total()
    with bench.engine() as engine:
        answer_tasks(engine, count, lambda: began.update(cpu=engine.cpu_us(), at=time.monotonic()))
        cpu_us, took_us = (engine.cpu_us() - began["cpu"]) / count, (time.monotonic() - began["at"]) / count * 1e6
    return {"instructions": counted.total() / count, "part": part, "cpuUs": cpu_us, "tookUs": took_us, "ofTime": part * cpu_us / took_us}


def password(bench):
    options, root = with_root(bench)
    with bench.engine(*options) as engine:
        ask_api(engine, "POST", "/api/users", {"name": "ada", "password": PASSWORD, "roles": ["viewer"]}, root)
        before, count = engine.cpu_us(), bench.pick(3, 20)
        for _ in range(count):
            ask_api(engine, "POST", "/api/session", {"name": "ada", "password": PASSWORD}, {})
        return {"ms": (engine.cpu_us() - before) / count / 1000}


def status_of(engine, key):
    connection = http.client.HTTPConnection("127.0.0.1", engine.port)
    connection.request("GET", "/v1/definitions", headers={"Authorization": f"Bearer {key}"})
    status = connection.getresponse().status
    connection.close()
    return status


def revocation(bench, database):
    """Milliseconds from the answer to the revocation until both other nodes refuse the key."""
    options, root = with_root(bench)
    uri = database.store("access")
    engines = [bench.engine("--store", uri, *options, place=f"bench-data-{n}") for n in range(3)]
    took = []
    try:
        for _ in range(bench.pick(3, 20)):
            made = ask_api(engines[0], "POST", "/api/keys", {"name": "k", "roles": ["viewer"]}, root)[1]
            assert all(status_of(engine, made["key"]) == 200 for engine in engines), "a key counts at every node"
            ask_api(engines[0], "DELETE", "/api/keys/" + made["id"], None, root)
            began, left = time.monotonic(), engines[1:]
            assert status_of(engines[0], made["key"]) == 401, "it ends at once at its own node"
            while left:
                left = [engine for engine in left if status_of(engine, made["key"]) != 401]
                time.sleep(POLL_SECONDS if left else 0)
            took.append((time.monotonic() - began) * 1000)
    finally:
        for engine in engines:
            engine.remove()
    return {"ms": sorted(took)[len(took) // 2], "mostMs": max(took)}


def revocations(bench, answer):
    try:
        with Database() as database:
            figures = bench.repeat(lambda: revocation(bench, database))
    except Missing as why:
        answer.text += f" ({why}.)"
        return
    answer.keep("revocation", figures)
    most = figures.median("mostMs")
    answer.budget("a revoked key at two other nodes, the slowest", "250 ms (a heartbeat and a request)", f"{most:.0f} ms", most <= 250)


def ask(bench):
    answer = Answer("Access beside the work", TEXT)
    chain = answer.table(["chain", "asks"], IN_CHAIN)
    for mode in ("single", "batch"):
        for with_key in (False, True):
            figures = bench.repeat(lambda: in_chain(bench, mode, with_key))
            answer.keep(f"{mode} {'key' if with_key else 'nobody'}", figures)
            chain.add([mode, "for a key" if with_key else "nobody"], figures)
            part = figures.median("part")
            answer.budget(f"access in `chain`, {mode}, {'with a key' if with_key else 'open'}", "3 %", f"{part * 100:.2f} %", part <= 0.03)
    figures = bench.repeat(lambda: task_answers(bench))
    answer.keep("audit", figures)
    answer.table(["task answers"], ANSWERS).add(["over HTTP"], figures)
    for name, what in (("part", "instructions"), ("ofTime", "time")):
        part = figures.median(name)
        answer.budget(f"audit on a task answer, by {what}", "5 %", f"{part * 100:.2f} %", part <= 0.05)
    figures = bench.repeat(lambda: password(bench))
    answer.keep("password", figures)
    answer.budget("a password's hash", "100 ms", f"{figures.median('ms'):.0f} ms", figures.median("ms") <= 100)
    revocations(bench, answer)
    return answer
