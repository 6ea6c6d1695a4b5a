"""Definitions of every family as a whole: what runs, what failed, what their authors should look at."""

from graphs import edge, graph, node
from harness import Case, main
from steps import end, service


class Summaries(Case):
    def publish(self, document):
        answer = self.post("/api/workflows", document)
        self.assertIn(answer.status, (200, 201), answer)
        return answer.json["definitionId"]

    def steps(self, **more):
        return {"id": self.fresh("sum"), "name": "Summed", "steps": [service("a", "end"), end()], **more}

    def one(self, id):
        answer = self.get("/api/definitions/" + id)
        self.assertEqual(answer.status, 200, answer)
        return answer.json

    def test_counts_follow_the_instances(self):
        id = self.publish(self.steps())
        empty = {"running": 0, "waiting": 0, "person": 0, "failed": 0, "completed": 0, "cancelled": 0}
        self.assertEqual(self.one(id)["counts"], empty)
        first, second = self.post(f"/v1/definitions/{id}/instances", {}).json["id"], self.post(f"/v1/definitions/{id}/instances", {}).json["id"]
        self.assertEqual(self.one(id)["counts"], {**empty, "running": 2})
        self.post(f"/v1/instances/{first}/cancel", {})
        job = self.post("/v1/jobs/poll", {"workerId": "w", "jobTypes": ["a"], "maxJobs": 10}).json["jobs"]
        job = [j for j in job if j["instanceId"] == second][0]
        self.post(f"/v1/jobs/{job['id']}/fail", {"workerId": "w", "errorMessage": "PRINTER_HOT: the printer burns", "retryable": False})
        found = self.one(id)
        self.assertEqual(found["counts"], {**empty, "cancelled": 1, "failed": 1})
        self.assertEqual((found["lastFailure"]["nodeId"], found["lastFailure"]["instanceId"]), ("a", second))
        self.assertIn("PRINTER_HOT", found["lastFailure"]["reason"])
        self.assertEqual(found["lastFailure"]["sentence"], "The printer burns")
        self.assertEqual(self.get(f"/api/instances/{second}").json["why"][0]["text"], "“a” failed: the printer burns.")

    def test_people_count_as_people(self):
        id = self.publish({"id": self.fresh("sum"), "name": "P", "steps": [{"id": "p", "name": "P", "type": "USER_TASK", "nextStep": "end"}, end()]})
        self.post(f"/v1/definitions/{id}/instances", {})
        self.assertEqual((self.one(id)["counts"]["person"], self.one(id)["counts"]["waiting"]), (1, 0))

    def test_versions_starts_and_schema_are_told(self):
        document = graph(
            node("t", "trigger_manual", label="Ask", inputSchema={"type": "object", "properties": {"days": {"type": "integer"}}}),
            node("c", "trigger_cron", cron="0 9 * * 1"),
            node("z", "end"),
            edges=[edge("t", "z"), edge("c", "z")],
            name="Leave " + self.fresh("n"),
            tags=["people", 7, "leave"],
        )
        id = self.publish(document)
        self.publish({**document, "description": "again"})
        found = self.one(id)
        self.assertEqual(([v["version"] for v in found["versions"]], found["triggers"], found["tags"]), ([2, 1], 2, ["people", "leave"]))
        self.assertEqual(found["starts"], [{"trigger": "t", "label": "Ask", "type": "manual"}, {"trigger": "c", "label": "Start on a schedule", "type": "cron"}])
        self.assertEqual((found["startable"], found["inputSchema"]["properties"]), (True, {"days": {"type": "integer"}}))
        fields = self.one(self.publish(self.steps(input_schema={"properties": {"amount": {"type": "number"}}, "required": ["amount"]})))
        self.assertEqual((fields["inputSchema"]["required"], fields["starts"]), (["amount"], []))
        tagged = self.one(self.publish(self.steps(metadata={"tags": ["money", 7]})))
        self.assertEqual(tagged["tags"], ["money"])
        self.assertEqual(self.get("/api/definitions/nobody").status, 404)

    def test_warnings_and_drafts_are_told(self):
        plain = self.publish(self.steps())
        warned = self.publish(graph(node("t", "trigger_manual"), node("z", "end"), node("lost", "end"), edges=[edge("t", "z")], name="Warned " + self.fresh("n")))
        self.assertEqual(self.one(plain)["warnings"], 0)
        found = self.one(warned)
        self.assertEqual((found["warnings"], found["hasDraft"]), (1, False))
        self.assertIn("never runs", found["firstWarning"])
        self.client.request("PUT", f"/api/workflows/{warned}/draft", {"not": "finished"})
        self.assertTrue(self.one(warned)["hasDraft"])
        listed = self.get("/api/definitions?warnings=true&pageSize=100").json["items"]
        self.assertIn(warned, [d["definitionId"] for d in listed])
        self.assertNotIn(plain, [d["definitionId"] for d in listed])
        self.assertEqual(self.get("/api/definitions?warnings=odd").status, 400)

    def test_pages_go_on_behind_their_cursor(self):
        mark = self.fresh("page")
        ids = sorted(self.publish(self.steps(id=f"{mark}-{i}")) for i in range(5))
        seen, cursor, pages = [], None, 0
        while pages < 50:
            page = self.get(f"/api/definitions?keyword={mark.upper()}&pageSize=2" + (f"&cursor={cursor}" if cursor else "")).json
            self.assertLessEqual(len(page["items"]), 2)
            seen += [d["definitionId"] for d in page["items"]]
            pages += 1
            cursor = page.get("nextCursor")
            if not cursor:
                break
        self.assertEqual(seen, ids)
        self.assertEqual(self.get("/api/definitions?dialect=serverless&keyword=" + mark).json["items"], [])


if __name__ == "__main__":
    main()
