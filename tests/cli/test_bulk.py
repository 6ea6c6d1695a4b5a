"""retry, cancel, signal and resend for many, and how they are looked at."""

import json
import os
import pty
import subprocess
import unittest
import urllib.request

from program import BINARY, PATIENCE, Case, environment

PAY = {"id": "pay", "name": "Pay", "steps": [
    {"id": "charge", "name": "charge", "type": "SERVICE_TASK", "jobType": "charge", "retryCount": 0, "nextStep": "end"},
    {"id": "end", "name": "end", "type": "END"}]}
WAITING = {"id": "waiting", "name": "Waiting", "steps": [
    {"id": "hold", "name": "hold", "type": "WAIT", "nextStep": "end"}, {"id": "end", "name": "end", "type": "END"}]}


class Many(Case):
    def setUp(self):
        super().setUp()
        self.serving = self.serve()
        for document in (PAY, WAITING):
            self.pawl("deploy", self.file(document["id"] + ".json", json.dumps(document)))

    def pawl(self, *arguments, **more):
        return self.run_pawl(*arguments, PAWL_SERVER=self.serving.url, **more)

    def post(self, path, body, kind="application/json"):
        request = urllib.request.Request(self.serving.url + path, json.dumps(body).encode(), {"Content-Type": kind})
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def start(self, definition, *more):
        return json.loads(self.pawl("start", definition, "--json", *more).out)["id"]

    def failed(self, *reasons):
        ids = []
        for reason in reasons:
            ids.append(self.start("pay"))
            job, = self.post("/v1/jobs/poll", {"workerId": "w", "jobTypes": ["charge"]})["jobs"]
            self.post(f"/v1/jobs/{job['id']}/fail", {"workerId": "w", "errorMessage": reason, "retryable": False})
        return ids

    def status(self, instance):
        return json.loads(self.pawl("show", instance, "--json").out)["status"]

    def migrated(self, *arguments, **more):
        return self.pawl("migrate", "moving", "--from", "1", "--to", "2", *arguments, **more)

    def test_migrate_and_undo(self):
        for step in ("hold", "rest"):
            document = {**WAITING, "id": "moving", "steps": [{**WAITING["steps"][0], "id": step}, WAITING["steps"][1]]}
            self.pawl("deploy", self.file("moving.json", json.dumps(document)))
            if step == "hold":
                one = self.start("moving")
        shown = self.migrated("--dry-run").out
        self.assertRegex(shown, r'1 +Waits +cannot move: the new version has no step for "hold": map it to another one +' + one)
        self.assertIn("0 move, 0 move with the mapping, 1 cannot move", shown)
        self.assertIn("1 cannot move", self.migrated("--yes", code=1).out)
        self.assertIn("did you mean \"rest\"?", self.migrated("--map", "hold=rset", "--yes", code=2).err)
        self.assertIn("give --yes to migrate 1 instance", self.migrated("--map", "hold=rest", code=2).err)
        done = json.loads(self.migrated("--map", "hold=rest", "--yes", "--json", "--by", "ann").out)
        self.assertEqual((done["action"], done["succeeded"], done["to"]), ("migrate", 1, 2))
        self.assertEqual(json.loads(self.pawl("show", one, "--json").out)["definitionVersion"], 2)
        self.assertIn("1 of 1 done", self.pawl("migrate", "--undo", done["id"], "--yes").out)
        self.assertEqual(json.loads(self.pawl("show", one, "--json").out)["definitionVersion"], 1)
        self.assertIn("(done)", self.pawl("bulk", "pause", done["id"]).out)
        self.assertIn("(done)", self.pawl("bulk", "resume", done["id"]).out)

    def test_replay_tells_which_runs_would_have_gone_another_way(self):
        def document(limit):
            return {"id": "choosing", "name": "Choosing", "steps": [
                {"id": "choose", "name": "c", "type": "DECISION", "conditionalNextSteps": {f"amount > {limit}": "hold", "true": "end"}}, *WAITING["steps"]]}
        self.pawl("deploy", self.file("choosing.json", json.dumps(document(100))))
        ids = [self.start("choosing", "--var", f"amount={amount}") for amount in (10, 50, 200)]
        same = self.pawl("replay", "choosing", "--with", self.file("same.json", json.dumps(document(100)))).out
        self.assertEqual(same, "3 go the same way, 0 go another way, 0 are not known\n")
        other = self.file("other.json", json.dumps(document(40)))
        shown = self.pawl("replay", "choosing", "--with", other, code=1).out
        self.assertRegex(shown, ids[1] + r" +1 +another way +.*path")
        self.assertIn("2 go the same way, 1 go another way, 0 are not known", shown)
        told = json.loads(self.pawl("replay", "choosing", "--with", other, "--limit", "2", "--json", code=1).out)
        self.assertEqual(([item["id"] for item in told["items"]], told["same"], told["other"]), ([ids[2], ids[1]], 1, 1))
        self.assertEqual(json.loads(self.pawl("definitions", "choosing", "--json").out)["items"][0]["version"], 1)
        self.assertIn("was refused", self.pawl("replay", "choosing", "--with", self.file("bad.json", "{\"id\": \"choosing\", \"steps\": []}"), code=2).err)
        self.assertIn("needs --with", self.pawl("replay", "choosing", code=2).err)

    def test_how_migrate_is_wrong(self):
        for arguments, words in (
                ([], "needs a DEFINITION"), (["x"], "needs --from and --to"), (["x", "--from", "1"], "needs --from and --to"),
                (["x", "--from", "1", "--to", "2", "--map", "a"], "--map wants OLD=NEW"), (["x", "--from", "1", "--to", "2", "--map", "a=b", "--map", "a=c"], "twice"),
                (["x", "--from", "1", "--to", "2", "--where", "definition=y"], "say already which definition"), (["x", "--undo", "y"], "--undo needs"),
                (["--undo", "y", "--map", "a=b"], "--undo needs"), (["--undo", "y"], "bulk must be the id of a migration"), (["x", "--from", "1", "--to", "1"], "have already")):
            self.assertIn(words, self.pawl("migrate", *arguments, code=2).err)

    def test_retry_by_reason(self):
        ids = self.failed("gateway timeout after 30 s", "declined", "gateway timeout after 31 s")
        shown = self.pawl("retry", "--where", "definition=pay,reason~'timeout after'", "--dry-run").out
        self.assertRegex(shown, r"2 +Failed .*" + ids[0] + r" +gateway timeout after # s")
        self.assertIn("2 instances to retry", shown)
        self.assertEqual({self.status(one) for one in ids}, {"FAILED"})
        refused = self.pawl("retry", "--where", "reason~timeout", code=2)
        self.assertIn("nobody is there to be asked: give --yes to retry 2 instances", refused.err)
        done = self.pawl("retry", "--where", "reason~timeout", "--yes", "--var", "gateway=eu")
        self.assertIn("2 of 2 done: 2 succeeded, 0 skipped, 0 refused (done)", done.out)
        self.assertEqual([self.status(one) for one in ids], ["ACTIVE", "FAILED", "ACTIVE"])
        self.assertEqual(json.loads(self.pawl("show", ids[0], "--json").out)["variables"], {"gateway": "eu"})
        self.assertIn("0 instances to retry", self.pawl("retry", "--where", "reason~timeout", "--yes").out)

    def test_the_same_conditions_list_what_a_bulk_is_for(self):
        ids = self.failed("Gateway timeout", "declined")
        listed = lambda where: self.pawl("ps", "--where", where, "--quiet").out.split()
        self.assertEqual(listed("definition=pay,reason~'gateway TIMEOUT'"), ids[:1])
        self.assertEqual(listed("definition=pay,version=1,status=failed,age<1h"), ids[::-1])
        self.assertEqual(listed("definition=pay,status=ACTIVE"), [])
        for where, words in (("status=broken", "status=broken: it is one of"), ("id=" + ids[0], "id= is for commands"), ("reason~", "needs a value")):
            self.assertIn(words, self.pawl("ps", "--where", where, code=2).err)
        self.assertIn("by an option of its own", self.pawl("ps", "--where", "definition=pay", "--definition", "pay", code=2).err)
        self.assertIn("without --group", self.pawl("ps", "--status", "failed", "--group", "reason", "--where", "definition=pay", code=2).err)
        self.assertIn("0 instances to cancel", self.pawl("cancel", "--where", "definition=pay", "--yes").out)
        done = self.pawl("cancel", "--where", "definition=pay", "--failed", "--yes").out
        self.assertIn("2 of 2 done: 2 succeeded", done)
        self.assertEqual([self.status(one) for one in ids], ["CANCELLED"] * 2)

    def test_somebody_at_a_terminal_is_asked(self):
        first = self.start("waiting")
        for answer, code, status in ((b"n\n", 1, "WAITING"), (b"y\n", 0, "CANCELLED")):
            master, slave = pty.openpty()
            with subprocess.Popen([BINARY, "cancel", "--where", "all"], stdin=slave, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  env=environment(PAWL_SERVER=self.serving.url)) as process:
                os.close(slave)
                os.write(master, answer)
                _, err = process.communicate(timeout=PATIENCE)
            os.close(master)
            self.assertIn(b"cancel 1 instance? [y/N]", err)
            self.assertEqual((process.returncode, self.status(first)), (code, status), err)

    def test_the_exit_code_says_whether_all_succeeded(self):
        self.start("waiting")
        result = self.pawl("signal", "--where", "definition=waiting", "--step", "nowhere", "--yes", code=1)
        self.assertIn("1 of 1 done: 0 succeeded, 0 skipped, 1 refused", result.out)
        self.assertIn("\"nowhere\" not found", result.out)
        bulk = json.loads(self.pawl("signal", "--where", "step=hold", "--step", "hold", "--yes", "--json").out)
        self.assertEqual((bulk["state"], bulk["succeeded"]), ("done", 1))
        listed = self.pawl("bulk", "list").out
        self.assertIn(bulk["id"], listed)
        self.assertIn("1 of 1 done", self.pawl("bulk", "show", bulk["id"]).out)
        self.assertIn("(done)", self.pawl("bulk", "cancel", bulk["id"]).out)
        self.pawl("bulk", "show", "nothing", code=3)

    def test_resend(self):
        event = {"specversion": "1.0", "id": "1", "source": "/shop", "type": "paid"}
        self.post("/v1/events", event, "application/cloudevents+json")
        shown = self.pawl("resend", "--where", "source=/shop,age<1h", "--dry-run").out
        self.assertIn("1 event to resend", shown)
        self.assertIn("no definition takes events", shown)
        number = json.loads(self.pawl("unmatched", "--json").out)["items"][0]["number"]  # Nodes may skip some.
        self.assertIn("unmatched", self.pawl("resend", str(number)).out)
        result = self.pawl("resend", "--where", "all", "--yes", code=1)
        self.assertIn("1 skipped", result.out)
        self.assertIn("nobody takes it, still", result.out)

    def test_failed_instances_by_reason(self):
        ids = self.failed("order 17 lost", "order 4711 lost")
        shown = self.pawl("ps", "--status", "FAILED").out
        self.assertRegex(shown, r"AT +REASON\n")
        self.assertIn("order 4711 lost", shown)
        grouped = self.pawl("ps", "--status", "FAILED", "--group", "reason").out
        self.assertRegex(grouped, r"2 +Failed .* order # lost\n2 failed instances")
        self.assertEqual(json.loads(self.pawl("ps", "--status", "FAILED", "--group", "reason", "--json").out)["groups"][0]["examples"], ids[::-1])
        self.assertIn("--status failed", self.pawl("ps", "--group", "reason", code=2).err)
        self.assertNotIn("REASON", self.pawl("ps").out)

    def test_mistakes(self):
        for arguments, message in (
                (["retry"], "retry needs INSTANCE, or --where for many"),
                (["retry", "x", "--where", "all"], "either --where or INSTANCE"),
                (["retry", "--where", "definitoin=x"], "did you mean \"definition\"?"),
                (["retry", "--where", "status=WAITING"], "only FAILED instances can be retried"),
                (["cancel", "x", "--dry-run"], "--dry-run goes with --where"),
                (["signal", "--where", "all"], "needs --step"),
                (["ps", "--status", "falied"], "did you mean failed?"),
                (["bulk", "stop"], "is not list, show, pause, resume or cancel"),
                (["bulk", "show"], "needs the id of a bulk")):
            self.assertIn(message, self.pawl(*arguments, code=2).err)


if __name__ == "__main__":
    unittest.main()
