"""Test runs of every family: nothing leaves the engine, nobody else is touched, and the history tells what was simulated."""

import entities
from functions import Functions, Reply
from graphs import edge, graph, node
from grpc_client import GrpcClient, Refused, port_of
from harness import Case, main
from steps import decide, end, person, service, timer, wait
from workflows import delay, event, on, operation, relay, subflow, trigger, worker

PLACEHOLDER = "[TEST] Simulated output"


class TestRuns(Case):
    arguments = ("--allow-private-calls", "--grpc", "127.0.0.1:0")

    def setUp(self):
        super().setUp()
        self.functions = Functions()
        self.addCleanup(self.functions.close)
        self.functions.answer("/f", Reply(200, {"real": True}))

    def simulated(self, instance_id):
        return [item["stepId"] for item in self.history(instance_id) if item.get("simulated")]

    def instances(self, definition):
        return self.get(f"/v1/instances?definitionId={definition}").json["items"]

    def http(self, *names):
        """Functions that are called over HTTP."""
        return [{"name": name, "type": "http", "resource": self.functions.url + "/f"} for name in names]


class Steps(TestRuns):
    def test_no_worker_gets_a_job(self):
        kind = self.fresh("kind")
        name = self.upload([service("a", "b", kind), service("b", "end", kind, retryCount=3), end()])
        got = self.start(name, {"x": 1}, isTest=True)
        self.assertEqual((got["status"], got["isTest"], got["variables"]), ("COMPLETED", True, {"x": 1}))
        self.assertEqual(self.poll(kind), [])
        self.assertEqual(self.get(f"/v1/jobs?instanceId={got['id']}").json["items"], [])
        self.assertEqual(self.simulated(got["id"]), ["a", "b"])
        self.assertEqual([item["outputSnapshot"] for item in self.history(got["id"])][:2], [{}, {}])
        self.assertTrue(self.instance(got["id"])["isTest"])
        real = self.start(name, isTest=False)
        self.assertNotIn("isTest", real)
        self.assertEqual(self.take(kind)["instanceId"], real["id"])

    def test_a_task_brings_a_placeholder_for_each_declared_output(self):
        schema = {"properties": {"s": {"type": "string"}, "n": {"type": "number"}, "i": {"type": "integer"}, "b": {"type": "boolean"}},
                  "required": ["s", "any"]}
        got = self.start(self.upload([service("a", "end", self.fresh(), outputs_schema=schema), end()]), {"x": 1}, isTest=True)
        placeholders = {"s": PLACEHOLDER, "n": 0, "i": 0, "b": False, "any": {}}
        self.assertEqual((got["status"], got["variables"]), ("COMPLETED", {"x": 1, **placeholders}))
        self.assertEqual(self.history(got["id"])[0]["outputSnapshot"], placeholders)

    def test_people_signals_and_timers_are_not_awaited(self):
        got = self.start(self.upload([person("p", "w", boundaryEvents=[timer("PT1H", "end")]), wait("w", "end"), end()]), isTest=True)
        self.assertEqual((got["status"], self.simulated(got["id"])), ("COMPLETED", ["p", "w"]))
        tasks = self.get("/v1/user-tasks").json["items"]
        self.assertNotIn(got["id"], [task["instanceId"] for task in tasks])

    def test_after_a_retry_and_a_modification_it_is_still_a_test(self):
        kind = self.fresh("kind")
        name = self.upload([decide("d", {"ok": "a"}), service("a", "end", kind), end()])
        got = self.start(name, {"ok": False}, isTest=True)["id"]
        self.assertEqual(self.instance(got)["status"], "FAILED")
        self.assertEqual(self.post(f"/v1/instances/{got}/retry").status, 200)
        self.assertEqual(self.instance(got)["status"], "FAILED")
        answer = self.post(f"/v1/instances/{got}/modify", {"set": {"ok": True}, "move": [{"from": "d", "to": "d"}]})
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual((self.instance(got)["status"], self.simulated(got), self.poll(kind)), ("COMPLETED", ["a"], []))

    def test_a_signal_that_was_sent_to_it_is_used(self):
        got = self.start(self.upload([decide("d", {"ok": "w"}), wait("w", "end"), end()]), {"ok": False}, isTest=True)["id"]
        self.assertEqual(self.post(f"/v1/instances/{got}/signals/w?early=true", {"s": 1}).status, 202)
        answer = self.post(f"/v1/instances/{got}/modify", {"set": {"ok": True}, "move": [{"from": "d", "to": "d"}]})
        self.assertEqual(answer.status, 200, answer)
        done = self.instance(got)
        self.assertEqual((done["status"], done["variables"]["s"], self.simulated(got)), ("COMPLETED", 1, []))

    def test_what_it_chains_to_is_a_test(self):
        kind = self.fresh("kind")
        child = self.upload([service("a", "end", kind), end()])
        later = self.fresh("later")
        middle = self.upload([end()], autoStartNextWorkflow=True, nextWorkflowId=child)
        parent = self.upload([end()], autoStartNextWorkflow=True, nextWorkflowId=middle)
        self.start(parent, isTest=True)
        got, = self.instances(child)
        self.assertEqual((got["status"], got["isTest"], self.simulated(got["id"])), ("COMPLETED", True, ["a"]))
        self.start(self.upload([end()], autoStartNextWorkflow=True, nextWorkflowId=later), {"n": 7}, isTest=True)
        self.post("/v1/definitions", {"id": later, "name": "x", "steps": [service("a", "end", kind), end()]})
        self.until(lambda: self.instances(later))
        got, = self.instances(later)
        self.assertEqual((got["status"], got["isTest"], got["variables"]), ("COMPLETED", True, {"n": 7}))
        self.assertEqual(self.poll(kind), [])

    def test_a_replay_of_a_test_is_one_unless_the_request_says_otherwise(self):
        kind = self.fresh("kind")
        name = self.upload([service("a", "end", kind), end()])
        got = self.start(name, {"x": 1}, isTest=True)["id"]
        for body in ({}, {"isTest": None}, {"isTest": True}):
            again = self.post(f"/api/workflows/{got}/replay", body)
            self.assertEqual((again.status, again.json["isTest"], again.json["variables"]), (201, True, {"x": 1}), again)
        self.assertEqual(self.poll(kind), [])
        real = self.post(f"/api/workflows/{got}/replay", {"isTest": False}).json
        self.assertNotIn("isTest", real)
        job = self.take(kind)
        self.assertEqual(job["instanceId"], real["id"])
        tested = self.post(f"/api/workflows/{real['id']}/replay", {"isTest": True})
        self.assertTrue(tested.json["isTest"])
        self.assertEqual(self.poll(kind), [])

    def test_the_scenario_of_a_test_begins_with_one(self):
        got = self.start(self.upload([service("a", "end", self.fresh()), end()]), isTest=True)["id"]
        script = self.get(f"/api/instances/{got}/scenario").json
        self.assertIs(script["cases"][0]["steps"][0]["isTest"], True)

    def test_the_key_of_a_real_instance_is_not_touched(self):
        name = self.upload([wait("w", "end"), end()])
        real = self.start(name, businessKey="k")
        answer = self.post("/v1/instances", {"definitionId": name, "businessKey": "k2", "isTest": True})
        self.refused(answer, 400, "a test has no business key")
        self.assertEqual(self.start(name, isTest=True)["status"], "COMPLETED")
        self.assertEqual(self.instance(real["id"])["status"], "WAITING")

    def test_other_spellings_are_refused(self):
        name = self.upload([end()])
        for value in ("yes", "true", 1, 0, [], {}):
            for path, body in (("/v1/instances", {"definitionId": name}), (f"/v1/definitions/{name}/instances", {}), (f"/api/workflows/{name}/start", {})):
                answer = self.post(path, {**body, "isTest": value})
                self.assertEqual(answer.status, 400, answer)
                self.assertIn("isTest must be of type boolean", answer.body.decode())
        self.assertEqual(self.instances(name), [])


