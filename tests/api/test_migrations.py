"""Living instances go on with another version of their definition: looked at first, done in the background, undone."""

import shutil
import tempfile

from harness import Client, Server, main
from steps import end, fork, join, person, service, timer, wait
from test_bulk import STRUCTURED, Bulk
from workflows import delay, event, on, trigger


class Migrations(Bulk):
    def versions(self, *documents, **more):
        """A definition with these versions."""
        name = self.fresh("migrating")
        for number, steps in enumerate(documents, 1):
            answer = self.post("/v1/definitions", {"id": name, "name": f"{name} {number}", "steps": steps, **more})
            self.assertEqual((answer.status, answer.json["version"]), (201, number), answer)
        return name

    def starts(self, name, count=1, version=1, **more):
        return [self.start(name, definitionVersion=version, **more)["id"] for _ in range(count)]

    def migrate(self, name, to=2, **more):
        answer = self.post("/api/migrations", {"definitionId": name, "from": 1, "to": to, **more})
        self.assertEqual(answer.status, 202, answer)
        return self.finished(answer.json)

    def preview(self, name, to=2, **more):
        answer = self.post("/api/migrations", {"definitionId": name, "from": 1, "to": to, "dryRun": True, **more})
        self.assertEqual(answer.status, 200, answer)
        return answer.json

    def undo(self, bulk, **more):
        answer = self.post(f"/v1/bulk/{bulk['id']}/undo", more)
        self.assertEqual(answer.status, 202, answer)
        return self.finished(answer.json)

    def at(self, one):
        got = self.instance(one)
        return got["definitionVersion"], got["currentStepIds"]

    def why(self, bulk, outcome="refused"):
        return [one["reason"] for one in self.results(bulk, outcome=outcome)]


