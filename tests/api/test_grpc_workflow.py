"""workflow.v1.WorkflowEngine over gRPC: every method, and every status that it has."""

import json

import harness
from grpc_client import GrpcClient, Refused, exact, port_of
from steps import end, person, service, transform, wait


class Grpc(harness.Case):
    arguments = ("--grpc", "127.0.0.1:0")

    def setUp(self):
        super().setUp()
        self.call = GrpcClient(port_of(self.server))
        self.addCleanup(self.call.close)

    def refused(self, code, method, request=None, **more):
        with self.assertRaises(Refused) as caught:
            self.call(method, request, **more)
        self.assertEqual(caught.exception.code, code, caught.exception)
        self.assertTrue(caught.exception.text)
        return caught.exception.text

    def begin(self, steps, variables=None, **more):
        made = self.call("StartInstance", {"definition_id": self.upload(steps), "variables": variables or {}, **more})
        return made["instance"]

    def poll(self, kind, **more):
        return self.call("PollJobs", {"worker_id": "w", "job_types": [kind], **more}).get("jobs", [])

    def status(self, instance):
        return self.call("GetInstance", {"id": instance["id"]})["instance"]["status"]


class Definitions(Grpc):
    STEPS = [
        {"id": "task", "name": "Task", "type": "STEP_TYPE_SERVICE_TASK", "job_type": "work", "retry_count": 2, "next_step": "choose",
         "boundary_events": [{"type": "BOUNDARY_EVENT_TYPE_TIMER", "duration": "PT1H", "interrupting": True, "target_step_id": "end"}]},
        {"id": "choose", "name": "Choose", "type": "STEP_TYPE_DECISION", "conditional_next_steps": {"true": "set"}},
        {"id": "set", "name": "Set", "type": "STEP_TYPE_TRANSFORMATION", "transformations": {"total": "${1 + 1}"}, "next_step": "rules"},
        {"id": "rules", "name": "Rules", "type": "STEP_TYPE_DECISION_TABLE", "hit_policy": "F", "next_step": "both",
         "decision_table": {"rules": [{"when": {"total": "total > 1"}, "outputs": {"ok": True}}]}},
        {"id": "both", "name": "Both", "type": "STEP_TYPE_PARALLEL_GATEWAY", "parallel_next_steps": ["ask", "signal"], "join_step": "meet"},
        {"id": "ask", "name": "Ask", "type": "STEP_TYPE_USER_TASK", "next_step": "meet"},
        {"id": "signal", "name": "Signal", "type": "STEP_TYPE_WAIT", "next_step": "meet"},
        {"id": "meet", "name": "Meet", "type": "STEP_TYPE_JOIN_GATEWAY", "next_step": "end"},
        {"id": "end", "name": "End", "type": "STEP_TYPE_END"},
    ]

    def test_a_definition_comes_back_whole(self):
        name = self.fresh("Whole")
        sent = {"id": name, "name": "The " + name, "description": "All steps", "steps": self.STEPS,
                "metadata": {"owner": "ann", "tags": [1.0, None]}, "input_schema": {"properties": {"n": {"type": "number"}}}}
        made = self.call("UploadDefinition", {"definition": sent})
        self.assertEqual((made["id"], made["version"]), (name, 1))
        self.assertIn("uploaded_at", made)
        again = self.call("UploadDefinition", {"definition": {**sent, "version": 7}})
        self.assertEqual(again["version"], 1)
        shown = self.call("GetDefinition", {"id": name})
        self.assertEqual(shown["definition"], {**sent, "version": 1})
        document = json.loads(shown["document"])
        self.assertEqual(document["steps"][0]["boundaryEvents"][0]["targetStepId"], "end")
        self.assertEqual(self.get(f"/v1/definitions/{name}").json, document)
        listed = self.call("ListDefinitions", {"keyword": name.lower()})
        self.assertEqual(listed, {"definitions": [{"id": name, "version": 1, "name": "The " + name}], "total": 1})

    def test_versions(self):
        name = self.fresh()
        for version in (1, 2):
            steps = [{"id": "end", "name": f"End {version}", "type": "STEP_TYPE_END"}]
            made = self.call("UploadDefinition", {"definition": {"id": name, "name": name, "steps": steps}})
            self.assertEqual(made["version"], version)
        for version, want in ((0, 2), (1, 1), (2, 2)):
            shown = self.call("GetDefinition", {"id": name, "version": version})["definition"]
            self.assertEqual((shown["version"], shown["steps"][0]["name"]), (want, f"End {want}"))
        for version in (3, -1):
            self.refused("NOT_FOUND", "GetDefinition", {"id": name, "version": version})

    def test_conditions_are_tried_in_the_order_of_the_wire(self):
        """Python's maps have no order, so the bytes are put together by hand."""
        def tagged(number, data):
            tag = number << 3 | 2
            prefix = bytes([tag]) if tag < 128 else bytes([tag & 127 | 128, tag >> 7])
            data = data.encode() if isinstance(data, str) else data
            length = bytes([len(data)]) if len(data) < 128 else bytes([len(data) & 127 | 128, len(data) >> 7])
            return prefix + length + data
        name = self.fresh()
        branches = [("n > 5", "far"), ("n > 1", "near"), ("true", "here")]
        chooser = tagged(1, "c") + tagged(2, "c") + b"\x18\x03" + b"".join(tagged(20, tagged(1, when) + tagged(2, then)) for when, then in branches)
        ends = [tagged(1, then) + tagged(2, then) + b"\x18\x08" for _, then in branches]
        made = tagged(1, name) + tagged(3, name) + b"".join(tagged(7, one) for one in [chooser, *ends])
        self.call("UploadDefinition", tagged(1, made))
        document = json.loads(self.call("GetDefinition", {"id": name})["document"])
        self.assertEqual(list(document["steps"][0]["conditionalNextSteps"].items()), branches)
        for n, where in ((9, "far"), (3, "near"), (0, "here")):
            instance = self.call("StartInstance", {"definition_id": name, "variables": {"n": n}})["instance"]
            history = self.call("GetInstanceHistory", {"id": instance["id"]})["executions"]
            self.assertEqual([one["step_id"] for one in history], ["c", where])

    def test_documents_of_other_dialects(self):
        name = self.fresh("workflow")
        text = f"id: {name}\nname: Other\ndescription: in YAML\nstartsAt: wait\nstates:\n  - name: wait\n    type: delay\n    timeDelay: PT1H\n    end: true\n"
        try:
            made = self.call("UploadDefinition", {"document": text})
        except Refused as refusal:
            self.fail(refusal)
        shown = self.call("GetDefinition", {"id": made["id"]})
        self.assertEqual({name: value for name, value in shown["definition"].items() if name != "version"},
                         {"id": name, "name": "Other", "description": "in YAML"})
        self.assertEqual(json.loads(shown["document"])["states"][0]["name"], "wait")

    def test_definitions_that_are_refused(self):
        text = self.refused("INVALID_ARGUMENT", "UploadDefinition", {"definition": {"id": "a b", "steps": [{"id": "x", "type": 77}]}})
        self.assertIn("validation error", text)
        self.assertIn('id "a b" must match', text)
        self.assertIn('unsupported type "77"', text)
        self.refused("INVALID_ARGUMENT", "UploadDefinition")
        self.refused("INVALID_ARGUMENT", "UploadDefinition", {"document": "{"})
        old = {"id": "t", "name": "t", "type": "STEP_TYPE_DECISION_TABLE", "decision_table": {"rules": [{"then": "x"}], "default_next_step": "x"}}
        self.assertIn("no longer supported", self.refused("INVALID_ARGUMENT", "UploadDefinition", {"definition": {"id": "t", "name": "t", "steps": [old]}}))
        self.refused("NOT_FOUND", "GetDefinition", {"id": "nobody-has-it"})
        self.refused("INVALID_ARGUMENT", "GetDefinition")


