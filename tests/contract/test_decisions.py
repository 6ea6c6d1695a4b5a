"""DECISION and TRANSFORMATION: order, literals and the words of their failures."""

from contract import Contract, cases, decide, definition, end, fresh, main, service, transform, user, wait


class Decisions(Contract):
    def route(self, branches, variables=None):
        targets = sorted(set(branches.values()))
        made = self.begin([decide("d", branches)] + [end(name) for name in targets], variables)
        return self.rows(made)[-1][0]

    @cases((750, "approve"), (700, "approve"), (699, "manual"), (500, "manual"), (499, "reject"))
    def test_the_seeds_example(self, score, want):
        branches = {"#creditScore >= 700": "approve", "#creditScore >= 500 && #creditScore < 700": "manual",
                    "#creditScore < 500": "reject"}
        self.assertEqual(self.route(branches, {"creditScore": score}), want)

    def test_the_first_true_branch_wins_in_document_order(self):
        branches = {"n > 100": "a", "n > 50": "b", "true": "c", "n > 0": "e"}
        self.assertEqual(self.route(branches, {"n": 60}), "b")
        self.assertEqual(self.route(branches, {"n": 10}), "c")

    @cases((["zz > 0", "a > 0"],), (["a > 0", "zz > 0"],), (["zz > 0 && zz < 9", "a > 0"],),
           (["true", "false || true", "1 == 1"],), (["1 == 1", "true"],))
    def test_neither_length_nor_letters_change_the_order(self, conditions):
        branches = {text: "target-%d" % number for number, text in enumerate(conditions)}
        self.assertEqual(self.route(branches, {"a": 1, "zz": 1}), "target-0")

    def test_the_order_survives_many_branches(self):
        branches = {"n == %d || n > 100" % number: "t%02d" % number for number in range(30, 0, -1)}
        self.assertEqual(self.route(branches, {"n": 500}), "t30")

    def test_later_branches_are_not_evaluated(self):
        self.assertEqual(self.route({"true": "a", "ghost > 1": "b"}), "a")

    def test_no_match(self):
        made = self.begin([decide("d", {"n > 5": "end"}), end()], {"n": 1})
        seen = self.assert_failed(made)
        self.assertEqual(seen["failureReason"], "no conditionalNextSteps branch matched (DecisionNoBranchMatched)")
        self.assertEqual(self.rows(made), [("d", 1, "FAILED")])

    @cases(("n + 1", {"n": 1}), ("name", {"name": "x"}), ("list", {"list": []}), ("'true'", {}),
           ("nothing", {"nothing": None}), ("1", {}))
    def test_a_condition_must_be_a_boolean(self, text, variables):
        made = self.begin([decide("d", {text: "end", "true": "end"}), end()], variables)
        self.assert_failed(made, 'expression "%s": result is ' % text, "not bool")

    def test_a_number_is_called_float64(self):
        made = self.begin([decide("d", {"n": "end"}), end()], {"n": 1})
        self.assertEqual(self.instance(made)["failureReason"], 'expression "n": result is float64, not bool')

    def test_an_upload_with_another_order_is_evaluated_in_that_order(self):
        name = fresh("reordered")
        self.deploy([decide("d", {"n > 0": "a", "n > 1": "b"}), end("a"), end("b")], name)
        self.deploy([decide("d", {"n > 1": "b", "n > 0": "a"}), end("a"), end("b")], name)
        self.assertEqual(self.rows(self.start(name, {"n": 5})["id"])[-1][0], "b")

    def test_an_error_stops_the_decision(self):
        made = self.begin([decide("d", {"ghost > 1": "end", "true": "end"}), end()])
        self.assert_failed(made, 'expression eval error: expression "ghost > 1": ', "ghost")

    def test_the_triggering_call_still_succeeds(self):
        job = fresh("job")
        made = self.begin([service("s", "d", job), decide("d", {"x > 1": "end"}), end()])
        self.complete(self.take(job), {"x": 1})
        self.assert_failed(made, "DecisionNoBranchMatched")
        self.assertEqual(self.variables(made), {"x": 1})
        made = self.begin([wait("w", "d"), decide("d", {"x > 1": "end"}), end()])
        self.signal(made, "w", {"x": 1})
        self.assert_failed(made, "DecisionNoBranchMatched")
        made = self.begin([user("u", "d"), decide("d", {"x > 1": "end"}), end()])
        self.complete_task(made, "u", {"variables": {"x": 1}})
        self.assert_failed(made, "DecisionNoBranchMatched")

    def test_it_sees_the_live_variables(self):
        made = self.begin([user("u", "d"), decide("d", {"x == 2": "end"}), end()], {"x": 1})
        self.complete_task(made, "u", {"variables": {"x": 2}})
        self.assertEqual(self.instance(made)["status"], "COMPLETED")


