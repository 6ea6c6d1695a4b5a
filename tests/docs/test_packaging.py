"""The alert rules and the dashboard name metrics that the engine has; the files for three nodes can be read."""

import json
import os
import pathlib
import re
import subprocess
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"
METRIC = r"\b((?:pawl|engine|workflow|process)_[a-z_]+)"


def metrics_of_the_source():
    text = "".join((ROOT / path).read_text() for path in ("src/runtime/memory/metrics.h", "src/program/performer.h", "src/api/metrics_page.c", "src/api/metrics_series.c"))
    named = set(re.findall(rf'"{METRIC}"', text)) | set(re.findall(rf'[" \\n]{METRIC}(?=[ {{])', text))
    return named | {f"{name}_{end}" for name in named for end in ("bucket", "sum", "count")}


class Packaging(unittest.TestCase):
    def check(self, expressions):
        known = metrics_of_the_source()
        self.assertGreater(len(known), 50)
        self.assertGreater(len(expressions), 10)
        for expression in expressions:
            named = re.findall(METRIC, expression)
            self.assertTrue(named or "up{" in expression, expression)
            for name in named:
                self.assertIn(name, known)

    def test_alert_rules_name_metrics_that_exist(self):
        rules = yaml.safe_load((PACKAGING / "prometheus-rules.yml").read_text())
        self.check([rule["expr"] for group in rules["groups"] for rule in group["rules"]])

    def test_the_dashboard_names_metrics_that_exist(self):
        dashboard = json.loads((PACKAGING / "grafana-dashboard.json").read_text())
        self.check([target["expr"] for panel in dashboard["panels"] for target in panel["targets"]])

    def test_three_nodes_have_what_they_need(self):
        services = yaml.safe_load((PACKAGING / "nodes" / "compose.yaml").read_text())["services"]
        nodes = [name for name, service in services.items() if "PAWL_STORE" in service.get("environment", {})]
        self.assertEqual(len(nodes), 3)
        balancer = (PACKAGING / "nodes" / "haproxy.cfg").read_text()
        for name in nodes:
            self.assertIn(f" {name}:8080", balancer)
            self.assertIn(name, services["balancer"]["depends_on"])

    def test_three_nodes_are_started_with_options_that_exist(self):
        known = subprocess.run([os.environ.get("PAWL_BINARY", ROOT / "build" / "pawl"), "serve", "--help"], stdout=subprocess.PIPE, text=True).stdout
        services = yaml.safe_load((PACKAGING / "nodes" / "compose.yaml").read_text())["services"]
        command = services["node1"]["command"]
        self.assertEqual(command[0], "serve")
        for option in (word for word in command if word.startswith("--")):
            self.assertRegex(known, rf"{option}\b")

    def test_the_units_differ_in_nothing_that_protects(self):
        def settings(name):
            lines = (PACKAGING / name).read_text().split("DynamicUser")[1].split("[Install]")[0].splitlines()
            return [line for line in lines if "=" in line and "StateDirectory" not in line and not line.startswith("#")]
        self.assertEqual(settings("pawl.service"), settings("pawl@.service"))


if __name__ == "__main__":
    unittest.main()
