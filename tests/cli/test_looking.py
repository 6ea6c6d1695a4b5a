"""Verbs that look: published definitions, events nobody took, an instance while it runs."""

import json
import os
import re
import signal
import socket
import subprocess
import time
import unittest

from program import BINARY, PATIENCE, Case, Serving, environment

ORDER = {"id": "SHOP::order", "name": "Order", "steps": [
    {"id": "hold", "name": "hold", "type": "WAIT", "nextStep": "ask"},
    {"id": "ask", "name": "Ask somebody", "type": "USER_TASK", "nextStep": "end"},
    {"id": "end", "name": "end", "type": "END"}]}
FAILING = {"id": "failing", "name": "Failing", "steps": [
    {"id": "hold", "name": "hold", "type": "WAIT", "nextStep": "choose"},
    {"id": "choose", "name": "choose", "type": "DECISION", "conditionalNextSteps": {"false": "end"}},
    {"id": "end", "name": "end", "type": "END"}]}
SIGNING = {"name": "signing", "startsAt": "Signed", "triggers": [
    {"name": "sent", "source": "/docs", "type": "sent", "correlationToken": "$.data.document"}],
    "states": [{"name": "Signed", "type": "EVENT", "eventActions": [
        {"condition": "sent", "actions": [], "transition": {"nextState": "Done"}}]},
        {"name": "Done", "type": "RELAY", "end": True}]}


class Looking(Case):
    def setUp(self):
        super().setUp()
        self.serving = self.serve()
        self.pawl("deploy", self.file("o.json", json.dumps(ORDER)), self.file("f.json", json.dumps(FAILING)))

    def pawl(self, *arguments, **more):
        return self.run_pawl(*arguments, PAWL_SERVER=self.serving.url, **more)

    def start(self, definition="SHOP::order", *arguments):
        return json.loads(self.pawl("start", definition, "--json", *arguments).out)["id"]


class Locks(Looking):
    def locked(self, name, holds, needs):
        def person(step, **more):
            return {"id": step, "type": "human_task", "config": {"title": step}, "parent": "each", **more}
        document = {"dialect": "graph/1", "definitionId": name, "name": name, "nodes": [
            {"id": "t", "type": "trigger_manual"}, {"id": "each", "type": "for_each", "config": {"items": [1]}, "lock": holds},
            person("first"), person("second", lock=needs)],
            "edges": [{"from": "t", "to": "each"}, {"from": "each", "fromPort": "body", "to": "first"}, {"from": "first", "to": "second"}]}
        self.pawl("deploy", self.file(name + ".json", json.dumps(document)))
        return self.start(name)

    def shows(self, condition):
        deadline = time.monotonic() + PATIENCE
        while not condition(self.pawl("locks").out):
            self.assertLess(time.monotonic(), deadline, "waited in vain")

    def test_holders_waiters_and_circles_are_shown(self):
        self.assertEqual(self.pawl("locks").out, "no locks\n")
        runs = [self.locked("one", "x", "y"), self.locked("two", "y", "x")]
        self.shows(lambda out: out.count(" held ") == 2)
        self.assertNotIn("circle", self.pawl("locks").out)
        for run in runs:
            self.pawl("complete", run, "first")
        self.shows(lambda out: "circle" in out)
        lines = self.pawl("locks", "x").out.splitlines()
        self.assertEqual([line.split()[:2] for line in lines[:3]], [["LOCK", "STATE"], ["x", "held"], ["x", "waits"]])
        self.assertEqual(lines[3:], ["nobody gets x, because runs wait for each other in a circle:",
                                     f"  {runs[0]} of one holds x and waits for y", f"  {runs[1]} of two holds y and waits for x"])


