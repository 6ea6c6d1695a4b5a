"""Every call joins the transaction of its token or refuses the token: all routes of the contract, all calls of gRPC."""

import json
import os
import re
import uuid

import grpc

import harness
from grpc_client import port_of
from harness import CONTRACT, example_path, main
from members import METHOD, Case, CloudEvent, event, function, one_transition, processor

EVERY = {"type": "group", "operator": "AND", "conditions": []}
ABOVE_ONE = {"type": "simple", "jsonPath": "$.amount", "operatorType": "GREATER_THAN", "value": 1}
METHODS = ("get", "put", "post", "patch", "delete")


def operations():
    """(operationId, method, path, names of its parameters) of each route, without webhooks and pages for everybody."""
    for path, item in CONTRACT["paths"].items():
        for method in METHODS:
            if method in item and not path.startswith("/hooks") and "security" not in item[method]:
                parameters = item.get("parameters", []) + item[method].get("parameters", [])
                named = [CONTRACT["components"]["parameters"][one["$ref"].split("/")[-1]] if "$ref" in one else one for one in parameters]
                yield item[method]["operationId"], method.upper(), path, {one["name"] for one in named}


def events():
    """(method, type of event) of all that docs/grpc.md lists."""
    with open(os.path.join(harness.ROOT, "docs", "grpc.md"), encoding="utf-8") as page:
        table = page.read().split("| method | type of the event |")[1].split("\n\n")[0]
    before = None
    for line in table.splitlines()[2:]:
        method, kinds = (cell.strip() for cell in line.split("|")[1:3])
        before = method.strip("`") or before
        for kind in re.findall(r"`(\w+Request)`", kinds):
            for one in ("entityManage", "entityManageCollection") if before == "both" else (before,):
                yield one, kind


class Transaction(Case):
    """A processor is at work on one entity; two others are there."""

    arguments = (*Case.arguments, "--mcp")  # The engine has all routes of the contract.

    def begin(self, mode="SYNC"):
        self.prepare(one_transition(processor("p", self.tag, mode=mode), manual=True))
        self.entity, self.other, self.third = (self.created({"amount": amount}) for amount in (1, 2, 3))
        node = self.member(lambda request: None)
        finish = self.fire_later("PUT", f"/api/entity/JSON/{self.entity}/GO", {"amount": 10})
        _, request, message = node.next_request()
        self.token = message.attributes["cyodatxtoken"].ce_string

        def end(fails):
            node.reply(request, {"success": False, "error": {"code": "X", "message": "no"}} if fails else {})
            answer = finish()
            node.close()
            self.assertEqual(answer.status, 400 if fails and mode != "ASYNC_NEW_TX" else 200, answer.body)
        return end

    def ask(self, method, path, body=None, token=None, **headers):
        return self.client.request(method, path, body, {**headers, **({"X-Tx-Token": token} if token else {})})

    def amounts(self, token=None):
        answer = self.ask("POST", f"/api/search/direct/{self.model}/1?sort=$.amount", EVERY, token)
        return [json.loads(line)["data"]["amount"] for line in answer.body.splitlines()]


# What each route that joins does: its method, path, body and headers; {model}, {entity} (which a processor works for) and {other} are filled in.
CHANGE = {"amount": 7}
JOINS = {
    "getEntity": ("GET", "/api/entity/{other}", None, {}),
    "listTransitions": ("GET", "/api/entity/{other}/transitions", None, {}),
    "fetchTransitions": ("GET", "/api/platform-api/entity/fetch/transitions?entityClass={model}.1&entityId={other}", None, {}),
    "searchEntities": ("POST", "/api/search/direct/{model}/1", EVERY, {}),
    "createEntities": ("POST", "/api/entity/JSON/{model}/1", CHANGE, {}),
    "createEntityCollection": ("POST", "/api/entity/JSON", [{"model": {"name": "{model}", "version": 1}, "payload": json.dumps(CHANGE)}], {}),
    "updateEntityCollection": ("PUT", "/api/entity/JSON", [{"id": "{other}", "payload": json.dumps(CHANGE)}], {}),
    "updateEntity": ("PUT", "/api/entity/JSON/{other}", CHANGE, {}),
    "patchEntity": ("PATCH", "/api/entity/JSON/{other}", CHANGE, {"If-Match": "*", "Content-Type": "application/merge-patch+json"}),
    "deleteEntity": ("DELETE", "/api/entity/{other}", None, {}),
    "deleteEntities": ("DELETE", "/api/entity/{model}/1", None, {}),
}
READS = ("getEntity", "listTransitions", "fetchTransitions", "searchEntities")
# They fire a transition, whose processor would have to answer, too: tests/api/test_join.py.
FIRES = {"fireTransition": ("PUT", "/api/entity/JSON/{other}/GO", CHANGE, {}),
         "patchAndFire": ("PATCH", "/api/entity/JSON/{other}/GO", CHANGE, {"If-Match": "*", "Content-Type": "application/merge-patch+json"})}


