"""`pawl test` and `pawl run`: exit codes, reports for people and programs, the terminal."""

import glob
import json
import os
import pty
import subprocess
import unittest
import xml.etree.ElementTree

from program import BINARY, PATIENCE, ROOT, Case, environment

ORDER = os.path.join(ROOT, "examples", "order.json")
DEFINITION = {"id": "one", "name": "One", "steps": [
    {"id": "s", "name": "s", "type": "SERVICE_TASK", "jobType": "work", "nextStep": "u"},
    {"id": "u", "name": "Ask", "type": "USER_TASK", "nextStep": "e"},
    {"id": "e", "name": "e", "type": "END"}]}


def case(name, **more):
    return {"name": name, "steps": [
        {"op": "mock", "job": "work", "results": [{"ok": {"a": 1}}]},
        {"op": "start", "as": "i", "input": {"n": 1}}], **more}


class Test(Case):
    def scenario(self, *cases, **more):
        self.file("one.json", json.dumps(DEFINITION))
        return self.file("s.json", json.dumps({"definitions": ["one.json"], "cases": list(cases), **more}))

    def test_the_repository_s_own_scenarios_pass(self):
        files = sorted(glob.glob(os.path.join(ROOT, "examples", "*.scenario.json")) +
                       glob.glob(os.path.join(ROOT, "tests", "scenario", "**", "*.json"), recursive=True))
        self.assertRegex(self.run_pawl("test", *files).out, r"\A\d+ passed, 0 failed\n\Z")

    def test_the_examples_keep_their_invariants(self):
        files = sorted(glob.glob(os.path.join(ROOT, "examples", "*.scenario.json")))
        self.assertIn(", 0 failed", self.run_pawl("test", *files, "--explore", "20", "--seed", "3").out)

    def test_a_failing_case_shows_the_difference_and_the_run(self):
        path = self.scenario(case("good"), case("bad", expect={"instances": {"i": {"variables": {"a": 2}}}}))
        out = self.run_pawl("test", path, code=1).out
        self.assertIn("bad\n  instances.i.variables.a\n    expected  2\n    but got   1\n", out)
        self.assertIn("  +00:00:00.000  complete_job  i  s {\"a\":1}\n", out)
        self.assertNotIn("good", out)
        self.assertTrue(out.endswith("\n1 passed, 1 failed\n"))

    def test_cases_are_chosen_by_name_and_told_when_asked(self):
        path = self.scenario(case("good"), case("bad", expect={"instanceCount": 7}))
        out = self.run_pawl("test", path, "-k", "goo", "-v").out
        self.assertIn("s.json: good\n", out)
        self.assertIn("enter", out)
        self.assertTrue(out.endswith("1 passed, 0 failed\n"))
        self.assertIn('no case has "x" in its name', self.run_pawl("test", path, "-k", "x", code=1).err)

    def test_files_that_cannot_be_read_exit_with_2(self):
        self.assertIn("No such file", self.run_pawl("test", "nowhere.json", code=2).err)
        self.assertIn("not JSON", self.run_pawl("test", self.file("x.json", "{"), code=2).err)
        self.assertIn("x.yaml:1:9: not YAML", self.run_pawl("test", self.file("x.yaml", "cases: ["), code=2).err)
        # The others still run.
        out = self.run_pawl("test", "nowhere.json", self.scenario(case("good")), code=2).out
        self.assertEqual(out, "1 passed, 0 failed\n")

    def test_files_in_yaml(self):
        self.file("one.yml", "{id: one, name: One, steps: [{id: e, name: E, type: END}]}")
        path = self.file("s.yaml", """\
definitions: [one.yml]
cases:
  - name: good
    steps: &start [{op: start, as: i}]
    expect: {instances: {i: {status: COMPLETED}}}
  - name: bad
    steps: *start
    expects: 7
""")
        out = self.run_pawl("test", path, code=1).out
        self.assertIn("s.yaml:8:14: a case has no field \"expects\"", out)
        self.assertTrue(out.endswith("1 passed, 1 failed\n"))

    def test_results_for_programs(self):
        path = self.scenario(case("good"), case("bad <&>", expect={"instances": {"i": {"status": "FAILED"}}}))
        report = json.loads(self.run_pawl("test", path, "--json", "--junit", "j.xml", code=1).out)
        self.assertEqual((report["passed"], report["failed"]), (1, 1))
        self.assertEqual([c["passed"] for c in report["cases"]], [True, False])
        self.assertEqual(report["cases"][1]["differences"],
                         [{"where": "instances.i.status", "expected": '"FAILED"', "actual": '"WAITING"'}])
        suite = xml.etree.ElementTree.parse(os.path.join(self.directory, "j.xml")).getroot()
        self.assertEqual((suite.get("tests"), suite.get("failures")), ("2", "1"))
        self.assertEqual(suite[1].get("name"), "bad <&>")
        self.assertIn('expected  "FAILED"', suite[1][0].text)

    def told(self, out):
        """What is said of the failing run; how many others there were is another matter."""
        return [line for line in out.split("again:")[1].split("\n") if "varied run" not in line]

    def test_a_broken_invariant_is_shrunk_and_repeats_with_its_seed(self):
        path = self.scenario(case("small", invariants=["variables.a != 2"]))
        out = self.run_pawl("test", path, "--explore", "300", code=1).out
        self.assertIn('invariant "variables.a != 2" does not hold for i', out)
        again = out.split("again: pawl ")[1].split("\n")[0]
        repeated = subprocess.run(f"'{BINARY}' {again}", shell=True, capture_output=True, text=True, cwd=self.directory,
                                  env=environment(ASAN_OPTIONS="detect_leaks=0"), timeout=PATIENCE)
        self.assertEqual(repeated.returncode, 1)
        self.assertEqual(self.told(repeated.stdout), self.told(out))

    def test_exploring_says_how_many_runs_it_made(self):
        path = self.scenario(case("small", invariants=["true"]))
        self.assertRegex(self.run_pawl("test", path, "--explore", "30").out,
                         r"^30 varied runs of 1 case took [1-9]\d* different paths?\n1 passed, 0 failed\n$")
        told = json.loads(self.run_pawl("test", path, "--explore", "30", "--json").out)
        self.assertEqual((told["runs"], told["cases"][0]["runs"]), (30, 30))
        self.assertEqual(told["paths"], told["cases"][0]["paths"])
        self.assertNotIn("runs", json.loads(self.run_pawl("test", path, "--json").out))

    def test_exploring_needs_invariants(self):
        self.assertIn("none of the cases has invariants", self.run_pawl("test", self.scenario(case("c")), "--explore", "5").err)


