"""The scenario of a run: what happened to an instance, as a test that passes."""

import http.client
import json
import subprocess
import tempfile
import threading

from entities import EntityCase, by_hand
from harness import BINARY, NODES, PATIENCE, Case, main
from steps import decide, end, person, service, timer
from workflows import delay, operation, subflow, worker


class Transcript(Case):
    def scenario(self, instance):
        answer = self.get(f"/api/instances/{instance}/scenario")
        self.assertEqual(answer.status, 200, answer)
        return answer.json

    def passes(self, instance):
        """pawl test passes with the scenario of the instance, which is returned."""
        scenario = self.scenario(instance)
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(scenario, file)
            file.flush()
            done = subprocess.run([BINARY, "test", file.name], capture_output=True, text=True, timeout=PATIENCE, check=False)
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1]), (0, "1 passed, 0 failed"), done.stdout + done.stderr + json.dumps(scenario))
        (case,) = scenario["cases"]
        self.assertNotIn("note", case)
        return case

    def mocks(self, case):
        return {step["node"]: step["results"] for step in case["steps"] if step["op"] == "mock"}


class Steps(Transcript):
    def test_jobs_people_and_failures(self):
        job = self.fresh("job")
        name = self.upload([service("reserve", "ask", job, retryCount=3), person("ask", "choose"),
                            decide("choose", {"approved == true": "end", "approved != true": "no"}), end(), end("no")])
        made = self.start(name, {"total": 7}, businessKey=self.fresh("key"))
        self.fail_job(self.take(job), "busy", retryable=True)
        self.complete(self.take(job), {"shelf": [1, 2]})
        self.post(f"/v1/instances/{made['id']}/user-tasks/ask/complete", {"variables": {"approved": False, "why": "no money"}})
        self.ended(made["id"])
        case = self.passes(made["id"])
        mocks = self.mocks(case)
        self.assertEqual([mock.get("fail", mock.get("ok")) for mock in mocks["reserve"]], ["transient", {"shelf": [1, 2]}])
        self.assertEqual(mocks["ask"][0]["ok"], {"approved": False, "why": "no money"})
        self.assertEqual(case["expect"]["instances"]["i1"], {"status": "COMPLETED", "path": ["reserve", "ask", "choose", "no"]})

    def test_a_failed_one_and_one_that_waits(self):
        job = self.fresh("job")
        name = self.upload([service("reserve", "end", job, retryCount=0), end()])
        made = self.start(name)
        case = self.passes(made["id"])  # Nobody has answered yet.
        self.assertEqual(case["expect"]["instances"]["i1"]["path"], ["reserve"])
        self.fail_job(self.take(job), "no stock")
        case = self.passes(made["id"])
        self.assertEqual(case["expect"]["instances"]["i1"]["status"], "FAILED")

    def test_a_timer(self):
        name = self.upload([person("ask", "end", boundaryEvents=[timer("PT0.1S", "late")]), end(), end("late")])
        made = self.start(name)
        self.ended(made["id"])
        self.assertEqual(self.passes(made["id"])["expect"]["instances"]["i1"]["path"], ["ask", "late"])

    def test_only_so_many_at_once(self):
        """They share their places with test runs."""
        instance, refused = self.start(self.upload([end()]))["id"], threading.Event()
        again = {"id": "a", "name": "a", "type": "SERVICE_TASK", "jobType": "a", "nextStep": "b"}
        loop = {"id": "loop", "name": "Loop", "steps": [again, decide("b", {"1 == 1": "a", "1 == 2": "end"}), end()]}
        body = json.dumps({"document": loop, "input": {"text": "x" * 30000}})

        def keep_busy():
            connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)
            while not refused.is_set():
                connection.request("POST", "/api/trials", body, {"Content-Type": "application/json"})
                connection.getresponse().read()
            connection.close()
        threads = [threading.Thread(target=keep_busy) for _ in range(6 * NODES)]  # Each node has places of its own.
        for thread in threads:
            thread.start()
        try:
            self.until(lambda: self.get(f"/api/instances/{instance}/scenario").status == 429)
        finally:
            refused.set()
            for thread in threads:
                thread.join()
        self.until(lambda: self.get(f"/api/instances/{instance}/scenario").status == 200)

    def test_unknown(self):
        self.refused(self.get("/api/instances/x/scenario"), 404, "not found")
        self.refused(self.get("/api/instances/01K00000000000000020000000/scenario"), 404, "not found")


class Serverless(Transcript):
    def test_results_that_filters_have_placed(self):
        job, other = self.fresh("f"), self.fresh("f")
        one = operation("Ask", job, to="Both", filter={"resultPath": "$.said"})
        name = self.upload_workflow(one, operation("Both", job, other, to="Wait"), delay("Wait", "PT0.1S"), functions=worker(job, other))
        made = self.start(name, {"who": "Ann"})
        self.complete(self.take(job), {"hello": 1})
        self.complete(self.take(job), {"hello": 2})
        self.complete(self.take(other), {"deep": {"er": [1]}})
        self.ended(made["id"])
        self.passes(made["id"])

    def test_a_sub_flow(self):
        job = self.fresh("f")
        inner = self.upload_workflow(operation("Inner", job), functions=worker(job))
        name = self.upload_workflow(subflow("Outer", inner))
        made = self.start(name, {"a": 1})
        self.complete(self.take(job), {"b": 2})
        self.ended(made["id"])
        self.passes(made["id"])


class Graphs(Transcript):
    def test_a_person(self):
        name = self.fresh("graph")
        answer = self.post("/v1/definitions", {
            "dialect": "graph/1", "definitionId": name, "name": name, "triggers": [{"id": "t", "type": "manual"}],
            "nodes": [{"id": "h", "type": "human_task", "config": {"title": "Look", "assignees": ["bob"], "decisions": ["yes", "no"]}},
                      {"id": "y", "type": "end"}, {"id": "n", "type": "end"}],
            "edges": [{"from": "t", "to": "h"}, {"from": "h", "fromPort": "yes", "to": "y"}, {"from": "h", "fromPort": "no", "to": "n"}]})
        self.assertEqual(answer.status, 201, answer)
        made = self.start(name, {"amount": 5})
        task = self.get(f"/api/tasks?instanceId={made['id']}").json["items"][0]["id"]
        done = self.post(f"/api/tasks/{task}/complete", {"by": "bob", "decision": "no", "answer": {"why": "late"}})
        self.assertEqual(done.status, 204, done)
        self.ended(made["id"])
        case = self.passes(made["id"])
        self.assertEqual(case["expect"]["instances"]["i1"]["path"], ["t", "h", "n"])
        self.assertEqual(self.mocks(case)["h"][0]["ok"], {"why": "late", "decision": "no"})


class Entities(EntityCase, Transcript):
    def test_transitions(self):
        self.prepare({"name": "w", "initialState": "A", "states": {"A": {"transitions": [by_hand("GO", "B")]}, "B": {}}})
        entity = self.created({"amount": 1})
        self.changed(entity, {"amount": 2}, "GO")
        case = self.passes(entity)
        self.assertEqual(case["expect"]["instances"]["i1"]["state"], "B")


if __name__ == "__main__":
    main()
