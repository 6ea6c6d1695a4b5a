"""Arrivals and events that come before somebody waits for them."""

from harness import Case, main


def flow(path, **wait):
    return {"dialect": "graph/1", "definitionId": path, "name": path, "triggers": [
        {"id": "order", "type": "http", "path": f"/{path}", "correlationExpression": "$.body.no"},
        {"id": "done", "type": "http", "path": f"/{path}-done", "correlationExpression": "$.body.no", "onMatch": "MapOrDiscard"}],
        "nodes": [{"id": "ask", "type": "human_task", "config": {"title": "Ask"}},
                  {"id": "wait", "type": "wait_event", "config": {"trigger": "done", **wait}},
                  {"id": "end", "type": "end", "config": {"result": {"n": "{{ nodes.wait.payload.n }}"}}}],
        "edges": [{"from": "order", "to": "ask"}, {"from": "ask", "to": "wait"}, {"from": "wait", "to": "end"}]}


class Early(Case):
    def publish(self, document):
        answer = self.post("/v1/definitions", document)
        self.assertEqual(answer.status, 201, answer)
        return document["definitionId"]

    def hook(self, path, body, status=202, **headers):
        answer = self.client.request("POST", f"/hooks/{path}", body, {name.replace("_", "-"): value for name, value in headers.items()})
        self.assertEqual(answer.status, status, answer)
        return answer.json

    def answer(self, instance):
        self.assertEqual(self.post(f"/api/workflows/{instance}/resume", {"decision": "approve"}).status, 200)
        return self.get(f"/api/runs/{instance}").json

    def test_a_callback_before_its_wait(self):
        path = self.publish(flow(self.fresh("calls")))
        instance = self.hook(path, {"no": "A"})["instanceId"]
        early = self.hook(f"{path}-done", {"no": "A", "n": 1})
        self.assertEqual((early["outcome"], early["instanceId"], early["note"]), ("updated", instance, "EARLY"))
        for shown in (self.get(f"/v1/instances/{instance}").json, self.get(f"/api/runs/{instance}").json):
            self.assertEqual([item["trigger"] for item in shown["pendingArrivals"]], ["done"])
        shown = self.answer(instance)
        self.assertEqual((shown["status"], shown["result"]), ("completed", {"n": 1}))
        self.assertNotIn("pendingArrivals", shown)

    def test_a_wait_that_takes_no_early_ones(self):
        path = self.publish(flow(self.fresh("calls"), early=False))
        instance = self.hook(path, {"no": "A"})["instanceId"]
        self.assertNotIn("note", self.hook(f"{path}-done", {"no": "A", "n": 1}))
        self.assertEqual(self.answer(instance)["status"], "suspended")

    def test_a_callback_before_its_instance(self):
        path = self.publish(flow(self.fresh("calls")))
        first = self.hook(f"{path}-done", {"no": "A", "n": 1}, Idempotency_Key=f"{path}-1")
        self.assertEqual((first["outcome"], first["note"]), ("discarded", "EARLY"))
        again = self.hook(f"{path}-done", {"no": "A", "n": 1}, Idempotency_Key=f"{path}-1")
        self.assertEqual((again["outcome"], again["note"]), ("duplicate", "EARLY"))
        instance = self.hook(path, {"no": "A"})["instanceId"]
        self.until(lambda: "pendingArrivals" in self.get(f"/api/runs/{instance}").json)
        self.assertEqual(self.answer(instance)["result"], {"n": 1})

    def test_so_many_wait_for_one_key(self):
        path = self.publish(flow(self.fresh("calls")))
        notes = [self.hook(f"{path}-done", {"no": "A", "n": n})["note"] for n in range(101)]
        self.assertEqual(set(notes[:100]), {"EARLY"})
        self.assertIn("KEPT_PER_KEY_MAX", notes[100])
        self.assertEqual(self.hook(f"{path}-done", {"no": "B", "n": 1})["note"], "EARLY")

    def test_an_event_before_its_instance(self):
        name = self.fresh("pay")
        triggers = [{"name": word, "source": f"/{name}", "type": word, "correlationToken": "order"} for word in ("ordered", "paid")]
        states = [{"name": "Ordered", "type": "EVENT", "eventActions": [{"condition": {"body": "ordered"}, "actions": [], "transition": "Paid"}]},
                  {"name": "Paid", "type": "EVENT", "eventActions": [{"condition": {"body": "paid"}, "actions": []}], "end": True}]
        self.assertEqual(self.post("/v1/definitions", {"id": name, "name": name, "version": "1.0", "startsAt": "Ordered", "triggers": triggers, "states": states}).status, 201)

        def send(word, number, **more):
            event = {"specversion": "1.0", "id": f"{word}{number}", "source": f"/{name}", "type": word, "order": "A", "data": {}, **more}
            return self.client.request("POST", "/v1/events", event, {"Content-Type": "application/cloudevents+json"}).json["events"][0]

        def waiting():
            listed = self.get("/v1/events/unmatched").json["waiting"]
            return [(item["type"], item["id"]) for item in listed if item["definitionId"] == name]

        self.assertEqual(send("paid", 1)["outcome"], "waiting")
        self.assertEqual(waiting(), [("paid", "paid1")])
        again = send("paid", 1)
        self.assertEqual((again["outcome"], again["firstOutcome"]), ("duplicate", "waiting"))
        started = send("ordered", 1)
        self.assertEqual(started["outcome"], "started")
        instance = started["instances"][0]["id"]
        self.until(lambda: self.get(f"/v1/instances/{instance}").json["executionStatus"] == "Success")
        again = send("paid", 1)
        self.assertEqual((again["outcome"], again["firstOutcome"], again["instances"][0]["id"]), ("duplicate", "delivered", instance))
        self.assertEqual(waiting(), [])

    def test_the_answer_says_that_no_more_are_kept(self):
        path = self.publish(flow(self.fresh("calls")))
        instance = self.hook(path, {"no": "A"})["instanceId"]
        notes = [self.hook(f"{path}-done", {"no": "A", "n": n})["note"] for n in range(101)]
        self.assertEqual(set(notes[:100]), {"EARLY"})
        self.assertIn("EARLY_ARRIVALS_MAX", notes[100])
        self.assertEqual(self.answer(instance)["result"], {"n": 0})


if __name__ == "__main__":
    main()
