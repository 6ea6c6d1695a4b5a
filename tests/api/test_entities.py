"""Models and entities: samples, workflows, documents, transitions."""

import json

from entities import EntityCase, SAMPLE, WORKFLOW, by_hand
from harness import Answer, check, main


class Entities(EntityCase):
    # ---- models ----

    def test_names_of_models_have_no_control_characters(self):
        for name in ("a%00b", "%1f", "%7f", "%ff"):
            self.assertEqual(self.post(f"/api/model/import/JSON/SAMPLE_DATA/{name}/1", {"n": 1}).status, 400, name)

    def test_a_model_is_imported_locked_and_exported(self):
        self.assertEqual(len(self.sample().json), 36)
        listed = [m for m in self.get("/api/model/").json if m["modelName"] == self.model]
        self.assertEqual([(m["modelVersion"], m["currentState"]) for m in listed], [(1, "UNLOCKED")])
        self.assertEqual(self.put(self.path + "/lock").json["modelKey"], {"name": self.model, "version": 1})
        self.assert_code(self.put(self.path + "/lock"), 409, "MODEL_ALREADY_LOCKED")
        self.assert_code(self.sample(), 409, "MODEL_ALREADY_LOCKED")
        view = self.get(f"/api/model/export/SIMPLE_VIEW/{self.model}/1").json
        self.assertEqual((view["currentState"], view["model"]["$"][".customer"]), ("LOCKED", "STRING"))
        schema = self.get(f"/api/model/export/JSON_SCHEMA/{self.model}/1").json["model"]
        self.assertIn("object", schema["type"])
        fits = self.post(f"/api/model/validate/{self.model}/1", {"amount": "twelve"}).json
        self.assertFalse(fits["success"])
        self.assertEqual(self.put(self.path + "/unlock").status, 200)
        self.assertEqual(self.client.request("DELETE", self.path).status, 200)
        self.assert_code(self.put(self.path + "/lock"), 404, "MODEL_NOT_FOUND")

    def test_every_model_is_listed_once(self):
        names = [f"{self.model}-{n}" for n in range(9)]  # More than are read at once.
        for name in names:
            self.assertEqual(self.post(f"/api/model/import/JSON/SAMPLE_DATA/{name}/1", SAMPLE).status, 200)
        listed = [m["modelName"] for m in self.get("/api/model").json if m["modelName"].startswith(self.model)]
        self.assertEqual(listed, names)

    def test_what_is_wrong_with_a_model_is_said(self):
        self.assert_code(self.post(f"/api/model/import/YAML/SAMPLE_DATA/{self.model}/1", {}), 400, "BAD_REQUEST")
        self.assert_code(self.post(f"/api/model/import/JSON/SAMPLE_DATA/{self.model}/x", {}), 400, "BAD_REQUEST")
        self.assert_code(self.post(self.path + "/workflow/import", {"workflows": []}), 404, "MODEL_NOT_FOUND")
        self.sample()
        self.assert_code(self.post(self.path + "/changeLevel/ANY"), 400, "INVALID_CHANGE_LEVEL")
        self.assert_code(self.create({"amount": 1}), 409, "MODEL_NOT_LOCKED")

    # ---- workflows ----

    def test_workflows_come_back_as_they_are_stored(self):
        self.prepare(WORKFLOW)
        answer = self.get(self.path + "/workflow/export").json
        self.assertEqual((answer["entityName"], answer["modelVersion"]), (self.model, 1))
        exported = answer["workflows"][0]
        self.assertEqual((exported["active"], list(exported["states"])), (True, ["LARGE", "NEW", "PAID"]))
        self.assertEqual(exported["states"]["PAID"], {})

    def test_all_problems_of_workflows_are_told_and_nothing_is_stored(self):
        self.sample()
        bad = {"name": "w", "initialState": "A", "states": {"B": {"transitions": [{"name": "X", "next": "C"}]}}}
        answer = self.post(self.path + "/workflow/import", {"workflows": [bad]})
        self.assert_code(answer, 400, "VALIDATION_FAILED")
        self.assertEqual(len(answer.json["problems"]), 2)
        self.assert_code(self.get(self.path + "/workflow/export"), 404, "WORKFLOW_NOT_FOUND")
        circle = {"name": "w", "initialState": "A", "states": {"A": {"transitions": [{"name": "X", "next": "A"}]}}}
        self.assert_code(self.post(self.path + "/workflow/import", {"workflows": [circle]}), 400, "VALIDATION_FAILED")
        self.assert_code(self.post(self.path + "/workflow/import", {"importMode": "ADD", "workflows": []}), 400, "BAD_REQUEST")

    def test_circles_are_imported_if_they_are_allowed(self):
        self.sample()
        circle = {"name": "round", "initialState": "A", "states": {"A": {"transitions": [{"name": "X", "next": "B"}]}, "B": {"transitions": [{"name": "Y", "next": "A"}]}}}
        path = self.path + "/workflow/import"
        self.assert_code(self.post(path, {"workflows": [circle], "allowCycles": "yes"}), 400, "BAD_REQUEST")
        self.assert_code(self.post(path, {"workflows": [circle], "allowCycle": True}), 400, "BAD_REQUEST")
        self.assert_code(self.post(path, {"workflows": [{**circle, "initialState": "C"}], "allowCycles": True}), 400, "VALIDATION_FAILED")
        self.assertEqual(self.post(path, {"workflows": [circle], "allowCycles": True}).status, 200)
        self.import_workflows({**WORKFLOW, "name": "other"})  # What is stored stays allowed,
        exported = self.get(self.path + "/workflow/export").json["workflows"]
        self.assertEqual([workflow.get("allowCycles") for workflow in exported], [True, None])
        self.import_workflows(*exported, mode="REPLACE")  # and an export can be imported.
        self.put(self.path + "/lock")
        refusal = self.create({"amount": 1})
        self.assert_code(refusal, 400, "WORKFLOW_FAILED")
        self.assertIn("more than 10 times", refusal.json["detail"])

    def test_two_imports_at_once_lose_neither(self):
        self.sample()
        for name in ("a", "b"):
            self.assertEqual(self.post(self.path + "/workflow/import", {"workflows": [{**WORKFLOW, "name": name}]}).status, 200)
        names = [w["name"] for w in self.get(self.path + "/workflow/export").json["workflows"]]
        self.assertEqual(names, ["a", "b"])

    # ---- entities ----

    def test_an_entity_lives_by_its_workflow(self):
        self.prepare(WORKFLOW)
        entity = self.created({"customer": "Ada", "amount": 500})
        shown = self.entity(entity)
        self.assertEqual((shown["meta"]["state"], shown["meta"]["transitionForLatestSave"]), ("LARGE", "loopback"))
        self.assertEqual(shown["meta"]["modelKey"], {"name": self.model, "version": 1})
        self.assertEqual(self.get(f"/api/entity/{entity}/transitions").json, ["APPROVE"])
        self.assert_code(self.put(f"/api/entity/JSON/{entity}/PAY", shown["data"]), 404, "TRANSITION_NOT_FOUND")
        answer = self.put(f"/api/entity/JSON/{entity}/APPROVE", {**shown["data"], "amount": 400})
        self.assertEqual(answer.json["entityIds"], [entity])
        after = self.entity(entity)
        self.assertEqual((after["meta"]["state"], after["data"]["amount"]), ("PAID", 400))
        self.assertEqual(after["meta"]["transactionId"], answer.json["transactionId"])

    def test_new_data_lets_an_entity_go_on(self):
        self.prepare(WORKFLOW)
        entity = self.created({"amount": 5})
        self.assertEqual(self.entity(entity)["meta"]["state"], "NEW")
        self.assertEqual(self.put(f"/api/entity/JSON/{entity}", {"amount": 101}).status, 200)
        self.assertEqual(self.entity(entity)["meta"]["state"], "LARGE")

    def test_a_stale_write_is_refused(self):
        self.prepare(WORKFLOW)
        entity = self.created({"amount": 5})
        seen = self.entity(entity)["meta"]["transactionId"]
        self.assertEqual(self.put(f"/api/entity/JSON/{entity}", {"amount": 6}, {"If-Match": seen}).status, 200)
        self.assert_code(self.put(f"/api/entity/JSON/{entity}", {"amount": 7}, {"If-Match": seen}), 412, "ENTITY_MODIFIED")
        self.assertEqual(self.entity(entity)["data"], {"amount": 6})

    def test_documents_that_do_not_fit_change_nothing(self):
        self.prepare(WORKFLOW)
        self.assert_code(self.create({"amount": "five"}), 400, "INCOMPATIBLE_TYPE")
        self.assert_code(self.create({"colour": "red"}), 400, "BAD_REQUEST")
        self.assert_code(self.create([{"amount": 1}, {"colour": "red"}]), 400, "BAD_REQUEST")
        entity = self.created({"amount": 5})
        self.assert_code(self.put(f"/api/entity/JSON/{entity}/PAY", {"amount": True}), 400, "INCOMPATIBLE_TYPE")
        self.assertEqual(self.entity(entity)["meta"]["state"], "NEW")

    def test_several_entities_are_one_transaction(self):
        self.prepare()
        answer = self.create([{"amount": 1}, {"amount": 2}])
        self.assertEqual(len(answer.json[0]["entityIds"]), 2)
        transactions = {self.entity(e)["meta"]["transactionId"] for e in answer.json[0]["entityIds"]}
        self.assertEqual(transactions, {answer.json[0]["transactionId"]})

    def assert_details(self, answer, **details):
        shown = answer.json["properties"]
        self.assertEqual({name: shown.get(name) for name in details}, details, answer.body)

    def test_errors_say_what_they_are_about(self):
        self.prepare(WORKFLOW)
        about = {"entityName": self.model, "entityVersion": 1}
        entity = self.created({"amount": 5})
        gone = "74807f00-ed0d-11ee-a357-ae468cd3ed16"
        for path in (f"/api/entity/{gone}", f"/api/entity/{gone}/changes", f"/api/audit/entity/{gone}", f"/api/entity/{gone}?transactionId={gone}"):
            self.assert_details(self.get(path), entityId=gone)
        self.assert_details(self.put(f"/api/entity/JSON/{gone}", {}), entityId=gone)
        self.assert_details(self.put(f"/api/entity/JSON/{entity}", {}, {"If-Match": gone}), entityId=entity, errorCode="ENTITY_MODIFIED")
        self.assert_details(self.create({"lines": [{"sku": 7}]}), fieldPath="lines[0].sku", expectedType=["STRING"], actualType="INTEGER", **about)
        self.assert_details(self.create({"odd \"name": 1}), fieldPath="['odd \"name']", **about)
        self.assert_details(self.put(self.path + "/lock"), expectedState="UNLOCKED", actualState="LOCKED", **about)
        self.assert_details(self.put(self.path + "/unlock"), errorCode="MODEL_HAS_ENTITIES", entityCount=1, **about)
        self.assert_details(self.get("/api/entity/none/7"), errorCode="MODEL_NOT_FOUND", entityName="none", entityVersion=7)
        self.assert_details(self.post(self.path + "/changeLevel/ANY"), suppliedValue="ANY",
                            validValues=["ARRAY_LENGTH", "ARRAY_ELEMENTS", "TYPE", "STRUCTURAL"])
        self.assert_details(self.get("/api/entity/x"), parameter="entityId")
        self.assert_details(self.get("/api/entity/order/x"), parameter="modelVersion")
        far = self.create({"x" * 2000: 1})  # A detail that is too long is left out, and the others stay.
        self.assert_details(far, errorCode="BAD_REQUEST", fieldPath=None, **about)

    def test_paths_and_methods_under_api_that_nobody_has_are_problems(self):
        for method, path, status, code in (("GET", "/api/nothing", 404, "NOT_FOUND"), ("POST", "/api", 404, "NOT_FOUND"),
                                           ("GET", "/api/entity/a/b/c/d/e", 404, "NOT_FOUND"),
                                           ("DELETE", "/api/search/direct/a/1", 405, "METHOD_NOT_ALLOWED")):
            self.assert_code(self.client.request(method, path, {}), status, code)
        self.assertIn("POST", self.client.request("DELETE", "/api/search/direct/a/1").headers["Allow"])
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
            for path in ("/api/message", "/api/message/new/subject", "/api/message/17"):
                self.assert_code(self.client.request(method, path, {}), 501, "UNSUPPORTED")
        self.assertEqual(self.get("/apiary").type, "text/plain; charset=utf-8")

    def test_a_patch_of_an_unknown_type_is_refused(self):
        self.prepare()
        entity = self.created({"amount": 5})

        def patch(kind):
            return self.client.request("PATCH", f"/api/entity/JSON/{entity}", b'{"amount":6}', {"If-Match": "*", "Content-Type": kind})
        for kind in ("text/plain", "application/x-www-form-urlencoded", "application/xml"):
            self.assert_code(patch(kind), 415, "UNSUPPORTED_MEDIA_TYPE")
        self.assert_code(patch("application/json-patch+json"), 501, "NOT_IMPLEMENTED")
        self.assertEqual(self.entity(entity)["data"], {"amount": 5})
        for kind in ("application/merge-patch+json; charset=utf-8", "application/json"):
            self.assertEqual(patch(kind).status, 200)

    def test_a_deleted_entity_is_gone(self):
        self.prepare()
        entity = self.created({"amount": 1})
        answer = self.client.request("DELETE", f"/api/entity/{entity}")
        self.assertEqual((answer.status, answer.json["id"]), (200, entity))
        self.assert_code(self.get(f"/api/entity/{entity}"), 404, "ENTITY_NOT_FOUND")
        self.assert_code(self.get("/api/entity/74807f00-ed0d-11ee-a357-ae468cd3ed16"), 404, "ENTITY_NOT_FOUND")
        self.assert_code(self.get("/api/entity/17"), 400, "BAD_REQUEST")


