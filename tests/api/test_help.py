"""Help, health and the description of the API."""

import os
import re

from entities import EntityCase
from harness import ROOT, Case, main


# Folders whose errors no surface of entities sends, and codes that only other surfaces send.
OTHERS = ("/cli", "/scenario", "/torture")
ELSEWHERE = {"AMBIGUOUS_TASK", "DEFINITION_RETIRED", "DISCARDED", "DRAFT_CHANGED", "DRAFT_EXISTS", "EPHEMERAL_INSTANCES", "FILTERED", "FORK_CHANGED", "INSTANCE_NOT_FOUND", "INVALID_PATH",
             "MAX_ACTIVE_INSTANCES", "MOVED_ON", "NODE_GONE", "NO_WAY_BACK", "NOT_ASSIGNED", "NOT_STARTED", "NOT_WAITING", "REJECTED_SCHEMA", "TASK_ALREADY_COMPLETED", "TASK_CLAIMED", "TASK_NOT_CLAIMED",
             "TASK_NOT_FOUND", "TOOL_TAKEN", "TRANSIENT_FAILURE", "TRIGGER_NOT_FOUND", "TRIGGER_PAUSED", "UNDONE",
             "VERSIONS_DIFFER", "WAIT_CHANGED"}


def codes_of(source):
    """The codes of errors that a source file names."""
    sent = r'(?:fail_code\(|fail_state\(|refuse_type\(|code = )[^;]*?"([A-Z][A-Z_]+)"(?:[^;"]*: "([A-Z][A-Z_]+)")?'
    codes = {code for pair in re.findall(sent, source) for code in pair if code}
    if "raised[]" in source or "entity_error_code" in source:
        codes |= set(re.findall(r'(?:\{|return) "([A-Z][A-Z_]+)"', source))
    return codes


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
        for folder, _, files in os.walk(os.path.join(ROOT, "src")):
            for file in files:
                if file.endswith(".c") and not folder.endswith(OTHERS):
                    with open(os.path.join(folder, file), encoding="utf-8") as source:
                        codes |= codes_of(source.read())
        self.assertLessEqual({"ENTITY_NOT_FOUND", "POLYMORPHIC_SLOT", "TRANSITION_NOT_FOUND", "WORKFLOW_FAILED"}, codes)
        self.assertEqual(sorted(code for code in codes - ELSEWHERE if "errors." + code not in topics), [])
        self.assertEqual(sorted(ELSEWHERE - codes), [], "codes that nobody sends any more")

    def test_topics_of_the_original_have_pages_in_three_forms(self):
        topics = self.topics()
        for name in ("workflows", "models", "crud", "grpc", "search", "errors.CONFLICT"):
            self.assertEqual(self.get(f"/api/help/{name}.json").json, topics[name])
            page = self.get(f"/api/help/{name}.md")
            self.assertEqual((page.status, page.type), (200, "text/markdown; charset=utf-8"))
            self.assertEqual(page.body.decode(), topics[name]["body"])
            self.assertNotRegex(page.body.decode(), r"(?m)^## .*\n\s*(## |\Z)")  # No section is empty.

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
