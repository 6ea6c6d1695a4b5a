"""The latest version is a fact that people can set: older texts that come again, and versions that are restored."""

from graphs import edge, graph, node
from harness import Case, main
from steps import end, service
from workflows import event, on, relay, subflow, trigger

LIMIT = 200


class Versions(Case):
    def publish(self, document, **more):
        answer = self.post("/v1/definitions", document, **more)
        self.assertEqual(answer.status, 201, answer.body)
        return answer.json

    def steps(self, name, title):
        return {"id": name, "name": title, "steps": [service("a", "end", self.fresh("job")), end()]}

    def started(self, name):
        answer = self.post("/v1/instances", {"definitionId": name})
        self.assertEqual(answer.status, 201, answer.body)
        return answer.json["definitionVersion"]

    def restore(self, name, version, query="", **more):
        return self.client.request("POST", f"/api/definitions/{name}/versions/{version}/restore{query}", **more)


class OlderTexts(Versions):
    def test_steps(self):
        name = self.fresh("steps")
        first, second = self.steps(name, "A"), self.steps(name, "B")
        answers = [self.publish(d) for d in (first, second, first, first, second)]
        self.assertEqual([(a["version"], a.get("restores"), "latestVersion" in a) for a in answers],
                         [(1, None, False), (2, None, False), (3, 1, False), (3, 1, False), (4, 2, False)])
        self.assertEqual(self.started(name), 4)
        listed = self.get(f"/api/workflows/{name}/versions").json["items"]
        self.assertEqual([(v["version"], v.get("restores")) for v in listed], [(4, 2), (3, 1), (2, None), (1, None)])

    def test_graphs(self):
        name = self.fresh("graph")
        def flow(title):
            return graph(node("ask", "trigger_manual"), node("end", "end"), edges=[edge("ask", "end")], name=title, definitionId=name)
        answers = [self.post("/api/workflows", flow(title)).json for title in "ABA"]
        self.assertEqual([(a["version"], a.get("restores"), a["isNew"]) for a in answers], [(1, None, True), (2, None, True), (3, 1, True)])
        run = self.post(f"/api/workflows/{name}/start", {"input": {}}).json
        self.assertEqual(self.get(f"/v1/instances/{run['instanceId']}").json["definitionVersion"], 3)

    def test_a_workflow_that_calls_itself_older(self):
        name = self.fresh("own")
        def workflow(version, title):
            return {"id": name, "name": title, "version": version, "startsAt": "A", "states": [relay("A")]}
        one, two = workflow("1.0", "One"), workflow("2.0", "Two")
        self.publish(one)
        self.publish(two)
        between = self.publish(workflow("1.5", "Between"))
        self.assertEqual((between["version"], between["latestVersion"]), (3, 2), "A lower version is no restored one.")
        self.assertEqual(self.started(name), 2)
        again = self.publish(one)
        self.assertEqual((again["version"], again["restores"], "latestVersion" in again), (4, 1, False))
        self.assertEqual(self.started(name), 4)
        self.assertEqual(self.get(f"/v1/definitions/{name}").json["version"], "1.0")
        self.assertEqual(self.publish(workflow("1.7", "Later"))["latestVersion"], 4)
        self.assertEqual(self.restore(name, "previous").json["restores"], 2)

    def test_workflows_of_entities(self):
        model = self.fresh("Order")
        def document(name):
            return {"entityName": model, "modelVersion": 1, "sample": {"total": 1},
                    "workflows": [{"name": name, "initialState": "new", "states": {"new": {"transitions": []}}}]}
        answers = [self.publish(document(name)) for name in ("first", "second", "first")]
        self.assertEqual([(a["version"], a.get("restores")) for a in answers], [(1, None), (2, None), (3, 1)])
        restored = self.restore(answers[0]["id"], 2).json
        self.assertEqual((restored["version"], restored["restores"]), (4, 2))
        exported = self.get(f"/api/model/{model}/1/workflow/export").json
        self.assertEqual([w["name"] for w in exported["workflows"]], ["second"])