class Definitions(Looking):
    def test_they_are_listed(self):
        lines = self.pawl("definitions").out.splitlines()
        self.assertEqual(lines[0].split()[:2], ["DEFINITION", "VERSION"])
        self.assertEqual({tuple(line.split()[:2]) for line in lines[1:]}, {("SHOP::order", "1"), ("failing", "1")})
        self.assertIn("1 of 2 definitions", self.pawl("definitions", "--limit", "1").out)
        self.assertNotIn("failing", self.pawl("definitions", "order").out)
        self.assertEqual(self.pawl("definitions", "ghost").out, "no definitions\n")
        self.assertEqual(json.loads(self.pawl("definitions", "--json").out)["total"], 2)

    def test_versions_are_listed_and_restored(self):
        def deploy(title, *more):
            return self.pawl("deploy", self.file("v.json", json.dumps({"id": "shop-v", "name": title, "steps": [{"id": "e", "name": "E", "type": "END"}]})), *more).out
        deploy("One", "--revision", "abc123", "--by", "ann")
        deploy("Two")
        self.assertIn("shop-v: version 3 restores version 1", deploy("One"))
        self.assertEqual(self.pawl("rollback", "shop-v", "--revision", "incident 7").out, "shop-v: version 4 restores version 2\n")
        self.assertEqual(self.pawl("rollback", "shop-v", "2").out, "shop-v: version 4 is the latest and has this text already\n")
        self.assertIn('has no version 9', self.pawl("rollback", "shop-v", "9", code=3).err)
        lines = self.pawl("definitions", "shop-v").out.splitlines()
        self.assertEqual(lines[0].split(), ["VERSION", "PUBLISHED", "(UTC)", "BY", "FROM", "STATE", "RESTORES", "NAME"])
        self.assertRegex(lines[1], r"^4 .* incident 7 +latest +version 2 +Two$")
        self.assertRegex(lines[4], r"^1 .* ann +abc123 +One$")
        self.assertRegex(self.pawl("retire", "shop-v").out, r"^shop-v: retired since .* \(UTC\); nothing of it starts$")
        self.assertIn("is retired", self.pawl("start", "shop-v", code=4).err)
        self.assertRegex(self.pawl("definitions", "shop-v").out, r"\n4 .* retired ")
        self.assertRegex(self.pawl("definitions").out, r"shop-v .* retired +Two")
        self.assertEqual(self.pawl("rollback", "shop-v", "4").out, "shop-v: version 5 restores version 4\n")
        self.pawl("start", "shop-v")

    def test_one_without_runs_is_deleted(self):
        document = {"id": "shop-d", "name": "Goes", "steps": [{"id": "end", "name": "End", "type": "END"}]}
        self.pawl("deploy", self.file("goes.json", json.dumps(document)))
        self.pawl("start", "shop-d")
        self.assertIn("has ended runs (1)", self.pawl("delete", "shop-d", code=4).err)
        self.assertEqual(self.pawl("delete", "shop-d", "--with-ended").out, "shop-d: is being deleted; nothing of it starts\n")
        while "shop-d" in (listed := self.pawl("definitions").out):
            self.assertRegex(listed, r"shop-d .* deleting ")
        self.assertIn("not found", self.pawl("delete", "shop-d", code=3).err)

    def test_one_is_printed_as_it_was_published_and_can_be_published_again(self):
        text = self.pawl("definition", "SHOP::order").out
        self.assertGreater(text.count("\n"), 5)
        document = json.loads(text)
        self.assertEqual(document.pop("version"), 1)
        self.assertEqual((document, list(document)), (ORDER, list(ORDER)))
        self.assertEqual(self.pawl("definition", "SHOP::order", "--json").out.count("\n"), 1)
        self.assertRegex(self.pawl("deploy", self.file("again.json", text)).out, r"SHOP::order +1 ")

    def test_a_version_can_be_named(self):
        self.pawl("deploy", self.file("two.json", json.dumps({**ORDER, "name": "Order, renamed"})))
        self.assertEqual(json.loads(self.pawl("definition", "SHOP::order").out)["name"], "Order, renamed")
        self.assertEqual(json.loads(self.pawl("definition", "SHOP::order", "--version", "1").out)["name"], "Order")
        for version in ("0", "3"):
            self.assertIn("version " + version, self.pawl("definition", "SHOP::order", "--version", version, code=3).err)
        self.pawl("definition", "ghost", code=3)
        self.pawl("definition", code=2)


