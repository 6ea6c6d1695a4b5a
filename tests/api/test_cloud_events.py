"""CloudEvents: how they come in, what they do, and what does not get in."""

import base64
import json
import shutil
import tempfile

from harness import PATIENCE, Case, Client, Server, main
from workflows import event, on, operation, trigger, worker

STRUCTURED = "application/cloudevents+json"
BATCH = "application/cloudevents-batch+json"


class Events(Case):
    def setUp(self):
        super().setUp()
        self.source = "/" + self.fresh("source")

    def send(self, body, kind=STRUCTURED, **headers):
        """What one event did, or each of a batch."""
        answer = self.post("/v1/events", body, {"Content-Type": kind, **headers})
        self.assertEqual(answer.status, 202, answer)
        events = answer.json["events"]
        return events if kind == BATCH else events[0]

    def send_binary(self, body=None, kind=None, **attributes):
        headers = {"Content-Type": kind or "", **{"ce-" + name: value for name, value in attributes.items()}}
        answer = self.post("/v1/events", body, headers)
        self.assertEqual(answer.status, 202, answer)
        return answer.json["events"][0]

    def event(self, kind="go", **more):
        return {"specversion": "1.0", "id": self.fresh("event"), "source": self.source, "type": kind, **more}

    def upload_receiver(self, **more):
        """Starts with "go", ends with what that brought."""
        return self.upload_workflow(event("Receive", on("go")), triggers=[trigger("go", self.source, "go")], **more)

    def upload_order(self):
        """Starts with "placed", goes on with "paid" of the same order."""
        return self.upload_workflow(
            event("Placed", on("placed", "Paid")), event("Paid", on("paid")),
            triggers=[trigger("placed", self.source, "placed", "$.data.order"), trigger("paid", self.source, "paid", "$.data.order")])


class Modes(Events):
    arguments = ("--cors-origin", "http://a.example")

    def output(self, did):
        self.assertEqual((did["outcome"], did["instanceCount"]), ("started", 1), did)
        instance, = did["instances"]
        self.assertTrue(instance["started"])
        return self.instance(instance["id"])["output"]

    def test_structured(self):
        self.upload_receiver()
        for kind in (STRUCTURED, STRUCTURED + "; charset=utf-8", "Application/CloudEvents+JSON;charset=\"UTF-8\""):
            self.assertEqual(self.output(self.send(self.event(data={"a": [1, "ä"]}), kind)), {"a": [1, "ä"]})
        self.assertEqual(self.output(self.send(self.event(specversion="0.3", data={"a": 1}))), {"a": 1})
        self.assertEqual(self.output(self.send(self.event())), {})

    def test_data_in_base64(self):
        self.upload_receiver()
        encoded = base64.b64encode(b'{"a":1}').decode()
        for datacontenttype, want in (("application/json", {"a": 1}), ("text/plain", {"go": '{"a":1}'}), ("image/png", {"go": encoded})):
            self.assertEqual(self.output(self.send(self.event(datacontenttype=datacontenttype, data_base64=encoded))), want)

    def test_binary(self):
        self.upload_receiver()
        cases = ((b'{"a":1}', "application/json", {"a": 1}), (b'{"a":1}', "application/json; charset=utf-8", {"a": 1}),
                 (b'{"a":1}', "application/vnd.acme+json", {"a": 1}), (b'{"a":1}', "text/plain", {"go": '{"a":1}'}),
                 (b"\xff\x00", "application/octet-stream", {"go": "/wA="}), (b"x", "", {"go": "eA=="}),
                 (None, "application/json", {}), (None, None, {}))
        for body, kind, want in cases:
            did = self.send_binary(body, kind, specversion="1.0", id=self.fresh("e"), source=self.source, type="go", subject="s", myext="7")
            self.assertEqual(self.output(did), want, kind)

    def test_header_values_are_percent_decoded(self):
        did = self.send_binary(specversion="1.0", id="a%20b%C3%A4", source='"' + self.source + '"', type="nobody%25")
        self.assertEqual((did["id"], did["source"], did["type"], did["outcome"]), ("a bä", self.source, "nobody%", "unmatched"))

    def test_a_batch_in_its_order(self):
        self.upload_order()
        number = self.fresh("order")
        did = self.send([self.event("placed", data={"order": number}), self.event("paid", data={"order": number}),
                         self.event("lost"), self.event("placed", data={"order": number + "b"})], BATCH)
        self.assertEqual([event["outcome"] for event in did], ["started", "delivered", "unmatched", "started"])
        self.assertEqual(did[0]["instances"][0]["id"], did[1]["instances"][0]["id"])
        self.assertEqual(did[1]["instances"][0]["started"], False)
        self.assertEqual(self.instance(did[0]["instances"][0]["id"])["executionStatus"], "Success")
        self.assertEqual(self.send([], BATCH), [])

    def test_without_a_body_type_a_hint(self):
        for kind in ("application/json", "text/plain", "application/cloudevents", "application/cloudevents+avro", ""):
            answer = self.post("/v1/events", self.event(), {"Content-Type": kind})
            self.refused(answer, 415, "application/cloudevents+json")

    def test_other_origins_may_send(self):
        answer = self.post("/v1/events", self.event(), {"Content-Type": STRUCTURED, "Origin": "http://a.example"})
        self.assertEqual((answer.status, answer.headers["Access-Control-Allow-Origin"]), (202, "http://a.example"))
        answer = self.post("/v1/events", b"{", {"Content-Type": STRUCTURED, "Origin": "http://a.example"})
        self.assertEqual((answer.status, answer.headers["Access-Control-Allow-Origin"]), (400, "http://a.example"))
        answer = self.client.request("OPTIONS", "/v1/events", None, {"Origin": "http://a.example", "Access-Control-Request-Method": "POST"})
        self.assertEqual(answer.status, 200)


