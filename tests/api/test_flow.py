"""What steps do: decisions, tables, transformations, parallel branches, ends."""

from harness import Case, main
from steps import decide, end, fork, join, person, service, table, transform, wait


class Decisions(Case):
    def goes_to(self, branches, variables):
        names = sorted(set(branches.values()))
        got = self.run_steps([decide("d", branches), *[end(name) for name in names]], variables)
        if got["status"] == "FAILED":
            return got["failureReason"]
        return self.visits(got["id"])[-1][0]

    def test_the_first_branch_that_holds_in_document_order(self):
        branches = {"score >= 700": "high", "score >= 500 && score < 700": "middle", "true": "low"}
        for score, want in ((700, "high"), (699, "middle"), (500, "middle"), (499, "low"), (700.0, "high"), ("700", "high")):
            self.assertEqual(self.goes_to(branches, {"score": score}), want, score)
        self.assertEqual(self.goes_to({"true": "first", "1 == 1": "second"}, {}), "first")

    def test_the_three_styles_of_variables(self):
        for text in ("#score > 1", "${score} > 1", "${score > 1}", "score > 1"):
            self.assertEqual(self.goes_to({text: "yes", "true": "no"}, {"score": 2}), "yes", text)

    def test_operators_and_functions(self):
        variables = {"user": {"roles": ["ADMIN", "X"]}, "list": [], "status": "APPROVED", "n": 7, "f": 0.5, "no": False}
        for text in ("contains(user.roles, 'ADMIN')", '"X" in user.roles', "len(list) == 0", "status == 'APPROVED'",
                     "n != 8 && !no", "(n > 1 && f < 0.6) || no", "true || ghost", "n - 2 * 3 == 1", "len(status) == 8"):
            self.assertEqual(self.goes_to({text: "yes", "true": "no"}, variables), "yes", text)

    def test_failures_name_the_expression(self):
        self.assertEqual(self.goes_to({"false": "x"}, {}), "no conditionalNextSteps branch matched (DecisionNoBranchMatched)")
        self.assertIn("ghost", self.goes_to({"ghost > 1": "x"}, {}))
        self.assertIn('"n + 1"', self.goes_to({"n + 1": "x"}, {"n": 1}))
        self.assertIn("not bool", self.goes_to({"n + 1": "x"}, {"n": 1}))

    def test_tasks_and_waits_can_branch_too(self):
        steps = [{**wait("w", "end"), "conditionalNextSteps": {"ok": "end"}}, end()]
        name = self.upload(steps)
        got = self.start(name)
        self.refused(self.post(f"/v1/instances/{got['id']}/signals/w", {"ok": False}), 400, "DecisionNoBranchMatched")
        self.assertEqual(self.visits(got["id"])[0], ("w", "RUNNING"))
        self.assertEqual(self.post(f"/v1/instances/{got['id']}/signals/w", {"ok": True}).status, 204)
        self.assertEqual(self.instance(got["id"])["status"], "COMPLETED")
        self.assertEqual(self.visits(got["id"])[0], ("w", "COMPLETED"))


