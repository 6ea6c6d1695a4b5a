"""Starting, reading, listing and cancelling instances; business keys; manual retries."""

import json

from contract import (TIME, ULID, Contract, cases, decide, end, fork, fresh, join, main, paced, service, timer, transform,
                      user,
                      wait)

ALWAYS = {"id", "definitionId", "definitionVersion", "status", "currentStepIds", "variables", "startedAt"}


class Starting(Contract):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.parked = fresh("parked")
        cls.engine.post("/v1/definitions", {"id": cls.parked, "name": "P", "steps": [user("park", "end"), end()]})

    def test_the_fields_of_a_started_instance(self):
        made = self.start(self.parked, {"a": 1})
        self.assertEqual(set(made), ALWAYS)
        self.assertRegex(made["id"], ULID)
        self.assertRegex(made["startedAt"], TIME)
        self.assertEqual((made["definitionId"], made["definitionVersion"], made["status"], made["currentStepIds"],
                          made["variables"]),
                         (self.parked, 1, "WAITING", ["park"], {"a": 1}))

    def test_a_business_key_shows(self):
        key = fresh("key")
        made = self.start(self.parked, businessKey=key)
        self.assertEqual(set(made), ALWAYS | {"businessKey"})
        self.assertEqual(self.instance(made["id"])["businessKey"], key)

    def test_synchronous_steps_run_inside_the_request(self):
        made = self.start(self.deploy([transform("t", "end", {"x": 1}), end()]))
        self.assertEqual((made["status"], made["variables"], made["currentStepIds"]), ("COMPLETED", {"x": 1}, []))
        self.assertEqual(set(made), ALWAYS)

    def test_a_failed_start_is_created_and_does_not_tell_why(self):
        made = self.start(self.deploy([decide("d", {"false": "end"}), end()]))
        self.assertEqual((made["status"], set(made)), ("FAILED", ALWAYS))

    def test_get_tells_when_and_why(self):
        done = self.run_steps([end()])
        self.assertEqual(set(done), ALWAYS | {"completedAt"})
        self.assertRegex(done["completedAt"], TIME)
        self.assertGreaterEqual(done["completedAt"], done["startedAt"])
        failed = self.run_steps([decide("d", {"false": "end"}), end()])
        self.assertEqual(set(failed), ALWAYS | {"completedAt", "failureReason"})

    def test_wait_answers_with_the_ended_instance(self):
        made = self.start(self.deploy([end()]), seconds=30)
        self.assertIn("completedAt", made)

    def test_wait_gives_up_with_the_state_then(self):
        self.assertEqual(self.start(self.parked, seconds=0.05)["status"], "WAITING")

    @cases(({},), ({"variables": None},), ({"variables": {}},), ({"definitionVersion": None},), ({"businessKey": ""},),
           ({"businessKey": None},))
    def test_what_may_be_left_out(self, fields):
        made = self.start(self.parked, **fields)
        self.assertEqual((made["variables"], "businessKey" in made), ({}, False))

    @cases((None, 2), (0, 2), (-1, 2), (1, 1), (2, 2))
    def test_versions(self, version, want):
        name = fresh("versions")
        for text in ("one", "two"):
            self.deploy([end()], name, description=text)
        fields = {} if version is None else {"definitionVersion": version}
        self.assertEqual(self.start(name, **fields)["definitionVersion"], want)

    @cases(("",), ("{",), ("[]",), ("null",), ("{}",), ('{"definitionId":""}',), ('{"definitionId":7}',),
           ('{"variables":{}}',))
    def test_a_bad_body_is_a_bad_request(self, body):
        self.refused(self.post("/v1/instances", body), 400, "bad-request")

    @cases(([1],), ("text",), (7,), (True,))
    def test_variables_must_be_an_object(self, variables):
        self.refused(self.post("/v1/instances", {"definitionId": self.parked, "variables": variables}), 400,
                     "bad-request")

    def test_a_version_must_be_a_number(self):
        self.refused(self.post("/v1/instances", {"definitionId": self.parked, "definitionVersion": "x"}), 400,
                     "bad-request")

    def test_an_unknown_definition_is_not_found(self):
        self.refused(self.post("/v1/instances", {"definitionId": "nobody"}), 404, "not-found")

    def test_an_unknown_version_is_not_found(self):
        self.refused(self.post("/v1/instances", {"definitionId": self.parked, "definitionVersion": 9}), 404,
                     "not-found")

    def test_the_path_of_the_getting_started_page(self):
        made = self.post("/v1/definitions/%s/instances" % self.parked, {"variables": {"a": 1}}, 201).json
        self.assertEqual((made["definitionId"], made["variables"]), (self.parked, {"a": 1}))
        self.post("/v1/definitions/%s/instances" % self.parked, None, 201)
        self.refused(self.post("/v1/definitions/nobody/instances", {}), 404, "not-found")

    def test_any_key_is_a_variable(self):
        odd = {"": 1, "a b": 2, "ключ": 3, "a.b": 4, "x" * 300: 5, "__proto__": 6}
        self.assertEqual(self.start(self.parked, odd)["variables"], odd)

    def test_an_unknown_instance_is_not_found(self):
        for name in ("01ARZ3NDEKTSV4RRFFQ69G5FAV", "nothing"):
            self.refused(self.engine.get("/v1/instances/" + name), 404, "not-found")

    def test_later_starts_have_later_ids_and_times(self):
        made = [self.start(self.parked) for _ in range(3)]
        self.assertEqual([m["startedAt"] for m in made], sorted(m["startedAt"] for m in made))
        self.assertEqual(len({m["id"] for m in made}), 3)


