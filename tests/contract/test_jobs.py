"""Service tasks: polling, completing, failing, leases, retries, and callbacks that come too late."""

from datetime import datetime

from contract import TIME, ULID, Contract, cases, end, fork, fresh, join, main, paced, service, user, wait

FIELDS = {"id", "instanceId", "stepExecutionId", "stepId", "jobType", "status", "workerId", "lockedAt", "lockExpiresAt",
          "retriesRemaining", "variables", "createdAt"}


class WithJob(Contract):
    def setUp(self):
        self.job = fresh("job")

    def one(self, variables=None, **fields):
        return self.begin([service("a", "end", self.job, **fields), end()], variables)

    def unchanged(self, made, before):
        self.assertEqual((self.instance(made), self.history(made)), before)

    def state(self, made):
        return self.instance(made), self.history(made)


class Polling(WithJob):
    def test_the_fields_of_a_job(self):
        made = self.one({"n": 1}, retryCount=3)
        job = self.take(self.job)
        self.assertEqual(set(job), FIELDS)
        self.assertEqual((job["instanceId"], job["stepId"], job["jobType"], job["status"], job["workerId"],
                          job["retriesRemaining"], job["variables"]), (made, "a", self.job, "LOCKED", "worker", 3,
                                                            {"n": 1}))
        self.assertRegex(job["id"], ULID)
        self.assertEqual(job["stepExecutionId"], self.row(made, "a")["id"])
        for field in ("lockedAt", "lockExpiresAt", "createdAt"):
            self.assertRegex(job[field], TIME)

    def test_no_retries_by_default(self):
        self.one()
        self.assertEqual(self.take(self.job)["retriesRemaining"], 0)

    def test_nothing_to_do_is_an_empty_array(self):
        self.assertEqual(self.poll(self.job), [])

    def test_ten_by_default_oldest_first(self):
        made = [self.one() for _ in range(12)]
        self.assertEqual([job["instanceId"] for job in self.poll(self.job)], made[:10])
        self.assertEqual([job["instanceId"] for job in self.poll(self.job)], made[10:])

    @cases((0, 10), (-5, 10), (None, 10), (3, 3), (100, 11))
    def test_max_jobs(self, count, want):
        for _ in range(11):
            self.one()
        self.assertEqual(len(self.poll(self.job, maxJobs=count)), want)

    def test_several_types_oldest_first(self):
        other = fresh("other")
        made = []
        for kind in (self.job, other, self.job):
            made.append(self.begin([service("a", "end", kind), end()]))
        self.assertEqual([job["instanceId"] for job in self.poll(other, self.job)], made)

    def test_a_locked_job_is_not_handed_out_again(self):
        self.one()
        self.take(self.job)
        self.assertEqual(self.poll(self.job, worker="other"), [])

    def test_only_the_types_asked_for(self):
        self.job = fresh("job") + "-named"  # Nobody else's name is a beginning of it.
        self.one()
        self.assertEqual(self.poll(self.job.upper()), [])
        self.assertEqual(self.poll(self.job[:-1]), [])

    @cases(({},), ({"workerId": "w"},), ({"jobTypes": ["t"]},), ({"workerId": "", "jobTypes": ["t"]},),
           ({"workerId": "w", "jobTypes": []},), ({"workerId": "w", "jobTypes": None},),
           ({"workerId": "w", "jobTypes": "t"},),
           ({"workerId": 7, "jobTypes": ["t"]},), ({"workerId": "w", "jobTypes": [7]},),
           ({"workerId": "w", "jobTypes": ["t"], "maxJobs": "x"},))
    def test_what_a_poll_must_say(self, body):
        self.refused(self.post("/v1/jobs/poll", body), 400, "bad-request")

    @cases(("",), ("{",), ("[]",))
    def test_a_poll_must_be_an_object(self, body):
        self.refused(self.post("/v1/jobs/poll", body), 400, "bad-request")

    def test_the_payload_is_a_snapshot_of_the_entry(self):
        made = self.begin([fork("f", ["a", "w"], "j"), service("a", "j", self.job, retryCount=1), wait("w", "j"),
                           join("j", "end"), end()],
                          {"n": 1})
        self.signal(made, "w", {"n": 2})
        job = self.take(self.job)
        self.assertEqual(job["variables"], {"n": 1})
        self.fail_job(job, retryable=True)
        self.assertEqual(self.take(self.job)["variables"], {"n": 1})

    def test_a_poll_waits_for_a_job(self):
        other = fresh("first")
        self.begin([service("x", "a", other), service("a", "end", self.job), end()])
        finish = self.together(lambda: self.poll(self.job, waitSeconds=30))
        self.work(other)
        self.assertEqual(len(finish()[0]), 1)

    def test_a_wait_that_gives_up_is_an_empty_array(self):
        self.assertEqual(self.poll(self.job, waitSeconds=0.05), [])

    def test_each_job_goes_to_one_worker(self):
        for _ in range(20):
            self.one()

        def take_some(worker):
            return [job["id"] for _ in range(5) for job in self.poll(self.job, worker=worker, maxJobs=2)]
        finish = self.together(lambda: take_some("one"), lambda: take_some("two"), lambda: take_some("three"))
        taken = sum(finish(), [])
        self.assertEqual((len(taken), len(set(taken))), (20, 20))


