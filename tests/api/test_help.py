"""Help, health and the description of the API."""

import os
import re

from entities import EntityCase
from harness import ROOT, Case, main


class Help(Case):
    def topics(self):
        answer = self.get("/api/help")
        self.assertEqual((answer.status, answer.json["schema"]), (200, 1))
        return {topic["topic"]: topic for topic in answer.json["topics"]}

    def test_every_topic_is_a_page_of_its_own(self):
        topics = self.topics()
        self.assertEqual(topics["entities"]["title"], "Entities")
        for name, topic in topics.items():
            self.assertTrue(topic["body"] and topic["synopsis"], name)
            self.assertEqual(".".join(topic["path"]), name)
            for other in topic["see_also"] + topic.get("children", []):
                self.assertIn(other, topics)
        for name in ("entities", "entities.audit", "errors", "errors.CONFLICT"):
            self.assertEqual(self.get("/api/help/" + name).json, topics[name])
            self.assertEqual(self.get("/api/help/" + name.replace(".", "/")).json, topics[name])

    def test_every_code_of_an_error_has_a_page(self):
        topics = self.topics()
        codes = set()
        for folder in ("src/api/entity", "src/runtime"):
            for file in os.listdir(os.path.join(ROOT, folder)):
                if file.endswith(".c") and (folder.endswith("entity") or re.match(r"entit|model|index|search|unique|compute", file)):
                    with open(os.path.join(ROOT, folder, file), encoding="utf-8") as source:
                        codes |= set(re.findall(r'fail_code\([^;]*?"([A-Z][A-Z_]+)"', source.read()))
        self.assertIn("ENTITY_NOT_FOUND", codes)
        self.assertEqual(sorted(code for code in codes if "errors." + code not in topics), [])

    def test_what_is_no_page_is_said(self):
        answer = self.get("/api/help/nothing")
        self.assertEqual((answer.status, answer.json["properties"]["errorCode"]), (404, "HELP_TOPIC_NOT_FOUND"))
        for topic in ("a%20b", "a%3Cb", "%2e%2e%3b"):
            answer = self.get("/api/help/" + topic)
            self.assertEqual((answer.status, answer.json["properties"]["errorCode"]), (400, "BAD_REQUEST"))
        for path in ("/api/help", "/api/help/errors", "/api/health"):
            answer = self.post(path, {})
            self.assertEqual((answer.status, "GET" in answer.headers["Allow"]), (405, True))

    def test_health(self):
        answer = self.get("/api/health")
        self.assertEqual((answer.status, answer.json), (200, {"status": "UP"}))

    def test_docs_lead_to_the_description(self):
        answer = self.get("/docs")
        self.assertEqual((answer.status, answer.type), (200, "text/html; charset=utf-8"))
        for link in re.findall(r'href="([^"]+)"', answer.body.decode()):
            self.assertEqual(self.get(link).status, 200, link)


class Platform(EntityCase):
    def fetch(self, entity, name):
        return self.get(f"/api/platform-api/entity/fetch/transitions?entityClass={name}&entityId={entity}")

    def test_transitions_that_can_be_fired_are_listed(self):
        off = {"name": "OFF", "next": "B", "manual": True, "disabled": True}
        later = {"name": "LATER", "next": "B", "schedule": {"delayMs": 100000}}
        self.prepare({"name": "w", "initialState": "A", "states": {
            "A": {"transitions": [{"name": "GO", "next": "B", "manual": True}, off, later]}, "B": {}}})
        entity = self.created({"amount": 1})
        self.assertEqual(self.fetch(entity, self.model + ".1").json, ["GO"])
        self.assertEqual(self.read(f"/api/entity/{entity}/transitions"), ["GO"])
        self.assert_code(self.fetch(entity, self.model + ".2"), 404, "ENTITY_NOT_FOUND")
        self.assert_code(self.fetch(entity, "other.1"), 404, "ENTITY_NOT_FOUND")
        for name in ("", self.model, ".1", self.model + ".x"):
            self.assert_code(self.fetch(entity, name), 400, "BAD_REQUEST")
        self.assert_code(self.fetch("x", self.model + ".1"), 400, "BAD_REQUEST")


if __name__ == "__main__":
    main()
