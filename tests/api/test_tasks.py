"""People's tasks, and waits for signals."""

from harness import Case, main, raw
from steps import decide, end, fork, join, person, service, transform, wait


class CompletingTasks(Case):
    def test_completion_merges_and_goes_on(self):
        got = self.start(self.upload([person("p", "end"), end()]), {"o": {"x": 1}})
        self.assertEqual((got["status"], got["currentStepIds"]), ("WAITING", ["p"]))
        answer = self.post(f"/v1/instances/{got['id']}/user-tasks/p/complete", {"workerId": "erika", "variables": {"o": {"y": 2}}})
        self.assertEqual((answer.status, answer.body), (204, b""))
        done = self.instance(got["id"])
        self.assertEqual((done["status"], done["variables"]), ("COMPLETED", {"o": {"y": 2}}))

    def test_bodies_in_every_spelling(self):
        name = self.upload([person("p", "end"), end()])
        for body, want in ((None, {}), (b"", {}), (b"null", {}), ({}, {}), ({"variables": None}, {}), ({"variables": {"a": 1}}, {"a": 1}),
                           ({"completedBy": "e", "result": {"a": 1}}, {"a": 1}), ({"result": None, "unknown": 3}, {}),
                           ({"variables": {"a": 1}, "result": {"a": 2}}, {"a": 1})):
            with self.subTest(body):
                got = self.start(name)
                self.assertEqual(self.post(f"/v1/instances/{got['id']}/user-tasks/p/complete", body).status, 204)
                self.assertEqual(self.instance(got["id"])["variables"], want)

    def test_bodies_that_are_refused_change_nothing(self):
        got = self.start(self.upload([person("p", "end"), end()]))
        for body in ([], "x", 3, True, b"{", {"variables": []}, {"variables": "x"}, {"result": 3}, {"workerId": 3}, {"completedBy": {}}):
            answer = self.post(f"/v1/instances/{got['id']}/user-tasks/p/complete", body)
            self.assertEqual((answer.status, answer.json["error"]), (400, "bad-request"), body)
        self.assertEqual(self.instance(got["id"])["status"], "WAITING")

    def test_what_is_not_there_or_not_a_task_or_not_open(self):
        self.assertEqual(self.post("/v1/instances/x/user-tasks/p/complete").status, 404)
        name = self.upload([person("p", "w"), wait("w", "q"), person("q", "end"), end()])
        got = self.start(name)["id"]
        for step, status in (("ghost", 404), ("w", 400), ("end", 400), ("q", 404), ("p", 204), ("p", 404), ("w", 400)):
            self.assertEqual(self.post(f"/v1/instances/{got}/user-tasks/{step}/complete").status, status, step)
        self.post(f"/v1/instances/{got}/signals/w")
        self.assertEqual(self.post(f"/v1/instances/{got}/user-tasks/q/complete").status, 204)
        self.assertEqual(self.post(f"/v1/instances/{got}/user-tasks/q/complete").status, 409)
        self.assertEqual(self.post(f"/v1/instances/{got}/user-tasks/w/complete").status, 400)
        self.assertEqual(self.post(f"/v1/instances/{got}/user-tasks/ghost/complete").status, 404)

    def test_a_failure_behind_the_task_is_the_instances_not_the_callers(self):
        got = self.start(self.upload([person("p", "d"), decide("d", {"false": "end"}), end()]))
        self.assertEqual(self.post(f"/v1/instances/{got['id']}/user-tasks/p/complete").status, 204)
        self.assertEqual(self.instance(got["id"])["status"], "FAILED")


