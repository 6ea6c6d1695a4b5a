"""Calculation nodes: processors in all modes, functions as criteria, members that share, fail, die and freeze."""

import json
import threading
import time
import uuid

import grpc

import harness
from grpc_client import port_of
from harness import main
from members import METHOD, Case, CloudEvent, Member, answer_to, event, function, one_transition, processor

MODES = ("SYNC", "ASYNC_SAME_TX", "ASYNC_NEW_TX", "COMMIT_BEFORE_DISPATCH")


def set_note(text):
    return lambda request: {"payload": {"type": "JSON", "data": {**request["payload"]["data"], "note": text}}}


class Processors(Case):
    def test_a_request_says_what_it_is_about(self):
        self.prepare(one_transition(processor("charge", self.tag, context="x=1")))
        member = self.member()
        entity = self.created({"amount": 7})
        kind, request, message = member.next_request()
        self.assertEqual((kind, message.source, message.spec_version), ("EntityProcessorCalculationRequest", "pawl", "1.0"))
        attributes = {name: value.ce_string for name, value in message.attributes.items()}
        self.assertTrue(attributes.pop("cyodatxtoken"))
        self.assertEqual(attributes, {"authtype": "system", "authid": "pawl"})
        meta = request["payload"]["meta"]
        self.assertEqual((request["requestId"], request["entityId"], request["processorName"]), (message.id, entity, "charge"))
        self.assertEqual((request["workflow"], request["parameters"]), ({"id": "work", "name": "work"}, "x=1"))
        self.assertEqual(request["transition"], {"id": "GO", "name": "GO", "stateFrom": "NEW", "stateTo": "DONE"})
        self.assertEqual((request["payload"]["type"], request["payload"]["data"]), ("JSON", {"amount": 7}))
        self.assertEqual((meta["id"], meta["modelKey"], meta["state"]), (entity, {"name": self.model, "version": 1}, "NEW"))
        self.assertEqual(meta["transactionId"], request["transactionId"])

    def test_each_mode_treats_the_answer_in_its_way(self):
        for mode, note in zip(MODES, ("done", "done", None, "done")):
            with self.subTest(mode):
                self.setUp()
                self.prepare(one_transition(processor("p", self.tag, mode)))
                member = self.member(set_note("done"))
                state, data = self.state(self.created())
                self.assertEqual((state, data.get("note")), ("DONE", note))
                request = member.asked()
                self.assertEqual(request["transactionId"] == "", mode == "COMMIT_BEFORE_DISPATCH")
                member.close()

    def test_each_mode_treats_a_failure_in_its_way(self):
        for mode in MODES:
            with self.subTest(mode):
                self.setUp()
                self.prepare(one_transition(processor("p", self.tag, mode), manual=True))
                entity = self.created({"amount": 1})
                member = self.member(lambda request: {"success": False, "error": {"code": "X", "message": "no money"}})
                answer = self.fire(entity, "GO", {"amount": 2})
                if mode == "ASYNC_NEW_TX":
                    self.assertEqual((answer.status, self.state(entity)), (200, ("DONE", {"amount": 2})))
                else:
                    self.assert_code(answer, 400, "WORKFLOW_FAILED", 'processor "p" failed: no money')
                    amount = 2 if mode == "COMMIT_BEFORE_DISPATCH" else 1
                    self.assertEqual(self.state(entity), ("NEW", {"amount": amount}))
                member.close()

    def test_processors_work_one_after_the_other(self):
        add = lambda request: {"payload": {"type": "JSON", "data": {"amount": request["payload"]["data"]["amount"] * 2 + 1}}}
        self.prepare(one_transition(*(processor(f"p{n}", self.tag, mode) for n, mode in enumerate(("SYNC", MODES[3], "SYNC", MODES[3])))))
        member = self.member(add)
        self.assertEqual(self.state(self.created({"amount": 0})), ("DONE", {"amount": 15}))
        self.assertEqual([member.asked()["processorName"] for _ in range(4)], ["p0", "p1", "p2", "p3"])

    def test_the_answer_behind_a_commit_is_a_transaction_of_its_own(self):
        self.prepare(one_transition(processor("p", self.tag, MODES[3]), manual=True))
        self.member(set_note("done"))
        entity = self.created({"amount": 1})
        first = self.fire(entity, "GO", {"amount": 2}).json["transactionId"]
        last = self.get(f"/api/entity/{entity}").json["meta"]["transactionId"]
        self.assertNotEqual(last, first)
        path = f"/api/entity/JSON/{entity}"
        self.assert_code(self.client.request("PUT", path, {"amount": 3}, {"If-Match": first}), 412, "ENTITY_MODIFIED")
        self.assertEqual([c["transactionId"] for c in self.get(f"/api/entity/{entity}/changes").json][:2], [last, first])
        self.assertEqual(self.get(f"/api/entity/{entity}?transactionId={first}").json["meta"]["state"], "NEW")
        finished = self.get(f"/api/audit/entity/{entity}/workflow/{first}/finished").json  # Also by the transaction that the caller knows.
        self.assertEqual((finished["state"], finished["transactionId"]), ("DONE", last))
        self.assertEqual(self.get(f"/api/audit/entity/{entity}/workflow/{last}/finished").json, finished)
        self.assertEqual(self.client.request("PUT", path, {"amount": 3}, {"If-Match": last}).status, 200)

    def test_the_audit_tells_what_processors_have_changed(self):
        self.prepare(one_transition(processor("p", self.tag)))
        self.member(set_note("done"))
        entity = self.created({"amount": 1})
        path = f"/api/audit/entity/{entity}?eventType="
        one = self.get(path + "EntityChange").json["items"]
        self.assertEqual([item["changes"] for item in one], [{"after": {"amount": 1, "note": "done"}}])
        cursor = self.get(f"/api/audit/entity/{entity}?limit=1").json["pagination"]["nextCursor"]
        rest = self.get(f"/api/audit/entity/{entity}?limit=100&cursor={cursor}").json["items"]  # A page that begins inside of the transaction.
        self.assertEqual([item["changes"] for item in rest if "changes" in item], [{"after": {"amount": 1, "note": "done"}}])

    def test_a_result_must_fit_the_model(self):
        for mode in ("SYNC", "COMMIT_BEFORE_DISPATCH"):
            with self.subTest(mode):
                self.setUp()
                self.prepare(one_transition(processor("p", self.tag, mode), manual=True))
                member = self.member(lambda request: {"payload": {"data": {"amount": "twelve"}}})
                entity = self.created({"amount": 1})
                self.assert_code(self.fire(entity, "GO"), 400, "WORKFLOW_FAILED", "does not fit the model")
                self.assertEqual(self.state(entity), ("NEW", {"amount": 1}))
                member.close()

    def test_nothing_is_seen_before_the_answer(self):
        self.prepare(one_transition(processor("p", self.tag), manual=True))
        member = self.member(lambda request: None)
        entity = self.created({"amount": 1})
        later = self.fire_later("PUT", f"/api/entity/JSON/{entity}/GO", {"amount": 2})
        request = member.asked()
        self.assertEqual(self.state(entity), ("NEW", {"amount": 1}))
        if "PAWL_TEST_NODES" not in harness.os.environ:  # Of two nodes that write it, the first that commits wins.
            self.assertEqual(self.fire(entity, "GO").json["properties"]["errorCode"], "CONFLICT")
        member.reply(request, {})
        self.assertEqual(later().status, 200)
        self.assertEqual(self.state(entity), ("DONE", {"amount": 2}))

    def test_a_node_writes_in_the_transaction_that_waits_for_it(self):
        self.prepare({**one_transition(processor("p", self.tag)), "criterion": {"type": "simple", "jsonPath": "$.amount", "operatorType": "EQUALS", "value": 1}})
        member = self.member(lambda request: None)
        for success in (False, True):
            later = self.create_later()
            _, request, message = member.next_request()
            answer = self.post(f"/api/entity/JSON/{self.model}/1", {"amount": 2}, {"X-Tx-Token": message.attributes["cyodatxtoken"].ce_string})
            self.assertEqual(answer.status, 200, answer)
            other = answer.json[0]["entityIds"][0]
            self.assertEqual(self.get(f"/api/entity/{other}").status, 404)
            member.reply(request, {"success": success})
            self.assertEqual(later().status, 200 if success else 400)
            self.assertEqual(self.get(f"/api/entity/{other}").status, 200 if success else 404)

    def test_a_key_is_remembered_only_if_the_write_happens(self):
        self.prepare(one_transition(processor("p", self.tag)))
        path, key = f"/api/entity/JSON/{self.model}/1", {"Idempotency-Key": self.fresh("key")}
        member = self.member(lambda request: {"success": False})
        self.assert_code(self.post(path, {"amount": 1}, key), 400, "WORKFLOW_FAILED")
        member.work = lambda request: None
        later = self.fire_later("POST", path, {"amount": 1}, **key)
        member.asked()
        request = member.asked()
        if harness.NODES == 1:  # Another node does not know of it, and lets the first one win that commits.
            again = self.post(path, {"amount": 1}, key)  # Nobody knows yet.
            self.assertEqual((again.status, again.json["properties"]), (409, {"errorCode": "IDEMPOTENCY_CONFLICT", "retryable": True}))
        member.reply(request, {})
        first = later()
        again = self.post(path, {"amount": 1}, key)
        self.assertEqual((again.json, again.headers["Idempotency-Replayed"]), (first.json, "true"))
        self.assertEqual(self.state(first.json[0]["entityIds"][0])[0], "DONE")

    def test_a_node_that_does_not_get_the_entity_may_replace_it(self):
        self.prepare(one_transition(processor("p", self.tag, attachEntity=False)))
        member = self.member(lambda request: {"payload": {"data": {"amount": 9}}})
        self.assertEqual(self.state(self.created()), ("DONE", {"amount": 9}))
        self.assertNotIn("payload", member.asked())


