"""What does access add to the work that there was before it?"""

import http.client
import re
import shutil
import signal
import statistics
import subprocess
import time

from counted import Counted
from database import Database, Missing
from documents import CHAIN, CHAIN_LOAD, END
from engine import Engine
from measure import Answer, median
from questions.access import PASSWORD, ask_api, with_root

TEXT = """Instructions are callgrind's and hardly depend on other load. `chain`: those of the folders `access` and `api/access` among all of the
engine's, for an engine that asks nobody and for one that asks for a key. Task answers, one at a time: compared with the same engine whose commands leave
no rows in the audit, in instructions of callgrind, in those of the processor, which may know instructions for SHA-256 that callgrind does not, and in the time
until the answer comes, synced; both engines answer in turn. A password is argon2id with
19 MiB, beside the engine's thread. Revocation: three nodes on one PostgreSQL server; a key ends at one of them, and the others are asked until both
refuse it."""
IN_CHAIN = (("instructions of a workflow", "instructions", median), ("of access", "part", lambda figures, name: percent(figures, name)))


def percent(figures, name):
    return f"{figures.median(name) * 100:.2f} %"


def of_processor(figures, name):
    return percent(figures, name) if has_counters() else "not counted"


def has_counters():
    """Does the processor count instructions, and may we read that?"""
    return shutil.which("perf") is not None and b"not supported" not in subprocess.run(["perf", "stat", "-e", "instructions:u", "true"], capture_output=True).stderr


ANSWERS = (("instructions of an answer", "instructions", median), ("more by the audit", "part", percent), ("more of the processor's", "ofProcessor", of_processor), ("µs until it comes", "tookUs", median),
           ("more by the audit", "ofTime", percent))
TASK = {"id": "ask", "name": "Ask", "steps": [{"id": "ask", "name": "Ask", "type": "USER_TASK", "nextStep": "end"}, END]}
POLL_SECONDS = 0.005
WARM_ANSWERS = 20
ANSWER_PARTS = 10
PERF_SECONDS = 0.5  # Until perf watches.


def in_chain(bench, mode, with_key):
    options, root = with_root(bench)
    workflows = bench.pick(60, 400)
    more = {"header": "Authorization: " + root["Authorization"]} if with_key else {}
    with Counted(bench.out, *(options if with_key else ())) as counted:
        counted.engine.headers = root if with_key else {}
        counted.engine.deploy(CHAIN)

        def load(count):
            bench.load(counted.engine, **CHAIN_LOAD, **more, mode=mode, in_flight=1 if mode == "single" else 16, workflows=count)
        load(20)
        counted.zero()
        load(workflows)
        counted.end()
    of_access = counted.by_place["api/access"] + counted.by_place["access"]
    return {"instructions": counted.total() / workflows, "part": of_access / counted.total()}


def start_tasks(engine, count):
    ask_api(engine, "POST", "/v1/definitions", TASK, {})
    return [ask_api(engine, "POST", "/v1/instances", {"definitionId": "ask"}, {})[1]["id"] for _ in range(count)]


def answer_task(engine, instance):
    """How long it took, in µs."""
    began = time.monotonic()
    ask_api(engine, "POST", f"/v1/instances/{instance}/user-tasks/ask/complete", {"variables": {"approved": True}}, {})
    return (time.monotonic() - began) * 1e6


def count_answers(out, count):
    """Of each function, those of the part with the fewest: what the engine does by the clock while an answer waits only adds some."""
    with Counted(out) as counted:
        started = start_tasks(counted.engine, WARM_ANSWERS + ANSWER_PARTS * count)
        for instance in started[:WARM_ANSWERS]:
            answer_task(counted.engine, instance)
        parts = []
        for part in range(ANSWER_PARTS):
            counted.zero()
            for instance in started[WARM_ANSWERS + part * count:][:count]:
                answer_task(counted.engine, instance)
            counted.end()
            parts.append(counted.by_function)
    return sum(min(part[name] for part in parts) for name in parts[0]) / count


def time_answers(out, other, count):
    """Both engines have a task answered in turn, so that other load of the machine is in both."""
    took = [], []
    with Engine(out) as first, Engine(other) as second:
        for answers in zip(*(zip([engine] * count, start_tasks(engine, count)) for engine in (first, second))):
            for list_of, answer in zip(took, answers):
                list_of.append(answer_task(*answer))
    return [statistics.median(list_of) for list_of in took]


def count_on_processor(out, other, count):
    """Instructions of an answer of each engine; both answer in turn."""
    with Engine(out) as first, Engine(other) as second:
        engines = first, second
        started = [start_tasks(engine, WARM_ANSWERS + count) for engine in engines]
        watchers = []
        for place in range(WARM_ANSWERS + count):
            if place == WARM_ANSWERS:
                watchers = [subprocess.Popen(["perf", "stat", "-x,", "-e", "instructions:u", "-p", str(engine.process.pid)], stderr=subprocess.PIPE, text=True) for engine in engines]
                time.sleep(PERF_SECONDS)
            for engine, instances in zip(engines, started):
                answer_task(engine, instances[place])
        for watcher in watchers:
            watcher.send_signal(signal.SIGINT)
        return [int(re.search(r"^(\d+),", watcher.communicate()[1], re.M)[1]) / count for watcher in watchers]


def task_answers(bench):
    out, unaudited, count = bench.out, bench.out / "bench" / "unaudited", bench.pick(20, 60)
    instructions, without = count_answers(out, count), count_answers(unaudited, count)
    took_us, took_without_us = time_answers(out, unaudited, bench.pick(20, 1000))
    counted, counted_without = count_on_processor(out, unaudited, bench.pick(40, 500)) if has_counters() else (1, 1)
    return {"ofProcessor": counted / counted_without - 1, "instructions": instructions, "part": instructions / without - 1, "tookUs": took_us, "ofTime": took_us / took_without_us - 1}


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
    # To wait for the disk takes nine tenths of the time, and differs by more than the audit: it is told, and decides nothing.
    name, what = ("ofProcessor", "the processor's instructions") if has_counters() else ("part", "callgrind's instructions")
    part = figures.median(name)
    answer.budget(f"audit on a task answer, by {what}", "5 %", f"{part * 100:.2f} %", part <= 0.05)
    figures = bench.repeat(lambda: password(bench))
    answer.keep("password", figures)
    answer.budget("a password's hash", "100 ms", f"{figures.median('ms'):.0f} ms", figures.median("ms") <= 100)
    revocations(bench, answer)
    return answer