class Instances(Grpc):
    def test_the_life_of_an_instance(self):
        name = self.upload([person("ask", "end"), end()])
        made = self.call("StartInstance", {"definition_id": name, "variables": {"a": [1, {"b": None}]}, "business_key": self.fresh("key")})["instance"]
        self.assertEqual((made["status"], made["current_step_ids"], made["definition_version"]), ("INSTANCE_STATUS_WAITING", ["ask"], 1))
        self.assertEqual(made["variables"], {"a": [1, {"b": None}]})
        self.assertEqual(self.call("GetInstance", {"id": made["id"]})["instance"], made)
        self.assertEqual(self.get("/v1/instances/" + made["id"]).json["businessKey"], made["business_key"])
        listed = self.call("ListInstances", {"definition_id": name, "status": "INSTANCE_STATUS_WAITING", "business_key": made["business_key"]})
        self.assertEqual(listed, {"instances": [made], "total": 1})
        self.assertEqual(self.call("ListInstances", {"definition_id": name, "status": "INSTANCE_STATUS_FAILED"}), {})
        self.assertEqual(self.call("ListInstances", {"definition_id": name, "status": 99}), {})
        done = self.call("CancelInstance", {"id": made["id"], "reason": "enough"})["instance"]
        self.assertEqual((done["status"], done["failure_reason"]), ("INSTANCE_STATUS_CANCELLED", "enough"))
        self.assertIn("completed_at", done)
        self.refused("FAILED_PRECONDITION", "CancelInstance", {"id": made["id"]})

    def test_statuses_of_a_start(self):
        name, key = self.upload([wait("w", "end"), end()]), self.fresh("key")
        self.call("StartInstance", {"definition_id": name, "business_key": key})
        text = self.refused("ALREADY_EXISTS", "StartInstance", {"definition_id": name, "business_key": key})
        self.assertIn("business key already in use", text)
        self.refused("NOT_FOUND", "StartInstance", {"definition_id": "nobody-has-it"})
        self.refused("NOT_FOUND", "StartInstance", {"definition_id": name, "definition_version": 9})
        self.refused("INVALID_ARGUMENT", "StartInstance", {"definition_id": ""})
        self.refused("INVALID_ARGUMENT", "StartInstance", b"\xff\xff")
        schema = self.upload([end()], input_schema={"properties": {"n": {"type": "number"}}, "required": ["n"]})
        self.refused("INVALID_ARGUMENT", "StartInstance", {"definition_id": schema})

    def test_numbers_that_bound_an_answer(self):
        """The answer has a trailer if the number is cut; 0 means the usual one."""
        for method, request, most in (("ListInstances", "page_size", 200), ("ListDefinitions", "page_size", 200), ("PollJobs", "max_jobs", 1000)):
            base = {"worker_id": "w", "job_types": [self.fresh("none")]} if method == "PollJobs" else {}
            for number, words in ((most, None), (0, None), (most + 1, f"{most} was used"), (-1, "was used")):
                future = self.call.begin(method, {**base, request: number})
                self.call.wait(future)
                told = dict(future.trailing_metadata()).get("x-pawl-warning")
                self.assertTrue(told is None if words is None else request in told and words in told, (method, number, told))

    def test_metadata_that_a_method_does_not_read(self):
        future = self.call.begin("ListInstances", {}, metadata=(("x-actor", "ann"), ("x-groups", "hr"), ("idempotency-key", "k")))
        self.call.wait(future)
        told = dict(future.trailing_metadata()).get("x-pawl-warning", "")
        for name in ("x-actor", "x-groups", "idempotency-key"):
            self.assertIn(f"{name} has no effect", told)

    def test_unknown_instances(self):
        for method, field in (("GetInstance", "id"), ("GetInstanceHistory", "id"), ("CancelInstance", "id"), ("RetryStep", "instance_id")):
            for one in ("01ARZ3NDEKTSV4RRFFQ69G5FAV", "not an id"):
                self.assertIn("not found", self.refused("NOT_FOUND", method, {field: one}))
            self.refused("INVALID_ARGUMENT", method)

    def test_history(self):
        made = self.begin([transform("set", "ask", {"x": "${1 / 0}"}), person("ask", "end"), end()])
        self.assertEqual(made["status"], "INSTANCE_STATUS_FAILED")
        rows = self.call("GetInstanceHistory", {"id": made["id"]})["executions"]
        self.assertEqual([(one["step_id"], one["step_type"], one["status"], one["attempt_number"]) for one in rows],
                         [("set", "STEP_TYPE_TRANSFORMATION", "STEP_EXECUTION_STATUS_FAILED", 1)])
        self.assertTrue(rows[0]["failure_reason"])
        self.assertEqual(rows[0]["instance_id"], made["id"])

    def test_numbers_keep_their_digits(self):
        large = {"big": 9007199254740993, "small": 1, "text": "a\u0000b"}
        name = self.upload([person("ask", "end"), end()])
        made = self.call("StartInstance", {"definition_id": name, "variables_json": json.dumps(large)})["instance"]
        self.assertEqual(exact(made), large)
        self.assertEqual(made["variables"], {"big": 9007199254740992.0, "small": 1, "text": "a\ufffdb"})
        self.call("CompleteUserTask", {"instance_id": made["id"], "user_task_step_id": "ask", "result_json": '{"big": 1, "text": ""}'})
        made = self.call("GetInstance", {"id": made["id"]})["instance"]
        self.assertNotIn("variables_json", made)
        self.refused("INVALID_ARGUMENT", "StartInstance", {"definition_id": name, "variables_json": "{}", "variables": {}})

    def test_a_start_may_wait_for_the_end(self):
        name, kind = self.fresh(), self.fresh("job")
        name = self.upload([service("work", "end", kind), end()])
        waiting = self.call.begin("StartInstance", {"definition_id": name, "wait_seconds": 20})
        [job] = self.poll(kind, wait_seconds=20)
        self.call("CompleteJob", {"job_id": job["id"], "worker_id": "w", "variables_to_set": {"done": True}})
        ended = self.call.wait(waiting)["instance"]
        self.assertEqual((ended["status"], ended["variables"]), ("INSTANCE_STATUS_COMPLETED", {"done": True}))

    def test_a_key_takes_effect_once(self):
        name = self.upload([wait("w", "end"), end()])
        key = [("idempotency-key", self.fresh("key"))]
        request = {"definition_id": name, "variables": {"a": 1, "b": 2, "c": 3}}
        first = self.call("StartInstance", request, metadata=key)
        turned = {"definition_id": name, "variables": {"c": 3, "b": 2, "a": 1}}
        self.assertEqual(self.call("StartInstance", turned, metadata=key), first)
        self.refused("INVALID_ARGUMENT", "StartInstance", {"definition_id": name}, metadata=key)
        self.assertEqual(self.call("ListInstances", {"definition_id": name})["total"], 1)