class Run(Case):
    MOCKS = [{"job": "reserve-stock", "results": [{"ok": {"reserved": True}}]},
             {"job": "ship-parcel", "results": [{"ok": {}}]}]

    def mocks(self, *more):
        return self.file("mocks.json", json.dumps(self.MOCKS + list(more)))

    def test_a_definition_runs_to_its_end(self):
        out = self.run_pawl("run", ORDER, "--input", '{"total": 20}', "--mock", self.mocks()).out
        self.assertIn("path       reserve → route → ship → end-shipped\n", out)
        self.assertIn("status     COMPLETED after PT0S\n", out)

    def test_everything_in_yaml(self):
        definition = self.file("d.yaml", "{id: d, name: D, steps: [{id: s, name: S, type: SERVICE_TASK, jobType: j, nextStep: e}, "
                                         "{id: e, name: E, type: END}]}")
        mocks = self.file("m.yaml", "- job: j\n  results:\n    - ok: {b: 2}\n")
        variables = self.file("i.yml", "a: 1.10\n")
        view = self.run_pawl("run", definition, "--input", "@" + variables, "--mock", mocks, "--json").out
        self.assertEqual(json.loads(view)["path"], ["s", "e"])
        self.assertIn("1.10", view)
        self.assertIn("i.yml: not YAML: line 1, column 6", self.run_pawl(
            "run", definition, "--input", "@" + self.file("i.yml", "a: [1"), code=2).err)

    def test_timers_move_the_clock(self):
        view = json.loads(self.run_pawl("run", ORDER, "--var", "total=2000", "--mock", self.mocks(), "--json").out)
        self.assertEqual((view["status"], view["elapsed"]), ("COMPLETED", 172800))
        self.assertEqual(view["path"], ["reserve", "route", "approve", "end-rejected"])

    def test_a_mock_answers_for_a_person(self):
        mocks = self.mocks({"node": "approve", "results": [{"ok": {"approved": True}, "delay": "PT3H"}]})
        out = self.run_pawl("run", ORDER, "--var", "total=2000", "--mock", mocks).out
        self.assertIn("approve → ship → end-shipped", out)
        self.assertIn("after PT3H", out)

    def test_what_nobody_answers_is_said(self):
        result = self.run_pawl("run", ORDER, "--var", "total=1", code=1)
        self.assertIn('i1: reserve waits for a worker of type "reserve-stock"', result.err)
        self.assertIn("status     ACTIVE", result.out)

    def test_mistakes_exit_with_2(self):
        self.assertIn("mocks are a list", self.run_pawl("run", ORDER, "--mock", self.file("m.json", "7"), code=2).err)
        self.assertIn("a mock needs", self.run_pawl("run", ORDER, "--mock", self.file("m.json", '[{"job":"x"}]'), code=2).err)
        self.assertIn("REQUIRED", self.run_pawl("run", self.file("d.json", '{"id": "x", "steps": []}'), code=2).err)

    def test_people_are_asked_on_a_terminal(self):
        path = self.file("one.json", json.dumps(DEFINITION))
        mocks = self.file("m.json", '[{"job": "work", "results": [{"ok": {}}]}]')
        ours, theirs = pty.openpty()
        try:
            process = subprocess.Popen([BINARY, "run", path, "--mock", mocks], stdin=theirs, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True, env=environment(ASAN_OPTIONS="detect_leaks=0"))
            os.write(ours, b'[1]\nu {"yes": true}\n')
            out, err = process.communicate(timeout=PATIENCE)
        finally:
            os.close(ours)
            os.close(theirs)
        self.assertEqual(process.returncode, 0, err)
        self.assertIn("i1: u waits for a person", err)
        self.assertIn("none of these steps waits by that name", err)
        self.assertIn('"yes": true', out)

    def test_a_simulation_is_the_same_with_the_same_seed(self):
        arguments = ("run", ORDER, "--var", "total=2000", "--simulate", "50", "--seed", "9")
        first = self.run_pawl(*arguments).out
        self.assertEqual(self.run_pawl(*arguments).out, first)
        self.assertIn("virtual time: least", first)
        report = json.loads(self.run_pawl(*arguments, "--json").out)
        self.assertEqual(sum(path["count"] for path in report["paths"]), 50)

    def test_a_run_that_gets_stuck_is_reported_with_its_seed(self):
        path = self.file("d.json", json.dumps({"id": "d", "name": "d", "steps": [
            {"id": "s", "name": "s", "type": "SERVICE_TASK", "jobType": "s", "conditionalNextSteps": {"ok": "e", "!ok": "w"}},
            {"id": "w", "name": "w", "type": "SERVICE_TASK", "jobType": "w"}, {"id": "e", "name": "e", "type": "END"}]}))
        out = self.run_pawl("run", path, "--simulate", "30", code=1).out
        self.assertIn("runs got stuck; again: pawl run", out)
        seed = out.split("--seed ")[1].split()[0]
        self.assertIn("ACTIVE", self.run_pawl("run", path, "--simulate", "1", "--seed", seed, code=1).out)


if __name__ == "__main__":
    unittest.main()
