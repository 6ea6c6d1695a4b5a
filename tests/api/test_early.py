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

    def test_the_answer_says_that_no_more_are_kept(self):
        path = self.publish(flow(self.fresh("calls")))
        instance = self.hook(path, {"no": "A"})["instanceId"]
        notes = [self.hook(f"{path}-done", {"no": "A", "n": n})["note"] for n in range(101)]
        self.assertEqual(set(notes[:100]), {"EARLY"})
        self.assertIn("EARLY_ARRIVALS_MAX", notes[100])
        self.assertEqual(self.answer(instance)["result"], {"n": 0})


if __name__ == "__main__":
    main()
