"""serve, the verbs that talk to it, and those that look at its data."""

import json
import os
import pty
import signal
import socket
import subprocess
import time
import unittest
import urllib.error
import urllib.request

from program import BINARY, NODES, PATIENCE, Case, Serving, environment, needs_file

WAITING = {"id": "waiting", "name": "Waiting", "steps": [
    {"id": "hold", "name": "hold", "type": "WAIT", "nextStep": "ask"},
    {"id": "ask", "name": "Ask somebody", "type": "USER_TASK", "jobType": "form", "nextStep": "work"},
    {"id": "work", "name": "work", "type": "SERVICE_TASK", "jobType": "labour", "nextStep": "end"},
    {"id": "end", "name": "end", "type": "END"}]}


class Serve(Case):
    def test_a_lease_has_bounds(self):
        for lease in ("0", "25h"):
            err = self.run_pawl("serve", "--listen", "127.0.0.1:0", "--store", "memory", "--lease", lease, code=2).err
            self.assertIn("--lease must be more than 0 and at most 86400 s", err)

    @needs_file
    def test_it_says_where_and_stops_with_0(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            serving = self.serve()
            self.assertRegex(serving.line, r"^pawl \S+ listening on http://127\.0\.0\.1:\d+ \(data in .*/data\)\n$")
            with urllib.request.urlopen(serving.url + "/readyz", timeout=PATIENCE) as answer:
                self.assertEqual(answer.status, 200)
            self.assertEqual(serving.stop(number), 0)

    def test_what_was_stored_is_there_after_a_restart(self):
        serving = self.serve()
        self.run_pawl("deploy", self.file("w.json", json.dumps(WAITING)), "--server", serving.url)
        instance = json.loads(self.run_pawl("start", "waiting", "--json", "--server", serving.url).out)["id"]
        self.assertEqual(serving.stop(), 0)
        again = self.serve()
        shown = json.loads(self.run_pawl("show", instance, "--json", "--server", again.url).out)
        self.assertEqual(shown["status"], "WAITING")

    def test_a_test_waits_for_nobody(self):
        serving = self.serve()
        self.run_pawl("deploy", self.file("w.json", json.dumps(WAITING)), "--server", serving.url)
        started = self.run_pawl("start", "waiting", "--test", "--server", serving.url).out
        self.assertRegex(started, r"(?m)^status +Done$")
        self.assertRegex(started, r"(?m)^test +nothing is done outside of the engine$")
        instance = self.run_pawl("start", "waiting", "--test", "--quiet", "--server", serving.url).out.strip()
        shown = self.run_pawl("show", instance, "--server", serving.url).out
        for step in ("hold", "ask", "work"):
            self.assertRegex(shown, rf"(?m)^{step} .* simulated$")
        self.assertRegex(self.run_pawl("follow", instance, "--server", serving.url).out, r"(?m)^ +simulated +work")
        self.assertIn("a test has no business key", self.run_pawl("start", "waiting", "--test", "--key", "k", "--server", serving.url, code=2).err)

    def test_a_start_that_waits_tells_of_a_failure(self):
        serving = self.serve()
        broken = {"id": "broken", "name": "Broken", "steps": [
            {"id": "d", "name": "d", "type": "DECISION", "conditionalNextSteps": {"ok == true": "e"}}, {"id": "e", "name": "e", "type": "END"}]}
        self.run_pawl("deploy", self.file("b.json", json.dumps(broken)), "--server", serving.url)
        shown = self.run_pawl("start", "broken", "--var", "ok=false", "--wait", "10", "--server", serving.url, code=1)
        self.assertRegex(shown.out, r"(?m)^status +Failed$")
        self.assertRegex(shown.out, r"(?m)^reason +\S")
        for option in ("--quiet", "--json"):
            self.assertIn("the instance failed: ", self.run_pawl("start", "broken", "--var", "ok=false", "--wait", "10", option, "--server", serving.url, code=1).err)
        self.run_pawl("start", "broken", "--var", "ok=true", "--wait", "10", "--server", serving.url)
        self.run_pawl("start", "broken", "--var", "ok=false", "--server", serving.url)

    def test_after_compensation_no_retry_is_offered(self):
        serving = self.serve()
        nobody = {"type": "action_http", "config": {"url": "http://127.0.0.1:9/", "method": "POST"}, "retry": {"maxAttempts": 1}}
        graph = {"dialect": "graph/1", "definitionId": "undone", "name": "Undone", "onFailure": "compensate",
                 "nodes": [{"id": "t", "type": "trigger_manual"}, {"id": "a", "type": "set_variables", "config": {"values": {"x": 1}}, "compensation": "u"},
                           {"id": "u", "type": "set_variables", "config": {"values": {"x": 0}}}, {"id": "b", **nobody}],
                 "edges": [{"from": "t", "to": "a"}, {"from": "a", "to": "b"}]}
        self.run_pawl("deploy", self.file("g.json", json.dumps(graph)), "--server", serving.url)
        instance = json.loads(self.run_pawl("start", "undone", "--wait", "20", "--json", "--server", serving.url, code=1).out)["id"]
        shown = self.run_pawl("show", instance, "--server", serving.url).out
        self.assertNotIn("a retry", shown)
        self.assertIn("cannot be retried", shown)
        with urllib.request.urlopen(serving.url + f"/api/instances/{instance}", timeout=PATIENCE) as answer:
            run = json.load(answer)
        self.assertEqual(run["actions"], ["cancel"])
        self.assertIn("cannot go on", self.run_pawl("retry", instance, "--server", serving.url, code=4).err)

    def begin_a_request(self, serving):
        """A request whose body is still to come: what a drain waits for."""
        port = int(serving.url.rsplit(":", 1)[1])
        connection = socket.create_connection(("127.0.0.1", port), PATIENCE)
        self.addCleanup(connection.close)
        connection.sendall(b"POST /v1/jobs/poll HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        self.assertIn(b"100", connection.recv(4096))
        return connection, port

    def wait_until_it_refuses(self, port):
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), PATIENCE).close()
            except ConnectionRefusedError:
                return
            except ConnectionResetError:
                pass  # It stood in the listener's queue when that was closed; the next one is refused.

    def test_a_signal_lets_requests_finish(self):
        serving = self.serve()
        connection, port = self.begin_a_request(serving)
        serving.process.send_signal(signal.SIGTERM)
        self.wait_until_it_refuses(port)
        connection.sendall(b"{}")
        self.assertTrue(connection.recv(4096).startswith(b"HTTP/1.1 400"))
        self.assertEqual(serving.process.wait(PATIENCE), 0)

    def test_a_second_signal_stops_at_once(self):
        serving = Serving(self.directory)
        connection, port = self.begin_a_request(serving)
        serving.process.send_signal(signal.SIGTERM)
        self.wait_until_it_refuses(port)
        self.assertEqual(serving.stop(), 1)

    def test_a_store_in_memory_forgets(self):
        serving = self.serve("--store", "memory")
        self.assertIn("(data in memory)", serving.line)
        self.assertEqual(serving.stop(), 0)
        self.assertFalse(os.path.exists(serving.data))

    def test_other_machines_need_a_token(self):
        for host in ("0.0.0.0", "[::]", ""):
            result = self.run_pawl("serve", "--listen", f"{host}:0", code=2)
            self.assertIn("refusing to serve", result.err)
            self.assertIn("--auth-token-file", result.err)

    def test_a_token_is_asked_for(self):
        token = self.file("token", "s3cret\n")
        serving = self.serve("--auth-token-file", token)
        self.run_pawl("ps", "--server", serving.url, code=5)
        self.assertIn("PAWL_TOKEN", self.run_pawl("ps", "--server", serving.url, "--token", "x", code=5).err)
        self.run_pawl("ps", "--server", serving.url, PAWL_TOKEN="s3cret")
        self.run_pawl("ps", "--server", serving.url, "--token", "s3cret", PAWL_TOKEN="wrong")

    def test_settings_that_cannot_work_are_refused(self):
        cases = [(["--auth-token-file", self.file("empty", " \n")], 2, "no token in it"),
                 (["--auth-token-file", self.file("two", "a b")], 2, "without blanks"),
                 (["--auth-token-file", "nothing"], 3, "nothing: No such file"),
                 (["--tls-cert", "c.pem"], 2, "go together"),
                 (["--demo", "--tls-cert", "c.pem", "--tls-key", "k.pem"], 2, "--demo does not work"),
                 (["--listen", "nowhere"], 2, "is not HOST:PORT"),
                 (["--data", self.file("plain", "") + "/below"], 6, "cannot make the directory")]
        for arguments, code, message in cases:
            self.assertIn(message, self.run_pawl("serve", *arguments, code=code).err)

    def test_a_port_that_is_taken(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            address = "127.0.0.1:%d" % taken.getsockname()[1]
            result = self.run_pawl("serve", "--listen", address, code=4)
        self.assertEqual(result.err, f"pawl: {address}: address already in use; perhaps an engine runs there already, else choose another port\n")

    @needs_file
    def test_one_directory_serves_one_engine(self):
        serving = self.serve()
        self.run_pawl("serve", "--listen", "127.0.0.1:0", "--data", serving.data, code=4)

    @needs_file
    def test_a_configuration_file_is_read(self):
        config = self.file("pawl.conf", f"# settings\nlimit = variables_bytes_max=100\n"
                                        f"data = {self.directory}/elsewhere\nserver = http://127.0.0.1:1\n")
        # The flags of serve() win over the file's data.
        serving = self.serve("--config", config)
        self.assertTrue(os.path.exists(os.path.join(serving.data, "pawl.db")))
        self.run_pawl("deploy", self.file("w.json", json.dumps(WAITING)), "--server", serving.url)
        self.run_pawl("start", "waiting", "--var", "x=" + "y" * 200, "--server", serving.url, code=2)
        self.assertIn("127.0.0.1:1", self.run_pawl("ps", PAWL_CONFIG=config, code=6).err)


class Talking(Case):
    def setUp(self):
        super().setUp()
        self.serving = self.serve()
        self.pawl("deploy", self.file("w.json", json.dumps(WAITING)))

    def pawl(self, *arguments, **more):
        return self.run_pawl(*arguments, PAWL_SERVER=self.serving.url, **more)

    def start(self, *arguments):
        return json.loads(self.pawl("start", "waiting", "--json", *arguments).out)["id"]

    def test_an_instance_from_start_to_end(self):
        instance = self.start("--var", "n=1", "--var", "text=one two", "--input", '{"m": {"deep": true}}', "--key", "K-1")
        shown = self.pawl("show", instance).out
        for part in (instance, "waiting, version 1", "status      Waits\n", "K-1", "n = 1", 'text = "one two"', 'm = {"deep":true}',
                     "why", "hold", "Running"):
            self.assertIn(part, shown)
        self.assertIn("at          ask", self.pawl("signal", instance, "hold", "--var", "s=2").out)
        tasks = self.pawl("tasks", "--definition", "waiting").out
        for part in (instance, "ask", "Ask somebody", "form", "K-1"):
            self.assertIn(part, tasks)
        self.assertIn("at          work", self.pawl("complete", instance, "ask", "-v", "ok=true").out)
        jobs = self.pawl("jobs", "--type", "labour").out
        for part in (instance, "labour", "UNLOCKED", "work"):
            self.assertIn(part, jobs)
        history = self.pawl("show", instance, "--history").out.splitlines()
        self.assertEqual([line.split()[0] for line in history], ["STEP", "hold", "ask", "work"])
        last = self.pawl("show", instance, "--history", "--last", "1").out.splitlines()
        self.assertEqual([line.split()[0] for line in last if line][:3], ["STEP", "work", "There"])
        self.assertIn("--last goes with --history", self.pawl("show", instance, "--explain", "--last", "1", code=2).err)
        why = self.pawl("show", instance, "--explain").out
        self.assertIn("labour", why)
        self.assertNotIn("STEP", why)
        cancelled = self.pawl("cancel", instance, "--reason", "enough").out
        self.assertIn("Cancelled", cancelled)
        self.assertIn("enough", cancelled)

    def test_a_task_goes_from_hand_to_hand(self):
        instance = self.start("--key", "K-task")
        self.pawl("signal", instance, "hold")
        task = json.loads(self.pawl("tasks", "--instance", instance, "--json").out)["items"][0]["id"]
        self.assertIn("with        ada", self.pawl("task", "claim", task, "--by", "ada").out)
        self.assertIn("the task is with ada", self.pawl("task", "claim", task, "--by", "bob", code=4).err)
        given = self.pawl("task", "assign", task, "--to", "bob", "--due", "2030-01-01T00:00:00Z", "--priority", "80", "-m", "please",
                          PAWL_USER="ada").out
        for part in ("with        bob", "due         2030-01-01 00:00:00", "priority    80"):
            self.assertIn(part, given)
        self.assertIn(task, self.pawl("tasks", "--person", "bob", "--due-before", "2030-01-02T00:00:00Z").out)
        self.assertEqual(self.pawl("tasks", "--person", "ada").out, "no open tasks\n")
        shown = self.pawl("task", "show", task).out
        for part in ("claimed by ada", "assigned by ada: please", "K-task"):
            self.assertIn(part, shown)
        for action, option in (("claim", ("--due", "P1D")), ("comment", ("--group", "hr")), ("show", ("--comment", "x")), ("assign", ("--decision", "yes"))):
            self.assertIn(f"{option[0]} has no meaning for pawl task {action}", self.pawl("task", action, task, *option, code=2).err)
        self.assertEqual(self.pawl("task", "complete", task, "--by", "bob", "--decision", "yes", "--var", "ok=true", "--comment", "looks good").out,
                         f"task {task} completed: yes\n")
        self.assertIn("commented by bob: looks good", self.pawl("task", "show", task).out)
        self.assertIn('decision = "yes"', self.pawl("show", instance).out)
        self.assertRegex(self.pawl("task", "show", task).out, r"(?s)state +completed\n.*decision +yes\n.*ended by +bob\n")
        self.pawl("task", "paint", task, code=2)

    def test_dropped_callbacks_are_shown(self):
        instance = self.start()
        self.pawl("signal", instance, "hold")
        self.pawl("complete", instance, "ask")
        poll = {"workerId": "slow", "jobTypes": ["labour"], "leaseSeconds": 0.05, "waitSeconds": PATIENCE}
        old, new = (self.post("/v1/jobs/poll", poll)["jobs"][0]["id"] for _ in range(2))
        self.assertNotIn("dropped", self.pawl("show", instance).out)
        self.post(f"/v1/jobs/{old}/fail", {"workerId": "slow", "errorMessage": "no"})
        for arguments in ((), ("--explain",)):  # The node that has got the failure remembers it.
            shown = "".join(self.pawl("show", instance, *arguments).out for _ in range(NODES))
            self.assertRegex(shown, rf"(?m)^dropped +\S+ \S+: fail of job {old} by slow: this delivery is over")
        self.assertNotEqual(old, new)

    def test_yaml_is_deployed(self):
        text = "{id: yaml, name: YAML, steps: [{id: e, name: E, type: END}]}"
        self.assertIn("yaml", self.pawl("deploy", self.file("d.yaml", text), self.file("w.json", json.dumps(WAITING))).out)
        err = self.pawl("deploy", self.file("d.yml", text.replace("type: END", "type: ENDE")), code=2).err
        self.assertRegex(err, r"d\.yml:1:\d+: error: ")

    def test_a_failed_step_is_run_again(self):
        instance = self.start()
        self.pawl("signal", instance, "hold")
        self.pawl("complete", instance, "ask")
        job = self.post("/v1/jobs/poll", {"workerId": "w", "jobTypes": ["labour"]})["jobs"][0]["id"]
        self.post(f"/v1/jobs/{job}/fail", {"workerId": "w", "errorMessage": "broken", "retryable": False})
        shown = self.pawl("show", instance).out
        self.assertIn("broken", shown)
        self.assertRegex(shown, r"attempts at work\n  1\. labour, opened .*: failed .* by w: broken\n")
        self.assertIn("Running", self.pawl("retry", instance, "work", "--var", "again=true").out)
        self.pawl("retry", instance, "work", code=4)
        job = self.post("/v1/jobs/poll", {"workerId": "w", "jobTypes": ["labour"]})["jobs"][0]["id"]
        self.post(f"/v1/jobs/{job}/fail", {"workerId": "w", "errorMessage": "broken", "retryable": False})
        self.assertIn("again = 2", self.pawl("retry", instance, "--var", "again=2").out)
        self.pawl("retry", instance, "--alone", code=4)
        self.pawl("cancel", instance)

    def test_what_has_failed_is_given_up_only_if_that_is_meant(self):
        instance = self.start()
        self.pawl("signal", instance, "hold")
        self.pawl("complete", instance, "ask")
        job = self.post("/v1/jobs/poll", {"workerId": "w", "jobTypes": ["labour"]})["jobs"][0]["id"]
        self.post(f"/v1/jobs/{job}/fail", {"workerId": "w", "errorMessage": "broken", "retryable": False})
        self.pawl("cancel", instance, code=4)
        self.assertIn("Cancelled", self.pawl("cancel", instance, "--failed", "--reason", "enough").out)

    def test_signals_early_and_by_business_key(self):
        late = {**WAITING, "id": "late", "steps": [WAITING["steps"][2] | {"nextStep": "hold"}, WAITING["steps"][0] | {"nextStep": "end"},
                                                  WAITING["steps"][3]]}
        self.pawl("deploy", self.file("late.json", json.dumps(late)))
        instance = json.loads(self.pawl("start", "late", "--key", "K 7", "--json").out)["id"]
        self.pawl("signal", instance, "hold", code=4)
        shown = self.pawl("signal", instance, "hold", "--var", "s=2", "--early").out
        self.assertRegex(shown, r"signals +for hold, since \d{4}-")
        self.pawl("signal", "--definition", "late", "--key", "K 7", "hold", code=4)
        self.assertIn(instance, self.pawl("signal", "--definition", "late", "--key", "K 7", "hold", "--early").out)
        self.pawl("signal", "--definition", "late", "--key", "none", "hold", code=3)
        for wrong in (["signal", instance, "hold", "--key", "K 7", "--definition", "late"], ["signal", "hold"],
                      ["signal", "hold", "--key", "K 7"]):
            self.assertIn("--definition and --key", self.pawl(*wrong, code=2).err)

    def test_an_instance_is_repaired(self):
        instance = self.start()
        before = self.pawl("show", instance).out
        dry = self.pawl("modify", instance, "--move", "hold:ask", "--set", "by=hand", "--dry-run").out
        self.assertIn("nothing was changed", dry)
        self.assertIn("waits for a person", dry)
        self.assertEqual(self.pawl("show", instance).out, before)
        out = self.pawl("modify", instance, "--move", "hold->ask", "--set", "by=hand", "--set", "n=3", "--reason", "why not").out
        self.assertIn('by = "hand"', out)
        self.assertIn("n = 3", out)
        self.assertRegex(out, r"why +ask, since .*: waits for a person")
        self.assertIn('moved to "ask": why not', self.pawl("show", instance).out)
        both = json.loads(self.pawl("modify", instance, "--unset", "by", "--add", "hold", "--json").out)
        self.assertEqual([token["stepId"] for token in both["tokens"]], ["ask", "hold"])
        self.assertNotIn("by", both["instance"]["variables"])
        revision = both["revision"]
        self.pawl("modify", instance, "--cancel", "ask", "--if-revision", str(revision - 1), code=4)
        self.pawl("modify", instance, "--cancel", "ask", "--if-revision", str(revision))
        for arguments, code in (([], 2), (["--move", "hold"], 2), (["--move", "a:b:c"], 2), (["--set", "x"], 2),
                                (["--move", "hold:ghost"], 2), (["--cancel", "hold"], 4)):
            self.pawl("modify", instance, *arguments, code=code)

    def post(self, path, body):
        request = urllib.request.Request(self.serving.url + path, json.dumps(body).encode(), method="POST")
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def test_lists(self):
        self.assertEqual(self.pawl("ps").out, "no instances\n")
        self.assertEqual(self.pawl("jobs").out, "no open jobs\n")
        self.assertEqual(self.pawl("tasks").out, "no open tasks\n")
        started = [self.start("--key", f"K{n}") for n in range(3)]
        lines = self.pawl("ps").out.splitlines()
        self.assertEqual([line.split()[0] for line in lines], ["INSTANCE", *started[::-1]])
        self.assertIn("2 of 3 instances", self.pawl("ps", "--limit", "2").out)
        for word, found in (("WAITING", started[1]), ("waiting", started[1]), ("person", ""), ("ACTIVE", ""), ("running", "")):
            self.assertEqual(self.pawl("ps", "--key", "K1", "--status", word, "-q").out.strip(), found, word)
        self.assertIn(started[1] + "  Waits   waiting v1", self.pawl("ps").out)
        self.assertEqual(self.pawl("ps", "--definition", "other").out, "no instances\n")
        page = json.loads(self.pawl("ps", "-n", "2", "--json").out)
        self.assertEqual((page["total"], len(page["items"])), (3, 2))

    def test_start_waits_when_asked(self):
        done = {"id": "done", "name": "Done", "steps": [{"id": "end", "name": "end", "type": "END"}]}
        self.pawl("deploy", self.file("done.json", json.dumps(done)))
        self.assertIn("Done", self.pawl("start", "done", "--wait", "30").out)
        variables = self.file("input.json", '{"a": [1, 2]}')
        self.assertIn("a = [1,2]", self.pawl("start", "done", "-i", "@" + variables).out)
        self.assertIn("b = 1", self.pawl("start", "done", "-i", "@-", stdin='{"b": 1}').out)
        self.assertIn("version 1", self.pawl("start", "done", "--definition-version", "1").out)

    def test_errors_have_their_exit_codes(self):
        instance = self.start()
        cases = [(["start", "ghost"], 3), (["show", "nope"], 3), (["cancel", "nope"], 3),
                 (["complete", instance, "hold"], 2), (["signal", instance, "ghost"], 4),
                 (["retry", instance, "hold"], 4), (["start", "waiting", "--input", "[1]"], 2),
                 (["start", "waiting", "--wait", "99999"], 2), (["deploy", "nothing.json"], 3),
                 (["ps", "--server", "gopher://x"], 2), (["ps", "--server", "http://127.0.0.1:1"], 6)]
        for arguments, code in cases:
            result = self.pawl(*arguments, code=code)
            self.assertTrue(result.err.startswith("pawl: "), result)
            self.assertEqual(result.out, "")

    def test_several_files_are_deployed_together_or_not_at_all(self):
        def one(name, title="A", kind="END"):
            return self.file(f"{name}.json", json.dumps({"id": f"all-{name}", "name": title, "steps": [{"id": "e", "name": "E", "type": kind}]}))
        files = [one(i, kind="END" if i != 3 else "ENDE") for i in range(12)]
        refused = self.pawl("deploy", *files, code=2)
        self.assertRegex(refused.err, r"1 of 12 documents have errors; nothing was applied")
        self.assertRegex(refused.err, r"3\.json:1:\d+: error: ")
        self.assertEqual((refused.out, self.pawl("definitions", "all-").out), ("", "no definitions\n"))
        files[3] = one(3)
        self.assertEqual(self.pawl("deploy", *files).out.count(" new "), 12)
        one(5, "B")
        told = self.pawl("deploy", *files).out
        self.assertEqual((told.count(" unchanged "), told.count(" changed ")), (11, 1))
        self.assertRegex(told, r"all-5 +2 +changed +B")
        self.assertIn("are both of the definition", self.pawl("deploy", files[0], files[1], files[0], code=2).err)
        self.assertEqual([r["verdict"] for r in json.loads(self.pawl("deploy", "--json", *files[:2]).out)["results"]], ["unchanged"] * 2)

    def test_a_refused_definition_shows_its_problems_in_the_file(self):
        bad = {**WAITING, "steps": WAITING["steps"][:1]}
        path = self.file("bad.json", json.dumps(bad, indent=1))
        result = self.pawl("deploy", path, code=2)
        self.assertRegex(result.err, r"bad\.json:\d+:\d+: error: ")

    def test_text_from_the_engine_cannot_steer_the_terminal(self):
        instance = self.start("--input", json.dumps({"x\x1b[2J": "\x7f\x9b"}))
        shown = self.pawl("show", instance).out
        for forbidden in "\x1b\x7f\x9b":
            self.assertNotIn(forbidden, shown)

    def test_colours_only_on_a_terminal_and_only_if_wanted(self):
        self.start()
        for settings, coloured in (({"TERM": "xterm"}, True), ({"TERM": "xterm", "NO_COLOR": "1"}, False),
                                   ({"TERM": "dumb"}, False)):
            master, slave = pty.openpty()
            with subprocess.Popen([BINARY, "ps"], stdout=slave,
                                  env=environment(PAWL_SERVER=self.serving.url, **settings)) as process:
                os.close(slave)
                text = os.read(master, 65536)
                self.assertEqual(process.wait(PATIENCE), 0)
            os.close(master)
            self.assertEqual(b"\x1b[" in text, coloured)
        self.assertNotIn("\x1b", self.pawl("ps", TERM="xterm").out)


class Demo(Case):
    def read_text(self, serving):
        """What it prints, to the last command to try."""
        lines = []
        while not lines or " retry " not in lines[-1]:
            lines.append(serving.read_line())
            self.assertNotEqual(lines[-1], "", lines)
        return lines

    def get(self, serving, path):
        with urllib.request.urlopen(serving.url + path, timeout=PATIENCE) as answer:
            return json.load(answer)

    def wait_for(self, what):
        """Until it is true, which takes as long as the worker does."""
        until = time.monotonic() + PATIENCE
        while not what():
            self.assertLess(time.monotonic(), until, what)
            time.sleep(0.02)

    def runs(self, serving):
        return {(run["definitionId"], run.get("businessKey")): run["status"]
                for run in self.get(serving, "/api/instances?pageSize=100")["items"]}

    def test_there_is_something_to_see_in_every_state(self):
        serving = self.serve("--demo")
        self.read_text(serving)
        disbursement = "LOS::loan-disbursement-workflow"
        self.wait_for(lambda: self.runs(serving).get((disbursement, "LOAN-5")) == "failed")
        self.wait_for(lambda: self.runs(serving).get((disbursement, "LOAN-1")) == "completed")
        self.wait_for(lambda: self.runs(serving).get((disbursement, "LOAN-4")) == "person")
        runs = self.runs(serving)
        expected = {("leave-request", "LEAVE-ada"): "person", ("leave-request", "LEAVE-ben"): "failed", ("leave-request", "LEAVE-cleo"): "waiting",
                    ("leave-request", "LEAVE-dan"): "cancelled", ("leave-request", "LEAVE-eve"): "completed", ("parcel-return", "A-1001"): "person",
                    ("parcel-return", "A-1002"): "waiting", ("parcel-return", "A-1003"): "waiting", ("parcel-return", "A-1004"): "completed",
                    ("SHOP::shipping-price", "A-1003"): "completed"}
        self.wait_for(lambda: self.runs(serving)[("leave-request", "LEAVE-ben")] == "failed")
        self.assertEqual({run: status for run, status in runs.items() if run in expected}, expected)
        self.wait_for(lambda: self.get(serving, "/api/overview")["tasks"]["late"] == 1)
        [task] = self.get(serving, "/api/tasks?person=grace")["items"]
        self.assertIn("formSchema", self.get(serving, "/api/tasks/" + task["id"]))
        self.assertEqual({trigger["type"] for trigger in self.get(serving, "/api/triggers")["items"]}, {"manual", "cron", "http"})
        self.assertEqual(self.get(serving, "/v1/events/unmatched")["total"], 1)
        states = {row["state"] for row in self.get(serving, "/api/entity/stats/states/device/1")}
        self.assertEqual(states, {"IN_STOCK", "IN_USE", "BATTERY_LOW", "RETIRED"})
        reasons = {group["sentence"] for group in self.get(serving, "/v1/instances/reasons")["groups"]}
        self.assertIn("The bank refused the transfer: the account is closed", reasons)
        self.assertNotIn('"event":"demo:', serving.log())

    @needs_file
    def test_what_it_says_to_try_is_true(self):
        serving = self.serve("--demo")
        lines = self.read_text(serving)
        self.wait_for(lambda: "failed" in self.runs(serving).values())
        commands = [line.split() for line in lines if line.startswith("  ")]
        self.assertEqual({command[0] for command in commands}, {BINARY})
        start, ps, retry = (command[1:] for command in commands)
        self.assertEqual(json.loads(self.run_pawl(*start[:-1], "30", "--json").out)["status"], "COMPLETED")
        key = ("LOS::loan-disbursement-workflow", "LOAN-5")
        self.wait_for(lambda: self.runs(serving).get(key) == "failed")
        self.assertIn("the account is closed", self.run_pawl(*ps).out)
        self.run_pawl(*retry)
        self.wait_for(lambda: self.runs(serving)[key] == "completed")
        with_pages = next((line for line in lines if "/ui/" in line), None)
        try:
            with urllib.request.urlopen(serving.url + "/ui/", timeout=PATIENCE) as answer:
                self.assertIn(serving.url + "/ui/", with_pages)
                self.assertEqual(answer.status, 200)
        except urllib.error.HTTPError as error:
            error.close()
            self.assertEqual((error.code, with_pages), (404, None))

    def test_a_second_start_adds_nothing(self):
        """The first one is killed in the middle."""
        killed, counted = Serving(self.directory, "--demo"), []
        self.wait_for(lambda: self.runs(killed))
        killed.stop(signal.SIGKILL)
        for start in range(2):
            serving = self.serve("--demo")
            self.read_text(serving)
            self.wait_for(lambda: self.runs(serving).get(("LOS::loan-disbursement-workflow", "LOAN-5")) == "failed")
            counted.append((len(self.get(serving, "/v1/definitions?pageSize=100")["items"]), len(self.runs(serving)),
                            self.get(serving, "/v1/events/unmatched")["total"], self.get(serving, "/api/entity/stats"),
                            len(self.get(serving, "/api/arrivals?pageSize=100")["items"])))
            self.assertEqual(serving.stop(), 0)
        self.assertEqual(counted[0], counted[1])
        self.assertEqual(counted[0][:3], (7, 20, 1))


class Store(Case):
    @needs_file
    def test_a_store_is_described_checked_and_copied(self):
        serving = self.serve()
        self.run_pawl("deploy", self.file("w.json", json.dumps(WAITING)), "--server", serving.url)
        self.run_pawl("start", "waiting", "--server", serving.url)
        copy = os.path.join(self.directory, "copy")
        os.mkdir(copy)
        self.run_pawl("store", "backup", os.path.join(copy, "pawl.db"), "--data", serving.data)
        self.assertEqual(serving.stop(), 0)
        for data in (serving.data, copy):
            info = json.loads(self.run_pawl("store", "info", "--json", "--data", data).out)
            self.assertEqual((info["definitions"], info["WAITING"]), (1, 1))
            self.assertIn("WAITING      1\n", self.run_pawl("store", "info", "--data", data).out)
            for deep in ([], ["--deep"]):
                self.assertEqual(self.run_pawl("store", "check", "--data", data, *deep).out,
                                 "1 instance checked, 0 problems\n")
            report = json.loads(self.run_pawl("store", "check", "--json", "--data", data).out)
            self.assertEqual(report, {"instances": 1, "problems": []})

    @needs_file
    def test_mistakes(self):
        self.run_pawl("store", "info", "--data", "nowhere", code=3)
        self.run_pawl("store", "backup", "x.db", "--data", "nowhere", code=3)
        for arguments in (["burn"], ["backup"], ["info", "x"]):
            self.run_pawl("store", *arguments, code=2)


if __name__ == "__main__":
    unittest.main()
