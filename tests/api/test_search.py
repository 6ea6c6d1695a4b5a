"""Indexed fields, unique keys and searches of entities."""

from harness import Case, main

SAMPLE = {"customer": "Ada", "amount": 12, "paid": True, "lines": [{"sku": "a", "count": 1}], "address": {"zip": "1"}}


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

    # ---- unique keys ----

    def test_unique_keys_refuse_what_is_there(self):
        self.sample()
        keys = [{"id": "by-customer", "fields": ["$.customer", "$.address.zip"]}]
        answer = self.put(self.path + "/unique-keys", {"uniqueKeys": keys})
        self.assertEqual((answer.status, answer.json), (200, {"uniqueKeys": keys}))
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
