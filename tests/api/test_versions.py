"""The latest version is a fact that people can set: older texts that come again, and versions that are restored."""

from graphs import edge, graph, node
from harness import Case, main
from steps import end, service
from workflows import relay

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
