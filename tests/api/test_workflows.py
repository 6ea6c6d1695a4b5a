"""The surface of builders: documents, versions and drafts."""

from harness import Case, main
from steps import end, service


class Documents(Case):
    def document(self, name="A", **more):
        return {"id": self.fresh("wf"), "name": name, "steps": [service("a", "end"), end()], **more}

    def test_a_document_is_published_and_read_back(self):
        document = self.document()
        answer = self.post("/api/workflows", document)
        self.assertEqual(answer.status, 201, answer)
        self.assertEqual((answer.json["definitionId"], answer.json["version"], answer.json["isNew"]), (document["id"], 1, True))
        again = self.post("/api/workflows", document)
        self.assertEqual((again.status, again.json["version"], again.json["isNew"]), (200, 1, False))
        read = self.get("/api/workflows/" + document["id"])
        self.assertEqual((read.status, read.json["document"]["steps"][0]["id"]), (200, "a"))

    def test_older_content_becomes_the_latest_version_again(self):
        first = self.document("One")
        second = {**first, "name": "Two"}
        versions = [self.post("/api/workflows", d).json["version"] for d in (first, second, first, first)]
        self.assertEqual(versions, [1, 2, 3, 3])
        path = f"/api/workflows/{first['id']}/versions"
        listed = self.get(path).json
        self.assertEqual([(v["version"], v["name"]) for v in listed["items"]], [(3, "One"), (2, "Two"), (1, "One")])
        page = self.get(path + "?pageSize=2").json
        self.assertEqual((len(page["items"]), page["nextBefore"], page["total"]), (2, 2, 3))
        rest = self.get(path + "?pageSize=2&before=2").json
        self.assertEqual(([v["version"] for v in rest["items"]], "nextBefore" in rest), ([1], False))
        self.assertEqual(self.get(path + "/2").json["document"]["name"], "Two")
        for wrong in ("0", "4", "x", "99999999999"):
            self.assertEqual(self.get(path + "/" + wrong).status, 404)
        self.assertEqual(self.get(path + "?before=x").status, 400)
        self.assertEqual(self.get("/api/workflows/nobody/versions").status, 404)

    def test_a_wrong_document_is_refused_with_every_problem(self):
        wrong = self.document(steps=[{"id": "x", "name": "X", "type": "NOPE"}, {"id": "x", "name": "", "type": "END"}])
        answer = self.post("/api/workflows", wrong)
        self.assertEqual((answer.status, answer.type), (400, "application/problem+json"))
        checked = self.post("/api/workflows/validate", wrong)
        self.assertEqual((checked.status, checked.json["valid"]), (200, False))
        self.assertEqual(len(checked.json["errors"]), len([p for p in answer.json["problems"] if p["severity"] == "error"]))
        self.assertEqual(self.get("/api/workflows/" + wrong["id"]).status, 404)

    def test_checking_publishes_nothing(self):
        document = self.document()
        checked = self.post("/api/workflows/validate", document)
        self.assertEqual((checked.json["valid"], checked.json["definitionId"], checked.json["errors"]), (True, document["id"], []))
        self.assertEqual(self.get("/api/workflows/" + document["id"]).status, 404)
        for text in (b"", b"{", b"[1]", b"\xff"):
            self.assertFalse(self.post("/api/workflows/validate", text).json["valid"])

    def test_workflows_are_listed(self):
        document = self.document("Needle in the list")
        self.post("/api/workflows", document)
        found = self.get("/api/workflows?keyword=needle").json
        self.assertEqual([w["definitionId"] for w in found["items"]], [document["id"]])