class Criteria(Case):
    def test_a_function_chooses_the_workflow(self):
        first = {**one_transition(), "name": "first", "criterion": function("is-large", self.tag)}
        second = {**one_transition(), "name": "second", "initialState": "OTHER", "states": {"OTHER": {}}}
        self.prepare(first, second)
        member = self.member(lambda request: {"matches": request["payload"]["data"]["amount"] > 10})
        self.assertEqual(self.state(self.created({"amount": 11}))[0], "DONE")
        self.assertEqual(self.state(self.created({"amount": 10}))[0], "OTHER")
        request = member.asked()
        self.assertEqual((request["target"], request["criteriaName"], request["workflow"]["name"]), ("WORKFLOW", "is-large", "first"))
        self.assertEqual(request["transition"]["name"], "")

    def test_a_function_decides_about_a_transition(self):
        self.prepare(one_transition(criterion=function("may", self.tag)))
        member = self.member(lambda request: {"matches": request["payload"]["data"]["amount"] > 10})
        entity = self.created({"amount": 10})
        self.assertEqual(self.state(entity)[0], "NEW")
        self.assert_code(self.fire(entity, "GO", {"amount": 9}), 400, "WORKFLOW_FAILED", "does not match")
        self.assertEqual(self.state(entity), ("NEW", {"amount": 10}))
        self.assertEqual(self.fire(entity, "GO", {"amount": 12}).status, 200)
        self.assertEqual(self.state(entity)[0], "DONE")
        self.assertEqual(member.asked()["target"], "TRANSITION")

    def test_an_answer_without_matches_is_a_no(self):
        self.prepare(one_transition(criterion=function("may", self.tag)))
        self.member(lambda request: {})
        self.assertEqual(self.state(self.created())[0], "NEW")

    def test_a_function_that_fails_undoes_the_write(self):
        self.prepare(one_transition(criterion=function("may", self.tag)))
        self.member(lambda request: {"success": False})
        self.assert_code(self.create(), 400, "WORKFLOW_FAILED", "does not say why")


