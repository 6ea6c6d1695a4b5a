"""Every limit at its value and one beyond."""

import json
import os
import re

from harness import CONTRACT, ROOT, Case, Killed, main, needs_one_node, raw
from steps import decide, end, service, transform, wait


def limits(**values):
    return tuple(word for name, value in values.items() for word in ("--limit", f"{name}={value}"))


class Entities(Case):
    """Writes of entities have longer bodies than others."""
    arguments = limits(body_bytes_max=5000, entity_body_bytes_max=20000)

    def test_bodies(self):
        model = self.fresh("order")
        self.assertEqual(self.post(f"/api/model/import/JSON/SAMPLE_DATA/{model}/1", {"a": 1}).status, 200)
        self.assertEqual(self.client.request("PUT", f"/api/model/{model}/1/lock").status, 200)

        def padded(size):
            return b'[{"a":1}' + b" " * (size - 9) + b"]"
        path = f"/api/entity/JSON/{model}/1"
        self.assertEqual(self.post(path, padded(20000)).status, 200)
        long = self.post(path, padded(20001))
        self.assertEqual((long.status, long.json["properties"]["errorCode"]), (413, "BAD_REQUEST"), long.body)
        self.assertIn("the most is 20000", long.json["detail"])
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
        chunked = raw(self.server, head + b"5000\r\n" + padded(0x5000) + b"\r\n")
        self.assertIn(b"HTTP/1.1 413 ", chunked)
        self.assertIn(b"Content-Type: application/problem+json", chunked)
        self.assertIn(b'"errorCode":"BAD_REQUEST"', chunked)
        self.assertIn(b"more than 20000 bytes", chunked)
        text = raw(self.server, head.replace(b"Host", b"Connection: close\r\nHost") + b"4e20\r\n" + padded(20000) + b"\r\n0\r\n\r\n")
        self.assertIn(b"HTTP/1.1 200 ", text)
        document = f"<o><a>1</a>{' ' * 15000}</o>".encode()
        self.assertEqual(self.post(f"/api/entity/XML/{model}/1", document, {"Content-Type": "application/xml"}).status, 200)
        text = raw(self.server, f"POST /api/search/direct/{model}/1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5001\r\n\r\n".encode() + padded(5001))
        self.assertIn(b"HTTP/1.1 413 ", text)


class Documented(Case):
    """The lengths that the document of the API names are the server's."""

    def test_who_acts(self):
        most = CONTRACT["components"]["parameters"]["Actor"]["schema"]["maxLength"]
        draft = f"/api/workflows/{self.fresh('half')}/draft"
        for length, status in ((most + 1, 400), (most, 201)):
            self.assertEqual(self.client.request("PUT", draft, {"half": "done"}, {"X-Actor": "a" * length}).status, status)

    def test_events(self):
        members = CONTRACT["components"]["schemas"]["CloudEvent"]["properties"]
        headers = {parameter.get("name"): parameter for parameter in CONTRACT["paths"]["/v1/events"]["post"]["parameters"]}
        sent = {"specversion": "1.0", "id": self.fresh("id"), "source": "/limits", "type": "limit"}
        for name in ("id", "source", "type"):
            most = members[name]["maxLength"]
            self.assertEqual(headers[f"ce-{name}"]["schema"]["maxLength"], most)
            for length, status in ((most + 1, 400), (most, 202)):
                event = {**sent, name: "x" * length}
                with self.subTest(name, length=length):
                    self.assertEqual(self.post("/v1/events", event, {"Content-Type": "application/cloudevents+json"}).status, status)
                    binary = {f"ce-{attribute}": value for attribute, value in event.items()}
                    self.assertEqual(self.post("/v1/events", b"x", {"Content-Type": "text/plain", **binary}).status, status)

    def test_keys_of_arrivals(self):
        path = self.fresh("keys")
        self.assertEqual(self.post("/v1/definitions", {
            "dialect": "graph/1", "definitionId": path, "name": path, "edges": [{"from": "t", "to": "h"}],
            "triggers": [{"id": "t", "type": "http", "path": f"/{path}", "deduplicationKey": "$.body.seen", "correlationExpression": "$.body.key"}],
            "nodes": [{"id": "h", "type": "human_task", "config": {"title": "work"}}]}).status, 201)
        self.assertIn("a deduplication key more than 1,024", CONTRACT["paths"]["/hooks/{path}"]["post"]["responses"]["400"]["description"])
        for body, status in (({"seen": "x" * 1025}, 400), ({"seen": "x" * 1024}, 202), ({"key": "x" * 257}, 400), ({"key": "x" * 256}, 202)):
            answer = self.post(f"/hooks/{path}", body)
            self.assertEqual((answer.status, answer.json["outcome"]), (status, "created" if status == 202 else "refused"), answer)


