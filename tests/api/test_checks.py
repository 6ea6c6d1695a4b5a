"""Checks of documents: every problem with its place and, where one step mends it, the step."""

import copy

from graphs import edge, graph, node
from harness import Case, main
from steps import end, service


def reference(pointer):
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def place(document, path):
    """The container of a place, and the last reference."""
    *outer, last = reference(path)
    at = document
    for part in outer:
        at = at[int(part)] if isinstance(at, list) else at[part]
    return at, last


def remove(document, path):
    at, last = place(document, path)
    return at.pop(int(last)) if isinstance(at, list) else at.pop(last)


def add(document, path, value):
    at, last = place(document, path)
    if not isinstance(at, list):
        at[last] = value
    elif last == "-":
        at.append(value)
    else:
        at.insert(int(last), value)


def patched(document, patch):
    """RFC 6902, as far as repairs use it."""
    document = copy.deepcopy(document)
    for step in patch:
        if step["op"] == "add":
            add(document, step["path"], step["value"])
        elif step["op"] == "remove":
            remove(document, step["path"])
        elif step["op"] == "replace":
            remove(document, step["path"])
            add(document, step["path"], step["value"])
        elif step["op"] == "move":
            add(document, step["path"], remove(document, step["from"]))
        else:
            raise AssertionError(step)
    return document


START, END = node("t", "trigger_manual"), node("z", "end", label="Done")
TASK = {"id": "a", "name": "A", "type": "SERVICE_TASK", "jobType": "j", "nextStep": "end"}
WHEN = {"left": "{{ trigger.payload.a }}", "op": "eq", "right": 1}


def graphs():
    """Code of a problem, a word of its repair, and a document that has it."""
    yield "NAME_REQUIRED", "Call it", graph(START, END, edges=[edge("t", "z")], name="")
    yield "EDGE_UNKNOWN_NODE", "Send it to Who asks", graph(START, node("who_asks", "end", label="Who asks"), edges=[edge("t", "who_ask")])
    yield "EDGE_UNKNOWN_NODE", "Let it come from", graph(node("trigger", "trigger_manual"), END, edges=[edge("triger", "z")])
    yield "EDGE_UNKNOWN_NODE", "Send it to", graph(START, node("who_asks", "end"), edges=[{"from": ["t", "out"], "to": ["who_ask", "in"]}])
    yield "EDGE_UNKNOWN_NODE", "Remove the line", graph(START, END, edges=[edge("t", "z"), edge("t", "nothing like it")])
    yield "EDGE_INTO_TRIGGER", "Remove the line", graph(START, node("s", "set_variables", values={"a": 1}), edges=[edge("t", "s"), edge("s", "t")])
    yield "EDGE_FROM_END", "Remove the line", graph(START, END, node("y", "end"), edges=[edge("t", "z"), edge("z", "y")])
    yield "DUPLICATE_PORT_EDGE", "Remove the line", graph(START, END, node("y", "end"), edges=[edge("t", "z"), edge("t", "y")])
    yield "GATEWAY_DEFAULT_REQUIRED", "Go to Done if nothing else fits", graph(START, node("d", "decision"), node("y", "end"), END, edges=[edge("t", "d"), edge("d", "y", condition=WHEN), edge("d", "z", condition=WHEN)])
    yield "CONDITION_REQUIRED", "if nothing else fits", graph(START, node("d", "decision"), node("y", "end"), END, edges=[edge("t", "d"), edge("d", "y", condition=WHEN), edge("d", "z")])
    yield "CONDITION_ON_DEFAULT", "Remove the condition", graph(START, node("d", "decision"), node("y", "end"), END, edges=[edge("t", "d"), edge("d", "y", condition=WHEN), edge("d", "z", condition=WHEN, default=True)])
    yield "CONDITION_NOT_ALLOWED", "Remove the condition", graph(START, END, edges=[edge("t", "z", condition=WHEN)])
    yield "GATEWAY_MULTIPLE_DEFAULTS", "Keep only the first", graph(START, node("d", "decision"), node("y", "end"), END, edges=[edge("t", "d"), edge("d", "y", default=True), edge("d", "z", default=True)])
    yield "UNREACHABLE", "Lead from Set values to it", graph(START, node("s", "set_variables", values={"a": 1}), END, edges=[edge("t", "s")])
    yield "UNREACHABLE", "Remove", graph(START, END, node("lost", "end"), edges=[edge("t", "z")])
    yield "UNWIRED_PORT", "Lead on to the end", graph(START, END, node("s", "set_variables", values={"a": 1}), edges=[edge("t", "s")])
    yield "DECISION_NOT_WIRED", 'End after "no"', graph(START, node("p", "human_task", title="P", decisions=["yes", "no"]), END, edges=[edge("t", "p"), edge("p", "z", "yes")])
    yield "UNWIRED_PORT", "Lead on to the end", graph(START, node("s", "set_variables", values={"a": 1}), edges=[edge("t", "s")])
    yield "NO_TRIGGER", "Add a start before Done", graph(END)
    yield "DUPLICATE_NODE_ID", "Call the second", graph(START, END, node("z", "end"), edges=[edge("t", "z")])
    yield "UNKNOWN_NODE_TYPE", 'Use "human_task"', graph(START, node("p", "human_tsk", title="P"), END, edges=[edge("t", "p"), edge("p", "z")])
    yield "UNKNOWN_FIELD", 'Call it "decisions"', graph(START, node("p", "human_task", title="P", decision=["yes"]), END, edges=[edge("t", "p"), edge("p", "z")])
    yield "INVALID_DURATION", "Wait 1 day", graph(START, node("w", "delay"), END, edges=[edge("t", "w"), edge("w", "z")])
    yield "REQUIRED", "Give it the id", graph(START, {"type": "end"}, END, edges=[edge("t", "z")])
    yield "SECRET_NOT_DECLARED", "List the secret", graph(START, node("h", "action_http", url="https://x.example/{{ secrets.key }}"), END, edges=[edge("t", "h"), edge("h", "z")])
    yield "COMPENSATION_TARGET_NOT_FOUND", "Undo nothing", graph(START, {**node("h", "action_http", url="https://x.example/"), "compensation": "nobody"}, END, edges=[edge("t", "h"), edge("h", "z")])
    yield "SCOPE_VIOLATION", "Take it out", graph(START, node("z", "end", parent="t"), edges=[edge("t", "z")])


