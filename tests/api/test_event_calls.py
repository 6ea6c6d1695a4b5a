"""CloudEventsService beside its stream: models and entities by events."""

import json
import uuid

import grpc

import entities
import harness
from grpc_client import port_of
from harness import main
from members import METHOD, CloudEvent, event


class EventCalls(entities.EntityCase):
    arguments = ("--grpc", "127.0.0.1:0")

    def setUp(self):
        super().setUp()
        self.channel = grpc.insecure_channel(f"127.0.0.1:{port_of(self.server)}")
        self.addCleanup(self.channel.close)
        self.of = {"name": self.model, "version": 1}

    def send(self, method, kind, metadata=(), **data):
        """The answers, as pairs of type and data."""
        call = self.channel.unary_stream(METHOD + method, CloudEvent.SerializeToString, CloudEvent.FromString)
        sent = event(kind, **data)
        answers = [(answer.type, json.loads(answer.text_data)) for answer in call(sent, metadata=metadata, timeout=harness.PATIENCE)]
        for _, answer in answers:
            self.assertEqual((answer["id"], answer["requestId"]), (sent.id, sent.id))
        return answers

    def one(self, method, kind, expected, **data):
        (kind, answer), = self.send(method, kind, **data)
        self.assertEqual((kind, answer["success"]), (expected, True), answer)
        return answer

    def refused(self, method, kind, code, **data):
        (_, answer), = self.send(method, kind, **data)
        self.assertFalse(answer["success"], answer)
        self.assertEqual(answer["error"]["message"].split(":")[0], code)
        return answer["error"]

    def status(self, method, message):
        call = self.channel.unary_unary(METHOD + method, response_deserializer=CloudEvent.FromString)
        with self.assertRaises(grpc.RpcError) as refusal:
            call(message, timeout=harness.PATIENCE)
        return refusal.exception.code()

    def prepare_by_events(self):
        imported = self.one("entityModelManage", "EntityModelImportRequest", "EntityModelImportResponse", model=self.of, dataFormat="JSON", converter="SAMPLE_DATA",
                            payload=entities.SAMPLE)
        locked = self.one("entityModelManage", "EntityModelTransitionRequest", "EntityModelTransitionResponse", model=self.of, transition="LOCK")
        self.assertEqual((locked["modelId"], locked["state"]), (imported["modelId"], "LOCKED"))
        return imported["modelId"]

    def create(self, **document):
        answer = self.one("entityManage", "EntityCreateRequest", "EntityTransactionResponse", dataFormat="JSON", payload={"model": self.of, "data": document})
        return answer["transactionInfo"]["entityIds"][0], answer["transactionInfo"]["transactionId"]

    def test_models(self):
        model = self.prepare_by_events()
        self.assertEqual(model, str(uuid.uuid5(uuid.NAMESPACE_URL, f"{self.model}.1")))
        exported = self.one("entityModelManage", "EntityModelExportRequest", "EntityModelExportResponse", model=self.of, converter="SIMPLE_VIEW")
        self.assertEqual((exported["model"], exported["payload"]), (self.of, self.read(f"/api/model/export/SIMPLE_VIEW/{self.model}/1")["model"]))
        listed = self.one("entityModelManage", "EntityModelGetAllRequest", "EntityModelGetAllResponse")["models"]
        self.assertIn({"id": model, "name": self.model, "version": 1, "state": "LOCKED"}, listed)
        self.refused("entityModelManage", "EntityModelTransitionRequest", "MODEL_ALREADY_LOCKED", model=self.of, transition="LOCK")
        self.one("entityModelManage", "EntityModelTransitionRequest", "EntityModelTransitionResponse", model=self.of, transition="UNLOCK")
        self.one("entityModelManage", "EntityModelSetUniqueKeysRequest", "EntityModelSetUniqueKeysResponse", model=self.of,
                 uniqueKeys=[{"id": "customer", "fields": ["$.customer"]}])
        self.assertEqual(self.read(f"/api/model/{self.model}/1/unique-keys")["uniqueKeys"], [{"id": "customer", "fields": ["$.customer"]}])
        exported = self.one("entityModelManage", "EntityModelExportRequest", "EntityModelExportResponse", model=self.of)
        self.assertEqual(exported["uniqueKeys"], [{"id": "customer", "fields": ["$.customer"]}])
        self.one("entityModelManage", "EntityModelDeleteRequest", "EntityModelDeleteResponse", model=self.of)
        self.refused("entityModelManage", "EntityModelExportRequest", "MODEL_NOT_FOUND", model=self.of)

    def test_a_patch_changes_members(self):
        self.prepare_by_events()
        entity, transaction = self.create(customer="Ada", amount=1)

        def patch(code=None, **payload):
            sent = {"payload": {"entityId": entity, "patch": {"amount": 2, "customer": None}, **payload}}
            if code:
                return self.refused("entityManage", "EntityPatchRequest", code, **sent)
            return self.one("entityManage", "EntityPatchRequest", "EntityTransactionResponse", **sent)["transactionInfo"]
        patch("PRECONDITION_REQUIRED")
        patch("NOT_IMPLEMENTED", ifMatch="*", patchFormat="JSON_PATCH")
        patch("BAD_REQUEST", ifMatch="*", patchFormat="OTHER")
        patch("BAD_REQUEST", ifMatch="*", patch="{}")
        patch("INCOMPATIBLE_TYPE", ifMatch="*", patch={"amount": "x"})
        patch("TRANSITION_NOT_FOUND", ifMatch="*", transition="NO")
        self.assertEqual(self.entity(entity)["data"], {"customer": "Ada", "amount": 1})
        self.assertEqual(patch(ifMatch=transaction, patchFormat="MERGE_PATCH")["entityIds"], [entity])
        self.assertEqual(self.entity(entity)["data"], {"amount": 2})
        patch("ENTITY_MODIFIED", ifMatch=transaction)
        self.refused("entityManage", "EntityPatchRequest", "TRANSACTION_NOT_FOUND", metadata=(("tx-token", "bogus"),),
                     payload={"entityId": entity, "patch": {}, "ifMatch": "*"})

    def test_a_page_of_a_snapshot_shows_the_time_of_its_client(self):
        self.prepare_by_events()
        entity, _ = self.create(amount=1)
        before = self.entity(entity)["meta"]["creationDate"]
        self.until(lambda: self.changed(entity, {"amount": 2}) and self.entity(entity)["meta"]["lastUpdateTime"] != before)
        begun = self.one("entitySearch", "EntitySnapshotSearchRequest", "EntitySnapshotSearchResponse", model=self.of, condition={"type": "group", "operator": "AND", "conditions": []})
        job = begun["status"]["snapshotId"]
        self.until(lambda: self.one("entitySearch", "SnapshotGetStatusRequest", "EntitySnapshotSearchResponse", snapshotId=job)["status"]["status"] == "SUCCESSFUL")

        def amounts(**more):
            return [answer["payload"]["data"]["amount"] for _, answer in self.send("entitySearchCollection", "SnapshotGetRequest", snapshotId=job, **more)]
        self.assertEqual((amounts(), amounts(clientPointTime=before)), ([2], [1]))
        self.refused("entitySearchCollection", "SnapshotGetRequest", "BAD_REQUEST", snapshotId=job, clientPointTime="rubbish")

    def test_the_life_of_an_entity(self):
        self.prepare_by_events()
        self.import_workflows(entities.WORKFLOW)
        entity, first = self.create(customer="Ada", amount=500)
        got = self.one("entitySearch", "EntityGetRequest", "EntityResponse", entityId=entity)["payload"]
        self.assertEqual((got["type"], got["data"]["amount"], got["meta"]["state"], got["meta"]["transactionId"]), ("JSON", 500, "LARGE", first))
        self.one("entityManage", "EntityTransitionRequest", "EntityTransitionResponse", entityId=entity, transition="APPROVE")
        document = {"model": self.of, "data": {"amount": 500}}
        named = self.one("entityManage", "EntityCreateRequest", "EntityTransactionResponse", payload={**document, "transition": "PAY"})
        self.assertEqual(self.entity(named["transactionInfo"]["entityIds"][0])["meta"]["state"], "PAID")
        for refused, more in (("TRANSITION_NOT_FOUND", {"transition": "NO"}), ("BAD_REQUEST", {"transition": 7}), ("BAD_REQUEST", {"ifMatch": "t"})):
            self.refused("entityManage", "EntityCreateRequest", refused, payload={**document, **more})
            self.refused("entityManageCollection", "EntityCreateCollectionRequest", refused, payloads=[document, {**document, **more}])
        self.refused("entityManage", "EntityUpdateRequest", "BAD_REQUEST", payload={"entityId": entity, "data": {"amount": 1}, "transition": 7})
        self.refused("entityManage", "EntityTransitionRequest", "TRANSITION_NOT_FOUND", entityId=entity, transition="APPROVE")
        updated = self.one("entityManage", "EntityUpdateRequest", "EntityTransactionResponse", payload={"entityId": entity, "data": {"customer": "Bob", "amount": 1}})
        self.assertEqual(updated["transactionInfo"]["entityIds"], [entity])
        got = self.one("entitySearch", "EntityGetRequest", "EntityResponse", entityId=entity)["payload"]
        self.assertEqual((got["data"]["customer"], got["meta"]["state"]), ("Bob", "PAID"))
        past = self.one("entitySearch", "EntityGetRequest", "EntityResponse", entityId=entity, transactionId=first)["payload"]
        self.assertEqual(past["data"]["customer"], "Ada")
        changes = self.send("entitySearchCollection", "EntityChangesMetadataGetRequest", entityId=entity)
        self.assertEqual([answer["changeMeta"]["changeType"] for _, answer in changes], ["UPDATE", "UPDATE", "CREATE"])
        deleted = self.one("entityManage", "EntityDeleteRequest", "EntityDeleteResponse", entityId=entity)
        self.assertEqual((deleted["entityId"], deleted["model"]), (entity, self.of))
        self.refused("entitySearch", "EntityGetRequest", "ENTITY_NOT_FOUND", entityId=entity)

    def test_collections(self):
        self.prepare_by_events()
        made = self.one("entityManageCollection", "EntityCreateCollectionRequest", "EntityTransactionResponse",
                        payloads=[{"model": self.of, "data": {"customer": "c", "amount": n}} for n in range(30)])["transactionInfo"]["entityIds"]
        self.assertEqual(len(made), 30)
        page = self.send("entitySearchCollection", "EntityGetAllRequest", model=self.of, pageSize=20, pageNumber=1)
        self.assertEqual([answer["payload"]["meta"]["id"] for _, answer in page], made[20:])
        self.refused("entityManageCollection", "EntityUpdateCollectionRequest", "INCOMPATIBLE_TYPE",
                     payloads=[{"entityId": made[0], "data": {"amount": 7}}, {"entityId": made[1], "data": {"amount": "text"}}])
        self.assertEqual(self.read(f"/api/entity/{made[0]}")["data"]["amount"], 0)
        self.one("entityManageCollection", "EntityUpdateCollectionRequest", "EntityTransactionResponse", payloads=[{"entityId": made[0], "data": {"amount": 7}}])
        self.assertEqual(self.read(f"/api/entity/{made[0]}")["data"]["amount"], 7)
        self.refused("entityManageCollection", "EntityCreateCollectionRequest", "BAD_REQUEST", payloads=[])
        few = {"type": "simple", "jsonPath": "$.amount", "operatorType": "LESS_THAN", "value": 5}
        gone = self.one("entityManageCollection", "EntityDeleteAllRequest", "EntityDeleteAllResponse", model=self.of, condition=few)
        self.assertEqual((gone["numDeleted"], self.read(f"/api/entity/stats/{self.model}/1")["count"]), (4, 26))  # Of 1 to 4: the first has 7 now.
        self.refused("entityManage", "EntityDeleteAllRequest", "BAD_REQUEST", model=self.of, condition={"type": "none"})
        self.assertEqual(self.one("entityManage", "EntityDeleteAllRequest", "EntityDeleteAllResponse", model=self.of)["numDeleted"], 26)

    def test_a_collection_is_written_in_chunks(self):
        self.prepare_by_events()
        payloads = [{"model": self.of, "data": {"amount": n}} for n in range(7)]
        key = (("idempotency-key", self.fresh("key")),)
        made = self.send("entityManageCollection", "EntityCreateCollectionRequest", metadata=key, payloads=payloads, transactionWindow=3)
        self.assertEqual([len(answer["transactionInfo"]["entityIds"]) for _, answer in made], [3, 3, 1])
        self.assertEqual(len({answer["transactionInfo"]["transactionId"] for _, answer in made}), 3)
        again = self.send("entityManageCollection", "EntityCreateCollectionRequest", metadata=key, payloads=payloads, transactionWindow=3)
        self.assertEqual([answer["transactionInfo"] for _, answer in again], [answer["transactionInfo"] for _, answer in made])
        bad = {"model": self.of, "data": {"amount": "text"}}
        mixed = self.send("entityManageCollection", "EntityCreateCollectionRequest", payloads=[*payloads[:2], bad, *payloads[:1], {}], transactionWindow=2)
        self.assertEqual([answer["success"] for _, answer in mixed], [True, False, False])  # The second chunk is undone, the third cannot be read.
        self.assertEqual([answer["error"]["message"].split(":")[0] for _, answer in mixed[1:]], ["INCOMPATIBLE_TYPE", "BAD_REQUEST"])
        self.refused("entityManageCollection", "EntityCreateCollectionRequest", "INCOMPATIBLE_TYPE", payloads=[bad, *payloads], transactionWindow=1)
        self.assertEqual(self.read(f"/api/entity/stats/{self.model}/1")["count"], 9)
        for window in (0, 1001, "x"):
            self.refused("entityManageCollection", "EntityCreateCollectionRequest", "BAD_REQUEST", payloads=payloads, transactionWindow=window)
        ids = [entity for _, answer in made for entity in answer["transactionInfo"]["entityIds"]]
        changed = self.send("entityManageCollection", "EntityUpdateCollectionRequest", transactionWindow=5,
                            payloads=[{"entityId": entity, "data": {"amount": 70}} for entity in ids])
        self.assertEqual([answer["transactionInfo"]["entityIds"] for _, answer in changed], [ids[:5], ids[5:]])

    def test_searches(self):
        self.prepare_by_events()
        for n in (3, 1, 2, 50):
            self.create(customer="c", amount=n)
        small = {"type": "simple", "jsonPath": "$.amount", "operatorType": "LESS_THAN", "value": 10}
        found = self.send("entitySearchCollection", "EntitySearchRequest", model=self.of, condition=small, orderBy=[{"path": "$.amount", "desc": True}])
        self.assertEqual([answer["payload"]["data"]["amount"] for _, answer in found], [3, 2, 1])
        self.refused("entitySearchCollection", "EntitySearchRequest", "SEARCH_RESULT_LIMIT", model=self.of, condition=small, limit=2)
        self.refused("entitySearchCollection", "EntitySearchRequest", "BAD_REQUEST", model=self.of)

    def test_searches_beside_others(self):
        self.prepare_by_events()
        for n in range(5):
            self.create(customer="c", amount=n)
        every = {"type": "group", "operator": "AND", "conditions": []}
        begun = self.one("entitySearch", "EntitySnapshotSearchRequest", "EntitySnapshotSearchResponse", model=self.of, condition=every)["status"]
        self.until(lambda: self.one("entitySearch", "SnapshotGetStatusRequest", "EntitySnapshotSearchResponse",
                                    snapshotId=begun["snapshotId"])["status"]["status"] == "SUCCESSFUL")
        page = self.send("entitySearchCollection", "SnapshotGetRequest", snapshotId=begun["snapshotId"], pageSize=3, pageNumber=1)
        self.assertEqual([answer["payload"]["data"]["amount"] for _, answer in page], [3, 4])
        self.refused("entitySearch", "SnapshotCancelRequest", "SEARCH_JOB_ALREADY_TERMINAL", snapshotId=begun["snapshotId"])
        self.refused("entitySearch", "SnapshotGetStatusRequest", "SEARCH_JOB_NOT_FOUND", snapshotId=str(uuid.uuid4()))

    def test_counts_and_all_of_a_model(self):
        self.prepare_by_events()
        self.import_workflows(entities.WORKFLOW)
        self.assertEqual([answer["count"] for _, answer in self.send("entitySearchCollection", "EntityStatsGetRequest", model=self.of)], [0])
        for amount in (1, 500, 2):
            self.create(customer="c", amount=amount)
        self.assertEqual([answer["count"] for _, answer in self.send("entitySearchCollection", "EntityStatsGetRequest", model=self.of)], [3])
        by_state = self.send("entitySearchCollection", "EntityStatsByStateGetRequest", model=self.of)
        self.assertEqual({answer["state"]: answer["count"] for _, answer in by_state}, {"NEW": 2, "LARGE": 1})
        some = self.send("entitySearchCollection", "EntityStatsByStateGetRequest", model=self.of, states=["LARGE"])
        self.assertEqual([(answer["state"], answer["count"]) for _, answer in some], [("LARGE", 1)])
        self.assertEqual(self.one("entityManageCollection", "EntityDeleteAllRequest", "EntityDeleteAllResponse", model=self.of)["numDeleted"], 3)
        self.assertEqual([answer["count"] for _, answer in self.send("entitySearchCollection", "EntityStatsGetRequest", model=self.of)], [0])

    def test_documents_may_be_xml(self):
        self.one("entityModelManage", "EntityModelImportRequest", "EntityModelImportResponse", model=self.of, dataFormat="XML", payload="<order><amount>7</amount></order>")
        self.one("entityModelManage", "EntityModelTransitionRequest", "EntityModelTransitionResponse", model=self.of, transition="LOCK")
        answer = self.one("entityManage", "EntityCreateRequest", "EntityTransactionResponse", dataFormat="XML",
                          payload={"model": self.of, "data": "<order><amount>8</amount></order>"})
        self.assertEqual(self.read(f"/api/entity/{answer['transactionInfo']['entityIds'][0]}")["data"], {"amount": 8})
        self.refused("entityManage", "EntityCreateRequest", "BAD_REQUEST", dataFormat="XML", payload={"model": self.of, "data": {}})
        self.refused("entityManage", "EntityCreateRequest", "BAD_REQUEST", dataFormat="CSV", payload={"model": self.of, "data": "1"})

    def test_large_answers_are_read_at_the_pace_of_the_client(self):
        self.prepare_by_events()
        text = "x" * 200_000
        for _ in range(20):
            self.create(customer=text)
        page = self.send("entitySearchCollection", "EntityGetAllRequest", model=self.of, pageSize=20)
        self.assertEqual([len(answer["payload"]["data"]["customer"]) for _, answer in page], [200_000] * 20)

    def test_the_same_key_writes_once(self):
        self.prepare_by_events()
        key = [("idempotency-key", self.fresh("key"))]
        payload = {"model": self.of, "data": {"amount": 1}}
        (_, first), = self.send("entityManage", "EntityCreateRequest", metadata=key, payload=payload)
        (_, again), = self.send("entityManage", "EntityCreateRequest", metadata=key, payload=payload)
        self.assertEqual((again["success"], again["transactionInfo"]), (True, first["transactionInfo"]))
        (_, other), = self.send("entityManage", "EntityCreateRequest", metadata=key, payload={**payload, "data": {"amount": 2}})
        self.assertFalse(other["success"])
        self.assertEqual(len(self.read(f"/api/entity/{self.model}/1")), 1)

    def test_members_that_nobody_reads_are_warned_about(self):
        self.prepare_by_events()
        self.assertNotIn("warnings", self.one("entityManage", "EntityCreateRequest", "EntityTransactionResponse", dataFormat="JSON", payload={"model": self.of, "data": {"customer": "a"}}))
        payload = {"model": {**self.of, "verson": 2}, "data": {"customer": "b"}}
        told = self.one("entityManage", "EntityCreateRequest", "EntityTransactionResponse", payload=payload, transactionTimeoutMs=5)["warnings"]
        self.assertEqual([text.split(" is unknown")[0] for text in told], ["the member payload.model.verson of the event", "the member transactionTimeoutMs of the event"])
        self.assertIn('did you mean "version"?', told[0])
        (_, answer), = self.send("entitySearch", "EntityGetRequest", entityId=str(uuid.uuid4()), colour=1)
        self.assertEqual((answer["success"], len(answer["warnings"])), (False, 1), "a refusal says so, too")
        condition = {"type": "simple", "jsonPath": "$.customer", "operatorType": "NOT_NULL", "valeu": 1}
        answers = [answer for _, answer in self.send("entitySearchCollection", "EntitySearchRequest", model=self.of, condition=condition)]
        self.assertEqual([len(answer.get("warnings", ())) for answer in answers], [1, 0])
        self.assertIn("condition.valeu", answers[0]["warnings"][0])
        list_all = self.channel.unary_stream(METHOD + "entitySearchCollection", CloudEvent.SerializeToString, CloudEvent.FromString)
        call = list_all(event("EntityGetAllRequest", model=self.of, pageNumber=9, page=9), timeout=harness.PATIENCE)
        self.assertEqual(list(call), [])
        self.assertIn("the member page of the event", dict(call.trailing_metadata())["x-pawl-warning"])

    def test_members_of_a_wrong_type_are_named(self):
        self.prepare_by_events()
        entity, _ = self.create(customer="a")
        update = {"entityId": entity, "data": {"customer": "b"}}
        search = {"model": self.of, "condition": {"type": "group", "operator": "AND", "conditions": []}}
        for method, kind, member, data in (
                ("entityManage", "EntityTransitionRequest", "transition", {"entityId": entity, "transition": 5}),
                ("entityManage", "EntityUpdateRequest", "transition", {"payload": {**update, "transition": 5}}),
                ("entityManage", "EntityUpdateRequest", "ifMatch", {"payload": {**update, "ifMatch": {}}}),
                ("entityManage", "EntityUpdateRequest", "dataFormat", {"payload": update, "dataFormat": 1}),
                ("entityManage", "EntityPatchRequest", "patchFormat", {"payload": {"entityId": entity, "patch": {}, "ifMatch": "*", "patchFormat": 1}}),
                ("entityModelManage", "EntityModelExportRequest", "converter", {"model": self.of, "converter": 1}),
                ("entityModelManage", "EntityModelTransitionRequest", "transition", {"model": self.of, "transition": []}),
                ("entitySearch", "SnapshotGetStatusRequest", "snapshotId", {"snapshotId": 1}),
                ("entitySearchCollection", "EntityStatsByStateGetRequest", "states", {"states": "NEW"}),
                ("entitySearchCollection", "EntitySearchRequest", "orderBy", {**search, "orderBy": {"path": "$.customer"}}),
                ("entitySearchCollection", "EntitySearchRequest", "source", {**search, "orderBy": [{"path": "$.customer", "source": "ELSEWHERE"}]}),
                ("entitySearchCollection", "EntitySearchRequest", "desc", {**search, "orderBy": [{"path": "$.customer", "desc": "yes"}]})):
            with self.subTest(kind, member=member):
                self.assertIn(f"{member} is", self.refused(method, kind, "BAD_REQUEST", **data)["message"])

    def test_what_cannot_be_read_has_a_status_and_other_refusals_an_answer(self):
        invalid = grpc.StatusCode.INVALID_ARGUMENT
        self.assertEqual(self.status("entityManage", b"\xff\xff"), invalid)
        self.assertEqual(self.status("entityManage", event("EntityGetRequest").SerializeToString()), invalid)
        self.assertEqual(self.status("entityManage", CloudEvent(id="1", type="EntityCreateRequest", text_data="{").SerializeToString()), invalid)
        self.assertEqual(self.status("entityManage", CloudEvent(id="1", type="EntityCreateRequest").SerializeToString()), invalid)
        error = self.refused("entityManage", "EntityCreateRequest", "MODEL_NOT_FOUND", payload={"model": self.of, "data": {}})
        self.assertEqual(error["code"], "CLIENT_ERROR")
        self.refused("entityManage", "EntityCreateRequest", "BAD_REQUEST", payload={"data": {}})
        self.refused("entityManage", "EntityCreateRequest", "BAD_REQUEST", payload={"model": self.of})
        self.refused("entityManage", "EntityCreateRequest", "BAD_REQUEST")
        self.refused("entityManage", "EntityDeleteRequest", "BAD_REQUEST", entityId="no id")
        self.refused("entityManage", "EntityDeleteRequest", "ENTITY_NOT_FOUND", entityId=str(uuid.uuid4()))
        self.refused("entitySearchCollection", "EntityGetAllRequest", "BAD_REQUEST", model=self.of, pageSize=0)
        self.refused("entityModelManage", "EntityModelImportRequest", "BAD_REQUEST", model={"name": "", "version": 1}, payload={})


if __name__ == "__main__":
    main()
