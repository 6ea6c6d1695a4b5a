"""Entities in pages, in the past, and counted."""

from entities import NIL, SAMPLE, WORKFLOW, EntityCase, above
from harness import main


class Pages(EntityCase):
    def page(self, query=""):
        return self.read(f"/api/entity/{self.model}/1{query}")

    def amounts(self, query=""):
        return [entity["data"]["amount"] for entity in self.page(query)]

    def test_entities_are_listed_in_the_order_of_creation(self):
        self.prepare(WORKFLOW)
        self.assertEqual(self.page(), [])
        ids = self.created([{"amount": n} for n in range(90, 115)])
        self.assertEqual(self.amounts(), list(range(90, 110)))
        self.assertEqual(self.amounts("?pageNumber=1"), list(range(110, 115)))
        self.assertEqual(self.amounts("?pageSize=10&pageNumber=2"), list(range(110, 115)))
        self.assertEqual(self.amounts("?pageSize=10&pageNumber=3"), [])
        self.assertEqual(self.amounts("?pageSize=10000&pageNumber=2147483647"), [])
        shown = self.page("?pageSize=1&pageNumber=11")[0]
        self.assertEqual(shown, self.read(f"/api/entity/{ids[11]}"))
        self.assertEqual((shown["meta"]["state"], shown["meta"]["modelKey"]), ("LARGE", {"name": self.model, "version": 1}))

    def test_a_page_can_begin_after_an_entity(self):
        self.prepare(WORKFLOW)
        ids = self.created([{"amount": n} for n in range(7)])
        seen, after = [], NIL
        while True:
            page = self.page(f"?pageSize=3&after={after}")
            if not page:
                break
            seen += [entity["meta"]["id"] for entity in page]
            after = seen[-1]
        self.assertEqual(seen, ids)
        self.delete(f"/api/entity/{ids[3]}")  # Cursors of deleted entities go on working.
        self.assertEqual(self.amounts(f"?after={ids[3]}"), [4, 5, 6])

    def test_deleted_entities_and_those_of_other_models_are_not_listed(self):
        self.prepare(WORKFLOW)
        first, second, third = self.created([{"amount": n} for n in (1, 2, 3)])
        other, self.model = self.model, self.model + "0"  # Its name begins alike.
        self.prepare()
        self.created({"amount": 9})
        self.model = other
        self.delete(f"/api/entity/{second}")
        self.assertEqual(self.amounts(), [1, 3])
        self.changed(first, {"amount": 5}, "PAY")
        self.assertEqual(self.amounts(), [5, 3])

    def test_what_is_wrong_with_a_page_is_said(self):
        path = f"/api/entity/{self.model}/1"
        self.assert_code(self.get(path), 404, "MODEL_NOT_FOUND")
        self.prepare()
        for query in ("pageSize=0", "pageSize=10001", "pageSize=x", "pageNumber=-1", "pageNumber=2147483648",
                      "after=x", "after=" + "f" * 8 + NIL[8:], f"after={NIL}&pageNumber=1"):
            self.assert_code(self.get(f"{path}?{query}"), 400, "BAD_REQUEST")
        self.assert_code(self.get(f"/api/entity/{self.model}/x"), 400, "BAD_REQUEST")


class LargePages(EntityCase):
    arguments = ("--limit", "answer_bytes_max=65536")

    def test_a_page_that_is_too_large_is_refused_or_ends_before(self):
        self.prepare(sample={"text": "x"})
        ids = self.created([{"text": "x" * 10000} for _ in range(9)])
        path = f"/api/entity/{self.model}/1"
        self.assertEqual(len(self.read(f"{path}?pageSize=5")), 5)
        self.assertEqual(len(self.read(f"{path}?pageSize=5&pageNumber=1")), 4)
        self.assert_code(self.get(path), 413, "BAD_REQUEST")
        seen, after = [], NIL
        while len(seen) < len(ids):
            seen += [entity["meta"]["id"] for entity in self.read(f"{path}?after={after}")]
            after = seen[-1]
        self.assertEqual(seen, ids)


