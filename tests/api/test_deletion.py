"""A definition goes with all its versions, and nothing of it is left: its id begins anew."""

import re
import sqlite3

from graphs import edge, graph, node
from harness import ROOT, Case, Client, Server, main, needs_a_file
from steps import end, service, wait
from workflows import event, on, subflow, trigger

with open(f"{ROOT}/src/store/record_kind.h", encoding="utf-8") as header:
    KINDS = re.findall(r"XX\(([A-Z_]+),", header.read())
# Logs keep their own time. Blocks of the audit are rows of the history that no instance has.
LOGS = {KINDS.index(kind) for kind in ("ARRIVAL", "AUDIT", "AUDIT_BLOCK")}


def rows_naming(directory, *words):
    """Rows of the store that name the definition, besides those of logs and of answers to requests."""
    found = []
    store = sqlite3.connect(f"file:{directory}/data/pawl.db?mode=ro", uri=True)
    for (table,) in store.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        columns = [row[1] for row in store.execute(f"PRAGMA table_info({table})")]
        for row in store.execute(f"SELECT * FROM {table}").fetchall():
            if table == "idempotency" or (table == "record" and row[columns.index("kind")] in LOGS):
                continue
            if table == "history" and not row[columns.index("instance")]:
                continue
            texts = [value if isinstance(value, bytes) else str(value).encode() for value in row]
            if any(word.encode() in text for text in texts for word in words):
                found.append((table, *row))
    store.close()
    return found


class Deletion(Case):
    def delete(self, name, query="", status=200, **more):
        answer = self.client.request("DELETE", f"/api/definitions/{name}{query}", **more)
        self.assertEqual(answer.status, status, answer)
        return answer.json

    def publish(self, document):
        answer = self.post("/v1/definitions", document)
        self.assertEqual(answer.status, 201, answer)
        return answer.json

    def start(self, name, **more):
        answer = self.post("/v1/instances", {"definitionId": name, **more})
        self.assertEqual(answer.status, 201, answer)
        return answer.json["id"]

    def await_gone(self, name):
        while (answer := self.get(f"/api/definitions/{name}")).status != 404:
            self.assertEqual((answer.json["deleting"], answer.json["mayStart"]), (True, False), answer)

    def delete_whole(self, name):
        """On a shared store it is retired in a transaction before."""
        answer = self.client.request("DELETE", f"/api/definitions/{name}")
        self.assertIn((answer.status, answer.json["state"]), ((200, "deleted"), (202, "deleting")))
        self.await_gone(name)


