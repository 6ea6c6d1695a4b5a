"""The rows of an instance's history: one for every entry into a step."""

from contract import (TIME, ULID, Contract, cases, decide, end, fork, fresh, join, main, service, table, timer,
                      transform,
                      user, wait)

SPELLINGS = {"id": "ID", "instanceId": "InstanceID", "stepId": "StepID", "stepType": "StepType",
             "attemptNumber": "AttemptNumber", "status": "Status", "startedAt": "StartedAt", "endedAt": "EndedAt",
             "inputSnapshot": "InputSnapshot", "outputSnapshot": "OutputSnapshot", "failureReason": "FailureReason"}


class Rows(Contract):
    def test_every_field_comes_in_both_spellings(self):
        made = self.begin([transform("t", "u", {"x": 1}), user("u", "end"), end()])
        for row in self.history(made):
            self.assertEqual(set(row), set(SPELLINGS) | set(SPELLINGS.values()) | {"stepName"})  # Added by us, in one spelling.
            for camel, pascal in SPELLINGS.items():
                self.assertEqual(row[camel], row[pascal])

    def test_the_body_has_only_items(self):
        made = self.begin([end()])
        self.assertEqual(set(self.get("/v1/instances/%s/history" % made).json), {"items"})

    def test_an_unknown_instance_is_not_found(self):
        self.refused(self.engine.get("/v1/instances/01ARZ3NDEKTSV4RRFFQ69G5FAV/history"), 404, "not-found")

    def test_ids_and_times(self):
        made = self.begin([transform("t", "end", {"x": 1}), end()])
        rows = self.history(made)
        self.assertEqual(len({row["id"] for row in rows}), 2)
        for row in rows:
            self.assertRegex(row["id"], ULID)
            self.assertEqual(row["instanceId"], made)
            self.assertRegex(row["startedAt"], TIME)
            self.assertRegex(row["endedAt"], TIME)
            self.assertGreaterEqual(row["endedAt"], row["startedAt"])
            self.assertIsNone(row["failureReason"])

    def test_an_open_row_has_no_end(self):
        made = self.begin([user("u", "end"), end()])
        row = self.row(made, "u")
        self.assertEqual((row["status"], row["endedAt"], row["outputSnapshot"]), ("RUNNING", None, None))

    def test_every_step_type_has_a_row(self):
        job = fresh("job")
        made = self.begin([
            transform("t", "d", {"x": 1}), decide("d", {"true": "dt"}), table("dt", "f", [{"outputs": {"y": 2}}]),
            fork("f", ["s", "w"], "j"), service("s", "j", job), wait("w", "j"), join("j", "u"), user("u", "end"),
            end()])
        self.work(job)
        self.signal(made, "w")
        self.complete_task(made, "u")
        kinds = {row["stepId"]: (row["stepType"], row["status"], row["attemptNumber"]) for row in self.history(made)}
        self.assertEqual(kinds, {
            "t": ("TRANSFORMATION", "COMPLETED", 1), "d": ("DECISION", "COMPLETED", 1),
            "dt": ("DECISION_TABLE", "COMPLETED", 1),
            "f": ("PARALLEL_GATEWAY", "COMPLETED", 1), "s": ("SERVICE_TASK", "COMPLETED", 1),
            "w": ("WAIT", "COMPLETED", 1),
            "j": ("JOIN_GATEWAY", "COMPLETED", 1), "u": ("USER_TASK", "COMPLETED", 1), "end": ("END", "COMPLETED", 1)})

    def test_a_join_has_one_row_for_all_its_arrivals(self):
        made = self.begin([fork("f", ["a", "b"], "j"), wait("a", "j"), wait("b", "j"), join("j", "end"), end()])
        self.signal(made, "a")
        self.signal(made, "b")
        self.assertEqual([row for row in self.rows(made) if row[0] == "j"], [("j", 1, "COMPLETED")])

    def test_rows_come_oldest_first(self):
        made = self.begin([user("u", "t"), transform("t", "end", {"x": 1}), end()])
        self.complete_task(made, "u")
        rows = self.history(made)
        self.assertEqual([row["stepId"] for row in rows], ["u", "t", "end"])
        self.assertEqual([row["startedAt"] for row in rows], sorted(row["startedAt"] for row in rows))

    def test_loops_count_attempts(self):
        made = self.begin([wait("w", "d"), decide("d", {"again": "w", "!again": "end"}), end()])
        for again in (True, True, False):
            self.signal(made, "w", {"again": again})
        self.assertEqual([row for row in self.rows(made) if row[0] == "w"],
                         [("w", 1, "COMPLETED"), ("w", 2, "COMPLETED"), ("w", 3, "COMPLETED")])

    def test_automatic_retries_reuse_the_row(self):
        job = fresh("job")
        made = self.begin([service("a", "end", job, retryCount=2), end()])
        for _ in range(2):
            self.fail_job(self.take(job), retryable=True)
        self.assertEqual(self.rows(made), [("a", 1, "RUNNING")])
        self.work(job)
        self.assertEqual(self.rows(made), [("a", 1, "COMPLETED"), ("end", 1, "COMPLETED")])

    def test_a_failed_row_says_why(self):
        job = fresh("job")
        made = self.begin([service("a", "end", job), end()])
        self.fail_job(self.take(job), "the printer is on fire")
        row = self.row(made, "a")
        self.assertEqual((row["status"], row["failureReason"]), ("FAILED", "the printer is on fire"))
        self.assertRegex(row["endedAt"], TIME)

    def test_a_failed_decision_row_says_why(self):
        made = self.begin([decide("d", {"false": "end"}), end()])
        row = self.row(made, "d")
        self.assertEqual((row["status"], row["failureReason"]), ("FAILED", self.instance(made)["failureReason"]))

    def test_rows_of_abandoned_steps_stay_running(self):
        job = fresh("job")
        made = self.begin([fork("f", ["s", "w", "u", "x"], "j"), service("s", "j", job), wait("w", "j"), user("u", "j"),
                           wait("x", "end"), join("j", "end"), end()])
        self.signal(made, "x")
        seen = self.instance(made)
        self.assertEqual((seen["status"], seen["currentStepIds"]), ("COMPLETED", ["s", "w", "u"]))
        rows = {row[0]: row[2] for row in self.rows(made)}
        self.assertEqual((rows["s"], rows["w"], rows["u"], rows["end"]), ("RUNNING", "RUNNING", "RUNNING", "COMPLETED"))

    def test_a_parked_wait_stays_running_after_its_escalation_finished_the_instance(self):
        made = self.start(self.deploy([wait("w", "end", boundaryEvents=[timer("PT0.1S", "late", False)]), end(),
                                       end("late")]),
                          seconds=30)
        self.assertEqual(made["status"], "COMPLETED")
        self.assertEqual(self.rows(made["id"]), [("w", 1, "RUNNING"), ("late", 1, "COMPLETED")])


