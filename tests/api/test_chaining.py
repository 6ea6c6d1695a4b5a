"""A definition that starts another at its end."""

from harness import Case, main
from steps import decide, end, service, transform, wait


class Chains(Case):
    def children(self, name):
        return self.get(f"/v1/instances?definitionId={name}").json["items"]

    def test_the_child_has_the_variables_and_the_business_key(self):
        child = self.upload([wait("w", "end"), end()])
        parent = self.upload([transform("t", "end", {"b": 2}), end()], autoStartNextWorkflow=True, nextWorkflowId=child)
        self.start(parent, {"a": 1}, businessKey="k")
        got, = self.children(child)
        self.assertEqual((got["status"], got["variables"], got["businessKey"]), ("WAITING", {"a": 1, "b": 2}, "k"))

    def test_both_lead_to_each_other(self):
        child = self.upload([wait("w", "end"), end()])
        parent = self.upload([end()], autoStartNextWorkflow=True, nextWorkflowId=child)
        first = self.start(parent)["id"]
        second = self.instance(first)["chainedTo"]
        self.assertEqual((second["definitionId"], second["status"]), (child, "WAITING"))
        self.assertEqual(self.instance(second["id"])["chainedFromId"], first)
        self.assertNotIn("chainedTo", self.instance(second["id"]))
        self.assertNotIn("children", self.instance(first))

    def test_also_if_the_target_comes_later(self):
        child = self.fresh("child")
        first = self.start(self.upload([end()], autoStartNextWorkflow=True, nextWorkflowId=child))["id"]
        self.assertNotIn("chainedTo", self.instance(first))
        self.post("/v1/definitions", {"id": child, "name": "x", "steps": [end()]})
        self.until(lambda: "chainedTo" in self.instance(first))
        second = self.instance(first)["chainedTo"]["id"]
        self.assertEqual(self.instance(second)["chainedFromId"], first)

    def test_the_latest_version_is_started(self):
        child = self.upload([wait("w", "end"), end()])
        self.post("/v1/definitions", {"id": child, "name": "new", "steps": [end()]})
        self.start(self.upload([end()], autoStartNextWorkflow=True, nextWorkflowId=child))
        self.assertEqual(self.children(child)[0]["definitionVersion"], 2)

    def test_an_id_that_nobody_has_is_worth_a_warning(self):
        child = self.fresh("child")
        document = {"id": self.fresh(), "name": "n", "steps": [end()], "autoStartNextWorkflow": True, "nextWorkflowId": child}
        answer = self.post("/v1/definitions", document)
        self.assertEqual(answer.status, 201)
        told, = answer.json["warnings"]
        self.assertEqual((told["code"], told["pointer"], told["line"]), ("UNKNOWN_DEFINITION", "/nextWorkflowId", 1))
        self.post("/v1/definitions", {"id": child, "name": "x", "steps": [end()]})
        self.assertNotIn("warnings", self.post("/v1/definitions", {**document, "name": "again"}).json)

    def test_a_definition_that_starts_itself_at_once_is_worth_a_warning(self):
        name = self.fresh("self")
        document = {"id": name, "name": "n", "steps": [end()], "autoStartNextWorkflow": True, "nextWorkflowId": name}
        told, = self.post("/v1/definitions", document).json["warnings"]
        self.assertEqual(told["code"], "STARTS_ITSELF")
        document["steps"] = [wait("w", "end"), end()]
        self.assertNotIn("warnings", self.post("/v1/definitions", document).json)

    def test_a_target_that_comes_later_is_started_then_and_once(self):
        child = self.fresh("child")
        parent = self.upload([end()], autoStartNextWorkflow=True, nextWorkflowId=child)
        self.assertEqual(self.start(parent, {"n": 7})["status"], "COMPLETED")
        self.assertEqual(self.children(child), [])
        self.post("/v1/definitions", {"id": child, "name": "x", "steps": [end()]})
        self.until(lambda: self.children(child))
        got, = self.children(child)
        self.assertEqual(got["variables"], {"n": 7})
        self.post("/v1/definitions", {"id": child, "name": "y", "steps": [end()]})
        self.assertEqual(len(self.children(child)), 1)

    def test_not_from_an_end_that_says_so(self):
        child = self.upload([end()])
        parent = self.upload([decide("d", {"ok": "yes", "true": "no"}), end("yes"), end("no", chain=False)],
                             autoStartNextWorkflow=True, nextWorkflowId=child)
        self.start(parent, {"ok": False})
        self.assertEqual(self.children(child), [])
        self.start(parent, {"ok": True})
        self.assertEqual(len(self.children(child)), 1)

    def test_not_without_the_switch_nor_after_failure_or_cancel(self):
        child = self.upload([end()])
        self.start(self.upload([end()], autoStartNextWorkflow=False, nextWorkflowId=child))
        failing = self.upload([decide("d", {"false": "end"}), end()], autoStartNextWorkflow=True, nextWorkflowId=child)
        self.start(failing)
        waiting = self.upload([wait("w", "end"), end()], autoStartNextWorkflow=True, nextWorkflowId=child)
        self.post(f"/v1/instances/{self.start(waiting)['id']}/cancel")
        self.assertEqual(self.children(child), [])

    def test_a_chain_of_three_and_a_job_at_its_end(self):
        kind = self.fresh()
        last = self.upload([service("s", "end", kind), end()])
        middle = self.upload([transform("t", "end", {"n": "${n + 1}"}), end()], autoStartNextWorkflow=True, nextWorkflowId=last)
        self.start(self.upload([end()], autoStartNextWorkflow=True, nextWorkflowId=middle), {"n": 1})
        self.assertEqual(self.take(kind)["variables"], {"n": 2})


if __name__ == "__main__":
    main()