class Hints(Looking):
    def test_only_ids_for_other_commands(self):
        instance = self.pawl("start", "SHOP::order", "--key", "K", "--quiet").out
        self.assertRegex(instance, r"^[0-9A-Z]{26}\n$")
        self.assertEqual(self.pawl("ps", "--key", "K", "-q").out, instance)
        self.assertEqual(self.pawl("ps", "--key", "other", "-q").out, "")
        self.assertEqual(self.pawl("definitions", "-q").out.split(), ["SHOP::order", "failing"])

    def test_what_is_not_found_says_where_to_look(self):
        self.start("SHOP::order", "--key", "K")
        for verb in ("show", "follow", "cancel"):
            self.assertIn("pawl ps --key", self.pawl(verb, "K", code=3).err)
        absent = "01M7G8Q2X30000000010000000"
        self.assertNotIn("pawl ps --key", self.pawl("show", absent, code=3).err)
        for verb in ("start", "definition"):
            self.assertIn('"pawl definitions" lists', self.pawl(verb, "shop::order", code=3).err)

    def test_a_scenario_is_no_definition_and_the_other_way_round(self):
        scenario = self.file("s.json", json.dumps({"definitions": [ORDER], "cases": []}))
        for verb in ("validate", "explain", "run", "deploy"):
            err = self.pawl(verb, scenario, code=2)
            self.assertEqual((err.out + err.err).count("error:"), 1, err)
            self.assertIn("run it with pawl test", err.out + err.err)
        err = self.pawl("test", self.file("o.json", json.dumps(ORDER)), code=2).err
        self.assertIn("pawl validate checks it", err)
        self.assertNotIn("no field", err)


class Unmatched(Looking):
    def send(self, number, **more):
        event = {"specversion": "1.0", "id": str(number), "source": "/docs", "type": "sent", "data": {"document": "D"}, **more}
        return self.pawl("event", "-", stdin=json.dumps(event))

    def test_the_reason_is_shown_at_once_and_in_the_list(self):
        self.assertEqual(self.pawl("unmatched").out, "no unmatched events\n")
        shown = self.send(1).out
        self.assertRegex(shown, r"unmatched +no definition takes events of this source and type")
        self.pawl("deploy", self.file("s.json", json.dumps(SIGNING)))
        self.send(2, type="other")
        lines = self.pawl("unmatched").out.splitlines()
        self.assertEqual(lines[0].split()[0], "NUMBER")
        self.assertEqual([re.split(r"  +", line)[2:5] for line in lines[1:]], [["other", "/docs", "2"], ["sent", "/docs", "1"]])
        self.assertTrue(all("no definition takes" in line for line in lines[1:]), lines)
        items = json.loads(self.pawl("unmatched", "--json").out)["items"]
        self.assertEqual([item["event"]["id"] for item in items], ["2", "1"])

    def test_the_sender_waits_for_the_result(self):
        self.pawl("deploy", self.file("s.json", json.dumps(SIGNING)))
        sent = json.dumps({"specversion": "1.0", "id": "1", "source": "/docs", "type": "sent", "data": {"document": "D"}})
        done = json.loads(self.pawl("event", "-", "--wait", "30", "--json", stdin=sent).out)["events"][0]["instances"][0]["instance"]
        self.assertEqual(done["status"], "COMPLETED")
        states = [SIGNING["states"][0], {**SIGNING["states"][1], "filter": {"resultPath": "$.document.deeper"}}]
        self.pawl("deploy", self.file("f.json", json.dumps({**SIGNING, "states": states})))
        failed = self.pawl("event", "-", "--wait", "30", stdin=sent.replace('"1",', '"2",', 1), code=1)
        self.assertRegex(failed.err, r"the instance \w+ failed: .+")
        self.assertIn("wait is for a single event", self.pawl("event", "-", "--wait", "1", stdin=f"[{sent}]", code=2).err)

    def test_one_is_sent_again_by_its_number(self):
        self.send(1)
        number = self.pawl("unmatched").out.splitlines()[1].split()[0]
        self.assertIn("no definition takes", self.pawl("event", "--resend", number).out)
        self.pawl("deploy", self.file("s.json", json.dumps(SIGNING)))
        self.assertIn("started", self.pawl("event", "--resend", number).out)
        self.assertEqual(self.pawl("unmatched").out, "no unmatched events\n")
        self.pawl("event", "--resend", number, code=3)