class Malformed(Events):
    def malformed(self, answer, attribute, index=None):
        self.assertEqual((answer.status, answer.type), (400, "application/problem+json"), answer)
        self.assertEqual((answer.json.get("attribute"), answer.json.get("index")), (attribute, index), answer)
        self.assertEqual((answer.json["status"], answer.json["title"]), (400, "Bad Request"))

    def test_attributes(self):
        cases = [({"specversion": None}, "specversion"), ({"specversion": "2.0"}, "specversion"), ({"specversion": 1.0}, "specversion"),
                 ({"id": None}, "id"), ({"id": ""}, "id"), ({"id": 7}, "id"), ({"source": ""}, "source"), ({"source": ["s"]}, "source"),
                 ({"id": "i" * 1025}, "id"), ({"source": "s" * 1025}, "source"), ({"type": "t" * 1025}, "type"),
                 ({"type": ""}, "type"), ({"time": "yesterday"}, "time"), ({"time": "2026-13-01T00:00:00Z"}, "time"), ({"subject": ""}, "subject"),
                 ({"Upper": "x"}, "Upper"), ({"under_score": "x"}, "under_score"), ({"ext": {"a": 1}}, "ext"), ({"ext": []}, "ext"),
                 ({"data": 1, "data_base64": "MQ=="}, "data"), ({"data_base64": "?"}, "data_base64"), ({"data_base64": 7}, "data_base64"),
                 ({"data_base64": "ew==", "datacontenttype": "application/json"}, "data_base64")]
        name = self.upload_receiver()
        for changes, attribute in cases:
            sent = self.event(**changes)
            with self.subTest(changes):
                self.malformed(self.post("/v1/events", sent, {"Content-Type": STRUCTURED}), attribute)
                self.malformed(self.post("/v1/events", [self.event(), sent], {"Content-Type": BATCH}), attribute, 1)
        for missing in ("specversion", "id", "source", "type"):
            sent = self.event()
            del sent[missing]
            self.malformed(self.post("/v1/events", sent, {"Content-Type": STRUCTURED}), missing)
        self.assertEqual(self.get(f"/v1/instances?definitionId={name}").json["total"], 0)

    def test_a_malformed_batch_does_nothing(self):
        name = self.upload_receiver()
        good = self.event()
        self.malformed(self.post("/v1/events", [good, self.event(id="")], {"Content-Type": BATCH}), "id", 1)
        self.malformed(self.post("/v1/events", [good, 7], {"Content-Type": BATCH}), "event", 1)
        self.assertEqual(self.get(f"/v1/instances?definitionId={name}").json["total"], 0)
        self.assertEqual(self.send(good)["outcome"], "started")

    def test_bodies(self):
        for kind, body in ((STRUCTURED, b""), (STRUCTURED, b"{"), (STRUCTURED, b"[]"), (STRUCTURED, b"null"), (STRUCTURED, b"\xff"),
                           (BATCH, b"{}"), (BATCH, b""), (BATCH, b"[")):
            self.assertEqual(self.post("/v1/events", body, {"Content-Type": kind}).status, 400, (kind, body))
        self.assertEqual(self.post("/v1/events", self.event(), {"Content-Type": STRUCTURED + "; charset=latin1"}).status, 415)

    def test_headers(self):
        good = {"ce-specversion": "1.0", "ce-id": "1", "ce-source": self.source, "ce-type": "go"}
        cases = [({"ce-specversion": "0.2"}, "specversion"), ({"ce-id": ""}, "id"), ({"ce-time": "now"}, "time"), ({"ce-subject": "%zz"}, "subject"),
                 ({"ce-subject": "%ff"}, "subject"), ({"ce-data": "x"}, "data"), ({"ce-datacontenttype": "text/plain"}, "datacontenttype"),
                 ({"ce-my_ext": "x"}, "my_ext")]
        for changes, attribute in cases:
            self.malformed(self.post("/v1/events", None, {**good, **changes}), attribute)
        for missing in good:
            headers = {name: value for name, value in good.items() if name != missing}
            self.malformed(self.post("/v1/events", None, headers), missing[3:])
        self.assertEqual(self.post("/v1/events", b"{", good).status, 400)
        self.assertEqual(self.post("/v1/events", b"{}", {**good, "Content-Type": "application/json; charset=utf-16"}).status, 415)

    def test_an_attribute_twice(self):
        self.client.connection.putrequest("POST", "/v1/events")
        for name, value in (("ce-specversion", "1.0"), ("ce-id", "1"), ("CE-Id", "2"), ("ce-source", "s"), ("ce-type", "t"), ("Content-Length", "0")):
            self.client.connection.putheader(name, value)
        self.client.connection.endheaders()
        response = self.client.connection.getresponse()
        self.assertEqual((response.status, json.loads(response.read())["attribute"]), (400, "id"))

    def test_too_many_and_too_large(self):
        batch = [self.event() for _ in range(1001)]
        self.assertEqual(self.post("/v1/events", batch, {"Content-Type": BATCH}).status, 413)
        self.assertEqual(len(self.send(batch[:1000], BATCH)), 1000)
        answer = self.post("/v1/events", self.event(data="x" * (5 << 20)), {"Content-Type": STRUCTURED})
        self.assertEqual(answer.status, 413)