class Moving(Migrations):
    def test_an_instance_follows_the_new_version(self):
        name = self.versions([wait("ask", "end"), end()], [wait("ask", "more"), wait("more", "end"), end()])
        one, = self.starts(name)
        bulk = self.migrate(name, reason="one step more")
        self.assertEqual(self.counts(bulk), {"found": 1, "done": 1, "succeeded": 1, "skipped": 0, "refused": 0})
        self.assertEqual((bulk["action"], bulk["filter"], bulk["to"], bulk["reason"]),
                         ("migrate", {"definitionId": name, "definitionVersion": 1}, 2, "one step more"))
        self.assertEqual(self.at(one), (2, ["ask"]))
        act = self.get(f"/v1/instances/{one}/history").json["acts"][-1]
        self.assertEqual(act["what"], "migrated")
        self.assertIn("one step more", act["comment"])
        self.post(f"/v1/instances/{one}/signals/ask")
        self.assertEqual(self.at(one), (2, ["more"]))
        self.assertEqual([item["stepId"] for item in self.get(f"/v1/instances/{one}/history").json["items"]], ["ask", "more"])
        self.assertEqual(self.get(f"/api/instances/{one}").json["definitionVersion"], 2)

    def test_jobs_tasks_and_timers_stay_what_they_are(self):
        kind = self.fresh("kind")
        steps = [fork("split", ["work", "look", "rest"], "meet"), service("work", "meet", kind),
                 person("look", "meet", boundaryEvents=[timer("PT1H", "end")]), wait("rest", "meet"), join("meet", "end"), end()]
        more = [*steps[:-2], join("meet", "last"), wait("last", "end"), end()]
        name = self.versions(steps, more)
        one, = self.starts(name)
        job = self.take(kind)
        task, = self.get(f"/v1/user-tasks?instanceId={one}").json["items"]
        due = self.get(f"/v1/instances/{one}/explain").json["tokens"]
        self.assertEqual(self.counts(self.migrate(name))["succeeded"], 1)
        after, = self.get(f"/v1/user-tasks?instanceId={one}").json["items"]
        self.assertEqual({**after, "definitionVersion": 1}, {**task, "definitionVersion": 1})
        self.assertEqual(self.get(f"/v1/instances/{one}/explain").json["tokens"], due)
        self.complete(job)
        self.assertEqual(self.post(f"/v1/user-tasks/{task['id']}/complete", {"completedBy": "ann"}).status, 204)
        self.post(f"/v1/instances/{one}/signals/rest")
        self.assertEqual(self.at(one), (2, ["last"]))

    def test_a_failed_instance_moves_and_is_retried_in_one_go(self):
        kind = self.fresh("kind")
        name = self.versions([service("charge", "end", kind, retryCount=0), end()], [service("charge", "over", kind, retryCount=0), end("over")])
        ids = self.starts(name, 2)
        for job in self.poll(kind):
            self.fail_job(job, "card declined")
        self.assertEqual(self.preview(name, where={"reasonContains": "declined"})["moves"], 2)
        bulk = self.migrate(name, where={"ids": ids[:1]})
        self.assertEqual(self.counts(bulk)["succeeded"], 1)
        self.assertEqual((self.instance(ids[0])["status"], self.at(ids[0])), ("ACTIVE", (2, ["charge"])))
        self.complete(self.take(kind))
        self.assertEqual(self.ended(ids[0])["status"], "COMPLETED")
        bulk = self.migrate(name, retry=False)
        got = self.instance(ids[1])
        self.assertEqual((self.counts(bulk)["succeeded"], got["status"], got["definitionVersion"], got["failureReason"]),
                         (1, "FAILED", 2, "card declined"))
        self.assertEqual(self.get(f"/v1/instances/reasons?definitionId={name}").json["groups"][0]["definitionVersion"], 2)

    def test_the_history_names_the_person(self):
        name = self.versions([wait("ask", "end"), end()], [wait("ask", "more"), wait("more", "end"), end()])
        one, = self.starts(name)
        bulk = self.finished(self.post("/api/migrations", {"definitionId": name, "from": 1, "to": 2}, {"X-Actor": "ann"}).json)
        back = self.finished(self.post(f"/v1/bulk/{bulk['id']}/undo", None, {"X-Actor": "bob"}).json)
        acts = self.get(f"/v1/instances/{one}/history").json["acts"]
        self.assertEqual([(act["what"], act["by"]) for act in acts], [("migrated", f"ann, bulk {bulk['id']}"), ("migrated", f"bob, bulk {back['id']}")])

    def test_a_mapping_names_the_node_that_goes_on(self):
        name = self.versions([wait("old", "end"), end()], [wait("new", "end"), end()])
        one, = self.starts(name)
        refused = self.migrate(name)
        self.assertEqual((self.counts(refused)["refused"], self.at(one)), (1, (1, ["old"])))
        self.assertIn('no step for "old"', self.why(refused)[0])
        self.assertEqual(self.counts(self.migrate(name, map={"old": "new"}))["succeeded"], 1)
        self.assertEqual(self.at(one), (2, ["new"]))
        self.post(f"/v1/instances/{one}/signals/new")
        self.assertEqual(self.ended(one)["status"], "COMPLETED")

    def test_events_find_an_instance_under_its_new_version(self):
        source, name = "/" + self.fresh("source"), self.fresh("events")

        def send(kind):
            sent = {"specversion": "1.0", "id": self.fresh("e"), "source": source, "type": kind, "data": {}}
            return self.post("/v1/events", sent, {"Content-Type": STRUCTURED}).json["events"][0]
        for number in (1, 2):
            self.upload_workflow(event("First", on("go", "Bell")), event("Bell", on("bell", "Rest" if number == 2 else None)), *([delay("Rest", "PT1H")] if number == 2 else []),
                                 id=name, name=f"{name} {number}", triggers=[trigger("go", source, "go"), trigger("bell", source, "bell")])
        one = self.start(name, definitionVersion=1)["id"]
        self.assertEqual(send("go")["instances"][0]["id"], one)
        self.assertEqual(self.counts(self.migrate(name))["succeeded"], 1)
        got = send("bell")
        self.assertEqual((got["outcome"], [it["id"] for it in got["instances"]]), ("delivered", [one]))
        self.assertEqual(self.at(one), (2, ["Rest"]))


