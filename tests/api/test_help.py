"""Help, health and the description of the API."""

import json
import os
import re
import shutil
import subprocess
import urllib.parse

from entities import EntityCase
from harness import ROOT, Case, main


# Folders whose errors no surface of entities sends, and codes that only other surfaces send.
OTHERS = {"cli", "scenario", "torture"}
ELSEWHERE = {"AMBIGUOUS_TASK", "DEFINITION_DELETING", "DEFINITION_NEEDED", "DEFINITION_RETIRED", "DISCARDED", "DRAFT_CHANGED", "DRAFT_EXISTS", "EPHEMERAL_INSTANCES", "FILTERED", "FORK_CHANGED", "INSTANCE_NOT_FOUND", "INVALID_PATH",
             "MAX_ACTIVE_INSTANCES", "MOVED_ON", "NODE_GONE", "NO_WAY_BACK", "NOT_ASSIGNED", "NOT_STARTED", "NOT_WAITING", "REJECTED_SCHEMA", "RUNS_LEFT", "TASK_ALREADY_COMPLETED", "TASK_CLAIMED", "TASK_NOT_CLAIMED",
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
                if file.endswith(".c") and not OTHERS & set(os.path.relpath(folder, ROOT).split(os.sep)):
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

    def unpacked(self, path):
        answer = self.get(path, {"Accept-Encoding": "gzip"})
        return answer, answer.unpacked

    def test_docs_are_pages(self):
        """The first page and all that it leads to, or, in a program without the web application, a page with two links."""
        self.assertIn(self.get("/docs").status, (200, 308))
        seen, ahead = set(), ["/docs/"]
        while ahead:
            path = ahead.pop()
            answer, text = self.unpacked(path)
            self.assertEqual(answer.status, 200, path)
            seen.add(path)
            if answer.type == "text/html; charset=utf-8" and path.startswith("/docs/"):
                self.assertNotRegex(text.decode(), r"(?i)<script(?! src=)|\son\w+=|style=", path)  # The policy refuses it.
                for link in re.findall(r'(?:href|src)="([^"#]+)', text.decode()):
                    to = urllib.parse.urljoin(path, link)
                    if not to.startswith("http") and to not in seen and to not in ahead:
                        ahead.append(to)
        self.assertIn("/openapi.json", seen)
        if self.get("/docs").status == 308:
            self.assertLessEqual({"/docs/steps.html", "/docs/api.html", "/docs/error-DECISION_NOT_WIRED.html", "/docs/site.js"}, seen)
            self.assertEqual(self.unpacked("/docs/steps")[1], self.unpacked("/docs/steps.html")[1])
            self.assertEqual(self.get("/docs/steps.html?x=1").status, 406)

    def test_the_search_of_the_docs_finds_what_people_type(self):
        """The words of the table, and the page that is among the first five results."""
        node, (answer, index) = shutil.which("node"), self.unpacked("/docs/search.json")
        if not node or answer.status != 200:
            self.skipTest("no Node, or a program without the web application")
        words = {"retry": "repair", "timer": "steps", "webhook": "triggers", "cron": "triggers", "email": "email", "backup": "operations", "user": "access", "password": "access",
                 "tenant": "access", "worker": "start", "decision table": "steps", "sub-flow": "graphs", "parallel": "patterns", "secret": "secrets", "migrate": "migration",
                 "rollback": "versions", "test": "testing", "grpc": "grpc", "postgres": "postgres", "upgrade": "operations", "TEMPLATE_SYNTAX": "error-TEMPLATE_SYNTAX", "trace": "traces",
                 "poll jobs": "api-jobs", "MQTT": "triggers", "saga": "graphs", "kubernetes": "install", "docker": "install", "uninstall": "install", "windows": "install",
                 "encryption": "secrets", "high availability": "postgres", "load balancer": "postgres", "nginx": "security", "license": "index"}
        script = ("const {pawlSearch} = require(process.argv[1]); const [index, words] = JSON.parse(require('fs').readFileSync(0));"
                  "console.log(JSON.stringify(words.map((word) => pawlSearch(index, word).slice(0, 5).map(({page}) => page))))")
        done = subprocess.run([node, "-e", script, os.path.join(ROOT, "web/site/search.cjs")], input=json.dumps([json.loads(index), list(words)]), capture_output=True, text=True, check=True)
        found = dict(zip(words, json.loads(done.stdout)))
        self.assertEqual({word: found[word] for word, page in words.items() if page not in found[word]}, {})


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
