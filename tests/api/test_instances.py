"""Starting, reading, listing, cancelling and retrying instances."""

import json

from harness import PATIENCE, Case, main
from steps import decide, end, fork, join, person, service, transform, wait


class Starting(Case):
    def test_what_needs_nobody_has_run_before_the_answer(self):
        got = self.start(self.upload([end()]), {"a": 1})
        self.assertEqual((got["status"], got["currentStepIds"], got["variables"]), ("COMPLETED", [], {"a": 1}))
        self.assertNotIn("completedAt", got)
        self.assertIn("completedAt", self.instance(got["id"]))
        self.assertEqual(self.start(self.upload([wait("w", "end"), end()]))["status"], "WAITING")
        self.assertEqual(self.start(self.upload([service("s", "end"), end()]))["status"], "ACTIVE")

    def test_a_failed_start_is_a_start(self):
        name = self.upload([decide("d", {"false": "end"}), end()])
        got = self.start(name)
        self.assertEqual((got["status"], got["currentStepIds"]), ("FAILED", ["d"]))
        self.assertNotIn("failureReason", got)
        self.assertNotIn("completedAt", got)
        later = self.instance(got["id"])
        self.assertIn("DecisionNoBranchMatched", later["failureReason"])
        self.assertIn("completedAt", later)

    def test_the_body_may_leave_out_all_but_the_definition(self):
        name = self.upload([end()])
        for more in ({}, {"variables": None}, {"definitionVersion": 0}, {"definitionVersion": -3},
                     {"definitionVersion": None, "businessKey": None}, {"businessKey": ""}, {"unknown": [1]},
                     {"definitionVersion": 1.0}):
            got = self.start(name, **more)
            self.assertEqual((got["definitionVersion"], got["variables"]), (1, {}))
            self.assertNotIn("businessKey", got)

    def test_versions(self):
        name = self.upload([end("one")])
        self.assertEqual(self.post("/v1/definitions", {"id": name, "name": "x", "steps": [end("two")]}).json["version"], 2)
        self.assertEqual(self.start(name)["definitionVersion"], 2)
        got = self.start(name, definitionVersion=1)
        self.assertEqual(self.visits(got["id"]), [("one", "COMPLETED")])
        for version in (3, 2147483647, 99999999999):
            answer = self.post("/v1/instances", {"definitionId": name, "definitionVersion": version})
            self.refused(answer, 404, name)

    def test_by_the_definitions_own_path(self):
        name = self.upload([end()])
        path = f"/v1/definitions/{name}/instances"
        for body in (b"", b"null", {"variables": {"a": 1}}, {"definitionId": name}):
            answer = self.post(path, body)
            self.assertEqual((answer.status, answer.json["definitionId"]), (201, name))
        self.refused(self.post(path, {"definitionId": "other"}), 400, "definitionId")
        self.refused(self.post("/v1/definitions/ghost/instances", {}), 404, "ghost")

    def test_bodies_that_are_refused(self):
        name = self.upload([end()])
        cases = [
            (b"", "body"), (b"null", "body"), ([], "array"), ("text", "string"), (3, "number"),
            ({}, "definitionId"), ({"definitionId": ""}, "definitionId"), ({"definitionId": 3}, "definitionId"),
            ({"definitionId": name, "variables": []}, "variables"), ({"definitionId": name, "variables": 3}, "variables"),
            ({"definitionId": name, "variables": "x"}, "variables"), ({"definitionId": name, "variables": True}, "variables"),
            ({"definitionId": name, "definitionVersion": "1"}, "definitionVersion"),
            ({"definitionId": name, "definitionVersion": 1.5}, "definitionVersion"),
            ({"definitionId": name, "businessKey": 3}, "businessKey"),
        ]
        for body, field in cases:
            with self.subTest(body):
                self.refused(self.post("/v1/instances", body), 400, field)

    def test_an_unknown_definition(self):
        self.refused(self.post("/v1/instances", {"definitionId": "ghost"}), 404, "ghost")

    def test_input_schema(self):
        name = self.upload([end()], input_schema={"properties": {"n": {"type": "integer"}}, "required": ["n"]})
        self.start(name, {"n": 1, "more": "x"})
        for variables in ({}, {"n": "1"}, {"n": 1.5}):
            self.refused(self.post("/v1/instances", {"definitionId": name, "variables": variables}), 400, "n")

    def test_every_violation_of_the_input_schema_is_told(self):
        names = [f"a_long_name_of_a_field_{number}" for number in range(100)]
        few = {"properties": {"n": {"type": "integer"}, "who": {"type": "string"}, "ok": {"type": "boolean"}}, "required": ["n", "who"]}
        many = {"properties": {name: {"type": "string"} for name in names}, "required": names}
        for schema, words in ((few, ('"n" is required; "who" is required; "ok" must be a boolean and is',)), (many, ("field_0", "field_9", " more"))):
            name = self.upload([end()], input_schema=schema)
            for answer in (self.post("/v1/instances", {"definitionId": name, "variables": {"ok": 1}}), self.post(f"/api/workflows/{name}/start", {"input": {"ok": 1}})):
                for word in words:
                    self.refused(answer, 400, word)

    def test_numbers_and_texts_keep_every_digit_and_character(self):
        name = self.upload([wait("w", "end"), end()])
        text = ('{"definitionId":"%s","variables":{"big":12345678901234567890,"neg":-9223372036854775808,"one":1.0,'
                '"exp":1e2,"tiny":0.10,"nul":"\\u0000","uni":"\\ud83d\\ude00\\u00fc","":0,"deep":[[{"z":1,"a":2}]]}}' % name)
        answer = self.post("/v1/instances", text.encode())
        body = self.get(f"/v1/instances/{answer.json['id']}").body
        for part in (b'"big":12345678901234567890', b'"neg":-9223372036854775808', b'"one":1.0', b'"exp":1e2',
                     b'"tiny":0.10', b'"deep":[[{"z":1,"a":2}]]', b'"nul":"\\u0000"'):
            self.assertIn(part, body)
        self.assertEqual(json.loads(body)["variables"]["uni"], "😀ü")