class Alone(Case):
    arguments = limits(batch_calls_max=1)

    def test_requests_of_one_transaction(self):
        name = self.upload([end()])
        body = json.dumps({"definitionId": name}).encode()
        one = b"POST /v1/instances HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n" % len(body)
        before = self.commits()
        text = raw(self.server, (one + b"\r\n" + body) * 49 + one + b"Connection: close\r\n\r\n" + body)
        self.assertEqual(text.count(b"HTTP/1.1 201 "), 50)
        self.assertGreaterEqual(self.commits() - before, 50)  # Together they would share one or two.

    def commits(self):
        return int(re.search(r"^pawl_commits_total (\d+)", self.get("/metrics").body.decode(), re.M)[1])


class Webhooks(Case):
    """A setting says how much anybody may send: more than usual, and never more than all other clients."""
    arguments = limits(hook_body_bytes_max=300000, body_bytes_max=400000)

    def padded(self, size):
        return b'{"a":1' + b" " * (size - 7) + b"}"

    def request(self, size):
        path = self.fresh("large")
        document = {"dialect": "graph/1", "definitionId": path, "name": path, "triggers": [{"id": "t", "type": "http", "path": f"/{path}"}],
                    "nodes": [{"id": "w", "type": "human_task", "config": {"title": "work"}}], "edges": [{"from": "t", "to": "w"}]}
        self.assertEqual(self.post("/v1/definitions", document).status, 201)
        return self.client.request("POST", f"/hooks/{path}", self.padded(size))

    def test_a_body_of_the_setting(self):
        self.assertEqual(self.request(300000).status, 202)
        long = self.request(300001)
        self.assertEqual(long.status, 413, long)
        self.assertIn(b"the most is 300000 (hook_body_bytes_max)", long.body)

    def test_a_body_in_chunks(self):
        head = b"POST /hooks/any HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        text = raw(self.server, head + b"493e1\r\n" + self.padded(0x493e1) + b"\r\n")
        self.assertIn(b"HTTP/1.1 413 ", text)
        self.assertIn(b"more than 300000 bytes, which is the most (hook_body_bytes_max)", text)


class Repeats(Killed):
    """The payload of a start is in three places of a run, and 400 kB of it fit."""

    def test_a_large_payload_is_stored_once(self):
        name, payload = "large", {"text": "x" * 400000}
        document = {"dialect": "graph/1", "definitionId": name, "name": name, "nodes": [{"id": "t", "type": "trigger_manual"}, {"id": "w", "type": "human_task", "config": {"title": "work"}}],
                    "edges": [{"from": "t", "to": "w"}]}
        self.assertEqual(self.post("/v1/definitions", document).status, 201)
        run = self.post("/v1/instances", {"definitionId": name, "variables": payload}).json["id"]
        self.again()
        variables = self.get(f"/v1/instances/{run}").json["variables"]
        self.assertEqual([variables[place]["payload"] for place in ("trigger", "triggers.t", "nodes.t")], [payload] * 3)
        copies = {"values": {f"v{i}": "{{ trigger.payload }}" for i in range(3)}}
        document = {"dialect": "graph/1", "definitionId": "copies", "name": "copies", "nodes": [{"id": "t", "type": "trigger_manual"}, {"id": "s", "type": "set_variables", "config": copies}, {"id": "e", "type": "end"}],
                    "edges": [{"from": "t", "to": "s"}, {"from": "s", "to": "e"}]}
        self.assertEqual(self.post("/v1/definitions", document).status, 201)
        for size, status in ((400_000, "COMPLETED"), (900_000, "FAILED")):
            run = self.post("/v1/instances?wait=20", {"definitionId": "copies", "variables": {"text": "x" * size}}).json
            self.assertEqual(run["status"], status, run.get("failureReason"))
        self.assertIn("VARIABLES_COPIES_MAX", run["failureReason"])
        long = self.post("/v1/instances", {"definitionId": name, "variables": {"text": "x" * (1 << 20)}})
        self.assertEqual(long.status, 413, long)
        self.assertIn("variables_bytes_max", long.json["message"])


