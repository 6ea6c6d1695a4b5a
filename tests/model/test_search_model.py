"""Searches against an independent reading of the contract: every condition on every entity, one by one.

Documents and conditions are those of condition_generate.py. Each condition is searched for with indexes and without,
and must find the entities for which the model says that it holds.

    PAWL_MODEL_SEEDS   how many generated models, with some entities and conditions each, per thousand (default 1000)
    PAWL_MODEL_FIRST   the first seed (default 1)
"""

import json
import os
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "api"))

from condition_generate import Generator, shown  # noqa: E402
from condition_model import Wrong, judge, parse  # noqa: E402
from harness import Case, main  # noqa: E402

SEEDS = max(1, int(os.environ.get("PAWL_MODEL_SEEDS", "1000")) // 350)
FIRST = int(os.environ.get("PAWL_MODEL_FIRST", "1"))
DOCUMENTS = 12
CONDITIONS = 40


class Model:
    """A model with entities of one generator."""

    def __init__(self, case, seed):
        self.case, self.generator = case, Generator(seed)
        self.choice = random.Random(seed)
        self.name = case.fresh("searched")
        self.documents = [self.generator.document(3) for _ in range(DOCUMENTS)]
        sample = {f"n{i}": i for i in range(2)}
        self.request("POST", f"/api/model/import/JSON/SAMPLE_DATA/{self.name}/1", "[" + ",".join(map(shown, [*self.documents, sample])) + "]")
        self.request("PUT", f"/api/model/{self.name}/1/lock")
        self.entities = {}

    def request(self, method, path, text=None):
        headers = {"Content-Type": "application/json"} if text else None
        answer = self.case.client.request(method, path, text.encode() if text else None, headers)
        self.case.assertEqual(answer.status, 200, answer.body)
        return answer

    def create(self):
        for document in self.documents:
            answer = self.request("POST", f"/api/entity/JSON/{self.name}/1", shown(document))
            self.read(answer.json[0]["entityIds"][0], document)

    def read(self, entity, document):
        meta = self.request("GET", f"/api/entity/{entity}").json["meta"]
        meta["previousTransition"] = meta["transitionForLatestSave"]
        self.entities[entity] = (parse(shown(document)), meta)

    def change(self):
        """Some entities get another document, and some are deleted."""
        for entity in list(self.entities):
            kind = self.choice.random()
            if kind < 0.2:
                self.request("DELETE", f"/api/entity/{entity}")
                del self.entities[entity]
            elif kind < 0.5:
                document = self.choice.choice(self.documents)
                self.request("PUT", f"/api/entity/JSON/{entity}", shown(document))
                self.read(entity, document)

    def index(self, count):
        """Indexes paths that lead somewhere in some document, and waits for them."""
        fields = []
        while len(fields) < count:
            path, _ = self.generator.path(self.choice.choice(self.documents))
            answer = self.case.client.request("PUT", f"/api/model/{self.name}/1/indexes", {"fields": fields + [path]})
            if answer.status == 200:
                fields.append(path)
        if not count:
            self.case.client.request("PUT", f"/api/model/{self.name}/1/indexes", {"fields": []})
        path = f"/api/model/{self.name}/1/indexes"
        self.case.until(lambda: all(i["state"] == "READY" for i in self.case.get(path).json["indexes"]))

    def search(self, condition):
        """The ids that are found, or the code of the refusal."""
        path = f"/api/search/direct/{self.name}/1"
        answer = self.case.client.request("POST", path, condition.encode(), {"Content-Type": "application/json"})
        if answer.status == 400:
            return answer.json["properties"]["errorCode"]
        self.case.assertEqual(answer.status, 200, answer.body)
        return [json.loads(line)["meta"]["id"] for line in answer.body.decode().splitlines()]

    def expected(self, condition):
        """The ids for which it holds; None if it is wrong."""
        try:
            return [entity for entity, (data, meta) in self.entities.items() if judge(parse(condition), data, meta)]
        except Wrong:
            return None

    def conditions(self):
        made = [self.generator.condition(self.choice.choice(self.documents), 3) for _ in range(CONDITIONS)]
        state = {"type": "lifecycle", "field": "state", "operatorType": "EQUALS", "value": "CREATED"}
        made.append({"type": "group", "operator": "AND", "conditions": [state, made[0]]})
        made.append({"type": "lifecycle", "field": "id", "operatorType": "EQUALS", "value": next(iter(self.entities))})
        return [shown(condition) for condition in made]


class Searched(Case):
    def compare(self, model):
        found = 0
        for condition in model.conditions():
            got, want = model.search(condition), model.expected(condition)
            if isinstance(got, str):
                # A path of which no document was a sample, or an operand that no value there can be compared with.
                self.assertTrue(want is None or got in ("INVALID_FIELD_PATH", "CONDITION_TYPE_MISMATCH"), (condition, got, want))
                continue
            self.assertEqual(got, want, condition)
            found += len(got)
        return found

    def test_a_search_finds_what_the_model_says(self):
        found = 0
        for seed in range(FIRST, FIRST + SEEDS):
            with self.subTest(seed=seed):
                model = Model(self, seed)
                model.index(0)
                model.create()
                found += self.compare(model)
                model.index(6)
                found += self.compare(model)
                model.change()
                found += self.compare(model)
        self.assertGreater(found, 100 * SEEDS)


if __name__ == "__main__":
    main()