class Snapshots(Contract):
    def test_the_input_is_what_was_known_on_entry(self):
        job = fresh("job")
        made = self.begin([transform("t", "s", {"x": 1}), service("s", "end", job), end()], {"a": 0})
        self.work(job, {"b": 2})
        self.assertEqual([row["inputSnapshot"] for row in self.history(made)],
                         [{"a": 0}, {"a": 0, "x": 1}, {"a": 0, "x": 1, "b": 2}])

    def test_a_service_task_shows_what_the_worker_sent(self):
        job = fresh("job")
        made = self.begin([service("s", "end", job), end()], {"a": 0})
        self.work(job, {"b": 2})
        self.assertEqual(self.row(made, "s")["outputSnapshot"], {"b": 2})

    @cases(("user",), ("wait",), ("transform",))
    def test_other_steps_show_the_merged_variables(self, kind):
        first = {"user": user("x", "end"), "wait": wait("x", "end"), "transform": transform("x", "end", {"b": 2})}[kind]
        made = self.begin([first, end()], {"a": 0})
        if kind == "user":
            self.complete_task(made, "x", {"variables": {"b": 2}})
        elif kind == "wait":
            self.signal(made, "x", {"b": 2})
        self.assertEqual(self.row(made, "x")["outputSnapshot"], {"a": 0, "b": 2})

    def test_decisions_gateways_and_ends_have_no_output(self):
        made = self.begin([decide("d", {"true": "f"}), fork("f", ["a", "b"], "j"), transform("a", "j", {"x": 1}),
                           transform("b", "j", {"y": 1}), join("j", "end"), end()])
        for row in self.history(made):
            if row["stepType"] != "TRANSFORMATION":
                self.assertIsNone(row["outputSnapshot"], row)


if __name__ == "__main__":
    main()