class Past(EntityCase):
    def versions(self):
        """An entity that was written three times: its id, and what was shown after each write."""
        self.prepare(WORKFLOW)
        entity = self.created({"amount": 5})
        shown = [self.read(f"/api/entity/{entity}")]
        for amount, transition in ((500, None), (400, "APPROVE")):
            self.wait_for_time(shown[-1]["meta"]["lastUpdateTime"])
            self.changed(entity, {"amount": amount}, transition)
            shown.append(self.read(f"/api/entity/{entity}"))
        return entity, shown

    def wait_for_time(self, time):
        """Until another write has a later time, which is told in milliseconds."""
        other = self.created({"amount": 1})
        while self.read(f"/api/entity/{other}")["meta"]["lastUpdateTime"] <= time:
            self.changed(other, {"amount": 1})

    def at(self, entity, time):
        return self.get(f"/api/entity/{entity}?pointInTime={time}")

    def test_an_entity_is_read_as_it_was_at_a_time(self):
        entity, shown = self.versions()
        times = [version["meta"]["lastUpdateTime"] for version in shown]
        for version, time in zip(shown, times):
            self.assertEqual(self.at(entity, time).json, version)
            self.assertEqual(self.at(entity, time[:-4] + "999999Z").json, version)  # Nine digits.
        self.assertEqual(self.at(entity, "2999-01-01T00:00:00%2B02:00").json, shown[2])
        self.assertEqual(self.at(entity, times[1][:-1] + "%2B00:00").json, shown[1])
        self.assert_code(self.at(entity, "2020-01-01T00:00:00Z"), 404, "ENTITY_NOT_FOUND")

    def test_an_entity_is_read_as_it_was_after_a_transaction(self):
        entity, shown = self.versions()
        path = f"/api/entity/{entity}?transactionId="
        for version in shown:
            self.assertEqual(self.read(path + version["meta"]["transactionId"]), version)
            self.assertEqual(self.read(path + version["meta"]["transactionId"].upper()), version)
        self.assert_code(self.get(path + NIL), 404, "ENTITY_NOT_FOUND")
        self.assert_code(self.get(path + "x"), 400, "BAD_REQUEST")

    def test_a_deleted_entity_can_be_read_as_it_was(self):
        entity, shown = self.versions()
        gone = self.written(self.delete(f"/api/entity/{entity}"))["transactionId"]
        self.assert_code(self.get(f"/api/entity/{entity}"), 404, "ENTITY_NOT_FOUND")
        self.assert_code(self.get(f"/api/entity/{entity}?transactionId={gone}"), 404, "ENTITY_NOT_FOUND")
        self.assert_code(self.at(entity, "2999-01-01T00:00:00Z"), 404, "ENTITY_NOT_FOUND")
        self.assertEqual(self.at(entity, shown[1]["meta"]["lastUpdateTime"]).json, shown[1])
        self.assertEqual(self.read(f"/api/entity/{entity}?transactionId={shown[2]['meta']['transactionId']}"), shown[2])
        changes = self.read(f"/api/entity/{entity}/changes")
        self.assertEqual([c["changeType"] for c in changes], ["DELETE", "UPDATE", "UPDATE", "CREATE"])
        self.assertEqual(changes[0]["transactionId"], gone)

    def test_a_long_past_is_read_in_parts(self):
        self.prepare()
        entity = self.created({"amount": 0})
        first = self.read(f"/api/entity/{entity}")
        for n in range(150):  # More than are read at once.
            self.changed(entity, {"amount": n})
        self.assertEqual(self.read(f"/api/entity/{entity}?transactionId={first['meta']['transactionId']}"), first)
        self.assertEqual(len(self.read(f"/api/entity/{entity}/changes")), 151)

    def test_what_is_wrong_with_a_question_about_the_past_is_said(self):
        entity, shown = self.versions()
        time, transaction = "2026-01-01T00:00:00Z", shown[0]["meta"]["transactionId"]
        self.assert_code(self.get(f"/api/entity/{entity}?pointInTime={time}&transactionId={transaction}"), 400, "BAD_REQUEST")
        for text in ("yesterday", "2026-13-01T00:00:00Z", "2026-01-01"):
            self.assert_code(self.at(entity, text), 400, "BAD_REQUEST")
        self.assert_code(self.at(NIL, time), 404, "ENTITY_NOT_FOUND")
        self.assert_code(self.get(f"/api/entity/{NIL}/changes"), 404, "ENTITY_NOT_FOUND")
        self.assert_code(self.get("/api/entity/x/changes"), 400, "BAD_REQUEST")

    def test_changes_name_who_made_them(self):
        self.prepare(WORKFLOW)
        entity = self.post(f"/api/entity/JSON/{self.model}/1", {"amount": 5}, {"X-Actor": "Ada"}).json[0]["entityIds"][0]
        transaction = self.changed(entity, {"amount": 6})
        newest, oldest = self.read(f"/api/entity/{entity}/changes")
        self.assertEqual((newest["changeType"], newest["user"], newest["transactionId"]), ("UPDATE", "", transaction))
        self.assertEqual((oldest["changeType"], oldest["user"]), ("CREATE", "Ada"))
        self.assertEqual(oldest["timeOfChange"], self.read(f"/api/entity/{entity}")["meta"]["creationDate"])

    def test_a_scheduled_transition_is_a_change(self):
        soon = {"name": "EXPIRE", "next": "OLD", "schedule": {"delayMs": 1}}
        self.prepare({"name": "w", "initialState": "NEW", "states": {"NEW": {"transitions": [soon]}, "OLD": {}}})
        entity = self.created({"amount": 5})
        self.until(lambda: len(self.read(f"/api/entity/{entity}/changes")) == 2)
        changes = self.read(f"/api/entity/{entity}/changes")
        meta = self.read(f"/api/entity/{entity}")["meta"]
        self.assertEqual((meta["state"], meta["transitionForLatestSave"]), ("OLD", "EXPIRE"))
        self.assertEqual((changes[0]["transactionId"], changes[0]["user"]), (meta["transactionId"], "timer"))
        before = self.read(f"/api/entity/{entity}?transactionId={changes[1]['transactionId']}")
        self.assertEqual(before["meta"]["state"], "NEW")


