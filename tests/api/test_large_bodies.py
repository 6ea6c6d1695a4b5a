"""Every route that takes a body gets small, larger and large ones, and answers with what was asked.

A request's body has memory of its own once it is larger than 16 KiB (under AddressSanitizer always), and most kinds of calls give it back
when they are submitted. A call that goes on reading it then reads memory of somebody else. So each route of the contract that has a body
has a row here, and a new one without a row fails.
"""

import json
import threading

from entities import WORKFLOW, EntityCase
from graphs import edge, graph, node
from harness import CONTRACT, PATIENCE, Case, Client, example_path, main, resolve
from steps import end, person, service, wait

SIZES = (1 << 10, 17 << 10, 64 << 10, 300 << 10)
HOOK_BYTES_MAX = 128 << 10  # A webhook takes no more.
ROWS = {}


def row(route, status, type="application/json"):
    """The method makes what the request is about, and returns its path and its body: bytes, or a value in JSON."""
    def note(make):
        ROWS.setdefault(route, []).append((make, status, type))
        return make
    return note


def padded(body, size):
    """White space says nothing in JSON, YAML and XML."""
    if not isinstance(body, bytes):
        body = json.dumps(body).encode()
    return body + b" " * (size - len(body))


def routes_with_a_body():
    """Without the routes of access: a user would close this engine. Their bodies are small and read as all others are."""
    return {f"{method.upper()} {path}" for path, item in CONTRACT["paths"].items() for method, operation in item.items()
            if isinstance(operation, dict) and "requestBody" in operation and "access" not in operation["tags"]}


def webhook(name, method="POST"):
    return {"id": "t", "type": "http", "path": f"/{name}", "method": method}