class ListingTasks(Case):
    def tasks(self, query):
        return self.get("/v1/user-tasks?" + query).json

    def test_what_a_task_shows(self):
        name = self.upload([{**person("p", "end", jobType="form-a"), "name": "Look at it"}, end()])
        got = self.start(name, businessKey=f"key-{name}")
        task, = self.tasks(f"definitionId={name}")["items"]
        self.assertEqual({k: v for k, v in task.items() if k not in ("id", "createdAt")}, {
            "instanceId": got["id"], "stepId": "p", "name": "Look at it", "jobType": "form-a", "definitionId": name,
            "definitionVersion": 1, "businessKey": f"key-{name}"})

    def test_filters(self):
        kind = self.fresh("form")
        name = self.upload([fork("f", ["p", "q"], "j"), person("p", "j", jobType=kind), person("q", "j"), join("j", "end"), end()])
        one, two = self.start(name)["id"], self.start(name)["id"]
        self.assertEqual(self.tasks(f"definitionId={name}")["total"], 4)
        self.assertEqual([t["stepId"] for t in self.tasks(f"instanceId={one}")["items"]], ["p", "q"])
        self.assertEqual([t["instanceId"] for t in self.tasks(f"jobType={kind}")["items"]], [one, two])
        self.assertEqual(self.tasks(f"instanceId={one}&jobType={kind}")["total"], 1)
        for nothing in ("instanceId=x", "definitionId=ghost", "jobType=ghost", f"instanceId={one[:-1]}"):
            self.assertEqual(self.tasks(nothing)["items"], [], nothing)

    def test_a_cursor_goes_through_all_of_them(self):
        name = self.upload([person("p", "end"), end()])
        ids = [self.start(name)["id"] for _ in range(5)]
        seen, cursor = [], ""
        for _ in range(5):
            page = self.tasks(f"definitionId={name}&pageSize=2{cursor}")
            seen += [t["instanceId"] for t in page["items"]]
            if "nextCursor" not in page:
                break
            cursor = "&cursor=" + page["nextCursor"]
        self.assertEqual(seen, ids)
        self.refused(self.get("/v1/user-tasks?cursor=1"), 400, "cursor")

    def test_only_open_tasks_are_listed(self):
        name = self.upload([person("p", "q"), person("q", "end"), end()])
        got = self.start(name)["id"]
        self.post(f"/v1/instances/{got}/user-tasks/p/complete")
        self.assertEqual([t["stepId"] for t in self.tasks(f"instanceId={got}")["items"]], ["q"])
        self.post(f"/v1/instances/{got}/cancel")
        self.assertEqual(self.tasks(f"instanceId={got}")["items"], [])

    def test_a_failed_instance_hides_its_tasks_until_a_retry(self):
        kind = self.fresh()
        name = self.upload([fork("f", ["p", "s"], "j"), person("p", "j"), service("s", "j", kind), join("j", "end"), end()])
        got = self.start(name)["id"]
        self.fail_job(self.take(kind))
        self.assertEqual(self.tasks(f"instanceId={got}")["items"], [])


class CompletingById(Case):
    def test_by_the_id_of_the_list(self):
        got = self.start(self.upload([person("p", "end"), end()]))["id"]
        task, = self.get(f"/v1/user-tasks?instanceId={got}").json["items"]
        answer = self.post(f"/v1/user-tasks/{task['id']}/complete", {"completedBy": "erika", "result": {"a": 1}})
        self.assertEqual((answer.status, answer.body), (204, b""))
        self.assertEqual(self.instance(got)["variables"], {"a": 1})
        self.refused(self.post(f"/v1/user-tasks/{task['id']}/complete"), 404, task["id"])

    def test_the_id_names_one_visit(self):
        name = self.upload([person("p", "d"), decide("d", {"again": "p", "true": "end"}), end()])
        got = self.start(name, {"again": True})["id"]
        first, = self.get(f"/v1/user-tasks?instanceId={got}").json["items"]
        self.assertEqual(self.post(f"/v1/user-tasks/{first['id']}/complete").status, 204)
        second, = self.get(f"/v1/user-tasks?instanceId={got}").json["items"]
        self.assertNotEqual(first["id"], second["id"])
        self.assertEqual(self.post(f"/v1/user-tasks/{first['id']}/complete").status, 404)
        self.assertEqual(self.post(f"/v1/user-tasks/{second['id']}/complete", {"workerId": "e", "variables": {"again": False}}).status, 204)
        self.assertEqual(self.instance(got)["status"], "COMPLETED")

    def test_ids_that_name_nothing(self):
        got = self.start(self.upload([person("p", "end"), end()]))["id"]
        task, = self.get(f"/v1/user-tasks?instanceId={got}").json["items"]
        for name in ("x", got, "7" + task["id"][1:], task["id"][:-1] + "1"):
            self.assertEqual(self.post(f"/v1/user-tasks/{name}/complete").status, 404, name)
        self.assertEqual(self.post(f"/v1/user-tasks/{task['id']}/complete", []).status, 400)