class Looking(Migrations):
    def test_a_preview_sorts_into_three(self):
        name = self.versions([wait("a", "b"), wait("b", "c"), wait("c", "end"), end()], [wait("a", "x"), wait("x", "end"), end()])
        ids = self.starts(name, 4)
        for one in ids[1:]:
            self.post(f"/v1/instances/{one}/signals/a")
        for one in ids[2:]:
            self.post(f"/v1/instances/{one}/signals/b")
        got = self.preview(name, map={"b": "x"})
        self.assertEqual((got["found"], got["moves"], got["mapped"], got["cannotMove"]), (4, 1, 1, 2))
        groups = {group["verdict"]: group for group in got["groups"]}
        self.assertEqual(groups["moves"]["examples"], ids[:1])
        self.assertEqual(groups["mapped"]["examples"], ids[1:2])
        self.assertEqual((groups["cannot-move"]["examples"], groups["cannot-move"]["count"], groups["cannot-move"]["code"]), (ids[2:], 2, "NODE_GONE"))
        self.assertIn('"c"', groups["cannot-move"]["reason"])
        self.assertEqual([self.at(one)[0] for one in ids], [1] * 4)
        self.assertEqual(self.counts(self.migrate(name, map={"b": "x"})), {"found": 4, "done": 4, "succeeded": 2, "skipped": 0, "refused": 2})

    def test_what_cannot_be_asked_for(self):
        name = self.versions([wait("ask", "end"), end()], [wait("ask", "end"), wait("b", "end"), end()][:1] + [end()])
        good = {"definitionId": name, "from": 1, "to": 2}
        for change, status, words in (
                ({"to": 1}, 400, "the version that the instances have already"), ({"to": 7}, 404, "has no version 7"),
                ({"from": 7}, 404, "has no version 7"), ({"definitionId": "nobody"}, 404, "has no version"),
                ({"to": 0}, 400, "to must be a version"), ({"to": None}, 400, "to must be"), ({"from": "1"}, 400, "from must be"),
                ({"map": {"ask": "aks"}}, 400, 'did you mean "ask"?'), ({"map": {"gone": "ask"}}, 400, 'version 1 has no step "gone"'),
                ({"map": {"ask": 7}}, 400, "map.ask must be"), ({"map": {str(n): "ask" for n in range(201)}}, 413, "NODE_MAPPINGS_MAX"),
                ({"where": {"definitionVersion": 1}}, 400, "definitionVersion"), ({"where": 7}, 400, "where must be"), ({"all": True}, 400, "all")):
            answer = self.post("/api/migrations", {**good, **change})
            self.assertEqual((answer.status, words in str(answer.json)), (status, True), (change, answer))
        for missing in good:
            answer = self.post("/api/migrations", {key: good[key] for key in good if key != missing})
            self.assertEqual((answer.status, missing in str(answer.json)), (400, True), answer)

    def test_a_version_without_instances(self):
        name = self.versions([wait("ask", "end"), end()], [wait("ask", "b"), wait("b", "end"), end()])
        self.starts(name, version=2)
        self.assertEqual(self.preview(name)["found"], 0)
        bulk = self.migrate(name)
        self.assertEqual((bulk["state"], bulk["found"]), ("done", 0))

    def test_a_retired_definition_takes_none(self):
        name = self.versions([wait("ask", "end"), end()], [wait("ask", "b"), wait("b", "end"), end()])
        one, = self.starts(name)
        self.assertEqual(self.post(f"/api/definitions/{name}/retire").status, 200)
        answer = self.post("/api/migrations", {"definitionId": name, "from": 1, "to": 2})
        self.assertEqual((answer.status, answer.json["code"]), (409, "DEFINITION_RETIRED"), answer)
        self.assertEqual(self.at(one), (1, ["ask"]))

    def test_the_same_key_begins_one(self):
        name = self.versions([wait("ask", "end"), end()], [wait("ask", "b"), wait("b", "end"), end()])
        self.starts(name)
        body, headers = {"definitionId": name, "from": 1, "to": 2}, {"Idempotency-Key": name}
        first, second = self.post("/api/migrations", body, headers), self.post("/api/migrations", body, headers)
        self.assertEqual((first.status, second.status, first.json["id"]), (202, 202, second.json["id"]))
        self.assertEqual(second.headers["Idempotency-Replayed"], "true")