class Replaced(Case):
    """A node is replaced by its next version while clients write."""
    arguments = ("--grpc", "127.0.0.1:0", "--compute-wait", "60s")

    def test_a_write_waits_for_the_next_node(self):
        self.prepare(one_transition(processor("p", self.tag)))
        first = self.member()
        self.created()
        first.close()
        first.wait_end()
        writes = [self.create_later({"amount": amount}) for amount in range(3)]
        self.until(lambda: self.metric("pawl_compute_requests_waiting") == 3)
        self.member()
        self.assertEqual([finish().status for finish in writes], [200] * 3)

    def test_a_criterion_is_asked_again(self):
        self.prepare(one_transition(criterion=function("c", self.tag)))
        first = self.member(lambda request: None)
        write = self.create_later()
        first.asked()
        first.kill()
        self.member(lambda request: {"matches": True})
        self.assertEqual(write().status, 200)

    def test_a_processor_may_have_done_its_work(self):
        self.prepare(one_transition(processor("p", self.tag)))
        first = self.member(lambda request: None)
        write = self.create_later()
        first.asked()
        first.kill()
        self.assert_code(write(), 503, "COMPUTE_MEMBER_DISCONNECTED")


class Words(Case):
    def test_the_reason_of_a_criterion_reaches_the_caller(self):
        self.prepare(one_transition(manual=True, criterion=function("credit", self.tag)))
        entity = self.created()
        self.member(lambda request: {"matches": False, "reason": "the limit is 500"})
        answer = self.fire(entity, "GO")
        self.assert_code(answer, 400, "WORKFLOW_FAILED", 'the criterion of transition "GO" does not match: the limit is 500')


    def test_warnings_reach_the_caller(self):
        self.prepare(one_transition(processor("p", self.tag), processor("q", self.tag, mode="COMMIT_BEFORE_DISPATCH")))
        self.member(lambda request: {"warnings": [request["processorName"] + " is old", "slow"]})
        expected = ["p is old", "slow", "q is old"]
        answer = self.create()
        self.assertEqual(answer.json[0]["warnings"], expected)
        self.assertEqual(self.post(f"/api/entity/JSON/{self.model}/1", [{"amount": 1}]).json[0]["warnings"], expected)
        channel = grpc.insecure_channel(f"127.0.0.1:{port_of(self.server)}")
        self.addCleanup(channel.close)
        call = channel.unary_unary(METHOD + "entityManage", CloudEvent.SerializeToString, CloudEvent.FromString)
        made = call(event("EntityCreateRequest", payload={"model": {"name": self.model, "version": 1}, "data": {"amount": 1}}), timeout=harness.PATIENCE)
        self.assertEqual(json.loads(made.text_data)["warnings"], expected)
        key = {"Idempotency-Key": self.fresh("key")}
        first, again = (self.client.request("POST", f"/api/entity/JSON/{self.model}/1", {"amount": 1}, key) for _ in range(2))
        self.assertEqual((again.json, again.headers["Idempotency-Replayed"], again.json[0]["warnings"]), (first.json, "true", expected))

    def test_warnings_reach_the_caller_of_a_write_that_fails(self):
        self.prepare(one_transition(processor("p", self.tag), processor("q", self.tag)))
        failed = {"success": False, "error": {"message": "no"}}
        self.member(lambda request: {"warnings": [request["processorName"] + " is old"], **(failed if request["processorName"] == "q" and request["payload"]["data"]["amount"] > 1 else {})})
        expected = ["p is old", "q is old"]
        answer = self.create({"amount": 2})
        self.assert_code(answer, 400, "WORKFLOW_FAILED", "no")
        self.assertEqual(answer.json["properties"]["warnings"], expected)
        chunks = self.post(f"/api/entity/JSON/{self.model}/1?transactionWindow=1", [{"amount": 1}, {"amount": 2}, {"amount": "x"}]).json
        self.assertEqual([(chunk.get("error", {}).get("code"), chunk.get("warnings")) for chunk in chunks], [(None, expected), ("WORKFLOW_FAILED", expected), ("INCOMPATIBLE_TYPE", None)])
        channel = grpc.insecure_channel(f"127.0.0.1:{port_of(self.server)}")
        self.addCleanup(channel.close)
        call = channel.unary_unary(METHOD + "entityManage", CloudEvent.SerializeToString, CloudEvent.FromString)
        refused = json.loads(call(event("EntityCreateRequest", payload={"model": {"name": self.model, "version": 1}, "data": {"amount": 2}}), timeout=harness.PATIENCE).text_data)
        self.assertEqual((refused["success"], refused["warnings"]), (False, expected))

    def test_a_refusal_over_grpc_names_what_is_left(self):
        self.prepare(one_transition(processor("p", self.tag, "COMMIT_BEFORE_DISPATCH")))
        self.member(lambda request: {"success": False, "error": {"message": "no"}})
        channel = grpc.insecure_channel(f"127.0.0.1:{port_of(self.server)}")
        self.addCleanup(channel.close)
        call = channel.unary_unary(METHOD + "entityManage", CloudEvent.SerializeToString, CloudEvent.FromString)
        refused = json.loads(call(event("EntityCreateRequest", payload={"model": {"name": self.model, "version": 1}, "data": {"amount": 2}}), timeout=harness.PATIENCE).text_data)
        self.assertEqual(self.state(refused["error"]["entityId"])[0], "NEW")


