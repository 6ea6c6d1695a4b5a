"""One command for many instances: looked at first, done in the background, once each."""

import shutil
import tempfile

from harness import Case, Client, Events, Server, main
from steps import end, service, wait
from workflows import event, on, trigger

STRUCTURED = "application/cloudevents+json"


class Bulk(Case):
    def begin(self, **body):
        answer = self.post("/v1/bulk", body)
        self.assertEqual(answer.status, 202, answer)
        return answer.json

    def finished(self, bulk):
        self.until(lambda: self.get(f"/v1/bulk/{bulk['id']}").json["state"] != "running")
        return self.get(f"/v1/bulk/{bulk['id']}").json

    def counts(self, bulk):
        return {name: bulk[name] for name in ("found", "done", "succeeded", "skipped", "refused")}

    def results(self, bulk, **query):
        """All pages, two items each."""
        items, cursor = [], None
        for _ in range(1000):
            path = f"/v1/bulk/{bulk['id']}/results?pageSize=2" + "".join(f"&{name}={value}" for name, value in query.items())
            page = self.get(path + (f"&cursor={cursor}" if cursor else "")).json
            items += page["items"]
            cursor = page.get("nextCursor")
            if not cursor:
                return items
        self.fail("pages without end")

    def failing(self, *messages):
        """A definition with an instance that failed for each message, and their ids."""
        kind = self.fresh()
        name, ids = self.upload([service("charge", "end", kind), end()]), []
        for message in messages:
            ids.append(self.start(name)["id"])
            self.fail_job(self.take(kind), message)
            self.assertEqual(self.instance(ids[-1])["status"], "FAILED")
        return name, ids, kind


class Retrying(Bulk):
    def test_by_reason_with_variables(self):
        name, ids, kind = self.failing("gateway timeout", "card declined", "gateway timeout")
        bulk = self.begin(action="retry", filter={"definitionId": name, "reasonContains": "timeout"}, variables={"patched": 1})
        self.assertEqual((bulk["found"], bulk["filter"], bulk["variables"]),
                         (2, {"definitionId": name, "reasonContains": "timeout"}, {"patched": 1}))
        got = self.finished(bulk)
        self.assertEqual((got["state"], self.counts(got)),
                         ("done", {"found": 2, "done": 2, "succeeded": 2, "skipped": 0, "refused": 0}))
        self.assertEqual([self.instance(one)["status"] for one in ids], ["ACTIVE", "FAILED", "ACTIVE"])
        self.assertEqual(self.instance(ids[0])["variables"], {"patched": 1})
        self.assertEqual(self.results(bulk), [{"instanceId": one, "outcome": "succeeded"} for one in (ids[0], ids[2])])
        for job in self.poll(kind):
            self.complete(job)
        self.assertEqual([self.ended(one)["status"] for one in ids], ["COMPLETED", "FAILED", "COMPLETED"])

    def test_reasons_and_names_of_steps_are_found_in_letters_of_either_case(self):
        kind = self.fresh()
        name = self.upload([{**service("charge", "end", kind), "name": "Charge the card"}, end()])
        ids = [self.start(name)["id"] for _ in range(2)]
        for job in self.poll(kind, maxJobs=2):
            self.fail_job(job, "Gateway Timeout")
        for asked, found in (({"reasonContains": "gateway TIME"}, 2), ({"reasonContains": "gateways"}, 0), ({"step": "charge the CARD"}, 2), ({"step": "charge"}, 2),
                             ({"step": "Charge"}, 0), ({"step": "charge the"}, 0), ({"step": "charge the card", "ids": ids[:1]}, 1)):
            preview = self.post("/v1/bulk", {"action": "retry", "filter": {"definitionId": name, **asked}, "dryRun": True}).json
            self.assertEqual(preview["found"], found, asked)
        self.assertEqual(self.get(f"/v1/instances/reasons?definitionId={name}&step=CHARGE%20the%20card").json["total"], 2)
        done = self.finished(self.begin(action="retry", filter={"definitionId": name, "step": "CHARGE the card", "reasonContains": "TIMEOUT"}))
        self.assertEqual(self.counts(done), {"found": 2, "done": 2, "succeeded": 2, "skipped": 0, "refused": 0})

    def test_the_history_names_the_bulk(self):
        name, ids, kind = self.failing("x")
        bulk = self.finished(self.begin(action="retry", filter={"ids": ids}))
        self.complete(self.take(kind))
        with Events(self.server, ids[0]) as events:
            actors = [data.get("actor") for _, _, data in events.all()]
        self.assertIn("bulk " + bulk["id"], actors)

    def test_a_preview_changes_nothing(self):
        name, ids, _ = self.failing("order 17 declined", "order 4711 declined", "key \"a\" unknown")
        answer = self.post("/v1/bulk", {"action": "retry", "filter": {"definitionId": name}, "dryRun": True})
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual((answer.json["found"], answer.json["groupCount"]), (3, 2))
        declined, unknown = answer.json["groups"]
        self.assertEqual((declined["reason"], declined["exampleReason"], declined["count"], declined["examples"], declined["status"]),
                         ("order # declined", "order 17 declined", 2, ids[:2], "FAILED"))
        self.assertEqual((unknown["reason"], unknown["examples"]), ("key \"…\" unknown", ids[2:]))
        self.assertEqual({self.instance(one)["status"] for one in ids}, {"FAILED"})
        self.assertNotIn(name, [bulk.get("filter", {}).get("definitionId") for bulk in self.get("/v1/bulk").json["items"]])

    def test_the_same_key_begins_one(self):
        name, ids, _ = self.failing("x")
        body, headers = {"action": "retry", "filter": {"definitionId": name}}, {"Idempotency-Key": name}
        first, second = self.post("/v1/bulk", body, headers), self.post("/v1/bulk", body, headers)
        self.assertEqual((first.status, second.status, first.json["id"]), (202, 202, second.json["id"]))
        self.assertEqual(second.headers["Idempotency-Replayed"], "true")
        self.finished(first.json)
        self.assertEqual(len([bulk for bulk in self.get("/v1/bulk").json["items"]
                              if bulk.get("filter", {}).get("definitionId") == name]), 1)

    def test_nobody_is_found(self):
        bulk = self.begin(action="retry", filter={"definitionId": self.fresh()})
        self.assertEqual((bulk["state"], bulk["found"], self.results(bulk)), ("done", 0, []))

    def test_one_whose_business_key_is_taken_is_refused(self):
        kind = self.fresh()
        name = self.upload([service("charge", "end", kind), end()])
        failed = self.start(name, businessKey="k")["id"]
        self.fail_job(self.take(kind), "x")
        self.start(name, businessKey="k")
        bulk = self.finished(self.begin(action="retry", filter={"definitionId": name}))
        self.assertEqual(self.counts(bulk)["refused"], 1)
        result, = self.results(bulk, outcome="refused")
        self.assertEqual((result["instanceId"], result["outcome"]), (failed, "refused"))
        self.assertIn("business key", result["reason"])
        self.assertEqual(self.results(bulk, outcome="succeeded"), [])