class Waiting(Case):
    def test_wait_answers_when_the_instance_ends(self):
        name = self.upload([service("s", "end", job_type=(kind := self.fresh())), end()])
        finish = self.client.later(f"/v1/instances?wait={PATIENCE}", {"definitionId": name})
        self.complete(self.take(kind), {"done": True})
        got = finish().json
        self.assertEqual((got["status"], got["variables"]), ("COMPLETED", {"done": True}))
        self.assertIn("completedAt", got)

    def test_wait_answers_at_the_deadline_with_the_state_then(self):
        name = self.upload([wait("w", "end"), end()])
        self.assertEqual(self.start(name, wait=0.05)["status"], "WAITING")

    def test_wait_shows_why_it_failed(self):
        got = self.start(self.upload([decide("d", {"false": "end"}), end()]), wait=1)
        self.assertIn("DecisionNoBranchMatched", got["failureReason"])

    def test_wait_must_be_a_number_of_seconds_within_the_limit(self):
        name = self.upload([end()])
        for value in ("x", "-1", "61", "60.001", "1e9", "NaN"):
            self.refused(self.post(f"/v1/instances?wait={value}", {"definitionId": name}), 400, "wait")
        for value in ("60", "0", "", "1e1"):
            self.assertEqual(self.post(f"/v1/instances?wait={value}", {"definitionId": name}).status, 201)


