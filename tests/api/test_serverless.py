"""The Serverless Workflow dialect through the API: deploying, running, jobs, errors, kin, history."""

import json

from harness import PATIENCE, Case, Events, main, quote, validate_named
from workflows import (action, branch, choice, delay, handler, operation, parallel, relay, subflow, switch, trigger,
                       event, on, worker)

YAML = {"Content-Type": "application/yaml"}


class Workflows(Case):
    def run_workflow(self, *states, variables=None, **more):
        """Of a workflow that needs nobody: the instance at its end."""
        return self.start(self.upload_workflow(*states, **more), variables, wait=PATIENCE)

    def answer(self, job, **body):
        answer = self.post(f"/v1/jobs/{job['id']}/complete", {"workerId": "w", **body})
        self.assertEqual(answer.status, 204, answer)

    def fail_with(self, job, **body):
        answer = self.post(f"/v1/jobs/{job['id']}/fail", {"workerId": "w", **body})
        self.assertEqual(answer.status, 204, answer)

    def path(self, instance_id):
        return self.get(f"/v1/instances/{instance_id}/history").json["path"]


class Deploying(Workflows):
    def test_json_and_yaml_are_the_same_definition(self):
        name = self.fresh("workflow")
        text = (f"id: {name}\nname: Greet\nstartsAt: Hello\nstates:\n"
                f"  - name: Hello\n    type: RELAY\n    inject: {{greeting: hello}}\n    end: true\n")
        document = {"id": name, "name": "Greet", "startsAt": "Hello",
                    "states": [{"name": "Hello", "type": "RELAY", "inject": {"greeting": "hello"}, "end": True}]}
        answers = [self.post("/v1/definitions", document), self.post("/v1/definitions", text.encode(), YAML),
                   self.post("/v1/definitions", text.encode(), {"Content-Type": "text/x-yaml; charset=utf-8"}),
                   self.post("/v1/definitions", text.encode())]
        self.assertEqual([(a.status, a.json["version"]) for a in answers], [(201, 1)] * 4)
        self.assertEqual(self.get(f"/v1/definitions/{name}").json, document)
        self.assertEqual(self.start(name, wait=PATIENCE)["output"], {"greeting": "hello"})

    def test_the_author_s_version_is_kept(self):
        name = self.upload_workflow(relay("A"), version="2.7")
        self.assertEqual(self.get(f"/v1/definitions/{name}").json["version"], "2.7")
        self.assertEqual(self.get(f"/v1/definitions/{name}/versions/1").json["version"], "2.7")

    def test_without_an_id_the_exact_name_is_the_id(self):
        title = self.fresh("Some Name")
        for name in (title, title.replace(" ", "-"), title + "!", title.replace(" ", "/")):
            answer = self.post("/v1/definitions", {"name": name, "startsAt": "A", "states": [relay("A")]})
            self.assertEqual((answer.status, answer.json["name"], answer.json["id"], answer.json["version"]), (201, name, name, 1))
            self.assertEqual(self.get("/v1/definitions/" + quote(name)).json["name"], name)
            self.assertEqual(self.start(name, wait=PATIENCE)["executionStatus"], "Success")

    def test_what_is_wrong_is_said_with_its_place(self):
        text = b"""name: Wrong
startsAt: Nowhere
states:
  - name: A
    type: RELLAY
    end: true
  - name: B
    type: DELAY
    timeDelay: soon
    transition: A
"""
        answer = self.post("/v1/definitions", text, YAML)
        self.assertEqual(answer.status, 400)
        found = {problem["pointer"]: problem for problem in answer.json["problems"]}
        self.assertEqual((found["/states/0/type"]["line"], found["/states/0/type"]["column"]), (5, 11))
        self.assertEqual(found["/states/0/type"]["code"], "BAD_VALUE")
        self.assertIn("RELAY", found["/states/0/type"]["hint"])
        self.assertEqual(found["/states/1/timeDelay"]["line"], 9)
        self.assertEqual(found["/startsAt"]["line"], 2)

    def test_invalid_documents(self):
        good = {"name": "N", "startsAt": "A", "states": [relay("A")]}
        cases = [({"states": []}, "/states"), ({"startsAt": "B"}, "/startsAt"),
                 ({"states": [relay("A", to="B")]}, "/states/0/transition/nextState"),
                 ({"states": [{"name": "A", "type": "RELAY"}]}, "/states/0/transition"),
                 ({"states": [operation("A", "nobody")]}, "/states/0/actions/0/functionref/refname"),
                 ({"states": [relay("A", filter={"inputPath": "$.["})]}, "/states/0/filter/inputPath"),
                 ({"states": [relay("A", filter={"resultPath": "$..a"})]}, "/states/0/filter/resultPath"),
                 ({"states": [delay("A", "later")]}, "/states/0/timeDelay"),
                 ({"functions": worker("f", "f")}, "/functions/1/name"),
                 ({"expressionLanguage": "groovy"}, "/expressionLanguage")]
        for changes, pointer in cases:
            with self.subTest(pointer):
                answer = self.post("/v1/definitions", {**good, **changes})
                self.assertEqual(answer.status, 400, answer)
                problems = [problem for problem in answer.json["problems"] if problem["severity"] == "error"]
                self.assertIn(pointer, [problem["pointer"] for problem in problems])
                self.assertTrue(all(problem["line"] == 1 and problem["code"] for problem in problems))

    def test_documents_of_other_versions(self):
        for document, version in (({"document": {"dsl": "1.0.0"}, "do": []}, "1.0"), ({"specVersion": "0.8", "id": "x", "start": "A", "states": []}, "0.8")):
            answer = self.post("/v1/definitions", document)
            self.assertEqual(answer.status, 400)
            self.assertEqual(answer.json["problems"][0]["code"], "UNSUPPORTED_VERSION")
            self.assertIn(version, answer.json["problems"][0]["message"])

    def test_warnings_come_with_the_answer(self):
        answer = self.post("/v1/definitions", {"id": self.fresh(), "name": "N", "startsAt": "A", "states": [relay("A", surprise=1)]})
        self.assertEqual(answer.status, 201)
        self.assertIn("surprise", json.dumps(answer.json["warnings"]))