class BranchesOnOtherSteps(Contract):
    def made(self, kind):
        branches = {"x > 1": "high", "x == 1": "low"}
        self.job = fresh("job")
        first = {"service": service("s", "low", self.job, conditionalNextSteps=branches),
                 "user": user("s", "low", conditionalNextSteps=branches),
                 "wait": wait("s", "low", conditionalNextSteps=branches)}[kind]
        return self.begin([first, end("high"), end("low")])

    def finish(self, kind, made, variables):
        if kind == "service":
            self.complete(self.take(self.job), variables)
        elif kind == "user":
            self.complete_task(made, "s", {"variables": variables})
        else:
            self.signal(made, "s", variables)

    @cases(("service",), ("user",), ("wait",))
    def test_they_win_over_the_next_step(self, kind):
        for value, want in ((5, "high"), (1, "low")):
            made = self.made(kind)
            self.finish(kind, made, {"x": value})
            self.assertEqual(self.rows(made), [("s", 1, "COMPLETED"), (want, 1, "COMPLETED")])

    def test_no_match_fails_the_instance_although_the_row_is_completed(self):
        made = self.made("service")
        self.finish("service", made, {"x": 0})
        self.assert_failed(made, "DecisionNoBranchMatched")
        self.assertEqual(self.rows(made), [("s", 1, "COMPLETED")])

    def test_a_retry_decides_again_and_does_nothing_else(self):
        made = self.made("service")
        self.finish("service", made, {"x": 0})
        self.assertEqual(self.retry(made, "s", {"variables": {"x": 5}}).json["status"], "COMPLETED")
        self.assertEqual(self.rows(made), [("s", 1, "COMPLETED"), ("s", 2, "COMPLETED"), ("high", 1, "COMPLETED")])

    @cases(("user",), ("wait",))
    def test_what_a_person_or_a_signal_brings_is_refused_if_it_leads_nowhere(self, kind):
        # Not as the original, which fails the instance: whoever sent it can send it again.
        made = self.made(kind)
        path = "/v1/instances/%s/user-tasks/s/complete" if kind == "user" else "/v1/instances/%s/signals/s"
        body = {"x": 0} if kind == "wait" else {"variables": {"x": 0}}
        self.refused(self.post(path % made, body), 400, "bad-request", "step \"s\" cannot be left with these variables")
        self.assertEqual(self.instance(made)["status"], "WAITING")
        self.finish(kind, made, {"x": 5})
        self.assertEqual(self.rows(made), [("s", 1, "COMPLETED"), ("high", 1, "COMPLETED")])

    def test_a_next_step_beside_them_still_makes_a_step_reachable(self):
        answer = self.upload(definition([user("s", "plain", conditionalNextSteps={"x > 1": "end"}), end(),
                                         end("plain")]))
        self.assertEqual(answer.status, 201, answer)


class Transformations(Contract):
    def result(self, values, variables=None):
        made = self.run_steps([transform("t", "end", values), end()], variables)
        self.assertEqual(made["status"], "COMPLETED", made)
        return made["variables"]

    def test_the_seeds_example(self):
        got = self.result({"processingFee": 50, "currency": "USD", "totalWithFee": "${loanAmount + 50}",
                           "isHighValue": "${loanAmount > 100000}"},
                          {"loanAmount": 200000})
        self.assertEqual(got, {"loanAmount": 200000, "processingFee": 50, "currency": "USD", "totalWithFee": 200050,
                               "isHighValue": True})

    @cases((50,), ("USD",), (True,), (None,), ([1, "${a}", {"b": "${a}"}],), ({"x": {"y": "${a}"}},), (1.5,), ("",),
           ("Hi ${name}!",), ("${a} ",), (" ${a}",), ("#a",), ("a",), ("$a",),
           ("{a}",))
    def test_literals_stay_as_they_are(self, value):
        self.assertEqual(self.result({"k": value}, {"a": 1, "name": "x"})["k"], value)

    def test_entries_see_earlier_results_in_document_order(self):
        self.assertEqual(self.result({"z": "${seed + 1}", "a": "${z * 2}", "m": "${a + z}"}, {"seed": 1}),
                         {"seed": 1, "z": 2, "a": 4, "m": 6})

    def test_an_entry_does_not_see_later_ones(self):
        made = self.begin([transform("t", "end", {"a": "${b}", "b": 1}), end()])
        self.assert_failed(made, 'transformation "a": expression eval: ')

    def test_an_entry_sees_the_old_value_of_a_later_one(self):
        self.assertEqual(self.result({"old": "${n}", "n": "${n + 1}", "new": "${n}"}, {"n": 1}),
                         {"n": 2, "old": 1, "new": 2})

    def test_a_long_chain(self):
        values = dict({"v0": 1}, **{"v%d" % n: "${v%d + 1}" % (n - 1) for n in range(1, 40)})
        self.assertEqual(self.result(values)["v39"], 40)

    def test_an_expression_may_give_any_type(self):
        got = self.result({"n": "${a + 1}", "s": "${'x'}", "b": "${a > 0}", "l": "${[a]}", "o": "${o.p}",
                           "z": "${nil}"}, {"a": 1, "o": {"p": {"q": 1}}})
        self.assertEqual((got["n"], got["s"], got["b"], got["l"], got["o"], got["z"]),
                         (2, "x", True, [1], {"q": 1}, None))

    def test_a_failure_merges_nothing(self):
        made = self.begin([transform("t", "end", {"a": 1, "b": "${1 / x}", "c": 3}), end()], {"x": 0})
        seen = self.assert_failed(made, 'transformation "b": expression eval: ')
        self.assertEqual(seen["variables"], {"x": 0})
        self.assertEqual(self.rows(made), [("t", 1, "FAILED")])

    def test_division_by_zero_does_not_poison_a_job(self):
        job = fresh("job")
        made = self.begin([service("s", "t", job), transform("t", "end", {"r": "${1 / x}"}), end()])
        self.complete(self.take(job), {"x": 0})
        self.assert_failed(made, "transformation \"r\"")
        self.assertEqual(self.variables(made), {"x": 0})

    def test_now(self):
        self.assertRegex(self.result({"at": "${now()}"})["at"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")

    def test_an_expression_around_an_object_literal(self):
        self.assertEqual(self.result({"k": "${{\"a\": n}}"}, {"n": 1})["k"], {"a": 1})


if __name__ == "__main__":
    main()
