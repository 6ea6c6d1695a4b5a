"""An instance ends and another one goes on in its place: with its key, linked both ways, once, also across kill -9."""

from graphs import graph, node, edge
from harness import Case, Killed, main
from steps import end, wait

ROUNDS = 300


def counting(name, most):
    """Each run counts one further, until there are so many."""
    return {"id": name, "name": name, "steps": [
        {"id": "d", "name": "d", "type": "DECISION", "conditionalNextSteps": {f"n < {most}": "again", "true": "w"}},
        {**end("again"), "continueAs": {"input": {"n": "${n + 1}"}}}, wait("w", "end"), end()]}


class ContinueAs(Case):
    def publish(self, document):
        answer = self.post("/v1/definitions", document)
        self.assertEqual(answer.status, 201, answer)

    def test_both_know_each_other_and_the_key_moves(self):
        name = self.fresh("count")
        self.publish(counting(name, 2))
        first = self.start(name, {"n": 1}, businessKey="K")["id"]
        ended = self.instance(first)
        self.assertEqual(ended["status"], "COMPLETED")
        second = self.instance(ended["chainedTo"]["id"])
        self.assertEqual((second["status"], second["chainedFromId"], second["businessKey"], second["variables"]), ("WAITING", first, "K", {"n": 2}))
        taken = self.post("/v1/instances", {"definitionId": name, "variables": {"n": 2}, "businessKey": "K"})
        self.assertEqual(taken.status, 409, taken)

    def test_a_successor_waits_for_its_definition(self):
        name, later = self.fresh("first"), self.fresh("later")
        self.publish({"id": name, "name": name, "steps": [{**end(), "continueAs": {"definition": later, "input": {"a": 1}}}]})
        first = self.start(name, {"large": "x"}, businessKey="K")["id"]
        self.assertEqual(self.instance(first)["status"], "COMPLETED")
        self.publish({"id": later, "name": later, "steps": [wait("w", "end"), end()]})
        self.until(lambda: self.get(f"/v1/instances?definitionId={later}").json["total"] == 1)
        got = self.instance(self.get(f"/v1/instances?definitionId={later}").json["items"][0]["id"])
        self.assertEqual((got["businessKey"], got["variables"], got["chainedFromId"]), ("K", {"a": 1}, first))

    def test_documents_that_cannot_continue(self):
        inside = graph(node("t", "trigger_manual"), node("l", "for_each", items=[1]), node("c", "continue_as", parent="l"), edges=[edge("t", "l"), edge("l", "c", "body")])
        for document, code, pointer in (
                ({"id": "x", "name": "x", "steps": [{**end(), "ends": "branch", "continueAs": {}}]}, "NOT_ALLOWED_HERE", "/steps/0/ends"),
                ({"id": "x", "name": "x", "steps": [{**end(), "chain": True, "continueAs": {}}]}, "NOT_ALLOWED_HERE", "/steps/0/chain"),
                ({"id": "x", "name": "x", "steps": [{**end(), "continueAs": {"version": 0}}]}, "BAD_VALUE", "/steps/0/continueAs/version"),
                ({"id": "x", "name": "x", "steps": [{**end(), "continueAs": {"inputs": {}}}]}, "UNKNOWN_FIELD", "/steps/0/continueAs/inputs"),
                ({"id": "x", "name": "x", "steps": [{**wait("w", "end"), "continueAs": {}}, end()]}, "NOT_ALLOWED_HERE", "/steps/0/continueAs"),
                ({"id": "x", "name": "x", "steps": [{**end(), "continueAs": {"definition": "y" * 257}}]}, "TOO_LARGE", "/steps/0/continueAs/definition"),
                (inside, "SCOPE_VIOLATION", "/nodes/2")):
            told = self.post("/api/checks", document).json["errors"]
            self.assertIn((code, pointer), [(one["code"], one["pointer"]) for one in told], told)
        self.assertEqual(self.post("/api/checks", {"id": "x", "name": "x", "steps": [{**end(), "continueAs": {"definition": "y" * 256}}]}).json["errors"], [])


class Crashes(Killed):
    def test_each_goes_on_once_over_crashes(self):
        name = self.fresh("count")
        self.assertEqual(self.client.post("/v1/definitions", counting(name, ROUNDS)).status, 201)
        answer = self.client.post("/v1/instances", {"definitionId": name, "variables": {"n": 1}, "businessKey": "K"})
        self.assertEqual(answer.status, 201, answer)
        for _ in range(5):
            self.server.kill()
            self.again()
        self.until(lambda: self.client.get(f"/v1/instances?definitionId={name}&status=WAITING").json["total"] == 1)
        self.assertEqual(self.client.get(f"/v1/instances?definitionId={name}").json["total"], ROUNDS)
        at, seen = answer.json["id"], []
        while at:
            instance = self.client.get(f"/v1/instances/{at}").json
            seen.append(instance["variables"]["n"])
            self.assertEqual(instance["businessKey"], "K")
            at = instance.get("chainedTo", {}).get("id")
        self.assertEqual(seen, list(range(1, ROUNDS + 1)))


if __name__ == "__main__":
    main()