class Statuses(Contract):
    def test_a_service_task_is_active(self):
        self.assertEqual(self.run_steps([service("a", "end", fresh()), end()])["status"], "ACTIVE")

    def test_a_wait_is_waiting(self):
        self.assertEqual(self.run_steps([wait("a", "end"), end()])["status"], "WAITING")

    def test_a_running_job_beside_an_open_task_is_waiting(self):
        job = fresh("job")
        made = self.begin([fork("f", ["s", "u"], "j"), service("s", "j", job), user("u", "j"), join("j", "end"), end()])
        self.assertEqual(self.instance(made)["status"], "WAITING")
        self.complete_task(made, "u")
        self.assertEqual(self.instance(made)["status"], "ACTIVE")
        self.work(job)
        self.assertEqual(self.instance(made)["status"], "COMPLETED")

    def test_status_is_computed_again_when_a_service_task_finishes(self):
        job = fresh("job")
        made = self.begin([fork("f", ["s", "u"], "j"), service("s", "j", job), user("u", "j"), join("j", "end"), end()])
        self.work(job)
        seen = self.instance(made)
        self.assertEqual((seen["status"], seen["currentStepIds"]), ("WAITING", ["u", "j"]))

    def test_waiting_then_active(self):
        made = self.begin([user("u", "s"), service("s", "end", fresh()), end()])
        self.complete_task(made, "u")
        self.assertEqual(self.instance(made)["status"], "ACTIVE")

    def test_a_dead_end_service_task_stays_active_and_listed(self):
        job = fresh("job")
        made = self.begin([decide("d", {"true": "s", "false": "end"}), service("s", None, job), end()])
        self.work(job, {"x": 1})
        seen = self.instance(made)
        self.assertEqual((seen["status"], seen["currentStepIds"], seen["variables"]), ("ACTIVE", ["s"], {"x": 1}))
        self.assertEqual(self.row(made, "s")["status"], "COMPLETED")

    def test_a_dead_end_user_task_removes_itself(self):
        made = self.begin([decide("d", {"true": "u", "false": "end"}), user("u"), end()])
        self.complete_task(made, "u", {"variables": {"x": 1}})
        seen = self.instance(made)
        self.assertEqual((seen["status"], seen["currentStepIds"], seen["variables"]), ("ACTIVE", [], {"x": 1}))
        self.assertNotIn("completedAt", seen)

    def test_a_failed_instance_still_lists_its_step(self):
        self.assertEqual(self.run_steps([decide("d", {"false": "end"}), end()])["currentStepIds"], ["d"])

    def test_current_steps_come_in_entry_order(self):
        made = self.run_steps([fork("f", ["z", "a", "m"], "j"), service("z", "j", fresh()), service("a", "j", fresh()),
                               service("m", "j", fresh()), join("j", "end"), end()])
        self.assertEqual(made["currentStepIds"], ["z", "a", "m"])