class Counts(EntityCase):
    def states(self, query=""):
        listed = self.read(f"/api/entity/stats/states/{self.model}/1{query}")
        self.assertEqual({(item["modelName"], item["modelVersion"]) for item in listed}, {(self.model, 1)} if listed else set())
        return {item["state"]: item["count"] for item in listed}

    def count(self):
        return self.read(f"/api/entity/stats/{self.model}/1")

    def test_entities_are_counted_by_model_and_state(self):
        self.prepare(WORKFLOW)
        self.assertEqual((self.count()["count"], self.states()), (0, {}))
        ids = self.created([{"amount": n} for n in (1, 2, 3, 500)])
        self.assertEqual(self.states(), {"NEW": 3, "LARGE": 1})
        self.changed(ids[0], {"amount": 9}, "PAY")
        self.delete(f"/api/entity/{ids[1]}")
        self.assertEqual(self.states(), {"NEW": 1, "LARGE": 1, "PAID": 1})
        self.assertEqual(self.count(), {"modelName": self.model, "modelVersion": 1, "count": 3})
        self.assertEqual(self.states("?states=NEW,PAID&states=OTHER"), {"NEW": 1, "PAID": 1})
        self.assertIn(self.count(), self.read("/api/entity/stats"))
        everywhere = [item for item in self.read("/api/entity/stats/states?states=LARGE") if item["modelName"] == self.model]
        self.assertEqual(everywhere, [{"modelName": self.model, "modelVersion": 1, "state": "LARGE", "count": 1}])

    def test_what_is_wrong_with_a_count_is_said(self):
        self.assert_code(self.get("/api/entity/stats/nothing/1"), 404, "MODEL_NOT_FOUND")
        self.assert_code(self.get("/api/entity/stats/states/nothing/1"), 404, "MODEL_NOT_FOUND")
        self.assert_code(self.get("/api/entity/stats/nothing/x"), 400, "BAD_REQUEST")
        self.prepare()
        names = ",".join(f"S{n}" for n in range(1000))
        self.assertEqual(self.states("?states=" + names), {})
        self.assert_code(self.get(f"/api/entity/stats/states/{self.model}/1?states={names},one"), 400, "BAD_REQUEST")


