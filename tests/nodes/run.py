"""One run: machines, load, faults, and the verdict. Started by campaign.py; by hand:

    sudo python3 tests/nodes/run.py --seed 7 --nodes 1 --seconds 20 --keep build/campaign/7

The last line is a JSON object with the counts and the verdict. The directory keeps the logs and the history (history.json).
"""

import argparse
import collections
import dataclasses
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback

import clients
import entities
import faults
import keys
import rules
import twins
import vault
import world as worlds

DRAIN_SECONDS = 45
STOP_SECONDS = 20
UNREACHABLE = 6             # What pawl ends with when there is no database.
SKEW = 2.0
COUNTED = ("put-secret", "remove-secret", "use-secret", "rekey", "publish", "twin")
ENDLESS = ("tick", entities.DEFINITION)  # There is always one that has not ended.


class Run:
    def __init__(self, asked):
        self.asked = asked
        self.random = random.Random(f"{asked.seed} run")
        self.directory = tempfile.mkdtemp(prefix="pawl-run-")
        os.makedirs(asked.keep, exist_ok=True)
        self.world = worlds.World(self.directory, asked.keep, asked.template, asked.nodes, asked.clock, asked.beside)
        self.recorder = clients.Recorder()
        self.problems, self.exits, self.faults_done = [], collections.Counter(), []
        self.drawer, self.paths, self.ring = vault.Drawer(), twins.Paths(), keys.Ring()
        self.skewed = asked.clock and self.random.random() < asked.skewed
        self.watching = True

    def go(self):
        if self.skewed:
            for number, node in enumerate(self.world.nodes):
                node.skew = SKEW * (number % 2) if self.asked.nodes > 1 else SKEW
        if self.asked.forgetful:
            self.world.primary.configure("synchronous_commit = off\nwal_writer_delay = '10s'\nwal_writer_flush_after = 0")
        self.world.start()
        load = self.make_load()
        supervisor = threading.Thread(target=self.supervise, daemon=True)
        supervisor.start()
        load.begin()
        begun = time.monotonic()
        planned = faults.plan(self.asked.seed, self.asked.nodes, self.asked.seconds, self.asked.faults)
        self.faults_done = faults.run(self.world, planned, begun)
        time.sleep(max(0.0, begun + self.asked.seconds - time.monotonic()))
        load.stop_starting()
        self.drain(load)
        history = self.read_books(load)
        self.attempt(self.ask_nodes, load, history)
        if history.left:
            self.keep_tables()
        load.end()
        self.watching = False
        supervisor.join()
        self.stop_nodes()
        self.attempt(self.ask_anew, history)
        with open(self.asked.keep + "/history.json", "w", encoding="utf-8") as file:
            json.dump({**dataclasses.asdict(history), "begun": begun}, file, default=str)
        verdict = rules.judge(history)
        self.problems += [*self.recorder.failures, *verdict.problems]
        wrong, longest = keys.judge(self.ring, self.faults_done)
        self.problems += wrong
        return {"keys": len(self.ring.keys), "revoked": sum(bool(key["revoked"]) for key in self.ring.keys), "shown": len(self.ring.uses),
                "heard": round(longest, 2), "instances": len(history.books), "entities": len(history.notes), "operations": len(history.operations), "ordered": verdict.checked, "undecided": verdict.undecided,
                "unknown": sum(op["outcome"] == "unknown" for op in history.operations),
                "asked": collections.Counter(f"{op['op']}-{op['outcome']}" for op in history.operations if op["op"] in COUNTED),
                "ticks": sum(book["instance"]["definitionId"] == "tick" for book in history.books.values())}

    def make_load(self):
        load = clients.Load(self.asked.seed, self.recorder, ("10.71.1.1", 8080), self.asked.rate, [(node.host, 8080) for node in self.world.nodes])
        load.deploy()
        wire = clients.Wire(self.recorder, load.address)
        vault.deploy(wire)
        wire.close()
        load.members += [*(vault.Keeper(load, f"keeper{n}", self.drawer) for n in range(2)), *(twins.Twin(load, f"twin{n}", self.paths) for n in range(2))]
        if self.asked.access:
            load.members += [keys.Holder(load, f"holder{n}", self.ring) for n in range(3)]
        return load

    def attempt(self, look, *about):
        """What cannot be looked at is a problem, and the history is judged all the same."""
        try:
            look(*about)
        except Exception:
            self.problems.append(traceback.format_exc())

    def ask_nodes(self, load, history):
        """Each node by itself: all must say the same about secrets and webhooks, and must be able to set one more secret."""
        wires = load.wires_to_nodes()
        history.entities = twins.list_entities(wires[0])
        for wire in wires:
            history.secrets += vault.look(wire, self.drawer)
            history.hooks += twins.look(wire, self.paths)
            self.problems += filter(None, [vault.set_one_more(wire)])
            self.problems += keys.look(wire, self.ring)
        self.problems += keys.look_at_audit(self.random.choice(wires), self.ring)
        self.problems += filter(None, [vault.rekey_once_more(self.random.choice(wires))])
        for wire in wires:
            wire.close()

    def ask_anew(self, history):
        """The same of a node that has just started, when all had ended: it knows only what is in the database and in the key's file."""
        node = self.random.choice(self.world.nodes)
        self.world.start_first(node)
        wire = clients.Wire(self.recorder, (node.host, 8080))
        history.secrets += vault.look(wire, self.drawer)
        history.hooks += twins.look(wire, self.paths)
        self.problems += keys.look(wire, self.ring)
        wire.close()
        self.stop_nodes()

    def supervise(self):
        """Starts again what has ended, as systemd would."""
        while self.watching:
            for node in self.world.nodes:
                if getattr(node, "down", False) or node.alive():
                    continue
                if node.process:
                    self.exits[node.process.returncode] += 1
                    if node.process.returncode < 0:
                        self.problems.append(f"{node.name} was ended by the signal {-node.process.returncode}")
                    node.kill()
                node.start()
            time.sleep(0.1)

    def drain(self, load):
        """With everybody at work and nothing wrong any more, every instance must come to its end, and the schedule goes on."""
        wire = clients.Wire(self.recorder, load.address)
        deadline = time.monotonic() + DRAIN_SECONDS
        ticked = set()
        while time.monotonic() < deadline:
            try:
                ticked.add(self.last_tick(wire))
                open_ones = [i for status in ("ACTIVE", "WAITING") for i in clients.all_pages(wire, "/v1/instances", status=status)
                             if i["definitionId"] not in ENDLESS]
            except (clients.Cut, clients.Unsure, clients.Busy):
                time.sleep(0.2)
                continue
            if not open_ones and len(ticked) > 1:
                break
            for instance in open_ones:
                if load.chores.empty():
                    self.help(load, instance)
            time.sleep(0.5)
        if len(ticked) < 2:
            self.problems.append(f"the schedule does not go on after {ticked}")
        wire.close()

    @staticmethod
    def last_tick(wire):
        status, page = wire.call("GET", "/v1/instances?definitionId=tick&pageSize=1")
        assert status == 200, page
        return page["items"][0]["id"] if page["items"] else None

    @staticmethod
    def help(load, instance):
        """Nobody knows of an instance whose start had no answer."""
        for step, kind in (("hear", "signal"), ("ballot", "task"), ("approve", "task")):
            if step in instance["currentStepIds"]:
                load.chores.put((kind, instance["id"], step))

    def read_books(self, load):
        wire = clients.Wire(self.recorder, ("10.71.1.1", 8080))
        deadline = time.monotonic() + DRAIN_SECONDS

        def ask(path):
            while True:
                try:
                    status, answer = wire.call("GET", path)
                    assert status == 200, f"{path}: {status} {answer}"
                    return answer
                except (clients.Cut, clients.Unsure, clients.Busy):
                    assert time.monotonic() < deadline, f"{path}: no answer"
                    time.sleep(0.2)

        listed = [i["id"] for i in list(clients.all_pages(wire, "/v1/instances")) if i["definitionId"] != entities.DEFINITION]
        books = {}
        for name in listed:
            seen = ask(f"/v1/instances/{name}")
            if seen["definitionId"] == "tick" and seen["status"] in ("ACTIVE", "WAITING"):
                seen["status"] = "COMPLETED"  # The schedule goes on until the end.
            visits = ask(f"/v1/instances/{name}/history")["items"]
            events = read_events(name) if seen["status"] not in ("ACTIVE", "WAITING") and seen["definitionId"] != "tick" else []
            books[name] = {"instance": seen, "visits": visits, "events": events}
        left = [f"job {job['id']} {job['stepId']}" for job in clients.all_pages(wire, "/v1/jobs") if job["jobType"] != "tock"]
        left += [f"task {task['id']}" for task in clients.all_pages(wire, "/v1/user-tasks")]
        notes = {}
        for entity in load.shelf.all:
            seen = ask(f"/api/entity/{entity}")
            notes[entity] = {"by": seen["data"]["by"], "state": seen["meta"]["state"]}
        wire.close()
        return rules.History(self.recorder.operations, books, notes, left=left, slow=self.recorder.slow, skew=SKEW + 0.5 if self.skewed else 0.0,
                             faults=self.faults_done)

    def keep_tables(self):
        """Something waits that should not: which node has it?"""
        with open(self.asked.keep + "/tables.txt", "w", encoding="utf-8") as file:
            for query in ("SELECT * FROM node", "SELECT * FROM job", "SELECT id, holder, revision FROM instance WHERE holder IS NOT NULL"):
                print(query, self.world.primary.sql(query), sep="\n", file=file)

    def stop_nodes(self):
        """In order; then the store must be whole."""
        for node in self.world.nodes:
            if node.alive():
                node.signal(signal.SIGTERM)
        for node in self.world.nodes:
            try:
                code = node.process.wait(STOP_SECONDS) if node.process else 0
                if code:
                    self.problems.append(f"{node.name} ended with {code} when it was asked to stop")
            except subprocess.TimeoutExpired:
                self.problems.append(f"{node.name} did not stop within {STOP_SECONDS} s")
            node.kill()
        for _ in range(worlds.START_TRIES):  # A busy machine may not connect in time.
            done = subprocess.run([worlds.BINARY, "store", "check", "--deep", "--store", self.world.uri], capture_output=True, text=True, timeout=120)
            if done.returncode != UNREACHABLE:
                break
        if done.returncode:
            self.problems.append(f"pawl store check: {done.returncode} {done.stdout[-2000:]}{done.stderr[-2000:]}")