class NamedOnCreate(EntityCase):
    """The creator of an entity names a transition of its initial state."""

    OTHER = {"version": "1", "name": "gift", "initialState": "WRAPPED", "criterion": {"type": "simple", "jsonPath": "$.customer", "operatorType": "EQUALS", "value": "Bob"},
             "states": {"WRAPPED": {"transitions": [{"name": "SEND", "next": "SENT"}, {**by_hand("OFF", "SENT"), "disabled": True}, {"name": "LATE", "next": "SENT", "schedule": {"delayMs": 60000}}]},
                        "SENT": {"transitions": [{"name": "ARRIVE", "next": "THERE"}]}, "THERE": {"transitions": [by_hand("BACK", "WRAPPED")]}}}

    def named(self, transition, document, headers=None):
        return self.post(f"/api/entity/JSON/{self.model}/1?transition={transition}", document, headers)

    def count(self):
        return self.read(f"/api/entity/stats/{self.model}/1")["count"]

    def test_the_transition_is_made_before_the_automated_ones(self):
        self.prepare(self.OTHER, WORKFLOW)
        for transition, document, state in (("PAY", {"amount": 500}, "PAID"), ("CHECK", {"amount": 500}, "LARGE"), ("SEND", {"customer": "Bob", "amount": 1}, "THERE")):
            answer = self.written(self.named(transition, document))[0]
            meta = self.entity(answer["entityIds"][0])["meta"]
            self.assertEqual((meta["state"], meta["transitionForLatestSave"], meta["transactionId"]), (state, transition, answer["transactionId"]))
        events = self.read(f"/api/audit/entity/{answer['entityIds'][0]}?eventType=StateMachine")["items"][::-1]
        self.assertEqual([(e["eventType"], e["state"]) for e in events], [("STATE_MACHINE_START", ""), ("WORKFLOW_FOUND", ""), ("TRANSITION_MAKE", "WRAPPED"), ("TRANSITION_MAKE", "SENT"),
                                                                         ("STATE_MACHINE_FINISH", "THERE")])
        self.assertIn('"SEND"', events[2]["details"])
        self.changed(answer["entityIds"][0], {"customer": "Bob"}, "BACK")  # In its initial state again it is asked for nothing.
        self.assertEqual(self.entity(answer["entityIds"][0])["meta"]["state"], "THERE")

    def test_one_that_cannot_be_made_refuses_the_create(self):
        self.prepare(self.OTHER, WORKFLOW)
        for transition, document in (("NOPE", {"amount": 1}), ("APPROVE", {"amount": 500}), ("PAY", {"customer": "Bob"}), ("OFF", {"customer": "Bob"}), ("LATE", {"customer": "Bob"})):
            answer = self.named(transition, document)
            self.assert_code(answer, 404, "TRANSITION_NOT_FOUND")
            self.assertIn(f'"{transition}" from state', answer.json["detail"])
        answer = self.named("CHECK", {"amount": 1})
        self.assert_code(answer, 400, "WORKFLOW_FAILED")
        self.assertIn('the criterion of transition "CHECK" does not match', answer.json["detail"])
        self.assert_code(self.named("x" * 257, {"amount": 1}), 413, "BAD_REQUEST")
        self.assert_code(self.named("PAY", {"amount": 1}, {"If-Match": "t"}), 400, "BAD_REQUEST")
        self.assertEqual(self.count(), 0)

    def test_the_built_in_workflow_has_its_own(self):
        self.prepare()
        self.assertEqual(self.entity(self.written(self.named("NEW", {"amount": 1}))[0]["entityIds"][0])["meta"]["state"], "CREATED")
        self.assert_code(self.named("UPDATE", {"amount": 1}), 404, "TRANSITION_NOT_FOUND")

    def test_every_item_of_a_list_makes_it(self):
        self.prepare(WORKFLOW)
        path = f"/api/entity/JSON/{self.model}/1?transactionWindow=2&transition="
        chunks = self.written(self.post(path + "CHECK", [{"amount": n} for n in (500, 600, 700, 1, 800)]))
        self.assertEqual([chunk.get("error", {}).get("code") for chunk in chunks], [None, "WORKFLOW_FAILED", None])
        self.assertEqual({self.entity(one)["meta"]["state"] for chunk in chunks for one in chunk["entityIds"]}, {"LARGE"})
        self.assert_code(self.post(path + "NOPE", [{"amount": 1}]), 404, "TRANSITION_NOT_FOUND")
        item = {"model": {"name": self.model, "version": 1}, "payload": '{"amount": 500}'}
        ids = self.written(self.post("/api/entity/JSON", [item, {**item, "transition": "PAY"}]))[0]["entityIds"]
        self.assertEqual([self.entity(one)["meta"]["state"] for one in ids], ["LARGE", "PAID"])
        for more in ({"transition": 7}, {"ifMatch": "t"}):
            self.assert_code(self.post("/api/entity/JSON", [{**item, **more}]), 400, "BAD_REQUEST")
        self.assertEqual(self.count(), 5)

    def test_a_key_belongs_to_the_transition(self):
        self.prepare(WORKFLOW)
        for document in ({"amount": 500}, [{"amount": 500}]):
            key = {"Idempotency-Key": self.fresh("key")}
            first, again = (self.named("PAY", document, key) for _ in range(2))
            self.assertEqual((again.json, again.headers["Idempotency-Replayed"]), (first.json, "true"))
            self.assertEqual(self.named("CHECK", document, key).status, 422)


