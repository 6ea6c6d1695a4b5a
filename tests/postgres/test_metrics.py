"""What nodes on PostgreSQL measure: the names that alerts and the dashboard use, and numbers that are true."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import yaml

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "api"))

from harness import PATIENCE, ROOT, Client, Server  # noqa: E402
from steps import end, service  # noqa: E402

POSTGRES = os.path.join(ROOT, "tests", "services", "postgres")
PACKAGING = pathlib.Path(ROOT) / "packaging"
DEFINITION = {"id": "order", "name": "order", "steps": [service("work", "end"), end()]}


def until(condition, what):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"{what} did not happen"
        time.sleep(0.02)


class Metrics(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.mkdtemp(prefix="pawl-postgres-")
        cls.addClassCleanup(shutil.rmtree, directory, True)
        os.chmod(directory, 0o755)
        port = cls.database("start", directory).strip()
        cls.addClassCleanup(cls.database, "stop", directory)
        cls.uri = f"postgres://pawl:secret@127.0.0.1:{port}/postgres"

    def setUp(self):
        self.first, self.second = self.node(), self.node()
        self.first.post("/v1/definitions", DEFINITION)

    @staticmethod
    def database(verb, directory):
        return subprocess.run([POSTGRES, verb, directory], check=True, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True).stdout

    def node(self):
        server = Server(["--store", self.uri])
        self.addCleanup(server.kill)
        client = Client(server)
        client.server = server
        self.addCleanup(client.close)
        return client

    def page(self, client):
        """Names with labels, and their numbers."""
        lines = client.get("/metrics").body.decode().splitlines()
        return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in lines if line and not line.startswith("#")}

    def number(self, client, name):
        return self.page(client)[name]

    def nodes(self, client):
        """What the overview says of them."""
        return next(one for one in client.get("/api/overview").json["health"] if one["name"] == "nodes")

    def test_alerts_and_dashboard_use_names_that_a_node_prints(self):
        rules = yaml.safe_load((PACKAGING / "prometheus-rules.yml").read_text())
        dashboard = json.loads((PACKAGING / "grafana-dashboard.json").read_text())
        used = {rule["expr"] for group in rules["groups"] for rule in group["rules"]}
        used |= {target["expr"] for panel in dashboard["panels"] for target in panel["targets"]}
        started = self.first.post("/v1/instances", {"definitionId": "order"}).json["id"]
        self.first.post("/v1/jobs/poll", {"workerId": "w", "jobTypes": ["work"]})
        self.addCleanup(self.first.post, f"/v1/instances/{started}/cancel", {})
        printed = {name.split("{")[0] for name in self.page(self.first)} | {"pawl_mqtt_connected"}  # Only with a broker.
        for expression in used:
            for name in re.findall(r"\b(?:pawl|engine|workflow|process|job)_[a-z_]+(?=[{\[ )]|$)", expression):
                self.assertIn(name, printed, expression)

    def test_jobs_heartbeats_and_deaths_are_counted(self):
        until(lambda: self.number(self.second, "pawl_nodes") == 2 and self.number(self.first, "pawl_nodes") == 2, "both see two nodes")
        before = self.page(self.first)
        self.first.post("/v1/instances", {"definitionId": "order"})
        self.assertEqual(self.number(self.first, "pawl_node_jobs_offered_total"), before["pawl_node_jobs_offered_total"] + 1)
        jobs = self.second.post("/v1/jobs/poll", {"workerId": "w", "jobTypes": ["work"], "waitSeconds": 5}).json["jobs"]
        self.assertEqual(len(jobs), 1)
        page = self.page(self.second)
        self.assertEqual(page["pawl_node_jobs_claimed_total"], 1)
        self.assertGreaterEqual(page["pawl_node_claims_total"], 1)
        self.assertGreater(page["pawl_turn_store_seconds_sum"], 0)
        self.assertLess(abs(time.time() - page["pawl_node_last_heartbeat_timestamp_seconds"]), PATIENCE)
        heartbeats = page["pawl_node_heartbeats_total"]
        until(lambda: self.number(self.second, "pawl_node_heartbeats_total") > heartbeats, "another heartbeat")
        self.assertGreater(self.number(self.second, "pawl_node_heartbeat_duration_seconds_count"), 0)
        self.assertRegex(self.nodes(self.first)["sentence"], r"^2 nodes, this is number [0-9]+")
        number = re.search("number ([0-9]+)", self.nodes(self.second)["sentence"])[1]
        self.second.server.kill()
        # The nodes of the test before may be taken over, too, but they had no jobs.
        until(lambda: self.number(self.first, "pawl_node_jobs_taken_over_total") == 1, "taking over")
        until(lambda: self.number(self.first, "pawl_node_takeovers_total") > before["pawl_node_takeovers_total"], "the end of it")
        page = self.page(self.first)
        self.assertGreaterEqual(page["pawl_nodes_fenced_total"], 1)
        self.assertGreater(page["pawl_node_news_age_seconds_count"], 0)
        self.assertEqual(self.nodes(self.first)["state"], "look")
        self.assertRegex(self.nodes(self.first)["sentence"], rf"^One node, number [0-9]+; number {number} went [0-9]+ (ms|s) ago$")


if __name__ == "__main__":
    unittest.main()
