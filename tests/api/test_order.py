"""The order of examples/serverless from its first event to its last call, through kills; and what becomes of functions
that do not answer as they should."""

import json
import os
import re

from functions import HANG_UP, Functions, Reply, nobody
from harness import ROOT, Killed, main

EXAMPLE = os.path.join(ROOT, "examples", "serverless", "order.json")
ORDER = {"id": "A-1", "address": "Kiel", "items": [{"sku": "tea", "grams": 250}]}
PAYMENT = {"orderId": "A-1", "id": "P-3", "amount": 12.5}
PLACED = {"specversion": "1.0", "id": "1", "source": "/shop", "type": "order.placed", "data": {"order": ORDER}}
PAID = {"ce-specversion": "1.0", "ce-id": "1", "ce-source": "/bank", "ce-type": "payment.received"}


class Calling(Killed):
    """Functions to call, and an engine of its own that may call them."""
    flags = ("--allow-private-calls",)

    def setUp(self):
        self.functions = Functions()
        self.addCleanup(self.functions.close)
        super().setUp()

    def send(self, event, outcome):
        """A structured event; the instance it concerned."""
        answer = self.post("/v1/events", event, {"Content-Type": "application/cloudevents+json"})
        return self.took(answer, outcome)

    def took(self, answer, outcome):
        self.assertEqual(answer.status, 202, answer)
        event, = answer.json["events"]
        self.assertEqual(event["outcome"], outcome, answer)
        self.assertEqual(event["instanceCount"], 1)
        return event["instances"][0]["id"]


class Order(Calling):
    def deploy(self):
        with open(EXAMPLE, encoding="utf-8") as file:
            text = file.read()
        here = text.replace("http://127.0.0.1:9090", self.functions.url)
        self.assertNotEqual(text, here)
        self.assertEqual(self.post("/v1/definitions", here.encode()).status, 201)

    def pay(self):
        return self.took(self.post("/v1/events", PAYMENT, PAID), "delivered")

    def states(self, instance):
        return self.get(f"/v1/instances/{instance}/history").json["path"]

    def check_end(self, instance, reservation="R-7"):
        got = self.ended(instance)
        self.assertEqual(
            (got["status"], got["executionStatus"], got["correlation"], got["pendingEvents"]),
            ("COMPLETED", "Success", "A-1", []))
        self.assertEqual(got["output"], {
            "order": {**ORDER, "status": "shipped"}, "payment": PAYMENT,
            "reservation": {"id": reservation}, "label": {"number": "L-9"}})
        self.assertEqual(self.states(instance), ["Order Placed", "Payment", "Fulfil", "Shipped"])
        self.assertEqual(self.get("/v1/jobs").json["items"], [])

    def check_calls(self):
        """All calls of one action have one key and one body, and all calls of the instance one trace."""
        keys, traces = {}, set()
        for call in self.functions.calls:
            keys.setdefault(call.path, set()).add((call.headers["Idempotency-Key"], call.body))
            trace = re.fullmatch(r"00-([0-9a-f]{32})-([0-9a-f]{16})-01", call.headers["traceparent"])
            self.assertTrue(trace, call)
            traces.add(trace[1])
            self.assertEqual((call.method, call.headers["Content-Type"]), ("POST", "application/json"))
        self.assertEqual({path: len(of) for path, of in keys.items()}, {"/reservations": 1, "/labels": 1})
        (reserve, request), = keys["/reservations"]
        (label, _), = keys["/labels"]
        self.assertNotEqual(reserve, label)
        self.assertEqual(json.loads(request), {"order": "A-1", "items": ORDER["items"]})
        self.assertEqual(len(traces), 1)

    def test_it_goes_on_where_it_was_killed_twice(self):
        self.functions.answer("/reservations", Reply(503, {"message": "closed"}), Reply(200, {"id": "R-7"}))
        self.functions.answer("/labels", Reply(200, {"number": "L-9"}))
        self.functions.hold("/labels")
        self.deploy()
        instance = self.send(PLACED, "started")

        self.again()
        got = self.instance(instance)
        self.assertEqual((got["executionStatus"], got["correlation"], got["variables"]), ("Waiting", "A-1", {"order": ORDER}))
        self.assertEqual(self.states(instance), ["Order Placed", "Payment"])
        self.assertEqual(self.send(PLACED, "duplicate"), instance)
        self.assertEqual(self.pay(), instance)
        self.functions.wait("/reservations", 2)
        self.functions.wait("/labels", 1)
        self.until(lambda: len(self.get("/v1/jobs").json["items"]) == 1)  # The reservation is in the store.

        self.again()
        self.functions.wait("/labels", 2)
        self.functions.release("/labels")
        self.check_end(instance)
        self.check_calls()
        self.assertEqual(len(self.functions.to("/reservations")), 2)
        self.assertEqual(len(self.functions.to("/labels")), 2)

    def test_a_retry_that_waits_survives_a_kill(self):
        self.functions.answer("/reservations", Reply(503), Reply(200, {"id": "R-7"}))
        self.functions.answer("/labels", Reply(200, {"number": "L-9"}))
        self.deploy()
        instance = self.send(PLACED, "started")
        self.pay()
        self.functions.wait("/reservations", 1)  # Whether its answer is in the store does not matter.
        self.again()
        self.check_end(instance)
        self.check_calls()

    def test_an_error_that_the_function_names_takes_the_other_way(self):
        self.functions.answer("/reservations", Reply(409, {"name": "OutOfStock", "message": "no tea left"}))
        self.functions.answer("/labels", Reply(200, {"number": "L-9"}))
        self.functions.hold("/labels")
        self.deploy()
        instance = self.send(PLACED, "started")
        self.pay()
        job = self.take("refund")
        self.assertEqual(job["variables"], {"payment": "P-3", "amount": 12.5})
        self.functions.release("/labels")  # Too late: nobody waits for it.
        self.complete(job, {"id": "F-1"})
        self.assertEqual(self.ended(instance)["output"], {
            "order": {**ORDER, "status": "cancelled"}, "payment": PAYMENT, "reason": "no tea left", "refund": {"id": "F-1"}})