class Removal(EntityCase):
    def test_all_entities_of_a_model_are_deleted(self):
        self.prepare(WORKFLOW)
        ids = self.created([{"amount": n} for n in range(600)])  # More than one turn deletes.
        path = f"/api/entity/{self.model}/1"
        answer = self.written(self.delete(path, {"Idempotency-Key": self.model}))
        self.assertEqual(answer["deleteResult"], {"idToError": {}, "numberOfEntitites": 600, "numberOfEntititesRemoved": 600})
        self.assertEqual(self.read(path), [])
        self.assertEqual(self.read(f"/api/entity/stats/{self.model}/1")["count"], 0)
        self.assert_code(self.get(f"/api/entity/{ids[0]}"), 404, "ENTITY_NOT_FOUND")
        self.assertEqual(self.read(f"/api/entity/{ids[0]}/changes")[0]["changeType"], "DELETE")
        kept = self.created({"amount": 1})
        self.assertEqual(self.written(self.delete(path, {"Idempotency-Key": self.model})), answer)  # It was done before.
        self.assertEqual(self.read(f"/api/entity/{kept}")["meta"]["id"], kept)
        self.assertEqual(self.written(self.delete(path))["deleteResult"]["numberOfEntititesRemoved"], 1)

    def test_the_answer_names_those_that_were_deleted_if_asked(self):
        self.prepare(WORKFLOW)
        ids = self.created([{"amount": n} for n in range(300)])
        path, few = f"/api/entity/{self.model}/1?verbose=true", {"type": "simple", "jsonPath": "$.amount", "operatorType": "LESS_THAN", "value": 3}
        self.assertEqual(self.client.request("DELETE", path, few).json["ids"], ids[:3])
        self.assertEqual(self.client.request("DELETE", path, few).json["ids"], [])
        self.assertNotIn("ids", self.client.request("DELETE", path.replace("true", "false"), few).json)
        key = {"Idempotency-Key": self.model}
        answer = self.written(self.delete(path, key))
        self.assertEqual((answer["ids"][:97], len(set(answer["ids"]))), (ids[3:], 297))  # `ids` are those of the first chunk.
        self.assertEqual(self.written(self.delete(path, key)), answer)

    def removed(self, condition, query=""):
        answer = self.client.request("DELETE", f"/api/entity/{self.model}/1{query}", condition)
        self.assertEqual(answer.status, 200, answer.body)
        self.assertEqual(answer.json["deleteResult"]["idToError"], {})
        return answer.json["deleteResult"]["numberOfEntititesRemoved"]

    def test_entities_that_fit_a_condition_are_deleted(self):
        self.prepare(WORKFLOW)
        ids = self.created([{"amount": n} for n in range(600)])
        few = {"type": "simple", "jsonPath": "$.amount", "operatorType": "LESS_THAN", "value": 50}
        large = {"type": "lifecycle", "field": "state", "operatorType": "EQUALS", "value": "LARGE"}
        self.assertEqual((self.removed(few), self.removed(few)), (50, 0))
        self.assertEqual(self.read(f"/api/entity/stats/{self.model}/1")["count"], 550)
        self.assert_code(self.get(f"/api/entity/{ids[49]}"), 404, "ENTITY_NOT_FOUND")
        self.assertEqual(self.read(f"/api/entity/{ids[50]}")["data"], {"amount": 50})
        states = lambda: {item["state"]: item["count"] for item in self.read(f"/api/entity/stats/states/{self.model}/1")}
        before = states()
        self.assertEqual(self.removed(large), before.pop("LARGE"))
        self.assertEqual(states(), before)

    def test_entities_that_have_fitted_a_condition_are_deleted(self):
        self.prepare()
        ids = self.created([{"amount": n} for n in range(3)])
        before = self.read(f"/api/entity/{ids[2]}")["meta"]["lastUpdateTime"]
        self.until(lambda: self.changed_at(ids[0], {"amount": 9}) > before)  # The next millisecond has begun.
        young = self.created({"amount": 0})
        none = {"type": "simple", "jsonPath": "$.amount", "operatorType": "EQUALS", "value": 0}
        self.assertEqual(self.removed(none, f"?pointInTime={before}"), 1)
        self.assertEqual([e["meta"]["id"] for e in self.read(f"/api/entity/{self.model}/1")], [*ids[1:], young])
        self.assertEqual(self.removed(None, f"?pointInTime={before}"), 2)
        self.assertEqual([e["meta"]["id"] for e in self.read(f"/api/entity/{self.model}/1")], [young])

    def changed_at(self, entity, document):
        self.written(self.client.request("PUT", f"/api/entity/JSON/{entity}", document))
        return self.read(f"/api/entity/{entity}")["meta"]["lastUpdateTime"]

    def test_what_is_wrong_with_a_condition_is_said_before_anything_is_deleted(self):
        self.prepare()
        self.created({"amount": 1})
        path = f"/api/entity/{self.model}/1"
        for condition, code in (({}, "BAD_REQUEST"), ([], "BAD_REQUEST"), ({"type": "simple", "jsonPath": "$.no", "operatorType": "EQUALS", "value": 1}, "INVALID_FIELD_PATH"),
                                ({"type": "simple", "jsonPath": "$.amount", "operatorType": "EQUALS", "value": "x"}, "CONDITION_TYPE_MISMATCH"),
                                ({"type": "group", "operator": "OR", "conditions": [{"type": "lifecycle", "field": "state", "operatorType": "EQUALS", "value": "x" * 1000}] * 200}, "BAD_REQUEST")):
            self.assert_code(self.client.request("DELETE", path, condition), 400, code)
        self.assert_code(self.client.request("DELETE", path, b"{"), 400, "BAD_REQUEST")
        self.assert_code(self.client.request("DELETE", path + "?pointInTime=soon"), 400, "BAD_REQUEST")
        self.assert_code(self.client.request("DELETE", path + "?verbose=loud"), 400, "BAD_REQUEST")
        self.assertEqual(self.read(f"/api/entity/stats/{self.model}/1")["count"], 1)

    def test_a_model_that_is_not_there_has_none(self):
        self.assert_code(self.delete(f"/api/entity/{self.model}/1"), 404, "MODEL_NOT_FOUND")


