"""A result that the engine refuses is a failed attempt of its job."""

import json

import grpc_client
from harness import Case, main
from steps import end, service

SCHEMA = {"properties": {"n": {"type": "integer"}}, "required": ["n"]}
DEEP = b"[" * 200 + b"]" * 200


class Refusals(Case):
    def one(self, **more):
        """A job that a worker has taken."""
        self.kind = self.fresh("kind")
        self.start(self.upload([service("s", "end", self.kind, **more), end()]))
        return self.take(self.kind)

    def send(self, job, body, headers=None):
        return self.post(f"/v1/jobs/{job['id']}/complete", body, headers)

    def complete_with(self, job, variables, worker="w", headers=None):
        return self.send(job, {"workerId": worker, "variables": variables}, headers)

    def state(self, job):
        instance = self.instance(job["instanceId"])
        return instance["status"], instance.get("failureReason")

    def attempts(self, job):
        visit = self.get(f"/v1/instances/{job['instanceId']}/history?attempts=true").json["items"][0]
        return [(one["outcome"], one.get("worker"), one.get("error")) for one in visit.get("attempts", [])]

    def fails(self, job, reason):
        """The job's first attempt has failed with this reason, and there is a second one."""
        (outcome, worker, error), *_ = self.attempts(job)
        self.assertEqual((outcome, worker), ("failed", "w"))
        self.assertTrue(error.startswith("the result was refused: "), error)
        self.assertIn(reason, error)
        again = self.take(self.kind)
        self.assertEqual(again["retriesRemaining"], job["retriesRemaining"] - 1)
        self.complete(again, {"n": 1})
        self.assertEqual(self.state(job)[0], "COMPLETED")

    def still_open(self, job):
        self.assertEqual(self.state(job), ("ACTIVE", None))
        self.assertNotIn("failed", [outcome for outcome, _, _ in self.attempts(job)])


class Rest(Refusals):
    def test_a_schema_violation_fails_the_step_without_retries(self):
        job = self.one(retryCount=3, outputs_schema=SCHEMA)
        self.refused(self.complete_with(job, {"n": "x"}), 400, "outputs_schema violation")
        status, reason = self.state(job)
        self.assertEqual(status, "FAILED")
        self.assertIn("outputs_schema violation", reason)
        self.assertEqual(self.poll(self.kind), [])

    def test_a_result_above_a_limit_is_a_failed_attempt(self):
        job = self.one(retryCount=1)
        self.refused(self.complete_with(job, {"text": "x" * (2 << 20)}), 413, "variables would take")
        self.fails(job, "variables would take")

    def test_the_last_attempt_fails_the_run(self):
        job = self.one()
        self.refused(self.complete_with(job, {"text": "x" * (2 << 20)}), 413, "variables would take")
        self.assertEqual(self.state(job)[0], "FAILED")

    def test_a_body_that_is_no_json_is_a_failed_attempt(self):
        for body in (b'{"workerId":"w","variables":{"n":NaN}}', b'{"variables":{"n":NaN, "workerId": "x"}, "workerId" : "w"}',
                     b'{"workerId":"\\u0077","variables":' + DEEP + b"}", b'{"workerId":"w","variables":{"a":1', b'{"workerId":"w","variables":[]}',
                     b'{"workerId":"w","variables":3}', b'{"workerId":"w","result":[1]}'):
            with self.subTest(body[:60]):
                job = self.one(retryCount=1)
                answer = self.send(job, body)
                self.assertIn(answer.status, (400, 413))
                self.fails(job, "")

    def test_only_the_worker_that_holds_the_job_fails_it(self):
        for body in (b'{"workerId":"other","variables":{"n":NaN}}', b'{"variables":{"n":NaN}}', b'{"variables":{"workerId":"w","n":NaN}}', b"NaN", b"",
                     b'{"workerId":NaN}', b'{"workerId":{"workerId":"w"},"n":NaN}', b'{"workerId":"', b'"workerId":"w"', b'{"workerId"'):
            with self.subTest(body):
                job = self.one(retryCount=1)
                self.assertEqual(self.send(job, body).status, 400)
                self.still_open(job)
        job = self.one(outputs_schema=SCHEMA)
        self.refused(self.complete_with(job, {}, worker="other"), 400, "outputs_schema")
        self.still_open(job)
        self.complete(job, {"n": 1})
        self.assertEqual(self.state(job)[0], "COMPLETED")

    def test_an_earlier_delivery_fails_nothing(self):
        kind = self.fresh("kind")
        self.start(self.upload([service("s", "end", kind, outputs_schema=SCHEMA), end()]))
        first = self.take(kind, worker="slow", leaseSeconds=0.2)
        second = self.take(kind, worker="slow")
        self.refused(self.complete_with(first, {}, worker="slow"), 400, "outputs_schema")
        self.still_open(second)
        self.complete(second, {"n": 1}, worker="slow")
        self.assertEqual(self.state(first)[0], "COMPLETED")

    def test_twice_fails_it_once(self):
        job = self.one(retryCount=2)
        large = {"text": "x" * (2 << 20)}
        self.assertEqual(self.complete_with(job, large).status, 413)
        self.assertEqual(self.complete_with(job, large).status, 204)  # The attempt is over: a report that comes too late.
        self.fails(job, "variables would take")

    def test_under_a_key_it_has_the_same_answer_twice(self):
        job, key = self.one(retryCount=1), {"Idempotency-Key": self.fresh("key")}
        first = self.complete_with(job, {"text": "x" * (2 << 20)}, headers=key)
        second = self.complete_with(job, {"text": "x" * (2 << 20)}, headers=key)
        self.assertEqual((first.status, second.status, second.json), (413, 413, first.json))
        self.fails(job, "variables would take")

    def test_a_job_that_is_over_stays_so(self):
        job = self.one(outputs_schema=SCHEMA)
        self.complete(job, {"n": 1})
        self.assertEqual(self.complete_with(job, {}).status, 204)
        self.assertEqual(self.send(job, b'{"workerId":"w","variables":{"n":NaN}}').status, 400)
        self.assertEqual(self.state(job), ("COMPLETED", None))

    def test_an_unreadable_failure_is_only_refused(self):
        job = self.one(retryCount=1)
        self.assertEqual(self.post(f"/v1/jobs/{job['id']}/fail", b'{"workerId":"w","errorData":NaN}').status, 400)
        self.still_open(job)


