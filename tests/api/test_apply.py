"""Several documents are published together and definitions retired with them: all or none."""

import json

from harness import Case, main
from steps import end, person, service
from workflows import subflow

ITEMS_MAX = 500  # APPLY_ITEMS_MAX
FILE_BYTES_MAX = 1024  # APPLY_FILE_BYTES_MAX


def steps(name, title="A", *more):
    return {"id": name, "name": title, "steps": [*more, end()]}


class Apply(Case):
    def apply(self, documents=(), prune=(), query="", status=200, **headers):
        """`documents`: pairs of a file's name and a value or a text."""
        body = {"documents": [{"file": file, "text" if isinstance(value, str) else "document": value} for file, value in documents], "prune": list(prune)}
        answer = self.client.request("POST", f"/api/apply{query}", body, headers)
        self.assertEqual(answer.status, status, answer.body)
        return answer.json

    def verdicts(self, answer):
        return [(r["definitionId"], r["verdict"], r.get("version")) for r in answer["results"]]

    def there(self, name):
        return self.get(f"/api/workflows/{name}").status == 200

    def test_a_dry_run_tells_and_applying_does_it(self):
        """dryRun, revision, X-Actor"""
        new, changed, same, gone = (self.fresh(word) for word in ("new", "changed", "same", "gone"))
        for name in (changed, same, gone):
            self.assertEqual(self.post("/v1/definitions", steps(name, "A", person("t", "end"))).status, 201)
        self.start(changed), self.start(gone)
        documents = [("new.json", steps(new)), ("changed.json", steps(changed, "B")), ("same.json", steps(same, "A", person("t", "end")))]
        told = self.apply(documents, [gone], "?dryRun=true")
        self.assertEqual(self.verdicts(told), [(new, "new", None), (changed, "changed", 1), (same, "unchanged", 1), (gone, "retired", 1)])
        self.assertEqual([r.get("livingRuns") for r in told["results"]], [None, 1, None, 1])
        self.assertFalse(self.there(new), "A dry run changes nothing.")
        done = self.apply(documents, [gone], "?revision=4f2c1aa", **{"X-Actor": "ann"})
        self.assertEqual(self.verdicts(done), [(new, "new", 1), (changed, "changed", 2), (same, "unchanged", 1), (gone, "retired", 1)])
        shown = self.get(f"/api/workflows/{changed}").json
        self.assertEqual((shown["version"], shown["publishedBy"], shown["revision"]), (2, "ann", "4f2c1aa"))
        self.assertEqual(self.post("/v1/instances", {"definitionId": gone}).status, 409)
        again = self.apply(documents, [gone])
        self.assertEqual({r["verdict"] for r in again["results"]}, {"unchanged"}, "The second time nothing is left to do.")

    def test_older_texts_are_restored(self):
        name = self.fresh("old")
        for title in "AB":
            self.apply([("a.json", steps(name, title))])
        restored = self.apply([("a.json", steps(name, "A"))])["results"][0]
        self.assertEqual((restored["verdict"], restored["version"], restored["restores"]), ("restored", 3, 1))
        self.apply(prune=[name])
        self.assertEqual(self.apply([("a.json", steps(name, "A"))], query="?dryRun=true")["results"][0]["verdict"], "restored")
        self.assertEqual(self.verdicts(self.apply([("a.json", steps(name, "A"))])), [(name, "restored", 4)], "A retired definition is in use again.")

    def test_an_error_in_the_third_of_twelve_refuses_all(self):
        names = [self.fresh("many") for _ in range(12)]
        documents = [(f"{i}.json", steps(name)) for i, name in enumerate(names)]
        documents[2] = ("third.yaml", f"id: {names[2]}\nname: Third\nsteps:\n- {{id: a, name: A, type: SERVICE_TASK, nextStep: nowhere}}\n")
        documents[7] = ("eighth.json", "{")
        refused = self.apply(documents, status=400)
        self.assertIn("2 of 12 documents have errors; nothing was applied", refused["message"])
        self.assertEqual({p["file"] for p in refused["problems"]}, {"third.yaml", "eighth.json"}, "The problems of all files are told at once.")
        self.assertEqual({p["line"] for p in refused["problems"] if p["file"] == "third.yaml"}, {4}, "They have their lines.")
        self.assertEqual([n for n in names if self.there(n)], [])

    def test_a_refusal_behind_the_first_row_leaves_nothing(self):
        """The engine finds only when it publishes the second that two documents want one path."""
        def hooked(name, path):
            return {"dialect": "graph/1", "definitionId": name, "name": "Hook", "nodes": [{"id": "w", "type": "trigger_webhook", "config": {"path": path, "method": "POST"}}, {"id": "end", "type": "end"}], "edges": [{"from": "w", "to": "end"}]}
        first, second, path = self.fresh("first"), self.fresh("second"), "/" + self.fresh("path")
        refused = self.apply([("first.json", hooked(first, path)), ("second.json", hooked(second, path))], status=409)
        self.assertTrue(refused["message"].startswith("second.json: "), refused)
        self.assertEqual((self.there(first), self.there(second)), (False, False))
        self.assertEqual(self.verdicts(self.apply([("first.json", hooked(first, path))])), [(first, "new", 1)], "The path is free.")

    def test_one_definition_comes_once(self):
        name = self.fresh("twice")
        refused = self.apply([("a.json", steps(name)), ("b/c.yaml", json.dumps(steps(name, "B")))], status=400)
        self.assertIn(f'"a.json" and "b/c.yaml" are both of the definition "{name}"', refused["message"])
        self.assertIn("is named twice", self.apply([("a.json", steps(name))], [name], status=400)["message"])
        self.assertIn("is named twice", self.apply(prune=[name, name], status=400)["message"])
        self.assertFalse(self.there(name))
        self.assertEqual(self.apply([("a.json", steps(name))], ["nobody"], status=404)["message"], 'definition "nobody" not found')
        self.assertFalse(self.there(name))

    def test_documents_that_come_together_know_each_other(self):
        one, two, three = self.fresh("one"), self.fresh("two"), self.fresh("three")
        def parent(name, child):
            return {"id": name, "name": name, "startsAt": "S", "states": [subflow("S", child)]}
        results = self.apply([("one.json", parent(one, two)), ("two.json", parent(two, three))])["results"]
        self.assertEqual([r["uses"] for r in results], [[two], [three]])
        self.assertEqual([len(r["warnings"]) for r in results], [0, 1], "Nobody has uploaded the third.")

    def test_what_is_missing_is_told_with_its_document(self):
        name, job = self.fresh("needs"), self.fresh("job")
        result = self.apply([("needs.json", steps(name, "A", service("a", "end", job)))])["results"][0]
        self.assertEqual([(m["code"], m["name"]) for m in result["missing"]], [("MISSING_WORKER", job)])

    def test_a_request_has_bounds(self):
        name = self.fresh("many")
        self.apply([("a.json", steps(name))])
        prune = [f"{name}-{i}" for i in range(ITEMS_MAX)]
        self.apply([("a.json", steps(name))], prune, status=413)
        self.assertIn("not found", self.apply([("a.json", steps(name))], prune[1:], status=404)["message"], "As many as may be are looked at.")
        self.apply([("f" * FILE_BYTES_MAX, steps(name))])
        self.apply([("f" * (FILE_BYTES_MAX + 1), steps(name))], status=413)
        for body in ({}, {"documents": []}, {"documents": {}}, {"documents": [1]}, {"documents": [{"file": "a"}]}, {"documents": [{"text": "{}"}]}, {"documents": [{"file": "a", "text": "{}", "document": {}}]},
                     {"documents": [{"file": "a", "text": "{}", "format": "xml"}]}, {"prune": [""]}, {"prune": [1]}, {"prune": "a"}, {"prune": [name], "other": 1}, {"documents": [{"file": "a", "text": "{}", "other": 1}]}):
            with self.subTest(body=body):
                self.assertEqual(self.post("/api/apply", body).status, 400)
        self.assertEqual(self.post("/api/apply?dryRun=perhaps", {"prune": [name]}).status, 400)
        self.assertEqual(self.post("/api/apply?revision=" + "r" * 201, {"prune": [name]}).status, 400)
        self.assertEqual(self.post("/api/apply?revision=" + "r" * 200, {"prune": [name]}).status, 200)

    def test_a_definition_of_a_limit_can_be_many(self):
        names = [self.fresh(f"lot{i}") for i in range(ITEMS_MAX)]
        answer = self.apply([(f"{n}.json", steps(n)) for n in names])
        self.assertEqual({r["verdict"] for r in answer["results"]}, {"new"})
        self.assertEqual({r["verdict"] for r in self.apply(prune=names)["results"]}, {"retired"})


if __name__ == "__main__":
    main()