class NamedOnCreate(Case):
    """A new entity makes a transition that its creator names: its criterion, its processors, its workflow's criterion."""

    def named(self):
        return self.fire_later("POST", f"/api/entity/JSON/{self.model}/1?transition=GO", {"amount": 1})()

    def test_functions_and_processors_are_asked(self):
        self.prepare({**one_transition(processor("p", self.tag), manual=True, criterion=function("credit", self.tag)), "criterion": function("choose", self.tag)})
        says = {"credit": True, "choose": True}
        work = lambda request: {"matches": says[request["criteriaName"]], "reason": "the limit is 500"} if "criteriaName" in request else set_note("done")(request)
        member = self.member(work)
        self.assertEqual(self.state(self.named().json[0]["entityIds"][0]), ("DONE", {"amount": 1, "note": "done"}))
        asked = [member.asked() for _ in range(3)]
        self.assertEqual([one.get("criteriaName", one.get("processorName")) for one in asked], ["choose", "credit", "p"])
        says["credit"] = False
        self.assert_code(self.named(), 400, "WORKFLOW_FAILED", 'the criterion of transition "GO" does not match: the limit is 500')
        says["choose"] = False
        self.assert_code(self.named(), 404, "TRANSITION_NOT_FOUND", 'no transition "GO" from state "NONE"')
        self.assertEqual(self.get(f"/api/entity/stats/{self.model}/1").json["count"], 1)

    def test_a_processor_fails_or_commits_first(self):
        self.prepare(one_transition(processor("p", self.tag, "COMMIT_BEFORE_DISPATCH"), manual=True))
        self.member(lambda request: {"success": False, "error": {"message": "no money"}})
        answer = self.named()
        self.assert_code(answer, 400, "WORKFLOW_FAILED", "no money")
        entity = answer.json["properties"]["entityId"]
        self.assertEqual(self.state(entity)[0], "NEW")
        self.assertEqual(self.client.request("PUT", f"/api/entity/JSON/{entity}", {"amount": 2}).status, 200)  # It is not asked for again.
        self.assertEqual(self.state(entity)[0], "NEW")

    def test_a_node_names_it_in_the_transaction_that_waits_for_it(self):
        self.prepare({**one_transition(processor("p", self.tag)), "states": {"NEW": {"transitions": [
            {"name": "GO", "next": "DONE", "manual": True, "processors": [processor("p", self.tag)]}, {"name": "SIDE", "next": "BESIDE", "manual": True}]}, "DONE": {}, "BESIDE": {}}})
        made = []

        def work(request):
            token = {"X-Tx-Token": member.tokens[request["requestId"]]}
            path = f"/api/entity/JSON/{self.model}/1?transition="
            made.append((self.post(path + "NOPE", {"amount": 2}, token), self.post(path + "SIDE", {"amount": 3}, token)))
            return {} if len(made) == 2 else {"success": False, "error": {"message": "no"}}
        member = self.member(work)
        self.assert_code(self.named(), 400, "WORKFLOW_FAILED", "no")
        self.assertEqual(self.get(f"/api/entity/stats/{self.model}/1").json["count"], 0)
        self.assertEqual(self.named().status, 200)
        refused, beside = made[1]
        self.assert_code(refused, 404, "TRANSITION_NOT_FOUND")
        self.assertEqual(self.state(beside.json[0]["entityIds"][0]), ("BESIDE", {"amount": 3}))