class Outcomes(Events):
    def test_a_duplicate_does_nothing_and_says_what_it_did(self):
        name = self.upload_receiver()
        sent = self.event(data={"a": 1})
        first, second = self.send(sent), self.send({**sent, "data": {"a": 2}})
        self.assertEqual((second["outcome"], second["firstOutcome"]), ("duplicate", "started"))
        self.assertEqual(second["instances"], first["instances"])
        self.assertEqual(self.get(f"/v1/instances?definitionId={name}").json["total"], 1)
        # Of another source it is another event.
        self.assertEqual(self.send({**sent, "source": self.source + "/x"})["outcome"], "unmatched")

    def test_a_duplicate_within_a_batch(self):
        self.upload_receiver()
        sent = self.event()
        self.assertEqual([event["outcome"] for event in self.send([sent, sent], BATCH)], ["started", "duplicate"])

    def test_an_unmatched_event_is_kept(self):
        sent = self.event("nobody", data={"deep": {"er": 1}}, subject="s")
        self.assertEqual(self.send(sent)["outcome"], "unmatched")
        again = self.send(sent)
        self.assertEqual(again["outcome"], "unmatched")  # No instance has it: it is matched again.
        page = self.get("/v1/events/unmatched?pageSize=1").json
        self.assertEqual(page["items"][0]["event"], sent)
        self.assertIn("no definition", page["items"][0]["reason"])

    def test_pages_of_unmatched_events(self):
        ids = [self.send(self.event("nobody"))["id"] for _ in range(5)]
        page = self.get("/v1/events/unmatched?pageSize=2").json
        self.assertGreaterEqual(page["total"], 5)
        got = [item["event"]["id"] for item in page["items"]]
        for _ in range(2):
            page = self.get(f"/v1/events/unmatched?pageSize=2&cursor={page['nextCursor']}").json
            self.assertNotIn("total", page)
            got += [item["event"]["id"] for item in page["items"]]
        self.assertEqual(got[:5], ids[::-1])
        self.refused(self.get("/v1/events/unmatched?cursor=x"), 400, "nextCursor")

    def lose(self, **more):
        """An event that nobody takes, and its number."""
        sent = self.event(**more)
        self.assertEqual(self.send(sent)["outcome"], "unmatched")
        item, = self.get("/v1/events/unmatched?pageSize=1").json["items"]
        self.assertEqual(item["event"], sent)
        return sent, item["number"]

    def test_an_unmatched_event_is_sent_again(self):
        sent, number = self.lose(data={"a": 1})
        answer = self.post(f"/v1/events/unmatched/{number}/resend")
        self.assertEqual((answer.status, answer.json["events"][0]["outcome"]), (202, "unmatched"))
        self.upload_receiver()
        answer = self.post(f"/v1/events/unmatched/{number}/resend")
        self.assertEqual(answer.status, 202, answer)
        did, = answer.json["events"]
        self.assertEqual((did["id"], did["source"], did["outcome"], did["instanceCount"]), (sent["id"], self.source, "started", 1))
        self.assertEqual(self.instance(did["instances"][0]["id"])["output"], {"a": 1})
        self.assertNotIn(number, [item["number"] for item in self.get("/v1/events/unmatched").json["items"]])
        again = self.send(sent)
        self.assertEqual((again["outcome"], again["firstOutcome"], again["instances"]), ("duplicate", "started", did["instances"]))
        self.refused(self.post(f"/v1/events/unmatched/{number}/resend"), 404, str(number))

    def test_sending_again_with_a_key_happens_once(self):
        _, number = self.lose()
        self.upload_receiver()
        answers = [self.post(f"/v1/events/unmatched/{number}/resend", None, {"Idempotency-Key": self.source}) for _ in range(2)]
        self.assertEqual([answer.status for answer in answers], [202, 202])
        self.assertEqual(answers[0].json, answers[1].json)
        self.assertEqual(answers[1].headers["Idempotency-Replayed"], "true")

    def test_what_cannot_be_sent_again(self):
        for number in ("0", "999999999", "x", "1.0", "-1"):
            self.refused(self.post(f"/v1/events/unmatched/{number}/resend"), 404, "")
        self.assertEqual(self.get("/v1/events/unmatched/1/resend").status, 405)

    def test_correlation(self):
        self.upload_order()
        one, two = self.fresh("order"), self.fresh("order")
        started = {number: self.send(self.event("placed", data={"order": number}))["instances"][0]["id"] for number in (one, two)}
        waiting = self.instance(started[one])
        self.assertEqual((waiting["status"], waiting["executionStatus"], waiting["correlation"]), ("WAITING", "Waiting", one))
        did = self.send(self.event("paid", data={"order": two, "sum": 5}))
        self.assertEqual((did["outcome"], [instance["id"] for instance in did["instances"]]), ("delivered", [started[two]]))
        self.assertEqual(self.instance(started[one])["status"], "WAITING")
        self.assertEqual(self.instance(started[two])["output"], {"order": two, "sum": 5})
        self.assertEqual(self.send(self.event("paid", data={"order": "other"}))["outcome"], "waiting")
        self.send(self.event("placed", data={"order": 7}))  # A number is not the text of it.
        self.assertEqual(self.send(self.event("paid", data={"order": "7"}))["outcome"], "waiting")
        self.assertEqual(self.send(self.event("paid", data={"order": 7.0}))["outcome"], "delivered")

    def test_events_that_are_early_wait_in_the_mailbox(self):
        function = self.fresh("function")
        self.upload_workflow(event("Placed", on("placed", "Work")), operation("Work", function, to="Paid"), event("Paid", on("paid")),
                             triggers=[trigger(kind, self.source, kind, "$.data.order") for kind in ("placed", "paid")], functions=worker(function))
        number = self.fresh("order")
        got = self.send(self.event("placed", data={"order": number}))["instances"][0]["id"]
        early = self.event("paid", data={"order": number})
        self.assertEqual(self.send(early)["outcome"], "delivered")
        pending, = self.instance(got)["pendingEvents"]
        self.assertEqual((pending["id"], pending["source"], pending["type"]), (early["id"], self.source, "paid"))
        self.complete(self.take(function), {})
        ended = self.instance(got)
        self.assertEqual((ended["executionStatus"], ended["pendingEvents"]), ("Success", []))

    def test_an_instance_waits_for_several(self):
        name = self.upload_workflow(event("Both", on("a and b")), triggers=[trigger("a", self.source, "a"), trigger("b", self.source, "b")])
        got = self.start(name)["id"]
        self.assertEqual(self.send(self.event("a", data={"x": 1}))["instances"][0]["id"], got)
        self.assertEqual(self.instance(got)["executionStatus"], "Waiting")
        self.send(self.event("b", data={"y": 2}))
        self.assertEqual(self.instance(got)["output"], {"x": 1, "y": 2})

    def test_the_key_of_a_request(self):
        self.upload_receiver()
        sent, key = self.event(), {"Content-Type": STRUCTURED, "Idempotency-Key": self.fresh("key")}
        first, second = self.post("/v1/events", sent, key), self.post("/v1/events", sent, key)
        self.assertEqual((first.body, second.headers["Idempotency-Replayed"]), (second.body, "true"))
        answer = self.post("/v1/events", self.event(), key)
        self.assertEqual((answer.status, answer.type), (422, "application/problem+json"))

    def test_the_key_of_a_binary_request(self):
        self.upload_receiver()
        headers = {"Idempotency-Key": self.fresh("key"), "ce-specversion": "1.0", "ce-source": self.source, "ce-type": "go", "ce-id": self.fresh("e")}
        first, second = self.post("/v1/events", {"a": 1}, headers), self.post("/v1/events", {"a": 1}, headers)
        self.assertEqual((first.body, second.headers["Idempotency-Replayed"]), (second.body, "true"))
        # The attributes make it another request.
        self.assertEqual(self.post("/v1/events", {"a": 1}, {**headers, "ce-id": self.fresh("e")}).status, 422)

    def test_metrics_count_them(self):
        before = self.metric("pawl_events_unmatched_total")
        self.send(self.event("nobody"))
        self.assertEqual(self.metric("pawl_events_unmatched_total"), before + 1)

    def test_definitions_of_steps_take_no_events(self):
        self.assertEqual(self.send(self.event("signal"))["outcome"], "unmatched")


