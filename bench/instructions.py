"""Counts the instructions of two engines for the same work, function by function.

usage: instructions.py OUT_DIR BASE_OUT_DIR [WORK…]

OUT_DIR and BASE_OUT_DIR have a `pawl` each; the load comes from OUT_DIR. WORK is one of those below; without any, it
does all of them. The counts hardly depend on other load of the machine: two runs of one engine differ by less than 1 %.
"""

import pathlib
import sys

from counted import Counted
from database import Database
from documents import CHAIN, CHAIN_LOAD, ORDER_MODEL, ORDER_SAMPLE, ORDER_WORKFLOW, order
from measure import Bench
from questions.access import with_root

WARM, WORKFLOWS, SHOWN = 300, 2000, 60


def run_chain(bench, counted, mode, in_flight, header=None):
    more = {"header": "Authorization: " + header["Authorization"]} if header else {}
    counted.engine.headers = header or {}
    counted.engine.deploy(CHAIN)

    def load(workflows):
        bench.load(counted.engine, **CHAIN_LOAD, **more, mode=mode, in_flight=in_flight, workflows=workflows)
    load(WARM)
    counted.zero()
    load(WORKFLOWS)
    counted.end()
    return counted


def chain(mode, in_flight, with_key=False):
    def count(bench, out):
        options, root = with_root(bench)
        with Counted(out, *(options if with_key else ())) as counted:
            return run_chain(bench, counted, mode, in_flight, root if with_key else None)
    return count


def postgres(bench, out):
    """One node. An engine under callgrind is slow, so more heartbeats fall on a workflow than otherwise."""
    with Database() as database, Counted(out, "--store", database.store("counted")) as counted:
        return run_chain(bench, counted, "longpoll", 64)


def entities(bench, out):
    """Each is created, and gets one transition."""
    ids = bench.out / "bench-counted-ids.txt"
    with Counted(out) as counted:
        counted.engine.deploy_model(ORDER_MODEL, ORDER_SAMPLE, ORDER_WORKFLOW)

        def load(count):
            ids.unlink(missing_ok=True)
            bench.shoot(counted.engine, path=f"/api/entity/JSON/{ORDER_MODEL}/1", body=order("open"), count=count, connections=64, keep=ids, mark='"entityIds":["')
            bench.shoot(counted.engine, method="PUT", path="/api/entity/JSON/{id}/TOUCH", body=order("seen"), ids=ids, count=count, connections=64)
        load(WARM)
        counted.zero()
        load(WORKFLOWS)
        counted.end()
    ids.unlink()
    return counted


WORK = {"single": chain("single", 64), "batch": chain("batch", 64), "single-key": chain("single", 64, True), "batch-key": chain("batch", 64, True), "postgres": postgres, "entities": entities}


def differences(now, before):
    """(change, now, before, function), per workflow; the largest changes."""
    rows = [((now[name] - before[name]) / WORKFLOWS, now[name] / WORKFLOWS, before[name] / WORKFLOWS, name) for name in {*now, *before}]
    return sorted(rows, key=lambda row: -abs(row[0]))[:SHOWN]


def main():
    out, base, *work = sys.argv[1:]
    unknown = [name for name in work if name not in WORK]
    if unknown:
        raise SystemExit(f"no such work: {' '.join(unknown)}; there is {' '.join(WORK)}")
    bench = Bench(out, quick=False)
    for name in work or WORK:
        now, before = (WORK[name](bench, pathlib.Path(engine).resolve()) for engine in (out, base))
        print(f"{name}: {now.total() / WORKFLOWS:,.0f} instructions a workflow, {before.total() / WORKFLOWS:,.0f} before: "
              f"{(now.total() / before.total() - 1) * 100:+.2f} %", flush=True)
        print(f"commits a workflow: {now.commits / WORKFLOWS:.3f}, {before.commits / WORKFLOWS:.3f} before")
        for what, rows in (("place", differences(now.by_place, before.by_place)), ("function", differences(now.by_function, before.by_function))):
            print(f"\n{what}: change, now, before")
            for row in rows:
                print("{:+10,.0f} {:10,.0f} {:10,.0f}  {}".format(*row))
        print()


if __name__ == "__main__":
    main()