class Completing(WithJob):
    def test_it_goes_on_with_the_merged_variables(self):
        made = self.one({"a": 1, "b": 1})
        self.assertEqual(self.complete(self.take(self.job), {"b": 2, "c": 3}).body, b"")
        seen = self.instance(made)
        self.assertEqual((seen["status"], seen["variables"]), ("COMPLETED", {"a": 1, "b": 2, "c": 3}))

    @cases(({},), ({"variables": None},), ({"variables": {}},))
    def test_a_result_is_optional(self, fields):
        made = self.one({"a": 1})
        self.post("/v1/jobs/%s/complete" % self.take(self.job)["id"], dict({"workerId": "worker"}, **fields), 204)
        self.assertEqual(self.instance(made)["variables"], {"a": 1})

    @cases(('{"workerId":"worker","variables":[]}',), ('{"workerId":"worker","variables":"x"}',), ('{"workerId":"worker","variables":{"n":NaN}}',))
    def test_a_bad_result_is_a_bad_request_and_a_failed_attempt(self, body):
        made = self.one()
        self.refused(self.post("/v1/jobs/%s/complete" % self.take(self.job)["id"], body), 400, "bad-request")
        self.assertEqual(self.instance(made)["status"], "FAILED")

    @cases((None,), ("",), ("{",), ("[]",))
    def test_a_bad_body_is_a_bad_request_and_changes_nothing(self, body):
        made = self.one()
        job = self.take(self.job)
        before = self.state(made)
        self.refused(self.post("/v1/jobs/%s/complete" % job["id"], body), 400, "bad-request")
        self.unchanged(made, before)

    @cases((None,), ("",), ("{",), ("[]",))
    def test_a_bad_failure_is_a_bad_request_and_changes_nothing(self, body):
        made = self.one()
        job = self.take(self.job)
        before = self.state(made)
        self.refused(self.post("/v1/jobs/%s/fail" % job["id"], body), 400, "bad-request")
        self.unchanged(made, before)

    @cases(("complete",), ("fail",))
    def test_an_unknown_job_is_not_found(self, verb):
        for name in ("01ARZ3NDEKTSV4RRFFQ69G5FAV", "nothing"):
            self.refused(self.post("/v1/jobs/%s/%s" % (name, verb), {"workerId": "w"}), 404, "not-found")

    def test_a_job_that_nobody_polled_can_be_completed_by_anyone(self):
        made = self.one()
        job = self.get("/v1/jobs?jobType=" + self.job).json["items"][0]
        self.assertEqual(job["status"], "UNLOCKED")
        self.complete(job["id"], {"x": 1}, worker="anyone")
        self.assertEqual(self.instance(made)["status"], "COMPLETED")


