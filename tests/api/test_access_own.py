"""A person sees and does their own tasks only; a narrowed grant counts for its objects only, one by one and in lists."""

from accounts import Accounts, PAGE, Stream, bearer
from harness import main
from steps import end, person, service, wait


class OwnTasks(Accounts):
    def setUp(self):
        super().setUp()
        self.group = self.fresh("group")
        self.ann, self.bob = self.user("person", groups=[self.group]), self.user("person")
        self.as_ann, self.as_bob = ({**self.login(name), **PAGE} for name in (self.ann, self.bob))

    def task(self, **details):
        name = self.upload_as_root([person("ask", "end", **details), end()])
        self.flows = [*getattr(self, "flows", []), name]
        run = self.run_as_root(name)
        return self.ask("GET", f"/api/tasks?instanceId={run}").json["items"][0]["id"]

    def ids(self, path, caller):
        return [one["id"] for one in self.ask("GET", path, None, caller).json["items"]]

    def test_a_person_sees_what_names_them_a_group_of_theirs_or_nobody(self):
        mine, ours, free, others = self.task(assignee=self.ann), self.task(candidateGroups=[self.group]), self.task(), self.task(assignee=self.bob)
        for task, status in ((mine, 200), (ours, 200), (free, 200), (others, 404)):
            self.assertEqual(self.ask("GET", f"/api/tasks/{task}", None, self.as_ann).status, status)
            self.assertEqual(self.ask("GET", f"/api/tasks/{task}", None, self.bearer("viewer")).status, 200)
        for path, caller, seen in (("/v1/user-tasks", self.as_ann, [mine, ours, free]), ("/v1/user-tasks", self.as_bob, [free, others]),
                                   ("/api/tasks", self.as_ann, [mine, ours, free]), ("/api/tasks?keyword=ask", self.as_ann, [mine, ours, free])):
            found = []
            for name in self.flows:
                found += self.ids(f"{path}{'&' if '?' in path else '?'}definitionId={name}", caller)
            self.assertEqual(found, seen, path)
        answer = self.ask("GET", f"/v1/user-tasks?definitionId={self.flows[3]}", None, self.as_ann).json
        self.assertEqual((answer["items"], answer["total"], "nextCursor" in answer), ([], 0, False))

    def test_nothing_can_be_done_with_a_task_of_somebody_else(self):
        others = self.task(assignee=self.bob)
        run = self.ask("GET", f"/api/tasks/{others}").json["instanceId"]
        for path, body in ((f"/api/tasks/{others}/claim", {}), (f"/api/tasks/{others}/unclaim", {}), (f"/api/tasks/{others}/comment", {"comment": "x"}),
                           (f"/api/tasks/{others}/complete", {}), (f"/v1/user-tasks/{others}/complete", {}), (f"/v1/instances/{run}/user-tasks/ask/complete", {})):
            self.assertEqual(self.ask("POST", path, body, self.as_ann).status, 404, path)
        resumed = self.ask("POST", f"/api/workflows/{run}/resume", {}, self.as_ann)
        self.assertEqual((resumed.status, resumed.json["code"]), (409, "NOT_WAITING"))
        self.assertEqual(self.ask("POST", f"/api/tasks/{others}/complete", {}, self.as_bob).status, 204)
        self.assertEqual([self.ask("GET", f"/api/tasks/{others}", None, caller).status for caller in (self.as_ann, self.as_bob)], [404, 200])

    def test_a_page_that_has_nothing_of_ones_own_does_not_hide_later_ones(self):
        """More tasks of others than one part of the list, and one's own behind them."""
        name = self.upload_as_root([{"id": "fork", "name": "fork", "type": "PARALLEL_GATEWAY", "parallelNextSteps": [f"p{i}" for i in range(60)], "joinStep": "join"},
                                    *[person(f"p{i}", "join", assignee=self.bob) for i in range(60)], {"id": "join", "name": "join", "type": "JOIN_GATEWAY", "nextStep": "last"}, person("last", "end"), end()])
        for _ in range(18):
            self.run_as_root(name)
        mine = self.task(assignee=self.ann)
        for path in ("/v1/user-tasks?pageSize=2", "/api/tasks?pageSize=2"):
            found, cursor = [], ""
            while True:
                page = self.ask("GET", path + cursor, None, self.as_ann).json
                found += [one["id"] for one in page["items"]]
                self.assertTrue(page["items"] or "nextCursor" not in page, page)
                if "nextCursor" not in page:
                    break
                cursor = f"&cursor={page['nextCursor']}"
            self.assertIn(mine, found)
            self.assertEqual(len(found), len(set(found)))
        self.assertEqual(self.ask("GET", "/v1/user-tasks?pageSize=1", None, self.as_ann).json["total"], len(found))

    def test_feeds_and_live_topics_tell_of_ones_own_only(self):
        with Stream(self.server, "/api/tasks/stream", self.as_ann) as feed, Stream(self.server, "/api/live?topics=tasks", self.as_ann) as live:
            feed.next("ready"), live.next("ready")
            self.task(assignee=self.bob)
            mine = self.task(assignee=self.ann)
            self.assertEqual(feed.next("task")["id"], mine)
            self.assertEqual(live.next("changed"), {"kind": "tasks", "many": True})
        for query in (f"person={self.bob}", "group=some-other"):
            self.assertEqual(self.ask("GET", f"/api/tasks/stream?{query}", None, self.as_ann).status, 403)

    # ---- identity ----

    def test_a_task_is_handed_over_by_whom_may_do_that_with_all(self):
        mine = self.task(assignee=self.ann)
        refused = self.ask("POST", f"/api/tasks/{mine}/assign", {"assignee": self.bob}, self.as_ann)
        self.assertEqual((refused.status, refused.json["permission"], refused.json["roles"]), (403, "tasks:all", ["operator", "admin"]))
        looks = {**self.login(self.user("person", "viewer")), **PAGE}
        self.assertEqual(self.ask("POST", f"/api/tasks/{mine}/assign", {"assignee": self.bob}, looks).status, 403)
        operator = self.user("operator")
        cookie = {**self.login(operator), **PAGE}
        self.assertEqual(self.ask("POST", f"/api/tasks/{mine}/assign", {"assignee": self.bob, "by": self.ann}, cookie).status, 403)
        given = self.ask("POST", f"/api/tasks/{mine}/assign", {"assignee": self.bob}, cookie)
        self.assertEqual((given.status, given.json["assignee"]), (200, self.bob))
        self.assertEqual(self.ask("GET", f"/api/tasks/{mine}").json["history"][-1]["by"], operator)

    def test_modify_passes_a_task_by_under_ones_own_name_and_does_not_complete_it(self):
        mine = self.task(assignee=self.ann)
        run = self.ask("GET", f"/api/tasks/{mine}").json["instanceId"]
        move = {"move": [{"from": "ask", "to": "end"}]}
        operator = self.user("operator")
        cookie = {**self.login(operator), **PAGE}
        self.assertEqual(self.ask("POST", f"/v1/instances/{run}/modify", move, self.as_ann).json["permission"], "instances:operate")
        self.assertEqual(self.ask("POST", f"/v1/instances/{run}/modify", {**move, "by": self.ann}, cookie).status, 403)
        self.assertEqual(self.ask("POST", f"/v1/instances/{run}/modify", move, {**cookie, "X-Actor": self.ann}).status, 403)
        self.assertEqual(self.ask("POST", f"/v1/instances/{run}/modify", move, cookie).status, 200)
        ended = self.ask("GET", f"/api/tasks/{mine}").json
        self.assertEqual((ended["state"], ended["endedBy"]), ("cancelled", operator))


