"""examples/order-payment, whose engine and node are killed while a request is at the node.

Whoever was killed is started again, and the customer goes on. In the end the order is shipped, its payment is settled, and its card was
charged once.

    EXAMPLE_CYCLES   1: one kill of each kind (default); more: every stage with every victim
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

from engine import BINARY, ENVIRONMENT, PATIENCE, ROOT, check_store

EXAMPLE = os.path.join(ROOT, "examples", "order-payment")
sys.path.insert(0, EXAMPLE)

import customer  # noqa: E402
import web  # noqa: E402

STAGES = ("price", "in-stock", "reserve", "open-payment", "has-card", "charge", "tell-order", "thank")
VICTIMS = (("engine",), ("node",), ("engine", "node"))
FEW = (("open-payment", VICTIMS[0]), ("charge", VICTIMS[1]), ("tell-order", VICTIMS[2]))
ALL = tuple((stage, victims) for stage in STAGES for victims in VICTIMS)


def free_port():
    return int(subprocess.run([os.path.join(ROOT, "tests", "services", "free-port")], check=True, capture_output=True).stdout)


class Town:
    """An engine and a node that can be killed and come back at the same addresses."""

    def __init__(self):
        self.directory = tempfile.mkdtemp(prefix="pawl-orders-")
        self.http, self.grpc = f"127.0.0.1:{free_port()}", f"127.0.0.1:{free_port()}"
        self.base, self.ledger = "http://" + self.http, os.path.join(self.directory, "ledger.jsonl")
        self.strike = None  # (stage, victims): done once.
        self.processes = {}
        self.start("engine")
        customer.prepare(self.base)
        self.start("node")

    def command(self, name):
        if name == "engine":
            return [BINARY, "serve", "--listen", self.http, "--grpc", self.grpc, "--data", os.path.join(self.directory, "data")]
        return [sys.executable, os.path.join(EXAMPLE, "node.py"), "--engine", self.base, "--grpc", self.grpc, "--ledger", self.ledger, "--step"]

    def start(self, name):
        with open(os.path.join(self.directory, name + ".log"), "ab") as log:
            process = subprocess.Popen(self.command(name), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, env=ENVIRONMENT)
        self.processes[name] = process
        line = process.stdout.readline()
        assert "listening" in line or line == "connected\n", f"the {name} does not start: {line}"
        if name == "node":
            threading.Thread(target=self.watch, args=(process,), daemon=True).start()

    def kill(self, name):
        process = self.processes[name]
        process.kill()
        process.wait()
        process.stdin.close()
        if name == "engine":
            process.stdout.close()

    def watch(self, node):
        """Lets the node answer each request, or strikes instead."""
        for line in node.stdout:
            if self.strike and line == f"asked {self.strike[0]}\n":
                victims, self.strike = self.strike[1], None
                for name in victims:
                    self.kill(name)
                for name in victims:
                    self.start(name)
                if "node" in victims:
                    break
            if line.startswith("asked"):
                node.stdin.write("\n")
                node.stdin.flush()
        node.stdout.close()

    def close(self):
        for name in ("node", "engine"):
            self.processes[name].terminate()
            self.processes[name].wait(PATIENCE)
            self.processes[name].stdin.close()
        self.processes["engine"].stdout.close()


    def end(self):
        for process in self.processes.values():
            if process.poll() is None:
                process.kill()
                process.wait()


class Orders(unittest.TestCase):
    def test_an_order_is_shipped_and_charged_once_whoever_is_killed(self):
        town = Town()
        self.addCleanup(shutil.rmtree, town.directory, ignore_errors=True)
        self.addCleanup(town.end)
        cases = ALL if int(os.environ.get("EXAMPLE_CYCLES", "1")) > 1 else FEW
        for number, (stage, victims) in enumerate(cases):
            with self.subTest(stage=stage, victims=victims):
                town.strike = (stage, victims)
                order, payment = customer.buy(town.base, f"order-{number}", [{"item": "tea", "count": 2, "price": 12.25}])
                self.assertIsNone(town.strike, "this stage did not come")
                self.assertEqual(web.entity(town.base, order)[0], "SHIPPED")
                self.assertEqual(web.entity(town.base, payment)[1]["receipt"], "r-" + payment[:8])
        with open(town.ledger, encoding="utf-8") as ledger:
            charged = [json.loads(line)["payment"] for line in ledger]
        payments = web.call(town.base, "GET", "/api/entity/payment/1?pageSize=1000")
        self.assertEqual(sorted(charged), sorted(shown["meta"]["id"] for shown in payments))
        self.assertEqual(len(charged), len(cases))
        town.close()
        self.assertEqual(check_store(os.path.join(town.directory, "data")), 2 * len(cases))


if __name__ == "__main__":
    unittest.main()