class Back(Migrations):
    def test_what_has_not_moved_on_comes_back(self):
        name = self.versions([wait("old", "end"), end()], [wait("new", "last"), wait("last", "end"), end()])
        ids = self.starts(name, 3)
        bulk = self.migrate(name, map={"old": "new"})
        self.post(f"/v1/instances/{ids[1]}/signals/new")
        answer = self.post(f"/v1/bulk/{bulk['id']}/undo", {"dryRun": True})
        self.assertEqual((answer.status, answer.json["mapped"], answer.json["cannotMove"]), (200, 2, 1), answer)
        self.assertEqual([group["code"] for group in answer.json["groups"] if group["verdict"] == "cannot-move"], ["MOVED_ON"])
        back = self.undo(bulk, reason="too early")
        self.assertEqual((back["action"], back["bulk"], back["to"], back["filter"]),
                         ("undo", bulk["id"], 1, {"definitionId": name, "definitionVersion": 2}))
        self.assertEqual((self.counts(back)["succeeded"], self.counts(back)["refused"]), (2, 1))
        self.assertIn("moved on", self.why(back)[0])
        self.assertEqual([self.at(one) for one in ids], [(1, ["old"]), (2, ["last"]), (1, ["old"])])
        again = self.undo(back)
        self.assertEqual((self.counts(again)["succeeded"], self.at(ids[0])), (2, (2, ["new"])))

    def test_two_nodes_that_became_one(self):
        """Each instance knows from which node it came, unless it came from both."""
        def forked(*branches):
            return [fork("split", list(branches), "meet"), *(wait(one, "meet") for one in branches), join("meet", "end"), end()]
        name = self.versions([wait("a", "b"), wait("b", "end"), end()], [wait("b", "end"), end()])
        ids = self.starts(name, 2)
        self.post(f"/v1/instances/{ids[1]}/signals/a")
        bulk = self.migrate(name, map={"a": "b"})
        self.assertEqual([self.at(one) for one in ids], [(2, ["b"])] * 2)
        self.assertEqual(self.counts(self.undo(bulk))["succeeded"], 2)
        self.assertEqual([self.at(one) for one in ids], [(1, ["a"]), (1, ["b"])])
        name = self.versions(forked("a", "b"), forked("b", "c"))
        one, = self.starts(name)
        bulk = self.migrate(name, map={"a": "b"})
        self.assertEqual(self.at(one), (2, ["b"]))
        self.assertIn("two of its nodes became one", self.why(self.undo(bulk))[0])

    def test_what_cannot_be_undone(self):
        name = self.versions([wait("ask", "end"), end()], [wait("ask", "b"), wait("b", "end"), end()])
        self.starts(name)
        other = self.finished(self.begin(action="cancel", filter={"definitionId": self.fresh()}))
        self.refused(self.post(f"/v1/bulk/{other['id']}/undo"), 409, "only a migration can be undone")
        self.refused(self.post("/v1/bulk/00000000000000000000000001/undo"), 404, "not found")
        bulk = self.migrate(name)
        for body, words in (({"action": "undo", "bulk": bulk["id"], "to": 2}, "cannot lead elsewhere"), ({"action": "undo"}, "bulk must be"),
                            ({"action": "undo", "bulk": bulk["id"], "filter": {"definitionId": "x"}}, "cannot lead elsewhere")):
            self.refused(self.post("/v1/bulk", body), 400, words)


class AcrossACrash(Migrations):
    """A server of its own, which is killed while it is at it."""

    COUNT = 400

    def setUp(self):
        super().setUp()
        self.data = tempfile.mkdtemp(prefix="pawl-migrate-")
        self.addCleanup(shutil.rmtree, self.data)
        self.serve()
        self.addCleanup(lambda: self.own.stop())

    def serve(self):
        self.own = Server(data=self.data)
        self.client = Client(self.own)
        self.addCleanup(self.client.close)
        self.get, self.post = self.client.get, self.client.post

    def test_each_instance_once(self):
        name = self.versions([wait("ask", "end"), end()], [wait("ask", "more"), wait("more", "end"), end()])
        ids = self.starts(name, self.COUNT)
        bulk = self.post("/api/migrations", {"definitionId": name, "from": 1, "to": 2}).json
        self.own.kill()
        self.serve()
        got = self.finished(bulk)
        self.assertEqual(self.counts(got), {"found": self.COUNT, "done": self.COUNT, "succeeded": self.COUNT, "skipped": 0, "refused": 0})
        for one in ids[::37]:
            self.assertEqual(self.at(one), (2, ["ask"]))
        self.assertEqual(self.get(f"/v1/instances?definitionId={name}").json["total"], self.COUNT)

    def test_pause_and_resume(self):
        name = self.versions([wait("ask", "end"), end()], [wait("ask", "more"), wait("more", "end"), end()])
        ids = self.starts(name, self.COUNT)
        bulk = self.post("/api/migrations", {"definitionId": name, "from": 1, "to": 2}).json
        paused = self.post(f"/v1/bulk/{bulk['id']}/pause")
        self.assertEqual(paused.status, 200, paused)
        if paused.json["state"] == "paused":  # It may have been quicker.
            self.refused(self.post(f"/v1/bulk/{bulk['id']}/undo"), 409, "the migration is paused")
            self.own.kill()
            self.serve()
            self.assertEqual(self.get(f"/v1/bulk/{bulk['id']}").json["state"], "paused")
            self.assertEqual(self.post(f"/v1/bulk/{bulk['id']}/resume").json["state"], "running")
        self.assertEqual(self.counts(self.finished(bulk))["succeeded"], self.COUNT)
        self.assertEqual([self.at(one) for one in ids[::23]], [(2, ["ask"])] * len(ids[::23]))


if __name__ == "__main__":
    main()