class BusinessKeys(Case):
    def test_unique_among_instances_that_have_not_ended(self):
        name = self.upload([wait("w", "end"), end()])
        first = self.start(name, businessKey="k-1")
        self.assertEqual(first["businessKey"], "k-1")
        answer = self.post("/v1/instances", {"definitionId": name, "businessKey": "k-1"})
        self.refused(answer, 409, "business key already in use by an in-flight instance of this definition")
        self.start(name, businessKey="k-2")
        self.start(self.upload([wait("w", "end"), end()]), businessKey="k-1")
        self.post(f"/v1/instances/{first['id']}/signals/w")
        self.start(name, businessKey="k-1")

    def test_unique_across_versions(self):
        name = self.upload([wait("w", "end"), end()])
        self.start(name, businessKey="k")
        self.post("/v1/definitions", {"id": name, "name": "new", "steps": [end()]})
        self.assertEqual(self.post("/v1/instances", {"definitionId": name, "businessKey": "k"}).status, 409)

    def test_free_again_after_cancel_and_failure(self):
        name = self.upload([wait("w", "d"), decide("d", {"false": "end"}), end()])
        first = self.start(name, businessKey="k")
        self.post(f"/v1/instances/{first['id']}/cancel")
        second = self.start(name, businessKey="k")
        self.post(f"/v1/instances/{second['id']}/signals/w")
        self.assertEqual(self.instance(second["id"])["status"], "FAILED")
        self.start(name, businessKey="k")


class Reading(Case):
    def test_ids_that_name_nothing(self):
        real = self.start(self.upload([end()]))["id"]
        for name in ("x", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "0" * 26, real[:-1] + "1", real[:-1], real + "0", "%F0%9F%98%80",
                     "8" + real[1:], "7" + real[1:]):
            for path in ("", "/history", "/explain", "/events"):
                if name != real:
                    self.assertEqual(self.get(f"/v1/instances/{name}{path}").status, 404, name + path)

    def test_ids_are_read_in_either_case(self):
        got = self.start(self.upload([end()]))
        self.assertEqual(self.instance(got["id"].lower())["id"], got["id"])

    def test_ids_sort_by_time(self):
        name = self.upload([end()])
        ids = [self.start(name)["id"] for _ in range(5)]
        self.assertEqual(ids, sorted(ids))