class Starts(Accounts):
    def test_startable_by_says_who_starts_by_hand(self):
        """startableBy names roles or groups, in every family; older versions do not get around it."""
        group, steps, states, graph = (self.fresh(word) for word in ("group", "steps", "states", "graph"))
        documents = [{"id": steps, "name": steps, "steps": [end("e")]},
                     {"id": states, "name": states, "startsAt": "A", "states": [{"name": "A", "type": "DELAY", "timeDelay": "PT1S", "end": True}]},
                     {"dialect": "graph/1", "definitionId": graph, "name": graph, "nodes": [{"id": "t", "type": "trigger_manual"}, {"id": "end", "type": "end"}], "edges": [{"from": "t", "to": "end"}]}]
        member, other = ({**self.login(self.user("person", groups=groups)), **PAGE} for groups in ([group], []))
        sender, builder = self.bearer("sender"), self.bearer("sender", "builder")
        for document in documents:
            name = document.get("id") or document["definitionId"]
            self.assertEqual(self.ask("POST", "/v1/definitions", document).status, 201)
            with_rule = {**document, "startableBy": [group, "builder"]}
            answer = self.ask("POST", "/v1/definitions", with_rule)
            self.assertEqual((answer.status, answer.json.get("warnings", [])), (201, []), answer)
            for caller, may in ((member, True), (other, False), (sender, False), (builder, True)):
                for version in ({}, {"definitionVersion": 1}):
                    started = self.ask("POST", "/v1/instances", {"definitionId": name, **version}, caller)
                    # A person starts the first version of steps and states by nothing at all: it is for nobody.
                    expected = 201 if may and not (version and caller is member and document is not documents[2]) else 403
                    self.assertEqual(started.status, expected, (name, version, started))
                self.assertEqual(self.ask("GET", f"/api/definitions/{name}", None, caller).json["mayStart"], may)
            for wrong in ("boss", [1], [""], {}):
                refused = self.ask("POST", "/v1/definitions", {**document, "startableBy": wrong})
                self.assertEqual(refused.status, 400)
                self.assertIn("startableBy", str(refused.json["problems"]))