class Running(Workflows):
    def test_an_instance_at_its_end(self):
        got = self.run_workflow(relay("A", {"a": 1}, to="B"), switch("B", choice("$.a", "Equals", "1", "C"), default="D"), relay("C", {"c": 2}), relay("D"),
                                variables={"x": 0})
        self.assertEqual((got["status"], got["executionStatus"], got["dialect"]), ("COMPLETED", "Success", "serverless"))
        self.assertEqual((got["output"], got["variables"]), ({"x": 0, "a": 1, "c": 2}, {"x": 0, "a": 1, "c": 2}))
        self.assertEqual((got["currentStepIds"], got["pendingEvents"]), ([], []))
        self.assertEqual(self.instance(got["id"]), got)
        self.assertEqual(self.path(got["id"]), ["A", "B", "C"])

    def test_output_may_be_any_value(self):
        for value in ([1, {"b": None}], "text", 0, False, None):
            got = self.run_workflow(relay("A", filter={"outputPath": "$.v"}), variables={"v": value})
            self.assertEqual((got["output"], got["variables"]), (value, {}))
            self.assertEqual(self.history(got["id"])[0]["outputSnapshot"], value)

    def test_input_is_an_object(self):
        name = self.upload_workflow(relay("A"))
        self.refused(self.post("/v1/instances", {"definitionId": name, "variables": [1]}), 400, "variables")
        self.assertEqual(self.start(name, wait=PATIENCE)["output"], {})

    def test_lists_show_them_too(self):
        name = self.upload_workflow(delay("A", "PT1H"))
        got = self.start(name)
        item, = self.get(f"/v1/instances?definitionId={name}").json["items"]
        self.assertEqual(item, self.instance(got["id"]))
        self.assertEqual(item["executionStatus"], self.instance(got["id"])["executionStatus"])

    def test_cancelling(self):
        got = self.start(self.upload_workflow(delay("A", "PT1H")))["id"]
        answer = self.post(f"/v1/instances/{got}/cancel", {"reason": "enough"}).json
        self.assertEqual((answer["status"], answer["executionStatus"], answer["failureReason"]), ("CANCELLED", "Cancelled", "enough"))
        self.assertEqual(self.instance(got)["executionStatus"], "Cancelled")

    def test_instances_of_steps_are_as_ever(self):
        got = self.run_steps([{"id": "end", "name": "end", "type": "END"}])
        self.assertEqual(set(self.instance(got["id"])), {"id", "definitionId", "definitionVersion", "status", "currentStepIds", "variables", "startedAt", "completedAt"})
        answer = self.get(f"/v1/instances/{got['id']}/history").json
        self.assertEqual((set(answer), set(answer["items"][0]) & {"name", "branch"}), ({"items"}, set()))

    def test_a_delay_ends_by_itself(self):
        got = self.run_workflow(delay("A", "PT0.05S", to="B"), relay("B", {"b": 1}))
        self.assertEqual(got["output"], {"b": 1})

    def test_the_stream_of_changes(self):
        function = self.fresh("function")
        got = self.start(self.upload_workflow(parallel("P", branch("b", operation("A", function), awaited=True)), functions=worker(function)))["id"]
        self.complete(self.take(function), {"a": 1})
        with Events(self.server, got) as events:
            all_events = events.all()
        self.assertEqual([event[1] for event in all_events], ["start", "complete_job", "end"])
        for item in all_events[:-1]:
            validate_named(item[2], "InstanceEvent")

    def test_why_it_waits(self):
        source = self.fresh("source")
        got = self.start(self.upload_workflow(event("E", on("go")), triggers=[trigger("go", source, "go")]))["id"]
        tokens = self.get(f"/v1/instances/{got}/explain").json["tokens"]
        self.assertIn("event", [token["state"] for token in tokens])
        got = self.start(self.upload_workflow(delay("D", "PT1H")))["id"]
        token, = self.get(f"/v1/instances/{got}/explain").json["tokens"]
        self.assertEqual((token["stepId"], token["state"], len(token["timersDueAt"])), ("D", "time", 1))