class Sending(Transaction):
    def send(self, name, token):
        method, path, body, headers = {**JOINS, **FIRES}[name]
        path = path.replace("{model}", self.model).replace("{other}", self.other)
        body = json.loads(json.dumps(body).replace("{model}", self.model).replace("{other}", self.other))
        return self.ask(method, path, body, token, **headers)


class Routes(Sending):
    def test_routes_that_do_not_join_refuse_every_token(self):
        end = self.begin()
        for name, method, path, parameters in operations():
            for token in (self.token, "bogus") if "X-Tx-Token" not in parameters else ():
                with self.subTest(name, token=token):
                    answer = self.ask(method, example_path(path), None, token)
                    self.assertEqual(answer.status, 400, answer)
                    self.assertIn(b"X-Tx-Token", answer.body)
        end(fails=False)

    def test_each_route_that_joins_is_known_here(self):
        self.assertEqual({name for name, _, _, parameters in operations() if "X-Tx-Token" in parameters}, {*JOINS, *FIRES})

    def test_a_token_that_is_none_changes_nothing(self):
        end = self.begin()
        for name in (*JOINS, *FIRES):
            with self.subTest(name):
                self.assert_code(self.send(name, "bogus"), 404, "TRANSACTION_NOT_FOUND")
                self.assertEqual(self.amounts(), [1, 2, 3])
        end(fails=True)

    def test_nothing_is_left_of_a_transaction_that_fails(self):
        for name in JOINS:
            with self.subTest(name):
                self.setUp()
                end = self.begin()
                self.assertEqual(self.send(name, self.token).status, 200)
                self.assertEqual(self.amounts(), [1, 2, 3])
                self.assertEqual(self.amounts(self.token) == [2, 3, 10], name in READS)
                end(fails=True)
                self.assertEqual(self.amounts(), [1, 2, 3])

    def test_a_transaction_that_succeeds_is_there_as_a_whole(self):
        for name in JOINS:
            with self.subTest(name):
                self.setUp()
                end = self.begin()
                self.assertEqual(self.send(name, self.token).status, 200)
                seen = self.amounts(self.token)
                end(fails=False)
                self.assertEqual(self.amounts(), seen)

    def test_a_plan_of_a_search_has_no_transaction(self):
        end = self.begin()
        answer = self.ask("POST", f"/api/search/direct/{self.model}/1?explain=true", EVERY, self.token)
        self.assert_code(answer, 400, "BAD_REQUEST", "X-Tx-Token")
        end(fails=False)


class Savepoints(Sending):
    """The token of an ASYNC_NEW_TX processor: its failure undoes its own writes, and the write that waits goes on."""

    def test_a_failure_undoes_what_the_processor_wrote(self):
        for name in JOINS:
            with self.subTest(name):
                self.setUp()
                end = self.begin("ASYNC_NEW_TX")
                self.assertEqual(self.send(name, self.token).status, 200)
                self.assertEqual(self.amounts(self.token) == [2, 3, 10], name in READS)
                end(fails=True)
                self.assertEqual((self.amounts(), self.state(self.entity)), ([2, 3, 10], ("DONE", {"amount": 10})))
                event = self.get(f"/api/audit/entity/{self.entity}?severity=WARN").json["items"][0]
                self.assertEqual((event["eventType"], event["data"]), ("STATE_PROCESS_RESULT", {"success": False, "mode": "ASYNC_NEW_TX"}))
                self.assertEqual("undone" in event["details"], name not in READS)

    def test_a_success_keeps_it(self):
        end = self.begin("ASYNC_NEW_TX")
        self.assertEqual(self.send("updateEntity", self.token).status, 200)
        end(fails=False)
        self.assertEqual(self.amounts(), [3, 7, 10])
        self.assert_code(self.send("updateEntity", self.token), 404, "TRANSACTION_NOT_FOUND")