class Restoring(Versions):
    def test_a_version_that_is_named_becomes_the_latest(self):
        name = self.fresh("named")
        for title in "ABC":
            self.publish(self.steps(name, title))
        restored = self.restore(name, 1)
        self.assertEqual((restored.status, restored.json["version"], restored.json["restores"], restored.json["name"]), (201, 4, 1, "A"))
        self.assertEqual(self.started(name), 4)
        again = self.restore(name, 1)
        self.assertEqual((again.status, again.json["version"], again.json["isNew"]), (200, 4, False))

    def test_the_previous_one_is_the_one_that_ran_before(self):
        name = self.fresh("back")
        for title in "AB":
            self.publish(self.steps(name, title))
        answers = [self.restore(name, "previous").json for _ in range(3)]
        self.assertEqual([(a["version"], a["restores"], a["name"]) for a in answers], [(3, 1, "A"), (4, 2, "B"), (5, 3, "A")])

    def test_versions_that_are_not_there(self):
        name = self.fresh("none")
        self.publish(self.steps(name, "A"))
        for version in ("previous", "2", "0", "x", "-1", "2147483648"):
            self.assertEqual(self.restore(name, version).status, 404, version)
        self.assertEqual(self.restore("nobody", 1).status, 404)

    def test_a_key_gives_the_same_answer_again(self):
        name = self.fresh("key")
        for title in "AB":
            self.publish(self.steps(name, title))
        key = {"Idempotency-Key": self.fresh("k")}
        answers = [self.restore(name, "previous", headers=key) for _ in range(2)]
        self.assertEqual([a.json["version"] for a in answers], [3, 3])
        self.assertEqual(answers[0].json, answers[1].json)


class Retiring(Versions):
    def retire(self, name):
        answer = self.post(f"/api/definitions/{name}/retire")
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json

    def refused(self, answer):
        self.assertEqual(answer.status, 409, answer.body)
        self.assertIn("is retired: nothing of it starts", answer.body.decode())

    def test_nothing_starts_and_instances_go_on(self):
        name, job = self.fresh("old"), self.fresh("job")
        document = {"id": name, "name": "Old", "steps": [service("a", "end", job), end()]}
        self.publish(document)
        running = self.post("/v1/instances", {"definitionId": name}).json["id"]
        first = self.retire(name)
        self.assertEqual(self.retire(name), first, "It is retired once.")
        for path, body in (("/v1/instances", {"definitionId": name}), ("/v1/instances", {"definitionId": name, "definitionVersion": 1}),
                           (f"/v1/definitions/{name}/instances", {}), (f"/api/workflows/{name}/start", {"input": {}})):
            self.refused(self.post(path, body))
        work = self.post("/v1/jobs/poll", {"workerId": "w", "jobTypes": [job], "maxJobs": 1}).json["jobs"][0]
        self.assertEqual(self.post(f"/v1/jobs/{work['id']}/complete", {"workerId": "w"}).status, 204)
        self.assertEqual(self.get(f"/v1/instances/{running}").json["status"], "COMPLETED")
        shown = self.get(f"/api/definitions/{name}").json
        self.assertEqual((shown["retiredAt"], shown["mayStart"], shown["versions"][0]["retiredAt"]), (first["retiredAt"], False, first["retiredAt"]))
        again = self.publish(document)
        self.assertEqual((again["version"], again["restores"], "retiredAt" in again), (2, 1, False), "To publish it is the way back.")
        self.assertEqual(self.started(name), 2)

    def test_restoring_brings_it_back(self):
        name = self.fresh("back")
        for title in "AB":
            self.publish(self.steps(name, title))
        self.retire(name)
        self.assertEqual(self.restore(name, 2).json["restores"], 2)
        self.assertEqual(self.started(name), 3)
        self.assertEqual(self.post("/api/definitions/nobody/retire").status, 404)

    def test_triggers_are_refused_and_schedules_end(self):
        name, path = self.fresh("hooked"), self.fresh("hook")
        document = graph(node("h", "trigger_http", path="/" + path, method="POST"), node("c", "trigger_cron", cron="0 9 1 1 *"), node("m", "trigger_manual"), node("end", "end"),
                         edges=[edge("h", "end"), edge("c", "end"), edge("m", "end")], name=name, definitionId=name)
        self.assertEqual(self.post("/api/workflows", document).status, 201)
        def next_slots():
            return [t.get("nextAt") for t in self.get(f"/api/triggers?definitionId={name}").json["items"] if t["trigger"] == "c"]
        self.assertEqual(len([at for at in next_slots() if at]), 1)
        self.retire(name)
        self.assertEqual([at for at in next_slots() if at], [])
        self.assertEqual(self.post(f"/hooks/{path}", {}).status, 409)
        self.refused(self.post(f"/api/workflows/{name}/start", {"input": {}, "trigger": "m"}))
        arrivals = self.get(f"/api/arrivals?definitionId={name}").json["items"]
        self.assertEqual({(a["outcome"], "is retired" in a["note"]) for a in arrivals}, {("refused", True)})
        self.assertEqual(self.post("/api/workflows", document).json["restores"], 1)
        self.assertEqual(len([at for at in next_slots() if at]), 1)
        self.assertEqual(self.post(f"/hooks/{path}", {}).status, 202)

    def test_events_go_to_others(self):
        source, kind, names = self.fresh("source"), self.fresh("kind"), [self.fresh("one"), self.fresh("two")]
        for name in names:
            self.publish({"id": name, "name": name, "startsAt": "E", "states": [event("E", on("t"))], "triggers": [trigger("t", source, kind)]})
        def send():
            answer = self.client.request("POST", "/v1/events", {"specversion": "1.0", "id": self.fresh("id"), "source": source, "type": kind}, {"Content-Type": "application/cloudevents+json"})
            self.assertEqual(answer.status, 202, answer.body)
            return [self.get(f"/v1/instances?definitionId={name}").json["total"] for name in names]
        self.assertEqual(send(), [1, 1])
        self.retire(names[0])
        self.assertEqual(send(), [1, 2])
        self.retire(names[1])
        self.assertEqual(send(), [1, 2])
        reasons = [u["reason"] for u in self.get("/v1/events/unmatched?pageSize=100").json["items"] if u["event"]["source"] == source]
        self.assertEqual(reasons, ["the definition that would start by it is retired"])

    def test_children_and_entities(self):
        child, parent, model = self.fresh("child"), self.fresh("parent"), self.fresh("Order")
        self.publish({"id": child, "name": child, "startsAt": "A", "states": [relay("A")]})
        self.publish({"id": parent, "name": parent, "startsAt": "S", "states": [subflow("S", child)]})
        self.retire(child)
        run = self.post("/v1/instances", {"definitionId": parent}).json["id"]
        self.until(lambda: self.get(f"/v1/instances/{run}").json["status"] == "FAILED")
        self.assertIn("is retired", self.get(f"/v1/instances/{run}").json["failureReason"])
        document = {"entityName": model, "modelVersion": 1, "sample": {"total": 1},
                    "workflows": [{"name": "w", "initialState": "new", "states": {"new": {"transitions": []}}}]}
        self.retire(self.publish(document)["id"])
        self.refused(self.post(f"/api/entity/JSON/{model}/1", {"total": 2}))

    def test_a_chained_start_waits_until_it_is_in_use_again(self):
        first, second = self.fresh("first"), self.fresh("second")
        target = {"id": second, "name": "Second", "steps": [end()]}
        self.publish(target)
        self.publish({"id": first, "name": "First", "autoStartNextWorkflow": True, "nextWorkflowId": second, "steps": [end()]})
        self.retire(second)
        self.post("/v1/instances", {"definitionId": first})
        self.assertEqual(self.get(f"/v1/instances?definitionId={second}").json["total"], 0)
        self.publish(target)
        self.until(lambda: self.get(f"/v1/instances?definitionId={second}").json["total"] == 1)


