"""Results and the next jobs in one request."""

from harness import PATIENCE, Case, main
from steps import end, service


class Batches(Case):
    def setUp(self):
        super().setUp()
        self.kind = self.fresh()
        self.flow = self.upload([service("s", "end", self.kind, retryCount=1), end()])

    def jobs(self, count, worker="w"):
        for _ in range(count):
            self.start(self.flow)
        jobs = self.poll(self.kind, worker=worker, maxJobs=count)
        self.assertEqual(len(jobs), count)
        return jobs

    def batch(self, **body):
        answer = self.post("/v1/jobs/batch", {"workerId": "w", **body})
        self.assertEqual(answer.status, 200, answer)
        return answer.json

    def test_every_item_has_its_own_answer(self):
        a, b, c, d = self.jobs(4)
        got = self.batch(complete=[{"id": a["id"], "variables": {"n": 1}}, {"id": "x"}, {"id": b["id"], "variables": None}],
                         fail=[{"id": c["id"], "errorMessage": "no", "retryable": False}, {"id": d["id"], "errorMessage": "yet", "retryable": True},
                               {"id": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}])
        self.assertEqual([(i["id"], i["status"]) for i in got["completed"]], [(a["id"], 204), ("x", 404), (b["id"], 204)])
        self.assertEqual([i["status"] for i in got["failed"]], [204, 204, 404])
        self.assertEqual((got["completed"][1]["error"], got["jobs"]), ("not-found", []))
        states = [self.instance(job["instanceId"]) for job in (a, b, c, d)]
        self.assertEqual([s["status"] for s in states], ["COMPLETED", "COMPLETED", "FAILED", "ACTIVE"])
        self.assertEqual((states[0]["variables"], states[2]["failureReason"]), ({"n": 1}, "no"))

    def test_stale_items_are_204_too(self):
        job, = self.jobs(1)
        other, = self.jobs(1, worker="other")
        self.complete(job)
        got = self.batch(complete=[{"id": job["id"]}], fail=[{"id": other["id"], "errorMessage": "not mine"}])
        self.assertEqual([i["status"] for i in got["completed"] + got["failed"]], [204, 204])
        self.assertEqual(self.instance(other["instanceId"])["status"], "ACTIVE")
        self.batch(complete=[{"id": other["id"]}])  # Work that is done is done, whoever holds the job.
        self.assertEqual(self.instance(other["instanceId"])["status"], "COMPLETED")

    def test_an_item_twice_takes_effect_once(self):
        job, = self.jobs(1)
        self.batch(complete=[{"id": job["id"], "variables": {"n": 1}}, {"id": job["id"], "variables": {"n": 2}}])
        self.assertEqual(self.instance(job["instanceId"])["variables"], {"n": 1})

    def test_the_poll_sees_what_the_items_did(self):
        next_kind = self.fresh()
        name = self.upload([service("one", "two", self.kind), service("two", "end", next_kind), end()])
        self.start(name)
        job, = self.poll(self.kind)
        got = self.batch(complete=[{"id": job["id"], "variables": {"n": 1}}], poll={"jobTypes": [next_kind]})
        self.assertEqual([(j["stepId"], j["variables"], j["workerId"]) for j in got["jobs"]], [("two", {"n": 1}, "w")])

    def test_the_poll_alone_with_its_own_settings(self):
        for _ in range(3):
            self.start(self.flow)
        got = self.batch(poll={"jobTypes": [self.kind], "maxJobs": 2, "leaseSeconds": 100})
        self.assertEqual(len(got["jobs"]), 2)
        self.assertEqual(len(self.batch(poll={"jobTypes": [self.kind]})["jobs"]), 1)
        self.assertEqual(self.batch(poll={"jobTypes": [self.kind], "waitSeconds": 0.05})["jobs"], [])

    def test_the_poll_waits(self):
        finish = self.client.later("/v1/jobs/batch", {"workerId": "w", "poll": {"jobTypes": [self.kind], "waitSeconds": PATIENCE}})
        got = self.start(self.flow)
        self.assertEqual([j["instanceId"] for j in finish().json["jobs"]], [got["id"]])

    def test_nothing_to_do_is_fine(self):
        for body in ({}, {"complete": [], "fail": []}, {"complete": None, "fail": None, "poll": None}):
            self.assertEqual(self.batch(**body), {"completed": [], "failed": [], "jobs": []})

    def test_bodies_that_are_refused_do_nothing(self):
        job, = self.jobs(1)
        item = {"id": job["id"]}
        cases = [(b"", "body"), ([], "object"), ({}, "workerId"), ({"workerId": "w", "complete": {}}, "complete"), ({"workerId": "w", "fail": "x"}, "fail"),
                 ({"workerId": "w", "poll": []}, "poll"), ({"workerId": "w", "poll": {}}, "jobTypes"), ({"workerId": "w", "complete": [3]}, "complete"),
                 ({"workerId": "w", "complete": [item, {}]}, "id"),
                 ({"workerId": "w", "complete": [item], "fail": [{**item, "retryable": 1}]}, "retryable"),
                 ({"workerId": "w", "complete": [item], "poll": {"jobTypes": ["x"], "waitSeconds": 61}}, "waitSeconds")]
        for body, text in cases:
            with self.subTest(body):
                self.refused(self.post("/v1/jobs/batch", body), 400, text)
        self.assertEqual(self.instance(job["instanceId"])["status"], "ACTIVE")


if __name__ == "__main__":
    main()