def workflow(name, resource, error=None, **action):
    """One call; an error of this name is caught, any other fails the instance."""
    return {
        "id": name, "name": name, "startsAt": "Call",
        "functions": [{"name": "f", "resource": resource, "type": action.pop("type", "http")}],
        "states": [
            {"name": "Call", "type": "OPERATION", "filter": {"resultPath": "$.result"}, "end": True,
             "actions": [{"functionref": {"refname": "f", "parameters": action.pop("parameters", {"n": "$.n"})}, **action}],
             "onError": [{"condition": f"name eq '{error}'", "transition": "Caught"}] if error else []},
            *([{"name": "Caught", "type": "RELAY", "filter": {"outputPath": "$.exception"}, "end": True}] if error else [])]}


class Workflows(Calling):
    """One workflow for each case, started together on one engine."""

    def run_all(self, documents):
        """Each one's instance at its end, by its id."""
        started = {}
        for document in documents:
            self.assertEqual(self.post("/v1/definitions", document).status, 201)
            started[document["id"]] = self.start(document["id"], {"n": 1})["id"]
        return {name: self.ended(instance) for name, instance in started.items()}

    def check_errors(self, cases):
        documents = [workflow(name, resource, error, **action) for name, (resource, action, error, _) in cases.items()]
        got = self.run_all(documents)
        for name, (_, _, error, data) in cases.items():
            with self.subTest(name):
                self.assertEqual(got[name]["executionStatus"], "Success", got[name])
                caught = got[name]["output"]
                self.assertEqual((caught["name"], caught["state"], caught["function"]), (error, "Call", "f"))
                self.assertTrue(caught["message"])
                self.assertEqual(caught.get("data"), data, caught)


