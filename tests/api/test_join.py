"""Processors that read and write other entities in the transaction that waits for them."""

import json

import harness
from harness import main
from members import Case, one_transition, processor

MODES = ({"mode": "SYNC"}, {"mode": "ASYNC_SAME_TX"}, {"mode": "COMMIT_BEFORE_DISPATCH", "startNewTxOnDispatch": True})


class Joined(Case):
    def begin(self, **mode):
        """An entity whose processor is at work, another entity, and the token."""
        self.prepare(one_transition(processor("p", self.tag, **mode), manual=True))
        entity, other = self.created({"amount": 1}), self.created({"amount": 2})
        member = self.member(lambda request: None)
        finish = self.fire_later("PUT", f"/api/entity/JSON/{entity}/GO", {"amount": 10})
        _, request, message = member.next_request()
        return member, request, message.attributes["cyodatxtoken"].ce_string, finish, entity, other

    def put(self, entity, document, token):
        return self.client.request("PUT", f"/api/entity/JSON/{entity}", document, {"X-Tx-Token": token})

    def search(self, token=None, query="", kind="direct"):
        every = {"type": "group", "operator": "AND", "conditions": []}
        return self.post(f"/api/search/{kind}/{self.model}/1?sort=$.amount{query}", every, {"X-Tx-Token": token} if token else {})

    def amounts(self, token=None):
        answer = self.search(token)
        self.assertEqual(answer.status, 200, answer.body)
        return [json.loads(line)["data"]["amount"] for line in answer.body.splitlines()]

    def test_a_search_sees_what_the_transaction_has_changed(self):
        member, request, token, finish, _, other = self.begin(mode="SYNC")
        self.join(other, token)
        self.assertEqual((self.amounts(token), self.amounts()), ([3, 10, 22], [1, 2]))
        self.assert_code(self.search(token, "&pointInTime=2030-01-01T00:00:00Z"), 400, "BAD_REQUEST")
        self.assert_code(self.search(token, kind="async"), 400, "BAD_REQUEST", "X-Tx-Token")
        member.reply(request, {})
        self.assertEqual((finish().status, self.amounts()), (200, [3, 10, 22]))
        self.assert_code(self.search(token), 404, "TRANSACTION_NOT_FOUND")

    def join(self, other, token):
        """Changes the other entity and creates a third."""
        self.assertEqual(self.put(other, {"amount": 22}, token).status, 200)
        made = self.post(f"/api/entity/JSON/{self.model}/1", {"amount": 3}, {"X-Tx-Token": token}).json[0]
        third = made["entityIds"][0]
        seen = self.get(f"/api/entity/{third}", {"X-Tx-Token": token}).json
        self.assertEqual((seen["data"], seen["meta"]["transactionId"]), ({"amount": 3}, made["transactionId"]))
        self.assert_code(self.get(f"/api/entity/{third}"), 404, "ENTITY_NOT_FOUND")
        self.assertEqual(self.state(other), ("NEW", {"amount": 2}))
        if "PAWL_TEST_NODES" not in harness.os.environ:  # Of two nodes that write it, the first that commits wins.
            refused = self.client.request("PUT", f"/api/entity/JSON/{other}", {"amount": 9})
            self.assertEqual((refused.status, refused.json["properties"]["errorCode"]), (409, "CONFLICT"))
        return third

    def test_what_a_processor_writes_is_committed_with_its_answer(self):
        for mode in MODES:
            with self.subTest(**mode):
                self.setUp()
                member, request, token, finish, entity, other = self.begin(**mode)
                third = self.join(other, token)
                member.reply(request, {})
                self.assertEqual(finish().status, 200)
                self.assertEqual([self.state(one) for one in (entity, other, third)], [("DONE", {"amount": 10}), ("NEW", {"amount": 22}), ("NEW", {"amount": 3})])
                self.assert_code(self.put(other, {"amount": 5}, token), 404, "TRANSACTION_NOT_FOUND")
                member.close()

    def test_what_a_processor_writes_is_dropped_with_its_failure(self):
        for mode in MODES:
            with self.subTest(**mode):
                self.setUp()
                member, request, token, finish, entity, other = self.begin(**mode)
                third = self.join(other, token)
                member.reply(request, {"success": False, "error": {"code": "X", "message": "no"}})
                self.assert_code(finish(), 400, "WORKFLOW_FAILED")
                self.assertEqual((self.state(entity)[0], self.state(other)), ("NEW", ("NEW", {"amount": 2})))
                self.assert_code(self.get(f"/api/entity/{third}"), 404, "ENTITY_NOT_FOUND")
                member.close()

    def test_a_token_that_is_none_joins_nothing(self):
        self.prepare(one_transition())
        entity = self.created({"amount": 1})
        self.assert_code(self.put(entity, {"amount": 2}, "0" * 56), 404, "TRANSACTION_NOT_FOUND")
        self.assert_code(self.get(f"/api/entity/{entity}", {"X-Tx-Token": "x"}), 404, "TRANSACTION_NOT_FOUND")


if __name__ == "__main__":
    main()