class Origins(Versions):
    def test_a_version_says_where_it_comes_from(self):
        name = self.fresh("origin")
        one = self.post("/v1/definitions?revision=abc123", self.steps(name, "A"), headers={"X-Actor": "ann"}).json
        two = self.post("/api/workflows?revision=def%20456", self.steps(name, "B")).json
        three = self.restore(name, 1, "?revision=revert", headers={"X-Actor": "bob"}).json
        self.assertEqual([d["revision"] for d in (one, two, three)], ["abc123", "def 456", "revert"])
        shown = self.get(f"/api/definitions/{name}").json
        self.assertEqual([(v["version"], v.get("revision"), v.get("restores"), v.get("publishedBy")) for v in shown["versions"]],
                         [(3, "revert", 1, "bob"), (2, "def 456", None, None), (1, "abc123", None, "ann")])
        self.assertEqual((shown["revision"], shown["restores"]), ("revert", 1))

    def test_a_revision_is_a_short_line(self):
        for revision, status in (("x" * LIMIT, 201), ("x" * (LIMIT + 1), 400), ("a%0Ab", 400), ("a%00b", 400), ("%1b%5b2J", 400), ("a%7fb", 400)):
            document = self.steps(self.fresh("line"), "A")
            for path in ("/v1/definitions", "/api/workflows"):
                answer = self.post(f"{path}?revision={revision}", {**document, "id": self.fresh("line")})
                self.assertEqual(answer.status, status, (path, revision, answer.body))


if __name__ == "__main__":
    main()