class Answers(Events):
    """With `?wait=` the sender gets the result of the instances that its event concerned."""

    def ask(self, body, wait=PATIENCE, kind=STRUCTURED, **headers):
        return self.post(f"/v1/events?wait={wait}", body, {"Content-Type": kind, **headers})

    def results(self, answer):
        return [instance["instance"] for instance in answer.json["events"][0]["instances"]]

    def test_the_sender_gets_the_result(self):
        self.upload_receiver()
        sent = self.event(data={"a": 1})
        for outcome in ("started", "duplicate"):  # A sender that lost the answer sends the event again.
            answer = self.ask(sent)
            did, = answer.json["events"]
            self.assertEqual((answer.status, did["outcome"], did["instances"][0]["started"]), (200, outcome, True))
            result, = self.results(answer)
            self.assertEqual((result["id"], result["executionStatus"], result["output"]), (did["instances"][0]["id"], "Success", {"a": 1}))

    def test_the_answer_waits_for_work_and_tells_of_failures(self):
        function = self.fresh("function")
        self.upload_workflow(event("Receive", on("go", None, function)), triggers=[trigger("go", self.source, "go")], functions=worker(function))
        for end, status, output in ((self.complete_result, "Success", {"done": True}), (self.fail_job, "Fail", None)):
            waiting = self.client.later(f"/v1/events?wait={PATIENCE}", self.event(), {"Content-Type": STRUCTURED})
            end(self.take(function))
            answer = waiting()
            result, = self.results(answer)
            self.assertEqual((answer.status, result["executionStatus"], result.get("output")), (200, status, output), result)
        late = self.ask(self.event(), wait=0.01)
        self.assertEqual((late.status, self.results(late)[0]["executionStatus"]), (202, "Running"))
        self.complete_result(self.take(function))

    def complete_result(self, job):
        self.post(f"/v1/jobs/{job['id']}/complete", {"workerId": "w", "result": {"done": True}})

    def test_several_instances_and_none(self):
        name = self.upload_workflow(event("A", on("a")), triggers=[trigger("a", self.source, "a")])
        got = sorted(self.start(name)["id"] for _ in range(12))
        answer = self.ask(self.event("a", data={"x": 1}))
        self.assertEqual((answer.status, answer.json["events"][0]["instanceCount"]), (202, 12))  # Only ten are waited for.
        shown = [one["instance"] for one in answer.json["events"][0]["instances"] if "instance" in one]
        self.assertEqual([one["output"] for one in shown], [{"x": 1}] * 10)
        self.assertTrue({one["id"] for one in shown} < set(got))
        got = sorted(self.start(name)["id"] for _ in range(2))
        answer = self.ask(self.event("a", data={"x": 1}))
        self.assertEqual((answer.status, sorted(one["id"] for one in self.results(answer))), (200, got))
        answer = self.ask(self.event("nobody"))
        self.assertEqual((answer.status, answer.json["events"][0]["outcome"]), (202, "unmatched"))

    def test_instances_are_waited_for_one_after_the_other(self):
        function = self.fresh("function")
        name = self.upload_workflow(event("A", on("a", None, function)), triggers=[trigger("a", self.source, "a")], functions=worker(function))
        for _ in range(3):
            self.start(name)
        waiting = self.client.later(f"/v1/events?wait={PATIENCE}", self.event("a"), {"Content-Type": STRUCTURED})
        for _ in range(3):
            self.complete_result(self.take(function, maxJobs=1))
        answer = waiting()
        self.assertEqual((answer.status, [one["output"] for one in self.results(answer)]), (200, [{"done": True}] * 3))

    def test_what_cannot_wait_is_refused(self):
        self.upload_receiver()
        for wait, body, kind in ((5, [self.event()], BATCH), ("soon", self.event(), STRUCTURED), (-1, self.event(), STRUCTURED), (61, self.event(), STRUCTURED)):
            self.assertEqual(self.ask(body, wait, kind).status, 400, wait)

    def test_a_key_and_an_event_sent_again_from_the_list(self):
        sent = self.event(data={"a": 1})
        self.assertEqual(self.ask(sent).json["events"][0]["outcome"], "unmatched")
        number = next(item["number"] for item in self.get("/v1/events/unmatched").json["items"] if item["event"]["id"] == sent["id"])
        self.upload_receiver()
        key = {"Idempotency-Key": self.fresh("key")}
        for _ in range(2):
            answer = self.client.post(f"/v1/events/unmatched/{number}/resend?wait={PATIENCE}", None, key)
            self.assertEqual((answer.status, self.results(answer)[0]["output"]), (200, {"a": 1}))