def read_events(name):
    connection = clients.http.client.HTTPConnection("10.71.1.1", 8080, timeout=clients.BOUND)
    try:
        connection.request("GET", f"/v1/instances/{name}/events", headers={"Authorization": "Bearer " + worlds.TOKEN})
        blocks = connection.getresponse().read().decode().split("\n\n")
    finally:
        connection.close()
    fields = [dict(line.split(": ", 1) for line in block.split("\n") if ": " in line and not line.startswith(":")) for block in blocks]
    return [(event["event"], json.loads(event["data"])) for event in fields if event]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--nodes", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--rate", type=float, default=8)
    parser.add_argument("--skewed", type=float, default=0.3, help="the share of runs with clocks that differ")
    parser.add_argument("--keep", required=True)
    parser.add_argument("--template", default="/tmp/pawl-campaign-template")
    parser.add_argument("--access", action="store_true", help="keys are made, rotated and revoked, too")
    parser.add_argument("--beside", help="the binary of another version with the same schema: nodes of both share the database")
    parser.add_argument("--clock", help="the library made from clock.c")
    parser.add_argument("--forgetful", action="store_true", help="a database that promises commits it can lose: the verdict must be bad")
    parser.add_argument("--faults", type=lambda text: text.split(","), default=list(faults.KINDS))
    asked = parser.parse_args()
    asked.keep = os.path.abspath(asked.keep)
    worlds.make_template(asked.template)
    worlds.enter()
    began = time.monotonic()
    run = Run(asked)
    counts = {}
    try:
        counts = run.go()
    except Exception:
        run.problems.append(traceback.format_exc())
    for problem in run.problems:
        print(problem)
    print(json.dumps({"seed": asked.seed, "nodes": asked.nodes, "skewed": bool(run.skewed), **counts,
                      "faults": collections.Counter(name for name, *_ in run.faults_done), "exits": run.exits,
                      "answers": run.recorder.answers, "longest": round(run.recorder.longest, 1),
                      "seconds": round(time.monotonic() - began, 1), "problems": len(run.problems)}), flush=True)
    run.world.unmount()
    shutil.rmtree(run.directory, ignore_errors=True)
    os._exit(1 if run.problems else 0)  # Whoever waits for ever must not keep the run.


if __name__ == "__main__":
    main()
