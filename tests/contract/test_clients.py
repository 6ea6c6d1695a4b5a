"""The SDKs of the engine this contract comes from: what they send, and what they read from the answers."""

import http.client
import json

from contract import Contract, end, fork, fresh, join, main, service, user, wait


class NodeRunner(Contract):
    """Polls with maxJobs = concurrency and completes. A non-2xx to complete makes it call fail; a non-2xx to fail
    kills it."""

    def loop(self, kind, handler, rounds):
        connection = self.engine.connect()
        headers = {"content-type": "application/json", "accept": "*/*", "accept-encoding": "gzip, deflate",
                   "connection": "keep-alive", "user-agent": "undici"}

        def call(path, body):
            connection.request("POST", path, json.dumps(body), headers)
            response = connection.getresponse()
            return response.status, response.read()
        done = []
        try:
            for _ in range(rounds):
                status, text = call("/v1/jobs/poll", {"workerId": "node-1", "jobTypes": [kind], "maxJobs": 64})
                self.assertEqual(status, 200)
                for job in json.loads(text)["jobs"]:
                    try:
                        status, _ = call("/v1/jobs/%s/complete" % job["id"],
                                         {"workerId": "node-1", "variables": handler(job)})
                    except ValueError as error:
                        status, _ = call("/v1/jobs/%s/fail" % job["id"],
                                         {"workerId": "node-1", "errorMessage": str(error), "retryable": True})
                    self.assertTrue(200 <= status < 300)
                    done.append(job["id"])
        finally:
            connection.close()
        return done

    def test_it_works_through_its_jobs(self):
        kind = fresh("job")
        name = self.deploy([service("a", "b", kind), service("b", "end", kind), end()])
        made = [self.start(name, {"n": n})["id"] for n in range(5)]
        self.assertEqual(len(self.loop(kind, lambda job: {"seen": job["variables"]["n"]}, 3)), 10)
        self.assertEqual([self.instance(one)["status"] for one in made], ["COMPLETED"] * 5)

    def test_a_handler_that_throws(self):
        kind = fresh("job")
        made = self.begin([service("a", "end", kind, retryCount=2), end()])

        def throw(job):
            raise ValueError("no luck with %d" % job["retriesRemaining"])
        self.loop(kind, throw, 4)
        self.assert_failed(made, "no luck with 0")

    def test_stale_callbacks_do_not_kill_it(self):
        kind = fresh("job")
        made = self.begin([service("a", "end", kind), end()])

        def slow(job):
            self.cancel(made)
            return {"x": 1}
        self.assertEqual(len(self.loop(kind, slow, 1)), 1)
        self.assertEqual(self.instance(made)["variables"], {})


class PythonSdk(Contract):
    FIELDS = {"id": str, "jobType": str, "instanceId": str, "stepId": str, "stepExecutionId": str,
              "retriesRemaining": int, "variables": dict}

    def test_the_fields_its_handlers_get(self):
        kind = fresh("job")
        self.begin([service("a", "end", kind, retryCount=1), end()], {"email": "a@example.com"})
        job = self.post("/v1/jobs/poll", {"workerId": "py", "jobTypes": [kind], "maxJobs": 1}, 200).json["jobs"][0]
        for field, kind in self.FIELDS.items():
            self.assertIsInstance(job[field], kind, field)

    def test_its_calls(self):
        kind = fresh("job")
        name = self.post("/v1/definitions", {"id": fresh("py"), "name": "n",
                                             "steps": [service("a", "u", kind), user("u", "end"), end()]},
                         201).json["id"]
        self.get("/v1/definitions/" + name)
        self.get("/v1/definitions?keyword=%s&page=0&page_size=20" % name)
        made = self.post("/v1/instances", {"definitionId": name, "variables": {}, "definitionVersion": None,
                                           "businessKey": None})
        self.assertEqual(made.status, 201, made)
        made = made.json["id"]
        job = self.post("/v1/jobs/poll", {"workerId": "py", "jobTypes": [kind], "maxJobs": 1}, 200).json["jobs"][0]
        self.post("/v1/jobs/%s/complete" % job["id"], {"workerId": "py", "variables": {}}, 204)
        task = self.get("/v1/user-tasks?instanceId=" + made).json["items"][0]["id"]
        self.post("/v1/user-tasks/%s/complete" % task, {"completedBy": "ann", "result": {"ok": True}}, 204)
        self.assertEqual(self.instance(made)["variables"], {"ok": True})
        self.assertEqual(len(self.history(made)), 3)

    def test_it_reads_the_message_of_an_error(self):
        self.assertTrue(self.post("/v1/instances", {"definitionId": "nobody"}, 404).json["message"])

    def test_it_cancels_with_and_without_a_reason(self):
        name = self.deploy([user("u", "end"), end()])
        for body in ({"reason": "x"}, {}, {"reason": None}):
            self.cancel(self.start(name)["id"], body)


