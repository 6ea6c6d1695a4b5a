"""Workers: polling, results, leases, lists."""

import json
from datetime import datetime

from harness import NODES, PATIENCE, Case, Client, main
from pace import paced
from steps import end, fork, join, person, service


class Attempts(Case):
    def test_every_one_is_in_the_history(self):
        job_type = self.fresh("type")
        instance = self.start(self.upload([service("s", "end", job_type, retryCount=2), end()]))["id"]
        self.fail_job(self.take(job_type), "no paper", retryable=True, worker="w")
        self.complete(self.take(job_type))
        visit, last = self.get(f"/v1/instances/{instance}/history?attempts=true").json["items"]
        self.assertEqual([(one["number"], one["outcome"], one.get("worker"), one.get("error")) for one in visit["attempts"]],
                         [(1, "failed", "w", "no paper"), (2, "completed", "w", None)])
        self.assertEqual(visit["attemptsTotal"], 2)
        self.assertNotIn("attempts", last)
        self.assertNotIn("attempts", self.history(instance)[0])
        self.refused(self.get(f"/v1/instances/{instance}/history?attempts=all"), 400, "attempts")


class Polling(Case):
    def test_what_a_worker_gets(self):
        kind = self.fresh()
        name = self.upload([service("s", "end", kind, retryCount=3), end()])
        got = self.start(name, {"a": {"b": [1]}})
        job, = self.poll(kind, worker="me")
        self.assertEqual({k: job[k] for k in ("instanceId", "stepId", "jobType", "status", "workerId", "retriesRemaining", "variables")},
                         {"instanceId": got["id"], "stepId": "s", "jobType": kind, "status": "LOCKED", "workerId": "me",
                          "retriesRemaining": 3, "variables": {"a": {"b": [1]}}})
        self.assertEqual(job["stepExecutionId"], self.history(got["id"])[0]["id"])
        self.assertEqual(job["createdAt"], got["startedAt"])
        self.assertLess(job["lockedAt"], job["lockExpiresAt"])
        self.assertEqual(self.poll(kind), [])

    def test_bodies_that_are_refused(self):
        good = {"workerId": "w", "jobTypes": ["x"]}
        cases = [
            (b"", "body"), (b"null", "body"), ([], "object"), ({"jobTypes": ["x"]}, "workerId"), ({"workerId": "w"}, "jobTypes"),
            ({**good, "workerId": ""}, "workerId"), ({**good, "workerId": 3}, "workerId"), ({**good, "jobTypes": []}, "jobTypes"),
            ({**good, "jobTypes": "x"}, "jobTypes"), ({**good, "jobTypes": [3]}, "jobTypes"), ({**good, "jobTypes": [""]}, "jobTypes"),
            ({**good, "maxJobs": "5"}, "maxJobs"), ({**good, "maxJobs": 1.5}, "maxJobs"), ({**good, "leaseSeconds": "5"}, "leaseSeconds"),
            ({**good, "leaseSeconds": -1}, "leaseSeconds"), ({**good, "waitSeconds": True}, "waitSeconds"),
            ({**good, "waitSeconds": -0.5}, "waitSeconds"), (b'{"workerId":"w","jobTypes":["x"],}', "line 1, column 34"),
        ]
        for body, text in cases:
            with self.subTest(body):
                self.refused(self.post("/v1/jobs/poll", body), 400, text)

    def test_ten_at_most_unless_asked_oldest_first(self):
        kind = self.fresh()
        name = self.upload([service("s", "end", kind), end()])
        ids = [self.start(name)["id"] for _ in range(14)]
        self.assertEqual([j["instanceId"] for j in self.poll(kind)], ids[:10])
        self.assertEqual([j["instanceId"] for j in self.poll(kind, maxJobs=3)], ids[10:13])
        self.assertEqual([j["instanceId"] for j in self.poll(kind, maxJobs=-1)], ids[13:])
        self.assertEqual(self.poll(kind, maxJobs=0), [])

    def test_several_types_in_order_of_age(self):
        a, b = self.fresh(), self.fresh()
        names = [self.upload([service("s", "end", kind), end()]) for kind in (a, b)]
        ids = [self.start(names[n % 2])["id"] for n in range(4)]
        self.assertEqual([j["instanceId"] for j in self.poll(b, a, "ghost", b)], ids)

    def test_a_poll_waits_for_a_job(self):
        kind = self.fresh()
        name = self.upload([service("s", "end", kind), end()])
        finish = self.client.later("/v1/jobs/poll", {"workerId": "w", "jobTypes": [kind], "waitSeconds": PATIENCE})
        got = self.start(name)
        self.assertEqual([j["instanceId"] for j in finish().json["jobs"]], [got["id"]])

    def test_a_poll_that_waited_in_vain_is_empty(self):
        self.assertEqual(self.poll(self.fresh(), waitSeconds=0.05), [])
        self.assertEqual(self.poll(self.fresh(), waitSeconds=0), [])

    def test_jobs_are_shared_out_among_waiting_polls(self):
        kind = self.fresh()
        name = self.upload([fork("f", ["a", "b"], "j"), service("a", "j", kind), service("b", "j", kind), join("j", "end"), end()])
        finishes = [self.client.later("/v1/jobs/poll", {"workerId": "w", "jobTypes": [kind], "maxJobs": 1, "waitSeconds": PATIENCE})
                    for _ in range(2)]
        self.start(name)
        self.assertEqual(sorted(finish().json["jobs"][0]["stepId"] for finish in finishes), ["a", "b"])

    def test_a_poll_whose_client_left_takes_no_job(self):
        kind = self.fresh()
        name = self.upload([service("s", "end", kind), end()])
        body = {"workerId": "gone", "jobTypes": [kind], "waitSeconds": PATIENCE, "leaseSeconds": 1}
        waiting = self.metric("pawl_polls_waiting")
        leaving = Client(self.server)
        leaving.connection.request("POST", "/v1/jobs/poll", json.dumps(body).encode())
        self.until(lambda: self.metric("pawl_polls_waiting") > waiting)
        leaving.close()
        got = self.start(name)
        self.assertEqual(self.take(kind)["instanceId"], got["id"])