class Batch(Refusals):
    def test_each_item_alone(self):
        bad, unread, good = self.one(outputs_schema=SCHEMA), self.one(retryCount=1), self.one()
        answer = self.post("/v1/jobs/batch", {"workerId": "w", "complete": [
            {"id": bad["id"], "variables": {}}, {"id": unread["id"], "variables": [1]}, {"id": good["id"], "variables": {}}]})
        self.assertEqual([item["status"] for item in answer.json["completed"]], [400, 400, 204])
        self.assertEqual([self.state(job)[0] for job in (bad, unread, good)], ["FAILED", "ACTIVE", "COMPLETED"])
        self.assertEqual(self.attempts(unread)[0][0], "failed")


class Grpc(Refusals):
    arguments = ("--grpc", "127.0.0.1:0")

    def setUp(self):
        super().setUp()
        self.ask = grpc_client.GrpcClient(grpc_client.port_of(self.server))
        self.addCleanup(self.ask.close)

    def refuse(self, job, text, **result):
        with self.assertRaises(grpc_client.Refused) as caught:
            self.ask("CompleteJob", {"job_id": job["id"], "worker_id": "w", **result})
        self.assertEqual(caught.exception.code, "INVALID_ARGUMENT")
        self.assertIn(text, caught.exception.text)

    def test_a_schema_violation(self):
        job = self.one(retryCount=3, outputs_schema=SCHEMA)
        self.refuse(job, "outputs_schema violation", variables_to_set={"n": "x"})
        self.assertEqual(self.state(job)[0], "FAILED")

    def test_text_that_is_no_json(self):
        job = self.one(retryCount=1)
        self.refuse(job, "variables_json", variables_json='{"n":NaN}')
        self.fails(job, "variables_json")

    def test_a_number_that_is_none(self):
        job = self.one(retryCount=1)
        request = grpc_client.FACTORY.GetPrototype(grpc_client.POOL.FindMessageTypeByName("workflow.v1.CompleteJobRequest"))()
        request.job_id, request.worker_id = job["id"], "w"
        request.variables_to_set.fields["n"].number_value = float("nan")
        with self.assertRaises(grpc_client.Refused):
            self.ask("CompleteJob", request.SerializeToString())
        self.fails(job, "NaN")

    def test_a_value_without_a_kind_is_null(self):
        job = self.one()
        request = grpc_client.FACTORY.GetPrototype(grpc_client.POOL.FindMessageTypeByName("workflow.v1.CompleteJobRequest"))()
        request.job_id, request.worker_id = job["id"], "w"
        request.variables_to_set.fields["n"].SetInParent()
        self.ask("CompleteJob", request.SerializeToString())
        self.assertEqual(json.dumps(self.instance(job["instanceId"])["variables"]), '{"n": null}')


if __name__ == "__main__":
    main()