class History(Case):
    def test_a_row_per_visit_with_snapshots(self):
        kind = self.fresh()
        name = self.upload([transform("t", "s", {"b": "${a + 1}"}), service("s", "p", job_type=kind), person("p", "end"), end()])
        got = self.start(name, {"a": 1})
        self.complete(self.take(kind), {"c": 3})
        self.post(f"/v1/instances/{got['id']}/user-tasks/p/complete", {"variables": {"d": 4}})
        items = self.history(got["id"])
        self.assertEqual([(i["stepId"], i["stepType"], i["status"], i["attemptNumber"]) for i in items], [
            ("t", "TRANSFORMATION", "COMPLETED", 1), ("s", "SERVICE_TASK", "COMPLETED", 1),
            ("p", "USER_TASK", "COMPLETED", 1), ("end", "END", "COMPLETED", 1)])
        self.assertEqual([i["inputSnapshot"] for i in items],
                         [{"a": 1}, {"a": 1, "b": 2}, {"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 2, "c": 3, "d": 4}])
        self.assertEqual([i["outputSnapshot"] for i in items],
                         [{"a": 1, "b": 2}, {"c": 3}, {"a": 1, "b": 2, "c": 3, "d": 4}, None])
        for item in items:
            self.assertEqual(item["instanceId"], got["id"])
            for name in ("instanceId", "stepId", "id"):
                self.assertEqual(item[name], item[{"id": "ID", "instanceId": "InstanceID", "stepId": "StepID"}[name]])
            for name in ("stepType", "attemptNumber", "status", "startedAt", "endedAt", "inputSnapshot", "outputSnapshot"):
                self.assertEqual(item[name], item[name[0].upper() + name[1:]])

    def test_loops_count_attempts(self):
        got = self.run_steps([transform("t", "d", {"n": "${n + 1}"}), decide("d", {"n < 3": "t", "true": "end"}), end()], {"n": 0})
        rows = [(i["stepId"], i["attemptNumber"]) for i in self.history(got["id"])]
        self.assertEqual(rows, [("t", 1), ("d", 1), ("t", 2), ("d", 2), ("t", 3), ("d", 3), ("end", 1)])

    def pages(self, path, **query):
        """The items of all pages, and how many there are on each."""
        items, sizes, cursor = [], [], None
        while True:
            words = "&".join(f"{name}={value}" for name, value in {**query, **({"cursor": cursor} if cursor else {})}.items())
            page = self.get(f"{path}?{words}").json
            self.assertNotIn("acts", page)
            items += page["items"]
            sizes.append(len(page["items"]))
            cursor = page.get("nextCursor")
            if not cursor:
                return items, sizes

    def test_a_long_history_is_paged_from_both_ends(self):
        """Each visit has its data, also far from the beginning, where a whole answer has none: the data is 20 kB."""
        got = self.run_steps([transform("t", "d", {"n": "${n + 1}"}), decide("d", {"n < 300": "t", "true": "end"}), end()], {"n": 0, "pad": "x" * 20000})
        for path in (f"/v1/instances/{got['id']}/history", f"/api/runs/{got['id']}/history"):
            forward, sizes = self.pages(path, pageSize=50)
            self.assertEqual(sizes, [50] * 12 + [1])
            backward, _ = self.pages(path, pageSize=70, order="newest")
            self.assertEqual([(i["id"], i["attemptNumber"]) for i in backward], [(i["id"], i["attemptNumber"]) for i in reversed(forward)])
            self.assertEqual([i["stepId"] for i in forward], ["t", "d"] * 300 + ["end"])
            self.assertEqual([i["inputSnapshot"]["n"] for i in forward if i["stepId"] == "t"], list(range(300)))
            self.assertEqual([i["outputSnapshot"]["n"] for i in backward if i["stepId"] == "t"], list(range(300, 0, -1)))
        whole = self.history(got["id"])
        self.assertEqual((len(whole), whole[-1]["inputSnapshot"]), (601, None))
        self.assertEqual([i["stepId"] for i in self.get(f"/v1/instances/{got['id']}/history?order=newest").json["items"]][:3], ["end", "d", "t"])

    def test_pages_that_are_refused(self):
        got = self.start(self.upload([end()]))
        for words in ("order=up", "cursor=x", "cursor=0", "cursor=4294967296"):
            self.assertEqual(self.get(f"/v1/instances/{got['id']}/history?{words}").status, 400, words)
        self.assertEqual(self.get(f"/v1/instances/{got['id']}/history?cursor=9999").json, {"items": []})

    def test_a_running_row_has_no_end(self):
        got = self.start(self.upload([wait("w", "end"), end()]))
        row, = self.history(got["id"])
        self.assertEqual((row["status"], row["endedAt"], row["failureReason"], row["outputSnapshot"]), ("RUNNING", None, None, None))

    def test_a_failed_row_says_why(self):
        got = self.start(self.upload([decide("d", {"x + 1": "end"}), end()]), {"x": 1})
        row, = self.history(got["id"])
        self.assertEqual(row["status"], "FAILED")
        self.assertIn("x + 1", row["failureReason"])


class Cancelling(Case):
    def test_no_step_is_still_running(self):
        kind, other = self.fresh(), self.fresh()
        name = self.upload([fork("f", ["a", "b"], "j"), service("a", "j", kind), service("b", "j", other), join("j", "end"), end()])
        for stop in ("cancel", "fail"):
            made = self.start(name)["id"]
            job = self.take(kind)
            if stop == "cancel":
                self.post(f"/v1/instances/{made}/cancel")
            else:
                self.fail_job(job, "broken")
            ended = self.instance(made)["completedAt"]
            rows = {row["stepId"]: row for row in self.history(made)}
            self.assertEqual((rows["b"]["status"], rows["b"]["endedAt"]), ("FAILED", ended))
            self.assertIn("cancelled" if stop == "cancel" else "because the instance failed", rows["b"]["failureReason"])
            visits = self.get(f"/api/instances/{made}/visits").json["items"]
            self.assertTrue(all(visit.get("endedAt") for visit in visits), visits)
        self.assertEqual(self.post(f"/v1/instances/{made}/retry").status, 200)
        self.assertEqual({step: status for step, status in self.visits(made) if step == "b"}, {"b": "RUNNING"})

    def test_the_answer_has_the_reason_and_neither_time_nor_key(self):
        got = self.start(self.upload([person("p", "end"), end()]), businessKey=self.fresh("key"))
        answer = self.post(f"/v1/instances/{got['id']}/cancel", {"reason": "changed my mind"}).json
        self.assertEqual((answer["status"], answer["failureReason"], answer["currentStepIds"]), ("CANCELLED", "changed my mind", ["p"]))
        later = self.instance(got["id"])
        self.assertEqual((later["failureReason"], later["businessKey"]), ("changed my mind", got["businessKey"]))
        self.assertIn("completedAt", later)

    def test_whatever_the_body(self):
        name = self.upload([wait("w", "end"), end()])
        for body in (None, b"", b"{", b"[]", b"null", b"3", b"\xff\xfe", b'{"reason":3}', b'{"a":1,"a":2}', b"{}"):
            answer = self.post(f"/v1/instances/{self.start(name)['id']}/cancel", body)
            self.assertEqual((answer.status, answer.json["failureReason"]), (200, ""), body)

    def test_unknown_or_ended(self):
        self.assertEqual(self.post("/v1/instances/x/cancel").status, 404)
        got = self.start(self.upload([end()]))
        self.assertEqual(self.post(f"/v1/instances/{got['id']}/cancel").status, 409)
        got = self.start(self.upload([wait("w", "end"), end()]))
        self.assertEqual(self.post(f"/v1/instances/{got['id']}/cancel").status, 200)
        self.assertEqual(self.post(f"/v1/instances/{got['id']}/cancel").status, 409)

    def test_its_jobs_are_no_longer_handed_out_and_late_results_change_nothing(self):
        kind = self.fresh()
        name = self.upload([service("s", "end", job_type=kind), end()])
        held = self.start(name)
        job = self.take(kind)
        waiting = self.start(name)
        for got in (held, waiting):
            self.assertEqual(self.post(f"/v1/instances/{got['id']}/cancel").status, 200)
        self.assertEqual(self.poll(kind), [])
        self.complete(job, {"late": True})
        self.assertEqual((self.instance(held["id"])["status"], self.instance(held["id"])["variables"]), ("CANCELLED", {}))
        self.assertEqual(self.visits(held["id"]), [("s", "FAILED")])


class Retrying(Case):
    def test_a_failed_job_again_with_its_full_budget(self):
        kind = self.fresh()
        got = self.start(self.upload([service("s", "end", job_type=kind, retryCount=1), end()]), {"a": 1})
        self.fail_job(self.take(kind), "first", retryable=True)
        self.fail_job(self.take(kind), "second", retryable=True)
        self.assertEqual(self.instance(got["id"])["failureReason"], "second")
        answer = self.post(f"/v1/instances/{got['id']}/steps/s/retry", {"variables": {"b": 2}})
        self.assertEqual((answer.status, answer.json["status"], answer.json["variables"]), (200, "ACTIVE", {"a": 1, "b": 2}))
        self.assertNotIn("completedAt", answer.json)
        job = self.take(kind)
        self.assertEqual((job["retriesRemaining"], job["variables"]), (1, {"a": 1, "b": 2}))
        self.complete(job)
        self.assertEqual(self.ended(got["id"])["status"], "COMPLETED")
        self.assertEqual([(i["stepId"], i["attemptNumber"], i["status"]) for i in self.history(got["id"])],
                         [("s", 1, "FAILED"), ("s", 2, "COMPLETED"), ("end", 1, "COMPLETED")])

    def test_a_decision_too(self):
        got = self.start(self.upload([decide("d", {"ready": "end"}), end()]), {"ready": False})
        answer = self.post(f"/v1/instances/{got['id']}/steps/d/retry")
        self.assertEqual((answer.status, answer.json["status"]), (200, "FAILED"))
        answer = self.post(f"/v1/instances/{got['id']}/steps/d/retry", {"variables": {"ready": True}})
        self.assertEqual((answer.status, answer.json["status"]), (200, "COMPLETED"))

    def test_what_cannot_be_retried(self):
        self.assertEqual(self.post("/v1/instances/x/steps/s/retry").status, 404)
        live = self.start(self.upload([wait("w", "end"), end()]))["id"]
        self.refused(self.post(f"/v1/instances/{live}/steps/w/retry"), 409, "instance is not FAILED")
        failed = self.start(self.upload([transform("t", "d", {"a": 1}), decide("d", {"false": "end"}), end()]))["id"]
        self.refused(self.post(f"/v1/instances/{failed}/steps/t/retry"), 409, "step is not in a retryable state")
        self.assertIn(self.post(f"/v1/instances/{failed}/steps/ghost/retry").status, (404, 409))
        for body in (b"{", [], {"variables": []}, {"variables": 3}):
            self.assertEqual(self.post(f"/v1/instances/{failed}/steps/d/retry", body).status, 400)


class Listing(Case):
    def test_newest_first_with_filters(self):
        name = self.upload([person("p", "end"), end()])
        ids = [self.start(name, {"n": n}, businessKey=f"{name}-{n % 2}" if n < 2 else None)["id"] for n in range(4)]
        self.post(f"/v1/instances/{ids[3]}/cancel")
        page = self.get(f"/v1/instances?definitionId={name}").json
        self.assertEqual([i["id"] for i in page["items"]], ids[::-1])
        self.assertEqual((page["total"], page["page"], page["pageSize"]), (4, 0, 20))
        self.assertEqual([i["variables"]["n"] for i in page["items"]], [3, 2, 1, 0])
        for query, want in (("status=CANCELLED", [3]), ("status=WAITING", [2, 1, 0]), ("status=ACTIVE", []),
                            (f"businessKey={name}-1", [1]), ("status=nonsense", []), ("status=waiting", None)):
            got = self.get(f"/v1/instances?definitionId={name}&{query}").json
            if want is not None:
                self.assertEqual([ids.index(i["id"]) for i in got["items"]], want, query)
                self.assertEqual(got["total"], len(want), query)

    def test_an_empty_page_is_a_list(self):
        got = self.get("/v1/instances?definitionId=ghost")
        self.assertEqual(got.json, {"items": [], "total": 0, "page": 0, "pageSize": 20})

    def test_by_page_and_by_cursor_everything_comes_once(self):
        name = self.upload([end()])
        ids = [self.start(name)["id"] for _ in range(7)][::-1]
        pages = [self.get(f"/v1/instances?definitionId={name}&pageSize=3&page={n}").json for n in range(4)]
        self.assertEqual([i["id"] for p in pages for i in p["items"]], ids)
        self.assertEqual([p["total"] for p in pages], [7] * 4)
        seen, cursor = [], ""
        for _ in range(10):
            page = self.get(f"/v1/instances?definitionId={name}&pageSize=3{cursor}").json
            seen += [i["id"] for i in page["items"]]
            if "nextCursor" not in page:
                break
            self.start(name)  # What is new does not shift the pages behind a cursor.
            cursor = "&cursor=" + page["nextCursor"]
        self.assertEqual(seen, ids)

    def test_a_cursor_must_be_one(self):
        self.refused(self.get("/v1/instances?cursor=xyz"), 400, "cursor")


if __name__ == "__main__":
    main()
