"""What tests of models and entities share."""

from harness import Case

SAMPLE = {"customer": "Ada", "amount": 12, "lines": [{"sku": "a", "count": 1}]}
NIL = "00000000-0000-0000-0000-000000000000"


def by_hand(name, to, **more):
    return {"name": name, "next": to, "manual": True, **more}


def above(limit):
    return {"type": "simple", "jsonPath": "$.amount", "operatorType": "GREATER_THAN", "value": limit}


WORKFLOW = {
    "version": "1",
    "name": "sale",
    "initialState": "NEW",
    "states": {
        "NEW": {"transitions": [{"name": "CHECK", "next": "LARGE", "criterion": above(100)}, by_hand("PAY", "PAID")]},
        "LARGE": {"transitions": [by_hand("APPROVE", "PAID")]},
        "PAID": {},
    },
}


class EntityCase(Case):
    """A case with a model of its own."""

    def setUp(self):
        super().setUp()
        self.model = self.fresh("order")
        self.path = f"/api/model/{self.model}/1"

    def put(self, path, body=None, headers=None):
        return self.client.request("PUT", path, body, headers)

    def delete(self, path, headers=None):
        return self.client.request("DELETE", path, None, headers)

    def read(self, path):
        answer = self.get(path)
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json

    def sample(self, document=SAMPLE):
        return self.post(f"/api/model/import/JSON/SAMPLE_DATA/{self.model}/1", document)

    def import_workflows(self, *workflows, mode="MERGE"):
        answer = self.post(f"/api/model/{self.model}/1/workflow/import", {"importMode": mode, "workflows": list(workflows)})
        self.assertEqual(answer.status, 200, answer.body)

    def prepare(self, *workflows, sample=SAMPLE):
        self.assertEqual(self.sample(sample).status, 200)
        if workflows:
            self.import_workflows(*workflows)
        self.assertEqual(self.put(f"/api/model/{self.model}/1/lock").status, 200)

    def written(self, answer):
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json

    def create(self, document):
        return self.post(f"/api/entity/JSON/{self.model}/1", document)

    def created(self, document):
        """The id of a new entity, or of several."""
        ids = self.written(self.create(document))[0]["entityIds"]
        return ids if isinstance(document, list) else ids[0]

    def entity(self, entity):
        return self.get(f"/api/entity/{entity}").json

    def changed(self, entity, document, transition=None):
        """The transaction of a change."""
        path = f"/api/entity/JSON/{entity}" + (f"/{transition}" if transition else "")
        return self.written(self.put(path, document))["transactionId"]

    def assert_code(self, answer, status, code):
        self.assertEqual((answer.status, answer.json["properties"]["errorCode"]), (status, code), answer.body)
        self.assertTrue(answer.json["detail"].startswith(code + ": "), answer.body)
