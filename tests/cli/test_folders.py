"""`pawl plan`, `pawl apply` and `pawl export`: a folder of documents against an engine."""

import glob
import http.server
import json
import os
import pty
import shutil
import subprocess
import threading
import unittest

from program import BINARY, ROOT, Case, environment

GREET = {"id": "greet", "name": "Greet", "steps": [{"id": "end", "name": "End", "type": "END"}]}
WAITS = {"id": "waits", "name": "Waits", "steps": [{"id": "ask", "name": "Ask", "type": "USER_TASK", "assignee": "ann", "nextStep": "end"}, {"id": "end", "name": "End", "type": "END"}]}
HOOK = {"dialect": "graph/1", "definitionId": "hook", "name": "Hook", "triggers": [{"id": "t", "type": "http", "path": "/hook"}],
        "nodes": [{"id": "h", "type": "human_task", "config": {"title": "work"}}, {"id": "e", "type": "end"}],
        "edges": [{"from": "t", "to": "h"}, {"from": "h", "to": "e"}]}
TICKET = {"entityName": "ticket", "modelVersion": 2, "changeLevel": "TYPE",
          "sample": [{"title": "x", "votes": 1, "tags": ["a", 1.5], "lines": [{"sku": "s", "count": 4294967296}]}, {"title": None, "open": True, "deep": {"note": [[1]]}}],
          "workflows": [{"version": "1", "name": "tickets", "initialState": "OPEN", "states": {"OPEN": {"transitions": [{"name": "CLOSE", "next": "CLOSED", "manual": True}]}, "CLOSED": {}}}]}
FAMILIES = [*glob.glob("examples/*.json", root_dir=ROOT), *glob.glob("examples/serverless/*.*", root_dir=ROOT), *glob.glob("examples/graph/*.json", root_dir=ROOT)]
COMMIT = "0123456789abcdef0123456789abcdef01234567"


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def parent(name, child):
    return {"id": name, "name": name, "startsAt": "S", "states": [{"name": "S", "type": "SUBFLOW", "workflowId": child, "waitForCompletion": True, "end": True}]}


class Folder(Case):
    def setUp(self):
        super().setUp()
        self.folder = os.path.join(self.directory, "flows")
        os.mkdir(self.folder)

    def put(self, name, value):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(value if isinstance(value, str) else json.dumps(value))
        return path

    def pawl(self, *arguments, **more):
        more.setdefault("PAWL_SERVER", self.engine.url)
        return self.run_pawl(*arguments, **more)

    def plan(self, *arguments, code=2, **more):
        return self.pawl("plan", self.folder, *arguments, code=code, **more)

    def apply(self, *arguments, code=0, **more):
        return self.pawl("apply", self.folder, "--yes", *arguments, code=code, **more)

    def ids(self):
        return set(self.pawl("definitions", "--quiet", "--limit", "200").out.split())