class Criteria(Transaction):
    def test_a_function_reads_what_its_transaction_has_written(self):
        seen = []

        def work(request):
            name = request.get("processorName") or request.get("criteriaName")
            token = node.tokens[request["requestId"]]
            if name == "writes":
                self.client.request("POST", f"/api/entity/JSON/{self.model}/1", {"amount": 7}, {"X-Tx-Token": token})
            if name == "asks":
                seen.append(self.amounts(token))
                return {"matches": True}
            return {}
        go = one_transition(processor("writes", self.tag), manual=True)
        go["states"]["DONE"] = {"transitions": [{"name": "ON", "next": "END", "criterion": function("asks", self.tag)}]}
        go["states"]["END"] = {}
        self.prepare(go)
        entity = self.created({"amount": 1})
        node = self.member(work)
        self.assertEqual(self.fire_later("PUT", f"/api/entity/JSON/{entity}/GO", {"amount": 2})().status, 200)
        self.assertEqual((seen, self.state(entity)[0], self.amounts()), ([[2, 7]], "END", [2, 7]))


class Removals(Transaction):
    def remove(self, condition=None, token=None, query=""):
        return self.ask("DELETE", f"/api/entity/{self.model}/1{query}", condition, token)

    def counted(self, answer):
        self.assertEqual(answer.status, 200, answer.body)
        result = answer.json["deleteResult"]
        return result["numberOfEntitites"], result["numberOfEntititesRemoved"], list(result["idToError"])

    def test_all_but_the_entity_of_the_processor(self):
        for mode in ("SYNC", "ASYNC_SAME_TX"):
            with self.subTest(mode):
                self.setUp()
                end = self.begin(mode)
                self.ask("POST", f"/api/entity/JSON/{self.model}/1", {"amount": 4}, self.token)
                answer = self.remove(token=self.token, query="?verbose=true")
                self.assertEqual(self.counted(answer), (4, 3, [self.entity]))
                self.assertEqual(len(answer.json["ids"]), 3)
                self.assertEqual((self.amounts(self.token), self.amounts()), ([10], [1, 2, 3]))
                end(fails=False)
                self.assertEqual(self.amounts(), [10])

    def test_a_condition_sees_what_the_transaction_has_changed(self):
        end = self.begin()
        for path, document in ((f"/{self.other}", {"amount": 0}), (f"/{self.third}", {"amount": 5})):
            self.assertEqual(self.ask("PUT", "/api/entity/JSON" + path, document, self.token).status, 200)
        self.ask("POST", f"/api/entity/JSON/{self.model}/1", {"amount": 6}, self.token)
        self.assertEqual(self.counted(self.remove(ABOVE_ONE, self.token)), (3, 2, [self.entity]))
        self.assertEqual((self.amounts(self.token), self.amounts()), ([0, 10], [1, 2, 3]))
        end(fails=False)
        self.assertEqual(self.amounts(), [0, 10])

    def test_nothing_is_deleted_if_the_processor_fails(self):
        for condition in (None, ABOVE_ONE):
            with self.subTest(condition):
                self.setUp()
                end = self.begin()
                self.assertEqual(self.counted(self.remove(condition, self.token))[1], 2)
                end(fails=True)
                self.assertEqual(self.amounts(), [1, 2, 3])

    def test_a_removal_that_finds_nothing_leaves_the_transaction_as_it_is(self):
        end = self.begin()
        none = {**ABOVE_ONE, "value": 1000}
        self.assertEqual(self.counted(self.remove(none, self.token)), (0, 0, []))
        end(fails=False)
        self.assertEqual(self.amounts(), [2, 3, 10])

    def test_too_many_for_one_transaction_are_refused(self):
        end = self.begin()
        made = self.post(f"/api/entity/JSON/{self.model}/1?transactionWindow=1000", [{"amount": 9}] * 999)
        self.assertEqual(made.status, 200)
        for condition in (None, EVERY):
            answer = self.remove(condition, self.token)
            self.assert_code(answer, 413, "BAD_REQUEST", "1000")
            self.assertEqual(self.read_count(), 1002)
        end(fails=False)
        self.assertEqual(self.counted(self.remove())[1], 1002)

    def read_count(self):
        return self.get(f"/api/entity/stats/{self.model}/1").json["count"]

    def test_neither_the_past_nor_a_key_joins(self):
        end = self.begin()
        self.assert_code(self.remove(token=self.token, query="?pointInTime=2030-01-01T00:00:00Z"), 400, "BAD_REQUEST", "pointInTime")
        self.assert_code(self.ask("DELETE", f"/api/entity/{self.model}/1", None, self.token, **{"Idempotency-Key": str(uuid.uuid4())}), 400, "BAD_REQUEST")
        end(fails=False)


