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

    def test_a_dry_run_tells_how_documents_differ(self):
        """changes"""
        name = self.fresh("differs")
        self.apply([("a.json", steps(name, "A", person("t", "end")))])
        self.start(name), self.apply([("a.json", steps(name, "B", person("t", "end")))]), self.start(name)
        told = self.apply([("a.json", steps(name, "C", person("u", "end")))], query="?dryRun=true&changes=true")["results"][0]
        self.assertEqual([(c["path"], c["change"]) for c in told["changes"]], [("name", "changed"), ("steps[t]", "removed"), ("steps[u]", "added")])
        self.assertEqual((told["changes"][0]["from"], told["changes"][0]["to"]), ('"B"', '"C"'))
        self.assertEqual((told["livingRuns"], told["runs"]), (2, [{"version": 2, "count": 1}, {"version": 1, "count": 1}]))
        self.assertNotIn("changes", self.apply([("a.json", steps(name, "C"))], query="?dryRun=true")["results"][0], "Nobody has asked for them.")
        self.apply([("a.json", steps(name, "C"))], query="?changes=true", status=400)

    def test_what_is_expected_must_be_so(self):
        name = self.fresh("expected")
        def post(version, title):
            body = {"documents": [{"file": "a.json", "document": steps(name, title)}], "expected": {name: version}}
            return self.post("/api/apply", body)
        self.assertEqual(post(1, "A").status, 409)
        self.assertEqual((post(0, "A").status, post(1, "B").status), (200, 200))
        refused = post(1, "C")
        self.assertEqual(refused.status, 409)
        self.assertIn(f'the latest version of "{name}" is 2 and not 1: it was changed meanwhile', refused.json["message"])
        for wrong in ([], {name: -1}, {name: "1"}):
            self.assertEqual(self.post("/api/apply", {"prune": [name], "expected": wrong}).status, 400)

    def test_triggers_and_access_come_with_documents(self):
        """triggers, access: all of it, or nothing."""
        name, tenant = self.fresh("hooked"), self.fresh("t")
        hooked = {"dialect": "graph/1", "definitionId": name, "name": "Hook", "nodes": [{"id": "w", "type": "trigger_webhook", "config": {"path": "/" + name, "method": "POST"}}, {"id": "end", "type": "end"}], "edges": [{"from": "w", "to": "end"}]}
        def body(trigger="w", state="paused", **more):
            return {"documents": [{"file": "h.json", "document": hooked}], "triggers": [{"file": "t.json", "definition": name, "trigger": trigger, "state": state, **more}],
                    "access": {"file": {"tenants": [{"name": tenant, "label": "T"}]}}}
        def there():
            return self.get(f"/api/tenants/{tenant}").status == 200
        refused = self.post("/api/apply", body(trigger="nobody"))
        self.assertEqual((refused.status, refused.json["message"]), (404, f't.json: definition "{name}" has no trigger "nobody"'))
        self.assertFalse(self.there(name), "Nothing of it was applied.")
        self.assertFalse(there())
        self.assertEqual(self.post("/api/apply?dryRun=true", body(trigger="nobody")).status, 404)
        told = self.post("/api/apply?dryRun=true", body(reason="not yet"))
        self.assertEqual(told.status, 200, told.body)
        told = told.json
        self.assertEqual([(t["trigger"], t["state"], t["verdict"]) for t in told["triggers"]], [("w", "paused", "changed")])
        self.assertEqual([(a["kind"], a["name"], a["outcome"]) for a in told["access"]], [("tenant", tenant, "added")])
        self.assertFalse(self.there(name))
        self.assertEqual(self.post("/api/apply", body(reason="not yet")).status, 200)
        self.assertEqual([(t["state"], t["reason"]) for t in self.get(f"/api/triggers?definitionId={name}").json["items"]], [("paused", "not yet")])
        self.assertTrue(there())
        again = self.post("/api/apply?dryRun=true", body()).json
        self.assertEqual((again["results"][0]["verdict"], again["triggers"][0]["verdict"], again["access"][0]["outcome"]), ("unchanged", "unchanged", "same"))
        self.assertEqual(self.post("/api/apply", body(state="active")).json["triggers"][0]["verdict"], "changed")
        for wrong in (body(state="asleep"), body(state="active", reason="x"), {"triggers": [1]}, {"triggers": [{"definition": name}]}, {"triggers": {}}, {"access": 1}, {"access": {"file": {"cats": []}}},
                      {"triggers": [{"definition": name, "trigger": "w", "state": "paused", "other": 1}]}):
            self.assertEqual(self.post("/api/apply", wrong).status, 400, wrong)
        self.assertEqual(self.post("/api/apply", {"triggers": [{"definition": name, "trigger": "w", "state": "paused"}] * 2001}).status, 413)

    def test_a_model_that_changes_is_told(self):
        name = self.fresh("model")
        def document(level="TYPE", **sample):
            return {"entityName": name, "modelVersion": 1, "changeLevel": level, "sample": {"a": 1, **sample},
                    "workflows": [{"version": "1", "name": "w", "initialState": "N", "states": {"N": {}}}]}
        def verdict(document, query="?dryRun=true&changes=true"):
            return self.apply([("m.json", document)], query=query)["results"][0]
        self.assertEqual((verdict(document())["verdict"], verdict(document(), "")["verdict"], verdict(document())["verdict"], verdict(document(), "")["verdict"]), ("new", "new", "unchanged", "unchanged"))
        told = verdict(document("STRUCTURAL"))
        self.assertEqual((told["verdict"], told["changes"]), ("changed", [{"path": "changeLevel", "change": "changed", "from": "TYPE", "to": "STRUCTURAL"}]))
        self.assertEqual((verdict(document("STRUCTURAL"), "")["verdict"], verdict(document("STRUCTURAL"))["verdict"]), ("changed", "unchanged"))
        self.assertIn("does not fit", self.apply([("m.json", document(b=1))], query="?dryRun=true", status=409)["message"], "It is said before anything is done.")
        exported = self.get(f"/api/model/export/SAMPLE_DATA/{name}/1").json
        self.assertEqual((exported["currentState"], exported["changeLevel"], exported["model"]), ("LOCKED", "STRUCTURAL", {"a": 1}))

    def test_a_circle_over_documents_that_come_together_is_warned_of(self):
        one, two = self.fresh("one"), self.fresh("two")
        def parent(name, child):
            return {"id": name, "name": name, "startsAt": "S", "states": [subflow("S", child)]}
        results = self.apply([("one.json", parent(one, two)), ("two.json", parent(two, one))], query="?dryRun=true")["results"]
        self.assertTrue(all(r["warnings"] for r in results), results)

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