class Work(Grpc):
    def test_polls_have_the_defaults_of_the_original(self):
        kind = self.fresh("job")
        name = self.upload([service("work", "end", kind, retryCount=3), end()])
        for n in range(3):
            self.call("StartInstance", {"definition_id": name, "variables": {"n": n}})
        [first] = self.poll(kind)
        self.assertEqual((first["job_type"], first["step_id"], first["retries_remaining"], first["variables"]), (kind, "work", 3, {"n": 0}))
        self.assertTrue(first["instance_id"] and first["step_execution_id"] and first["lock_expires_at"])
        self.assertEqual(len(self.poll(kind, max_jobs=64)), 2)
        self.assertEqual(self.poll(kind), [])
        for request in ({"job_types": [kind]}, {"worker_id": "w"}, {"worker_id": "w", "job_types": [""]},
                        {"worker_id": "w", "job_types": [kind], "lease_seconds": -1}, {"worker_id": "w", "job_types": [kind], "wait_seconds": 1e9}):
            self.refused("INVALID_ARGUMENT", "PollJobs", request)

    def test_results(self):
        kind = self.fresh("job")
        made = self.begin([service("work", "end", kind, retryCount=1), end()])
        [job] = self.poll(kind)
        self.call("FailJob", {"job_id": job["id"], "worker_id": "w", "retryable": True, "error_message": "once more"})
        [job] = self.poll(kind)
        self.assertNotIn("retries_remaining", job)
        self.call("CompleteJob", {"job_id": job["id"], "worker_id": "w", "variables_to_set": {"seen": {"deep": [1.5]}}})
        self.call("CompleteJob", {"job_id": job["id"], "worker_id": "w"})  # Stale: it changes nothing.
        ended = self.call("GetInstance", {"id": made["id"]})["instance"]
        self.assertEqual((ended["status"], ended["variables"]), ("INSTANCE_STATUS_COMPLETED", {"seen": {"deep": [1.5]}}))
        for method in ("CompleteJob", "FailJob"):
            self.refused("NOT_FOUND", method, {"job_id": "nothing", "worker_id": "w"})
            self.refused("INVALID_ARGUMENT", method, {"job_id": job["id"]})

    def test_a_job_that_fails_for_good_and_its_retry(self):
        kind = self.fresh("job")
        made = self.begin([service("work", "end", kind, retryCount=5), end()], {"a": 1})
        self.refused("FAILED_PRECONDITION", "RetryStep", {"instance_id": made["id"], "step_id": "work"})
        [job] = self.poll(kind)
        self.call("FailJob", {"job_id": job["id"], "worker_id": "w", "error_message": "no luck"})
        failed = self.call("GetInstance", {"id": made["id"]})["instance"]
        self.assertEqual((failed["status"], failed["failure_reason"]), ("INSTANCE_STATUS_FAILED", "no luck"))
        again = self.call("RetryStep", {"instance_id": made["id"], "step_id": "work", "variables": {"a": 2}})["instance"]
        self.assertEqual((again["status"], again["variables"]), ("INSTANCE_STATUS_ACTIVE", {"a": 2}))
        [job] = self.poll(kind)
        self.assertEqual(job["variables"], {"a": 2})

    def test_a_long_poll_holds_nobody(self):
        """One channel is one connection."""
        kind = self.fresh("job")
        name = self.upload([service("work", "end", kind), end()])
        waiting = [self.call.begin("PollJobs", {"worker_id": "w", "job_types": [kind], "wait_seconds": 20}) for _ in range(3)]
        self.call("ListDefinitions")
        made = [self.call("StartInstance", {"definition_id": name})["instance"]["id"] for _ in range(3)]
        got = [job["instance_id"] for poll in waiting for job in self.call.wait(poll)["jobs"]]
        self.assertEqual(sorted(got), sorted(made))

    def test_a_poll_whose_client_has_left_takes_no_job(self):
        kind = self.fresh("job")
        name = self.upload([service("work", "end", kind), end()])
        poll = {"worker_id": "gone", "job_types": [kind], "wait_seconds": 30}
        with self.assertRaises(Refused) as caught:
            self.call("PollJobs", poll, timeout=0.2)
        self.assertEqual(caught.exception.code, "DEADLINE_EXCEEDED")
        left = self.call.begin("PollJobs", poll)
        self.call("ListDefinitions")  # Behind the poll, on the same connection.
        left.cancel()
        self.call("ListDefinitions")
        self.call("StartInstance", {"definition_id": name})
        self.assertEqual(len(self.poll(kind, wait_seconds=20)), 1)

    def test_polls_fit_into_what_clients_take(self):
        """4 MiB, unless a client is told otherwise; numbers grow five times when they become doubles, so polls are cut early."""
        kind = self.fresh("job")
        name = self.upload([service("work", "end", kind), end()])
        for _ in range(5):
            self.call("StartInstance", {"definition_id": name, "variables": {"text": "x" * 300000}})
        polled = []
        while not polled or polled[-1]:
            polled.append(len(self.poll(kind, max_jobs=64)))
        # What a node has claimed for one poll it gives to the next one.
        self.assertEqual(sorted(polled, reverse=True) if harness.NODES > 1 else polled, [2, 2, 1, 0])
        for _ in range(9):
            self.call("StartInstance", {"definition_id": name, "variables": {"text": "x" * 300000}})
        page = self.call("ListInstances", {"definition_id": name})["instances"]
        self.assertEqual([one.get("variables_omitted", False) for one in page], [False] * 13 + [True])