class Jobs(Workflows):
    def setUp(self):
        super().setUp()
        self.function = self.fresh("function")

    def upload_call(self, **more):
        return self.upload_workflow(operation("Call", action(self.function, **more), to="After"), relay("After"), functions=worker(self.function))

    def test_a_job_names_its_function(self):
        got = self.start(self.upload_call(), {"a": 1})
        job = self.take(self.function)
        self.assertEqual((job["jobType"], job["functionName"], job["performer"], job["variables"]), (self.function, self.function, "worker", {"a": 1}))
        self.assertNotIn("input", job)
        self.told(got["id"])
        listed, = self.get(f"/v1/jobs?instanceId={got['id']}").json["items"]
        self.assertEqual((listed["functionName"], listed["performer"], listed["status"]), (self.function, "worker", "LOCKED"))

    def test_what_it_gets_may_be_any_value(self):
        self.start(self.upload_call(filter={"inputPath": "$.list"}), {"list": [1, 2]})
        job = self.take(self.function)
        self.assertEqual((job["variables"], job["input"]), ({}, [1, 2]))

    def test_results_are_any_value(self):
        cases = [({"variables": {"r": 1}}, {"r": 1}), ({"result": {"r": 2}}, {"r": 2}), ({"result": {"r": 3}, "variables": {"r": 0}}, {"r": 3}),
                 ({"result": [1, 2]}, [1, 2]), ({"result": "text"}, "text"), ({"result": 0}, 0), ({"result": False}, False), ({"result": None}, None)]
        name = self.upload_call()
        for body, output in cases:
            got = self.start(name)["id"]
            self.answer(self.take(self.function), **body)
            self.assertEqual(self.instance(got)["output"], output, body)

    def test_results_in_a_batch(self):
        name = self.upload_call()
        got = [self.start(name)["id"] for _ in range(2)]
        jobs = self.poll(self.function)
        answer = self.post("/v1/jobs/batch", {"workerId": "w", "complete": [{"id": jobs[0]["id"], "result": [7]}],
                                              "fail": [{"id": jobs[1]["id"], "errorName": "Broken", "errorMessage": "m"}]})
        self.assertEqual([item["status"] for item in answer.json["completed"] + answer.json["failed"]], [204, 204])
        self.assertEqual(self.instance(got[0])["output"], [7])
        self.assertEqual(self.instance(got[1])["error"]["name"], "Broken")

    def test_steps_take_only_objects(self):
        kind = self.fresh()
        got = self.start(self.upload([{"id": "s", "name": "s", "type": "SERVICE_TASK", "jobType": kind, "nextStep": "end"}, {"id": "end", "name": "end", "type": "END"}]))
        job = self.take(kind)
        self.refused(self.post(f"/v1/jobs/{job['id']}/complete", {"workerId": "w", "result": [1]}), 400, "object")
        self.assertEqual(self.instance(got["id"])["status"], "FAILED")

    def test_nobody_polls_the_engine_s_own_jobs(self):
        for kind in ("\1http", "\1emit", "\1"):
            self.refused(self.post("/v1/jobs/poll", {"workerId": "w", "jobTypes": ["x", kind]}), 400, "jobTypes")
            self.refused(self.post("/v1/jobs/batch", {"workerId": "w", "poll": {"jobTypes": [kind]}}), 400, "jobTypes")


