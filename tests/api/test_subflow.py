"""A node of a flow graph runs another definition, and an action keeps of its result only what its `output` names."""

import json

from functions import Functions, Reply
from graphs import edge, graph, node
from harness import PATIENCE, Case, main
from steps import end, transform
from workflows import subflow

LARGE = {"id": 7, "rest": "x" * 400_000}


class Subflow(Case):
    arguments = ("--allow-private-calls",)

    def publish(self, *nodes, edges, name=None, status=201, **more):
        name = name or self.fresh("flow")
        answer = self.post("/api/workflows", {**graph(node("t", "trigger_manual"), *nodes, edges=edges, name=name, **more), "definitionId": name})
        self.assertEqual(answer.status, status, answer)
        return name if status < 300 else answer.json

    def runs(self, child, name=None, status=201, **config):
        """A flow that runs another one and ends with what it brought."""
        return self.publish(node("c", "action_subflow", definition=child, **config), node("e", "end", result={"c": "{{ nodes.c }}"}),
                            edges=[edge("t", "c"), edge("c", "e")], name=name, status=status)

    def waiting(self, name):
        """A flow that asks a person."""
        return {**graph(node("t", "trigger_manual"), node("h", "human_task", title="work"), edges=[edge("t", "h")], name=name), "definitionId": name}

    def waits(self):
        name = self.fresh("waits")
        self.assertEqual(self.post("/api/workflows", self.waiting(name)).status, 201)
        return name

    def child_of(self, got):
        child, = self.get(f"/api/instances/{got}").json["children"]
        return child["id"]

    def test_caller_and_child_know_each_other(self):
        child = self.waits()
        got = self.start(self.runs(child, input={"n": "{{ trigger.payload.n }}"}, businessKey="K-{{ trigger.payload.n }}"), {"n": 5})["id"]
        kid = self.child_of(got)
        born = self.instance(kid)
        self.assertEqual((born["status"], born["businessKey"], born["parentId"], born["parentStepId"]), ("WAITING", "K-5", got, "c"))
        self.assertEqual(self.post(f"/v1/instances/{kid}/cancel").status, 200)
        failed = self.instance(got)
        self.assertEqual((failed["status"], failed["error"]["message"]), ("FAILED", "cancelled"))

    def test_a_key_that_is_in_use_is_an_error_of_the_node(self):
        child = self.waits()
        parent = self.runs(child, businessKey="K")
        self.assertEqual(self.start(parent)["status"], "ACTIVE")
        refused = self.instance(self.start(parent)["id"])
        self.assertEqual(refused["status"], "FAILED")
        self.assertIn("business key already in use", refused["error"]["message"])

    def test_a_cancellation_goes_down(self):
        got = self.start(self.runs(self.waits()))["id"]
        kid = self.child_of(got)
        self.assertEqual(self.post(f"/v1/instances/{got}/cancel").status, 200)
        self.until(lambda: self.instance(kid)["status"] == "CANCELLED")

    def test_any_family_and_any_version(self):
        steps = self.fresh("steps")
        for factor in (2, 3):
            answer = self.post("/v1/definitions", {"id": steps, "name": "s", "steps": [transform("t", "end", {"n": f"${{n * {factor}}}"}), end()]})
            self.assertIn(answer.status, (200, 201), answer)
        for config, want in (({}, 12), ({"version": "latest"}, 12), ({"version": 1}, 8), ({"version": "{{ trigger.payload.v }}"}, 8)):
            got = self.start(self.runs(steps, input={"n": 4}, **config), {"v": 1})
            self.assertEqual(got["variables"]["result"]["c"]["result"], {"n": want}, config)

    def test_a_flow_of_states_gets_the_result_of_a_graph(self):
        child = self.publish(node("e", "end", result={"twice": ["{{ trigger.payload.n }}", "{{ trigger.payload.n }}"]}), edges=[edge("t", "e")])
        got = self.start(self.upload_workflow(subflow("S", child)), {"n": 1}, wait=PATIENCE)
        self.assertEqual((got["status"], got["variables"]), ("COMPLETED", {"n": 1, "twice": [1, 1]}))

    def problems(self, document):
        answer = self.post("/api/checks", document)
        self.assertEqual(answer.status, 200, answer)
        return [("error", one) for one in answer.json["errors"]] + [("warning", one) for one in answer.json["warnings"]]

    def test_publishing_looks_at_what_it_runs(self):
        nobody, child = self.fresh("nobody"), self.waits()
        self.assertEqual([(kind, one["code"]) for kind, one in self.problems(self.document_of(nobody))], [("warning", "UNKNOWN_DEFINITION")])
        self.assertIn("version 2 of", self.runs(child, version=2, status=400)["message"])
        self.assertEqual([(kind, one["code"], one["pointer"]) for kind, one in self.problems(self.document_of(child, version=9))], [("error", "UNKNOWN_VERSION", "/nodes/1")])
        # Documents that come together bring versions whose numbers nobody knows yet; others do not.
        pinned = {"file": "a.json", "document": self.document_of(child, version=2)}
        self.assertEqual(self.post("/api/apply", {"documents": [pinned]}).status, 400)
        self.assertEqual(self.post("/api/apply?dryRun=true", {"documents": [pinned, {"file": "b.json", "document": self.waiting(child)}]}).status, 200)

    def test_publishing_tells_of_circles(self):
        first, second = self.fresh("circle"), self.fresh("circle")
        self.runs(second, name=first)
        (_, told), = self.problems(self.document_of(first, name=second))
        self.assertEqual(told["code"], "STARTS_ITSELF")
        self.assertIn(f"{second} → {first} → {second}", told["message"])
        self.assertEqual([one["code"] for _, one in self.problems(self.document_of("x"))], ["STARTS_ITSELF"])

    def document_of(self, child, name="x", **config):
        return {**graph(node("t", "trigger_manual"), node("c", "action_subflow", definition=child, **config), node("e", "end"),
                        edges=[edge("t", "c"), edge("c", "e")], name=name), "definitionId": name}

    def test_three_large_answers_do_not_end_a_run(self):
        functions = Functions()
        self.addCleanup(functions.close)
        names = ["a", "b", "c"]
        functions.answer("/large", Reply(200, LARGE))
        for name in names:
            functions.answer(f"/large/{name}", Reply(200, {**LARGE, "rest": name * 400_000}))

        def run(path="/large/{}", **config):
            calls = [node(name, "action_http", url=functions.url + path.format(name), **config) for name in names]
            name = self.publish(*calls, node("e", "end", result={"ids": [f"{{{{ nodes.{name}.id }}}}" for name in names]}),
                                edges=[edge(*pair) for pair in zip(["t", *names], [*names, "e"])])
            return self.start(name, wait=PATIENCE)
        whole = run()
        self.assertEqual(whole["status"], "FAILED")
        self.assertIn("variables_bytes_max", whole["failureReason"])
        self.assertEqual(run("/large")["status"], "COMPLETED")  # Equal values are stored once.
        kept = run(output={"id": "{{ result.body.id }}"})
        self.assertEqual((kept["status"], kept["variables"]["result"]), ("COMPLETED", {"ids": [7, 7, 7]}))
        # Nothing else of it is stored: neither in the data, nor in the history.
        for path in (f"/v1/instances/{kept['id']}", f"/v1/instances/{kept['id']}/history"):
            self.assertLess(len(json.dumps(self.get(path).json)), 20_000, path)


if __name__ == "__main__":
    main()