class LargeBodies(EntityCase):
    arguments = ("--mcp",)

    def test_every_route_with_a_body_has_a_row(self):
        self.assertEqual(routes_with_a_body(), set(ROWS))

    def test_bodies_of_every_size_are_understood(self):
        for route, rows in ROWS.items():
            for make, status, media_type in rows:
                for size in SIZES:
                    if ("/hooks/" in route or "/forms/" in route) and size > HOOK_BYTES_MAX:
                        continue
                    with self.subTest(route, size=size, row=make.__name__):
                        path, body = make(self)
                        answer = self.client.request(route.split()[0], path, padded(body, size), {"Content-Type": media_type, **({"If-Match": "*"} if "PATCH" in route else {})})
                        self.assertEqual(answer.status, status, answer)

    # ---- what the requests are about ----

    def waiting(self, *steps):
        """An instance that waits at the first of these steps."""
        return self.start(self.upload([*steps, end()]))["id"]

    def failed(self):
        instance = self.waiting(service("work", "end", job_type=self.fresh("job")))
        self.fail_job(self.job_of(instance))
        return instance

    def job_of(self, instance):
        return self.take(self.get(f"/v1/jobs?instanceId={instance}").json["items"][0]["jobType"])

    def job(self):
        return self.job_of(self.waiting(service("work", "end", job_type=self.fresh("job"))))["id"]

    def task(self):
        name = self.upload([person("p", "end"), end()])
        self.start(name)
        return self.get(f"/api/tasks?definitionId={name}").json["items"][0]["id"]

    def asking(self):
        """A flow graph that asks a person, and a run of it."""
        document = graph(node("t", "trigger_manual"), node("ask", "human_task", title="May I?", decisions=["yes"]), node("z", "end"),
                         edges=[edge("t", "ask"), edge("ask", "z")], definitionId=self.fresh("asks"))
        self.assertEqual(self.post("/api/workflows", document).status, 201)
        return document["definitionId"]

    def run_of(self, name):
        return self.post(f"/api/workflows/{name}/start", {}).json["instanceId"]

    def hooked(self, method="POST"):
        name = self.fresh("hook")
        document = {"dialect": "graph/1", "definitionId": name, "name": name, "triggers": [webhook(name, method)],
                    "nodes": [{"id": "p", "type": "human_task", "config": {"title": "Look"}}], "edges": [{"from": "t", "to": "p"}]}
        self.assertEqual(self.post("/v1/definitions", document).status, 201)
        return name

    def modelled(self):
        self.model = self.fresh("order")
        self.prepare(WORKFLOW)
        return self.model

    def entity_of(self):
        self.modelled()
        return self.created({"customer": "Ada", "amount": 1, "lines": []})

    def document(self):
        return {"id": self.fresh("flow"), "name": "A flow", "steps": [service("work", "end"), end()]}

    # ---- /v1 ----

    @row("POST /v1/definitions", 201)
    def a_definition(self):
        return "/v1/definitions", self.document()

    @row("POST /v1/definitions/{id}/instances", 201)
    def a_start_of(self):
        return f"/v1/definitions/{self.upload([end()])}/instances", {"variables": {"a": 1}}

    @row("POST /v1/definitions/{id}/signals/{stepId}", 204)
    def a_signal_by_key(self):
        name, key = self.upload([wait("w", "end"), end()]), self.fresh("key")
        self.start(name, businessKey=key)
        return f"/v1/definitions/{name}/signals/w?businessKey={key}", {"a": 1}

    @row("POST /v1/instances", 201)
    def a_start(self):
        return "/v1/instances", {"definitionId": self.upload([end()]), "variables": {"a": 1}}

    @row("POST /v1/instances/{id}/cancel", 200)
    def a_cancel(self):
        return f"/v1/instances/{self.waiting(wait('w', 'end'))}/cancel", {"reason": "no longer wanted"}

    @row("POST /v1/instances/{id}/retry", 200)
    def a_retry(self):
        return f"/v1/instances/{self.failed()}/retry", {"variables": {"a": 1}}

    @row("POST /v1/instances/{id}/steps/{stepId}/retry", 200)
    def a_retry_of_a_step(self):
        return f"/v1/instances/{self.failed()}/steps/work/retry", {"variables": {"a": 1}}

    @row("POST /v1/instances/{id}/modify", 200)
    def a_repair(self):
        return f"/v1/instances/{self.waiting(wait('w', 'end'))}/modify", {"set": {"a": 1}, "reason": "it was wrong"}

    @row("POST /v1/instances/{id}/signals/{stepId}", 204)
    def a_signal(self):
        return f"/v1/instances/{self.waiting(wait('w', 'end'))}/signals/w", {"a": 1}

    @row("POST /v1/instances/{id}/user-tasks/{stepId}/complete", 204)
    def a_step_of_a_person(self):
        return f"/v1/instances/{self.waiting(person('p', 'end'))}/user-tasks/p/complete", {"result": {"a": 1}}

    @row("POST /v1/user-tasks/{id}/complete", 204)
    def a_user_task(self):
        return f"/v1/user-tasks/{self.task()}/complete", {"result": {"a": 1}}

    @row("POST /v1/bulk", 202)
    def a_bulk(self):
        return "/v1/bulk", {"action": "cancel", "filter": {"ids": [self.waiting(wait("w", "end"))]}}

    def moving(self):
        name = self.fresh("moving")
        for title in ("One", "Two"):
            self.post("/v1/definitions", {"id": name, "name": title, "steps": [wait("w", "end"), end()]})
        self.start(name, definitionVersion=1)
        return {"definitionId": name, "from": 1, "to": 2}

    @row("POST /api/migrations", 202)
    def a_migration(self):
        return "/api/migrations", self.moving()

    @row("POST /v1/bulk/{id}/undo", 202)
    def a_migration_to_undo(self):
        bulk = self.post("/api/migrations", self.moving()).json["id"]
        self.until(lambda: self.get(f"/v1/bulk/{bulk}").json["state"] == "done")
        return f"/v1/bulk/{bulk}/undo", {"reason": "x"}

    @row("POST /v1/events", 202, "application/cloudevents+json")
    def an_event(self):
        return "/v1/events", {"specversion": "1.0", "id": self.fresh("event"), "source": "/tests", "type": "nobody.waits", "data": {"a": 1}}

    @row("POST /v1/events", 202, "application/cloudevents-batch+json")
    def a_batch_of_events(self):
        return "/v1/events", [self.an_event()[1], self.an_event()[1]]

    @row("POST /v1/jobs/poll", 200)
    def a_poll(self):
        return "/v1/jobs/poll", {"workerId": "w", "jobTypes": [self.fresh("job")], "waitSeconds": 0.05}

    @row("POST /v1/jobs/batch", 200)
    def a_batch_of_jobs(self):
        return "/v1/jobs/batch", {"workerId": "w", "complete": [{"id": self.job(), "variables": {"a": 1}}]}

    @row("POST /v1/jobs/{id}/complete", 204)
    def a_result(self):
        return f"/v1/jobs/{self.job()}/complete", {"workerId": "w", "variables": {"a": 1}}

    @row("POST /v1/jobs/{id}/fail", 204)
    def a_failure(self):
        return f"/v1/jobs/{self.job()}/fail", {"workerId": "w", "errorMessage": "it broke"}

    @row("POST /v1/jobs/{id}/extend", 200)
    def an_extension(self):
        return f"/v1/jobs/{self.job()}/extend", {"workerId": "w", "leaseSeconds": 60}

    # ---- tasks ----

    @row("POST /api/tasks/{id}/claim", 200)
    def a_claim(self):
        return f"/api/tasks/{self.task()}/claim", {"by": "ada"}

    @row("POST /api/tasks/{id}/unclaim", 200)
    def the_end_of_a_claim(self):
        task = self.task()
        self.assertEqual(self.post(f"/api/tasks/{task}/claim", {"by": "ada"}).status, 200)
        return f"/api/tasks/{task}/unclaim", {"by": "ada"}

    @row("POST /api/tasks/{id}/assign", 200)
    def an_assignment(self):
        return f"/api/tasks/{self.task()}/assign", {"assignee": "bob"}

    @row("POST /api/tasks/{id}/comment", 200)
    def a_comment(self):
        return f"/api/tasks/{self.task()}/comment", {"by": "ada", "comment": "I have looked at it"}

    @row("POST /api/tasks/{id}/complete", 204)
    def a_task(self):
        return f"/api/tasks/{self.task()}/complete", {"answer": {"a": 1}}

    # ---- documents ----

    @row("POST /api/checks", 200)
    def a_check(self):
        return "/api/checks", self.document()

    @row("POST /api/apply", 200)
    def several_documents(self):
        return "/api/apply", {"documents": [{"file": "flow.json", "document": self.document()}]}

    @row("POST /api/pictures", 200)
    def a_picture(self):
        return "/api/pictures", self.document()

    @row("POST /api/pictures", 200, "application/yaml")
    def a_picture_of_yaml(self):
        return "/api/pictures", b"id: flow\nname: A flow\nsteps:\n- {id: end, name: End, type: END}\n"

    @row("POST /api/ticks", 200)
    def ticks(self):
        return "/api/ticks", {"cron": "30 9 * * 1"}

    @row("POST /api/tables/try", 200)
    def a_table(self):
        return "/api/tables/try", {"table": {"rules": [{"condition": "a > 1", "output": {"b": 1}}]}, "rows": [{"variables": {"a": 2}}]}

    @row("POST /api/workflows", 201)
    def a_workflow(self):
        return "/api/workflows", self.document()

    @row("POST /api/workflows/validate", 200)
    def a_workflow_to_look_at(self):
        return "/api/workflows/validate", self.document()

    @row("PUT /api/workflows/{id}/draft", 201)
    def a_draft(self):
        return f"/api/workflows/{self.fresh('half')}/draft", {"half": "done"}

    @row("POST /api/trials", 200)
    def a_trial(self):
        return "/api/trials", {"document": self.document(), "input": {"a": 1}}

    @row("POST /mcp", 200)
    def a_message_of_an_agent(self):
        return "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "validate_definition", "arguments": {"document": self.document()}}}

    @row("POST /api/workflows/{id}/start", 201)
    def a_start_of_a_workflow(self):
        return f"/api/workflows/{self.asking()}/start", {"input": {"a": 1}}

    @row("POST /api/workflows/{id}/resume", 200)
    def a_decision(self):
        return f"/api/workflows/{self.run_of(self.asking())}/resume", {"decision": "yes"}

    @row("POST /api/workflows/{id}/cancel", 200)
    def a_cancel_of_a_run(self):
        return f"/api/workflows/{self.run_of(self.asking())}/cancel", {"reason": "no longer wanted"}

    @row("POST /api/workflows/{id}/replay", 201)
    def a_replay(self):
        run = self.run_of(self.asking())
        self.post(f"/api/workflows/{run}/cancel", {})
        return f"/api/workflows/{run}/replay", {}

    # ---- arrivals and secrets ----

    def formed(self):
        name = self.fresh("formed")
        self.post("/v1/definitions", graph({"id": "ask", "type": "trigger_manual"}, node("e", "end"), edges=[edge("ask", "e")], definitionId=name))
        return name

    @row("POST /forms/{definition}", 201, "application/x-www-form-urlencoded")
    def a_form(self):
        return f"/forms/{self.formed()}", b"a=1"

    @row("POST /forms/{definition}/{trigger}", 201, "application/x-www-form-urlencoded")
    def a_form_of_a_trigger(self):
        return f"/forms/{self.formed()}/ask", b"a=1"

    @row("POST /hooks/{path}", 202)
    def a_webhook(self):
        return f"/hooks/{self.hooked()}", {"a": 1}

    @row("POST /hooks/{path}", 202, "text/plain")
    def a_webhook_with_a_text(self):
        return f"/hooks/{self.hooked()}", b"a text"

    @row("PUT /hooks/{path}", 202)
    def a_webhook_that_is_put(self):
        return f"/hooks/{self.hooked('PUT')}", {"a": 1}

    @row("DELETE /hooks/{path}", 202)
    def a_webhook_that_is_deleted(self):
        return f"/hooks/{self.hooked('DELETE')}", {"a": 1}

    @row("POST /api/triggers/{definition}/{trigger}/pause", 200)
    def a_pause(self):
        return f"/api/triggers/{self.hooked()}/t/pause", {"reason": "repairs"}

    @row("POST /api/triggers/{definition}/{trigger}/fire", 202)
    def an_arrival_by_hand(self):
        return f"/api/triggers/{self.hooked()}/t/fire", {"a": 1}

    @row("PUT /api/secrets/{name}", 201)
    def a_secret(self):
        return f"/api/secrets/{self.fresh('secret')}", {"value": "open sesame"}

    @row("POST /api/connections/{name}/test", 200)
    def a_test_of_a_connection(self):
        path, body = self.a_secret()
        self.assertEqual(self.client.request("PUT", path, body).status, 201)
        return path.replace("secrets", "connections") + "/test", {"kind": "broker"}

    # ---- models and entities ----

    @row("POST /api/model/import/{format}/{kind}/{name}/{version}", 200)
    def a_sample(self):
        return f"/api/model/import/JSON/SAMPLE_DATA/{self.fresh('order')}/1", {"amount": 1}

    @row("POST /api/model/import/{format}/{kind}/{name}/{version}", 200, "application/xml")
    def a_sample_of_xml(self):
        return f"/api/model/import/XML/SAMPLE_DATA/{self.fresh('order')}/1", b"<order><amount>1</amount></order>"

    @row("POST /api/model/{check}/{name}/{version}", 200)
    def a_document_to_look_at(self):
        return f"/api/model/validate/{self.modelled()}/1", {"amount": 1}

    @row("PUT /api/model/{name}/{version}/indexes", 200)
    def indexes(self):
        return f"/api/model/{self.modelled()}/1/indexes", {"fields": ["$.customer"]}

    @row("PUT /api/model/{name}/{version}/unique-keys", 200)
    def unique_keys(self):
        self.model = self.fresh("order")
        self.sample()
        return f"/api/model/{self.model}/1/unique-keys", {"uniqueKeys": [{"id": "customer", "fields": ["$.customer"]}]}

    @row("POST /api/model/{name}/{version}/workflow/import", 200)
    def workflows(self):
        return f"/api/model/{self.modelled()}/1/workflow/import", {"importMode": "MERGE", "workflows": [WORKFLOW]}

    @row("POST /api/entity/{format}/{name}/{version}", 200)
    def an_entity(self):
        return f"/api/entity/JSON/{self.modelled()}/1", {"customer": "Ada", "amount": 1}

    @row("POST /api/entity/{format}/{name}/{version}", 200)
    def entities(self):
        return f"/api/entity/JSON/{self.modelled()}/1", [{"customer": "Ada", "amount": 1}, {"customer": "Bob", "amount": 2}]

    @row("POST /api/entity/{format}/{name}/{version}", 200, "application/xml")
    def an_entity_of_xml(self):
        return f"/api/entity/XML/{self.modelled()}/1", b"<order><customer>Ada</customer><amount>1</amount></order>"

    @row("PUT /api/entity/{format}/{id}", 200)
    def a_change(self):
        return f"/api/entity/JSON/{self.entity_of()}", {"customer": "Eve", "amount": 2}

    @row("PATCH /api/entity/{format}/{id}", 200, "application/merge-patch+json")
    def a_patch(self):
        return f"/api/entity/JSON/{self.entity_of()}", {"amount": 2}

    @row("PUT /api/entity/{format}/{name}/{version}", 200)
    def a_change_with_a_transition(self):
        return f"/api/entity/JSON/{self.entity_of()}/PAY", {"customer": "Eve", "amount": 2}

    @row("PATCH /api/entity/{format}/{name}/{version}", 200, "application/merge-patch+json")
    def a_patch_with_a_transition(self):
        return f"/api/entity/JSON/{self.entity_of()}/PAY", {"amount": 2}

    @row("POST /api/entity/{id}", 200)
    def entities_of_several_models(self):
        return "/api/entity/JSON", [{"model": {"name": self.modelled(), "version": 1}, "payload": json.dumps({"amount": 1})}]

    @row("PUT /api/entity/{id}", 200)
    def changes_of_several_entities(self):
        return "/api/entity/JSON", [{"id": self.entity_of(), "payload": json.dumps({"amount": 3})}]

    @row("DELETE /api/entity/{format}/{id}", 200)
    def a_removal(self):
        self.entity_of()
        return f"/api/entity/{self.model}/1", {"type": "simple", "jsonPath": "$.amount", "operatorType": "EQUALS", "value": 1}

    @row("POST /api/search/async/{name}/{version}", 200)
    def a_search_job(self):
        return f"/api/search/async/{self.modelled()}/1", self.a_removal()[1]

    @row("POST /api/entity/stats/{name}/{version}/query", 200)
    def a_question_about_groups(self):
        return f"/api/entity/stats/{self.modelled()}/1/query", {"groupBy": ["$.customer", "state"], "condition": self.a_removal()[1],
                                                                "aggregations": [{"op": "sum", "field": "$.amount", "as": "total"}]}

    @row("POST /api/search/direct/{name}/{version}", 200)
    def a_search(self):
        return f"/api/search/direct/{self.modelled()}/1", self.a_removal()[1]

    @row("POST /api/search/page/{name}/{version}", 200)
    def a_page(self):
        return f"/api/search/page/{self.modelled()}/1", self.a_removal()[1]