class Errors(Workflows):
    def setUp(self):
        super().setUp()
        self.function = self.fresh("function")

    def upload_call(self, handlers=(), **more):
        return self.upload_workflow(operation("Call", action(self.function, **more), to="After", onError=list(handlers)), relay("After"),
                                    relay("Handler"), functions=worker(self.function))

    def test_an_error_that_nobody_handles(self):
        got = self.start(self.upload_call())["id"]
        self.fail_with(self.take(self.function), errorName="PaymentException", errorMessage="card expired", errorData={"card": "1234"})
        failed = self.instance(got)
        self.assertEqual((failed["status"], failed["executionStatus"]), ("FAILED", "Fail"))
        error = failed["error"]
        self.assertEqual((error["name"], error["message"], error["state"], error["data"]), ("PaymentException", "card expired", "Call", {"card": "1234"}))
        self.assertIn("card expired", failed["failureReason"])
        self.assertNotIn("output", failed)
        self.assertEqual(self.history(got)[0]["status"], "FAILED")

    def test_without_a_name_it_has_the_fallback(self):
        got = self.start(self.upload_call())["id"]
        self.fail_with(self.take(self.function), errorMessage="broken")
        self.assertEqual(self.instance(got)["error"]["name"], "FunctionExecutionException")

    def test_a_handler_takes_it(self):
        got = self.start(self.upload_call([handler("$.exception.name matches '^Payment'", "Handler")]), {"a": 1})["id"]
        self.fail_with(self.take(self.function), errorName="PaymentException", errorMessage="m", errorData=[1])
        ended = self.instance(got)
        self.assertEqual((ended["executionStatus"], ended["output"]["a"]), ("Success", 1))
        self.assertEqual({name: ended["output"]["exception"][name] for name in ("name", "message", "data")}, {"name": "PaymentException", "message": "m", "data": [1]})
        self.assertEqual(self.path(got), ["Call", "Handler"])

    def test_retries(self):
        got = self.start(self.upload_call(retry=[{"condition": "$.exception.name eq 'Busy'", "max": 2}]))["id"]
        for _ in range(3):
            self.fail_with(self.take(self.function), errorName="Busy")
        self.assertEqual(self.instance(got)["error"]["name"], "Busy")
        got = self.start(self.upload_call(retry=[{"condition": "$.exception.name eq 'Busy'", "max": 1}]))["id"]
        self.fail_with(self.take(self.function), errorName="Busy")
        self.answer(self.take(self.function), result={"ok": True})
        self.assertEqual(self.instance(got)["output"], {"ok": True})

    def test_a_timeout_has_its_own_word(self):
        source = self.fresh("source")
        got = self.start(self.upload_workflow(event("E", on("go", timeout="PT0.05S")), triggers=[trigger("go", source, "go")]), wait=PATIENCE)
        self.assertEqual((got["status"], got["executionStatus"], got["error"]["name"]), ("FAILED", "Timeout", "TimeoutException"))

    def test_an_error_in_its_state(self):
        got = self.run_workflow(relay("A", {"a": 1}, filter={"resultPath": "$.x.y"}), variables={"x": 7})
        self.assertEqual((got["executionStatus"], got["error"]["name"], got["error"]["state"]), ("Fail", "FilterException", "A"))