class Serverless(TestRuns):
    def test_no_function_is_called_and_nothing_is_awaited(self):
        kind = self.fresh("kind")
        name = self.upload_workflow(operation("A", "f", "g", "w", to="B"), delay("B", "PT1H", to="C"), operation("C", "f", "w", actionMode="PARALLEL", to="D"), relay("D"),
                                    functions=[*self.http("f", "g"), {"name": "w", "type": "worker", "metadata": {"handler": kind}}])
        got = self.start(name, {"x": 1}, isTest=True)
        self.assertEqual((got["status"], got["isTest"], got["output"]), ("COMPLETED", True, {"x": 1}))
        self.assertEqual((self.functions.calls, self.poll(kind, "w")), ([], []))
        self.assertEqual(self.simulated(got["id"]), ["A", "B", "C"])
        started = self.post(f"/api/workflows/{name}/start", {"input": {"x": 2}, "isTest": True}).json
        self.assertEqual((started["status"], started["isTest"], self.functions.calls), ("COMPLETED", True, []))
        self.start(self.upload_workflow(operation("A", "f"), functions=self.http("f")))
        self.functions.wait("/f", 1)

    def test_retries_by_a_result_are_not_asked(self):
        action = {"functionref": {"refname": "f"}, "retry": [{"condition": "$.done ne true", "max": 5, "interval": "PT1H"}]}
        got = self.start(self.upload_workflow(operation("A", action), functions=self.http("f")), isTest=True)
        self.assertEqual((got["status"], self.functions.calls), ("COMPLETED", []))

    def test_a_loop_that_only_waits_is_stopped(self):
        got = self.start(self.upload_workflow(delay("A", "P1D", to="B"), delay("B", "P1D", to="A")), isTest=True)
        self.assertEqual(self.instance(got["id"])["status"], "FAILED")
        self.assertIn("the definition loops", self.instance(got["id"])["failureReason"])

    def test_a_sub_flow_is_a_test(self):
        child = self.upload_workflow(operation("A", "f", to="B"), relay("B", {"b": 2}), functions=self.http("f"))
        for awaited, output in ((True, {"a": 1, "b": 2}), (False, {"a": 1})):
            got = self.start(self.upload_workflow(subflow("S", child, awaited=awaited)), {"a": 1}, wait=10, isTest=True)
            self.assertEqual((got["status"], got["output"]), ("COMPLETED", output))
            inner, = self.instance(got["id"])["children"]
            self.assertEqual((self.instance(inner["id"])["isTest"], self.simulated(inner["id"])), (True, ["A"]))
        self.assertEqual(self.functions.calls, [])

    def test_an_event_is_not_awaited(self):
        kind = self.fresh("kind")
        states = [operation("A", "w", to="E"), event("E", on("ordered", None, "f"), on("paid", None, "f"))]
        name = self.upload_workflow(*states, functions=[*self.http("f"), *worker("w")],
                                    triggers=[trigger("ordered", "shop", kind), trigger("paid", "shop", kind + "-paid")])
        got = self.start(name, isTest=True)
        self.assertEqual((got["status"], self.simulated(got["id"]), self.functions.calls), ("COMPLETED", ["A", "E"], []))

    def test_a_failed_test_takes_no_events(self):
        kind = self.fresh("kind")
        name = self.upload_workflow(subflow("S", self.fresh("nobody"), to="E"), event("E", on("ordered")), triggers=[trigger("ordered", "shop", kind)])
        tested, real = self.start(name, wait=10, isTest=True), self.start(name, wait=10)
        self.assertEqual((tested["status"], real["status"]), ("FAILED", "FAILED"))
        sent = {"specversion": "1.0", "id": self.fresh(), "source": "shop", "type": kind}
        did = self.post("/v1/events", sent, {"Content-Type": "application/cloudevents+json"}).json["events"][0]
        self.assertEqual([one["id"] for one in did["instances"]], [real["id"]])
        self.assertEqual((self.instance(tested["id"])["pendingEvents"], len(self.instance(real["id"])["pendingEvents"])), ([], 1))

    def test_emitted_events_go_nowhere(self):
        kind = self.fresh("kind")
        taker = self.upload_workflow(event("E", on("made")), triggers=[trigger("made", "here", kind)])
        bus = f"http://127.0.0.1:{self.server.port}/v1/events"
        for url in (self.functions.url + "/f", bus):
            send = {"functionref": {"refname": "send", "parameters": {"type": kind, "source": "here", "data": {}}}}
            name = self.upload_workflow(operation("A", send), functions=[{"name": "send", "type": "emit", "resource": url}])
            got = self.start(name, {"x": 1}, isTest=True)
            self.assertEqual((got["status"], got["output"], self.simulated(got["id"])), ("COMPLETED", {"x": 1}, ["A"]))
        self.assertEqual((self.functions.calls, self.instances(taker)), ([], []))