class Listing(Contract):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.name, cls.other = fresh("listed"), fresh("other")
        for name in (cls.name, cls.other):
            cls.engine.post("/v1/definitions", {"id": name, "name": "P", "steps": [
                decide("d", {"stop": "end", "!stop": "park"}), user("park", "end"), end()]})
        cls.made = [cls.engine.post("/v1/instances", {
            "definitionId": cls.name, "variables": {"n": n, "stop": n % 2 == 0},
            "businessKey": "%s-%d" % (cls.name, n)}).json["id"]
            for n in range(23)]
        cls.engine.post("/v1/instances", {"definitionId": cls.other, "variables": {"stop": True},
                                          "businessKey": cls.name + "-3"})

    def page(self, query):
        return self.get("/v1/instances?" + query).json

    def test_newest_first_with_defaults(self):
        page = self.page("definitionId=" + self.name)
        self.assertEqual([item["id"] for item in page["items"]], self.made[::-1][:20])
        self.assertEqual((page["total"], page["page"], page["pageSize"]), (23, 0, 20))

    def test_the_second_page(self):
        page = self.page("page=1&definitionId=" + self.name)
        self.assertEqual([item["id"] for item in page["items"]], self.made[::-1][20:])

    def test_items_are_full_instances(self):
        page = self.page("pageSize=2&definitionId=" + self.name)
        self.assertEqual(page["items"], [self.instance(name) for name in self.made[::-1][:2]])

    @cases(("COMPLETED", 12), ("WAITING", 11), ("FAILED", 0), ("CANCELLED", 0), ("ACTIVE", 0), ("completed", 0),
           ("NONSENSE", 0))
    def test_by_status(self, status, count):
        page = self.page("definitionId=%s&status=%s" % (self.name, status))
        self.assertEqual((page["total"], len(page["items"])), (count, count))

    def test_an_unknown_status_gives_an_empty_page(self):
        page = self.page("status=NONSENSE")
        self.assertEqual((page["items"], page["total"]), ([], 0))

    def test_by_business_key(self):
        self.assertEqual(self.page("businessKey=%s-3" % self.name)["total"], 2)
        page = self.page("businessKey=%s-3&definitionId=%s" % (self.name, self.name))
        self.assertEqual([item["id"] for item in page["items"]], [self.made[3]])
        self.assertEqual(self.page("businessKey=%s" % self.name)["total"], 0)

    def test_filters_are_exact(self):
        self.assertEqual(self.page("definitionId=" + self.name[:-1])["total"], 0)
        self.assertEqual(self.page("definitionId=" + self.name.upper())["total"], 0)

    def test_all_filters_together(self):
        page = self.page("businessKey=%s-3&definitionId=%s&status=WAITING" % (self.name, self.name))
        self.assertEqual(page["total"], 1)

    def test_a_list_sees_what_was_acknowledged(self):
        made = self.start(self.other)["id"]
        self.assertEqual(self.page("definitionId=%s&pageSize=1" % self.other)["items"][0]["id"], made)