class Runs(Deletion):
    def test_the_id_begins_anew(self):
        name = self.fresh("anew")
        for title in "ABA":
            self.publish({"id": name, "name": title, "steps": [service("a", "end", "never"), end()]})
        self.delete_whole(name)
        for path in (f"/api/definitions/{name}", f"/v1/definitions/{name}", f"/api/workflows/{name}/versions"):
            self.assertEqual(self.get(path).status, 404, path)
        self.delete(name, status=404)
        self.assertEqual(self.post("/v1/instances", {"definitionId": name}).status, 404)
        again = self.publish({"id": name, "name": "A", "steps": [end()]})
        self.assertEqual((again["version"], "restores" in again), (1, False))
        self.assertEqual([v["version"] for v in self.get(f"/api/workflows/{name}/versions").json["items"]], [1])
        self.start(name)

    def test_runs_that_live_refuse_it(self):
        name = self.fresh("live")
        self.publish({"id": name, "name": "One", "steps": [wait("w", "end"), end()]})
        runs = [self.start(name) for _ in range(2)]
        self.publish({"id": name, "name": "Two", "steps": [end()]})
        for query in ("", "?with=ended"):
            refused = self.delete(name, query, 409)
            self.assertEqual(refused["code"], "RUNS_LEFT")
            self.assertIn("has living runs (2)", refused["message"])
        for run in runs:
            self.assertEqual(self.post(f"/v1/instances/{run}/cancel", {}).status, 200)
        refused = self.delete(name, status=409)
        self.assertEqual(refused["code"], "RUNS_LEFT")
        self.assertIn("has ended runs (2)", refused["message"])
        self.assertEqual(self.delete(name, "?with=ended", 202), {"definitionId": name, "version": 2, "state": "deleting"})
        self.await_gone(name)
        for run in runs:
            self.assertEqual(self.get(f"/v1/instances/{run}").status, 404)

    def test_a_key_deletes_once(self):
        name, key = self.fresh("key"), {"Idempotency-Key": self.fresh("k")}
        self.publish({"id": name, "name": "Key", "steps": [end()]})
        first = self.client.request("DELETE", f"/api/definitions/{name}", headers=key)
        self.await_gone(name)
        self.publish({"id": name, "name": "Key", "steps": [end()]})
        again = self.client.request("DELETE", f"/api/definitions/{name}", headers=key)
        self.assertEqual((again.status, again.json), (first.status, first.json))
        self.assertEqual(self.get(f"/api/definitions/{name}").status, 200, "The second request is the first one.")

    def test_with_can_only_be_ended(self):
        answer = self.delete("any", "?with=everything", 400)
        self.assertIn('with can only be "ended"', answer["message"])

    def test_it_has_a_row_in_the_audit(self):
        name = self.fresh("audited")
        self.publish({"id": name, "name": "Audited", "steps": [end()]})
        self.delete_whole(name)
        rows = self.get(f"/api/audit?object={name}").json["items"]
        self.assertEqual([row["action"] for row in rows], ["definition.delete", "definition.deploy"])

    def test_failed_runs_go(self):
        name, job = self.fresh("failed"), self.fresh("job")
        self.publish({"id": name, "name": "Failed", "steps": [service("a", "end", job), end()]})
        run = self.start(name)
        work = self.post("/v1/jobs/poll", {"workerId": "w", "jobTypes": [job], "maxJobs": 1}).json["jobs"][0]
        self.assertEqual(self.post(f"/v1/jobs/{work['id']}/fail", {"workerId": "w", "errorMessage": "no", "retryable": False}).status, 204)
        self.assertEqual(self.get(f"/v1/instances/{run}").json["status"], "FAILED")
        self.delete(name, "?with=ended", 202)
        self.await_gone(name)
        self.assertEqual(self.post(f"/v1/instances/{run}/retry", {}).status, 404)


class Needed(Deletion):
    def test_a_definition_that_others_start_stays(self):
        child, parent, chain = self.fresh("child"), self.fresh("parent"), self.fresh("chain")
        self.publish({"id": child, "name": "Child", "steps": [end()]})
        self.publish({"id": parent, "name": "Parent", "startsAt": "S", "states": [subflow("S", child)]})
        self.publish({"id": chain, "name": "Chain", "autoStartNextWorkflow": True, "nextWorkflowId": child, "steps": [end()]})
        refused = self.delete(child, status=409)
        self.assertEqual(refused["code"], "DEFINITION_NEEDED")
        self.assertIn(", ".join(sorted([parent, chain])), refused["message"])
        self.assertEqual(self.post(f"/api/definitions/{parent}/retire").status, 200)
        self.publish({"id": chain, "name": "Chain", "steps": [end()]})
        self.delete_whole(child)

    def test_a_start_that_waits_refuses_it(self):
        name, chain = self.fresh("waited"), self.fresh("chain")
        self.publish({"id": name, "name": "Waited", "steps": [end()]})
        self.publish({"id": chain, "name": "Chain", "autoStartNextWorkflow": True, "nextWorkflowId": name, "steps": [end()]})
        self.assertEqual(self.post(f"/api/definitions/{name}/retire").status, 200)
        self.start(chain)
        self.assertEqual(self.post(f"/api/definitions/{chain}/retire").status, 200)
        refused = self.delete(name, status=409)
        self.assertEqual(refused["code"], "RUNS_LEFT")
        self.assertIn("starts wait for definition", refused["message"])
        self.client.request("DELETE", f"/api/definitions/{name}?with=ended")
        self.await_gone(name)
        self.publish({"id": name, "name": "Waited", "steps": [end()]})
        self.assertEqual(self.get(f"/v1/instances?definitionId={name}").json["items"], [])