class Kin(Workflows):
    def test_an_awaited_child(self):
        function = self.fresh("function")
        child = self.upload_workflow(operation("Work", function), functions=worker(function))
        got = self.start(self.upload_workflow(relay("A", {"a": 1}, to="Sub"), subflow("Sub", child)))["id"]
        parent = self.instance(got)
        kin, = parent["children"]
        self.assertEqual((kin["definitionId"], kin["status"], kin["awaited"]), (child, "ACTIVE", True))
        self.assertEqual((self.instance(kin["id"])["parentId"], self.instance(kin["id"])["variables"]), (got, {"a": 1}))
        self.assertEqual(self.instance(kin["id"])["parentStepId"], "Sub")
        why, = self.get(f"/v1/instances/{got}/explain").json["tokens"]
        self.assertIn(f"instance {kin['id']}, ACTIVE", why["why"])
        # It is nobody's to poll for.
        self.assertNotIn("job", why)
        self.assertEqual(self.get(f"/v1/jobs?instanceId={got}").json["items"], [])
        self.assertEqual(len(self.get(f"/v1/jobs?instanceId={kin['id']}").json["items"]), 1)
        self.answer(self.take(function), result={"b": 2})
        self.assertEqual(self.ended(got)["output"], {"a": 1, "b": 2})
        self.assertNotIn("parentStepId", self.instance(kin["id"]))
        self.assertEqual(self.instance(got)["children"][0]["status"], "COMPLETED")
        self.assertEqual(self.path(got), ["A", "Sub"])
        self.assertEqual(self.path(kin["id"]), ["Work"])

    def test_a_child_nobody_waits_for(self):
        function = self.fresh("function")
        child = self.upload_workflow(operation("Work", function), functions=worker(function))
        got = self.start(self.upload_workflow(subflow("Sub", child, awaited=False)), {"a": 1}, wait=PATIENCE)
        self.assertEqual((got["executionStatus"], got["output"]), ("Success", {"a": 1}))
        kin, = self.instance(got["id"])["children"]
        self.assertEqual((kin["status"], kin["awaited"]), ("ACTIVE", False))
        self.fail_with(self.take(function), errorName="Own")
        self.assertEqual(self.instance(kin["id"])["error"]["name"], "Own")
        self.assertEqual(self.instance(got["id"])["executionStatus"], "Success")

    def test_the_error_of_a_child_is_the_parent_s(self):
        function = self.fresh("function")
        child = self.upload_workflow(operation("Work", function), functions=worker(function))
        got = self.start(self.upload_workflow(subflow("Sub", child)))["id"]
        self.fail_with(self.take(function), errorName="ChildBroke")
        failed = self.ended(got)
        self.assertEqual((failed["error"]["name"], failed["error"]["state"]), ("ChildBroke", "Sub"))

    def test_cancelling_reaches_awaited_children(self):
        child = self.upload_workflow(delay("D", "PT1H"))
        got = self.start(self.upload_workflow(subflow("Sub", child)))["id"]
        kin, = self.instance(got)["children"]
        self.post(f"/v1/instances/{got}/cancel")
        self.until(lambda: self.instance(kin["id"])["status"] == "CANCELLED")

    def test_a_definition_of_steps_knows_its_parent(self):
        child = self.upload([{"id": "w", "name": "w", "type": "WAIT", "nextStep": "e"}, {"id": "e", "name": "e", "type": "END"}])
        got = self.start(self.upload_workflow(subflow("Sub", child)))["id"]
        kin, = self.instance(got)["children"]
        self.assertEqual((self.instance(kin["id"])["parentId"], self.instance(kin["id"])["parentStepId"]), (got, "Sub"))

    def test_a_repaired_parent_lets_go_of_its_child(self):
        child = self.upload_workflow(delay("D", "PT1H"))
        got = self.start(self.upload_workflow(subflow("Sub", child, to="B"), relay("B", {"b": 1})))["id"]
        kin, = self.instance(got)["children"]
        answer = self.post(f"/v1/instances/{got}/modify", {"move": [{"from": "Sub", "to": "B"}]})
        self.assertEqual((answer.status, answer.json["instance"]["status"]), (200, "COMPLETED"))
        self.until(lambda: self.instance(kin["id"])["status"] == "CANCELLED")


