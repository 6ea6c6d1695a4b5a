"""Lists of entities, which are written in chunks; documents that are XML."""

import json
import socket
import struct

from entities import EntityCase, WORKFLOW
from harness import PATIENCE, main

NOBODY = "74807f00-ed0d-11ee-a357-ae468cd3ed16"


class Collections(EntityCase):
    def create_list(self, items, query="", headers=None):
        return self.post(f"/api/entity/JSON/{self.model}/1{query}", items, headers)

    def item(self, document, model=None):
        return {"model": {"name": model or self.model, "version": 1}, "payload": json.dumps(document)}

    def change(self, entity, document, **more):
        return {"id": entity, "payload": json.dumps(document), **more}

    def amounts(self, ids):
        return [self.entity(entity)["data"]["amount"] for entity in ids]

    # ---- documents of one model ----

    def test_a_list_is_cut_into_chunks(self):
        self.prepare(WORKFLOW)
        for query, count, sizes in (("", 150, [100, 50]), ("?transactionWindow=4", 10, [4, 4, 2]), ("?transactionWindow=5", 10, [5, 5])):
            answer = self.create_list([{"amount": n} for n in range(count)], query)
            self.assertEqual([len(chunk["entityIds"]) for chunk in answer.json], sizes)
            self.assertEqual(len({chunk["transactionId"] for chunk in answer.json}), len(sizes))
        self.assertEqual(self.amounts(answer.json[1]["entityIds"]), [5, 6, 7, 8, 9])

    def test_a_window_has_bounds(self):
        self.prepare()
        for window in ("0", "-1", "1001", "ten"):
            answer = self.create_list([{"amount": 1}], f"?transactionWindow={window}")
            self.assert_code(answer, 400, "BAD_REQUEST")
            self.assertIn("transactionWindow", answer.json["detail"])
        self.assertEqual(self.create_list([{"amount": 1}], "?transactionWindow=1000").status, 200)
        self.assert_code(self.create_list([]), 400, "BAD_REQUEST")

    def test_a_list_has_bounds(self):
        self.prepare()
        self.assert_code(self.create_list([1] * 100001), 413, "BAD_REQUEST")
        answer = self.create_list([1] * 100000)
        self.assert_code(answer, 400, "BAD_REQUEST")
        self.assertIn("an entity is an object", answer.json["detail"])

    def test_a_later_chunk_fails_alone(self):
        self.prepare()
        items = [{"amount": 1}, {"amount": 2}, {"amount": 3}, {"amount": "four"}, {"amount": 5}]
        answer = self.create_list(items, "?transactionWindow=2")
        self.assertEqual(answer.status, 200)
        first, failed, last = answer.json
        self.assertEqual(self.amounts(first["entityIds"] + last["entityIds"]), [1, 2, 5])
        self.assertEqual((failed["entityIds"], failed["error"]["code"], failed["error"]["chunkIndex"]), ([], "INCOMPATIBLE_TYPE", 1))
        self.assertNotIn("transactionId", failed)
        self.assert_code(self.create_list(items[3:], "?transactionWindow=1"), 400, "INCOMPATIBLE_TYPE")

    # ---- keys ----

    def test_a_repeated_list_writes_only_what_is_missing(self):
        self.prepare()
        other, key = self.fresh("late"), {"Idempotency-Key": self.fresh("key")}
        items = [self.item({"amount": 1}), self.item({"amount": 2}), self.item({"amount": 3}, other), self.item({"amount": 4})]
        first = self.post("/api/entity/JSON?transactionWindow=1", items, key)
        self.assertEqual([chunk.get("error", {}).get("code") for chunk in first.json], [None, None, "MODEL_NOT_FOUND", None])
        self.assertIsNone(first.headers["Idempotency-Replayed"])
        self.post(f"/api/model/import/JSON/SAMPLE_DATA/{other}/1", {"amount": 1})
        self.put(f"/api/model/{other}/1/lock")
        second = self.post("/api/entity/JSON?transactionWindow=1", items, key)
        self.assertEqual([first.json[i] for i in (0, 1, 3)], [second.json[i] for i in (0, 1, 3)])
        self.assertEqual(self.amounts(second.json[2]["entityIds"]), [3])
        self.assertIsNone(second.headers["Idempotency-Replayed"])
        third = self.post("/api/entity/JSON?transactionWindow=1", items, key)
        self.assertEqual((third.json, third.headers["Idempotency-Replayed"]), (second.json, "true"))

    def test_a_key_belongs_to_one_list(self):
        self.prepare()
        key = {"Idempotency-Key": self.fresh("key")}
        self.assertEqual(self.create_list([{"amount": 1}] * 3, "?transactionWindow=2", key).status, 200)
        self.assertEqual(self.create_list([{"amount": 1}] * 3, "?transactionWindow=1", key).status, 422)
        self.assertEqual(self.create_list([{"amount": 2}] * 3, "?transactionWindow=2", key).status, 422)
        self.assertEqual(self.create_list([{"amount": 1}] * 3, "?transactionWindow=2", {"Idempotency-Key": "k" * 300}).status, 400)

    def test_two_requests_with_one_key_at_once_write_once(self):
        self.prepare()
        key = {"Idempotency-Key": self.fresh("key")}
        items = [{"amount": n} for n in range(400)]
        path = f"/api/entity/JSON/{self.model}/1?transactionWindow=1"
        finish = self.client.later(path, items, key)
        again = self.create_list(items, "?transactionWindow=1", key)
        self.assertEqual(finish().json, again.json)

    # ---- clients that leave ----

    def count(self):
        return self.read(f"/api/entity/stats/{self.model}/1")["count"]

    def leave_while_written(self, items):
        """Sends a list, and cuts the connection when its first chunk is written."""
        body = json.dumps(items).encode()
        with socket.create_connection(("127.0.0.1", self.server.port), PATIENCE) as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # close() resets the connection.
            client.sendall(f"POST /api/entity/JSON/{self.model}/1?transactionWindow=1 HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                           f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
            self.until(self.count)

    def test_a_client_that_leaves_while_its_list_is_written(self):
        """The list goes on without it. The last answer frees the request, which must not be looked at any more."""
        self.prepare()
        items = [{"customer": "Ada" * 100, "amount": n} for n in range(1000)]
        self.leave_while_written(items)
        self.until(lambda: self.count() == len(items))
        self.created({"amount": 1})  # Its answer comes behind the last one of the list.
        self.assertIsNone(self.server.process.poll())
        self.assertEqual(self.get("/livez").status, 200)

    # ---- mixed models ----

    def test_models_may_be_mixed(self):
        self.prepare()
        other = self.fresh("invoice")
        self.post(f"/api/model/import/JSON/SAMPLE_DATA/{other}/1", {"total": 1})
        self.put(f"/api/model/{other}/1/lock")
        answer = self.post("/api/entity/JSON", [self.item({"amount": 1}), self.item({"total": 2}, other)])
        keys = [self.entity(entity)["meta"]["modelKey"]["name"] for entity in answer.json[0]["entityIds"]]
        self.assertEqual(keys, [self.model, other])

    def test_what_is_wrong_with_an_item_is_said(self):
        self.prepare()
        good = self.item({"amount": 1})
        for bad in ({**good, "payload": {"amount": 1}}, {**good, "payload": "{"}, {"payload": "{}"}, {**good, "model": {"name": self.model, "version": 0}}, 7, {**good, "model": {"version": 1}}):
            self.assert_code(self.post("/api/entity/JSON", [good, bad]), 400, "BAD_REQUEST")
        self.assertEqual(self.post("/api/entity/JSON?transactionWindow=1", [good, {**good, "payload": "{"}]).json[1]["error"]["code"], "BAD_REQUEST")
        self.assert_code(self.post("/api/entity/JSON", good), 400, "BAD_REQUEST")
        self.assert_code(self.post("/api/entity/XML", [good]), 400, "BAD_REQUEST")

    # ---- updates ----

    def test_a_list_of_updates(self):
        self.prepare(WORKFLOW)
        a, b = self.created({"amount": 1}), self.created({"amount": 2})
        answer = self.put("/api/entity/JSON", [self.change(a, {"amount": 11}), self.change(b, {"amount": 12}, transition="PAY")])
        self.assertEqual(answer.json[0]["entityIds"], [a, b])
        self.assertEqual([self.entity(e)["meta"]["state"] for e in (a, b)], ["NEW", "PAID"])
        self.assertEqual(self.amounts([a, b]), [11, 12])
        self.assertEqual(self.entity(a)["meta"]["transactionId"], answer.json[0]["transactionId"])

    def test_stale_items_fail_alone(self):
        self.prepare(WORKFLOW)
        a, b, c = (self.created({"amount": n}) for n in range(3))
        seen = self.entity(b)["meta"]["transactionId"]
        items = [self.change(a, {"amount": 9}, ifMatch=NOBODY), self.change(b, {"amount": 9}, ifMatch=seen), self.change(c, {"amount": 9})]
        key = {"Idempotency-Key": self.fresh("key")}
        answer, again = (self.put("/api/entity/JSON", items, key) for _ in range(2))
        self.assertEqual((again.json, again.headers["Idempotency-Replayed"]), (answer.json, "true"))
        self.assertEqual(answer.json[0]["entityIds"], [b, c])
        failed, = answer.json[0]["failed"]
        self.assertEqual((failed["entityId"], failed["error"]["code"], failed["error"]["itemIndex"]), (a, "ENTITY_MODIFIED", 0))
        self.assertEqual(self.amounts([a, b, c]), [0, 9, 9])

    def test_any_other_bad_item_undoes_its_chunk(self):
        self.prepare(WORKFLOW)
        a, b = self.created({"amount": 1}), self.created({"amount": 2})
        bad = [self.change(b, {"amount": 9}, transition="NO"), self.change(NOBODY, {"amount": 9}), self.change(b, {"amount": "nine"}), self.change("17", {})]
        for item, status, code in zip(bad, (404, 404, 400, 400), ("TRANSITION_NOT_FOUND", "ENTITY_NOT_FOUND", "INCOMPATIBLE_TYPE", "BAD_REQUEST")):
            self.assert_code(self.put("/api/entity/JSON", [self.change(a, {"amount": 9}), item]), status, code)
            answer = self.put("/api/entity/JSON?transactionWindow=2", [self.change(a, {"amount": 1}), self.change(b, {"amount": 2}), self.change(a, {"amount": 9}), item])
            self.assertEqual((answer.status, answer.json[1]["error"]["code"]), (200, code))
        self.assertEqual(self.amounts([a, b]), [1, 2])

    def test_one_entity_twice_in_a_chunk(self):
        self.prepare(WORKFLOW)
        a = self.created({"amount": 1})
        answer = self.put("/api/entity/JSON", [self.change(a, {"amount": 500}), self.change(a, {"amount": 501}, transition="APPROVE")])
        self.assertEqual(answer.json[0]["entityIds"], [a, a])
        self.assertEqual((self.entity(a)["meta"]["state"], self.amounts([a])), ("PAID", [501]))

    # ---- patches ----

    def patch(self, entity, document, match="*", **headers):
        sent = {"If-Match": match, **headers} if match else headers
        return self.client.request("PATCH", f"/api/entity/JSON/{entity}", document, {"Content-Type": "application/merge-patch+json", **sent})

    def test_a_patch_changes_some_members(self):
        self.prepare(WORKFLOW)
        entity = self.created({"customer": "Ada", "amount": 5, "lines": [{"sku": "a", "count": 1}]})
        seen = self.entity(entity)["meta"]["transactionId"]
        answer = self.patch(entity, {"amount": 500, "customer": None}, seen)
        self.assertEqual(answer.json["entityIds"], [entity])
        after = self.entity(entity)
        self.assertEqual((after["data"], after["meta"]["state"]), ({"amount": 500, "lines": [{"sku": "a", "count": 1}]}, "LARGE"))
        self.assert_code(self.patch(entity, {"amount": 1}, seen), 412, "ENTITY_MODIFIED")
        self.assertEqual(self.patch(entity, {"amount": 2}).status, 200)
        self.assertEqual(self.amounts([entity]), [2])

    def fire(self, entity, transition, document, match):
        headers = {"Content-Type": "application/merge-patch+json", **({"If-Match": match} if match else {})}
        return self.client.request("PATCH", f"/api/entity/JSON/{entity}/{transition}", document, headers)

    def test_a_patch_may_fire_a_transition(self):
        self.prepare(WORKFLOW)
        entity = self.created({"customer": "Ada", "amount": 500})
        seen = self.entity(entity)["meta"]["transactionId"]
        self.assert_code(self.fire(entity, "NO", {}, seen), 404, "TRANSITION_NOT_FOUND")
        self.assert_code(self.fire(entity, "APPROVE", {}, None), 428, "PRECONDITION_REQUIRED")
        self.assert_code(self.fire(entity, "APPROVE", {"amount": "six"}, seen), 400, "INCOMPATIBLE_TYPE")
        self.assertEqual(self.fire(entity, "APPROVE", {"amount": 501}, seen).status, 200)
        after = self.entity(entity)
        self.assertEqual((after["data"], after["meta"]["state"]), ({"customer": "Ada", "amount": 501}, "PAID"))
        self.assert_code(self.fire(entity, "APPROVE", {}, seen), 412, "ENTITY_MODIFIED")

    def test_what_a_patch_must_be(self):
        self.prepare(WORKFLOW)
        self.post(self.path + "/changeLevel/STRUCTURAL")
        entity = self.created({"amount": 5})
        self.assert_code(self.patch(entity, {"amount": 6}, None), 428, "PRECONDITION_REQUIRED")
        self.assert_code(self.patch(entity, {"amount": "six"}), 400, "INCOMPATIBLE_TYPE")
        self.assert_code(self.patch(entity, {"colour": "red"}), 400, "BAD_REQUEST")  # Its model does not grow, whatever its level.
        self.assert_code(self.patch(entity, [1]), 400, "BAD_REQUEST")
        self.assert_code(self.patch(entity, [], **{"Content-Type": "application/json-patch+json"}), 501, "NOT_IMPLEMENTED")
        self.assert_code(self.patch(NOBODY, {}), 404, "ENTITY_NOT_FOUND")
        self.assert_code(self.client.request("PATCH", f"/api/entity/XML/{entity}", b"<o/>", {"If-Match": "*"}), 400, "BAD_REQUEST")
        self.assertEqual(self.amounts([entity]), [5])

    # ---- what a failure leaves ----

    def test_a_failed_create_says_what_it_left(self):
        """No calculation node is there: what was committed before it was asked stays."""
        asks = {"name": "ASK", "next": "B", "processors": [{"name": "p", "executionMode": "COMMIT_BEFORE_DISPATCH"}]}
        self.prepare({"version": "1", "name": "w", "initialState": "A", "states": {"A": {"transitions": [asks]}, "B": {}}})
        answer = self.create({"amount": 7})
        self.assertEqual(answer.status, 503, answer.body)
        self.assertEqual(self.amounts([answer.json["properties"]["entityId"]]), [7])
        answer = self.create_list([{"amount": 8}, {"amount": 9}])
        self.assertEqual(self.amounts(answer.json["properties"]["entityIds"]), [8, 9])

    # ---- XML ----

    def test_documents_may_be_xml(self):
        xml = {"Content-Type": "application/xml"}
        sample = b"<order><customer>Ada</customer><amount>12.5</amount><line><sku>a</sku></line><line><sku>b</sku></line></order>"
        self.assertEqual(self.post(f"/api/model/import/XML/SAMPLE_DATA/{self.model}/1", sample, xml).status, 200)
        self.put(self.path + "/lock")
        answer = self.post(f"/api/entity/XML/{self.model}/1", b"<o><customer>Bob</customer><amount>7</amount></o>", xml)
        entity = answer.json[0]["entityIds"][0]
        self.assertEqual(self.entity(entity)["data"], {"customer": "Bob", "amount": 7})
        self.assertEqual(self.put(f"/api/entity/XML/{entity}/UPDATE", b"<o><amount>8</amount></o>", xml).status, 200)
        self.assertEqual(self.entity(entity)["data"], {"amount": 8})
        self.assert_code(self.put(f"/api/entity/XML/{entity}", b"<o><colour>red</colour></o>", xml), 400, "BAD_REQUEST")
        self.assert_code(self.post(f"/api/entity/XML/{self.model}/1", b"<o><amount>8</o>", xml), 400, "BAD_REQUEST")
        self.assert_code(self.post(f"/api/entity/XML/{self.model}/1", b"<!DOCTYPE o [<!ENTITY a 'b'>]><o>&a;</o>", xml), 400, "BAD_REQUEST")
        self.assert_code(self.post(f"/api/entity/YAML/{self.model}/1", {}), 400, "BAD_REQUEST")


if __name__ == "__main__":
    main()
