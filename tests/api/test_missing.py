"""Publishing tells what a document needs and does not have: secrets, connections, workers, calculation nodes."""

import json
import os
import subprocess
import tempfile

from accounts import ROOT, Accounts
from harness import BINARY, Case, main, needs_one_node
from steps import end, person, service


def graph(name, *nodes, **more):
    ids = ["t", *(node["id"] for node in nodes), "e"]
    return {"dialect": "graph/1", "definitionId": name, "name": name, "nodes": [{"id": "t", "type": "trigger_manual"}, *nodes, {"id": "e", "type": "end"}],
            "edges": [{"from": a, "to": b} for a, b in zip(ids, ids[1:])], **more}


MAIL = {"id": "m", "type": "action_email", "config": {"from": "a@a.example", "to": "b@b.example", "subject": "s", "body": "b"}}


class Missing(Case):
    def missing(self, document, path="/v1/definitions"):
        answer = self.post(path, document)
        self.assertIn(answer.status, (200, 201), answer)
        return [(each["code"], each["name"], each["pointer"]) for each in answer.json.get("missing", [])]

    @needs_one_node
    def test_a_worker_that_polls_is_there(self):
        kind = self.fresh("kind")
        document = {"id": self.fresh(), "name": "f", "steps": [service("s", "end", job_type=kind), service("r", None, job_type=kind), end()]}
        document["steps"][0]["nextStep"], document["steps"][1]["nextStep"] = "r", "end"
        wanted = [("MISSING_WORKER", kind, "/steps/0")]
        for path in ("/v1/definitions", "/api/workflows", "/api/checks", "/api/workflows/validate"):
            self.assertEqual(self.missing(document, path), wanted, path)
        self.assertEqual(self.post("/v1/jobs/poll", {"workerId": "w", "jobTypes": [kind], "maxJobs": 1}).status, 200)
        for path in ("/v1/definitions", "/api/checks"):
            self.assertEqual(self.missing(document, path), [], path)

    def test_secrets_and_connections_by_their_names(self):
        key, mail = self.fresh("key"), self.fresh("mail")
        call = {"id": "h", "type": "action_http", "config": {"method": "GET", "url": "https://a.example", "headers": {"X": f"{{{{ secrets.{key} }}}}"}}}
        document = graph(self.fresh("g"), call, {**MAIL, "config": {**MAIL["config"], "connectionRef": f"vault:{mail}"}}, secretRefs=[key])
        self.assertEqual({each[:2] for each in self.missing(document)}, {("MISSING_SECRET", key), ("MISSING_CONNECTION", mail)})
        for name in (key, mail):
            self.assertEqual(self.client.request("PUT", f"/api/secrets/{name}", {"value": "v"}).status, 201)
        self.assertEqual(self.missing(document), [])

    def test_e_mail_without_a_server(self):
        self.assertEqual(self.missing(graph(self.fresh("g"), MAIL)), [("MISSING_CONNECTION", "--smtp", "/nodes/1")])
        for reminders, wanted in ((["P1D"], [("MISSING_CONNECTION", "--smtp", "/steps/0")]), ([{"after": "P1D", "email": False}], [])):
            self.assertEqual(self.missing({"id": self.fresh(), "name": "f", "steps": [person("p", "end", reminders=reminders), end()]}), wanted)

    def test_fifty_are_told(self):
        for count in (50, 51):
            steps = [service(f"s{i}", f"s{i + 1}" if i + 1 < count else "end", job_type=f"{self.fresh('many')}{i}") for i in range(count)]
            self.assertEqual(len(self.missing({"id": self.fresh(), "name": "f", "steps": [*steps, end()]})), 50)

    def test_the_command_line_prints_it(self):
        kind = self.fresh("kind")
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "f.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"id": self.fresh(), "name": "f", "steps": [service("s", "end", job_type=kind), end()]}, file)
            done = subprocess.run([BINARY, "deploy", path, "--server", f"http://127.0.0.1:{self.server.port}"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done)
        self.assertIn(f'warning: no worker polls for jobs of type "{kind}"', done.stderr)


class WithAServer(Case):
    arguments = ("--smtp", "smtp://mail.example?from=a%40a.example")

    def test_e_mail_has_one(self):
        answer = self.post("/v1/definitions", graph(self.fresh("g"), MAIL))
        self.assertEqual((answer.status, answer.json.get("missing")), (201, None), answer)


class Narrow(Accounts):
    def test_secrets_that_somebody_may_not_use_are_not_told(self):
        name = self.fresh("hidden")
        document = graph(self.fresh("g"), {**MAIL, "config": {**MAIL["config"], "connectionRef": f"vault:{name}"}})
        told = self.ask("POST", "/api/checks", document, self.bearer("viewer"))
        self.assertEqual((told.status, told.json.get("missing")), (200, None), told)
        told = self.ask("POST", "/api/checks", document, ROOT)
        self.assertEqual([each["name"] for each in told.json["missing"]], [name])


if __name__ == "__main__":
    main()