class Policies(Case):
    def test_a_processor_is_tried_again(self):
        for mode in ("SYNC", "COMMIT_BEFORE_DISPATCH"):
            with self.subTest(mode):
                self.setUp()
                self.prepare(one_transition(processor("p", self.tag, mode=mode, retryPolicy="FIXED"), manual=True))
                entity, other = self.created(), self.created()
                seen = []

                def work(request):
                    token = node.tokens[request["requestId"]]
                    seen.append(self.get(f"/api/entity/{other}").json["data"]["amount"])
                    if token:  # What a failed attempt has written is undone.
                        seen[-1] = self.get(f"/api/entity/{other}", {"X-Tx-Token": token}).json["data"]["amount"]
                        self.client.request("PUT", f"/api/entity/JSON/{other}", {"amount": 5 + len(seen)}, {"X-Tx-Token": token})
                    return {"success": False, "error": {"message": "not yet"}} if len(seen) < 3 else {}
                node = self.member(work)
                self.assertEqual(self.fire_later("PUT", f"/api/entity/JSON/{entity}/GO", {"amount": 2})().status, 200)
                self.assertEqual((seen, self.state(entity)[0]), ([1, 1, 1], "DONE"))
                self.assertEqual(self.state(other)[1]["amount"], 1 if mode == "COMMIT_BEFORE_DISPATCH" else 8)
                node.close()

    def test_the_last_failure_is_told(self):
        self.prepare(one_transition(processor("p", self.tag, retryPolicy="FIXED")))
        node = self.member(lambda request: {"success": False, "error": {"message": "never"}})
        self.assert_code(self.create(), 400, "WORKFLOW_FAILED", "never")
        self.assertEqual(node.requests.qsize(), 4)

    def test_what_is_not_obeyed_is_refused_with_its_place(self):
        self.post(f"/api/model/import/JSON/SAMPLE_DATA/{self.model}/1", self.sample)
        for name, value in (("retryPolicy", "SOMETIMES"), ("asyncResult", True), ("crossoverToAsyncMs", 100)):
            with self.subTest(name):
                workflow = one_transition(processor("p", self.tag, **{name: value}))
                answer = self.post(f"/api/model/{self.model}/1/workflow/import", {"workflows": [workflow]})
                self.assert_code(answer, 400, "VALIDATION_FAILED", name if name != "retryPolicy" else value)
                self.assertIn(f"/workflows/0/states/NEW/transitions/0/processors/0/config/{name}".encode(), answer.body)
        for more in ({"retryPolicy": "NONE"}, {"retryPolicy": ""}, {"asyncResult": False}):
            workflow = one_transition(processor("p", self.tag, **more))
            self.assertEqual(self.post(f"/api/model/{self.model}/1/workflow/import", {"workflows": [workflow]}).status, 200)

    def test_a_field_too_many_is_refused_with_words_that_help(self):
        self.prepare(one_transition(processor("p", self.tag)))
        self.member(lambda request: {"payload": {"type": "JSON", "data": {"amount": 1, "more": 2}}})
        self.assert_code(self.create(), 400, "WORKFLOW_FAILED", "more is no field of the model")
        self.assertIn("changeLevel/STRUCTURAL", self.create().json["detail"])
        self.assertEqual(self.post(f"/api/model/{self.model}/1/changeLevel/STRUCTURAL", None).status, 200)
        self.created()


