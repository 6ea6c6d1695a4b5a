"""What stops can be made to go on: exits that cannot be decided, early signals, retries without a step, mail of failed instances."""

from harness import Case, main
from steps import decide, end, person, service, transform, wait

WAYS = {"approved == true": "end", "approved == false": "no"}


class Exits(Case):
    def test_a_person_who_forgot_a_variable_is_told_and_the_task_stays_open(self):
        got = self.start(self.upload([person("p", conditionalNextSteps=WAYS), end(), end("no")]))["id"]
        answer = self.post(f"/v1/instances/{got}/user-tasks/p/complete", {"variables": {"aproved": True}})
        self.refused(answer, 400, "approved == true")
        self.assertIn("approved", answer.json["reason"])
        self.assertEqual((self.instance(got)["status"], self.instance(got)["variables"]), ("WAITING", {}))
        task, = self.get(f"/v1/user-tasks?instanceId={got}").json["items"]
        self.refused(self.post(f"/v1/user-tasks/{task['id']}/complete", {}), 400, "approved")
        self.assertEqual(self.post(f"/v1/user-tasks/{task['id']}/complete", {"variables": {"approved": True}}).status, 204)
        self.assertEqual(self.instance(got)["status"], "COMPLETED")

    def test_a_completed_job_is_kept_and_the_exit_tried_again(self):
        kind = self.fresh()
        got = self.start(self.upload([service("s", job_type=kind, conditionalNextSteps=WAYS), end(), end("no")]))["id"]
        self.complete(self.take(kind), {"result": 1})
        seen = self.instance(got)
        self.assertEqual((seen["status"], seen["variables"]), ("FAILED", {"result": 1}))
        self.assertIn("approved", seen["failureReason"])
        token, = self.get(f"/v1/instances/{got}/explain").json["tokens"]
        self.assertEqual((token["state"], token["stepId"]), ("failed", "s"))
        self.assertIn("is done, and cannot be left", token["why"])
        answer = self.post(f"/v1/instances/{got}/retry", {"variables": {"approved": True}})
        self.assertEqual((answer.status, answer.json["status"]), (200, "COMPLETED"))
        rows = self.history(got)
        self.assertEqual([(r["stepId"], r["attemptNumber"], r["status"]) for r in rows],
                         [("s", 1, "COMPLETED"), ("s", 2, "COMPLETED"), ("end", 1, "COMPLETED")])
        self.assertIn("approved", rows[0]["failureReason"])
        self.assertIn("only its way out was tried again", rows[1]["warning"])
        self.assertNotIn("warning", rows[0])
        self.assertEqual(self.poll(kind), [])

    def test_a_retry_needs_no_step(self):
        got = self.start(self.upload([transform("t", "d", {"a": 1}), decide("d", {"ready": "end"}), end()]))["id"]
        self.assertEqual(self.post(f"/v1/instances/{got}/retry").json["status"], "FAILED")
        self.assertEqual(self.post(f"/v1/instances/{got}/retry", {"variables": {"ready": True}}).json["status"], "COMPLETED")
        self.refused(self.post(f"/v1/instances/{got}/retry"), 409, "instance is not FAILED")
        self.assertEqual(self.post("/v1/instances/x/retry").status, 404)
        self.assertEqual(self.post(f"/v1/instances/{got}/retry?alone=perhaps").status, 400)

    def test_a_retry_with_a_key_is_done_once(self):
        kind = self.fresh()
        got = self.start(self.upload([service("s", "end", job_type=kind), end()]))["id"]
        self.fail_job(self.take(kind), "broken")
        first = self.post(f"/v1/instances/{got}/retry", headers={"Idempotency-Key": f"k-{got}"})
        again = self.post(f"/v1/instances/{got}/retry", headers={"Idempotency-Key": f"k-{got}"})
        self.assertEqual((first.status, again.status, again.json), (200, 200, first.json))
        self.assertEqual(len(self.history(got)), 2)