class Answers(Workflows):
    def test_what_a_function_may_answer_is_its_result(self):
        cases = {  # answer, result
            "json": (Reply(200, {"a": [1.50, None]}), {"a": [1.5, None]}),
            "json of a kind": (Reply(201, {"a": 1}, "application/vnd.shop+json; charset=utf-8"), {"a": 1}),
            "a scalar": (Reply(200, b"17"), 17),
            "nothing": (Reply(204), None),
            "text": (Reply(200, "it is done", "text/plain"), "it is done"),
            "html": (Reply(200, "<p>done</p>", "text/html"), "<p>done</p>"),
        }
        for name, (answer, _) in cases.items():
            self.functions.answer("/" + name.replace(" ", "-"), answer)
        got = self.run_all([workflow(name, f"{self.functions.url}/{name.replace(' ', '-')}") for name in cases])
        for name, (_, result) in cases.items():
            with self.subTest(name):
                self.assertEqual(got[name]["output"], {"n": 1, "result": result})

    def test_what_goes_wrong_has_a_name(self):
        at = self.functions.url
        general = "FunctionExecutionException"
        answers = {  # path: answer
            "/broken": Reply(200, '{"a": '),
            "/bytes": Reply(200, b"\xff\xfe", "text/plain"),
            "/500": Reply(500),
            "/404": Reply(404, "no such page", "text/plain"),
            "/top": Reply(409, {"name": "OutOfStock", "message": "no tea left"}),
            "/error": Reply(422, {"error": {"name": "BadAddress"}}),
            "/exception": Reply(400, {"exception": {"name": "NotNow"}, "name": "Other"}),
            "/problem": Reply(403, {"title": "Forbidden"}, "application/problem+json"),
            "/moved": Reply(302, headers={"Location": f"{at}/500"}),
            "/slow": Reply(200, {}),
            "/rude": HANG_UP,
        }
        for path, answer in answers.items():
            self.functions.answer(path, answer)
        self.functions.hold("/slow")
        cases = {  # what: resource, action, the error's name and data
            "json that is none": (at + "/broken", {}, general, {"status": 200, "body": '{"a": '}),
            "no text": (at + "/bytes", {}, general, {"status": 200, "body": None}),
            "a status": (at + "/500", {"timeout": "PT30S"}, general, {"status": 500, "body": None}),
            "a status and text": (at + "/404", {}, general, {"status": 404, "body": "no such page"}),
            "a name": (at + "/top", {}, "OutOfStock", {"status": 409, "body": {"name": "OutOfStock", "message": "no tea left"}}),
            "a name in error": (at + "/error", {}, "BadAddress", {"status": 422, "body": {"error": {"name": "BadAddress"}}}),
            "a name in exception": (at + "/exception", {}, "NotNow",
                                    {"status": 400, "body": {"exception": {"name": "NotNow"}, "name": "Other"}}),
            "a problem document": (at + "/problem", {}, general, {"status": 403, "body": {"title": "Forbidden"}}),
            "a redirect": (at + "/moved", {}, general, {"status": 302, "body": None}),
            "no connection": (nobody() + "/", {}, general, {"reason": "connectionRefused"}),
            "no answer": (at + "/rude", {}, general, {"reason": "connectionFailed"}),
            "a parameter that is not there": (at + "/{missing}", {}, general, {"reason": "missingParameter"}),
        }
        self.check_errors(cases)
        self.assertEqual(len(self.functions.to("/500")), 1)  # The redirect was not followed.

    def test_a_timeout_is_one_for_each_attempt(self):
        self.functions.answer("/slow", Reply(200, {}))
        self.functions.hold("/slow")
        retry = [{"condition": "$.exception.name eq 'TimeoutException'", "max": 1}]
        document = workflow("slow", self.functions.url + "/slow", "TimeoutException", timeout="PT0.3S", retry=retry)
        got = self.run_all([document])["slow"]
        self.assertEqual((got["executionStatus"], got["output"]["name"]), ("Success", "TimeoutException"))
        first, second = self.functions.wait("/slow", 2)
        self.assertEqual(first.headers["Idempotency-Key"], second.headers["Idempotency-Key"])

    def test_methods_and_names_in_the_address(self):
        self.functions.answer("/orders/a%2Fb?n=1&open=true", Reply(200, {"found": True}))
        document = workflow("get", self.functions.url + "/orders/{id}", type="http:GET",
                            parameters={"id": "a/b", "n": "$.n", "open": True, "list": [1]})
        self.assertEqual(self.run_all([document])["get"]["output"]["result"], {"found": True})
        call, = self.functions.calls
        self.assertEqual((call.method, call.body), ("GET", b""))

    def test_a_function_that_speaks_cloud_events(self):
        event = {"specversion": "1.0", "id": "9", "source": "/f", "type": "done", "data": {"a": 1}}
        self.functions.answer("/binary", Reply(200, {"b": 2}, headers={
            "ce-specversion": "1.0", "ce-id": "9", "ce-source": "/f", "ce-type": "done"}))
        self.functions.answer("/structured", Reply(200, event, "application/cloudevents+json"))
        got = self.run_all([workflow("binary", self.functions.url + "/binary", type="cloudevent"),
                            workflow("structured", self.functions.url + "/structured", type="cloudevent:structured")])
        self.assertEqual(got["binary"]["output"]["result"], {"b": 2})
        self.assertEqual(got["structured"]["output"]["result"], {"a": 1})
        call, = self.functions.to("/binary")
        self.assertEqual((call.headers["ce-subject"], json.loads(call.body)), ("f", {"n": 1}))
        self.assertTrue(call.headers["ce-type"].endswith("function.request"))
        call, = self.functions.to("/structured")
        sent = json.loads(call.body)
        self.assertEqual((sent["subject"], sent["data"], sent["type"][-16:]), ("f", {"n": 1}, "function.request"))

    def test_an_event_is_sent_until_it_is_accepted(self):
        self.functions.answer("/bus", Reply(503), Reply(202))
        document = workflow("emit", self.functions.url + "/bus", type="emit",
                            parameters={"type": "order.shipped", "source": "/shop", "data": {"n": "$.n"}})
        del document["states"][0]["filter"]
        got = self.run_all([document])["emit"]
        self.assertEqual(got.get("output"), {"n": 1}, got)
        first, second = [json.loads(call.body) for call in self.functions.wait("/bus", 2)]
        self.assertEqual(first["id"], second["id"])
        self.assertEqual((second["type"], second["source"], second["data"]), ("order.shipped", "/shop", {"n": 1}))