class GoClient(Contract):
    def decode(self, found, *fields):
        """encoding/json: the last key wins, whatever its case."""
        folded = {}
        for key, value in found.items():
            folded[key.lower()] = value
        return tuple(folded[field.lower()] for field in fields)

    def test_history_is_read_in_any_case(self):
        made = self.begin([user("u", "end"), end()])
        self.complete_task(made, "u")
        rows = [self.decode(row, "stepId", "stepType", "attemptNumber", "status") for row in self.history(made)]
        self.assertEqual(rows, [("u", "USER_TASK", 1, "COMPLETED"), ("end", "END", 1, "COMPLETED")])

    def test_a_nil_map_is_signalled_as_null(self):
        made = self.begin([wait("w", "end"), end()])
        self.signal(made, "w", "null")
        self.assertEqual(self.instance(made)["status"], "COMPLETED")

    def test_lists_are_arrays(self):
        self.assertEqual(self.post("/v1/jobs/poll", {"workerId": "go", "jobTypes": [fresh("none")], "maxJobs": 64},
                                   200).json, {"jobs": []})
        self.assertEqual(self.get("/v1/instances?definitionId=nobody").json["items"], [])

    def test_a_new_line_behind_the_body(self):
        name = self.deploy([end()])
        self.post("/v1/instances", json.dumps({"definitionId": name}) + "\n", 201)

    def test_many_connections_at_once(self):
        connections = [self.engine.connect() for _ in range(30)]
        try:
            for connection in connections:
                connection.request("GET", "/v1/definitions?pageSize=1")
            self.assertEqual({connection.getresponse().status for connection in connections}, {200})
        finally:
            for connection in connections:
                connection.close()


class JavaSdk(Contract):
    def test_it_offers_http_2_on_every_request(self):
        kind = fresh("job")
        made = self.begin([fork("f", ["a", "b"], "j"), service("a", "j", kind), service("b", "j", kind),
                           join("j", "end"), end()])
        headers = {"Connection": "Upgrade, HTTP2-Settings", "Upgrade": "h2c",
                   "HTTP2-Settings": "AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA",
                   "User-Agent": "Java-http-client/21", "Content-Type": "application/json"}
        connection = http.client.HTTPConnection("127.0.0.1", self.engine.port, timeout=10)
        try:
            connection.request("POST", "/v1/jobs/poll", json.dumps({"workerId": "java", "jobTypes": [kind],
                                                            "maxJobs": 64}), headers)
            jobs = json.loads(connection.getresponse().read())["jobs"]
            for job in jobs:
                connection.request("POST", "/v1/jobs/%s/complete" % job["id"],
                                   json.dumps({"workerId": "java", "variables": {}}), headers)
                response = connection.getresponse()
                response.read()
                self.assertEqual((response.status, response.version), (204, 11))
        finally:
            connection.close()
        self.assertEqual(self.instance(made)["status"], "COMPLETED")


if __name__ == "__main__":
    main()