class Others(Bulk):
    def test_cancel_and_signal(self):
        name = self.upload([wait("first", "second"), wait("second", "end"), end()])
        ids = [self.start(name, businessKey=key)["id"] for key in ("eu-1", "eu-2", "us-1")]
        self.post(f"/v1/instances/{ids[1]}/signals/first")
        bulk = self.finished(self.begin(action="signal", filter={"definitionId": name, "step": "first"}, step="first", variables={"n": 1}))
        self.assertEqual(self.counts(bulk)["succeeded"], 2)
        self.assertEqual({one: self.instance(one)["currentStepIds"] for one in ids}, {one: ["second"] for one in ids})
        bulk = self.finished(self.begin(action="cancel", filter={"definitionId": name, "businessKeyPrefix": "eu-"}, reason="shop closed"))
        self.assertEqual(self.counts(bulk)["succeeded"], 2)
        self.assertEqual([self.instance(one)["status"] for one in ids], ["CANCELLED", "CANCELLED", "WAITING"])
        self.assertEqual(self.instance(ids[0])["failureReason"], "shop closed")

    def test_resend(self):
        source = "/" + self.fresh("source")
        for number in range(3):
            sent = {"specversion": "1.0", "id": str(number), "source": source, "type": "go" if number < 2 else "stop", "data": {"n": number}}
            self.assertEqual(self.post("/v1/events", sent, {"Content-Type": STRUCTURED}).json["events"][0]["outcome"], "unmatched")
        preview = self.post("/v1/bulk", {"action": "resend", "filter": {"source": source}, "dryRun": True}).json
        self.assertEqual((preview["found"], len(preview["groups"])), (3, 1))
        self.assertEqual([type(one) for one in preview["groups"][0]["examples"]], [int] * 3)
        name = self.upload_workflow(event("Receive", on("go")), triggers=[trigger("go", source, "go")])
        bulk = self.finished(self.begin(action="resend", filter={"source": source}))
        self.assertEqual(self.counts(bulk), {"found": 3, "done": 3, "succeeded": 2, "skipped": 1, "refused": 0})
        skipped, = self.results(bulk, outcome="skipped")
        self.assertIn("nobody", skipped["reason"])
        self.assertEqual(self.get(f"/v1/instances?definitionId={name}").json["total"], 2)
        numbers = [item["number"] for item in self.get("/v1/events/unmatched").json["items"] if item["event"]["source"] == source]
        self.assertEqual(numbers, [skipped["number"]])

    def test_those_that_failed_are_given_up_only_if_that_is_asked_for(self):
        name, ids, _ = self.failing("card declined", "timeout", "card declined")
        lives = self.start(name)["id"]
        for asked, found in (({}, 1), ({"status": "ACTIVE"}, 1), ({"status": "FAILED"}, 3), ({"reasonContains": "DECLINED"}, 2), ({"reason": "timeout"}, 1), ({"ids": ids}, 0)):
            preview = self.post("/v1/bulk", {"action": "cancel", "filter": {"definitionId": name, **asked}, "dryRun": True}).json
            self.assertEqual(preview["found"], found, asked)
        both = self.post("/v1/bulk", {"action": "cancel", "filter": {"definitionId": name}, "failed": True, "dryRun": True}).json
        self.assertEqual((both["found"], sorted((group["status"], group.get("reason"), group["count"]) for group in both["groups"])),
                         (4, [("ACTIVE", None, 1), ("FAILED", "card declined", 2), ("FAILED", "timeout", 1)]))
        bulk = self.begin(action="cancel", filter={"definitionId": name, "reasonContains": "declined"}, reason="the customers were told")
        self.assertEqual(self.counts(self.finished(bulk)), {"found": 2, "done": 2, "succeeded": 2, "skipped": 0, "refused": 0})
        self.assertEqual([self.instance(one)["status"] for one in (*ids, lives)], ["CANCELLED", "FAILED", "CANCELLED", "ACTIVE"])
        bulk = self.begin(action="cancel", filter={"ids": [ids[1], lives]}, failed=True)
        self.assertTrue(bulk["failed"])
        self.assertEqual(self.finished(bulk)["succeeded"], 2)
        self.assertEqual([self.instance(one)["status"] for one in (ids[1], lives)], ["CANCELLED"] * 2)

    def test_a_bulk_is_cancelled(self):
        bulk = self.begin(action="cancel", filter={"definitionId": self.fresh()})
        answer = self.post(f"/v1/bulk/{bulk['id']}/cancel")
        self.assertEqual((answer.status, answer.json["state"]), (200, "done"))

    def test_what_is_not_there(self):
        name, ids, _ = self.failing("x")
        for one in ("x", ids[0], "0" * 26, "00000000000000000000000001"):
            self.refused(self.get(f"/v1/bulk/{one}"), 404, "not found")
            self.refused(self.get(f"/v1/bulk/{one}/results"), 404, "not found")
            self.refused(self.post(f"/v1/bulk/{one}/cancel"), 404, "not found")

    def test_what_is_refused(self):
        for body, words in (
                ({}, "action must be"),
                ({"action": "retry"}, "the filter is empty"),
                ({"action": "retry", "filter": {}}, "the filter is empty"),
                ({"action": "retry", "filter": {"definition": "x"}}, "did you mean \"definitionId\"?"),
                ({"action": "retry", "filter": {"status": "WAITING"}}, "only FAILED"),
                ({"action": "signal", "all": True}, "step is required"),
                ({"action": "cancel", "all": "yes"}, "all must be true or false")):
            self.refused(self.post("/v1/bulk", body), 400, words)
        self.refused(self.post("/v1/bulk", {"action": "retry", "filter": {"reason": "x" * 300000}}), 413, "the most is")
        bulk = self.begin(action="cancel", filter={"definitionId": self.fresh()})
        self.refused(self.get(f"/v1/bulk/{bulk['id']}/results?outcome=lost"), 400, "outcome must be")