class Drafts(Case):
    def put(self, path, body, **headers):
        return self.client.request("PUT", path, body, {name.replace("_", "-"): value for name, value in headers.items()})

    def test_a_draft_is_saved_read_and_removed(self):
        path = f"/api/workflows/{self.fresh('draft')}/draft"
        self.assertEqual(self.get(path).status, 404)
        saved = self.put(path, {"nodes": [], "odd": [None, 1.50]}, X_Actor="ann")
        self.assertEqual((saved.status, saved.headers["ETag"], saved.json["revision"], saved.json["author"]), (201, '"1"', 1, "ann"))
        read = self.get(path)
        self.assertEqual((read.json["document"], read.headers["ETag"]), ({"nodes": [], "odd": [None, 1.50]}, '"1"'))
        self.assertEqual(self.put(path, "any value", If_Match='"1"').json["revision"], 2)
        self.assertEqual(self.client.request("DELETE", path).status, 204)
        self.assertEqual(self.client.request("DELETE", path).status, 404)

    def test_somebody_who_saves_over_another_change_is_told(self):
        path = f"/api/workflows/{self.fresh('draft')}/draft"
        self.put(path, {"by": "ann"})
        self.put(path, {"by": "bob"}, If_Match='"1"')
        late = self.put(path, {"by": "ann, late"}, If_Match='"1"')
        self.assertEqual((late.status, late.json["code"]), (412, "DRAFT_CHANGED"))
        self.assertEqual(self.get(path).json["document"], {"by": "bob"})
        self.assertEqual(self.put(path, {}, If_None_Match="*").json["code"], "DRAFT_EXISTS")
        self.assertEqual(self.put(path, {}, If_Match="nonsense").status, 412)
        self.assertEqual(self.client.request("DELETE", path, None, {"If-Match": '"1"'}).status, 412)
        self.assertEqual(self.put(path, {"by": "carl"}, If_Match="*").json["revision"], 3)

    def test_a_repeated_save_counts_once(self):
        path = f"/api/workflows/{self.fresh('draft')}/draft"
        key = self.fresh("key")
        first, second = (self.put(path, {"a": 1}, Idempotency_Key=key) for _ in range(2))
        self.assertEqual(first.body, second.body)
        self.assertEqual((second.headers["Idempotency-Replayed"], second.headers["ETag"]), ("true", '"1"'))
        self.assertEqual(self.put(path, {"a": 2}).json["revision"], 2)

    def test_drafts_are_listed_in_pages(self):
        names = sorted(self.fresh("page") for _ in range(3))
        for name in names:
            self.put(f"/api/workflows/{name}/draft", {"name": name})
        first = self.get(f"/api/workflows/drafts?pageSize=2&after=page").json
        self.assertEqual([d["definitionId"] for d in first["items"]], names[:2])
        rest = self.get(f"/api/workflows/drafts?pageSize=2&after={first['nextAfter']}").json
        self.assertEqual(rest["items"][0]["definitionId"], names[2])
        self.assertNotIn("document", rest["items"][0])
        self.assertEqual([d["name"] for d in first["items"]], names[:2])

    def test_a_list_has_the_names_of_documents(self):
        start = self.fresh("named")
        cases = {"a": ({"name": "A laptop, please"}, "A laptop, please"), "b": ({"entityName": "Order"}, "Order"), "c": ({"name": ""}, None), "d": ({"name": 7}, None),
                 "e": ("no object", None), "f": ({"name": "ü" * 600}, "ü" * 512)}
        for one, (document, _) in cases.items():
            self.put(f"/api/workflows/{start}-{one}/draft", document, X_Actor="ann")
        listed = self.get(f"/api/workflows/drafts?pageSize=6&after={start}").json["items"]
        self.assertEqual([(d.get("name"), d["author"]) for d in listed], [(name, "ann") for _, name in cases.values()])
        self.assertEqual(self.get(f"/api/workflows/{start}-a/draft").json["name"], "A laptop, please")

    def test_what_is_no_json_is_no_draft(self):
        path = f"/api/workflows/{self.fresh('draft')}/draft"
        for text, status in ((b"", 400), (b"{", 400), (b"\xff", 400), (b"[" * 2000, 413)):
            self.assertEqual(self.put(path, text).status, status)
        self.assertEqual(self.put("/api/workflows/" + "x" * 300 + "/draft", {}).status, 400)


def node(id, type, **more):
    return {"id": id, "type": type, **more}


