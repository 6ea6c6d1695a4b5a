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


if __name__ == "__main__":
    main()