class Reasons(Bulk):
    def test_failed_instances_by_reason(self):
        name, ids, _ = self.failing("order 1 late", "order 2 late", "lost")
        got = self.get(f"/v1/instances/reasons?definitionId={name}").json
        self.assertEqual((got["total"], got["groupCount"]), (3, 2))
        self.assertEqual([(group["reason"], group["count"]) for group in got["groups"]], [("order # late", 2), ("lost", 1)])
        self.assertLessEqual(got["groups"][0]["firstAt"], got["groups"][0]["lastAt"])
        self.assertEqual(self.get(f"/v1/instances/reasons?definitionId={name}&step=end").json["total"], 0)
        self.post(f"/v1/instances/{ids[2]}/steps/charge/retry")
        self.assertEqual(self.get(f"/v1/instances/reasons?definitionId={name}&step=charge").json["total"], 2)
        self.assertGreaterEqual(self.get("/v1/instances/reasons").json["total"], 2)


class AcrossACrash(Bulk):
    """A server of its own, which is killed while it is at it."""

    COUNT = 400

    def setUp(self):
        super().setUp()
        self.data = tempfile.mkdtemp(prefix="pawl-bulk-")
        self.addCleanup(shutil.rmtree, self.data)
        self.serve()
        self.addCleanup(lambda: self.own.stop())

    def serve(self):
        self.own = Server(data=self.data)
        self.client = Client(self.own)
        self.addCleanup(self.client.close)
        self.get, self.post = self.client.get, self.client.post

    def test_each_instance_once(self):
        name = self.upload([wait("first", "second"), wait("second", "end"), end()])
        ids = [self.start(name)["id"] for _ in range(self.COUNT)]
        bulk = self.begin(action="signal", filter={"definitionId": name}, step="first")
        self.own.kill()
        self.serve()
        got = self.finished(bulk)
        self.assertEqual(self.counts(got), {"found": self.COUNT, "done": self.COUNT, "succeeded": self.COUNT, "skipped": 0, "refused": 0})
        self.assertEqual({one["instanceId"] for one in self.results(bulk)}, set(ids))
        for one in ids[::37]:
            visits = [visit["stepId"] for visit in self.get(f"/v1/instances/{one}/history").json["items"]]
            self.assertEqual(visits, ["first", "second"])


if __name__ == "__main__":
    main()
