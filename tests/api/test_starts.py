"""Starts by hand are arrivals: every way in passes the schema, the filter, the pause, onMatch and the cap of its trigger."""

import subprocess

from grpc_client import GrpcClient, Refused, port_of
from harness import BINARY, Case, main
from steps import end, transform, wait
from workflows import event, on, operation, subflow, trigger, worker

PERSON = {"id": "h", "type": "human_task", "config": {"title": "work"}}
NEEDS_N = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}


def graph(name, *triggers, **more):
    return {"dialect": "graph/1", "definitionId": name, "name": name, "triggers": list(triggers), "nodes": [PERSON],
            "edges": [{"from": trigger["id"], "to": "h"} for trigger in triggers], **more}


def manual(name="m", **more):
    return {"id": name, "type": "manual", **more}


class Starts(Case):
    arguments = ("--grpc", "127.0.0.1:0")

    def publish(self, *triggers, **more):
        name = self.fresh("start")
        answer = self.post("/v1/definitions", graph(name, *triggers, **more))
        self.assertEqual(answer.status, 201, answer)
        return name

    def start(self, name, body=None, **more):
        return self.post(f"/api/workflows/{name}/start", {"input": body or {}, **more})

    def ways(self, name, body):
        """The HTTP status of each way in, without `fire`, whose answer is that of a webhook."""
        yield self.start(name, body)
        yield self.post("/v1/instances", {"definitionId": name, "variables": body})
        yield self.post(f"/v1/definitions/{name}/instances", {"variables": body})

    def refused(self, name, body, status, code, where):
        for answer in self.ways(name, body):
            self.assertEqual((answer.status, answer.json.get("code"), answer.json.get("where")), (status, code, where), answer)
            self.assertNotIn("id", answer.json)

    def outcomes(self, name):
        return [item["outcome"] for item in self.get(f"/api/arrivals?definitionId={name}").json["items"]]

    def total(self, name):
        return self.get(f"/v1/instances?definitionId={name}").json["total"]

    def cli(self, *arguments):
        return subprocess.run([BINARY, *arguments, "--server", f"http://127.0.0.1:{self.server.port}"], capture_output=True, text=True, check=False)

    def test_schemas_of_definition_trigger_and_start_node(self):
        of_node = self.fresh("start")
        document = graph(of_node)
        document["nodes"].append({"id": "m", "type": "trigger_manual", "config": {"inputSchema": NEEDS_N}})
        document["edges"].append({"from": "m", "to": "h"})
        self.assertEqual(self.post("/v1/definitions", document).status, 201)
        for name in (self.publish(manual(), inputSchema=NEEDS_N), self.publish(manual(inputSchema=NEEDS_N)), of_node):
            self.refused(name, {"n": "x"}, 400, "REJECTED_SCHEMA", "/n")
            fired = self.post(f"/api/triggers/{name}/m/fire", {"n": "x"})
            self.assertEqual((fired.status, fired.json["outcome"]), (400, "rejected_schema"))
            self.assertEqual((self.total(name), self.outcomes(name)), (0, ["rejected_schema"] * 4))
            self.assertEqual(self.start(name, {"n": 1}).status, 201)
        bad = self.post("/v1/definitions", graph(self.fresh("start"), manual(inputSchema={"type": "nothing"})))
        self.assertEqual((bad.status, bad.json["problems"][0]["code"]), (400, "BAD_SCHEMA"), bad)

    def test_steps_are_started_through_their_trigger(self):
        trigger = manual(inputSchema=NEEDS_N, filter="payload.n != 1", onMatch="MapOrReplace", correlationExpression="$.k")
        name = self.upload([{"id": "w", "name": "w", "type": "WAIT", "nextStep": "end"}, end()], triggers=[trigger],
                           input_schema={"properties": {"k": {"type": "string"}}})
        self.refused(name, {"n": "x"}, 400, "REJECTED_SCHEMA", "/n")
        self.refused(name, {"n": 1}, 422, "FILTERED", "filter")
        self.assertIn(b"input_schema violation", self.start(name, {"n": 4, "k": 7}).body)
        self.assertEqual(self.total(name), 0)
        first = self.start(name, {"n": 4, "k": "A"}).json["id"]
        again = self.post("/v1/instances", {"definitionId": name, "variables": {"n": 5, "k": "A"}}).json
        self.assertEqual({field: again["variables"][field] for field in ("n", "k")}, {"n": 5, "k": "A"})
        self.assertEqual(again["variables"]["trigger"]["payload"], {"n": 5, "k": "A"})
        self.assertEqual(self.get(f"/v1/instances/{first}").json["status"], "CANCELLED")

    def test_filters(self):
        name = self.publish(manual(filter="payload.n > 3"))
        self.refused(name, {"n": 1}, 422, "FILTERED", "filter")
        self.assertEqual(self.post(f"/api/triggers/{name}/m/fire", {"n": 1}).json["outcome"], "filtered")
        passed = self.start(name, {"n": 4})
        self.assertEqual((passed.status, passed.json["outcome"]), (201, "created"))
        self.assertEqual(self.outcomes(name), ["created"] + ["filtered"] * 4)

    def test_a_paused_trigger_starts_nothing_but_tests(self):
        name = self.publish(manual())
        self.post(f"/api/triggers/{name}/m/pause", {"reason": "repairs"})
        self.refused(name, {}, 503, "TRIGGER_PAUSED", "trigger")
        self.assertIn("repairs", self.start(name).json["message"])
        self.assertEqual(self.start(name, isTest=True).status, 201)
        self.post(f"/api/triggers/{name}/m/resume")
        self.assertEqual(self.start(name).status, 201)

    def test_on_match(self):
        """The key is the trigger's, or the one that the start names."""
        updates = self.publish(manual(correlationExpression="$.order"))
        first = self.start(updates, {"order": "A"})
        again = self.start(updates, {"order": "A"})
        self.assertEqual((again.status, again.json["outcome"], again.json["instanceId"]), (200, "updated", first.json["instanceId"]))
        named = self.post("/v1/instances", {"definitionId": updates, "businessKey": "A"})
        self.assertEqual((named.status, named.json["id"]), (200, first.json["instanceId"]))
        replaces = self.publish(manual(correlationExpression="$.order", onMatch="MapOrReplace"))
        old = self.start(replaces, {"order": "A"}).json["instanceId"]
        new = self.start(replaces, {"order": "A"})
        self.assertEqual((new.status, new.json["outcome"]), (201, "replaced"))
        self.assertEqual(self.get(f"/v1/instances/{old}").json["status"], "CANCELLED")
        discards = self.publish(manual(correlationExpression="$.order", onMatch="MapOrDiscard"))
        self.refused(discards, {"order": "A"}, 409, "DISCARDED", "onMatch")
        always = self.publish(manual(correlationExpression="$.order", onMatch="AlwaysCreate"))
        self.assertEqual([self.start(always, {"order": "A"}, businessKey="K").status for _ in range(2)], [201, 409])
        # A replay is an instance of its own, or none.
        self.assertEqual(self.post(f"/api/workflows/{first.json['instanceId']}/replay").status, 409)

    def test_caps_refuse_or_let_wait(self):
        name = self.publish(manual(), maxActiveInstances=1)
        self.assertEqual(self.start(name).status, 201)
        self.refused(name, {}, 429, "MAX_ACTIVE_INSTANCES", "maxActiveInstances")
        waits = self.publish(manual(), maxActiveInstances=1, overflowPolicy="Queue")
        first = self.start(waits).json["instanceId"]
        keyed = {"Idempotency-Key": self.fresh("key")}
        queued = [self.post(f"/api/workflows/{waits}/start", {"input": {"n": 1}, "businessKey": "K"}, keyed) for _ in range(2)]
        for answer in queued:
            self.assertEqual((answer.status, answer.json), (202, {"definitionId": waits, "trigger": "m", "key": "K", "outcome": "queued"}))
        # A call that must answer with an instance does not wait.
        call = GrpcClient(port_of(self.server))
        self.addCleanup(call.close)
        with self.assertRaises(Refused) as caught:
            call("StartInstance", {"definition_id": waits})
        self.assertEqual(caught.exception.code, "RESOURCE_EXHAUSTED")
        told = self.cli("start", waits)
        self.assertEqual((told.returncode, "waits" in told.stdout), (0, True), told)
        self.post(f"/v1/instances/{first}/cancel")
        self.until(lambda: self.total(waits) == 2)
        self.assertEqual(self.get(f"/v1/instances?definitionId={waits}&businessKey=K").json["total"], 1)

    def test_sub_flows_and_chains_obey_schema_and_cap(self):
        """A child that may not begin is an error of its parent's; a chained one fails at its first node, or waits for a place."""
        child = self.publish(manual(), inputSchema=NEEDS_N, maxActiveInstances=1)
        parent = self.upload_workflow(subflow("s", child))

        def run(variables):
            started = self.post("/v1/instances", {"definitionId": parent, "variables": variables}).json
            return self.get(f"/v1/instances/{started['id']}").json
        self.assertIn("/n must be an integer", run({"n": "x"})["failureReason"])
        self.assertEqual(run({"n": 1})["status"], "ACTIVE")
        self.assertIn("maxActiveInstances", run({"n": 1})["failureReason"])
        first = self.upload([end()], autoStartNextWorkflow=True, nextWorkflowId=child)
        self.post("/v1/instances", {"definitionId": first, "variables": {"n": 2}})
        self.assertEqual(self.total(child), 1)
        self.post(f"/v1/instances/{self.get(f'/v1/instances?definitionId={child}').json['items'][0]['id']}/cancel")
        self.until(lambda: self.total(child) == 2)

    def test_a_chained_input_that_steps_do_not_take_fails_where_people_see_it(self):
        child = self.upload([wait("w", "end"), end()], input_schema={"required": ["n", "who"], "properties": {"n": {"type": "number"}}})
        first = self.post("/v1/instances", {"definitionId": self.upload([end()], autoStartNextWorkflow=True, nextWorkflowId=child), "variables": {"n": "x"}}).json
        chained = self.get(f"/v1/instances/{self.instance(first['id'])['chainedTo']['id']}").json
        self.assertEqual((chained["status"], chained["variables"]), ("FAILED", {"n": "x"}))
        self.assertIn("input_schema", chained["failureReason"])
        self.assertIn("who", chained["failureReason"])

    def test_a_pause_of_the_engine_holds_every_new_instance(self):
        kind = self.fresh("type")
        child, chained = self.publish(manual()), self.upload([transform("t", "end", {"begun": True}), end()])
        by_event = self.upload_workflow(event("E", on("opened")), triggers=[trigger("opened", "s", kind)])
        first = self.upload([wait("w", "end"), end()], autoStartNextWorkflow=True, nextWorkflowId=chained)
        parent = self.upload_workflow(operation("O", kind, to="S"), subflow("S", child), functions=worker(kind))
        begun, _ = (self.post("/v1/instances", {"definitionId": name}).json["id"] for name in (first, parent))
        self.assertEqual(self.post("/api/engine/pause").status, 204)
        try:
            self.post(f"/v1/instances/{begun}/signals/w")
            self.assertEqual(self.instance(self.instance(begun)["chainedTo"]["id"])["status"], "ACTIVE")
            self.assertEqual(self.post("/v1/events", {"specversion": "1.0", "id": "1", "source": "s", "type": kind}, {"Content-Type": "application/cloudevents+json"}).status, 202)
            started, = self.get(f"/v1/instances?definitionId={by_event}").json["items"]
            self.assertEqual(started["status"], "ACTIVE")
            self.complete(self.take(kind), {})
            born, = self.get(f"/v1/instances?definitionId={child}").json["items"]
            self.assertEqual(self.get(f"/v1/user-tasks?instanceId={born['id']}").json["total"], 0)
        finally:
            self.assertEqual(self.post("/api/engine/resume").status, 204)
        self.assertEqual(self.ended(self.instance(begun)["chainedTo"]["id"])["variables"], {"begun": True})
        self.assertEqual(self.ended(started["id"])["status"], "COMPLETED")
        self.until(lambda: self.get(f"/v1/user-tasks?instanceId={born['id']}").json["total"] == 1)

    def test_the_command_line_and_grpc(self):
        name = self.publish(manual(inputSchema=NEEDS_N))
        told = self.cli("start", name, "--input", '{"n":"x"}')
        self.assertEqual((told.returncode, "/n must be" in told.stderr), (2, True), told)
        call = GrpcClient(port_of(self.server))
        self.addCleanup(call.close)
        with self.assertRaises(Refused) as caught:
            call("StartInstance", {"definition_id": name, "variables": {"n": "x"}})
        self.assertEqual(caught.exception.code, "INVALID_ARGUMENT")

    def test_a_schedule_is_fired_as_it_ticks(self):
        """A tick brings nothing that a schema could describe; the filter, the pause and the cap count."""
        name = self.publish({"id": "c", "type": "cron", "cronExpression": "0 0 1 1 *", "timeZone": "Europe/Berlin", "filter": 'time_zone == "Europe/Berlin"'},
                            inputSchema=NEEDS_N, maxActiveInstances=1)
        self.post(f"/api/triggers/{name}/c/pause")
        self.assertEqual(self.post(f"/api/triggers/{name}/c/fire").status, 503)
        self.refused(name, {}, 503, "TRIGGER_PAUSED", "trigger")
        self.post(f"/api/triggers/{name}/c/resume")
        self.assertEqual(self.post(f"/api/triggers/{name}/c/fire", {"n": "x"}).status, 400)
        self.assertEqual(self.post(f"/api/triggers/{name}/c/fire", {}).json["outcome"], "created")
        self.assertEqual(self.post(f"/api/triggers/{name}/c/fire").status, 429)

    def test_an_open_engine_asks_for_no_roles(self):
        name = self.fresh("start")
        answer = self.post("/v1/definitions", graph(name, manual(requiredRoles=["boss"])))
        self.assertEqual((answer.status, [warning["code"] for warning in answer.json["warnings"]]), (201, ["UNWIRED_PORT"]), answer)
        self.assertEqual(self.post("/v1/instances", {"definitionId": name}).status, 201)


if __name__ == "__main__":
    main()