class Cancelling(Contract):
    def test_the_answer(self):
        key = fresh("key")
        made = self.start(self.deploy([user("u", "end"), end()]), {"a": 1}, businessKey=key)["id"]
        answer = self.cancel(made, {"reason": "changed my mind"}).json
        self.assertEqual(set(answer), ALWAYS | {"failureReason"})
        self.assertEqual((answer["status"], answer["failureReason"], answer["currentStepIds"], answer["variables"]),
                         ("CANCELLED", "changed my mind", ["u"], {"a": 1}))
        seen = self.instance(made)
        self.assertEqual((seen["status"], seen["failureReason"], seen["businessKey"]),
                         ("CANCELLED", "changed my mind", key))

    @cases((None,), ("",), ("{}",), ("garbage {",), ("[]",), ("null",), ('{"reason":7}',), ('{"other":1}',))
    def test_the_body_is_optional_and_may_be_garbage(self, body):
        answer = self.cancel(self.begin([user("u", "end"), end()]), body).json
        self.assertEqual((answer["status"], answer["failureReason"]), ("CANCELLED", ""))

    def test_an_unknown_instance_is_not_found(self):
        self.refused(self.post("/v1/instances/01ARZ3NDEKTSV4RRFFQ69G5FAV/cancel"), 404, "not-found")

    def test_a_finished_instance_is_a_conflict(self):
        self.refused(self.post("/v1/instances/%s/cancel" % self.begin([end()])), 409, "conflict")

    def test_twice_is_a_conflict(self):
        made = self.begin([user("u", "end"), end()])
        self.cancel(made, {"reason": "first"})
        self.refused(self.post("/v1/instances/%s/cancel" % made, {"reason": "second"}), 409, "conflict")
        self.assertEqual(self.instance(made)["failureReason"], "first")

    def test_a_failed_instance_is_a_conflict(self):
        made = self.begin([decide("d", {"false": "end"}), end()])
        self.refused(self.post("/v1/instances/%s/cancel" % made), 409, "conflict")

    def test_no_row_is_still_running(self):
        made = self.begin([user("u", "end"), end()])
        self.cancel(made)
        self.assertEqual(self.rows(made), [("u", 1, "FAILED")])

    def test_its_jobs_are_no_longer_handed_out(self):
        job = fresh("job")
        made = self.begin([service("a", "end", job), end()])
        self.cancel(made)
        self.assertEqual(self.poll(job), [])

    @paced
    def test_its_timers_do_nothing(self, pace):
        job = fresh("late")
        made = self.begin([user("u", "end", boundaryEvents=[timer(pace.duration(0.3), "s", False)]), service("s", "end", job),
                           end()])
        self.cancel(made)
        self.assertEqual(self.poll(job, waitSeconds=pace.seconds(0.35)), [])
        self.assertEqual(self.rows(made), [("u", 1, "FAILED")])

    def test_it_does_not_chain(self):
        target, job = fresh("target"), fresh("job")
        self.deploy([service("s", "end", job), end()], target)
        made = self.begin([user("u", "end"), end()], autoStartNextWorkflow=True, nextWorkflowId=target)
        self.cancel(made)
        self.assertEqual(self.poll(job, waitSeconds=0.1), [])


class BusinessKeys(Contract):
    REASON = "business key already in use by an in-flight instance of this definition"

    def setUp(self):
        self.key = fresh("key")
        self.name = self.deploy([user("u", "d"), decide("d", {"ok": "end", "no": "u"}), end()])

    def again(self):
        return self.post("/v1/instances", {"definitionId": self.name, "businessKey": self.key})

    def test_twice_is_a_conflict(self):
        self.start(self.name, businessKey=self.key)
        self.refused(self.again(), 409, "conflict", self.REASON)
        self.assertEqual(self.get("/v1/instances?businessKey=" + self.key).json["total"], 1)

    def test_another_definition_may_use_it(self):
        self.start(self.name, businessKey=self.key)
        self.start(self.deploy([user("u", "end"), end()]), businessKey=self.key)

    def test_another_version_may_not(self):
        self.start(self.name, businessKey=self.key)
        self.deploy([end()], self.name)
        self.refused(self.again(), 409, "conflict", self.REASON)

    def test_an_empty_key_is_no_key(self):
        self.start(self.name, businessKey="")
        self.assertNotIn("businessKey", self.start(self.name, businessKey=""))

    @cases(("complete",), ("fail",), ("cancel",))
    def test_an_ended_instance_frees_it(self, how):
        made = self.start(self.name, businessKey=self.key)["id"]
        if how == "cancel":
            self.cancel(made)
        else:
            self.complete_task(made, "u", {"variables": {"ok": how == "complete"}})
        self.assertIn(self.instance(made)["status"], ("COMPLETED", "FAILED", "CANCELLED"))
        self.assertEqual(self.again().status, 201)

    def test_case_matters(self):
        self.start(self.name, businessKey=self.key)
        self.start(self.name, businessKey=self.key.upper())

    def test_a_retry_cannot_take_it_back(self):
        made = self.start(self.name, businessKey=self.key)["id"]
        self.complete_task(made, "u", {"variables": {"ok": False, "no": False}})
        self.start(self.name, businessKey=self.key)
        self.refused(self.post("/v1/instances/%s/steps/d/retry" % made, {"variables": {"no": True}}), 409, "conflict")


