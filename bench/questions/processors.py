"""How fast are entities created whose transition asks a calculation node?"""

import pathlib
import re
import subprocess

from documents import ORDER_MODEL, ORDER_SAMPLE, order
from measure import Answer, median, ms, number, spread

NODE = pathlib.Path(__file__).resolve().parent.parent / "node.py"
TEXT = """Each create makes one automated transition with one processor on a calculation node of this machine: a Python program with grpcio that answers every request at once. Its work is on the same processors as
the engine and the client. SYNC: nothing is written before the answer. COMMIT_BEFORE_DISPATCH: the entity is committed, the node is asked, and the answer is committed."""
COLUMNS = (("creates/s", "perSecond", median), ("spread", "perSecond", spread), ("CPU µs", "cpuUs", median), ("p50 ms", "p50Us", ms), ("p99 ms", "p99Us", ms))
GOAL = 3000


def workflow(mode):
    processor = {"type": "EXTERNAL", "name": "look", "executionMode": mode, "config": {"calculationNodesTags": "bench", "attachEntity": True}}
    return {"version": "1", "name": "sale", "initialState": "NEW", "states": {
        "NEW": {"transitions": [{"name": "ACCEPT", "next": "OPEN", "processors": [processor]}]}, "OPEN": {}}}


def run(bench, count, mode, nodes):
    with bench.engine("--grpc", "127.0.0.1:0") as engine:
        address = re.search(r"gRPC on ([^,)]+)", engine.banner)[1]
        engine.deploy_model(ORDER_MODEL, ORDER_SAMPLE, workflow(mode))
        started = [subprocess.Popen(["/usr/bin/python3", NODE, address], stdout=subprocess.PIPE, text=True) for _ in range(nodes)]
        try:
            for node in started:
                assert node.stdout.readline() == "connected\n"
            return bench.costed(engine, count, lambda: bench.shoot(engine, path=f"/api/entity/JSON/{ORDER_MODEL}/1", body=order("open"), count=count, connections=64))
        finally:
            for node in started:
                node.kill()
                node.wait()


def ask(bench):
    answer = Answer("Processors", TEXT)
    table = answer.table(["mode", "nodes", "in flight", "entities"], COLUMNS)
    count = bench.pick(2000, 20000)
    for mode, nodes in (("SYNC", 1), ("SYNC", 2), ("COMMIT_BEFORE_DISPATCH", 1)):
        figures = bench.repeat(lambda: run(bench, count, mode, nodes))
        answer.keep(f"{mode} × {nodes}", figures)
        table.add([mode, nodes, 64, number(count)], figures)
        if (mode, nodes) == ("SYNC", 1) and not bench.quick:
            rate = figures.median("perSecond")
            answer.budget("entities created with a SYNC processor, 64 in flight, node and client included", f"≥ {GOAL:,}/s", f"{rate:,.0f}/s", rate >= GOAL)
    return answer
