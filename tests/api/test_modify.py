"""Repair of one instance by hand: POST /v1/instances/{id}/modify."""

from harness import Case, main
from steps import decide, end, fork, join, person, service, timer


def order(name):
    """Jobs are named after the definition: all tests share one engine."""
    timers = [timer("PT1H", "ship"), timer("PT9H", "side", False)]
    return [service("check", "approve", name + "-check", boundaryEvents=timers), person("approve", "ship"),
            service("ship", "end", name + "-ship"), decide("side", {"true": "note"}), person("note", "end"), end()]


class Modifying(Case):
    def modify(self, instance, status=200, dry=None, headers=None, **body):
        path = f"/v1/instances/{instance}/modify" + (f"?dryRun={dry}" if dry is not None else "")
        answer = self.post(path, body, headers)
        self.assertEqual(answer.status, status, answer)
        return answer.json

    def revision(self, instance):
        return self.get(f"/v1/instances/{instance}/explain").json["revision"]

    def order(self, **more):
        self.jobs = self.fresh("order")
        self.definition = self.upload(order(self.jobs))
        return self.start(self.definition, {"n": 1, "old": True}, **more)["id"]

    def test_all_of_it_is_one_command(self):
        instance = self.order()
        job = self.take(self.jobs + "-check")
        got = self.modify(instance, set={"n": 2}, unset=["old"], move=[{"from": "check", "to": "ship"}],
                          add=["note"], reason="the scanner is broken", by="ann")
        self.assertEqual((got["dryRun"], got["instance"]["status"]), (False, "WAITING"))
        self.assertEqual(got["instance"]["variables"], {"n": 2})
        self.assertEqual(got["revision"], 2)
        self.assertEqual([token["stepId"] for token in got["before"]], ["check"])
        self.assertEqual([token["stepId"] for token in got["tokens"]], ["ship", "note"])
        self.assertEqual(self.visits(instance), [("check", "FAILED"), ("ship", "RUNNING"), ("note", "RUNNING")])
        self.assertEqual(self.history(instance)[0]["failureReason"], 'moved to "ship": the scanner is broken')
        # The job is gone for the one who has it, and its step offers none.
        self.complete(job)
        self.assertEqual(self.poll(self.jobs + "-check"), [])
        self.assertEqual(self.instance(instance)["currentStepIds"], ["ship", "note"])
        self.complete(self.take(self.jobs + "-ship"))
        self.assertEqual(self.instance(instance)["status"], "COMPLETED")

    def test_the_history_says_who_and_what(self):
        instance = self.order()
        self.modify(instance, cancel=[{"step": "check"}], add=[{"step": "approve"}], by="ann")
        answer = self.get(f"/v1/instances/{instance}/explain")
        self.assertEqual(answer.json["tokens"][0]["stepId"], "approve")
        self.assertEqual(self.history(instance)[0]["failureReason"], "cancelled by a modification")

    def test_its_reason_is_kept_also_where_no_visit_is_cut_short(self):
        instance = self.order()
        self.modify(instance, set={"n": 2}, by="ann", reason="the customer called")
        self.modify(instance, add=["note"], reason="a note is missing")
        acts = [{name: act.get(name) for name in ("what", "by", "comment")} for act in self.get(f"/v1/instances/{instance}/history").json["acts"]]
        self.assertEqual(acts[-2:], [{"what": "modified", "by": "ann", "comment": "the customer called"}, {"what": "modified", "by": None, "comment": "a note is missing"}])

    def test_a_dry_run_changes_nothing(self):
        instance = self.order()
        before = self.instance(instance)
        got = self.modify(instance, dry="true", move=[{"from": "check", "to": "approve"}], set={"n": 5})
        self.assertEqual((got["dryRun"], got["instance"]["status"]), (True, "WAITING"))
        self.assertEqual(got["tokens"][0]["state"], "person")
        self.assertEqual(self.instance(instance), before)
        self.assertEqual(self.modify(instance, status=409, dry="true", cancel=["check"])["error"], "conflict")
        self.refused(self.post(f"/v1/instances/{instance}/modify?dryRun=maybe", {"set": {"a": 1}}), 400, "dryRun")
        # A key is not spent by it.
        headers = {"Idempotency-Key": self.fresh("key")}
        self.modify(instance, dry="true", headers=headers, set={"n": 9})
        self.modify(instance, headers=headers, set={"n": 9})
        self.assertEqual(self.instance(instance)["variables"]["n"], 9)

    def test_a_key_makes_it_happen_once(self):
        instance = self.order()
        headers = {"Idempotency-Key": self.fresh("key")}
        first = self.modify(instance, headers=headers, add=["note"])
        second = self.modify(instance, headers=headers, add=["note"])
        self.assertEqual(first, second)
        self.assertEqual(self.revision(instance), 2)

    def test_only_if_it_has_not_moved_on(self):
        instance = self.order()
        revision = self.revision(instance)
        self.complete(self.take(self.jobs + "-check"))
        got = self.modify(instance, status=409, ifRevision=revision, set={"a": 1})
        self.assertIn("moved on", got["reason"])
        self.modify(instance, ifRevision=revision + 1, set={"a": 1})

    def test_a_token_by_its_visit(self):
        instance = self.order()
        added = self.modify(instance, add=["note", "note"])
        first, second = [token["stepExecutionId"] for token in added["tokens"] if token["stepId"] == "note"]
        self.assertIn("2 tokens", self.modify(instance, status=409, cancel=["note"])["reason"])
        got = self.modify(instance, cancel=[second])
        self.assertEqual([token["stepExecutionId"] for token in got["tokens"]][1:], [first])
        # That visit is over, and those of others are not of this instance.
        self.modify(instance, status=400, cancel=[second])
        self.modify(self.order(), status=400, cancel=[first])

    def test_a_failed_instance_lives_again(self):
        key = self.fresh("key")
        instance = self.order(businessKey=key)
        self.fail_job(self.take(self.jobs + "-check"))
        self.assertEqual(self.instance(instance)["status"], "FAILED")
        self.assertIn("retry", self.modify(instance, status=409, set={"n": 3})["reason"])
        other = self.start(self.definition, businessKey=key)["id"]
        self.assertIn("business key", self.modify(instance, status=409, move=[{"from": "check", "to": "ship"}])["reason"])
        self.post(f"/v1/instances/{other}/cancel")
        got = self.modify(instance, move=[{"from": "check", "to": "ship"}])
        self.assertEqual((got["instance"]["status"], got["before"][0]["state"]), ("ACTIVE", "failed"))
        self.complete(self.take(self.jobs + "-ship"))
        self.assertEqual(self.instance(instance)["status"], "COMPLETED")
        self.assertIn("COMPLETED", self.modify(instance, status=409, set={"a": 1})["reason"])

    def test_joins_are_kept_whole(self):
        job = self.fresh("b")
        name = self.upload([fork("f", ["a", "b"], "j"), service("a", "j"), service("b", "j", job), join("j", "out"),
                            person("out", "end"), end()])
        instance = self.start(name)["id"]
        for body in ({"cancel": ["a"]}, {"move": [{"from": "a", "to": "out"}]}, {"add": ["j"]}, {"add": ["b"]}):
            self.modify(instance, status=409, **body)
        self.modify(instance, move=[{"from": "a", "to": "j"}])
        self.complete(self.take(job))
        self.assertEqual(self.instance(instance)["currentStepIds"], ["out"])
        instance = self.start(name)["id"]
        self.modify(instance, move=[{"from": "a", "to": "out"}], cancel=["b"])
        self.assertEqual(self.instance(instance)["currentStepIds"], ["out"])

    def test_what_is_refused(self):
        instance = self.order()
        before = self.instance(instance)
        cases = [
            ({}, "nothing"), ({"sett": {"a": 1}}, "sett"), ({"set": [1]}, "set"), ({"unset": "a"}, "unset"),
            ({"unset": [1]}, "names"), ({"move": {"from": "a", "to": "b"}}, "move"), ({"move": ["check"]}, "from and to"),
            ({"move": [{"from": "check"}]}, "to"), ({"move": [{"from": "check", "to": "ship", "at": 1}]}, "at"),
            ({"move": [{"from": "check", "to": "ghost"}]}, "ghost"), ({"add": [""]}, "step"), ({"add": [3]}, "add"),
            ({"cancel": [{"step": 3}]}, "step"), ({"cancel": ["ghost"]}, "ghost"), ({"ifRevision": -1}, "ifRevision"),
            ({"ifRevision": "x"}, "ifRevision"), ({"reason": 3, "set": {"a": 1}}, "reason"),
        ]
        for body, text in cases:
            self.refused(self.post(f"/v1/instances/{instance}/modify", body), 400, text)
        for body in (b"", b"null", [], 3):
            self.assertEqual(self.post(f"/v1/instances/{instance}/modify", body).status, 400)
        many = {"add": ["note"] * 101}
        self.refused(self.post(f"/v1/instances/{instance}/modify", many), 413, "100")
        self.refused(self.post("/v1/instances/01ARZ3NDEKTSV4RRFFQ69G5FAV/modify", {"set": {"a": 1}}), 404, "not found")
        self.assertEqual(self.instance(instance), before)

    def test_moved_to_where_it_stands_a_step_begins_anew(self):
        instance = self.order()
        self.modify(instance, move=[{"from": "check", "to": "check"}])
        self.assertEqual(self.visits(instance), [("check", "FAILED"), ("check", "RUNNING")])
        self.complete(self.take(self.jobs + "-check"))
        self.assertEqual(self.instance(instance)["currentStepIds"], ["approve"])


if __name__ == "__main__":
    main()
