"""What happened to entities."""

from entities import NIL, WORKFLOW, EntityCase, above, by_hand
from harness import main

FIRST = {"name": "huge", "initialState": "X", "criterion": above(10000), "states": {"X": {}}}
ASKING = {"name": "asking", "initialState": "NEW", "states": {
    "NEW": {"transitions": [by_hand("GO", "DONE", processors=[{"type": "EXTERNAL", "name": "p", "executionMode": "SYNC"}])]}, "DONE": {}}}


class Audit(EntityCase):
    def page(self, entity, query="limit=1000"):
        return self.read(f"/api/audit/entity/{entity}?{query}")

    def words(self, entity, query="limit=1000"):
        return [item.get("eventType", item.get("changeType")) for item in self.page(entity, query)["items"]]

    def approved(self):
        """An entity that was created, written and approved: its id and its transactions."""
        self.prepare(FIRST, WORKFLOW)
        entity = self.created({"amount": 5})
        created = self.read(f"/api/entity/{entity}")["meta"]["transactionId"]
        return entity, [created, self.changed(entity, {"amount": 500}), self.changed(entity, {"amount": 400}, "APPROVE")]

    def test_events_come_newest_first(self):
        entity, transactions = self.approved()
        items = self.page(entity)["items"]
        self.assertEqual([item.get("eventType", item.get("changeType")) for item in items], [
            "UPDATE", "STATE_MACHINE_FINISH", "TRANSITION_MAKE", "STATE_MACHINE_START",
            "UPDATE", "STATE_MACHINE_FINISH", "TRANSITION_MAKE", "STATE_MACHINE_START",
            "CREATE", "STATE_MACHINE_FINISH", "TRANSITION_NOT_MATCH_CRITERION", "WORKFLOW_FOUND", "WORKFLOW_SKIP", "STATE_MACHINE_START"])
        self.assertEqual([item["transactionId"] for item in items[::4][:3]], transactions[::-1])
        self.assertEqual({item["entityId"] for item in items}, {entity})
        self.assertEqual([item["state"] for item in items[1:4]], ["PAID", "LARGE", "LARGE"])
        self.assertEqual(items[-2]["data"], {"workflowName": "huge", "reason": "criterion did not match"})
        times = [item["microsTime"] for item in items]
        self.assertEqual(times, sorted(times, reverse=True))

    def test_filters_choose_events(self):
        entity, transactions = self.approved()
        self.assertEqual(self.words(entity, "eventType=EntityChange"), ["UPDATE", "UPDATE", "CREATE"])
        self.assertEqual(len(self.words(entity, "eventType=EntityChange&eventType=StateMachine")), 14)
        self.assertEqual(self.words(entity, "eventType=System"), [])
        self.assertEqual(self.words(entity, f"transactionId={transactions[2]}&eventType=StateMachine"),
                         ["STATE_MACHINE_FINISH", "TRANSITION_MAKE", "STATE_MACHINE_START"])
        self.assertEqual(self.words(entity, "severity=WARN"), [])
        self.assertEqual(len(self.words(entity, "severity=INFO")), 14)
        times = sorted({item["utcTime"] for item in self.page(entity)["items"]})
        inside = self.page(entity, f"limit=1000&fromUtcTime={times[0]}&toUtcTime={times[-1]}")["items"]
        self.assertEqual({item["utcTime"] for item in inside}, set(times[:-1]))
        self.assertEqual(self.words(entity, "fromUtcTime=2999-01-01T00:00:00Z"), [])

    def test_pages_stay_where_they_are_while_events_come(self):
        entity, _ = self.approved()
        whole = self.page(entity)["items"]
        seen, cursor = [], ""
        while True:
            page = self.page(entity, f"limit=3{cursor}")
            seen += page["items"]
            if not page["pagination"]["hasNext"]:
                break
            cursor = "&cursor=" + page["pagination"]["nextCursor"]
            self.changed(entity, {"amount": len(seen)})  # An offset would show the same events again.
        self.assertEqual(seen, whole)
        self.assertEqual(len(self.words(entity, "")), 20)

    def test_a_page_knows_whether_another_one_follows(self):
        entity, _ = self.approved()
        self.assertEqual(self.page(entity, "limit=14")["pagination"], {"hasNext": False})
        page = self.page(entity, "limit=13")["pagination"]
        self.assertEqual(self.words(entity, "cursor=" + page["nextCursor"]), ["STATE_MACHINE_START"])
        made_up = "-".join([page["nextCursor"].split("-")[0], "1", "999999"])
        self.assertEqual(self.words(entity, "cursor=" + made_up), ["STATE_MACHINE_START"])

    def test_changes_are_told_as_they_were_and_as_they_are(self):
        self.prepare()
        entity = self.created({"amount": 5, "customer": "Ada"})
        self.changed(entity, {"amount": 6, "customer": "Ada"})
        self.changed(entity, {"amount": 6})
        self.changed(entity, {"amount": 6})
        self.written(self.delete(f"/api/entity/{entity}"))
        want = [{"before": {"amount": 6}}, {"before": {}, "after": {}}, {"before": {"customer": "Ada"}, "after": {}},
                {"before": {"amount": 5}, "after": {"amount": 6}}, {"after": {"amount": 5, "customer": "Ada"}}]
        self.assertEqual([item["changes"] for item in self.page(entity, "eventType=EntityChange")["items"]], want)
        self.assertTrue(all("changes" not in item for item in self.page(entity, "eventType=StateMachine&limit=100")["items"]))

    def test_a_page_of_large_changes_ends_before(self):
        self.prepare()
        entity = self.created({"customer": "x" * 600000})
        for n in range(9):
            self.changed(entity, {"customer": f"{n}" * 600000})
        seen, cursor, pages = [], "", 0
        while True:
            page = self.page(entity, f"eventType=EntityChange&limit=100{cursor}")
            seen += page["items"]
            pages += 1
            if not page["pagination"]["hasNext"]:
                break
            cursor = "&cursor=" + page["pagination"]["nextCursor"]
        self.assertGreater(pages, 1)
        self.assertEqual([item["changes"]["after"]["customer"][0] for item in seen], [*"876543210", "x"])

    def test_reads_leave_no_events(self):
        entity, _ = self.approved()
        before = self.page(entity)
        for path in (f"/api/entity/{entity}/transitions", f"/api/entity/{entity}", f"/api/audit/entity/{entity}",
                     f"/api/platform-api/entity/fetch/transitions?entityClass={self.model}.1&entityId={entity}"):
            self.get(path)
        self.assertEqual(self.page(entity), before)

    def test_refused_work_leaves_no_events(self):
        self.prepare(ASKING)
        entity = self.created({"amount": 5})
        before = self.page(entity)
        self.assertEqual(self.put(f"/api/entity/JSON/{entity}/GO", {"amount": 6}).status, 503)  # No calculation node is there.
        self.assert_code(self.put(f"/api/entity/JSON/{entity}/NO", {"amount": 6}), 404, "TRANSITION_NOT_FOUND")
        self.assert_code(self.client.request("PUT", f"/api/entity/JSON/{entity}", {"amount": 6}, {"If-Match": NIL}), 412, "ENTITY_MODIFIED")
        self.assertEqual(self.page(entity), before)
        self.assertEqual(self.read(f"/api/entity/{entity}")["data"], {"amount": 5})

    def test_events_of_older_versions_are_told_as_they_were(self):
        self.prepare({"name": "w", "initialState": "A", "states": {
            "A": {"transitions": [{"name": "OLD", "next": "B", "criterion": above(100)}, by_hand("GO", "B")]}, "B": {}}})
        entity = self.created({"amount": 5})
        before = self.page(entity)["items"]
        self.import_workflows({"name": "w", "initialState": "N", "states": {
            "N": {}, "A": {"transitions": [{"name": "NEW", "next": "N", "criterion": above(100)}]}}}, mode="REPLACE")
        self.changed(entity, {"amount": 6})
        after = self.page(entity)["items"]
        self.assertEqual(after[-len(before):], before)
        self.assertEqual([i["data"]["transition"] for i in after if i.get("eventType") == "TRANSITION_NOT_MATCH_CRITERION"], ["NEW", "OLD"])

    def test_a_deleted_entity_is_audited(self):
        entity, _ = self.approved()
        gone = self.written(self.delete(f"/api/entity/{entity}"))["transactionId"]
        newest = self.page(entity, "limit=1")["items"][0]
        self.assertEqual((newest["changeType"], newest["transactionId"], newest["system"]), ("DELETE", gone, False))

    def test_the_end_of_a_transaction_is_found(self):
        entity, transactions = self.approved()
        for transaction, state in zip(transactions, ("NEW", "LARGE", "PAID")):
            event = self.read(f"/api/audit/entity/{entity}/workflow/{transaction}/finished")
            self.assertEqual((event["eventType"], event["state"], event["data"]), ("STATE_MACHINE_FINISH", state, {"success": True}))
        self.assert_code(self.get(f"/api/audit/entity/{entity}/workflow/{NIL}/finished"), 404, "ENTITY_NOT_FOUND")
        self.assert_code(self.get(f"/api/audit/entity/{NIL}/workflow/{NIL}/finished"), 404, "ENTITY_NOT_FOUND")

    def test_scheduled_transitions_are_told(self):
        soon = {"name": "EXPIRE", "next": "OLD", "schedule": {"delayMs": 1}}
        self.prepare({"name": "w", "initialState": "NEW", "states": {"NEW": {"transitions": [soon]}, "OLD": {}}})
        entity = self.created({"amount": 5})
        self.until(lambda: self.read(f"/api/entity/{entity}")["meta"]["state"] == "OLD")
        items = self.page(entity)["items"]
        self.assertEqual([item.get("eventType", item.get("changeType")) for item in items[:6]],
                         ["UPDATE", "SCHEDULED_TRANSITION_FIRE", "STATE_MACHINE_FINISH", "TRANSITION_MAKE", "STATE_MACHINE_START", "CREATE"])
        self.assertEqual((items[0]["system"], items[0]["actor"]["id"]), (True, "timer"))
        self.assertEqual((items[1]["state"], items[1]["data"]["transition"], items[1]["data"]["sourceState"]), ("OLD", "EXPIRE", "NEW"))

    def test_a_schedule_that_is_called_off_is_told_by_its_own_name(self):
        def later(name):
            return {"name": name, "next": "OLD", "schedule": {"delayMs": 3600000}}

        def workflow(*names):
            return {"name": "w", "initialState": "NEW", "states": {"NEW": {"transitions": [later(name) for name in names]}, "OLD": {}}}
        self.prepare(workflow("FIRST", "SECOND"))
        entity = self.created({"amount": 5})
        self.import_workflows(workflow("OTHER", "ANOTHER", "FIRST"))
        self.changed(entity, {"amount": 6})  # Goes on with the newer version, whose timers are others.
        told = {}
        for item in self.page(entity, "limit=100&eventType=StateMachine")["items"]:
            told.setdefault(item["eventType"], []).append((item.get("data") or {}).get("transition"))
        self.assertEqual(told["SCHEDULED_TRANSITION_CANCEL"], ["SECOND"])  # The other one is armed again.
        self.assertEqual(told["SCHEDULED_TRANSITION_ARM"], ["FIRST", "ANOTHER", "OTHER", "SECOND", "FIRST"])

    def test_a_long_history_is_read_in_parts(self):
        self.prepare()
        entity = self.created({"amount": 0})
        for n in range(100):  # More than are read at once.
            self.changed(entity, {"amount": n})
        self.assertEqual(self.words(entity, "limit=1000&eventType=EntityChange"), ["UPDATE"] * 100 + ["CREATE"])

    def test_what_is_wrong_with_a_question_is_said(self):
        entity, _ = self.approved()
        for query in ("limit=0", "limit=1001", "limit=x", "eventType=Other", "severity=LOUD", "fromUtcTime=x", "toUtcTime=1",
                      "transactionId=x", "cursor=x", "cursor=1-2", "cursor=0-1-1", "cursor=1-2-3-4", "cursor=4294967296-1-1"):
            self.assert_code(self.get(f"/api/audit/entity/{entity}?{query}"), 400, "BAD_REQUEST")
        self.assert_code(self.get(f"/api/audit/entity/{NIL}"), 404, "ENTITY_NOT_FOUND")
        self.assert_code(self.get("/api/audit/entity/x"), 400, "BAD_REQUEST")


if __name__ == "__main__":
    main()