class Failing(WithJob):
    def test_without_retries_the_instance_fails_with_the_message(self):
        made = self.one()
        self.assertEqual(self.fail_job(self.take(self.job), "Bös: \"x\"\n<y>", retryable=True).body, b"")
        seen = self.instance(made)
        self.assertEqual((seen["status"], seen["failureReason"], seen["currentStepIds"]),
                         ("FAILED", "Bös: \"x\"\n<y>", ["a"]))
        self.assertRegex(seen["completedAt"], TIME)

    def test_missing_retryable_is_false(self):
        made = self.one(retryCount=5)
        self.fail_job(self.take(self.job))
        self.assertEqual(self.instance(made)["status"], "FAILED")

    def test_not_retryable_ignores_the_budget(self):
        made = self.one(retryCount=5)
        self.fail_job(self.take(self.job), retryable=False)
        self.assertEqual(self.instance(made)["status"], "FAILED")

    def test_the_budget_counts_down_under_new_ids(self):
        made = self.one(retryCount=2)
        seen = []
        for _ in range(3):
            job = self.take(self.job)
            seen.append((job["id"], job["retriesRemaining"], job["stepExecutionId"]))
            self.assertEqual(self.instance(made)["status"], "ACTIVE")
            self.fail_job(job, "attempt %d" % len(seen), retryable=True)
        self.assertEqual([entry[1] for entry in seen], [2, 1, 0])
        self.assertEqual((len({entry[0] for entry in seen}), len({entry[2] for entry in seen})), (3, 1))
        self.assert_failed(made, "attempt 3")
        self.assertEqual(self.poll(self.job), [])

    def test_a_retry_has_no_delay(self):
        self.one(retryCount=1)
        self.fail_job(self.take(self.job), retryable=True)
        self.assertEqual(len(self.poll(self.job)), 1)

    def test_a_retry_does_not_change_variables(self):
        made = self.one({"n": 1}, retryCount=1)
        self.fail_job(self.take(self.job), retryable=True)
        self.assertEqual(self.variables(made), {"n": 1})

    def test_a_failure_without_a_message_still_fails(self):
        made = self.one()
        self.post("/v1/jobs/%s/fail" % self.take(self.job)["id"], {"workerId": "worker"}, 204)
        self.assertEqual(self.instance(made)["status"], "FAILED")

    def test_other_branches_are_abandoned(self):
        other = fresh("other")
        made = self.begin([fork("f", ["a", "b", "u"], "j"), service("a", "j", self.job), service("b", "j", other),
                           user("u", "j"),
                           join("j", "end"), end()])
        self.fail_job(self.take(self.job))
        self.assertEqual(self.poll(other), [])
        self.complete_task(made, "u", None, 409)
        rows = {row[0]: row[2] for row in self.rows(made)}
        self.assertEqual((rows["a"], rows["b"], rows["u"]), ("FAILED", "FAILED", "FAILED"))