class WideWebhooks(Webhooks):
    """No body is larger than body_bytes_max, whatever the setting of webhooks says."""
    arguments = limits(hook_body_bytes_max=500000, body_bytes_max=300000)

    def test_a_body_of_the_setting(self):
        self.assertEqual(self.request(300000).status, 202)
        long = self.request(300001)
        self.assertEqual(long.status, 413, long)
        self.assertIn(b"the most is 300000 (body_bytes_max)", long.body)

    def test_a_body_in_chunks(self):
        head = b"POST /hooks/any HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        text = raw(self.server, head + b"493e1\r\n" + self.padded(0x493e1) + b"\r\n")
        self.assertIn(b"HTTP/1.1 413 ", text)
        self.assertIn(b"more than 300000 bytes, which is the most (body_bytes_max)", text)


class Lowered(Case):
    arguments = limits(body_bytes_max=5000, variables_bytes_max=1000, visits_max=50, wait_seconds_max=2, lease_seconds_max=10,
                       jobs_per_poll_max=3, batch_items_max=2, page_size_max=5, header_count_max=20)

    def test_bodies(self):
        def padded(size):
            body = b'{"definitionId":"ghost"' + b" " * 5000
            return body[:size - 1] + b"}"
        self.assertEqual(self.post("/v1/instances", padded(5000)).status, 404)
        text = raw(self.server, b"POST /v1/instances HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5001\r\n\r\n" + padded(5001))
        self.assertIn(b"HTTP/1.1 413 ", text)
        self.assertIn(b'"error":"limit-exceeded"', text)
        chunk = b"1000\r\n" + b" " * 4096 + b"\r\n"
        text = raw(self.server, b"POST /v1/instances HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk + chunk)
        self.assertIn(b"HTTP/1.1 413 ", text)

    def test_headers(self):
        def request(count):
            return b"GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + b"X: y\r\n" * (count - 2) + b"\r\n"
        self.assertIn(b"HTTP/1.1 200 ", raw(self.server, request(20)))
        self.assertIn(b"HTTP/1.1 431 ", raw(self.server, request(21)))

    def test_variables(self):
        name = self.upload([wait("w", "end"), end()])
        for size, status in ((950, 201), (1001, 413)):
            self.assertEqual(self.post("/v1/instances", {"definitionId": name, "variables": {"a": "x" * size}}).status, status)
        got = self.start(name, {"a": "x" * 900})["id"]
        self.assertEqual(self.post(f"/v1/instances/{got}/signals/w", {"b": "x" * 200}).status, 413)
        self.assertEqual(self.instance(got)["status"], "WAITING")
        self.assertEqual(self.post(f"/v1/instances/{got}/signals/w", {"b": "x" * 50}).status, 204)

    def test_variables_that_grow_in_the_flow_fail_the_instance(self):
        kind = self.fresh()
        name = self.upload([service("s", "t", kind), transform("t", "end", {"b": "${a}", "c": "${a}"}), end()])
        got = self.start(name, {"a": "x" * 600})["id"]
        job, = self.poll(kind)
        self.complete(job)
        self.assertEqual(self.instance(got)["status"], "FAILED")

    def test_visits(self):
        name = self.upload([transform("t", "d", {"n": "${n + 1}"}), decide("d", {"n < max": "t", "true": "end"}), end()])
        self.assertEqual(self.start(name, {"n": 0, "max": 24}, wait=2)["status"], "COMPLETED")
        self.assertEqual(self.start(name, {"n": 0, "max": 25}, wait=2)["status"], "FAILED")

    def test_seconds(self):
        name = self.upload([end()])
        self.assertEqual(self.post("/v1/instances?wait=2", {"definitionId": name}).status, 201)
        self.refused(self.post("/v1/instances?wait=2.001", {"definitionId": name}), 400, "wait must be between 0 and 2 seconds")
        poll = {"workerId": "w", "jobTypes": [self.fresh()]}
        self.refused(self.post("/v1/jobs/poll", {**poll, "waitSeconds": 3}), 400, "waitSeconds")
        self.assertEqual(self.post("/v1/jobs/poll", {**poll, "leaseSeconds": 10}).status, 200)
        self.refused(self.post("/v1/jobs/poll", {**poll, "leaseSeconds": 11}), 400, "leaseSeconds")

    def test_jobs_per_poll_are_cut(self):
        kind = self.fresh()
        name = self.upload([service("s", "end", kind), end()])
        for _ in range(5):
            self.start(name)
        self.assertEqual([len(self.poll(kind, maxJobs=1000)), len(self.poll(kind))], [3, 2])

    def test_batch_items(self):
        items = [{"id": "x"}, {"id": "y"}]
        self.assertEqual(self.post("/v1/jobs/batch", {"workerId": "w", "complete": items}).status, 200)
        self.refused(self.post("/v1/jobs/batch", {"workerId": "w", "complete": items, "fail": [{"id": "z"}]}), 413, "3 items")

    def test_page_size_is_cut(self):
        self.assertEqual(self.get("/v1/definitions?pageSize=5").json["pageSize"], 5)
        answer = self.get("/v1/instances?pageSize=6")
        self.assertEqual(answer.json["pageSize"], 5)
        self.assertIn("page_size_max; 5 was used", answer.headers["X-Pawl-Warning"])
        self.assertEqual(self.get("/v1/instances").json["pageSize"], 5)
        self.assertNotIn("X-Pawl-Warning", self.get("/v1/instances").headers)
        answer = self.get("/api/instances?pageSize=200")
        self.assertEqual((answer.status, answer.json["pageSize"]), (200, 5))
        self.assertIn("page_size_max", answer.headers["X-Pawl-Warning"])
        self.refused(self.get("/api/instances?pageSize=201"), 400, "pageSize must be an integer from 1 to 200")


class Named(Case):
    """A sentence about a limit names the limit, so that 413 does."""

    OTHERS = ("the most is %zu\", name", "more than %d bytes\", name", "numbers are used up", "instance ids", "more than 64 bits", "is too large", ", message)", "(%s)",
              "\"%s\", w", "status == ST_LIMIT", "(maxItems)")

    def test_each_refusal_in_the_source(self):
        calls = re.compile(r"\b(?:fail|fail_at|fail_code|vm_fail|lexer_fail|jsonpath_fail|refuse|refuse_at|schema_refuse)\((?:[^;\"]|\"(?:[^\"\\]|\\.)*\")*?;")
        for folder, _, files in os.walk(os.path.join(ROOT, "src")):
            for name in files:
                if name.endswith(".c") and os.path.basename(folder) not in ("cli", "torture"):
                    with open(os.path.join(folder, name), encoding="utf-8") as file:
                        found = [" ".join(call.split()) for call in calls.findall(file.read()) if "ST_LIMIT" in call]
                    for call in found:
                        with self.subTest(file=name, call=call):
                            self.assertTrue(re.search(r"\((?:[A-Z_]+(?:, [A-Z_]+)*|[a-z_]+_max)\)", call) or any(part in call for part in self.OTHERS))

    def test_answers(self):
        for path, body, words in (("/v1/jobs/poll", {"workerId": "w", "jobTypes": ["x"] * 201}, "200 (JOB_TYPES_PER_POLL_MAX)"), ("/v1/instances", b"[" * 200, "128 (JSON_DEPTH_MAX)"),
                                  ("/v1/instances", {"definitionId": self.upload([wait("w", "end"), end()]), "variables": {"a": "x" * (1 << 20)}}, "1048576 (variables_bytes_max)")):
            self.refused(self.post(path, body), 413, words)


class Fixed(Case):
    def test_texts(self):
        name = self.upload([wait("w", "end"), end()])
        self.start(name, businessKey="k" * 256)
        self.refused(self.post("/v1/instances", {"definitionId": name, "businessKey": "k" * 257}), 413, "businessKey")
        self.assertEqual(self.post("/v1/instances", {"definitionId": "d" * 256}).status, 404)
        self.assertEqual(self.post("/v1/instances", {"definitionId": "d" * 257}).status, 413)
        poll = {"workerId": "w" * 256, "jobTypes": ["x"]}
        self.assertEqual(self.post("/v1/jobs/poll", poll).status, 200)
        self.refused(self.post("/v1/jobs/poll", {**poll, "workerId": "w" * 257}), 413, "workerId")

    def test_job_types(self):
        self.assertEqual(self.post("/v1/jobs/poll", {"workerId": "w", "jobTypes": ["x"] * 200}).status, 200)
        self.refused(self.post("/v1/jobs/poll", {"workerId": "w", "jobTypes": ["x"] * 201}), 413, "jobTypes")
        self.assertEqual(self.post("/v1/jobs/poll", {"workerId": "w", "jobTypes": ["x" * 256]}).status, 200)
        self.refused(self.post("/v1/jobs/poll", {"workerId": "w", "jobTypes": ["x", "x" * 257]}), 413, "257 bytes; the most is 256")
        self.refused(self.post("/v1/jobs/batch", {"workerId": "w", "poll": {"jobTypes": ["x" * 257]}}), 413, "257 bytes")
        self.assertEqual(self.get("/v1/jobs?jobType=" + "x" * 256).status, 200)
        self.refused(self.get("/v1/jobs?jobType=" + "x" * 257), 400, "257 bytes")

    def test_a_workers_long_story_is_cut(self):
        kind = self.fresh()
        got = self.start(self.upload([service("s", "end", kind), end()]))["id"]
        self.fail_job(self.take(kind), "ü" * 5000)
        reason = self.instance(got)["failureReason"]
        self.assertLessEqual(len(reason.encode()), 4096)
        self.assertTrue(reason.startswith("üüü"))

    def test_steps(self):
        def flow(count):
            return {"id": self.fresh(), "name": "x", "steps": [service(f"s{n}", f"s{n + 1}" if n < count - 2 else "end", "x") for n in range(count - 1)] + [end()]}
        self.assertEqual(self.post("/v1/definitions", flow(2000)).status, 201)
        self.refused(self.post("/v1/definitions", flow(2001)), 400, "2001")


class Overload(Case):
    arguments = limits(queue_calls_max=1)

    @needs_one_node
    def test_a_full_queue_says_when_to_come_back(self):
        """Many starts at once against a queue of one: each is done or told 429, none is lost."""
        name = self.upload([end()])
        body = b'{"definitionId":"%s"}' % name.encode()
        head = b"POST /v1/instances HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n" % len(body)
        started = refused = 0
        for _ in range(100):
            text = raw(self.server, (head + b"\r\n" + body) * 50 + head + b"Connection: close\r\n\r\n" + body)
            done, told = text.count(b"HTTP/1.1 201 "), text.count(b"HTTP/1.1 429 ")
            self.assertEqual((done + told, text.count(b"Retry-After: 1\r\n")), (51, told))
            started, refused = started + done, refused + told
            if refused:
                break
        self.assertGreater(refused, 0)
        self.assertEqual(self.get(f"/v1/instances?definitionId={name}").json["total"], started)
        self.assertGreaterEqual(self.metric("pawl_rejected_overload_total"), refused)


if __name__ == "__main__":
    main()