class Choice(Case):
    def test_without_a_member_a_write_is_refused(self):
        self.prepare(one_transition(processor("p", f"{self.tag}, big")))
        self.member(tags=[self.tag])
        self.member(tags=["big"])
        self.assert_code(self.create(), 503, "NO_COMPUTE_MEMBER_FOR_TAG", self.tag)
        both = self.member(tags=["big", "more", f" {self.tag} "])
        self.created()
        both.asked()
        both.kill()
        both.wait_end()
        self.until(lambda: len(self.members()) == 2)
        self.assert_code(self.create(), 503, "NO_COMPUTE_MEMBER_FOR_TAG")

    def members(self):
        return [m for m in self.get("/api/compute/members").json["members"] if m["tags"] in ([self.tag], ["big"]) or self.tag in m["tags"]]

    @harness.needs_one_node  # What members have to do is told to other nodes a little later.
    def test_work_is_shared_by_load(self):
        self.prepare(one_transition(processor("p", self.tag)))
        slow, fast = self.member(lambda request: None), self.member()
        held = self.create_later()  # For the one that joined first.
        request = slow.asked()
        for _ in range(5):
            self.created()
        self.assertTrue(slow.requests.empty())
        self.assertEqual(fast.requests.qsize(), 5)
        shown = {m["memberId"]: m for m in self.members()}
        self.assertEqual((shown[slow.id]["requestsUnderWay"], shown[fast.id]["requestsUnderWay"]), (1, 0))
        self.assertEqual(shown[fast.id]["requestsAnswered"], 5)
        self.assertIn("oldestRequestAt", shown[slow.id])
        slow.reply(request, {})
        self.assertEqual(held().status, 200)

    def test_idle_members_take_turns(self):
        self.prepare(one_transition(processor("p", self.tag)))
        members = [self.member() for _ in range(3)]
        for _ in range(6):
            self.move_on()
            self.created()
        self.assertEqual([m.requests.qsize() for m in members], [2, 2, 2])

    @harness.needs_one_node  # Metrics are those of the node that is asked.
    def test_the_metrics_tell(self):
        self.prepare(one_transition(processor("p", self.tag)))
        before = {o: self.metric(f'pawl_compute_dispatches_total{{outcome="{o}"}}') for o in ("answered", "no_member")}
        self.create()
        self.member()
        self.created()
        for outcome, count in before.items():
            self.assertEqual(self.metric(f'pawl_compute_dispatches_total{{outcome="{outcome}"}}'), count + 1)
        self.assertGreaterEqual(self.metric("pawl_compute_members"), 1)
        self.assertEqual(self.metric("pawl_compute_requests"), 0)