class Results(Case):
    def one(self, **more):
        kind = self.fresh()
        got = self.start(self.upload([service("s", "end", kind, **more), end()]), {"o": {"x": 1}})
        return got["id"], kind

    def test_a_result_is_merged_and_the_flow_goes_on(self):
        got, kind = self.one()
        self.complete(self.take(kind), {"o": {"y": 2}, "n": None})
        done = self.instance(got)
        self.assertEqual((done["status"], done["variables"]), ("COMPLETED", {"o": {"x": 1, "y": 2}, "n": None}))

    def test_variables_may_be_absent_or_null(self):
        for body in ({"workerId": "w"}, {"workerId": "w", "variables": None}, {"workerId": "w", "unknown": 1}):
            got, kind = self.one()
            self.assertEqual(self.post(f"/v1/jobs/{self.take(kind)['id']}/complete", body).status, 204)
            self.assertEqual(self.instance(got)["status"], "COMPLETED")

    def test_bodies_that_are_refused_change_nothing(self):
        got, kind = self.one()
        job = self.take(kind)
        for verb in ("complete", "fail"):
            for body in (b"", b"null", [], "x", b"{", {}, {"workerId": ""}, {"workerId": 3}, b'{"workerId":"x","workerId":"x"}'):
                self.assertEqual(self.post(f"/v1/jobs/{job['id']}/{verb}", body).status, 400, (verb, body))
        for variables in ([], [1], "x", 3, True):
            self.refused(self.post(f"/v1/jobs/{job['id']}/complete", {"workerId": "x", "variables": variables}), 400, "variables")
        for body in ({"errorMessage": 3}, {"retryable": "yes"}, {"retryable": 1}):
            self.assertEqual(self.post(f"/v1/jobs/{job['id']}/fail", {"workerId": "w", **body}).status, 400)
        self.assertEqual(self.instance(got)["status"], "ACTIVE")
        self.complete(job)

    def test_unknown_jobs(self):
        got, kind = self.one()
        job = self.take(kind)["id"]
        for name in ("x", "01ARZ3NDEKTSV4RRFFQ69G5FAV", got, "0" * 10 + job[10:], job + "0"):
            for verb in ("complete", "fail"):
                self.assertEqual(self.post(f"/v1/jobs/{name}/{verb}", {"workerId": "w"}).status, 404, (verb, name))

    def test_a_second_completion_changes_nothing(self):
        got, kind = self.one()
        job = self.take(kind)
        self.complete(job, {"n": 1})
        self.complete(job, {"n": 2})
        self.fail_job(job)
        self.assertEqual((self.instance(got)["status"], self.instance(got)["variables"]["n"]), ("COMPLETED", 1))

    def test_another_workers_failure_changes_nothing(self):
        got, kind = self.one()
        before = self.metric("job_lock_conflicts_total")
        job = self.take(kind, worker="mine")
        self.fail_job(job, worker="yours")
        self.assertEqual((self.instance(got)["status"], self.instance(got)["variables"]), ("ACTIVE", {"o": {"x": 1}}))
        self.assertEqual(self.metric("job_lock_conflicts_total"), before + 1)
        self.complete(job, worker="mine")
        self.assertEqual(self.instance(got)["status"], "COMPLETED")

    def test_a_job_nobody_holds_may_be_completed_by_anybody(self):
        got, kind = self.one()
        job, = self.get(f"/v1/jobs?instanceId={got}").json["items"]
        self.complete(job, worker="anybody")
        self.assertEqual(self.instance(got)["status"], "COMPLETED")

    def test_failures_use_up_the_retries(self):
        got, kind = self.one(retryCount=2)
        for left in (2, 1, 0):
            job = self.take(kind)
            self.assertEqual(job["retriesRemaining"], left)
            self.assertEqual(self.instance(got)["status"], "ACTIVE")
            self.fail_job(job, f"left {left}", retryable=True)
        done = self.instance(got)
        self.assertEqual((done["status"], done["failureReason"], done["currentStepIds"]), ("FAILED", "left 0", ["s"]))
        row, = self.history(got)
        self.assertEqual((row["status"], row["failureReason"], row["attemptNumber"]), ("FAILED", "left 0", 1))

    def test_each_retry_is_a_new_job(self):
        got, kind = self.one(retryCount=1)
        first = self.take(kind)
        self.fail_job(first, retryable=True)
        second = self.take(kind)
        self.assertNotEqual(first["id"], second["id"])
        self.assertEqual(first["stepExecutionId"], second["stepExecutionId"])
        self.complete(first, {"n": 1})
        self.assertEqual(self.instance(got)["status"], "ACTIVE")
        self.complete(second, {"n": 2})
        self.assertEqual(self.instance(got)["variables"]["n"], 2)

    def test_a_failure_that_is_not_retryable_is_final(self):
        for body in ({"errorMessage": "no way", "retryable": False}, {"errorMessage": "no way"}, {"errorMessage": "no way", "retryable": None}):
            got, kind = self.one(retryCount=5)
            self.assertEqual(self.post(f"/v1/jobs/{self.take(kind)['id']}/fail", {"workerId": "w", **body}).status, 204)
            done = self.instance(got)
            self.assertEqual((done["status"], done["failureReason"]), ("FAILED", "no way"))
            self.assertIn("completedAt", done)

    @paced
    def test_a_retry_with_backoff_is_delayed(self, pace):
        backoff = {"initial": pace.duration(0.5), "factor": 2, "max": "PT1M"}
        got, kind = self.one(retryCount=1, retryBackoff=backoff)
        self.fail_job(self.take(kind), retryable=True)
        self.assertEqual(self.poll(kind), [])
        job, = self.get(f"/v1/jobs?instanceId={got}").json["items"]
        self.assertEqual((job["status"], job["attempt"]), ("DELAYED", 2))
        self.assertIn("availableAt", job)
        self.complete(self.take(kind))

    def test_outputs_schema(self):
        schema = {"properties": {"n": {"type": "integer"}}, "required": ["n"]}
        got, kind = self.one(outputs_schema=schema)
        job = self.take(kind)
        self.complete(job, {"n": 1})
        self.assertEqual(self.instance(got)["variables"]["n"], 1)

    def test_variables_are_those_of_the_steps_entry(self):
        a, b = self.fresh(), self.fresh()
        self.start(self.upload([fork("f", ["a", "b"], "j"), service("a", "j", a), service("b", "j", b), join("j", "end"), end()]), {"v": 0})
        self.complete(self.take(a), {"v": 1})
        self.assertEqual(self.take(b)["variables"], {"v": 0})