class Follower:
    """A `pawl follow` that runs beside the test."""

    def __init__(self, url, *arguments):
        self.process = subprocess.Popen([BINARY, "follow", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        stdin=subprocess.DEVNULL, text=True, env=environment(PAWL_SERVER=url))

    def read_to(self, word):
        """Its lines up to the one with the word in it."""
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            if word in line:
                return lines
        raise AssertionError(f"no {word!r} in {lines} {self.process.stderr.read()}")

    def end(self):
        """What is left to read, and the exit code."""
        rest, self.errors = self.process.communicate(timeout=PATIENCE)
        return rest, self.process.returncode


class Follow(Looking):
    def follow(self, *arguments):
        follower = Follower(self.serving.url, *arguments)

        def clean_up():
            follower.process.kill()
            follower.process.communicate()
        self.addCleanup(clean_up)
        return follower

    def test_each_change_is_printed_until_it_completes(self):
        instance = self.start("SHOP::order", "--var", "total=7")
        follower = self.follow(instance)
        begun = "".join(follower.read_to("WAITING"))
        self.assertRegex(begun, r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  start\n")
        for line in ('    data      {"total":7}\n', "    enter     hold\n", "    wait      hold: waits for a signal\n"):
            self.assertIn(line, begun)
        self.pawl("signal", instance, "hold", "--var", "s=2")
        signalled = "".join(follower.read_to("wait "))
        self.assertIn("  signal\n", signalled)
        self.assertIn("    wait      ask: waits for a person\n", signalled)
        self.pawl("complete", instance, "ask")
        rest, code = follower.end()
        self.assertEqual(code, 0, follower.errors)
        self.assertIn("    status    COMPLETED\n", rest)

    def test_the_exit_code_says_how_it_ended(self):
        failed = self.start("failing")
        follower = self.follow(failed)
        follower.read_to("WAITING")
        self.pawl("signal", failed, "hold")
        rest, code = follower.end()
        self.assertEqual(code, 1)
        self.assertIn("DecisionNoBranchMatched", rest)
        cancelled = self.start()
        self.pawl("cancel", cancelled, "--reason", "enough")
        done = self.pawl("follow", cancelled, code=4)
        self.assertIn("    reason    enough\n", done.out)
        self.pawl("follow", "nope", code=3)
        self.assertIn("cannot connect", self.run_pawl("follow", cancelled, "--server", "http://127.0.0.1:1", code=6).err)

    def test_lines_of_json(self):
        instance = self.start()
        self.pawl("cancel", instance)
        changes = [json.loads(line) for line in self.pawl("follow", instance, "--json", code=4).out.splitlines()]
        self.assertEqual([(change["revision"], change["command"]) for change in changes], [(1, "start"), (2, "cancel")])

    def test_it_goes_on_when_the_engine_comes_back(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            address = "127.0.0.1:%d" % free.getsockname()[1]
        for number in (signal.SIGTERM, signal.SIGKILL):
            engine = self.serving = Serving(os.path.join(self.directory, "restarted"), "--listen", address)
            self.addCleanup(lambda engine=engine: engine.process.poll() is None and engine.stop())
            self.pawl("deploy", self.file("o.json", json.dumps(ORDER)))
            instance = self.start()
            follower = self.follow(instance)
            follower.read_to("WAITING")
            engine.stop(number)
            engine = self.serving = Serving(os.path.join(self.directory, "restarted"), "--listen", address)
            self.addCleanup(lambda engine=engine: engine.process.poll() is None and engine.stop())
            self.pawl("signal", instance, "hold")
            again = "".join(follower.read_to("wait "))
            self.assertNotIn("start", again)
            self.assertIn("enter     ask", again)
            self.pawl("complete", instance, "ask")
            self.assertEqual(follower.end()[1], 0)
            engine.stop()


if __name__ == "__main__":
    unittest.main()