class EarlySignals(Case):
    def made(self, **more):
        kind = self.fresh()
        name = self.upload([service("s", "w", job_type=kind), wait("w", None, conditionalNextSteps={"last": "end", "!last": "s"}), end()])
        return kind, name, self.start(name, **more)["id"]

    def test_they_are_kept_in_order_and_used_when_their_step_waits(self):
        kind, _, got = self.made()
        self.refused(self.post(f"/v1/instances/{got}/signals/w", {"last": True}), 409, "not waiting")
        self.refused(self.post(f"/v1/instances/{got}/signals/w?early=false", {"last": True}), 409, "not waiting")
        for n, last in ((1, False), (2, True)):
            answer = self.post(f"/v1/instances/{got}/signals/w?early=true", {"last": last, f"n{n}": n})
            self.assertEqual((answer.status, answer.body), (202, b""))
        seen = self.instance(got)
        self.assertEqual([s["stepId"] for s in seen["pendingSignals"]], ["w", "w"])
        self.complete(self.take(kind))
        self.assertEqual(len(self.instance(got)["pendingSignals"]), 1)
        self.assertEqual(self.instance(got)["variables"], {"last": False, "n1": 1})
        self.complete(self.take(kind))
        seen = self.instance(got)
        self.assertEqual((seen["status"], seen["variables"]), ("COMPLETED", {"last": True, "n1": 1, "n2": 2}))
        self.assertNotIn("pendingSignals", seen)

    def test_one_that_is_waited_for_is_used_at_once(self):
        kind, _, got = self.made()
        self.complete(self.take(kind))
        self.refused(self.post(f"/v1/instances/{got}/signals/w?early=true"), 400, "last")
        self.assertEqual(self.post(f"/v1/instances/{got}/signals/w?early=true", {"last": True}).status, 204)
        self.refused(self.post(f"/v1/instances/{got}/signals/w?early=true"), 409, "COMPLETED")

    def test_what_is_not_for_a_wait_is_refused(self):
        _, _, got = self.made()
        for step, status in (("ghost", 409), ("s", 400), ("end", 400)):
            self.assertEqual(self.post(f"/v1/instances/{got}/signals/{step}?early=true").status, status, step)
        self.assertEqual(self.post(f"/v1/instances/{got}/signals/w?early=1").status, 400)
        self.assertEqual(self.post(f"/v1/instances/{got}/signals/w?early=true", [1]).status, 400)
        self.assertNotIn("pendingSignals", self.instance(got))

    def test_a_failed_instance_keeps_them_for_its_retry(self):
        kind, _, got = self.made()
        self.fail_job(self.take(kind), "broken")
        self.assertEqual(self.post(f"/v1/instances/{got}/signals/w?early=true", {"last": True}).status, 202)
        self.post(f"/v1/instances/{got}/retry")
        self.complete(self.take(kind))
        self.assertEqual(self.instance(got)["status"], "COMPLETED")

    def test_a_key_is_for_one_signal(self):
        _, name, got = self.made(businessKey="B-1")
        headers = {"Idempotency-Key": f"early-{got}"}
        for _ in range(3):
            self.assertEqual(self.post(f"/v1/instances/{got}/signals/w?early=true", {"last": True}, headers=headers).status, 202)
        self.assertEqual(len(self.instance(got)["pendingSignals"]), 1)
        path = f"/v1/definitions/{name}/signals/w?early=true&businessKey="
        headers = {"Idempotency-Key": f"by-key-{got}"}
        self.assertEqual(self.post(path + "B-1", {"last": True}, headers=headers).status, 202)
        self.assertEqual(self.post(path + "B-1", {"last": True}, headers=headers).status, 202)
        self.assertEqual(self.post(path + "B-2", {"last": True}, headers=headers).status, 422)
        self.assertEqual(len(self.instance(got)["pendingSignals"]), 2)

    def test_by_definition_and_business_key(self):
        kind, name, got = self.made(businessKey="K 1/ä")
        path = f"/v1/definitions/{name}/signals/w?businessKey="
        self.assertEqual(self.post(path + "K%201%2F%C3%A4", {"last": True}).status, 409)
        self.refused(self.post(path + "other", {"last": True}), 404, "other")
        self.assertEqual(self.post("/v1/definitions/ghost/signals/w?businessKey=K").status, 404)
        self.assertEqual(self.post(f"/v1/definitions/{name}/signals/w").status, 400)
        self.assertEqual(self.post(path + "k" * 300).status, 400)
        self.complete(self.take(kind))
        self.assertEqual(self.post(path + "K%201%2F%C3%A4", {"last": True}).status, 204)
        self.assertEqual(self.instance(got)["status"], "COMPLETED")
        self.assertEqual(self.post(path + "K%201%2F%C3%A4", {"last": True}).status, 404)