class Groups(EntityCase):
    def ask(self, *by, **more):
        return self.post(f"/api/entity/stats/{self.model}/1/query", {"groupBy": list(by), **more})

    def groups(self, *by, **more):
        """Pairs of values and count, and the aggregations if there are any."""
        shown = self.written(self.ask(*by, **more))
        for group in shown:
            self.assertEqual([part["path"] for part in group["groupKey"]], list(by))
        return [(*(part["value"] for part in g["groupKey"]), g["count"], *([g["aggregations"]] if "aggregations" in g else [])) for g in shown]

    def test_entities_are_counted_in_groups(self):
        self.prepare(WORKFLOW, sample=[{**SAMPLE, "amount": 1.5, "address": {"zip": "1"}}, {**SAMPLE, "customer": 1, "amount": "x"}])
        self.created([{"customer": "Ada", "amount": 0.1}, {"customer": "Ada", "amount": 0.2}, {"customer": "Bob", "amount": 500}, {"customer": "42", "amount": "!"},
                      {"customer": 42, "address": {"zip": "9"}}, {}, {"customer": None}])
        self.assertEqual(self.groups("$.customer"), [(None, 2), ("42", 2), ("Ada", 2), ("Bob", 1)])
        self.assertEqual(self.groups("$.customer", limit=2), [(None, 2), ("42", 2)])
        self.assertEqual(self.groups("state", "$.customer", condition=above(100)), [("LARGE", "Bob", 1)])
        self.assertEqual(self.groups("$['address'].zip"), [(None, 6), ("9", 1)])
        self.assertEqual(self.groups("$.lines"), [(None, 7)])
        sums = [{"op": op, "field": "$.amount"} for op in ("sum", "avg", "min", "max", "stdev")]
        by_customer = {group[0]: group[2] for group in self.groups("$.customer", aggregations=[*sums, {**sums[0], "as": "total"}, sums[0]])}
        nothing = {f"{a['op']}_amount": None for a in sums}
        self.assertEqual(by_customer[None], {**nothing, "total": None})
        self.assertEqual(by_customer["42"], {**nothing, "total": None, "min_amount": "!", "max_amount": "!"})
        ada = by_customer["Ada"]
        self.assertEqual((ada["sum_amount"], ada["total"], ada["min_amount"], ada["max_amount"]), (0.3, 0.3, 0.1, 0.2))
        self.assertAlmostEqual(ada["avg_amount"], 0.15)
        self.assertAlmostEqual(ada["stdev_amount"], 0.0707106781)
        self.assertEqual((by_customer["Bob"]["max_amount"], by_customer["Bob"]["stdev_amount"]), (500, None))

    def test_groups_of_the_past(self):
        self.prepare()
        entity = self.created({"customer": "Ada"})
        before = self.entity(entity)["meta"]["creationDate"]
        self.until(lambda: self.changed(entity, {"customer": "Bob"}) and self.entity(entity)["meta"]["lastUpdateTime"] != before)
        self.assertEqual((self.groups("$.customer"), self.groups("$.customer", pointInTime=before)), ([("Bob", 1)], [("Ada", 1)]))

    def test_wrong_questions_about_groups_are_refused(self):
        self.prepare()
        sums = {"op": "sum", "field": "$.amount"}
        for code, by, more in (
                ("MISSING_GROUP_BY", [], {}), ("INVALID_GROUP_BY_PATH", ["customer"], {}), ("INVALID_GROUP_BY_PATH", ["$"], {}), ("INVALID_GROUP_BY_PATH", [""], {}),
                ("INVALID_GROUP_BY_PATH", ["$.lines[*].sku"], {}), ("INVALID_GROUP_BY_PATH", ["$.lines[0].sku"], {}), ("INVALID_GROUP_BY_PATH", [7], {}),
                ("INVALID_GROUP_BY_PATH", ["$.customer"] * 17, {}), ("DUPLICATE_GROUP_BY", ["$.customer", "$['customer']"], {}), ("DUPLICATE_GROUP_BY", ["state", "state"], {}),
                ("INVALID_FIELD_PATH", ["$.nothing"], {}), ("INVALID_AGGREGATION_OP", ["state"], {"aggregations": [{**sums, "op": "median"}]}),
                ("INVALID_AGGREGATION_FIELD", ["state"], {"aggregations": [{"op": "sum"}]}), ("INVALID_AGGREGATION_FIELD", ["state"], {"aggregations": [{**sums, "field": "$.lines[*].count"}]}),
                ("DUPLICATE_AGGREGATION_ALIAS", ["state"], {"aggregations": [{**sums, "as": "a"}, {"op": "avg", "field": "$.amount", "as": "a"}]}),
                ("BAD_REQUEST", ["state"], {"aggregations": [sums] * 17}), ("BAD_REQUEST", ["state"], {"aggregations": [{**sums, "of": 1}]}), ("BAD_REQUEST", ["state"], {"sort": "x"}),
                ("INVALID_LIMIT", ["state"], {"limit": 0}), ("INVALID_LIMIT", ["state"], {"limit": 10001}), ("INVALID_LIMIT", ["state"], {"limit": "5"}),
                ("INVALID_POINT_IN_TIME", ["state"], {"pointInTime": "yesterday"}), ("INVALID_FIELD_PATH", ["state"], {"condition": {**above(1), "jsonPath": "$.no"}})):
            self.assert_code(self.ask(*by, **more), 400, code)
        self.assert_code(self.post("/api/entity/stats/none/1/query", {"groupBy": ["state"]}), 404, "MODEL_NOT_FOUND")
        path = f"/api/entity/stats/{self.model}/1/query"
        self.assertEqual(self.post(path + "?pointInTime=2026-01-01T00:00:00Z", {"groupBy": ["state"]}).status, 400)
        self.assertEqual(self.post(path, {"groupBy": ["state"]}, {"X-Tx-Token": "x"}).status, 400)

    def test_the_number_of_groups_and_their_bytes_are_bounded(self):
        self.prepare()
        documents = [{"customer": f"c{n}", "amount": n} for n in range(10001)]
        self.written(self.post(f"/api/entity/JSON/{self.model}/1?transactionWindow=1000", documents[:10000]))
        self.assertEqual(len(self.groups("$.customer")), 10000)
        self.created(documents[10000])
        self.assert_code(self.ask("$.customer", limit=1), 422, "GROUP_CARDINALITY_EXCEEDED")
        self.assertEqual(self.groups("state", aggregations=[{"op": "max", "field": "$.customer"}, {"op": "sum", "field": "$.amount"}]),
                         [("CREATED", 10001, {"max_customer": "c9999", "sum_amount": 50005000})])
        later = [self.client.later(f"/api/entity/stats/{self.model}/1/query", {"groupBy": ["state"]}) for _ in range(30)]
        statuses = {finish().status for finish in later}
        self.assertLessEqual(statuses, {200, 503})  # More than eight at a time are refused,
        self.assertEqual(self.ask("state").status, 200)  # and all of them come to an end.
        long = {"aggregations": [{"op": "sum", "field": "$.amount", "as": f"{n:x>250}"} for n in range(10)]}
        self.assert_code(self.ask("$.customer", condition={**above(9000), "operatorType": "LESS_THAN"}, **long), 422, "GROUP_CARDINALITY_EXCEEDED")


if __name__ == "__main__":
    main()