class Retrying(Contract):
    def failed_job(self, retries=1):
        self.job = fresh("job")
        made = self.begin([service("a", "end", self.job, retryCount=retries), end()], {"n": 1})
        self.fail_job(self.take(self.job), "no luck")
        self.assert_failed(made, "no luck")
        return made

    def test_a_failed_service_task_gets_a_new_row_and_a_full_budget(self):
        made = self.failed_job(3)
        answer = self.retry(made, "a").json
        self.assertEqual((answer["status"], answer["currentStepIds"]), ("ACTIVE", ["a"]))
        self.assertEqual(self.rows(made), [("a", 1, "FAILED"), ("a", 2, "RUNNING")])
        job = self.take(self.job)
        self.assertEqual(job["retriesRemaining"], 3)
        self.complete(job)
        self.assertEqual(self.instance(made)["status"], "COMPLETED")

    def test_it_forgets_why_it_failed(self):
        made = self.failed_job()
        self.retry(made, "a")
        self.assertEqual(set(self.instance(made)), ALWAYS)

    def test_a_patch_is_merged_first(self):
        made = self.failed_job()
        answer = self.retry(made, "a", {"variables": {"n": 2, "m": 3}}).json
        self.assertEqual(answer["variables"], {"n": 2, "m": 3})
        self.assertEqual(self.take(self.job)["variables"], {"n": 2, "m": 3})

    def test_a_decision_can_be_retried(self):
        made = self.begin([decide("d", {"n > 5": "end"}), end()], {"n": 1})
        self.assertEqual(self.retry(made, "d").json["status"], "FAILED")
        self.assertEqual(self.retry(made, "d", {"variables": {"n": 9}}).json["status"], "COMPLETED")
        self.assertEqual(self.rows(made), [("d", 1, "FAILED"), ("d", 2, "FAILED"), ("d", 3, "COMPLETED"),
                                           ("end", 1, "COMPLETED")])

    def test_the_patch_is_shallow(self):
        made = self.begin([decide("d", {"o.b == 2": "end"}), end()], {"o": {"a": 1, "b": 1}})
        self.retry(made, "d", {"variables": {"o": {"b": 2}}})
        self.assertEqual(self.variables(made), {"o": {"b": 2}})

    def test_an_instance_that_has_not_failed_is_a_conflict(self):
        made = self.begin([user("u", "end"), end()])
        self.refused(self.post("/v1/instances/%s/steps/u/retry" % made), 409, "conflict", "instance is not FAILED; ")

    def test_a_step_that_has_not_failed_is_a_conflict(self):
        made = self.begin([transform("t", "d", {"x": 1}), decide("d", {"false": "end"}), end()])
        self.refused(self.post("/v1/instances/%s/steps/t/retry" % made), 409, "conflict",
                     "step is not in a retryable state")
        self.refused(self.post("/v1/instances/%s/steps/end/retry" % made), 409, "conflict",
                     "step is not in a retryable state")

    def test_a_step_that_does_not_exist_is_a_client_error(self):
        made = self.failed_job()
        answer = self.post("/v1/instances/%s/steps/ghost/retry" % made)
        self.assertIn(answer.status, (404, 409), answer)

    def test_an_unknown_instance_is_not_found(self):
        self.refused(self.post("/v1/instances/01ARZ3NDEKTSV4RRFFQ69G5FAV/steps/a/retry"), 404, "not-found")

    @cases(("{",), ("[]",), ('{"variables":[]}',))
    def test_a_bad_body_is_a_bad_request(self, body):
        made = self.failed_job()
        self.refused(self.post("/v1/instances/%s/steps/a/retry" % made, body), 400, "bad-request")
        self.assertEqual(self.instance(made)["status"], "FAILED")

    def test_only_the_named_step_is_entered_again(self):
        job = fresh("job")
        made = self.begin([fork("f", ["a", "b"], "j"), service("a", "j", job), user("b", "j"), join("j", "end"), end()])
        self.fail_job(self.take(job))
        self.retry(made, "a")
        self.assertEqual(sorted(self.rows(made)), [("a", 1, "FAILED"), ("a", 2, "RUNNING"), ("b", 1, "RUNNING"),
                                                   ("f", 1, "COMPLETED")])

    def test_a_step_that_a_timer_interrupted_cannot_be_retried(self):
        # Its row is FAILED, but the flow has gone on from it: the step that failed is the one to retry.
        made = self.begin([user("u", "end", boundaryEvents=[timer("PT0.05S", "d", True)]),
                           decide("d", {"false": "end"}), end()])
        self.until_status(made, "FAILED")
        self.refused(self.post("/v1/instances/%s/steps/u/retry" % made), 409, "conflict", "step is not in a retryable state")
        self.assertEqual([row for row in self.rows(made) if row[0] == "u"], [("u", 1, "FAILED")])

    def test_a_cancelled_instance_cannot_be_retried(self):
        made = self.begin([user("u", "end"), end()])
        self.cancel(made)
        self.refused(self.post("/v1/instances/%s/steps/u/retry" % made), 409, "conflict", "instance is not FAILED; ")