def steps():
    def document(*list_of_steps, **more):
        return {"id": "check-me", "name": "Check me", "steps": list(list_of_steps), **more}

    yield "UNRESOLVED", 'Send it to "end"', document({**TASK, "nextStep": "edn"}, end())
    yield "UNRESOLVED", "Send it to the end", document({**TASK, "nextStep": "nothing like it"}, end())
    yield "NO_END", "End after A", document({key: value for key, value in TASK.items() if key != "nextStep"})
    yield "UNREACHABLE", "Lead from A to it", document({key: value for key, value in TASK.items() if key != "nextStep"}, {**TASK, "id": "b"}, end())
    yield "UNREACHABLE", "Remove B", document(TASK, {**TASK, "id": "b", "name": "B"}, end())
    yield "DUPLICATE_ID", 'Call it "a_2"', document(TASK, TASK, end())
    yield "BAD_VALUE", 'Use "SERVICE_TASK"', document({**TASK, "type": "SERVICE_TSK"}, end())
    yield "REQUIRED", "Fill in jobType: a", document({key: value for key, value in TASK.items() if key != "jobType"}, end())
    yield "REQUIRED", "Fill in name: a", document({key: value for key, value in TASK.items() if key != "name"}, end())
    yield "REQUIRED", "Fill in name", document(TASK, end(), name="")
    yield "UNKNOWN_FIELD", 'Call it "nextStep"', document({**{key: value for key, value in TASK.items() if key != "nextStep"}, "nextSte": "end"}, end())
    yield "NOT_ALLOWED_HERE", 'Remove "jobType"', document(TASK, {**end(), "jobType": "x"})
    yield "DEAD_END", "Lead on to the end", document({"id": "d", "name": "D", "type": "DECISION", "conditionalNextSteps": {"x > 1": "a", "true": "end"}}, {key: value for key, value in TASK.items() if key != "nextStep"}, end())
    yield "REQUIRED", "Lead on to the end", document({**TASK, "nextStep": "w"}, {"id": "w", "name": "W", "type": "WAIT"}, end())


def states():
    def workflow(*list_of_states):
        return {"name": "W", "startsAt": "a", "states": list(list_of_states)}

    yield "REQUIRED", "End here", workflow({"name": "a", "type": "RELAY"})
    yield "UNRESOLVED", 'Use "done"', workflow({"name": "a", "type": "RELAY", "transition": "don"}, {"name": "done", "type": "RELAY", "end": True})


class Checks(Case):
    def problems(self, document):
        answer = self.post("/api/checks", document)
        self.assertEqual(answer.status, 200, answer)
        return answer.json["errors"] + answer.json["warnings"]

    def test_repairs_mend_their_problem(self):
        mended = set()
        for cases in (graphs, steps, states):
            for code, label, document in cases():
                with self.subTest(code=code, label=label):
                    before = self.problems(document)
                    found = [p for p in before if p["code"] == code and label in p.get("fix", {}).get("label", "")]
                    self.assertTrue(found, before)
                    better = patched(document, found[0]["fix"]["patch"])
                    left = [(p["code"], p["message"]) for p in self.problems(better)]
                    self.assertNotIn((code, found[0]["message"]), left)
                    self.assertLessEqual(len(left), len(before))
                    mended.add((cases.__name__, code))
        self.assertGreaterEqual(len(mended), 8)

    def test_repairs_name_the_line(self):
        found = self.problems(graph(START, END, edges=[edge("t", "z"), edge("t", "nothing like it"), edge("t", "neither", id="mine")]))
        self.assertEqual([p["edgeId"] for p in found if p["code"] == "EDGE_UNKNOWN_NODE"], ["edge_2", "mine"])

    def test_the_older_path_gives_the_same(self):
        document = graph(START, END, edges=[edge("t", "zz")])
        self.assertEqual(self.post("/api/checks", document).json, self.post("/api/workflows/validate", document).json)

    def test_answers_that_only_a_run_knows_have_no_repair(self):
        """The pointer of the problem leads to the field, and not to an answer in it."""
        task = {"id": "p", "type": "human_task"}
        for more in ({"config": {"title": "P", "decisions": "{{ trigger.payload.a }}"}}, {"config": {"title": "P", "decisions": ["{{ trigger.payload.a }}"]}}):
            with self.subTest(more=more):
                found = [p for p in self.problems(graph(START, {**task, **more}, END, edges=[edge("t", "p"), edge("p", "z")])) if p["code"] == "DECISION_NOT_WIRED"]
                self.assertEqual([("fix" in p) for p in found], [False])

    def test_nonsense_has_no_repair_that_harms(self):
        for document in ({}, {"steps": [1, {"id": {}}]}, {"dialect": "graph/1", "nodes": [3, {}, {"id": 4}], "edges": [[], {"from": 5, "to": {}}]}, {"states": [{}], "startsAt": 4}, {"workflows": [3]}):
            for problem in self.problems(document):
                if "fix" in problem:
                    self.problems(patched(document, problem["fix"]["patch"]))


if __name__ == "__main__":
    main()