class Signals(Case):
    def test_a_signal_wakes_the_wait_and_brings_variables(self):
        got = self.start(self.upload([wait("w", "end"), end()]), {"a": 1})
        answer = self.post(f"/v1/instances/{got['id']}/signals/w", {"b": {"c": 2}})
        self.assertEqual((answer.status, answer.body), (204, b""))
        done = self.instance(got["id"])
        self.assertEqual((done["status"], done["variables"]), ("COMPLETED", {"a": 1, "b": {"c": 2}}))

    def test_empty_absent_and_null_bodies(self):
        name = self.upload([wait("w", "end"), end()])
        for body in (None, b"", b"null", b" null\n", {}):
            got = self.start(name)
            self.assertEqual(self.post(f"/v1/instances/{got['id']}/signals/w", body).status, 204, body)
            self.assertEqual(self.instance(got["id"])["status"], "COMPLETED")

    def test_a_chunked_body_is_read(self):
        got = self.start(self.upload([wait("w", "end"), end()]))
        head = f"POST /v1/instances/{got['id']}/signals/w HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
        text = raw(self.server, head.encode() + b'4\r\n{"a"\r\n3\r\n:1}\r\n0\r\n\r\n')
        self.assertTrue(text.startswith(b"HTTP/1.1 204 "), text)
        self.assertEqual(self.instance(got["id"])["variables"], {"a": 1})

    def test_bodies_that_are_refused(self):
        got = self.start(self.upload([wait("w", "end"), end()]))["id"]
        for body in ([], [1], "x", 3, True, b"{", b'{"a":1,"a":2}', b'{"a":"\xff"}'):
            self.assertEqual(self.post(f"/v1/instances/{got}/signals/w", body).status, 400, body)
        self.assertEqual(self.instance(got)["status"], "WAITING")

    def test_what_is_not_there_or_no_wait_or_not_parked(self):
        self.assertEqual(self.post("/v1/instances/x/signals/w").status, 404)
        got = self.start(self.upload([wait("w", "p"), person("p", "v"), wait("v", "end"), end()]))["id"]
        for step, status in (("ghost", 409), ("p", 400), ("v", 409), ("w", 204), ("w", 409)):
            self.assertEqual(self.post(f"/v1/instances/{got}/signals/{step}").status, status, step)
        self.post(f"/v1/instances/{got}/cancel")
        self.assertEqual(self.post(f"/v1/instances/{got}/signals/v").status, 409)
        self.assertEqual(self.post(f"/v1/instances/{got}/signals/p").status, 400)

    def test_step_ids_are_percent_decoded(self):
        name = self.upload([wait("a b/c:ü", "end"), end()])
        got = self.start(name)["id"]
        self.assertEqual(self.post(f"/v1/instances/{got}/signals/a%20b%2Fc%3A%C3%BC").status, 204)

    def test_a_signal_is_not_remembered_for_later(self):
        kind = self.fresh()
        got = self.start(self.upload([service("s", "w", kind), wait("w", "end"), end()]))["id"]
        self.assertEqual(self.post(f"/v1/instances/{got}/signals/w").status, 409)
        self.complete(self.take(kind))
        self.assertEqual(self.instance(got)["status"], "WAITING")

    def test_everything_behind_the_wait_has_run_at_the_answer(self):
        got = self.start(self.upload([wait("w", "t"), transform("t", "v", {"n": "${n * 2}"}), wait("v", "end"), end()]))["id"]
        self.post(f"/v1/instances/{got}/signals/w", {"n": 21})
        after = self.instance(got)
        self.assertEqual((after["variables"], after["currentStepIds"]), ({"n": 42}, ["v"]))


if __name__ == "__main__":
    main()