class Runs(Case):
    """Runs of a flow graph that asks a person."""

    def publish(self, **more):
        document = {
            "dialect": "graph/1", "definitionId": self.fresh("leave"), "name": "Leave",
            "nodes": [
                node("t", "trigger_manual"),
                node("ask", "human_task", config={"title": "May {{ trigger.payload.who }} go?", "decisions": ["yes", "no"], "assignees": ["boss"]}),
                node("note", "set_variables", config={"values": {"answer": "{{ __resume.decision }}"}}),
                node("end", "end", config={"result": {"answer": "{{ vars.answer }}"}}),
            ],
            "edges": [{"from": "t", "to": "ask"}, {"from": "ask", "to": "note", "default": True}, {"from": "note", "to": "end"}],
            **more,
        }
        answer = self.post("/api/workflows", document)
        self.assertEqual(answer.status, 201, answer)
        return document["definitionId"]

    def start(self, name, **body):
        answer = self.post(f"/api/workflows/{name}/start", body)
        self.assertEqual(answer.status, 201, answer)
        return answer.json

    def resume(self, run, body, actor=None, key=None):
        headers = {**({"X-Actor": actor} if actor else {}), **({"Idempotency-Key": key} if key else {})}
        return self.post(f"/api/workflows/{run['instanceId']}/resume", body, headers)

    def test_who_acts_is_a_text(self):
        """It is stored with what was done, and what is no UTF-8 could not be read again."""
        run, draft = self.start(self.publish(), input={"who": "ann"}), f"/api/workflows/{self.fresh('half')}/draft"
        for actor in ("\xff", "a" * 257):
            self.assertEqual(self.resume(run, {"decision": "yes"}, actor).status, 400)
            self.assertEqual(self.client.request("PUT", draft, {"half": "done"}, {"X-Actor": actor}).status, 400)
            self.assertEqual(self.get(draft).status, 404)
        self.assertEqual(self.client.request("PUT", draft, {"half": "done"}, {"X-Actor": "a" * 256}).status, 201)

    def test_a_task_of_a_group_is_resumed_by_its_members(self):
        """X-Groups"""
        name = self.fresh("grouped")
        ask = {"id": "ask", "type": "human_task", "config": {"title": "x", "groups": ["hr"], "decisions": ["yes"]}}
        self.publish(definitionId=name, nodes=[{"id": "t", "type": "trigger_manual"}, ask, {"id": "end", "type": "end"}],
                     edges=[{"from": "t", "to": "ask"}, {"from": "ask", "to": "end"}])
        path, headers = f"/api/workflows/{self.start(name)['instanceId']}/resume", {"X-Actor": "ann"}
        self.assertEqual(self.post(path, {"decision": "yes"}, headers).json["code"], "NOT_ASSIGNED")
        self.assertEqual(self.post(path, {"decision": "yes"}, {**headers, "X-Groups": "hr"}).status, 200)

    def test_a_run_asks_and_goes_on(self):
        run = self.start(self.publish(), input={"who": "ann"})
        self.assertEqual((run["status"], len(run["openTasks"])), ("waiting_for_human", 1))
        for body, actor, status, code in [
            ({"decision": "yes"}, "eve", 403, "NOT_ASSIGNED"),
            ({"decision": "perhaps"}, "boss", 422, "VALIDATION_FAILED"),
            ({"decision": "yes", "taskId": "nonsense"}, "boss", 404, "TASK_NOT_FOUND"),
        ]:
            refused = self.resume(run, body, actor)
            self.assertEqual((refused.status, refused.json.get("code")), (status, code), refused)
        key = self.fresh("key")
        first, again = (self.resume(run, {"decision": "yes"}, "boss", key) for _ in range(2))
        self.assertEqual((first.status, first.json["status"], first.body), (200, "completed", again.body))
        late = self.resume(run, {"decision": "no"}, "boss")
        self.assertEqual((late.status, late.json["code"]), (409, "NOT_WAITING"))
        self.assertEqual(self.post("/api/workflows/01J00000000000000000000000/resume", {}).json["code"], "INSTANCE_NOT_FOUND")
        seen = self.get("/api/runs/" + run["instanceId"]).json
        self.assertEqual((seen["status"], seen["result"]), ("completed", {"answer": "yes"}))

    def test_runs_are_listed_cancelled_and_replayed(self):
        name = self.publish()
        runs = [self.start(name, input={"who": who})["instanceId"] for who in ("ann", "bob", "carl")]
        stopped = self.post(f"/api/workflows/{runs[0]}/cancel", {"reason": "changed my mind"})
        self.assertEqual((stopped.status, stopped.json["status"]), (200, "terminated"))
        page = self.get(f"/api/workflows/{name}/runs?pageSize=2").json
        self.assertEqual([r["instanceId"] for r in page["items"]], [runs[2], runs[1]])
        rest = self.get(f"/api/workflows/{name}/runs?pageSize=2&cursor={page['nextCursor']}").json
        self.assertEqual([r["instanceId"] for r in rest["items"]], [runs[0]])
        ended = self.get(f"/api/workflows/{name}/runs?status=terminated").json
        self.assertEqual([r["instanceId"] for r in ended["items"]], [runs[0]])
        for word, found in (("waiting_for_human", runs[:0:-1]), ("waiting", runs[:0:-1]), ("WAITING", runs[:0:-1]), ("person", runs[:0:-1]),
                            ("suspended", []), ("running", []), ("active", []), ("cancelled", runs[:1]), ("CANCELLED", runs[:1])):
            listed = self.get(f"/api/workflows/{name}/runs?status={word}").json
            self.assertEqual(([r["instanceId"] for r in listed["items"]], "nextCursor" in listed), (found, False), word)
        odd = self.get(f"/api/workflows/{name}/runs?status=odd")
        self.assertEqual((odd.status, "waiting_for_human, suspended" in odd.json["detail"]), (400, True))
        again = self.post(f"/api/workflows/{runs[0]}/replay", {})
        self.assertEqual((again.status, again.json["status"]), (201, "waiting_for_human"), again)
        self.assertEqual(again.json["trigger"]["payload"], {"who": "ann"})

    def test_a_test_run_asks_nobody(self):
        run = self.start(self.publish(), input={"who": "ann"}, isTest=True)
        self.assertEqual((run["status"], run["isTest"], run["result"]), ("completed", True, {"answer": "yes"}))

    def test_wrong_starts_are_refused(self):
        name = self.publish()
        for body, status in [({"trigger": "nobody"}, 404), ({"version": -1}, 400), ({"isTest": "yes"}, 400), ([], 400)]:
            self.assertEqual(self.post(f"/api/workflows/{name}/start", body).status, status, body)
        self.assertEqual(self.post("/api/workflows/nobody/start", {}).status, 404)

    def test_the_palette_of_nodes(self):
        types = {t["type"]: t for t in self.get("/api/node-types").json["nodeTypes"]}
        self.assertEqual(types["parallel"]["label"], "Split & Wait")
        self.assertIn("action_http", types)
        self.assertEqual((types["LogicGate"]["portsBy"], types["LogicGate"]["inputs"]), ("rules", ["eval"]))


if __name__ == "__main__":
    main()