def next_number(text):
    """The id whose number within the instance is one more: above the 8 bits of the delivery."""
    digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    value = 0
    for digit in text:
        value = value * 32 + digits.index(digit)
    value += 1 << 8
    return "".join(digits[value >> 5 * (25 - i) & 31] for i in range(26))


class Intruders(Workflows):
    """Whoever knows the id of a job that the engine does itself has no say in it."""

    def is_nobodys(self, instance, status):
        job, = self.get(f"/v1/jobs?instanceId={instance}").json["items"]
        self.assertEqual(job["status"], status)
        self.is_refused(instance, job)

    def is_refused(self, instance, job):
        before = self.instance(instance)
        for worker in ("w", "pawl"):
            body = {"workerId": worker}
            for verb in ("complete", "fail", "extend"):
                self.refused(self.post(f"/v1/jobs/{job['id']}/{verb}", body), 404, "not found")
            batch = {**body, "complete": [{"id": job["id"], "result": 1}], "fail": [{"id": job["id"]}]}
            answer = self.post("/v1/jobs/batch", batch).json
            self.assertEqual([item["status"] for item in answer["completed"] + answer["failed"]], [404, 404])
        self.assertEqual(self.instance(instance), before)

    def begin(self, document):
        self.assertEqual(self.post("/v1/definitions", document).status, 201)
        return self.start(document["id"], {"n": 1})["id"]

    def test_a_call_under_way(self):
        self.functions.answer("/slow", Reply(200, {"mine": True}))
        self.functions.hold("/slow")
        got = self.begin(workflow("slow", self.functions.url + "/slow"))
        self.functions.wait("/slow", 1)
        self.told(got)
        self.is_nobodys(got, "LOCKED")
        self.functions.release("/slow")
        self.assertEqual(self.ended(got)["output"]["result"], {"mine": True})

    def test_a_call_that_is_tried_again_later(self):
        self.functions.answer("/busy", Reply(503))
        retry = [{"condition": "$.exception.name eq 'FunctionExecutionException'", "interval": "PT1H", "max": 1}]
        got = self.begin(workflow("busy", self.functions.url + "/busy", retry=retry))
        self.until(lambda: [job["status"] for job in self.get(f"/v1/jobs?instanceId={got}").json["items"]] == ["DELAYED"])
        self.is_nobodys(got, "DELAYED")

    def test_a_child(self):
        child = self.upload_workflow({"name": "D", "type": "DELAY", "timeDelay": "PT1H", "end": True})
        got = self.start(self.upload_workflow({"name": "S", "type": "SUBFLOW", "workflowId": child, "waitForCompletion": True, "end": True}))["id"]
        # Its job is in no list. It was opened right behind the visit, and so is its number in the id.
        self.assertEqual(self.get(f"/v1/jobs?instanceId={got}").json["items"], [])
        token, = self.get(f"/v1/instances/{got}/explain").json["tokens"]
        self.is_refused(got, {"id": next_number(token["stepExecutionId"])})


class Refused(Workflows):
    flags = ()

    def test_private_addresses_are_not_called_unless_allowed(self):
        url = self.functions.url
        self.check_errors({
            "an address": (url + "/f", {}, "FunctionExecutionException", {"reason": "addressNotAllowed"}),
            "a name": (url.replace("127.0.0.1", "localhost") + "/f", {}, "FunctionExecutionException", {"reason": "addressNotAllowed"}),
        })
        self.assertEqual(self.functions.calls, [])


if __name__ == "__main__":
    main()
