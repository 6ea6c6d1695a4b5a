"""How long does `pawl plan` take for a folder of 500 definitions?"""

import json
import os
import pathlib
import resource
import subprocess
import tempfile
import time

from documents import CHAIN
from measure import Answer, median

TEXT = """`pawl plan DIR` with a flow of three steps in each file, from its start to its end. The engine has none of the definitions, all of them as they are
in the folder, or all of them in another version. Processor time is that of the command; the engine's part of it stands alone."""
COLUMNS = (("ms", "ms", median), ("command, CPU ms", "cpuMs", median), ("engine, CPU ms", "engineMs", median))
COUNT = 500


def write(folder, version):
    for n in range(COUNT):
        steps = [{**step, "name": f"{step['name']} {version}"} for step in CHAIN["steps"]]
        (folder / f"flow-{n}.json").write_text(json.dumps({**CHAIN, "id": f"flow-{n}", "steps": steps}))


def plan(bench, engine, folder, differs):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PAWL_")}
    began, engine_us, before = time.monotonic(), engine.cpu_us(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([bench.out / "pawl", "plan", folder, "--server", engine.url], capture_output=True, text=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != (2 if differs else 0):
        raise SystemExit(f"plan ended with {done.returncode}: {done.stdout[-500:]}{done.stderr}")
    return {"ms": (time.monotonic() - began) * 1000, "engineMs": (engine.cpu_us() - engine_us) / 1000,
            "cpuMs": (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000}


def ask(bench):
    answer = Answer(f"A plan of {COUNT} definitions", TEXT)
    table = answer.table([f"the {COUNT} definitions are"], COLUMNS)
    with bench.engine() as engine, tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        write(folder, 1)
        found = {"new": bench.repeat(lambda: plan(bench, engine, folder, True))}
        for n in range(COUNT):
            engine.deploy(json.loads((folder / f"flow-{n}.json").read_text()))
        found["unchanged"] = bench.repeat(lambda: plan(bench, engine, folder, False))
        write(folder, 2)
        found["changed"] = bench.repeat(lambda: plan(bench, engine, folder, True))
    for name, figures in found.items():
        answer.keep(f"plan {name}", figures)
        table.add([name], figures)
    worst = max(figures.median("ms") for figures in found.values())
    answer.budget(f"pawl plan of {COUNT} definitions", "≤ 1 s", f"{worst / 1000:.2f} s", worst <= 1000)
    return answer
