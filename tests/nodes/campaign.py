"""Many runs (run.py) side by side, each with a seed of its own, and a table of what they did.

    make nodes-campaign RUNS=400 SECONDS=60 NODES=3 SEED=1 PARALLEL=6 [ACCESS=1] [BESIDE=../old/build/pawl]

Each run has its own machines, so what one does the others do not notice, except for the processors they share. A run that
finds a problem keeps its logs, its history and what it said below build/campaign/SEED; the others leave one line in
build/campaign/runs.jsonl. It needs to be root.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import time

import faults
import world

HERE = os.path.dirname(os.path.abspath(__file__))
GRACE_SECONDS = 300         # Behind its own seconds: draining, reading, checking. A run that takes longer hangs.
GROUPS = ("faults", "exits", "answers", "asked")
COUNTED = ("keys", "revoked", "shown", "instances", "entities", "operations", "unknown", "ordered", "undecided", "ticks")


def run_one(asked, seed, nodes):
    keep = os.path.join(asked.out, str(seed))
    shutil.rmtree(keep, ignore_errors=True)
    os.makedirs(keep)
    command = [sys.executable, os.path.join(HERE, "run.py"), "--seed", str(seed), "--nodes", str(nodes), "--seconds", str(asked.seconds),
               "--rate", str(asked.rate), "--keep", keep, "--template", asked.template, "--faults", asked.faults]
    if asked.access:
        command += ["--access"]
    if asked.beside:
        command += ["--beside", os.path.abspath(asked.beside)]
    if asked.clock:
        command += ["--clock", asked.clock]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=asked.seconds + GRACE_SECONDS)
        text = done.stdout
    except subprocess.TimeoutExpired as late:
        text = (late.stdout or b"").decode() + "\nthe run did not end"
    try:
        result = json.loads(text.rstrip().rsplit("\n", 1)[-1])
    except ValueError:
        result = {"seed": seed, "nodes": nodes, "problems": 1, "faults": {}, "exits": {}, "answers": {}, "broken": True}
    if result["problems"]:
        with open(keep + "/problems.txt", "w", encoding="utf-8") as file:
            file.write(text)
    else:
        shutil.rmtree(keep)
    return result


def add_up(results):
    total = collections.Counter()
    for result in results:
        total["runs"] += 1
        total["bad"] += result["problems"] > 0
        for name in COUNTED:
            total[name] += result.get(name, 0)
        for group in GROUPS:
            for name, count in result.get(group, {}).items():
                total[f"{group} {name}"] += count
    return total


def table(results):
    """One row for each number of nodes, and what happened in all of them."""
    lines = ["| nodes | runs | with problems | skewed clocks | instances | entities | put in order | undecided | operations | without an answer | slots |",
             "|---|---|---|---|---|---|---|---|---|---|---|"]
    for nodes in sorted({result["nodes"] for result in results}):
        some = [result for result in results if result["nodes"] == nodes]
        total = add_up(some)
        lines.append(f"| {nodes} | {total['runs']} | {total['bad']} | {sum(bool(r.get('skewed')) for r in some)} | {total['instances']} | {total['entities']} | "
                     f"{total['ordered']} | {total['undecided']} | {total['operations']} | {total['unknown']} | {total['ticks']} |")
    total = add_up(results)
    for group in GROUPS:
        named = sorted((name.split()[1], count) for name, count in total.items() if name.startswith(group + " "))
        lines.append(f"{group}: " + (", ".join(f"{name} {count}" for name, count in named) or "none"))
    if total["keys"]:
        lines.append(f"keys: {total['keys']} made, {total['revoked']} revoked, {total['shown']} times shown; the longest that a revoked one was accepted "
                     f"where nothing hid it: {max(r.get('heard', 0) for r in results)} s")
    lines.append(f"longest wait behind its time: {max((r.get('longest', 0) for r in results), default=0)} s")
    bad = [result["seed"] for result in results if result["problems"]]
    lines.append(f"seeds with problems: {' '.join(map(str, sorted(bad))) or 'none'}")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--nodes", default="3", help="how many, or several numbers that take turns: 1,2,3")
    parser.add_argument("--seed", type=int, default=1, help="of the first run; each has the next one")
    parser.add_argument("--parallel", type=int, default=4)
    parser.add_argument("--rate", type=float, default=8, help="starts a second in each run")
    parser.add_argument("--faults", default=",".join(faults.KINDS))
    parser.add_argument("--access", action="store_true", help="keys are made, rotated and revoked in each run, too")
    parser.add_argument("--beside", help="the binary of another version, whose nodes share the database with those of this one")
    parser.add_argument("--clock")
    parser.add_argument("--out", default="build/campaign")
    asked = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("campaign: network namespaces need root")
    asked.out = os.path.abspath(asked.out)
    os.makedirs(asked.out, exist_ok=True)
    asked.template = f"/tmp/pawl-campaign-template-{os.getpid()}"
    world.make_template(asked.template)
    numbers = [int(number) for number in asked.nodes.split(",")]
    results, begun = [], time.monotonic()
    try:
        with concurrent.futures.ThreadPoolExecutor(asked.parallel) as pool, open(asked.out + "/runs.jsonl", "a", encoding="utf-8") as book:
            under_way = [pool.submit(run_one, asked, asked.seed + n, numbers[n % len(numbers)]) for n in range(asked.runs)]
            for done in concurrent.futures.as_completed(under_way):
                result = done.result()
                results.append(result)
                book.write(json.dumps(result) + "\n")
                book.flush()
                print(f"{'ok  ' if not result['problems'] else 'FAIL'} seed {result['seed']}, {result['nodes']} nodes: {result.get('instances', 0)} instances, "
                      f"{result.get('operations', 0)} operations, {result.get('unknown', 0)} without an answer, "
                      f"{sum(result['faults'].values())} faults, {result['problems']} problems", flush=True)
    finally:
        shutil.rmtree(asked.template, ignore_errors=True)
    print(table(results))
    bad = sum(result["problems"] > 0 for result in results)
    print(f"{time.monotonic() - begun:.0f} s")
    print(f"{len(results) - bad} passed, {bad} failed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
