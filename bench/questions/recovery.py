"""How long until an engine that was killed with a hundred thousand open jobs works again?"""

import json
import time

from documents import CHAIN, ORDER
from measure import Answer, mebibytes, number, percent

START = json.dumps({"definitionId": "chain", "variables": ORDER}, separators=(",", ":"))
POLL = {"workerId": "bench", "jobTypes": ["b1"], "maxJobs": 1}


def read_files(engine):
    """The reference: reading all of the store once, from the page cache as the engine does."""
    began = time.monotonic()
    for path in engine.data.iterdir():
        path.read_bytes()
    return (time.monotonic() - began) * 1000


def recover(bench, engine):
    engine.kill()
    read_ms = read_files(engine)
    began = time.monotonic()
    engine.start()
    if not engine.post("/v1/jobs/poll", POLL)["jobs"]:
        raise SystemExit("recovery: no job was handed out")
    job_ms = (time.monotonic() - began) * 1000
    return {"startMs": engine.start_ms, "jobMs": job_ms, "cpuMs": engine.cpu_us() / 1000, "readMs": read_ms, "rssKib": engine.memory_kib(),
            "diskBytes": engine.disk_bytes()}


def ask(bench):
    answer = Answer("Recovery", "Instances of the three-step chain, each with an open job; the engine is killed (SIGKILL) right after new starts, and started again. Reference: an empty store, and "
                    "reading the store's files once.")
    rows = answer.table(["in flight", "first request served after ms", "spread", "first job handed out after ms", "CPU ms", "memory MiB", "store MiB", "reference: reading it, ms"])
    with bench.engine() as engine:
        empty_ms = engine.start_ms
        engine.deploy(CHAIN)
        have = 0
        for size in bench.pick((1000, 10000), (1000, 10000, 100000)):
            bench.shoot(engine, path="/v1/instances", body=START, count=size - have, connections=32, depth=8)
            have = size
            figures = bench.repeat(lambda: recover(bench, engine))
            answer.keep(str(size), figures)
            m = figures.medians()
            rows.append([number(size), f"{m['startMs']:.0f}", percent(figures.spread("startMs")), f"{m['jobMs']:.0f}", number(m["cpuMs"]), mebibytes(m["rssKib"]),
                         mebibytes(m["diskBytes"] / 1024), f"{m['readMs']:.0f}"])
    rows.append(["empty store", f"{empty_ms:.0f}", "", "", "", "", "", ""])
    return answer