class Names(Deletion):
    def hooked(self, name, path):
        return graph(node("h", "trigger_http", path="/" + path, method="POST"), node("c", "trigger_cron", cron="0 9 1 1 *"), node("m", "trigger_manual"), node("z", "end"),
                     edges=[edge("h", "z"), edge("c", "z"), edge("m", "z")], name=name, definitionId=name, mcp={"tool": name, "description": "Does it."})

    def inhabited(self, name):
        """All that can name a definition, besides runs that live."""
        path, taken = name + "-path", name + "-taken"
        self.assertEqual(self.post("/api/workflows", self.hooked(name, path)).status, 201)
        self.assertEqual(self.client.request("PUT", f"/api/workflows/{name}/draft", {"of": "another"}).status, 201)
        key = {"Idempotency-Key": "once"}
        answers = [self.client.request("POST", f"/hooks/{path}", {}, key).status for _ in range(2)]
        self.assertEqual(answers[0], 202)
        self.assertEqual(self.post(f"/api/triggers/{name}/c/pause", {"reason": "holidays"}).status, 200)
        return path, taken

    def test_its_paths_tools_and_schedules_are_free(self):
        name, other = self.fresh("names"), self.fresh("other")
        path, _ = self.inhabited(name)
        refused = self.post("/api/workflows", self.hooked(other, path))
        self.assertEqual((refused.status, refused.json["code"]), (409, "INVALID_PATH"))
        self.client.request("DELETE", f"/api/definitions/{name}?with=ended")
        self.await_gone(name)
        self.assertEqual(self.client.request("POST", f"/hooks/{path}", {}).status, 404)
        self.assertEqual(self.get(f"/api/workflows/{name}/draft").status, 404)
        self.assertEqual(self.get(f"/api/triggers?definitionId={name}").json["items"], [])
        document = self.hooked(other, path)
        document["mcp"]["tool"] = name
        self.assertEqual(self.post("/api/workflows", document).status, 201)
        self.assertEqual(self.client.request("POST", f"/hooks/{path}", {}, {"Idempotency-Key": "once"}).status, 202)

    @needs_a_file
    def test_no_row_names_it(self):
        name = self.fresh("ocelot")
        self.inhabited(name)
        self.publish({"id": f"{name}-e", "name": "Listens", "startsAt": "E", "states": [event("E", on("t"))], "triggers": [trigger("t", name, "taken")]})
        self.assertNotEqual(rows_naming(self.server.directory, name), [])
        for gone in (name, f"{name}-e"):
            self.client.request("DELETE", f"/api/definitions/{gone}?with=ended")
            self.await_gone(gone)
        self.assertEqual(rows_naming(self.server.directory, name), [])

    @needs_a_file
    def test_a_deletion_goes_on_after_a_crash(self):
        """Killed at once, and again after each answer that says that it goes on."""
        server = Server()
        directory = server.directory
        server.owns_directory = False
        client = Client(server)
        self.addCleanup(lambda: client.connection.close())
        name = self.fresh("lynx")
        self.assertEqual(client.request("POST", "/v1/definitions", {"id": name, "name": "Ends", "steps": [end()]}).status, 201)
        for _ in range(700):
            self.assertEqual(client.request("POST", "/v1/instances", {"definitionId": name}).status, 201)
        self.assertEqual(client.request("DELETE", f"/api/definitions/{name}?with=ended").status, 202)
        goes_on = True
        while goes_on:
            server.kill()
            client.connection.close()
            server = Server(data=directory)
            client = Client(server)
            goes_on = client.request("GET", f"/api/definitions/{name}").status != 404
            draft = client.request("PUT", f"/api/workflows/{name}/draft", {"of": "another"}) if goes_on else None
            if draft:
                self.assertIn((draft.status, draft.json.get("code")), ((409, "DEFINITION_DELETING"), (201, None)))
        self.assertEqual([row for row in rows_naming(directory, name) if row[0] != "record"], [])
        server.owns_directory = True
        server.stop()


if __name__ == "__main__":
    main()
