"""User tasks and waits: who may wake them, and every status code."""

from contract import TIME, Contract, cases, end, fork, fresh, join, main, service, user, wait

NOBODY = "01ARZ3NDEKTSV4RRFFQ69G5FAV"


class UserTasks(Contract):
    def parked(self, variables=None):
        return self.begin([user("u", "n"), wait("n", "s"), service("s", "end", fresh()), end()], variables)

    @cases((None,), ("",), ({},), ({"variables": None},), ({"variables": {}},), ({"workerId": "ann"},), ("null",))
    def test_the_body_is_optional(self, body):
        made = self.parked({"a": 1})
        self.assertEqual(self.complete_task(made, "u", body).body, b"")
        seen = self.instance(made)
        self.assertEqual((seen["currentStepIds"], seen["variables"]), (["n"], {"a": 1}))

    def test_variables_are_merged(self):
        made = self.parked({"a": 1})
        self.complete_task(made, "u", {"workerId": "ann", "variables": {"approved": True}})
        self.assertEqual(self.variables(made), {"a": 1, "approved": True})

    def test_the_fields_of_their_openapi_mean_the_same(self):
        made = self.parked({"a": 1})
        self.complete_task(made, "u", {"completedBy": "ann", "result": {"approved": True}})
        self.assertEqual(self.variables(made), {"a": 1, "approved": True})

    @cases(("{",), ("[]",), ("7",), ({"variables": []},), ({"variables": "x"},))
    def test_a_bad_body_changes_nothing(self, body):
        made = self.parked()
        self.refused(self.complete_task(made, "u", body, 400), 400, "bad-request")
        self.assertEqual(self.instance(made)["currentStepIds"], ["u"])

    def test_an_unknown_instance_is_not_found(self):
        self.refused(self.complete_task(NOBODY, "u", None, 404), 404, "not-found")

    def test_an_unknown_step_is_not_found(self):
        self.refused(self.complete_task(self.parked(), "ghost", None, 404), 404, "not-found")

    @cases(("n",), ("s",), ("end",))
    def test_a_step_of_another_type_is_a_bad_request(self, name):
        self.refused(self.complete_task(self.parked(), name, None, 400), 400, "bad-request")

    def test_a_second_completion_is_not_found(self):
        made = self.parked()
        self.complete_task(made, "u")
        self.refused(self.complete_task(made, "u", None, 404), 404, "not-found")

    def test_a_completion_of_a_finished_instance_is_a_conflict(self):
        made = self.begin([user("u", "end"), end()])
        self.complete_task(made, "u")
        self.refused(self.complete_task(made, "u", None, 409), 409, "conflict")

    def test_the_type_is_checked_before_the_end(self):
        made = self.begin([user("u", "w"), wait("w", "end"), end()])
        self.cancel(made)
        self.complete_task(made, "w", None, 400)
        self.complete_task(made, "u", None, 409)

    def test_a_task_not_yet_reached_is_not_found(self):
        made = self.begin([wait("w", "u"), user("u", "end"), end()])
        self.refused(self.complete_task(made, "u", None, 404), 404, "not-found")

    def test_the_list_of_open_tasks(self):
        key, kind = fresh("key"), fresh("form")
        name = self.deploy([user("u", "end", jobType=kind), end()])
        made = self.start(name, businessKey=key)["id"]
        items = self.get("/v1/user-tasks?jobType=" + kind).json["items"]
        self.assertEqual([(item["instanceId"], item["stepId"], item["jobType"], item["name"], item["definitionId"],
                           item["definitionVersion"], item["businessKey"])
                          for item in items], [(made, "u", kind, "Step u", name, 1, key)])
        self.assertRegex(items[0]["createdAt"], TIME)
        self.post("/v1/user-tasks/%s/complete" % items[0]["id"], {"completedBy": "ann", "result": {"x": 1}}, 204)
        self.assertEqual(self.instance(made)["variables"], {"x": 1})
        self.assertEqual(self.get("/v1/user-tasks?jobType=" + kind).json["items"], [])

    def test_an_unknown_task_id_is_not_found(self):
        self.refused(self.post("/v1/user-tasks/%s/complete" % NOBODY, {}), 404, "not-found")

    def test_a_task_gives_no_job(self):
        kind = fresh("form")
        self.begin([user("u", "end", jobType=kind), end()])
        self.assertEqual(self.poll(kind), [])

    def test_two_at_once_finish_once(self):
        made = self.begin([user("u", "w"), wait("w", "end"), end()])
        path = "/v1/instances/%s/user-tasks/u/complete" % made
        answers = self.together(*[lambda: self.engine.post(path).status] * 3)()
        self.assertEqual(sorted(answers), [204, 404, 404])

    def test_ids_with_odd_letters_work_escaped(self):
        made = self.begin([user("schritt ä/1", "end"), end()])
        self.complete_task(made, "schritt%20%C3%A4%2F1")
        self.assertEqual(self.instance(made)["status"], "COMPLETED")