class People(Grpc):
    def test_user_tasks(self):
        made = self.begin([person("ask", "after"), person("after", "end"), end()])
        task = {"instance_id": made["id"], "user_task_step_id": "ask", "completed_by": "ann", "result": {"yes": True}}
        self.call("CompleteUserTask", task)
        self.assertEqual(self.call("GetInstance", {"id": made["id"]})["instance"]["variables"], {"yes": True})
        self.refused("NOT_FOUND", "CompleteUserTask", task)
        self.refused("NOT_FOUND", "CompleteUserTask", {**task, "user_task_step_id": "ghost"})
        self.refused("INVALID_ARGUMENT", "CompleteUserTask", {**task, "user_task_step_id": "end"})
        self.refused("INVALID_ARGUMENT", "CompleteUserTask", {**task, "user_task_step_id": ""})
        self.refused("NOT_FOUND", "CompleteUserTask", {**task, "instance_id": "01ARZ3NDEKTSV4RRFFQ69G5FAV"})
        self.call("CompleteUserTask", {**task, "user_task_step_id": "after"})
        self.refused("FAILED_PRECONDITION", "CompleteUserTask", task)

    def test_signals(self):
        made = self.begin([wait("one", "two"), wait("two", "end"), end()])
        signal = {"instance_id": made["id"], "wait_step_id": "one", "variables": {"n": 1}}
        self.refused("FAILED_PRECONDITION", "SignalWait", {**signal, "wait_step_id": "two"})
        self.call("SignalWait", signal)
        self.refused("FAILED_PRECONDITION", "SignalWait", signal)
        self.refused("INVALID_ARGUMENT", "SignalWait", {**signal, "wait_step_id": "end"})
        self.refused("INVALID_ARGUMENT", "SignalWait", {"instance_id": made["id"]})
        self.call("SignalWait", {"instance_id": made["id"], "wait_step_id": "two"})
        self.assertEqual(self.status(made), "INSTANCE_STATUS_COMPLETED")
        self.refused("FAILED_PRECONDITION", "SignalWait", signal)


if __name__ == "__main__":
    harness.main()