class Planned(Folder):
    def setUp(self):
        super().setUp()
        self.engine = self.serve()

    def test_a_plan_tells_and_applying_does_it(self):
        self.put("greet.json", GREET)
        self.put("deep/waits.yaml", json.dumps(WAITS))
        self.put("greet.scenario.json", {"cases": []})
        self.put("README.md", "# not a definition")
        self.put(".git/config.json", "not JSON")
        planned = self.plan()
        self.assertIn("+ greet  greet.json  new\n", planned.out)
        self.assertIn("+ waits  deep/waits.yaml  new\n", planned.out)
        self.assertIn("2 new, 0 changed, 0 restored, 0 unchanged, 0 retired\n1 scenario file is left out\n", planned.out)
        self.assertEqual(self.ids(), set(), "A plan changes nothing.")
        self.assertIn("2 new, 0 changed", self.apply("--revision", "4f2c1aa").out)
        self.assertEqual(self.ids(), {"greet", "waits"})
        self.assertIn("4f2c1aa", self.pawl("definitions", "greet").out)
        again = self.plan(code=0)
        self.assertIn("= greet  greet.json  unchanged, version 1\n", again.out)
        self.assertNotIn("Applied", self.apply().out, "There is nothing to do.")

    def test_differences_and_living_runs_are_told(self):
        self.put("waits.json", WAITS)
        self.apply()
        self.pawl("start", "waits"), self.pawl("start", "waits")
        changed = json.loads(json.dumps(WAITS))
        changed["steps"][0].update(assignee="bob", nextStep="more")
        changed["steps"].insert(1, {"id": "more", "name": "More", "type": "USER_TASK", "nextStep": "end"})
        self.put("waits.json", changed)
        planned = self.plan()
        self.assertIn("~ waits  waits.json  changed, version 1\n", planned.out)
        self.assertIn('    ~ steps[ask].assignee: "ann" -> "bob"\n', planned.out)
        self.assertIn("    + steps[more]: {", planned.out)
        self.assertIn("    2 living runs (2 on version 1): they keep their version", planned.out)
        self.apply()
        self.pawl("start", "waits")
        self.put("waits.json", {**changed, "name": "Waits longer"})
        self.assertIn("3 living runs (1 on version 2, 2 on version 1)", self.plan().out)
        told = json.loads(self.plan("--json").out)["results"][0]
        self.assertEqual(told["changes"], [{"path": "name", "change": "changed", "from": '"Waits"', "to": '"Waits longer"'}])
        self.assertEqual(told["runs"], [{"version": 2, "count": 1}, {"version": 1, "count": 2}])
        os.remove(os.path.join(self.folder, "waits.json"))
        self.put("greet.json", GREET)
        self.assertNotIn("waits", self.plan().out, "What is gone counts with --prune only.")
        gone = self.plan("--prune")
        self.assertIn("- waits  retired, version 2\n    3 living runs (1 on version 2, 2 on version 1): they go on to their end", gone.out)
        self.apply("--prune")
        self.pawl("start", "waits", code=4)
        self.assertIn("1 unchanged, 0 retired", self.plan("--prune", code=0).out, "It is retired already.")
        self.put("waits.json", {**changed, "name": "Waits longer"})
        self.assertIn("~ waits  waits.json  changed", self.plan().out)

    def test_what_others_use_comes_first(self):
        for name, child in (("a", "b"), ("b", "c"), ("c", None)):
            self.put(f"{name}.json", parent(name, child) if child else GREET | {"id": name})
        order = [line.split()[1] for line in self.plan().out.splitlines() if line.startswith("+")]
        self.assertEqual(order, ["c", "b", "a"])
        self.put("c.json", parent("c", "a"))
        for refused in (self.plan(code=1), self.apply(code=1)):
            self.assertIn("start each other in a circle, and nothing was applied: a → b → c → a", refused.err)
        self.assertEqual(self.ids(), set())
        circle = self.plan("--allow-circles")
        self.assertEqual({line.split()[1] for line in circle.out.splitlines() if line.startswith("+")}, {"a", "b", "c"})
        self.assertIn("warning", circle.err, "Publishing warns of a circle, and so does the plan.")

    def test_an_error_in_the_third_of_twelve_refuses_all(self):
        for i in range(12):
            self.put(f"{i:02}.json", GREET | {"id": f"d{i}"})
        self.put("02.yaml", "id: d2\nname: Third\nsteps:\n- {id: a, name: A, type: SERVICE_TASK, nextStep: nowhere}\n")
        os.remove(os.path.join(self.folder, "02.json"))
        for refused in (self.plan(code=1), self.apply(code=1)):
            self.assertRegex(refused.err, r"02\.yaml:4:\d+: error: ")
            self.assertIn("1 of 12 documents have errors; nothing was applied", refused.err)
        self.assertEqual(self.ids(), set())

    def test_two_files_for_one_definition_are_refused(self):
        self.put("a.json", GREET)
        self.put("b/c.json", GREET | {"name": "Other"})
        self.assertIn('"a.json" and "b/c.json" are both of the definition "greet"', self.plan(code=1).err)

    def test_bad_folders_are_refused_with_their_place(self):
        self.assertIn("has no documents", self.plan(code=1).err)
        self.assertIn("cannot open", self.pawl("plan", "nowhere", code=1).err)
        self.pawl("plan", self.folder, "--foo", code=1)  # 2 would say that something differs.
        self.put("greet.json", GREET)
        outside = self.file("outside.json", json.dumps(WAITS))
        os.symlink(outside, os.path.join(self.folder, "link.json"))
        self.assertIn("link.json is a symbolic link that leads out of the folder", self.plan(code=1).err)
        os.remove(os.path.join(self.folder, "link.json"))
        os.symlink("greet.json", os.path.join(self.folder, "inside.json"))
        self.assertIn("1 new", self.plan().out, "The target of a link inside is read once.")
        with open(self.put("large.json", ""), "wb") as file:
            file.truncate((10 << 20) + 1)
        self.assertIn("large.json has 10485761 bytes; the most is 10485760 (FOLDER_FILE_BYTES_MAX)", self.plan(code=1).err)
        with open(self.put("large.json", ""), "wb") as file:
            file.write(b'{"id":"\xff"}')
        self.assertIn("large.json is not UTF-8", self.plan(code=1).err)
        os.remove(os.path.join(self.folder, "large.json"))
        self.put("triggers.yaml", "triggers:\n- {definition: greet\n")
        self.assertRegex(self.plan(code=1).err, r"triggers\.yaml:\d+:\d+: ")
        self.put("triggers.yaml", "triggers: []\nother: 1\n")
        self.assertIn("it has one member: triggers", self.plan(code=1).err)
        self.put("triggers.json", {"triggers": []})
        self.assertIn("a folder has one of them", self.plan(code=1).err)

    def test_it_asks_or_is_told_yes(self):
        self.put("greet.json", GREET)
        self.assertIn("give --yes", self.pawl("apply", self.folder, code=1).err)
        self.assertEqual(self.ids(), set())

    def test_triggers_are_paused_with_their_definitions(self):
        self.put("hook.json", HOOK)
        self.put("triggers.yaml", "triggers:\n- {definition: hook, trigger: t, state: paused, reason: not yet}\n")
        self.assertIn("~ trigger hook t  paused\n", self.plan().out)
        self.assertIn("1 new, 0 changed, 0 restored, 0 unchanged, 0 retired, 1 trigger\n", self.apply().out)
        self.assertIn("paused", self.pawl("triggers", "hook").out)
        self.plan(code=0)
        self.put("triggers.yaml", "triggers:\n- {definition: hook, trigger: t, state: active}\n")
        self.plan(), self.apply(), self.plan(code=0)
        self.assertIn("active", self.pawl("triggers", "hook").out)
        self.put("hook.json", HOOK | {"name": "Other"})
        for state, trigger, told in (("asleep", "t", "the state of a trigger is active or paused"), ("paused", "u", 'triggers.yaml: definition "hook" has no trigger "u"')):
            self.put("triggers.yaml", f"triggers:\n- {{definition: hook, trigger: {trigger}, state: {state}}}\n")
            self.assertIn(told, self.plan(code=1).err)
            self.assertIn(told, self.apply(code=1).err)
        self.assertIn("Hook", self.pawl("definitions").out, "Nothing of it was applied.")

    def test_somebody_who_was_faster_is_not_overwritten(self):
        self.put("greet.json", GREET)
        other = self.file("other.json", json.dumps(GREET | {"name": "Other"}))
        for answer, meanwhile, told in ((b"n\n", None, "nothing was applied"), (b"y\n", other, "it was changed meanwhile"), (b"y\n", None, "")):
            terminal, end = pty.openpty()
            process = subprocess.Popen([BINARY, "apply", self.folder], stdin=end, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       env=environment(PAWL_SERVER=self.engine.url, XDG_CONFIG_HOME=self.directory))
            os.close(end)
            asked = b""
            while not asked.endswith(b"[y/N] "):
                asked += process.stderr.read(1) or self.fail(asked)
            if meanwhile:
                self.pawl("deploy", meanwhile)
            os.write(terminal, answer)
            out, err = process.communicate(timeout=30)
            os.close(terminal)
            self.assertIn(told, err.decode())
            self.assertEqual(process.returncode, 1 if told else 0, err)
        self.assertIn("changed, version 2", out.decode())

    def test_a_large_difference_is_bounded(self):
        def large(name, mark):
            steps = [{"id": f"s{i}", "name": mark, "type": "USER_TASK", "nextStep": f"s{i + 1}" if i < 299 else "end"} for i in range(300)]
            return {"id": name, "name": name, "steps": steps + [{"id": "end", "name": "End", "type": "END"}]}
        for i in range(3):
            self.put(f"{i}.json", large(f"large-{i}", "A"))
        self.apply()
        for i in range(3):
            self.put(f"{i}.json", large(f"large-{i}", "B"))
        told = json.loads(self.plan("--json").out)["results"]
        self.assertEqual([(len(r["changes"]), r["changesCut"]) for r in told], [(100, True)] * 3, "APPLY_CHANGES_MAX")
        self.assertIn("more differences than can be shown", self.plan().out)

    @unittest.skipUnless(shutil.which("git"), "there is no git")
    def test_a_hook_of_a_repository_applies_what_is_pushed(self):
        clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        settings = {**environment(), **clean, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "PAWL_SERVER": self.engine.url,
                    **{f"GIT_{who}_{what}": "pawl@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}}

        def git(*arguments, code=0):
            done = subprocess.run(["git", *arguments], cwd=self.directory, env=settings, capture_output=True, text=True, timeout=30)
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
            return done.stdout.strip() + done.stderr
        git("init", "-q", "--bare", "-b", "main", "bare.git")
        hook = read(ROOT, "docs", "git.md").split("```sh skip\n#!/bin/sh\n", 1)[1].split("```", 1)[0]
        path = self.file("bare.git/hooks/post-receive", "#!/bin/sh\n" + hook.replace("pawl apply", f"{BINARY} apply"))
        os.chmod(path, 0o755)
        git("clone", "-q", "bare.git", "work")
        os.mkdir(os.path.join(self.directory, "work", "flows"))
        self.folder = os.path.join(self.directory, "work", "flows")
        self.put("greet.json", GREET)
        git("-C", "work", "add", "."), git("-C", "work", "commit", "-qm", "greet")
        told = git("-C", "work", "push", "-q", "origin", "HEAD:main")
        self.assertIn("1 new", told)
        commit = git("-C", "work", "rev-parse", "HEAD")
        self.assertIn(commit, self.pawl("definitions", "greet").out)
        self.put("greet.json", GREET | {"name": "Other"})
        self.apply()
        self.assertEqual(self.pawl("definitions", "greet").out.count(commit), 2, "The commit of the work tree is the revision.")


class Exported(Folder):
    def test_a_plan_right_behind_finds_no_differences(self):
        self.engine = self.serve()
        names = [name for name in FAMILIES if ".scenario." not in name]
        self.assertGreater(len(names), 10)
        for name in names:
            self.put(name.replace("/", "-"), read(ROOT, name))
        self.put("ticket.json", TICKET), self.put("hook.json", HOOK), self.put("escape.json", TICKET | {"entityName": "../../é x"}), self.put("long.json", GREET | {"id": "::" * 90})
        self.put("triggers.json", {"triggers": [{"definition": "hook", "trigger": "t", "state": "paused", "reason": "later"}]})
        self.apply()
        self.pawl("deploy", self.file("gone.json", json.dumps(GREET))), self.pawl("retire", "greet")
        out = os.path.join(self.directory, "out")
        self.pawl("export", out)
        files = sorted(os.listdir(os.path.join(out, "definitions")))
        self.assertEqual([f for f in files if "%C3%A9%20x" in f and ".%2F" in f and "/" not in f][1:], [], "No name leads out of the folder.")
        self.assertTrue(any("%C3%A9%20x" in f for f in files), files)
        self.assertEqual([f for f in files if "greet" in f], [], "A retired definition is not exported.")
        self.assertEqual(sorted(os.listdir(out)), ["definitions", "triggers.json"])
        planned = self.pawl("plan", out, "--prune")
        self.assertIn(f"0 new, 0 changed, 0 restored, {len(files)} unchanged, 0 retired", planned.out)
        self.folder = out
        other = self.serve_other()
        self.assertIn(f"{len(files)} new", self.apply(PAWL_SERVER=other).out)
        again = os.path.join(self.directory, "again")
        self.pawl("export", again, PAWL_SERVER=other)
        for name in [*(f"definitions/{file}" for file in files), "triggers.json"]:
            self.assertEqual(read(out, name), read(again, name), name)
        self.assertIn("is not empty", self.pawl("export", again, code=4).err)
        self.pawl("retire", "hook")
        self.pawl("export", again, "--overwrite")
        self.assertEqual(sorted(os.listdir(os.path.join(again, "definitions"))), sorted(set(files) - {"hook.json"}))

    def serve_other(self):
        inner, self.directory = self.directory, os.path.join(self.directory, "other")
        os.mkdir(self.directory)
        url = self.serve().url
        self.directory = inner
        return url

    def test_a_server_that_stops_leaves_no_half_of_a_folder(self):
        class Stops(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                if "?" not in self.path:
                    self.close_connection = True
                    return  # Without an answer.
                text = json.dumps({"items": [{"id": "a"}, {"id": "b"}], "total": 2}).encode()
                self.send_response(200), self.send_header("Content-Type", "application/json"), self.send_header("Content-Length", str(len(text))), self.end_headers()
                self.wfile.write(text)

            def log_message(self, *arguments):
                pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Stops)
        self.addCleanup(server.server_close)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        out = os.path.join(self.directory, "out")
        self.assertNotEqual(subprocess.run([BINARY, "export", out], env=environment(PAWL_SERVER=f"http://127.0.0.1:{server.server_port}", XDG_CONFIG_HOME=self.directory), capture_output=True, timeout=30).returncode, 0)
        self.assertFalse(os.path.exists(out))


class Allowed(Folder):
    def test_access_goes_with_the_folder_and_what_is_forbidden_is_said_first(self):
        token = self.file("token", "root-secret-of-this-test-0123456789")
        self.engine = self.serve("--auth-token-file", token)
        root = {"PAWL_TOKEN": "root-secret-of-this-test-0123456789"}
        self.put("greet.json", GREET), self.put("waits.json", WAITS)
        self.put("access.yaml", "users:\n- name: ada\n  roles: [builder]\n")
        self.assertIn("+ user ada  added\n", self.plan(**root).out)
        self.assertIn("1 record of access", self.apply(**root).out)
        self.plan(code=0, **root)
        key = json.loads(self.pawl("key", "add", "ci", "--role", "builder", "--scope", "definitions:write:greet", "--scope", "definitions:read:*", "--json", **root).out)["key"]
        self.put("greet.json", GREET | {"name": "Other"})
        for refused in (self.plan(code=1, PAWL_TOKEN=key), self.apply(code=1, PAWL_TOKEN=key)):
            self.assertIn("waits.json: this needs the permission definitions:write", refused.err)
        self.assertIn("Greet", self.pawl("definitions", **root).out, "Nothing was applied.")
        os.remove(os.path.join(self.folder, "access.yaml")), os.remove(os.path.join(self.folder, "waits.json"))
        self.assertIn("1 changed", self.apply(PAWL_TOKEN=key).out)
        out = os.path.join(self.directory, "out")
        self.pawl("export", out, "--with-access", **root)
        self.assertIn("ada", read(out, "access.json"))
        self.assertIn("2 unchanged, 0 retired\n", self.pawl("plan", out, code=0, **root).out)


if __name__ == "__main__":
    unittest.main()