class Transformations(Case):
    def outcome(self, values, variables=None):
        return self.run_steps([transform("t", "end", values), end()], variables)

    def test_literals_and_expressions(self):
        got = self.outcome({"a": 50, "b": "USD", "c": "${n + 50}", "d": "${n > 100}", "e": "Hi ${n}!", "f": None, "g": [1, {"x": "${n}"}]},
                           {"n": 120})
        want = {"n": 120, "a": 50, "b": "USD", "c": 170, "d": True, "e": "Hi ${n}!", "f": None}
        self.assertEqual({k: v for k, v in got["variables"].items() if k != "g"}, want)

    def test_each_sees_the_ones_before(self):
        got = self.outcome({"a": "${x + 1}", "b": "${a * 2}", "c": "${b - a}"}, {"x": 1})
        self.assertEqual(got["variables"], {"x": 1, "a": 2, "b": 4, "c": 2})

    def test_arithmetic_is_exact(self):
        got = self.outcome({"sum": "${0.1 + 0.2}", "big": "${n + 1}", "third": "${1 / 4}", "whole": "${6 / 3}"},
                           {"n": 9007199254740993})
        self.assertEqual((got["variables"]["sum"], got["variables"]["big"], got["variables"]["third"], got["variables"]["whole"]),
                         (0.3, 9007199254740994, 0.25, 2))

    def test_now(self):
        got = self.outcome({"t": "${now()}"})
        self.assertRegex(got["variables"]["t"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")

    def test_a_failure_merges_nothing_and_says_which(self):
        for text in ("${1 / 0}", "${n / (n - n)}", "${ghost + 1}"):
            got = self.outcome({"ok": 1, "bad": text}, {"n": 1})
            self.assertEqual((got["status"], got["variables"]), ("FAILED", {"n": 1}), text)
            self.assertIn('transformation "bad"', got["failureReason"])

    def test_merging_is_shallow(self):
        got = self.outcome({"o": {"y": 2}}, {"o": {"x": 1}})
        self.assertEqual(got["variables"], {"o": {"y": 2}})


class Tables(Case):
    RULES = [{"when": {"x": "x > 10"}, "outputs": {"t": "big", "n": 1}},
             {"when": {"x": "x > 5"}, "outputs": {"t": "big", "n": 2}},
             {"when": {"x": "x > 7", "y": " "}, "outputs": {"t": "some", "n": 4}}]

    def outcome(self, policy, rules, variables):
        more = {} if policy is None else {"hitPolicy": policy}
        return self.run_steps([table("t", "end", rules, **more), end()], variables)

    def test_every_policy(self):
        cases = [
            ("F", 20, {"t": "big", "n": 1}), ("F", 6, {"t": "big", "n": 2}), ("U", 6, {"t": "big", "n": 2}),
            (None, 6, {"t": "big", "n": 2}), ("R", 8, {"t": ["big", "some"], "n": [2, 4]}),
            ("C", 20, {"t": ["big", "big", "some"], "n": [1, 2, 4]}), ("C#", 20, {"t": 3, "n": 3}), ("C#", 6, {"t": 1, "n": 1}),
        ]
        for policy, x, want in cases:
            with self.subTest(policy=policy, x=x):
                self.assertEqual(self.outcome(policy, self.RULES, {"x": x})["variables"], {"x": x, **want})
        numbers = [{"when": rule["when"], "outputs": {"n": rule["outputs"]["n"]}} for rule in self.RULES]
        for policy, want in (("C+", 7), ("C>", 4), ("C<", 1)):
            self.assertEqual(self.outcome(policy, numbers, {"x": 20})["variables"]["n"], want)
        agreeing = [{"when": {"a": "x > 1"}, "outputs": {"v": [1.0]}}, {"when": {}, "outputs": {"v": [1]}}]
        self.assertEqual(self.outcome("A", agreeing, {"x": 2})["variables"]["v"], [1])

    def test_reasons_start_with_their_name(self):
        cases = [
            ("F", self.RULES, 1, "DecisionTableNoRuleMatched"), ("U", self.RULES, 8, "DecisionTableUniqueViolation"),
            ("A", self.RULES, 8, "DecisionTableAnyConflict"), ("C+", self.RULES, 8, "DecisionTableAggregatorTypeError"),
            ("F", [{"when": {"c": "x + 1"}, "outputs": {}}], 1, 'DecisionTableCellError: ruleIndex=0 column="c"'),
            ("F", [{"when": {"c": "ghost"}, "outputs": {}}], 1, 'DecisionTableCellError: ruleIndex=0 column="c"'),
            ("F", [{"when": {}, "outputs": {"v": "${1 / (x - x)}"}}], 1, "DecisionTableOutputError: ruleIndex=0"),
        ]
        for policy, rules, x, want in cases:
            with self.subTest(want):
                got = self.outcome(policy, rules, {"x": x})
                self.assertEqual(got["status"], "FAILED")
                self.assertTrue(got["failureReason"].startswith(want), got["failureReason"])

    def test_outputs_see_the_variables_before_the_step(self):
        rules = [{"when": {"x": "x == 1"}, "outputs": {"x": 2, "y": "${x + 10}"}}]
        self.assertEqual(self.outcome("F", rules, {"x": 1})["variables"], {"x": 2, "y": 11})


class Parallel(Case):
    def test_branches_of_several_steps_join_once(self):
        a, b, c = self.fresh("a"), self.fresh("b"), self.fresh("c")
        name = self.upload([fork("f", ["a1", "b1"], "j"), service("a1", "a2", a), service("a2", "j", b), service("b1", "j", c),
                            join("j", "after"), transform("after", "end", {"count": "${count + 1}"}), end()])
        got = self.start(name, {"count": 0})
        self.assertEqual((got["status"], got["currentStepIds"]), ("ACTIVE", ["a1", "b1"]))
        self.complete(self.take(a))
        self.complete(self.take(c))
        self.assertEqual(sorted(self.instance(got["id"])["currentStepIds"]), ["a2", "j"])
        self.complete(self.take(b))
        done = self.ended(got["id"])
        self.assertEqual((done["status"], done["variables"]), ("COMPLETED", {"count": 1}))

    def test_instantaneous_branches_and_branches_with_decisions(self):
        got = self.run_steps([
            fork("f", ["a", "d"], "j"), transform("a", "j", {"a": 1}),
            decide("d", {"x > 1": "b", "true": "j"}), transform("b", "j", {"b": 2}), join("j", "end"), end()], {"x": 2})
        self.assertEqual((got["status"], got["variables"]), ("COMPLETED", {"x": 2, "a": 1, "b": 2}))

    def test_a_loop_through_the_gateway_joins_each_time(self):
        got = self.run_steps([
            fork("f", ["a", "b"], "j"), transform("a", "j", {"a": "${a + 1}"}), transform("b", "j", {"b": "${b + 1}"}),
            join("j", "d"), decide("d", {"a < 3": "f", "true": "end"}), end()], {"a": 0, "b": 0})
        self.assertEqual((got["status"], got["variables"]), ("COMPLETED", {"a": 3, "b": 3}))

    def test_results_of_workers_are_merged_deeply(self):
        a, b = self.fresh("a"), self.fresh("b")
        name = self.upload([fork("f", ["a", "b"], "j"), service("a", "j", a), service("b", "j", b), join("j", "end"), end()])
        got = self.start(name, {"o": {"k": 0, "l": [1]}})
        self.complete(self.take(a), {"o": {"x": 1, "l": [2]}})
        self.complete(self.take(b), {"o": {"y": {"z": None}}})
        self.assertEqual(self.ended(got["id"])["variables"], {"o": {"k": 0, "l": [2], "x": 1, "y": {"z": None}}})

    def test_an_end_with_other_branches_open_ends_it_and_leaves_their_rows_running(self):
        kind = self.fresh()
        name = self.upload([fork("f", ["s", "w"], "j"), service("s", "j", kind), wait("w", "d"),
                            decide("d", {"stop": "end", "true": "j"}), join("j", "end"), end()])
        got = self.start(name)
        job = self.take(kind)
        self.post(f"/v1/instances/{got['id']}/signals/w", {"stop": True})
        done = self.instance(got["id"])
        self.assertEqual((done["status"], done["currentStepIds"]), ("COMPLETED", ["s"]))
        self.complete(job, {"late": 1})
        self.assertEqual(self.instance(got["id"])["variables"], {"stop": True})
        self.assertIn(("s", "RUNNING"), self.visits(got["id"]))

    def test_waiting_means_a_person_or_a_signal_is_awaited(self):
        kind = self.fresh()
        name = self.upload([fork("f", ["s", "p"], "j"), service("s", "j", kind), person("p", "j"), join("j", "end"), end()])
        got = self.start(name)
        self.assertEqual(got["status"], "WAITING")
        self.post(f"/v1/instances/{got['id']}/user-tasks/p/complete")
        self.assertEqual(self.instance(got["id"])["status"], "ACTIVE")


class Ends(Case):
    def test_a_task_without_a_next_step_leaves_the_instance_there(self):
        kind = self.fresh()
        name = self.upload([decide("d", {"x": "s", "true": "end"}), service("s", None, kind), end()])
        got = self.start(name, {"x": True})
        self.complete(self.take(kind))
        self.assertEqual(self.visits(got["id"])[-1], ("s", "COMPLETED"))
        after = self.instance(got["id"])
        self.assertEqual((after["status"], after["currentStepIds"]), ("ACTIVE", ["s"]))

    def test_a_loop_in_which_nothing_waits_is_stopped(self):
        answer = self.post("/v1/definitions", {"id": self.fresh(), "name": "x", "steps": [
            transform("t", "d", {"n": "${n + 1}"}), decide("d", {"n > 0": "t", "true": "end"}), end()]})
        self.assertEqual(answer.status, 201, answer)
        got = self.start(answer.json["id"], {"n": 1}, wait=10)
        self.assertEqual(got["status"], "FAILED")
        self.assertIn("loop", got["failureReason"])


if __name__ == "__main__":
    main()
