"""How long does the web application take to show runs among a million?

A browser opens the list of runs, goes from page to page, filters and scrolls: from the click to the frame with the rows.
"""

import json
import shutil
import subprocess

from documents import PARKED, PARKED_START
from measure import ROOT, Answer, Figures, number, spread, whole

ROUNDS = 3
BAR_MS = 200
TEXT = """Chromium without a graphics card, 1440 by 900, on the machine of the engine. *Open* loads the application and shows the newest runs; *first page* comes from
another page of the application; *next page* follows the cursor, *deep* is the slowest of the ten pages after it; *filter* shows the runs on their way. Time counts
from the click to the frame that has the rows. *CPU* is the processor time of the page's thread for a next page: trust it on a busy machine. *Scroll* is the longest
task of the page in processor time while the list is scrolled, *memory* the page's own after all that. Reference: the smallest store."""
COLUMNS = [(f"{what} ms", name, whole) for what, name in (
    ("open", "openMs"), ("first page", "firstMs"), ("next page", "nextMs"), ("deep", "deepMs"), ("filter", "filterMs"), ("next page CPU", "nextCpuMs"), ("scroll", "scrollMs"))]


def browse(bench, engine):
    done = subprocess.run(["node", ROOT / "bench" / "browser.mjs", engine.url, str(bench.pick(1, ROUNDS))], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"bench/browser.mjs failed: {done.stdout}{done.stderr}")
    return Figures(json.loads(done.stdout))


def measure_size(bench, size):
    with bench.engine() as engine:
        engine.deploy(PARKED)
        bench.shoot(engine, path="/v1/instances", body=PARKED_START, count=size, connections=32, depth=8)
        return browse(bench, engine)


def ask(bench):
    answer = Answer("Runs in the browser", TEXT)
    if shutil.which("node") is None or not (ROOT / "web" / "node_modules" / ".installed").exists():
        answer.text += " Left out: Node.js or the packages of web/ are not there."
        return answer
    table = answer.table(["runs"], [*COLUMNS, ("memory MB", "memoryMB", whole), ("spread", "firstMs", spread)])
    for size in bench.pick((1000,), (1000, 1_000_000)):
        found = measure_size(bench, size)
        table.add([number(size)], found)
        answer.keep(f"browser at {size}", found)
        slowest = max(found.median(name) for name in ("firstMs", "nextMs", "filterMs"))
        answer.budget(f"first and next page of {number(size)} runs in the browser", f"≤ {BAR_MS} ms", f"{slowest:.0f} ms", slowest <= BAR_MS)
    return answer