class Signals(Contract):
    def parked(self, variables=None):
        return self.begin([wait("w", "u"), user("u", "s"), service("s", "end", fresh()), end()], variables)

    @cases((None,), ("",), ("{}",), ("null",))
    def test_the_body_is_optional(self, body):
        made = self.parked({"a": 1})
        self.assertEqual(self.signal(made, "w", body).body, b"")
        seen = self.instance(made)
        self.assertEqual((seen["currentStepIds"], seen["variables"]), (["u"], {"a": 1}))

    def test_the_body_is_the_variables(self):
        made = self.parked({"a": 1})
        self.signal(made, "w", {"paid": True, "variables": {"x": 1}})
        self.assertEqual(self.variables(made), {"a": 1, "paid": True, "variables": {"x": 1}})

    @cases(("[]",), ("7",), ('"x"',), ("true",), ("{",), ("nonsense",))
    def test_anything_but_an_object_is_a_bad_request(self, body):
        made = self.parked()
        self.refused(self.signal(made, "w", body, 400), 400, "bad-request")
        self.assertEqual(self.instance(made)["currentStepIds"], ["w"])

    def test_an_unknown_instance_is_not_found(self):
        self.refused(self.signal(NOBODY, "w", None, 404), 404, "not-found")

    def test_an_unknown_step_is_a_conflict(self):
        self.refused(self.signal(self.parked(), "ghost", None, 409), 409, "conflict")

    @cases(("u",), ("s",), ("end",))
    def test_a_step_of_another_type_is_a_bad_request(self, name):
        self.refused(self.signal(self.parked(), name, None, 400), 400, "bad-request")

    def test_a_wait_that_is_not_parked_is_a_conflict(self):
        made = self.begin([user("u", "w"), wait("w", "end"), end()])
        self.refused(self.signal(made, "w", None, 409), 409, "conflict")

    def test_a_second_signal_is_a_conflict(self):
        made = self.parked()
        self.signal(made, "w", {"n": 1})
        self.refused(self.signal(made, "w", {"n": 2}, 409), 409, "conflict")
        self.assertEqual(self.variables(made), {"n": 1})

    def test_a_signal_to_a_finished_instance_is_a_conflict(self):
        made = self.begin([wait("w", "end"), end()])
        self.signal(made, "w")
        self.refused(self.signal(made, "w", None, 409), 409, "conflict")

    def test_the_type_is_checked_before_the_end(self):
        made = self.parked()
        self.cancel(made)
        self.signal(made, "u", None, 400)
        self.signal(made, "w", None, 409)

    def test_only_the_named_wait_wakes(self):
        made = self.begin([fork("f", ["a", "b"], "j"), wait("a", "j"), wait("b", "j"), join("j", "end"), end()])
        self.signal(made, "b")
        self.assertEqual(self.instance(made)["currentStepIds"], ["a", "j"])

    def test_a_signal_of_one_instance_is_not_anothers(self):
        name = self.deploy([wait("w", "end"), end()])
        one, two = self.start(name)["id"], self.start(name)["id"]
        self.signal(one, "w")
        self.assertEqual((self.instance(one)["status"], self.instance(two)["status"]), ("COMPLETED", "WAITING"))

    def test_two_at_once_wake_it_once(self):
        made = self.parked()
        path = "/v1/instances/%s/signals/w" % made
        self.assertEqual(sorted(self.together(*[lambda: self.engine.post(path).status] * 3)()), [204, 409, 409])


if __name__ == "__main__":
    main()
