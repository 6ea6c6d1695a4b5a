"""Test runs: documents played to their end, with nothing stored and nothing sent."""

import http.client
import json
import os
import subprocess
import tempfile
import threading

from graphs import edge, graph, node
from harness import BINARY, PATIENCE, ROOT, Case, main, validate_named
from steps import decide, end, person, service


def example(path):
    with open(os.path.join(ROOT, "examples", path), encoding="utf-8") as file:
        return file.read()


def flow(*steps):
    return {"id": "flow", "name": "A flow", "steps": list(steps)}


APPROVAL = flow(service("reserve", "ask", "stock"), person("ask", "choose"),
                decide("choose", {"approved == true": "ship", "approved != true": "end"}), service("ship", "end"), end())
LOOP = flow(service("a", "again"), decide("again", {"1 == 1": "a", "1 == 2": "end"}), end())
ENTITY = {"entityName": "order", "modelVersion": 1, "workflows": [{"version": "1", "name": "sale", "initialState": "NEW", "states": {
    "NEW": {"transitions": [{"name": "PAY", "next": "PAID", "manual": True, "processors": [{"name": "charge", "executionMode": "SYNC"}]}]},
    "PAID": {}}}]}


class Trials(Case):
    def trial(self, document=None, **body):
        if document is not None:
            body["document"] = document
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)
        self.addCleanup(connection.close)
        connection.request("POST", "/api/trials", json.dumps(body).encode(), {"Content-Type": "application/json"})
        response = connection.getresponse()
        text = response.read()
        self.assertEqual((response.status, response.headers["Content-Type"]), (200, "application/x-ndjson"), text)
        lines = [json.loads(line) for line in text.splitlines()]
        for line in lines[:30] + lines[-1:]:
            validate_named(line, "TrialLine")
        self.assertEqual((lines[0]["event"], lines[-1]["event"]), ("start", "end"))
        return lines

    def path(self, lines):
        return [line["node"] for line in lines if line["event"] == "enter"]

    def replays(self, lines):
        """pawl test passes with the scenario of the run."""
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(lines[-1]["scenario"], file)
            file.flush()
            done = subprocess.run([BINARY, "test", file.name], capture_output=True, text=True, timeout=PATIENCE, check=False)
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1]), (0, "1 passed, 0 failed"), done.stdout + done.stderr)

    def test_steps(self):
        lines = self.trial(APPROVAL, input={"total": 3})
        self.assertEqual(self.path(lines), ["reserve", "ask", "choose", "ship", "end"])
        left = {line["node"]: line for line in lines if line["event"] == "leave"}
        self.assertEqual({name: line["how"] for name, line in left.items()},
                         {"reserve": "pretended", "ask": "done", "choose": "done", "ship": "pretended", "end": "done"})
        self.assertEqual((left["reserve"]["to"], left["choose"]["to"]), (["ask"], ["ship"]))
        self.assertEqual([line["why"] for line in lines if line["event"] == "clock"], ["1 hour passes"])
        waits = [line for line in lines if line["event"] == "wait"]
        self.assertEqual([(line["node"], line["for"]) for line in waits], [("ask", "person")])
        self.assertEqual((lines[-1]["status"], lines[-1]["tookMs"], lines[-1]["waits"]), ("completed", 3600000, []))
        self.replays(lines)

    def test_answers_are_given_in_every_round(self):
        ask = node("ask", "human_task", "Ask", title="May {{ trigger.payload.who }}?", decisions=["yes", "no"], timeout="3d")
        document = graph(node("t", "trigger_manual"), ask, node("note", "set_variables", values={"n": 1}), node("z", "end"), node("late", "end"),
                         edges=[edge("t", "ask"), edge("ask", "z", "yes"), edge("ask", "note", "no"), edge("note", "ask"), edge("ask", "late", "timeout")])
        answers = [{"node": "ask", "decision": "no"}, {"node": "ask", "decision": "no"}, {"node": "ask", "decision": "yes", "after": "7d", "repeat": True}]
        lines = self.trial(document, input={"who": "Ann"}, answers=answers)
        self.assertEqual(self.path(lines), ["t", "ask", "note", "ask", "note", "ask", "late"])
        last = [line for line in lines if line["event"] == "leave" and line["node"] == "ask"][-1]
        self.assertEqual((last["how"], last["reason"], last["sent"]["title"]), ("late", "no answer in 3 days", "May Ann?"))
        self.assertEqual([line["sent"]["decisions"] for line in lines if line["event"] == "wait"], [["yes", "no"]] * 3)
        self.assertEqual(self.trial(document, answers=[{"node": "ask", "decision": "no", "repeat": True}])[-1]["status"], "stopped")

    def test_answers_of_items(self):
        document = graph(node("t", "trigger_manual"), node("l", "for_each", items="{{ trigger.payload.who }}", mode="parallel", result="{{ nodes.ask.decision }}"),
                         {**node("ask", "human_task", title="{{ item }}", decisions=["yes", "no"]), "parent": "l"}, node("z", "end", result={"r": "{{ nodes.l.results }}"}),
                         edges=[edge("t", "l"), edge("l", "ask", "body"), edge("l", "z", "done")])
        lines = self.trial(document, input={"who": ["a", "b", "c"]}, answers=[{"node": "ask", "item": 1, "decision": "no", "after": "1d"}, {"node": "ask", "decision": "yes", "repeat": True}])
        self.assertEqual(lines[-1]["result"]["result"], {"r": ["yes", "no", "yes"]})
        self.assertEqual([line["sent"]["title"] for line in lines if line["event"] == "leave" and line["node"] == "ask"], ["a", "c", "b"])

    def test_events_that_a_step_waits_for(self):
        hook = {"correlationExpression": "$.k", "onMatch": "MapOrDiscard"}
        document = graph(node("t", "trigger_webhook", path="/go", correlationExpression="$.k"), node("e", "trigger_webhook", path="/e", **hook),
                         node("w", "wait_event", trigger="e", timeout="1d"), node("z", "end"), node("late", "end"),
                         edges=[edge("t", "w"), edge("w", "z"), edge("w", "late", "timeout")])
        lines = self.trial(document, trigger="t", input={"k": "A"}, answers=[{"node": "w", "after": "2h", "variables": {"k": "A", "x": 1}}])
        self.assertEqual((self.path(lines)[-1], lines[-1]["tookMs"]), ("z", 7200000))
        self.replays(lines)
        lines = self.trial(document, trigger="t", input={"k": "A"}, answers=[{"node": "w", "variables": {"k": "B"}}])
        self.assertEqual((self.path(lines)[-1], [line["event"] for line in lines].count("refused")), ("late", 1))
        self.assertIn("nothing arrived in 1 day", [line.get("reason") for line in lines])
        for wrong in ({"item": -1}, {"item": "1"}, {"repeat": 1}):
            self.assertEqual(self.post("/api/trials", {"document": document, "answers": [{"node": "w", **wrong}]}).status, 400, wrong)

    def test_nothing_is_stored(self):
        before = self.get("/v1/definitions").json["total"], self.get("/v1/instances").json["total"]
        self.trial(APPROVAL)
        self.assertEqual((self.get("/v1/definitions").json["total"], self.get("/v1/instances").json["total"]), before)

    def test_answers_and_pins(self):
        lines = self.trial(APPROVAL, answers=[{"node": "ask", "after": "2d", "variables": {"approved": False}}],
                           pins={"reserve": {"shelf": 7}})
        self.assertEqual(self.path(lines), ["reserve", "ask", "choose", "end"])
        left = {line["node"]: line for line in lines if line["event"] == "leave"}
        self.assertEqual((left["reserve"]["how"], left["reserve"]["out"]), ("pinned", {"shelf": 7}))
        self.assertEqual([line["why"] for line in lines if line["event"] == "clock"], ["2 days pass"])
        self.replays(lines)
        lines = self.trial(APPROVAL, pins={"reserve": {"error": {"code": "EMPTY", "message": "no stock"}}})
        self.assertEqual((lines[-1]["status"], lines[-1]["reason"]), ("failed", "no stock"))
        self.replays(lines)

    def test_a_person_who_does_not_answer(self):
        asked = flow(person("ask", "end", formSchema={"type": "object", "required": ["ok"], "properties": {"ok": {"type": "boolean"}}}), end())
        lines = self.trial(asked, unanswered="wait")
        self.assertEqual((lines[-1]["status"], lines[-1]["tookMs"]), ("waiting", 0))
        (waits,) = lines[-1]["waits"]
        self.assertEqual((waits["node"], waits["for"], waits["formSchema"]["required"]), ("ask", "person", ["ok"]))
        self.replays(lines)
        self.assertEqual(self.trial(asked)[-1]["result"], {"ok": True})  # Made up by the form.

    def test_an_answer_that_the_form_refuses(self):
        asked = flow(person("ask", "end", formSchema={"type": "object", "required": ["ok"]}), end())
        lines = self.trial(asked, answers=[{"node": "ask", "variables": {}}])
        self.assertEqual([line["node"] for line in lines if line["event"] == "refused"], ["ask"])
        self.assertEqual(lines[-1]["status"], "waiting")

    def test_graphs(self):
        document = json.loads(example("graph/invoice-approval.json"))
        lines = self.trial(document, input={"amount": 700, "days": 3})
        self.assertEqual(self.path(lines), ["by_hand", "size", "one", "book", "booked"])
        book = next(line for line in lines if line["event"] == "leave" and line["node"] == "book")
        self.assertEqual((book["how"], book["out"], "sql" in book["sent"]), ("pretended", {"rows": [], "row_count": 0}, True))
        self.assertEqual(lines[-1]["statusWord"], "completed")
        self.replays(lines)
        lines = self.trial(document, input={"amount": 700}, answers=[{"node": "one", "decision": "reject"}])
        self.assertNotIn("book", self.path(lines))
        self.replays(lines)

    def test_serverless_from_text(self):
        lines = self.trial(text=example("serverless/reports.json"), input={})
        self.assertEqual((lines[-1]["status"], lines[-1]["statusWord"]), ("completed", "Success"))
        self.replays(lines)

    def test_events(self):
        event = {"specversion": "1.0", "id": "1", "source": "shop", "type": "paid", "data": {"a": 1}}
        document = json.loads(example("serverless/order.json"))
        lines = self.trial(document, unanswered="wait")
        self.assertEqual([one["for"] for one in lines[-1]["waits"]], ["event"])
        lines = self.trial(document, events=[event])
        self.replays(lines)

    def test_chained_definitions(self):
        lines = self.trial(json.loads(example("loan-application.json")), others=[json.loads(example("loan-disbursement.json"))],
                           input={"loanAmount": 1000, "creditScore": 700})
        self.assertEqual({line.get("instance", "i1") for line in lines if line["event"] == "enter"}, {"i1", "i2"})
        self.replays(lines)

    def test_entities(self):
        lines = self.trial(ENTITY, input={"amount": 1})
        self.assertEqual((lines[-1]["statusWord"], [one["for"] for one in lines[-1]["waits"]]), ("NEW", ["transition"]))
        self.replays(lines)
        lines = self.trial(ENTITY, input={"amount": 1}, answers=[{"transition": "PAY", "after": "1h", "variables": {"amount": 2}}])
        self.assertEqual((lines[-1]["statusWord"], lines[-1]["result"]), ("PAID", {"amount": 2}))
        self.replays(lines)

    def test_an_entity_that_a_processor_refuses(self):
        document = json.loads(json.dumps(ENTITY))
        document["workflows"][0]["states"]["NEW"]["transitions"][0]["manual"] = False
        self.assertEqual(self.trial(document, input={"amount": 1})[-1]["statusWord"], "PAID")
        lines = self.trial(document, input={"amount": 1}, pins={"charge": {"error": {"message": "no funds"}}})
        self.assertEqual((lines[-1]["status"], "no funds" in lines[-1]["reason"]), ("failed", True), lines)

    def test_a_loop_without_end_is_stopped(self):
        lines = self.trial(LOOP)
        self.assertEqual(lines[-1]["status"], "stopped")
        self.assertIn("REHEARSED_VISITS_MAX", lines[-1]["reason"])
        self.assertNotIn("scenario", lines[-1])

    def test_its_engine_writes_nothing_to_the_log_of_this_one(self):
        before = self.server.log()
        states = {"NEW": {"transitions": [{"name": "GO", "next": "A", "schedule": {"delayMs": 1000}}]},
                  "A": {"transitions": [{"name": "ON", "next": "B"}]},
                  "B": {"transitions": [{"name": "BACK", "next": "A", "criterion": {"type": "simple", "jsonPath": "$.a", "operatorType": "EQUALS", "value": 1}}]}}
        restless = {"entityName": "order", "modelVersion": 1, "sample": {"a": 1},
                    "workflows": [{"version": "1", "name": "sale", "initialState": "NEW", "states": states}]}
        lines = self.trial(restless, input={"a": 1})
        self.assertEqual(lines[-1]["status"], "stopped")
        self.assertEqual(self.server.log(), before)

    def test_bad_requests(self):
        broken = flow(service("a", "nowhere"), end())
        answer = self.post("/api/trials", {"document": broken})
        self.assertEqual(answer.status, 400, answer)
        self.assertTrue(answer.json["problems"][0]["pointer"])
        for body, words in (({}, "either"), ({"document": APPROVAL, "text": "x"}, "either"), ({"text": "{"}, ""),
                            ({"document": APPROVAL, "input": 7}, "input"), ({"document": APPROVAL, "pins": {"end": 1}}, "cannot be pinned"),
                            ({"document": APPROVAL, "answers": [{"node": "gone"}]}, "waits for nobody"),
                            ({"document": APPROVAL, "answers": [{"node": "ask", "after": "soon"}]}, "duration"),
                            ({"document": APPROVAL, "unanswered": "never"}, "unanswered"), ({"document": APPROVAL, "others": [7]}, "others")):
            self.refused(self.post("/api/trials", body), 400, words)
        self.refused(self.post("/api/trials", {"document": APPROVAL, "answers": [{"node": "ask"}] * 1001}), 413, "1000")
        self.refused(self.post("/api/trials", {"document": APPROVAL, "input": {"a": "x" * 1100000}}), 413, "TRIAL_BODY_BYTES_MAX")

    def test_only_so_many_at_once(self):
        """Clients that leave make room again."""
        statuses = []

        def ask():
            connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)
            connection.request("POST", "/api/trials", json.dumps({"document": LOOP}).encode(), {"Content-Type": "application/json"})
            statuses.append(connection.getresponse().status)
            connection.close()
        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertLessEqual(set(statuses), {200, 429})
        self.assertGreaterEqual(statuses.count(200), 4)
        self.until(lambda: self.post_status(APPROVAL) == 200)

    def post_status(self, document):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)
        connection.request("POST", "/api/trials", json.dumps({"document": document}).encode(), {"Content-Type": "application/json"})
        response = connection.getresponse()
        response.read()
        connection.close()
        return response.status

    # Node types that wait for somebody or act outside: (config, testOutput). Each value differs from what a trial makes up.
    OUTSIDE = {
        "human_task": ({"title": "May I?", "decisions": ["yes", "no"], "formSchema": {"type": "object", "properties": {"n": {"type": "integer"}, "list": {"type": "array"}}}},
                       {"decision": "no", "payload": {"n": 0, "list": [], "decision": "no"}, "completed_by": "bob", "completed_at": "2030-01-01T00:00:00Z", "task_id": "T7"}),
        "wait_event": ({"trigger": "t"}, {"payload": {"total": 5}, "received_at": "2030-01-01T00:00:00Z"}),
        "delay": ({"duration": "7d"}, {"scheduled_for": "2029-01-01T00:00:00Z", "resumed_at": "2030-01-01T00:00:00Z"}),
        "action_http": ({"url": "http://127.0.0.1:1"}, {"status_code": 0, "headers": {"a": "b"}, "body": [1]}),
        "action_db": ({"connectionRef": "db", "sql": "select 1", "readOnly": True}, {"rows": [{"a": 1}], "row_count": 7}),
        "action_email": ({"to": ["a@b.c"], "subject": "s"}, {"message_id": "m7", "accepted": []}),
        "action_mcp": ({"url": "http://127.0.0.1:1", "tool": "add"}, {"result": {"sum": 5}, "complete": True}),
        "action_subflow": ({"definition": "nobody"}, {"instance_id": "i7", "result": {"a": 1}}),
    }
    INSIDE = ("trigger_manual trigger_cron trigger_webhook trigger_mqtt trigger_poll end continue_as set_variables decision parallel match for_each "
              "LogicGate SwitchGate FanInGate StaticForLoop SetContext").split()

    def test_every_node_type_is_in_one_of_the_lists(self):
        types = {one["type"]: one for one in self.get("/api/node-types").json["nodeTypes"]}
        self.assertEqual(sorted(types), sorted([*self.OUTSIDE, *self.INSIDE]), "say whether it waits or acts outside; then testOutput must work")
        self.assertEqual({name for name, one in types.items() if one["effect"] != "none"}, set(self.OUTSIDE))
        for name, (_, told) in self.OUTSIDE.items():
            self.assertEqual(sorted(told), sorted(one["name"] for one in types[name]["outputs"]))

    def test_a_test_output_is_what_the_node_brings(self):
        """In a trial and in a test run; the scenario of a trial does the same again."""
        for name, (config, told) in self.OUTSIDE.items():
            document = graph(node("t", "trigger_manual"), node("n", name, **config, testOutput=told), node("z", "end"), edges=[edge("t", "n"), edge("n", "z", *(["no"] if name == "human_task" else []), **({"default": True} if name == "human_task" else {}))],
                             name=self.fresh("g"), definitionId=self.fresh("g"), secretRefs=["db"])
            with self.subTest(type=name):
                lines = self.trial(document)
                self.assertEqual(lines[-1]["status"], "completed")
                self.assertEqual(next(line["out"] for line in lines if line["event"] == "leave" and line["node"] == "n"), told)
                self.replays(lines)
                self.assertEqual(self.post("/api/workflows", document).status, 201)
                run = self.post(f"/api/workflows/{document['definitionId']}/start", {"isTest": True}).json["instanceId"]
                visit = next(one for one in self.get(f"/api/instances/{run}/visits").json["items"] if one["nodeId"] == "n")
                self.assertEqual((visit["simulated"], self.get(f"/api/instances/{run}/visits/{visit['number']}").json["out"]), (True, told))

    def test_a_wait_for_an_event_is_told(self):
        lines = self.trial(graph(node("t", "trigger_manual"), node("w", "wait_event", trigger="t"), edges=[edge("t", "w")]))
        self.assertEqual([(one["node"], one["for"]) for one in lines[-1]["waits"]], [("w", "event")])


if __name__ == "__main__":
    main()