class Bad(Case):
    """Nodes that are wrong, slow or gone."""

    def test_a_lost_member_is_noticed_at_once(self):
        self.prepare(one_transition(processor("p", self.tag), manual=True))
        member = self.member(lambda request: None)
        entity = self.created({"amount": 1})
        began = time.monotonic()
        later = self.fire_later("PUT", f"/api/entity/JSON/{entity}/GO", {"amount": 2})
        member.asked()
        member.kill()
        self.assert_code(later(), 503, "COMPUTE_MEMBER_DISCONNECTED")
        self.assertLess(time.monotonic() - began, 10)
        self.assertEqual(self.state(entity), ("NEW", {"amount": 1}))

    def test_committed_work_goes_to_another_member(self):
        self.prepare(one_transition(processor("p", self.tag, MODES[3])))
        dying = self.member(lambda request: None)
        later = self.create_later()
        first = dying.asked()
        other = self.member(set_note("done"))
        dying.kill()
        answer = later()
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual(other.asked()["requestId"], first["requestId"])
        self.assertEqual(self.state(answer.json[0]["entityIds"][0]), ("DONE", {"amount": 1, "note": "done"}))

    def test_committed_work_without_another_member_is_told_at_once(self):
        self.prepare(one_transition(processor("p", self.tag, MODES[3]), manual=True))
        entity = self.created({"amount": 1})
        dying = self.member(lambda request: None)
        later = self.fire_later("PUT", f"/api/entity/JSON/{entity}/GO", {"amount": 2})
        dying.asked()
        dying.kill()
        self.assert_code(later(), 503, "COMPUTE_MEMBER_DISCONNECTED")
        self.assertEqual(self.state(entity), ("NEW", {"amount": 2}))

    def test_a_node_has_its_time(self):
        self.prepare(one_transition(processor("p", self.tag, timeout_ms=300)))
        member = self.member(lambda request: None)
        self.assert_code(self.create(), 400, "WORKFLOW_FAILED", "not answered in time")
        member.reply(member.asked(), {})  # Too late.
        self.assert_ignored(member, "no such request")

    def assert_ignored(self, member, text):
        ack = member.next("EventAckResponse")
        self.assertFalse(ack["success"])
        self.assertIn(text, ack["error"]["message"])

    def test_answers_that_fit_no_request_change_nothing(self):
        self.prepare(one_transition(processor("p", self.tag)))
        member = self.member(lambda request: None)
        other = self.member(tags=[])
        later = self.create_later()
        request = member.asked()
        member.reply(request, {"requestId": str(uuid.uuid4())})
        self.assert_ignored(member, "no such request")
        member.reply(request, {"requestId": "17"})
        self.assert_ignored(member, "requestId")
        other.reply(request, {})
        # A member that is connected to another node can only hear that its own node knows no such request.
        self.assert_ignored(other, "no such request" if "PAWL_TEST_NODES" in harness.os.environ else "another member's")
        member.reply(request, [{"payload": {"data": {"amount": 5}}}, {"payload": {"data": {"amount": 6}}}])
        self.assert_ignored(member, "answered before")
        self.assertEqual(self.state(later().json[0]["entityIds"][0]), ("DONE", {"amount": 5}))

    def test_an_answer_for_another_entity_fails_the_write(self):
        self.prepare(one_transition(processor("p", self.tag)))
        other = str(uuid.uuid4())
        member = self.member(lambda request: {"entityId": other})
        self.assert_code(self.create(), 400, "WORKFLOW_FAILED", f"an answer for another entity, {other}")
        self.assert_ignored(member, "does not fit")
        member.work = lambda request: {"kind": "EntityCriteriaCalculationResponse", "matches": True}
        self.assert_code(self.create(), 400, "WORKFLOW_FAILED", "of another kind")

    def test_a_member_that_does_not_read_holds_nobody(self):
        other = self.fresh("other")
        paid = {"type": "simple", "jsonPath": "$.paid", "operatorType": "EQUALS", "value": True}
        self.prepare({**one_transition(processor("p", self.tag)), "criterion": paid}, {**one_transition(processor("q", other)), "name": "quick"})
        reads = threading.Event()
        slow = self.member(lambda request: {"success": reads.wait(harness.PATIENCE)})
        self.member(tags=[other])
        writes = [self.create_later({"paid": True, "note": "x" * 200000}) for _ in range(20)]  # 4 MB.
        self.until(lambda: self.metric("pawl_compute_requests") == 20)
        self.assertEqual(self.state(self.created({"paid": False}))[0], "DONE")

        def under_way():
            return [m["requestsUnderWay"] for m in self.get("/api/compute/members").json["members"] if m["memberId"] == slow.id]
        self.until(lambda: under_way() == [20])
        reads.set()
        self.assertEqual([later().status for later in writes], [200] * 20)

    def test_malformed_events_are_skipped(self):
        self.prepare(one_transition(processor("p", self.tag)))
        skipped = self.metric("pawl_compute_events_skipped_total")
        member = self.member()
        for bad in (CloudEvent(type="EntityProcessorCalculationResponse"),
                    CloudEvent(type="EntityProcessorCalculationResponse", text_data="{"),
                    CloudEvent(type="EntityProcessorCalculationResponse", text_data="[]"),
                    event("CalculationMemberJoinEvent", tags=["x"]), event("Nonsense")):
            member.send(bad)
        self.created()
        self.until(lambda: self.metric("pawl_compute_events_skipped_total") == skipped + 5)

    def test_answers_may_come_as_bytes(self):
        def as_bytes(request):
            data = answer_to(request)
            return CloudEvent(id="1", type=data.pop("kind"), binary_data=json.dumps(data).encode())
        self.prepare(one_transition(processor("p", self.tag)))
        self.member(as_bytes)
        self.assertEqual(self.state(self.created())[0], "DONE")


class Streams(Case):
    def test_a_member_joins_first(self):
        for first in (event("CalculationMemberKeepAliveEvent"), event("CalculationMemberJoinEvent", id=""),
                      event("CalculationMemberJoinEvent", tags="a"), event("CalculationMemberJoinEvent", tags=["a" * 257]),
                      event("CalculationMemberJoinEvent", tags=["a"] * 65), CloudEvent(type="CalculationMemberJoinEvent")):
            member = self.member(join=False)
            member.send(first)
            self.assertEqual(member.wait_end(), grpc.StatusCode.INVALID_ARGUMENT, first)

    def test_a_member_is_greeted(self):
        member = self.member(join=False)
        member.send(event("CalculationMemberJoinEvent", tags=[self.tag], joinedLegalEntityId="us"))
        greeting = member.next("CalculationMemberGreetEvent")
        self.assertEqual((greeting["id"], greeting["joinedLegalEntityId"], greeting["success"]), (greeting["memberId"], "us", True))

    def test_a_keep_alive_is_acknowledged_and_not_echoed(self):
        member = self.member()
        sent = event("CalculationMemberKeepAliveEvent", memberId=member.id)
        member.send(sent)
        ack = member.next()
        self.assertEqual((ack["sourceEventId"], ack["success"]), (sent.id, True))
        member.send(event("EventAckResponse", sourceEventId=ack["id"]))
        member.outbox.put(None)
        self.assertEqual(member.wait_end(), grpc.StatusCode.OK)
        self.assertTrue(member.seen.empty())

    def test_large_messages_are_taken_in_their_order(self):
        """Those of more than 32 KiB are read on another thread, and small ones behind them wait."""
        member, text = self.member(), "x" * 300_000
        sent = [event("CalculationMemberKeepAliveEvent", memberId=member.id, text=text if i % 3 else "") for i in range(30)]
        for message in sent:
            member.send(message)
        member.outbox.put(None)
        self.assertEqual([member.next("EventAckResponse")["sourceEventId"] for _ in sent], [message.id for message in sent])
        self.assertEqual(member.wait_end(), grpc.StatusCode.OK)

    def test_a_large_answer_is_the_documents(self):
        self.prepare(one_transition(processor("p", self.tag)))
        text = "x" * 200_000
        self.member(set_note(text))
        state, data = self.state(self.created())
        self.assertEqual((state, data["note"] == text), ("DONE", True))

    def test_a_member_that_is_lost_while_its_messages_are_read_harms_nobody(self):
        for first in (event("CalculationMemberJoinEvent", tags=["a"], text="x" * 1_000_000), event("CalculationMemberJoinEvent", tags=["a"])):
            for _ in range(5):
                member = self.member(join=False)
                member.send(first)
                for _ in range(5):
                    member.send(event("CalculationMemberKeepAliveEvent", text="x" * 1_000_000))
                member.kill()
        self.assertEqual(self.get("/livez").status, 200)

    def test_a_member_that_ends_its_stream_is_gone(self):
        member = self.member()
        self.assertIn(member.id, str(self.get("/api/compute/members").json))
        member.outbox.put(None)
        member.wait_end()
        self.assertNotIn(member.id, str(self.get("/api/compute/members").json))