class Graphs(TestRuns):
    def publish(self, **trigger_config):
        name = self.fresh("graph")
        made = self.post("/api/workflows", {**graph(
            node("t", "trigger_manual", **trigger_config), node("c", "action_http", url=self.functions.url + "/f", method="POST"), node("e", "end"),
            edges=[edge("t", "c"), edge("c", "e")], name=name), "definitionId": name})
        self.assertEqual(made.status, 201, made)
        return name

    def test_no_call_is_made_over_any_surface(self):
        name = self.publish()
        first = self.post(f"/api/workflows/{name}/start", {"isTest": True}).json
        second = self.start(name, isTest=True)
        fired = self.post(f"/api/triggers/{name}/t/fire?isTest=true", {"n": 1}, {"Idempotency-Key": "k"})
        self.assertEqual((fired.status, fired.json["note"]), (202, "a test"), fired)
        again = self.post(f"/api/triggers/{name}/t/fire?isTest=true", {"n": 1}, {"Idempotency-Key": "k"})
        self.assertEqual(again.json["instanceId"], fired.json["instanceId"])
        for got in (first["instanceId"], second["id"], fired.json["instanceId"]):
            instance = self.instance(got)
            self.assertEqual((instance["status"], instance["isTest"], self.simulated(got)), ("COMPLETED", True, ["c"]))
        self.assertEqual(self.functions.calls, [])
        self.refused(self.post(f"/api/triggers/{name}/t/fire?isTest=yes"), 400, "isTest must be true or false")
        real = self.post(f"/api/triggers/{name}/t/fire", {"n": 1}, {"Idempotency-Key": "k"})
        self.assertNotEqual(real.json["instanceId"], fired.json["instanceId"])
        self.functions.wait("/f", 1)

    def test_the_rendered_input_is_kept(self):
        got = self.post(f"/api/workflows/{self.publish()}/start", {"isTest": True}).json["instanceId"]
        visit, = [one for one in self.get(f"/api/instances/{got}/visits").json["items"] if one["nodeId"] == "c"]
        self.assertTrue(visit["simulated"])
        whole = self.get(f"/api/instances/{got}/visits/{visit['number']}").json
        self.assertEqual((whole["in"]["method"], whole["in"]["url"]), ("POST", self.functions.url + "/f"))