class Calls(Transaction):
    WRITES = {"EntityCreateRequest": {"payload": {"model": "MODEL", "data": CHANGE}},
              "EntityUpdateRequest": {"payload": {"entityId": "OTHER", "data": CHANGE}},
              "EntityPatchRequest": {"payload": {"entityId": "OTHER", "patch": CHANGE, "ifMatch": "*"}},
              "EntityDeleteRequest": {"entityId": "OTHER"},
              "EntityCreateCollectionRequest": {"payloads": [{"model": "MODEL", "data": CHANGE}]},
              "EntityUpdateCollectionRequest": {"payloads": [{"entityId": "OTHER", "data": CHANGE}]},
              "EntityDeleteAllRequest": {"model": "MODEL"}}
    READS = {"EntityGetRequest": {"entityId": "OTHER"}, "EntitySearchRequest": {"model": "MODEL", "condition": EVERY}}
    FIRES = {"EntityTransitionRequest": {"entityId": "OTHER", "transition": "GO"}}

    def setUp(self):
        super().setUp()
        self.channel = grpc.insecure_channel(f"127.0.0.1:{port_of(self.server)}")
        self.addCleanup(self.channel.close)

    def send(self, method, kind, token):
        """The first answer."""
        data = json.dumps({**self.WRITES, **self.READS, **self.FIRES}.get(kind, {})).replace("OTHER", self.other)
        data = json.loads(data.replace('"MODEL"', json.dumps({"name": self.model, "version": 1})))
        call = self.channel.unary_stream(METHOD + method, CloudEvent.SerializeToString, CloudEvent.FromString)
        answers = list(call(event(kind, **data), metadata=[("tx-token", token)], timeout=harness.PATIENCE))
        return json.loads(answers[0].text_data)

    def test_each_event_joins_or_refuses_its_token(self):
        end = self.begin()
        joins = {*self.WRITES, *self.READS, *self.FIRES}
        self.assertLess(joins, {kind for _, kind in events()})
        for method, kind in events():
            with self.subTest(method, kind=kind):
                answer = self.send(method, kind, "bogus")
                expected = "TRANSACTION_NOT_FOUND" if kind in joins else "tx-token"
                self.assertFalse(answer["success"])
                self.assertIn(expected, answer["error"]["message"])
                if kind not in joins:
                    self.assertIn("tx-token", self.send(method, kind, self.token)["error"]["message"])
                self.assertEqual(self.amounts(), [1, 2, 3])
        end(fails=True)

    def test_writes_by_events_end_as_the_transaction_does(self):
        for fails in (True, False):
            for method, kind in events():
                if kind in self.WRITES:
                    with self.subTest(method, kind=kind, fails=fails):
                        self.setUp()
                        end = self.begin()
                        self.assertTrue(self.send(method, kind, self.token)["success"])
                        seen = self.amounts(self.token)
                        self.assertNotEqual(seen, [2, 3, 10])
                        end(fails)
                        self.assertEqual(self.amounts(), [1, 2, 3] if fails else seen)

    def test_other_services_and_streams_refuse_a_token(self):
        methods = ["workflow.v1.WorkflowEngine/StartInstance", "grpc.health.v1.Health/Check", METHOD[1:] + "startStreaming"]
        for method in methods:
            with self.subTest(method), self.assertRaises(grpc.RpcError) as refusal:
                list(self.channel.stream_stream("/" + method)(iter([b""]), metadata=[("tx-token", "bogus")], timeout=harness.PATIENCE))
            self.assertEqual(refusal.exception.code(), grpc.StatusCode.INVALID_ARGUMENT)
            self.assertIn("tx-token", refusal.exception.details())


if __name__ == "__main__":
    main()