class TooLate(WithJob):
    """Answered with 204, and nothing changes: a worker's process may die of anything else."""

    @cases(("complete",), ("fail",))
    def test_twice(self, verb):
        made = self.begin([service("a", "u", self.job), user("u", "end"), end()])
        job = self.take(self.job)
        self.complete(job, {"x": 1})
        before = self.state(made)
        if verb == "complete":
            self.complete(job, {"x": 2})
        else:
            self.fail_job(job)
        self.unchanged(made, before)

    def test_a_failure_by_another_worker(self):
        made = self.one()
        job = self.take(self.job)
        before = self.state(made)
        self.fail_job(job, worker="thief")
        self.unchanged(made, before)
        self.complete(job)
        self.assertEqual(self.instance(made)["status"], "COMPLETED")

    def test_a_failure_with_an_expired_lease(self):
        made = self.one(retryCount=2)
        old = self.take(self.job, leaseSeconds=0.1)
        new = self.take(self.job, worker="second")
        before = self.state(made)
        self.fail_job(old, retryable=True)
        self.unchanged(made, before)
        self.complete(new, {"y": 1}, worker="second")
        self.assertEqual(self.instance(made)["variables"], {"y": 1})

    def test_an_extension_with_an_expired_lease(self):
        made = self.one()
        old = self.take(self.job, leaseSeconds=0.1)
        new = self.take(self.job, worker="second")
        before = self.state(made)
        self.post("/v1/jobs/%s/extend" % old["id"], {"workerId": "worker", "leaseSeconds": 90}, 204)
        self.unchanged(made, before)
        listed, = self.get("/v1/jobs?instanceId=" + made, 200).json["items"]
        self.assertEqual((listed["workerId"], listed["lockExpiresAt"]), ("second", new["lockExpiresAt"]))

    @cases(("complete",), ("fail",))
    def test_for_a_cancelled_instance(self, verb):
        made = self.one()
        job = self.take(self.job)
        self.cancel(made)
        before = self.state(made)
        if verb == "complete":
            self.complete(job, {"x": 1})
        else:
            self.fail_job(job)
        self.unchanged(made, before)

    def test_for_an_instance_that_another_branch_finished(self):
        made = self.begin([fork("f", ["a", "w"], "j"), service("a", "j", self.job), wait("w", "end"), join("j", "end"),
                           end()])
        job = self.take(self.job)
        self.signal(made, "w")
        before = self.state(made)
        self.assertEqual(before[0]["status"], "COMPLETED")
        self.complete(job, {"x": 1})
        self.unchanged(made, before)

    def test_for_the_previous_attempt(self):
        made = self.one(retryCount=1)
        old = self.take(self.job)
        self.fail_job(old, retryable=True)
        before = self.state(made)
        self.complete(old, {"x": 1})
        self.fail_job(old, retryable=True)
        self.unchanged(made, before)
        self.assertEqual(self.take(self.job)["retriesRemaining"], 0)

    def test_for_a_failed_instance(self):
        made = self.one()
        job = self.take(self.job)
        self.fail_job(job, "first")
        before = self.state(made)
        self.complete(job, {"x": 1})
        self.fail_job(job, "second")
        self.unchanged(made, before)


class FirstCompletion(WithJob):
    """Counts, whichever delivery it is for and whoever holds the lease."""

    def test_by_another_worker(self):
        made = self.one()
        job = self.take(self.job)
        self.complete(job, {"x": 1}, worker="other")
        self.complete(job, {"y": 1})
        self.assertEqual((self.instance(made)["status"], self.variables(made)), ("COMPLETED", {"x": 1}))

    def test_with_an_expired_lease(self):
        made = self.one()
        old = self.take(self.job, leaseSeconds=0.1)
        new = self.take(self.job, worker="second")
        self.complete(old, {"x": 1})
        self.complete(new, {"y": 1}, worker="second")
        self.assertEqual((self.instance(made)["status"], self.variables(made)), ("COMPLETED", {"x": 1}))

    def test_with_an_expired_lease_although_nobody_took_the_job_since(self):
        made = self.one()
        old = self.take(self.job, leaseSeconds=0.05)
        self.poll(fresh("nothing"), waitSeconds=0.15)
        self.complete(old, {"x": 1})
        self.assertEqual((self.instance(made)["status"], self.variables(made)), ("COMPLETED", {"x": 1}))
        self.assertEqual(self.poll(self.job), [])