class Grpc(TestRuns):
    def test_a_start_says_that_it_is_a_test(self):
        kind = self.fresh("kind")
        name = self.upload([service("a", "end", kind), end()])
        call = GrpcClient(port_of(self.server))
        self.addCleanup(call.close)
        got = call("StartInstance", {"definition_id": name, "is_test": True})["instance"]
        self.assertEqual((got["status"], got["is_test"]), ("INSTANCE_STATUS_COMPLETED", True))
        visit = call("GetInstanceHistory", {"id": got["id"]})["executions"][0]
        self.assertEqual((visit["step_id"], visit["simulated"]), ("a", True))
        self.assertEqual(call("PollJobs", {"worker_id": "w", "job_types": [kind]}).get("jobs", []), [])
        self.assertNotIn("is_test", call("StartInstance", {"definition_id": name})["instance"])
        with self.assertRaises(Refused) as caught:
            call("StartInstance", {"definition_id": name, "is_test": True, "business_key": "k"})
        self.assertEqual(caught.exception.code, "INVALID_ARGUMENT")
        self.assertEqual(len(self.poll(kind)), 1)


class Entities(entities.EntityCase):
    def test_an_entity_has_no_test(self):
        self.prepare()
        definition = f"{self.model}.1"
        for path, body in (("/v1/instances", {"definitionId": definition}), (f"/api/workflows/{definition}/start", {})):
            answer = self.post(path, {**body, "isTest": True})
            self.assertEqual(answer.status, 400, answer)
            self.assertIn("entities are created as such", answer.body.decode())


if __name__ == "__main__":
    main()