class Refused(Events):
    arguments = ("--limit", "mailbox_events_max=2")

    def test_a_full_mailbox(self):
        name = self.upload_workflow(event("Both", on("a and b")), triggers=[trigger("a", self.source, "a"), trigger("b", self.source, "b")])
        got = self.start(name)["id"]
        for _ in range(2):
            self.assertEqual(self.send(self.event("a"))["outcome"], "delivered")
        refused = self.event("a")
        answer = self.post("/v1/events", refused, {"Content-Type": STRUCTURED})
        self.assertEqual((answer.status, answer.type), (429, "application/problem+json"), answer)
        did = self.send([refused, self.event("nobody")], BATCH)
        self.assertEqual([event["outcome"] for event in did], ["refused", "unmatched"])
        self.assertTrue(did[0]["message"])
        self.assertEqual(len(self.instance(got)["pendingEvents"]), 2)


class Tokens(Case):
    def test_events_need_the_token(self):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("s3cret")
            file.flush()
            server = Server(("--auth-token-file", file.name))
        self.addCleanup(server.stop)
        client = Client(server)
        self.addCleanup(client.close)
        for path, method in (("/v1/events", "POST"), ("/v1/events/unmatched", "GET")):
            answer = client.request(method, path, None, {"Content-Type": STRUCTURED})
            self.assertEqual((answer.status, answer.type), (401, "application/problem+json"))
        sent = {"specversion": "1.0", "id": "1", "source": "s", "type": "t"}
        answer = client.post("/v1/events", sent, {"Content-Type": STRUCTURED, "Authorization": "Bearer s3cret"})
        self.assertEqual(answer.status, 202)