class Histories(Workflows):
    def test_only_states_with_their_branches_and_data(self):
        function = self.fresh("function")
        name = self.upload_workflow(
            parallel("P", branch("left", relay("X", {"x": 1}), awaited=True), branch("right", operation("Y", function), awaited=True), to="Loop"),
            operation("Loop", action(function, filter={"inputPath": "$.n"}), to="Z", loop={"inputCollection": "$.items", "outputCollection": "$.out"}),
            relay("Z"), functions=worker(function))
        got = self.start(name, {"items": [{"n": 1}, {"n": 2}]})["id"]
        for result in ({"y": 1}, 10, 20):
            self.answer(self.take(function), result=result)
        items = self.history(got)
        self.assertEqual([(item["stepId"], item["stepType"], item["name"], item.get("branch")) for item in items],
                         [("P", "PARALLEL", "P", None), ("P/left/X", "RELAY", "X", "left"), ("P/right/Y", "OPERATION", "Y", "right"),
                          ("Loop", "OPERATION", "Loop", None), ("Z", "RELAY", "Z", None)])
        start = {"items": [{"n": 1}, {"n": 2}]}
        self.assertEqual((items[0]["inputSnapshot"], items[0]["outputSnapshot"]), (start, {**start, "x": 1, "y": 1}))
        self.assertEqual(items[2]["outputSnapshot"], {**start, "y": 1})
        self.assertEqual(items[3]["outputSnapshot"], {**start, "x": 1, "y": 1, "out": [10, 20]})
        self.assertEqual(self.path(got), ["P", "Loop", "Z"])

    def test_work_that_is_detached(self):
        function = self.fresh("function")
        got = self.start(self.upload_workflow(parallel("P", branch("quick", relay("X")), branch("slow", operation("Y", function))), functions=worker(function)), wait=PATIENCE)
        self.assertEqual((got["executionStatus"], got["detachedWork"]), ("Success", True))
        self.answer(self.take(function), result={})
        self.assertNotIn("detachedWork", self.instance(got["id"]))

    def test_what_failed_and_all_around_it(self):
        function = self.fresh("function")
        source = self.fresh("source")
        got = self.start(self.upload_workflow(
            relay("Before", to="P"),
            parallel("P", branch("bad", relay("First", to="Bad"), operation("Bad", function, function), awaited=True),
                     branch("other", event("Waits", on("go")), awaited=True)),
            triggers=[trigger("go", source, "go")], functions=worker(function)))["id"]
        self.fail_with(self.take(function), errorName="Broken", errorMessage="m")
        rows = {item["stepId"]: item for item in self.history(got)}
        self.assertEqual({step: row["status"] for step, row in rows.items()},
                         {"Before": "COMPLETED", "P": "FAILED", "P/bad/First": "COMPLETED", "P/bad/Bad": "FAILED", "P/other/Waits": "FAILED"})
        self.assertIn("Broken", rows["P/bad/Bad"]["failureReason"])
        self.assertIn("Broken", rows["P"]["failureReason"])

    def test_names_need_not_be_unique(self):
        got = self.run_workflow({**relay("Same", to="two"), "id": "one"}, {**relay("Same"), "id": "two"})
        self.assertEqual(self.path(got["id"]), ["Same", "Same"])
        self.assertEqual(len({item["stepId"] for item in self.history(got["id"])}), 2)


if __name__ == "__main__":
    main()
