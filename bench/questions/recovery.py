"""How long until an engine that was killed with a hundred thousand open jobs works again?"""

import json
import time

from documents import CHAIN, ORDER
from measure import Answer, median, mib, number, spread, whole

TEXT = """Instances of the three-step chain, each with an open job; the engine is killed (SIGKILL) and started again. Reference: an empty
store, and reading the store's files once."""
COLUMNS = (("first request served after ms", "startMs", whole), ("spread", "startMs", spread), ("first job handed out after ms", "jobMs", whole),
           ("CPU ms", "cpuMs", median), ("memory MiB", "rssKib", mib), ("store MiB", "diskKib", mib), ("reference: reading it, ms", "readMs", whole))

START = json.dumps({"definitionId": "chain", "variables": ORDER}, separators=(",", ":"))
POLL = {"workerId": "bench", "jobTypes": ["b1"], "maxJobs": 1}


def read_files(engine):
    """The reference: reading all of the store once, from the page cache as the engine does."""
    began = time.monotonic()
    for path in engine.data.iterdir():
        path.read_bytes()
    return (time.monotonic() - began) * 1000


def recover(engine):
    engine.kill()
    read_ms = read_files(engine)
    began = time.monotonic()
    engine.start()
    if not engine.post("/v1/jobs/poll", POLL)["jobs"]:
        raise SystemExit("recovery: no job was handed out")
    job_ms = (time.monotonic() - began) * 1000
    return {"startMs": engine.start_ms, "jobMs": job_ms, "cpuMs": engine.cpu_us() / 1000, "readMs": read_ms, "rssKib": engine.memory_kib(),
            "diskKib": engine.disk_bytes() / 1024}


def ask(bench):
    answer = Answer("Recovery", TEXT)
    table = answer.table(["in flight"], COLUMNS)
    with bench.engine() as engine:
        empty_ms = engine.start_ms
        engine.deploy(CHAIN)
        have = 0
        for size in bench.pick((1000, 10000), (1000, 10000, 100000)):
            bench.shoot(engine, path="/v1/instances", body=START, count=size - have, connections=32, depth=8)
            have = size
            figures = bench.repeat(lambda: recover(engine))
            answer.keep(str(size), figures)
            table.add([number(size)], figures)
    answer.table(["reference", "first request served after ms"]).add(["empty store", f"{empty_ms:.0f}"])
    return answer