class FailedInstances(Case):
    def flow(self, token=',"correlationToken":"$.data.order"'):
        name, kind = self.fresh(), self.fresh()
        trigger = lambda what: {"name": what, "source": name, "type": what, "correlationToken": "$.data.order"}
        document = {"id": name, "name": name, "startsAt": "Placed", "triggers": [trigger("placed"), trigger("paid")],
                    "functions": [{"name": "work", "resource": kind}], "states": [
                        {"name": "Placed", "type": "EVENT", "eventActions": [
                            {"condition": "placed", "actions": [{"functionref": {"refname": "work"}}], "transition": "Paid"}]},
                        {"name": "Paid", "type": "EVENT", "eventActions": [{"condition": "paid", "actions": []}], "end": True}]}
        self.assertEqual(self.post("/v1/definitions", document).status, 201)
        return name, kind

    def event(self, name, what, data, number=[0]):
        number[0] += 1
        body = {"specversion": "1.0", "id": str(number[0]), "source": name, "type": what, "data": data}
        answer = self.post("/v1/events", body, headers={"Content-Type": "application/cloudevents+json"})
        self.assertEqual(answer.status, 202, answer.body)
        return answer.json["events"][0]

    def test_events_wait_for_a_retry_and_the_first_one_comes_back(self):
        name, kind = self.flow()
        got = self.event(name, "placed", {"order": 7})["instances"][0]["id"]
        self.fail_job(self.take(kind), "the shop is closed")
        self.assertEqual(self.instance(got)["status"], "FAILED")
        self.assertEqual(self.event(name, "paid", {"order": 7, "sum": 5})["outcome"], "delivered")
        self.assertEqual([e["type"] for e in self.instance(got)["pendingEvents"]], ["placed", "paid"])
        self.post(f"/v1/instances/{got}/retry")
        self.complete(self.take(kind))
        seen = self.instance(got)
        self.assertEqual((seen["executionStatus"], seen["output"]), ("Success", {"order": 7, "sum": 5}))

    def test_an_event_without_the_value_that_correlates_it_says_so(self):
        name, _ = self.flow()
        answer = self.event(name, "placed", {"Order": 7})
        self.assertEqual((answer["outcome"], answer["instances"]), ("unmatched", []))
        self.assertIn("lacks the correlation value", answer["reason"])
        letters = self.get("/v1/events/unmatched?pageSize=200").json["items"]
        self.assertIn(answer["reason"], [letter["reason"] for letter in letters])

    def test_one_that_failed_can_be_given_up(self):
        name, kind = self.flow()
        got = self.event(name, "placed", {"order": 8})["instances"][0]["id"]
        self.fail_job(self.take(kind), "no")
        self.assertEqual(self.post(f"/v1/instances/{got}/cancel").status, 409)
        answer = self.post(f"/v1/instances/{got}/cancel?failed=true", {"reason": "refunded"})
        self.assertEqual((answer.status, answer.json["status"]), (200, "CANCELLED"))
        self.assertEqual(self.event(name, "paid", {"order": 8})["outcome"], "waiting")
        self.refused(self.post(f"/v1/instances/{got}/retry"), 409, "not FAILED")


if __name__ == "__main__":
    main()