class Settings(EntityCase):
    arguments = ("--limit", "state_visits_max=3", "--context-path", "/cyoda/v2")

    def raw(self, method, path, body=None):
        """A request below the context path; its answer is checked as that of /api."""
        self.client.connection.request(method, path, None if body is None else json.dumps(body), {"Content-Type": "application/json"})
        response = self.client.connection.getresponse()
        answer = Answer(response.status, response.headers, response.read())
        check(method, path.replace("/cyoda/v2/", "/api/"), answer)
        return answer

    def test_the_limit_of_visits_and_the_context_path_are_settings(self):
        up = {"name": "UP", "next": "A", "criterion": {"type": "simple", "jsonPath": "$.amount", "operatorType": "GREATER_THAN", "value": 0}}
        self.prepare({"name": "round", "initialState": "A", "states": {"A": {"transitions": [up]}}})
        refusal = self.create({"amount": 1})
        self.assertIn("more than 3 times", refusal.json["detail"])
        entity = self.written(self.raw("POST", f"/cyoda/v2/entity/JSON/{self.model}/1", {"amount": 0}))[0]["entityIds"][0]
        self.assertEqual(self.raw("GET", f"/cyoda/v2/entity/{entity}").json, self.entity(entity))
        answer = self.raw("GET", "/cyoda/v2/nothing")
        self.assert_code(answer, 404, "NOT_FOUND")
        self.assertEqual(answer.json["instance"], "/nothing")
        self.assertEqual(self.raw("GET", "/cyoda/v22/help").status, 404)
        self.assertEqual(self.raw("GET", "/cyoda/v2/help").status, 200)


if __name__ == "__main__":
    main()