class Restarts(Events):
    """kill -9 in between; the same data directory."""

    def setUp(self):
        super().setUp()
        self.directory = tempfile.mkdtemp(prefix="pawl-test-")
        self.addCleanup(shutil.rmtree, self.directory, True)
        self.serve()
        self.addCleanup(lambda: self.own.stop())

    def serve(self):
        self.own = Server(data=self.directory)
        self.client = Client(self.own)
        self.addCleanup(self.client.close)
        self.get, self.post, self.server = self.client.get, self.client.post, self.own

    def crash(self):
        self.own.kill()
        self.serve()

    def test_waiting_mailboxes_tokens_and_what_was_seen(self):
        self.upload_order()
        function = self.fresh("function")
        self.upload_workflow(event("In", on("in", "Work")), operation("Work", function, to="Out"), event("Out", on("out")),
                             triggers=[trigger("in", self.source, "in"), trigger("out", self.source, "out")], functions=worker(function))
        placed = self.event("placed", data={"order": 1})
        order = self.send(placed)["instances"][0]["id"]
        working = self.send(self.event("in"))["instances"][0]["id"]
        early, lost = self.event("out", data={"z": 1}), self.event("nobody")
        self.assertEqual(self.send(early)["outcome"], "delivered")
        self.assertEqual(self.send(lost)["outcome"], "unmatched")
        self.crash()
        self.assertEqual(self.send(placed)["firstOutcome"], "started")
        self.assertEqual(self.send(early)["firstOutcome"], "delivered")
        self.assertEqual(self.get("/v1/events/unmatched").json["items"][0]["event"], lost)
        self.assertEqual([mail["id"] for mail in self.instance(working)["pendingEvents"]], [early["id"]])
        paid = self.send(self.event("paid", data={"order": 1, "sum": 2}))
        self.assertEqual([instance["id"] for instance in paid["instances"]], [order])
        self.assertEqual(self.instance(order)["output"], {"order": 1, "sum": 2})
        self.complete(self.take(function), {"done": True})
        self.crash()
        self.assertEqual(self.instance(working)["output"], {"done": True, "z": 1})

    def test_an_unmatched_event_is_sent_again_after_a_crash(self):
        lost = self.event(data={"a": 1})
        self.assertEqual(self.send(lost)["outcome"], "unmatched")
        self.upload_receiver()
        self.crash()
        item, = self.get("/v1/events/unmatched").json["items"]
        did, = self.post(f"/v1/events/unmatched/{item['number']}/resend").json["events"]
        self.assertEqual(did["outcome"], "started")
        self.crash()
        self.assertEqual(self.get("/v1/events/unmatched").json["items"], [])
        self.assertEqual(self.send(lost)["firstOutcome"], "started")
        self.assertEqual(self.instance(did["instances"][0]["id"])["output"], {"a": 1})

    def test_definitions_are_still_started_by_events(self):
        self.upload_receiver()
        self.crash()
        self.assertEqual(self.send(self.event(data={"a": 1}))["outcome"], "started")


if __name__ == "__main__":
    main()