class Leases(Case):
    def test_an_expired_lease_is_offered_again_under_a_new_id(self):
        kind = self.fresh()
        before = self.metric("engine_job_timeout_total")
        got = self.start(self.upload([service("s", "end", kind, retryCount=2), end()]))
        first = self.take(kind, worker="slow", leaseSeconds=1)
        second = self.take(kind, worker="quick")
        self.assertNotEqual(first["id"], second["id"])
        self.assertEqual((first["stepExecutionId"], first["retriesRemaining"]), (second["stepExecutionId"], second["retriesRemaining"]))
        self.assertGreaterEqual(second["lockedAt"], first["lockExpiresAt"])
        self.complete(second, {"by": "quick"}, worker="quick")
        self.complete(first, {"by": "slow"}, worker="slow")
        self.assertEqual(self.ended(got["id"])["variables"], {"by": "quick"})
        self.assertGreaterEqual(self.metric("engine_job_timeout_total"), before + 1)

    def test_a_handler_of_twice_its_lease_finishes(self):
        kind, later = self.fresh(), self.fresh()
        got = self.start(self.upload([service("s", "t", kind), service("t", "end", later), end()]))
        before = self.metric("pawl_late_completions_total")
        job = self.take(kind, worker="slow", leaseSeconds=0.2)
        self.assertEqual(self.poll(later, worker="clock", waitSeconds=0.4), [])  # Twice the lease.
        self.until(lambda: self.get(f"/v1/jobs?instanceId={got['id']}").json["items"][0]["status"] == "UNLOCKED")
        self.complete(job, {"by": "slow"}, worker="slow")
        self.complete(self.take(later), {})
        self.assertEqual(self.ended(got["id"])["variables"], {"by": "slow"})
        if NODES == 1:  # Another node does not know whose the job was.
            self.assertEqual(self.metric("pawl_late_completions_total"), before + 1)

    def test_two_names_for_one_result(self):
        for data, want, warned in (({"variables": {"a": 1}, "result": {"a": 2}}, {"a": 2}, True), ({"variables": {"a": 1}, "result": None}, {"a": 1}, False)):
            for batch in (False, True):
                kind = self.fresh("kind")
                run = self.start(self.upload([service("s", "end", kind), end()]))["id"]
                job = self.take(kind)
                answer = (self.post("/v1/jobs/batch", {"workerId": "w", "complete": [{"id": job["id"], **data}]}) if batch
                          else self.post(f"/v1/jobs/{job['id']}/complete", {"workerId": "w", **data}))
                self.assertIn(answer.status, (200, 204))
                self.assertEqual("variables has no effect beside result" in answer.headers.get("X-Pawl-Warning", ""), warned)
                self.assertEqual(self.get(f"/v1/instances/{run}").json["variables"], want)
        task = self.start(self.upload([person("p", "end"), end()]))["id"]
        answer = self.post(f"/v1/instances/{task}/user-tasks/p/complete", {"variables": {"a": 1}, "result": {"a": 2}, "workerId": "ann", "completedBy": "bob"})
        self.assertIn("completedBy has no effect beside workerId", answer.headers["X-Pawl-Warning"])
        self.assertIn("result has no effect beside variables", answer.headers["X-Pawl-Warning"])

    def test_the_first_result_counts_whoever_holds_the_job(self):
        kind = self.fresh()
        got = self.start(self.upload([service("s", "end", kind), end()]))
        first = self.take(kind, worker="slow", leaseSeconds=0.2)
        second = self.take(kind, worker="quick")
        self.complete(first, {"by": "slow"}, worker="slow")
        self.assertEqual(self.ended(got["id"])["variables"], {"by": "slow"})
        self.complete(second, {"by": "quick"}, worker="quick")
        self.assertEqual(self.ended(got["id"])["variables"], {"by": "slow"})
        dropped, = self.dropped_callbacks(got["id"])
        self.assertEqual((dropped["jobId"], dropped["callback"], dropped["workerId"], dropped["reason"]),
                         (second["id"], "complete", "quick", "ended"))

    def test_a_failure_or_an_extension_of_an_older_delivery_changes_nothing_and_is_told(self):
        kind = self.fresh()
        got = self.start(self.upload([service("s", "end", kind, retryCount=1), end()]))
        before = self.metric("pawl_stale_callbacks_total")
        first = self.take(kind, worker="slow", leaseSeconds=0.2)
        second = self.take(kind, worker="quick")
        self.assertEqual(self.post(f"/v1/jobs/{first['id']}/fail", {"workerId": "slow", "errorMessage": "no"}).status, 204)
        self.assertEqual(self.post(f"/v1/jobs/{second['id']}/fail", {"workerId": "slow", "errorMessage": "no"}).status, 204)
        self.assertEqual(self.post(f"/v1/jobs/{first['id']}/extend", {"workerId": "slow"}).status, 204)
        answer = self.get(f"/v1/instances/{got['id']}/explain").json
        token, = answer["tokens"]
        self.assertEqual((token["job"]["workerId"], token["job"]["lockExpiresAt"]), ("quick", second["lockExpiresAt"]))
        self.assertEqual([(d["callback"], d["reason"]) for d in self.dropped_callbacks(got["id"])],
                         [("extend", "expired"), ("fail", "held"), ("fail", "expired")])
        self.assertEqual(self.metric("pawl_stale_callbacks_total"), before + 3)
        self.complete(second, worker="quick")
        self.assertEqual(self.instance(got["id"])["status"], "COMPLETED")

    def test_the_lease_is_as_long_as_asked(self):
        kind = self.fresh()
        name = self.upload([service("s", "end", kind), end()])
        for asked, want in ((None, 30), (0, 30), (5, 5), (0.5, 0.5), (86400, 86400)):
            self.start(name)
            job = self.take(kind, leaseSeconds=asked)
            length = datetime.fromisoformat(job["lockExpiresAt"]) - datetime.fromisoformat(job["lockedAt"])
            self.assertEqual(length.total_seconds(), want)
        self.refused(self.post("/v1/jobs/poll", {"workerId": "w", "jobTypes": [kind], "leaseSeconds": 86401}), 400, "leaseSeconds")

    @paced
    def test_a_lease_can_be_extended_by_its_holder(self, pace):
        kind = self.fresh()
        got = self.start(self.upload([service("s", "end", kind), end()]))
        job = self.take(kind, worker="me", leaseSeconds=pace.seconds(0.4))
        answer = self.post(f"/v1/jobs/{job['id']}/extend", {"workerId": "me", "leaseSeconds": 100})
        self.assertEqual((answer.status, answer.json["id"], answer.json["workerId"]), (200, job["id"], "me"))
        self.assertGreater(answer.json["lockExpiresAt"], job["lockExpiresAt"])
        self.assertEqual(self.poll(kind, waitSeconds=pace.seconds(0.5)), [])
        self.complete(job, worker="me")
        self.assertEqual(self.instance(got["id"])["status"], "COMPLETED")

    def test_only_a_lock_that_is_held_can_be_extended(self):
        kind = self.fresh()
        got = self.start(self.upload([service("s", "end", kind), end()]))
        free, = self.get(f"/v1/jobs?instanceId={got['id']}").json["items"]
        self.assertEqual(self.post(f"/v1/jobs/{free['id']}/extend", {"workerId": "w"}).status, 409)
        job = self.take(kind, worker="me")
        self.assertEqual(self.post(f"/v1/jobs/{job['id']}/extend", {"workerId": "you"}).status, 409)
        self.assertEqual(self.post("/v1/jobs/x/extend", {"workerId": "me"}).status, 404)
        for body in (b"", {}, {"workerId": "me", "leaseSeconds": "1"}, {"workerId": "me", "leaseSeconds": 86401}):
            self.assertEqual(self.post(f"/v1/jobs/{job['id']}/extend", body).status, 400, body)
        self.complete(job, worker="me")
        self.assertEqual(self.post(f"/v1/jobs/{job['id']}/extend", {"workerId": "me"}).status, 204)


