"""Indexed fields, unique keys and searches of entities."""

import json
import socket
import struct

from harness import PATIENCE, Case, main

SAMPLE = {"customer": "Ada", "amount": 12, "paid": True, "lines": [{"sku": "a", "count": 1}], "address": {"zip": "1"}}


def simple(path, op, value=None):
    return {"type": "simple", "jsonPath": path, "operatorType": op, "value": value}


def lifecycle(field, op, value):
    return {"type": "lifecycle", "field": field, "operatorType": op, "value": value}


def group(op, *conditions):
    return {"type": "group", "operator": op, "conditions": list(conditions)}


class Searches(Case):
    def setUp(self):
        super().setUp()
        self.model = self.fresh("order")
        self.path = f"/api/model/{self.model}/1"

    def put(self, path, body=None, headers=None):
        return self.client.request("PUT", path, body, headers)

    def sample(self):
        self.assertEqual(self.post(f"/api/model/import/JSON/SAMPLE_DATA/{self.model}/1", SAMPLE).status, 200)

    def lock(self):
        self.assertEqual(self.put(self.path + "/lock").status, 200)

    def create(self, document):
        return self.post(f"/api/entity/JSON/{self.model}/1", document)

    def created(self, document):
        answer = self.create(document)
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json[0]["entityIds"]

    def index(self, *fields):
        answer = self.put(self.path + "/indexes", {"fields": list(fields)})
        self.assertEqual((answer.status, answer.json), (200, {"fields": list(fields)}), answer.body)

    def indexes(self):
        return {i["field"]: i["state"] for i in self.get(self.path + "/indexes").json["indexes"]}

    def wait_for_indexes(self):
        self.until(lambda: set(self.indexes().values()) <= {"READY"})

    def assert_code(self, answer, status, code):
        self.assertEqual((answer.status, answer.json["properties"]["errorCode"]), (status, code), answer.body)

    # ---- indexed fields ----

    def test_fields_are_indexed_before_and_after_there_are_entities(self):
        self.assert_code(self.put(self.path + "/indexes", {"fields": []}), 404, "MODEL_NOT_FOUND")
        self.assert_code(self.get(self.path + "/indexes"), 404, "MODEL_NOT_FOUND")
        self.sample()
        self.index("$.customer")
        self.assertEqual(self.indexes(), {"$.customer": "READY"})
        self.lock()
        self.created([{"customer": f"c{n}", "amount": n} for n in range(20)])
        self.index("$.amount", "$.lines[*].sku")
        self.wait_for_indexes()
        self.assertEqual(set(self.indexes()), {"$.amount", "$.lines[*].sku"})
        self.assert_code(self.put(self.path + "/indexes", {"fields": ["$.no"]}), 400, "INVALID_FIELD_PATH")
        self.assert_code(self.put(self.path + "/indexes", {}), 400, "BAD_REQUEST")

    # ---- searches ----

    def search(self, condition, **query):
        words = "&".join(f"{name}={value}" for name, value in query.items())
        return self.post(f"/api/search/direct/{self.model}/1?{words}", condition)

    def found(self, condition, **query):
        answer = self.search(condition, **query)
        self.assertEqual((answer.status, answer.type), (200, "application/x-ndjson"), answer.body)
        return [json.loads(line) for line in answer.body.decode().splitlines()]

    def amounts(self, condition, **query):
        return [entity["data"]["amount"] for entity in self.found(condition, **query)]

    def plan(self, condition):
        return self.search(condition, explain="true").json

    def prepare(self, *fields):
        self.sample()
        self.index(*fields)
        self.lock()
        return self.created([{"customer": f"c{n % 5}", "amount": n, "lines": [{"sku": "abc"[n % 3]}, {"sku": "z"}]} for n in range(30)])

    def test_what_is_found_is_what_a_read_shows(self):
        ids = self.prepare("$.customer", "$.lines[*].sku")
        self.assertEqual(self.found(simple("$.customer", "EQUALS", "c1"))[0], self.get(f"/api/entity/{ids[1]}").json)
        self.assertEqual(self.amounts(simple("$.customer", "EQUALS", "c1")), [1, 6, 11, 16, 21, 26])
        self.assertEqual(len(self.found(simple("$.lines[*].sku", "EQUALS", "z"))), 30)
        self.assertEqual(self.found(simple("$.customer", "EQUALS", "nobody")), [])
        self.assertEqual(self.amounts(lifecycle("id", "EQUALS", ids[7])), [7])
        self.assertEqual(len(self.found(lifecycle("state", "EQUALS", "CREATED"))), 30)
        self.assertEqual(self.client.request("DELETE", f"/api/entity/{ids[1]}").status, 200)
        self.assertEqual(self.put(f"/api/entity/JSON/{ids[6]}", {"customer": "new", "amount": 6}).status, 200)
        self.assertEqual(self.amounts(simple("$.customer", "EQUALS", "c1")), [11, 16, 21, 26])
        self.assertEqual(self.amounts(simple("$.customer", "STARTS_WITH", "n")), [6])

    def test_the_narrowest_index_is_used(self):
        self.prepare("$.customer", "$.amount")
        few, many = simple("$.amount", "BETWEEN", [3, 6]), simple("$.customer", "STARTS_WITH", "c")
        self.assertEqual(self.plan(group("AND", many, few)), {"scan": False, "uses": ["$.amount"], "candidates": 2, "more": False})
        self.assertEqual(self.amounts(group("AND", many, few)), [4, 5])
        either = group("OR", few, simple("$.customer", "EQUALS", "c0"))
        self.assertEqual((self.plan(either)["uses"], self.plan(either)["candidates"]), (["$.amount", "$.customer"], 7))
        self.assertEqual(self.amounts(either), [0, 4, 5, 10, 15, 20, 25])
        whole = self.plan(group("OR", few, simple("$.paid", "IS_NULL")))
        self.assertEqual((whole["scan"], whole["candidates"]), (True, 30))
        self.assertEqual(self.plan(lifecycle("state", "EQUALS", "CREATED"))["uses"], ["state"])
        self.assertEqual(self.plan(simple("$.customer", "CONTAINS", "c"))["scan"], True)
        self.assertEqual(self.plan(group("OR"))["candidates"], 0)
        self.assertEqual(len(self.found(group("AND"))), 30)

    def test_a_result_is_whole_or_refused(self):
        self.prepare("$.customer")
        one = simple("$.customer", "EQUALS", "c1")
        self.assertEqual(len(self.found(one, limit=6)), 6)
        self.assert_code(self.search(one, limit=5), 400, "SEARCH_RESULT_LIMIT")
        for limit in ("0", "10001", "many", "-1"):
            self.assert_code(self.search(one, limit=limit), 400, "BAD_REQUEST")

    def test_a_client_that_leaves_during_its_search(self):
        self.sample()
        self.lock()
        for _ in range(5):
            self.created([SAMPLE] * 1000)
        body = json.dumps(simple("$.amount", "LESS_THAN", -1)).encode()
        head = f"POST /api/search/direct/{self.model}/1 HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        for linger in (0, 1) * 10:
            with socket.create_connection(("127.0.0.1", self.server.port), PATIENCE) as client:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", linger, 0))  # 1: close() resets the connection.
                client.sendall(head + body)
        self.assertEqual(self.post(f"/api/search/direct/{self.model}/1", simple("$.amount", "LESS_THAN", -1)).status, 200)  # Behind all of them.

    def test_entities_are_sorted(self):
        self.prepare()
        high = simple("$.amount", "GREATER_THAN", 24)
        self.assertEqual(self.amounts(high, sort="$.amount:desc"), [29, 28, 27, 26, 25])
        self.assertEqual(self.amounts(high, sort="$.lines[*].sku,$.amount:desc"), [27, 28, 25, 29, 26])
        self.assertEqual(self.amounts(high, sort="@creationDate:asc,@id:desc")[-1:], [25])
        self.assert_code(self.search(high, sort="$.no"), 400, "INVALID_FIELD_PATH")
        self.created([{"amount": 101, "customer": "Zoe"}, {"amount": 102, "customer": None}, {"amount": 103}, {"amount": 104, "customer": "Bob"}])
        last = {"type": "simple", "jsonPath": "$.amount", "operatorType": "GREATER_THAN", "value": 100}
        self.assertEqual(self.amounts(last, sort="$.customer"), [104, 101, 102, 103])  # Missing values come last,
        self.assertEqual(self.amounts(last, sort="$.customer:desc"), [101, 104, 102, 103])  # in both directions.
        self.assert_code(self.search(high, sort="@owner"), 400, "BAD_REQUEST")
        self.assert_code(self.search(high, sort=",".join(["$.amount"] * 17)), 400, "BAD_REQUEST")

    def test_entities_are_found_as_they_were(self):
        ids = self.prepare("$.customer")
        one = simple("$.customer", "EQUALS", "c1")
        before = self.get(f"/api/entity/{ids[29]}").json["meta"]["lastUpdateTime"]
        self.until(lambda: self.now_of(ids[29]) > before)  # The next millisecond has begun.
        self.assertEqual(self.client.request("DELETE", f"/api/entity/{ids[1]}").status, 200)
        self.assertEqual(self.put(f"/api/entity/JSON/{ids[6]}", {"customer": "new", "amount": 6}).status, 200)
        self.assertEqual(self.amounts(one), [11, 16, 21, 26])
        self.assertEqual(self.amounts(one, pointInTime=before), [1, 6, 11, 16, 21, 26])
        self.assertEqual(self.amounts(one, pointInTime="2020-01-01T00:00:00Z"), [])
        self.assertEqual(self.search(one, pointInTime=before, explain="true").json["scan"], True)

    def now_of(self, entity):
        """The time of a write that has just been made."""
        document = self.get(f"/api/entity/{entity}").json["data"]
        self.assertEqual(self.put(f"/api/entity/JSON/{entity}", document).status, 200)
        return self.get(f"/api/entity/{entity}").json["meta"]["lastUpdateTime"]

    def test_bad_conditions_are_refused(self):
        self.assert_code(self.search(group("AND")), 404, "MODEL_NOT_FOUND")
        self.prepare()
        deep = group("AND")
        for _ in range(51):
            deep = group("AND", deep)
        function = {"type": "function", "function": {"name": "f"}}
        for condition, code in [
            (5, "BAD_REQUEST"),
            ({}, "BAD_REQUEST"),
            ({"type": "both"}, "BAD_REQUEST"),
            (simple("$.amount", "IS_CHANGED", 1), "BAD_REQUEST"),
            (deep, "BAD_REQUEST"),
            (function, "BAD_REQUEST"),
            (group("OR", function), "BAD_REQUEST"),
            (group("NOT", group("AND")), "BAD_REQUEST"),
            (simple("$.amount[", "EQUALS", 1), "BAD_REQUEST"),
            (simple("$.no", "EQUALS", 1), "INVALID_FIELD_PATH"),
            (simple("$.lines[*].no", "IS_NULL"), "INVALID_FIELD_PATH"),
            (simple("$.amount", "EQUALS", "many"), "CONDITION_TYPE_MISMATCH"),
            (simple("$.paid", "GREATER_THAN", True), "CONDITION_TYPE_MISMATCH"),
            (simple("$.address", "EQUALS", "x"), "CONDITION_TYPE_MISMATCH"),
            (simple("$.customer", "MATCHES_PATTERN", "a("), "INVALID_CONDITION"),
            (simple("$.amount", "BETWEEN", 5), "INVALID_CONDITION"),
            (lifecycle("creationDate", "LESS_THAN", "soon"), "INVALID_CONDITION"),
        ]:
            with self.subTest(condition=condition):
                self.assert_code(self.search(condition), 400, code)
        self.assertEqual(self.amounts(simple("$.amount", "EQUALS", "7")), [7])  # A text in the form of a number.
        self.assert_code(self.search(group("AND"), pointInTime="soon"), 400, "BAD_REQUEST")

    # ---- searches beside others ----

    def begin(self, condition, headers=None, query=""):
        answer = self.post(f"/api/search/async/{self.model}/1{query}", condition, headers)
        self.assertEqual(answer.status, 200, answer.body)
        return f"/api/search/async/{answer.json}"

    def ended(self, job):
        self.until(lambda: self.get(job + "/status").json["searchJobStatus"] != "RUNNING")
        return self.get(job + "/status").json

    def test_a_search_runs_beside_others_and_keeps_what_it_finds(self):
        ids = self.prepare("$.customer")
        job = self.begin(simple("$.amount", "GREATER_THAN", 9))
        status = self.ended(job)
        self.assertEqual((status["searchJobStatus"], status["entitiesCount"]), ("SUCCESSFUL", 20))
        self.assertGreater(status["expirationDate"], status["finishTime"])
        self.assertEqual(self.client.request("DELETE", f"/api/entity/{ids[11]}").status, 200)
        self.assertEqual(self.put(f"/api/entity/JSON/{ids[12]}", {"amount": 0}).status, 200)
        page = self.get(job + "?pageSize=8&pageNumber=0").json
        self.assertEqual(page["page"], {"number": 0, "size": 8, "totalElements": 20, "totalPages": 3})
        self.assertEqual([entity["data"]["amount"] for entity in page["content"]], [10, 0, 13, 14, 15, 16, 17])
        last = self.get(job + "?pageSize=8&pageNumber=2").json["content"]
        self.assertEqual([entity["data"]["amount"] for entity in last], [26, 27, 28, 29])
        self.assertEqual(self.get(job + "?pageSize=8&pageNumber=3").json["content"], [])
        self.assert_code(self.put(job + "/cancel"), 400, "SEARCH_JOB_ALREADY_TERMINAL")

    def test_a_search_beside_others_finds_and_shows_entities_as_they_were(self):
        ids = self.prepare("$.customer")
        before = self.get(f"/api/entity/{ids[29]}").json["meta"]["lastUpdateTime"]
        self.until(lambda: self.now_of(ids[29]) > before)  # The next millisecond has begun.
        self.assertEqual(self.client.request("DELETE", f"/api/entity/{ids[1]}").status, 200)
        self.assertEqual(self.put(f"/api/entity/JSON/{ids[6]}", {"customer": "new", "amount": 600}).status, 200)
        one = simple("$.customer", "EQUALS", "c1")
        job = self.begin(one, query=f"?pointInTime={before}")
        self.assertEqual(self.ended(job)["entitiesCount"], 6)
        self.assertEqual([e["data"]["amount"] for e in self.get(job + "?pageSize=4").json["content"]], [1, 6, 11, 16])
        self.assertEqual([e["meta"]["id"] for e in self.get(job + "?pageSize=4&pageNumber=1").json["content"]], [ids[21], ids[26]])
        self.assertEqual(self.ended(self.begin(one))["entitiesCount"], 4)
        self.assert_code(self.post(f"/api/search/async/{self.model}/1?pointInTime=soon", one), 400, "BAD_REQUEST")

    def test_a_search_begins_once_for_each_key(self):
        self.prepare()
        key = {"Idempotency-Key": self.fresh("key")}
        self.assertEqual(self.begin(group("AND"), key), self.begin(group("AND"), key))

    def test_searches_that_do_not_exist_and_bad_ones_are_refused(self):
        nobody = "/api/search/async/00000000-0000-4000-8000-000000000000"
        for path in (nobody, nobody + "/status", "/api/search/async/x/status"):
            self.assert_code(self.get(path), 404, "SEARCH_JOB_NOT_FOUND")
        self.assert_code(self.put(nobody + "/cancel"), 404, "SEARCH_JOB_NOT_FOUND")
        self.assert_code(self.post(f"/api/search/async/{self.model}/1", group("AND")), 404, "MODEL_NOT_FOUND")
        self.prepare()
        for condition, code in [({}, "BAD_REQUEST"), (simple("$.no", "EQUALS", 1), "INVALID_FIELD_PATH")]:
            self.assert_code(self.post(f"/api/search/async/{self.model}/1", condition), 400, code)
        long = group("OR", *[simple("$.customer", "EQUALS", "x" * 1000)] * 200)
        self.assert_code(self.post(f"/api/search/async/{self.model}/1", long), 400, "BAD_REQUEST")
        job = self.begin(group("AND"))
        self.ended(job)
        for query in ("pageSize=0", "pageSize=10001", "pageNumber=-1"):
            self.assert_code(self.get(f"{job}?{query}"), 400, "BAD_REQUEST")

    # ---- by pages ----

    def page(self, condition=None, query=""):
        answer = self.post(f"/api/search/page/{self.model}/1?{query}", condition)
        self.assertEqual(answer.status, 200, answer.body)
        return [item["data"]["amount"] for item in answer.json["items"]], answer.json.get("nextCursor")

    def pages(self, condition=None, size=3):
        found, cursor, count = [], None, 0
        while count == 0 or cursor:
            amounts, cursor = self.page(condition, f"pageSize={size}" + (f"&cursor={cursor}" if cursor else ""))
            self.assertLessEqual(len(amounts), size)
            found += amounts
            count += 1
        return found

    def test_pages_are_newest_first_whatever_leads_to_the_entities(self):
        self.sample()
        self.lock()
        ids = []
        for amount in range(10):
            ids += self.created({"amount": amount, "customer": "Ada" if amount % 2 else "Bob", "paid": amount < 5})
        self.assertEqual(self.pages(), list(range(9, -1, -1)))
        state = self.get(f"/api/entity/{ids[0]}").json["meta"]["state"]
        self.assertEqual(self.pages(lifecycle("state", "EQUALS", state)), list(range(9, -1, -1)))
        self.assertEqual(self.pages(lifecycle("state", "EQUALS", "NO_SUCH")), [])
        both = group("AND", lifecycle("state", "EQUALS", state), simple("$.customer", "EQUALS", "Ada"))
        self.assertEqual(self.pages(both), [9, 7, 5, 3, 1])
        self.assertEqual(self.pages(lifecycle("id", "EQUALS", ids[4])), [4])
        self.assertEqual(self.pages(lifecycle("id", "EQUALS", "nobody")), [])
        self.index("$.customer")
        self.wait_for_indexes()
        for size in (1, 2, 5, 6):
            self.assertEqual(self.pages(simple("$.customer", "EQUALS", "Bob"), size), [8, 6, 4, 2, 0])
            any_of = group("OR", *(simple("$.customer", "EQUALS", name) for name in ("Bob", "Ada")))
            self.assertEqual(self.pages(any_of, size), list(range(9, -1, -1)))
        first, cursor = self.page(None, "pageSize=4")
        self.assertEqual(first, [9, 8, 7, 6])
        self.created({"amount": 10})
        self.assertEqual(self.client.request("DELETE", f"/api/entity/{ids[5]}").status, 200)
        self.assertEqual(self.page(None, f"pageSize=2&cursor={cursor}")[0], [4, 3])

    def test_bad_pages_are_refused(self):
        self.sample()
        path = f"/api/search/page/{self.model}/1"
        for query in ("pageSize=0", "pageSize=201", "pageSize=x", "cursor=x", "cursor=-1"):
            self.assert_code(self.post(f"{path}?{query}", None), 400, "BAD_REQUEST")
        self.assert_code(self.post(path, simple("$.no", "EQUALS", 1)), 400, "INVALID_FIELD_PATH")
        self.assert_code(self.post("/api/search/page/nobody/1", None), 404, "MODEL_NOT_FOUND")

    # ---- unique keys ----

    def test_unique_keys_refuse_what_is_there(self):
        self.sample()
        keys = [{"id": "by-customer", "fields": ["$.customer", "$.address.zip"]}]
        answer = self.put(self.path + "/unique-keys", {"uniqueKeys": keys})
        self.assertEqual((answer.status, answer.json), (200, {"uniqueKeys": keys}))
        self.assertEqual(self.get(self.path + "/unique-keys").json, {"uniqueKeys": keys})
        for view in ("SIMPLE_VIEW", "JSON_SCHEMA"):
            exported = self.get(f"/api/model/export/{view}/{self.model}/1").json
            self.assertEqual(exported["uniqueKeys"], keys)
        self.assertEqual(self.put(self.path + "/unique-keys", exported).status, 200)  # An export can be given back as it is.
        self.assertEqual(self.get(self.path + "/unique-keys").json, {"uniqueKeys": keys})
        bad = {"uniqueKeys": [{"id": "k", "fields": ["$.lines"]}]}
        self.assert_code(self.put(self.path + "/unique-keys", bad), 422, "INVALID_UNIQUE_KEY_DEFINITION")
        self.lock()
        self.assert_code(self.put(self.path + "/unique-keys", {"uniqueKeys": []}), 409, "MODEL_ALREADY_LOCKED")
        one = {"customer": "Ada", "address": {"zip": "1"}}
        (first,) = self.created(one)
        clash = self.create(one)
        self.assert_code(clash, 409, "UNIQUE_VIOLATION")
        self.assertNotIn("retryable", clash.json["properties"])
        self.assert_code(self.create({"customer": "Ada"}), 422, "INVALID_UNIQUE_KEY")
        self.created({"amount": 1})
        self.created({"amount": 1})
        self.assertEqual(self.client.request("DELETE", f"/api/entity/{first}").status, 200)
        self.created(one)


if __name__ == "__main__":
    main()