class OwnPictures(Case):
    """Many clients at once, each with a document of its own, and texts that fill it."""

    def test_each_client_gets_its_own_picture(self):
        wrong = []

        def draw(number):
            client = Client(self.server)
            for turn in range(20):
                name = f"step-{number}-{turn}"
                size = SIZES[(number + turn) % len(SIZES)]
                document = {"id": name, "name": name, "description": name * (size // len(name)), "steps": [service(name, "end"), end()]}
                answer = client.post("/api/pictures", document)
                found = [one["id"] for one in answer.json["nodes"]] if answer.status == 200 else answer
                if found != [name, "end"]:
                    wrong.append((name, found))
            client.close()

        threads = [threading.Thread(target=draw, args=(number,)) for number in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
        self.assertEqual(wrong[:3], [])


# Their bodies are data, or documents that are checked by themselves.
FREE = {
    "POST /mcp", "POST /v1/definitions", "POST /v1/definitions/{id}/signals/{stepId}", "POST /v1/instances/{id}/signals/{stepId}", "POST /v1/events", "POST /api/checks", "POST /api/pictures",
    "POST /api/workflows", "POST /api/workflows/validate", "PUT /api/workflows/{id}/draft", "POST /api/workflows/{id}/resume", "POST /api/model/import/{format}/{kind}/{name}/{version}",
    "POST /api/model/{check}/{name}/{version}", "POST /api/entity/{format}/{name}/{version}", "PUT /api/entity/{format}/{name}/{version}", "PATCH /api/entity/{format}/{name}/{version}",
    "PUT /api/entity/{format}/{id}", "PATCH /api/entity/{format}/{id}", "POST /forms/{definition}", "POST /forms/{definition}/{trigger}", "POST /hooks/{path}", "PUT /hooks/{path}", "DELETE /hooks/{path}", "POST /api/triggers/{definition}/{trigger}/fire",
}


def is_lenient(route):
    """Clients of these are older than the engine."""
    method, path = route.split()
    return path.startswith("/v1/") or "entities" in CONTRACT["paths"][path][method.lower()]["tags"]


def is_exact(route):
    """The contract says so in the schema."""
    method, path = route.split()
    content = resolve(CONTRACT["paths"][path][method.lower()]["requestBody"])["content"]
    return resolve(content["application/json"]["schema"]).get("additionalProperties") is False


class Members(LargeBodies):
    """A member of a body that nobody reads is refused or warned about. tests/unit/api/test_routes.c compares the lists with the contract."""

    test_every_route_with_a_body_has_a_row = test_bodies_of_every_size_are_understood = None

    def test_an_unknown_one_is_refused_or_warned_about(self):
        for route in sorted(set(ROWS) - FREE):
            make, status, media_type = ROWS[route][0]
            for size in (0, 300 << 10):  # The second one is read on another thread.
                with self.subTest(route, size=size):
                    path, body = make(self)
                    body = json.loads(body) if isinstance(body, bytes) else body
                    for one in body if isinstance(body, list) else [body]:
                        one["surprise"] = 1
                    answer = self.client.request(route.split()[0], path, padded(body, size), {"Content-Type": media_type})
                    if is_exact(route):
                        self.assertEqual((answer.status, "surprise" in answer.json.get("detail", answer.json.get("reason"))), (400, True), answer)
                    else:
                        self.assertTrue(is_lenient(route), "the contract says that members of any name may be there")
                        self.assertEqual(answer.status, status, answer)
                        self.assertIn("surprise of the body is unknown", answer.headers["X-Pawl-Warning"])

    def test_members_of_members(self):
        job = self.fresh("job")
        for body, place in (({"poll": {"jobTypes": [job], "leaseSecond": 3}}, "poll.leaseSecond"), ({"complete": [{"id": "x"}, {"id": "x", "varibles": {}}]}, "complete[1].varibles")):
            warned = self.post("/v1/jobs/batch", {"workerId": "w", **body}).headers["X-Pawl-Warning"]
            self.assertIn(f"{place} of the body is unknown and has no effect; did you mean", warned)
        self.refused(self.post("/api/trials", {"text": "x", "answers": [{"note": 1}]}), 400, "answers[0].note")
        self.prepare()
        simple = {"type": "simple", "jsonPath": "$.customer", "operatorType": "EQUALS", "value": "x"}
        group = {"type": "group", "operator": "AND", "conditions": [simple, {**simple, "vale": 1}]}
        self.assertIn('conditions[1].vale of the body is unknown and has no effect; did you mean "value"?', self.post(f"/api/search/direct/{self.model}/1", group).headers["X-Pawl-Warning"])
        self.assertNotIn("X-Pawl-Warning", self.post(f"/api/search/direct/{self.model}/1", simple).headers)

    def test_the_nearest_name_is_told(self):
        name = self.upload([end()])
        self.refused(self.post(f"/api/workflows/{name}/start", {"inputs": {}}), 400, 'inputs of the body is unknown; did you mean "input"?')
        self.refused(self.post(f"/api/workflows/{name}/start", {"colour": {}}), 400, "known are input, trigger, isTest, businessKey, version")

    def test_a_name_cannot_break_its_header(self):
        for name in ("a\r\nX-Evil: 1", "\0", '"', "x" * 4000, "", "é"):
            answer = self.post("/v1/jobs/poll", {"workerId": "w", "jobTypes": ["x"], name: 1})
            self.assertEqual((answer.status, answer.headers.get("X-Evil")), (200, None))
            self.assertLess(len(answer.headers["X-Pawl-Warning"]), 1200)
        many = {"x" * (n % 50) + str(n): 1 for n in range(20000)}
        self.assertLess(len(self.post("/v1/jobs/poll", {"workerId": "w", "jobTypes": ["x"], **many}).headers["X-Pawl-Warning"]), 1200)

    def test_a_body_where_none_is_taken(self):
        for path, item in CONTRACT["paths"].items():
            for method in {"post", "put", "delete"} & set(item):
                route = f"{method.upper()} {path}"
                if "requestBody" in item[method] or path.startswith(("/hooks/", "/ui/")):
                    continue
                with self.subTest(route):
                    answer = self.client.request(method.upper(), example_path(path, "1"), {"surprise": 1})
                    if is_lenient(route):
                        self.assertIn("the body has no effect", answer.headers["X-Pawl-Warning"])
                    else:
                        self.refused(answer, 400, "takes no body")
        for nothing in (b"", b" {\n} ", b"null"):
            self.assertEqual(self.client.request("POST", "/api/engine/resume", nothing).status, 204)

    def test_a_reason_that_is_none(self):
        for body, why in (({"reason": 5}, "it is no text"), (b"[", "it is no JSON object")):
            answer = self.client.request("POST", f"/v1/instances/{self.waiting(wait('w', 'end'))}/cancel", body)
            self.assertEqual((answer.status, why in answer.headers["X-Pawl-Warning"]), (200, True), answer)


if __name__ == "__main__":
    main()