class Narrowed(Accounts):
    """A grant for some objects counts for those, also in lists, counts, searches and streams."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.made = None

    def setUp(self):
        super().setUp()
        if not Narrowed.made:
            Narrowed.made = self.make()
        self.shop, self.bank, self.ships, self.pays = Narrowed.made

    def make(self):
        names = [f"{word}::{self.fresh()}" for word in ("SHOP", "BANK")]
        for name in names:
            self.upload_as_root([service("work", "ask"), person("ask", "end"), end()], id=name)
            for version in range(3):
                self.run_as_root(name, businessKey=f"{name}-{version}")
        models = [self.fresh(word) for word in ("Ship", "Pay")]
        for model in models:
            self.assertEqual(self.ask("POST", f"/api/model/import/JSON/SAMPLE_DATA/{model}/1", {"a": 1}).status, 200)
            self.assertEqual(self.ask("PUT", f"/api/model/{model}/1/lock").status, 200)
            self.assertEqual(self.ask("POST", f"/api/entity/JSON/{model}/1", {"a": 1}).status, 200)
        return (*names, *models)

    def test_definitions(self):
        viewer = self.bearer("viewer", scopes=["definitions:read:SHOP::*"])
        for path in ("/v1/definitions", "/v1/definitions?pageSize=1", "/api/definitions", "/api/workflows", "/api/tables", "/api/triggers"):
            body = self.ask("GET", path, None, viewer).body.decode()
            self.assertNotIn("BANK", body, path)
        page = self.ask("GET", "/v1/definitions", None, viewer).json
        self.assertEqual([one["id"] for one in page["items"]], [self.shop])
        self.assertEqual(page["total"], 1)
        for path in ("/v1/definitions/{}", "/api/definitions/{}", "/api/workflows/{}", "/api/workflows/{}/versions", "/api/definitions/{}/compare?from=1&to=1", "/api/definitions/{}/versions/1/picture"):
            for name, status in ((self.shop, 200), (self.bank, 403)):
                self.assertEqual(self.ask("GET", path.format(name.replace(":", "%3A")), None, viewer).status, status, (path, name))

    def test_instances(self):
        viewer = self.bearer("viewer", scopes=["instances:read:SHOP::*", "definitions:read"])
        bank = self.ask("GET", f"/v1/instances?definitionId={self.bank.replace(':', '%3A')}").json["items"][0]["id"]
        for path in ("/v1/instances?pageSize=2", "/api/instances", "/api/instances?pageSize=2", "/v1/jobs", "/api/arrivals", "/api/instances/groups", f"/v1/instances?definitionId={self.bank.replace(':', '%3A')}",
                     f"/api/instances?definitionId={self.bank.replace(':', '%3A')}", "/v1/bulk"):
            body = self.ask("GET", path, None, viewer).body.decode()
            self.assertNotIn("BANK", body, path)
            self.assertNotIn(bank, body, path)
        page = self.ask("GET", "/v1/instances?pageSize=2", None, viewer).json
        self.assertEqual((len(page["items"]), page["total"]), (2, 3))
        rest = self.ask("GET", f"/v1/instances?pageSize=2&cursor={page['nextCursor']}", None, viewer).json
        self.assertEqual((len(rest["items"]), "nextCursor" in rest), (1, False))
        self.assertEqual(len(self.ask("GET", "/v1/instances?pageSize=2&page=1", None, viewer).json["items"]), 1)
        self.assertEqual(len(self.ask("GET", "/v1/jobs", None, viewer).json["items"]), 3)
        for path in (f"/v1/instances/{bank}", f"/v1/instances/{bank}/history", f"/v1/instances/{bank}/explain", f"/api/instances/{bank}", f"/v1/instances/{bank}/events"):
            self.assertEqual(self.ask("GET", path, None, viewer).status, 403, path)
        with Stream(self.server, f"/api/live?topics=instances,definitions,instances/{bank}", viewer) as live:
            live.next("ready")
            self.run_as_root(self.bank)
            self.assertEqual(live.next("changed"), {"kind": "instances", "many": True})

    def test_commands_for_many(self):
        operator = self.bearer("operator", scopes=["instances:operate:SHOP::*", "instances:read"])
        asked = {"action": "cancel", "filter": {"businessKey": "nobody has it"}}
        refused = self.ask("POST", "/v1/bulk", asked, operator)
        self.assertEqual((refused.status, refused.json["object"]), (403, "*"))
        for name, status in ((self.bank, 403), (self.shop, 202)):
            begun = self.ask("POST", "/v1/bulk", {**asked, "filter": {**asked["filter"], "definitionId": name}}, operator)
            self.assertEqual(begun.status, status, begun)
        of_bank = self.ask("POST", "/v1/bulk", {**asked, "filter": {**asked["filter"], "definitionId": self.bank}}).json["id"]
        self.assertEqual(self.ask("POST", f"/v1/bulk/{of_bank}/cancel", {}, operator).status, 404)
        viewer = self.bearer("viewer", scopes=["instances:read:SHOP::*"])
        self.assertEqual([one["filter"]["definitionId"] for one in self.ask("GET", "/v1/bulk", None, viewer).json["items"]], [self.shop])
        self.assertEqual([self.ask("GET", path, None, viewer).status for path in (f"/v1/bulk/{of_bank}", f"/v1/bulk/{of_bank}/results", "/v1/instances/reasons")], [404, 404, 403])

    def test_entities_by_model(self):
        reader = self.bearer("viewer", "sender", scopes=[f"entities:read:{self.ships}", f"entities:write:{self.ships}", f"definitions:read:{self.ships}"])
        condition = {"type": "simple", "jsonPath": "$.a", "operatorType": "EQUALS", "value": 1}
        pay = self.ask("GET", f"/api/entity/{self.pays}/1").json[0]["meta"]["id"]
        ship = self.ask("GET", f"/api/entity/{self.ships}/1").json[0]["meta"]["id"]
        started = self.ask("POST", f"/api/search/async/{self.pays}/1", condition).json
        for path in ("/api/entity/stats", "/api/entity/stats/states", "/api/model", "/api/entity/stats?pointInTime=2999-01-01T00:00:00Z"):
            body = self.ask("GET", path, None, reader).body.decode()
            self.assertNotIn(self.pays, body, path)
            self.assertIn(self.ships, body, path)
        past = "pointInTime=2999-01-01T00:00:00Z"
        for model, entity, allowed in ((self.ships, ship, True), (self.pays, pay, False)):
            for method, path, body in (("GET", f"/api/entity/stats/{model}/1", None), ("GET", f"/api/entity/stats/states/{model}/1", None), ("GET", f"/api/entity/{model}/1", None),
                                       ("POST", f"/api/entity/stats/{model}/1/query", {"groupBy": ["state"]}), ("POST", f"/api/search/direct/{model}/1", condition), ("POST", f"/api/search/async/{model}/1", condition),
                                       ("POST", f"/api/search/page/{model}/1", condition), ("GET", f"/api/entity/{entity}", None), ("GET", f"/api/entity/{entity}?{past}", None), ("GET", f"/api/entity/{entity}/changes", None),
                                       ("GET", f"/api/entity/{entity}/transitions", None), ("GET", f"/api/audit/entity/{entity}", None), ("POST", f"/api/entity/JSON/{model}/1", {"a": 2}),
                                       ("PUT", f"/api/entity/JSON/{entity}", {"a": 1}), ("GET", f"/api/model/export/SIMPLE_VIEW/{model}/1", None)):
                status = self.ask(method, path, body, reader).status
                self.assertEqual(status == 200, allowed, (method, path, status))
                self.assertIn(status, (200, 403), (method, path))
        for method, path in (("GET", ""), ("GET", "/status"), ("PUT", "/cancel")):
            self.assertEqual(self.ask(method, f"/api/search/async/{started}{path}", None, reader).status, 404, path)
        self.assertEqual(self.ask("DELETE", f"/api/entity/{self.pays}/1", None, reader).status, 403)
        self.assertEqual(self.ask("DELETE", f"/api/entity/{entity}", None, reader).status, 403)
        self.assertEqual(len(self.ask("GET", f"/api/entity/{self.pays}/1").json), 1)

    def test_tasks_drafts_triggers_and_secrets(self):
        viewer = self.bearer("viewer", scopes=["tasks:read:SHOP::*", "instances:read:SHOP::*"])
        for path in ("/v1/user-tasks", "/api/tasks"):
            self.assertNotIn("BANK", self.ask("GET", path, None, viewer).body.decode())
        for name in (self.shop, self.bank):
            self.ask("PUT", f"/api/workflows/{name.replace(':', '%3A')}/draft", {"name": "x"})
            self.ask("PUT", f"/api/secrets/{name[:4].lower()}_key", {"value": "x"})
        drafts = self.bearer("builder", scopes=["definitions:write:SHOP::*"])
        self.assertEqual([one["definitionId"] for one in self.ask("GET", "/api/workflows/drafts?pageSize=1", None, drafts).json["items"]], [self.shop])
        secrets = self.bearer("admin", scopes=["secrets:write:shop_*"])
        self.assertEqual([one["name"] for one in self.ask("GET", "/api/secrets?pageSize=1", None, secrets).json["items"]], ["shop_key"])
        pauses = self.bearer("operator", scopes=["triggers:operate:SHOP::*"])
        self.assertEqual([self.ask("POST", f"/api/triggers/{name.replace(':', '%3A')}/t/pause", {}, pauses).status for name in (self.shop, self.bank)], [404, 403])


if __name__ == "__main__":
    main()
