"""The alert rules and the dashboard name metrics that the engine has; the files for three nodes can be read; packages say what is true."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import jsonschema
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"
sys.path[:0] = [str(ROOT / "tools" / "dist"), str(ROOT / "tests" / "dist")]

import debian  # noqa: E402  (tools/dist/debian.py)
import tarball  # noqa: E402
from exposure import EXPOSURE_MAX, exposure, needs_systemd_analyze  # noqa: E402  (tests/dist/exposure.py)

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

    @needs_systemd_analyze
    def test_systemd_counts_little_that_the_units_can_reach(self):
        for name in ("pawl.service", "pawl@.service"):
            reached, lines = exposure(PACKAGING / name)
            self.assertLessEqual(reached, EXPOSURE_MAX, "\n".join([name, *lines]))


class Packages(unittest.TestCase):
    def test_the_page_names_every_file(self):
        page = (PACKAGING / "README.md").read_text()
        for name in subprocess.run(["git", "ls-files", "packaging"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split():
            if name != "packaging/README.md":
                self.assertIn(f"`{name.removeprefix('packaging/')}`", page)

    def test_units_of_the_package_run_as_its_user_and_are_as_strict(self):
        def settings(text):
            return {line for line in text.splitlines() if "=" in line and not line.startswith("#")}
        for name in ("pawl.service", "pawl@.service"):
            ours, theirs = settings((PACKAGING / name).read_text()), settings(debian.unit(name))
            self.assertEqual({line for line in ours - theirs if not line.startswith("ExecStart=")}, {"DynamicUser=yes"})
            self.assertEqual({line for line in theirs - ours if not line.startswith("ExecStart=")}, {"User=pawl", "Group=pawl"})
            self.assertNotIn("exists only while", debian.unit(name))
            self.assertNotIn("/usr/local", debian.unit(name))

    def test_the_package_depends_on_what_the_engine_loads(self):
        control = (PACKAGING / "debian" / "control").read_text()
        loaded = {re.search(r'dlopen\("([^"]+)"', (ROOT / path).read_text()).group(1)
                  for path in ("src/base/libpq.c", "src/perform/libcurl.c", "src/trigger/libmosquitto.c")}
        self.assertEqual(loaded, set(tarball.LOADED))
        for name in loaded:
            package = name.replace(".so.", "")
            self.assertRegex(control, rf"(?m)^(Depends|Recommends):.*\b{package}\b")
        linked = re.search(r"(?m)^PACKAGES := (.*)$", (ROOT / "Makefile").read_text()).group(1).split()
        static = re.search(r"(?m)^PORTABLE_LIBS := (.*) -Wl,-Bdynamic", (ROOT / "tools" / "dist" / "dist.mk").read_text()).group(1)
        libraries = subprocess.run(["pkg-config", "--libs-only-l", *linked], capture_output=True, text=True, check=True).stdout.split()
        for library in set(libraries) - {"-lpthread", "-lrt", "-ldl"}:
            self.assertIn(f" {'-luv_a' if library == '-luv' else library} ", f"{static} ")

    def test_maintainer_scripts_are_shell_and_never_remove_data(self):
        for path in (PACKAGING / "debian").glob("pawl.*"):
            subprocess.run(["sh", "-n", path], check=True)
            self.assertIsNone(re.search(r"^\s*(rm|deluser)\b", path.read_text(), re.M), path)

    def test_archives_do_not_tell_when_and_where_they_were_made(self):
        from release import tar_of
        made = []
        for order in (("b", "a"), ("a", "b")):
            with tempfile.TemporaryDirectory() as folder:
                for name in order:
                    (pathlib.Path(folder) / name).write_text(name)
                made.append(tar_of(pathlib.Path(folder), "x"))
        self.assertEqual(*made)


class Chart(unittest.TestCase):
    POSTGRES = {"replicas": 3, "store": {"kind": "postgres", "postgres": {"existingSecret": "database", "key": "uri"}}, "secretsKey": {"existingSecret": "keys", "key": "k"}}

    def setUp(self):
        self.values = yaml.safe_load((PACKAGING / "chart" / "values.yaml").read_text())
        self.schema = json.loads((PACKAGING / "chart" / "values.schema.json").read_text())
        jsonschema.Draft7Validator.check_schema(self.schema)

    def refused(self, others):
        return not jsonschema.Draft7Validator(self.schema).is_valid({**self.values, **others})

    def test_both_shapes_fit_the_schema(self):
        self.assertFalse(self.refused({}))
        self.assertFalse(self.refused(self.POSTGRES))

    def test_the_schema_refuses_what_cannot_run(self):
        cases = ({"replicas": 2}, {**self.POSTGRES, "secretsKey": {"existingSecret": "", "key": "k"}},
                 {**self.POSTGRES, "store": {"kind": "postgres", "postgres": {"existingSecret": "", "key": "uri"}}}, {"replica": 1}, {"store": {"kind": "mysql"}},
                 {"token": {"existingSecret": "", "key": "token"}}, {"settings": {"PAWL_DATA": "/else"}}, {"settings": {"retention": "1d"}}, {"settings": {"PAWL_RETENTION": 1}})
        for case in cases:
            self.assertTrue(self.refused(case), case)

    def test_every_value_is_described_and_used(self):
        templates = "".join(path.read_text() for path in (PACKAGING / "chart" / "templates").glob("*.yaml"))
        used = set(re.findall(r"\.Values\.([\w.]+)", templates))

        def leaves(value, schema, path):
            if isinstance(value, dict) and "properties" in schema:
                for name, inner in value.items():
                    self.assertIn(name, schema["properties"], path)
                    yield from leaves(inner, schema["properties"][name], f"{path}.{name}" if path else name)
            else:
                yield path
        self.assertEqual(set(leaves(self.values, self.schema, "")), used - {"store.sqlite", "store.postgres"})

    def test_settings_name_variables_that_the_engine_knows(self):
        known = subprocess.run([os.environ.get("PAWL_BINARY", ROOT / "build" / "pawl"), "serve", "--help"], stdout=subprocess.PIPE, text=True).stdout
        template = (PACKAGING / "chart" / "templates" / "engine.yaml").read_text()
        for name in re.findall(r"- name: (PAWL_\w+)", template):
            self.assertIn(f"[{name}]", known)


class OtherMachines(unittest.TestCase):
    def test_a_big_endian_machine_is_refused(self):
        compiled = subprocess.run(["gcc", "-fsyntax-only", "-U__BYTE_ORDER__", "-D__BYTE_ORDER__=__ORDER_BIG_ENDIAN__", "-Isrc", "-x", "c", "src/json/json_int.h"],
                                  cwd=ROOT, capture_output=True, text=True)
        self.assertNotEqual(compiled.returncode, 0)
        self.assertIn("little-endian machines only", compiled.stderr)


if __name__ == "__main__":
    unittest.main()