class Limits(Contract):
    def test_a_loop_without_a_waiting_step_fails_with_a_reason(self):
        made = self.begin([transform("t", "d", {"n": "${n + 1}"}), decide("d", {"n > 0": "t", "n < 0": "end"}), end()],
                          {"n": 1})
        seen = self.assert_failed(made)
        self.assertTrue(seen["failureReason"])

    def test_a_loop_that_ends_is_fine(self):
        made = self.run_steps([transform("t", "d", {"n": "${n + 1}"}), decide("d", {"n < 500": "t", "true": "end"}),
                               end()], {"n": 0})
        self.assertEqual((made["status"], made["variables"]), ("COMPLETED", {"n": 500}))

    def test_a_loop_through_a_job_has_no_limit_of_its_own(self):
        job = fresh("job")
        made = self.begin([service("s", "d", job), decide("d", {"n < 30": "s", "true": "end"}), end()])
        for number in range(1, 31):
            self.work(job, {"n": number})
        self.assertEqual(self.instance(made)["status"], "COMPLETED")
        self.assertEqual(self.rows(made)[-3:], [("s", 30, "COMPLETED"), ("d", 30, "COMPLETED"),
                                                ("end", 1, "COMPLETED")])

    def test_half_a_megabyte_of_variables(self):
        made = self.begin([user("u", "end"), end()], {"text": "x" * 500000})
        self.assertEqual(len(self.variables(made)["text"]), 500000)

    def test_a_body_beyond_the_limit_is_refused_as_a_limit(self):
        body = json.dumps({"definitionId": "x", "variables": {"text": "x" * (4194304 + 1)}})
        connection = self.engine.connect()
        try:
            connection.request("POST", "/v1/instances", body, {"Content-Type": "application/json"})
            self.assertEqual(connection.getresponse().status, 413)
        except (BrokenPipeError, ConnectionResetError):
            pass  # It may refuse the body before it was sent to the end.
        finally:
            connection.close()

    def test_five_hundred_steps(self):
        steps = [transform("s%d" % n, "s%d" % (n + 1), {"n": n}) for n in range(500)] + [end("s500")]
        self.assertEqual(self.run_steps(steps)["variables"], {"n": 499})

    def test_deep_variables_are_taken_or_refused_but_never_an_error_of_ours(self):
        name = self.deploy([end()])
        for depth in (50, 100000):
            body = '{"definitionId":"%s","variables":{"a":%s1%s}}' % (name, "[" * depth, "]" * depth)
            self.assertLess(self.post("/v1/instances", body).status, 500)


if __name__ == "__main__":
    main()
