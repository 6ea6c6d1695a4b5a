"""The same request with the same key is done once."""

from harness import Case, main
from steps import decide, end, person, service, wait


class Keys(Case):
    def setUp(self):
        super().setUp()
        self.key = self.fresh("key")

    def twice(self, path, body=None):
        """Sends the request twice; the first answer, after both are found alike."""
        headers = {"Idempotency-Key": self.key}
        first, second = self.post(path, body, headers), self.post(path, body, headers)
        self.assertNotIn("Idempotency-Replayed", first.headers)
        self.assertEqual(second.headers["Idempotency-Replayed"], "true")
        self.assertEqual((first.status, first.body, first.type), (second.status, second.body, second.type))
        return first

    def test_a_start(self):
        name = self.upload([wait("w", "end"), end()])
        before = self.metric("pawl_idempotent_replays_total")
        first = self.twice("/v1/instances", {"definitionId": name, "variables": {"n": 1}})
        self.assertEqual(first.status, 201)
        self.assertEqual(self.get(f"/v1/instances?definitionId={name}").json["total"], 1)
        self.assertEqual(self.metric("pawl_idempotent_replays_total"), before + 1)

    def test_the_remembered_answer_is_that_of_then(self):
        name = self.upload([wait("w", "end"), end()])
        headers, body = {"Idempotency-Key": self.key}, {"definitionId": name}
        first = self.post("/v1/instances", body, headers)
        self.post(f"/v1/instances/{first.json['id']}/signals/w")
        self.assertEqual(self.post("/v1/instances", body, headers).json["status"], "WAITING")

    def test_a_business_key_does_not_get_in_the_way(self):
        name = self.upload([wait("w", "end"), end()])
        self.assertEqual(self.twice("/v1/instances", {"definitionId": name, "businessKey": "b"}).status, 201)

    def test_an_upload(self):
        name = self.fresh()
        self.twice("/v1/definitions", {"id": name, "name": "x", "steps": [end()]})
        self.assertEqual(self.get(f"/v1/definitions/{name}").json["version"], 1)

    def test_results_of_jobs(self):
        for verb in ("complete", "fail"):
            kind = self.fresh()
            self.key = self.fresh("key")
            self.start(self.upload([service("s", "end", kind), end()]))
            self.assertEqual(self.twice(f"/v1/jobs/{self.take(kind)['id']}/{verb}", {"workerId": "w"}).status, 204)

    def test_a_batch(self):
        kind = self.fresh()
        got = self.start(self.upload([service("s", "end", kind), end()]))["id"]
        self.twice("/v1/jobs/batch", {"workerId": "w", "complete": [{"id": self.take(kind)["id"], "variables": {"n": 1}}]})
        self.assertEqual(self.instance(got)["variables"], {"n": 1})

    def test_a_replayed_batch_takes_no_jobs(self):
        kind = self.fresh()
        name = self.upload([service("s", "end", kind), end()])
        body, headers = {"workerId": "w", "poll": {"jobTypes": [kind]}}, {"Idempotency-Key": self.key}
        self.assertEqual(self.post("/v1/jobs/batch", body, headers).json["jobs"], [])
        self.start(name)
        self.assertEqual(self.post("/v1/jobs/batch", body, headers).headers["Idempotency-Replayed"], "true")
        self.assertEqual(len(self.poll(kind)), 1)

    def test_a_task_by_step_and_by_id(self):
        name = self.upload([person("p", "end"), end()])
        got = self.start(name)["id"]
        self.assertEqual(self.twice(f"/v1/instances/{got}/user-tasks/p/complete").status, 204)
        self.key = self.fresh("key")
        got = self.start(name)["id"]
        task, = self.get(f"/v1/user-tasks?instanceId={got}").json["items"]
        self.assertEqual(self.twice(f"/v1/user-tasks/{task['id']}/complete", {"result": {"n": 1}}).status, 204)

    def test_signals_cancels_and_retries(self):
        name = self.upload([wait("w", "d"), decide("d", {"ok": "end"}), end()])
        got = self.start(name, {"ok": False})["id"]
        self.assertEqual(self.twice(f"/v1/instances/{got}/signals/w", {}).status, 204)
        self.key = self.fresh("key")
        self.assertEqual(self.twice(f"/v1/instances/{got}/steps/d/retry", {"variables": {"ok": True}}).status, 200)
        self.key = self.fresh("key")
        got = self.start(name)["id"]
        self.assertEqual(self.twice(f"/v1/instances/{got}/cancel", {"reason": "r"}).status, 200)

    def test_the_key_of_another_request_is_refused(self):
        name = self.upload([end()])
        headers = {"Idempotency-Key": self.key}
        self.assertEqual(self.post("/v1/instances", {"definitionId": name}, headers).status, 201)
        self.refused(self.post("/v1/instances", {"definitionId": name, "variables": {}}, headers), 422, "key")
        self.refused(self.post(f"/v1/definitions/{name}/instances", {"definitionId": name}, headers), 422, "key")
        self.assertEqual(self.get(f"/v1/instances?definitionId={name}").json["total"], 1)

    def test_what_was_refused_is_not_remembered(self):
        name, headers = self.fresh(), {"Idempotency-Key": self.key}
        self.assertEqual(self.post("/v1/instances", {"definitionId": name}, headers).status, 404)
        self.post("/v1/definitions", {"id": name, "name": "x", "steps": [end()]})
        self.assertEqual(self.post("/v1/instances", {"definitionId": name}, headers).status, 201)

    def test_two_at_once(self):
        """Both are in flight together: one starts, the other gets its answer."""
        name = self.upload([wait("w", "end"), end()])
        body, headers = {"definitionId": name}, {"Idempotency-Key": self.key}
        others = [type(self.client)(self.server) for _ in range(4)]
        for other in others:
            other.connection.request("POST", "/v1/instances", b'{"definitionId":"%s"}' % name.encode(), headers)
        ids = set()
        for other in others:
            ids.add(other.connection.getresponse().read())
            other.close()
        self.assertEqual(len(ids), 1)
        self.assertEqual(self.get(f"/v1/instances?definitionId={name}").json["total"], 1)
        self.assertEqual(self.post("/v1/instances", body, headers).status, 422)  # Other bytes: another request.

    def test_keys_have_a_limit(self):
        name = self.upload([end()])
        self.assertEqual(self.post("/v1/instances", {"definitionId": name}, {"Idempotency-Key": "k" * 255}).status, 201)
        self.refused(self.post("/v1/instances", {"definitionId": name}, {"Idempotency-Key": "k" * 256}), 400, "Idempotency-Key")


if __name__ == "__main__":
    main()