class DefaultLease(Case):
    arguments = ("--lease", "7s")

    def test_it_is_an_option(self):
        kind = self.fresh()
        name = self.upload([service("s", "end", kind), end()])
        for asked, want in ((None, 7), (0, 7), (9, 9)):
            self.start(name)
            job = self.take(kind, leaseSeconds=asked)
            length = datetime.fromisoformat(job["lockExpiresAt"]) - datetime.fromisoformat(job["lockedAt"])
            self.assertEqual(length.total_seconds(), want)


class Listing(Case):
    def test_open_jobs_with_their_state(self):
        kind = self.fresh()
        name = self.upload([fork("f", ["a", "b"], "j"), service("a", "j", kind), service("b", "j", kind + "b"), join("j", "end"), end()])
        got = self.start(name)["id"]
        self.take(kind, worker="holder")
        self.told(got)
        a, b = self.get(f"/v1/jobs?instanceId={got}").json["items"]
        self.assertEqual((a["status"], a["workerId"], a["stepId"], a["attempt"]), ("LOCKED", "holder", "a", 1))
        self.assertEqual((b["status"], b["stepId"]), ("UNLOCKED", "b"))
        self.assertNotIn("workerId", b)
        self.assertEqual([j["stepId"] for j in self.get(f"/v1/jobs?jobType={kind}b").json["items"]], ["b"])
        self.assertEqual(self.get(f"/v1/jobs?instanceId={got}&jobType=ghost").json["items"], [])
        self.assertEqual(self.get("/v1/jobs?instanceId=x").json["items"], [])

    def test_a_cursor_goes_through_all_of_them(self):
        kind = self.fresh()
        name = self.upload([fork("f", ["a", "b"], "j"), service("a", "j", kind), service("b", "j", kind), join("j", "end"), end()])
        ids = [self.start(name)["id"] for _ in range(4)]
        seen, cursor = [], ""
        for _ in range(50):
            page = self.get(f"/v1/jobs?jobType={kind}&pageSize=3{cursor}").json
            seen += [(j["instanceId"], j["stepId"]) for j in page["items"]]
            if "nextCursor" not in page:
                break
            cursor = "&cursor=" + page["nextCursor"]
        self.assertEqual(seen, [(name, step) for name in ids for step in ("a", "b")])
        self.refused(self.get("/v1/jobs?cursor=-"), 400, "cursor")


if __name__ == "__main__":
    main()