class Leases(WithJob):
    def seconds(self, job):
        locked, expires = (datetime.fromisoformat(job[field][:-1]) for field in ("lockedAt", "lockExpiresAt"))
        return (expires - locked).total_seconds()

    @cases(({}, 30), ({"leaseSeconds": 0}, 30), ({"leaseSeconds": None}, 30), ({"leaseSeconds": 90}, 90),
           ({"leaseSeconds": 0.5}, 0.5))
    def test_how_long(self, fields, want):
        self.one()
        self.assertAlmostEqual(self.seconds(self.take(self.job, **fields)), want, delta=0.01)

    def test_an_expired_job_comes_back_under_a_new_id_with_the_same_budget(self):
        made = self.one({"n": 1}, retryCount=2)
        old = self.take(self.job, leaseSeconds=0.1)
        new = self.take(self.job, worker="second")
        self.assertNotEqual(old["id"], new["id"])
        self.assertEqual((new["retriesRemaining"], new["stepExecutionId"], new["variables"], new["workerId"]),
                         (2, old["stepExecutionId"], {"n": 1}, "second"))
        self.assertEqual(self.rows(made), [("a", 1, "RUNNING")])

    @paced
    def test_extending_renews_the_lease(self, pace):
        made = self.one()
        job = self.take(self.job, leaseSeconds=pace.seconds(0.3))
        answer = self.post("/v1/jobs/%s/extend" % job["id"], {"workerId": "worker", "leaseSeconds": 60}, 200).json
        self.assertEqual((answer["id"], answer["status"]), (job["id"], "LOCKED"))
        self.assertGreater(answer["lockExpiresAt"], job["lockExpiresAt"])
        self.assertEqual(self.poll(self.job, worker="other", waitSeconds=pace.seconds(0.4)), [])
        self.complete(job)
        self.assertEqual(self.instance(made)["status"], "COMPLETED")

    def test_another_worker_cannot_extend(self):
        self.one()
        job = self.take(self.job)
        self.refused(self.post("/v1/jobs/%s/extend" % job["id"], {"workerId": "thief", "leaseSeconds": 60}), 409,
                     "conflict")

    def test_an_unknown_job_cannot_be_extended(self):
        self.refused(self.post("/v1/jobs/01ARZ3NDEKTSV4RRFFQ69G5FAV/extend", {"workerId": "w"}), 404, "not-found")

    def test_a_finished_job_cannot_be_extended(self):
        self.one()
        job = self.take(self.job)
        self.complete(job)
        self.post("/v1/jobs/%s/extend" % job["id"], {"workerId": "worker"}, 204)


class Backoff(WithJob):
    @paced
    def test_a_retry_can_be_delayed(self, pace):
        name = self.deploy([service("a", "end", self.job, retryCount=2,
                                    retryBackoff={"initial": pace.duration(0.2), "factor": 2, "max": "PT1M"}), end()])
        self.start(name)
        self.fail_job(self.take(self.job), retryable=True)
        self.assertEqual(self.poll(self.job), [])
        self.assertEqual(self.take(self.job)["retriesRemaining"], 1)


class Batch(WithJob):
    def test_results_and_the_next_jobs_in_one_request(self):
        made = [self.one() for _ in range(4)]
        jobs = self.poll(self.job, maxJobs=3)
        answer = self.post("/v1/jobs/batch", {
            "workerId": "worker", "complete": [{"id": jobs[0]["id"], "variables": {"x": 1}},
                                               {"id": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}],
            "fail": [{"id": jobs[1]["id"], "errorMessage": "no"}], "poll": {"jobTypes": [self.job]}}, 200).json
        self.assertEqual([item["status"] for item in answer["completed"]], [204, 404])
        self.assertEqual([(item["id"], item["status"]) for item in answer["failed"]], [(jobs[1]["id"], 204)])
        self.assertEqual([job["instanceId"] for job in answer["jobs"]], [made[3]])
        self.assertEqual([self.instance(name)["status"] for name in made], ["COMPLETED", "FAILED", "ACTIVE", "ACTIVE"])

    def test_a_batch_needs_a_worker(self):
        self.refused(self.post("/v1/jobs/batch", {"complete": []}), 400, "bad-request")


if __name__ == "__main__":
    main()