class Silence(Case):
    arguments = ("--grpc", "127.0.0.1:0", "--limit", "member_keep_alive_ms=200", "--limit", "member_silence_ms=1000")

    def test_a_frozen_member_is_dropped_and_a_living_one_is_not(self):
        self.prepare(one_transition(processor("p", self.tag), manual=True))
        frozen = self.member(lambda request: None)
        living = self.member(tags=["living"])
        entity = self.created({"amount": 1})
        later = self.fire_later("PUT", f"/api/entity/JSON/{entity}/GO", {"amount": 2})
        while not frozen.ended.is_set():
            alive = living.next("CalculationMemberKeepAliveEvent")
            self.assertEqual(alive["memberId"], living.id)
            living.send(event("EventAckResponse", sourceEventId=alive["id"]))
        self.assertEqual(frozen.code, grpc.StatusCode.DEADLINE_EXCEEDED)
        self.assert_code(later(), 503, "COMPUTE_MEMBER_DISCONNECTED")
        self.assertFalse(living.ended.is_set())
        silent = self.member(join=False)
        self.assertEqual(silent.wait_end(), grpc.StatusCode.DEADLINE_EXCEEDED)


class Restart(Case):
    """An engine of its own, which is ended."""

    def begin(self, data):
        self.server = harness.Server(self.arguments, data)
        self.addCleanup(self.server.kill)
        super().setUp()

    def test_committed_work_survives_a_crash_and_waits_for_a_node(self):
        self.check_survival("kill")

    def test_committed_work_survives_a_stop_and_waits_for_a_node(self):
        self.check_survival("stop")

    def check_survival(self, end):
        data = harness.tempfile.mkdtemp(prefix="pawl-test-")
        self.addCleanup(harness.shutil.rmtree, data, ignore_errors=True)
        self.begin(data)
        tag = self.tag
        self.prepare(one_transition(processor("p", tag, MODES[3]), processor("q", tag)))
        member = self.member(lambda request: None)
        caller = self.fire_later("POST", f"/api/entity/JSON/{self.model}/1", {"amount": 1})
        first = member.asked()
        if end == "stop":
            self.server.process.terminate()
            self.assertEqual(caller().status, 503)
            self.assertEqual(self.server.process.wait(harness.PATIENCE), 0)
        self.server.kill()
        self.begin(data)
        self.until(lambda: self.get("/api/compute/members").json["requestsWaiting"] == 1)
        self.assertEqual(self.state(first["entityId"]), ("NEW", {"amount": 1}))
        member = self.member(set_note("again"), tags=[tag])
        self.assertEqual(member.asked()["requestId"], first["requestId"])
        self.assertEqual(member.asked()["processorName"], "q")
        self.until(lambda: self.state(first["entityId"]) == ("DONE", {"amount": 1, "note": "again"}))
        self.server.stop()


class Token(Case):
    def test_a_member_needs_the_token(self):
        with harness.tempfile.NamedTemporaryFile("w") as file:
            file.write("secret")
            file.flush()
            harness.os.chmod(file.name, 0o600)
            server = harness.Server((*self.arguments, "--auth-token-file", file.name))
            self.addCleanup(server.stop)
            refused = Member(port_of(server), [], join=False)
            self.addCleanup(refused.close)
            self.assertEqual(refused.wait_end(), grpc.StatusCode.UNAUTHENTICATED)
            let_in = Member(port_of(server), [], metadata=[("authorization", "Bearer secret")])
            let_in.close()


if __name__ == "__main__":
    main()
