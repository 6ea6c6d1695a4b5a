"""DECISION_TABLE: rules, all nine hit policies, and every way to fail."""

from contract import Contract, cases, decide, end, main, table


def rule(when=None, **outputs):
    made = {}
    if when is not None:
        made["when"] = when
    if outputs:
        made["outputs"] = outputs
    return made


HIGH, MID, ALL = {"n": "n > 10"}, {"n": "n > 5"}, {}


class Tables(Contract):
    def evaluate(self, policy, rules, variables=None):
        return self.run_steps([table("t", "end", rules, policy), end()], variables)

    def outputs(self, policy, rules, variables=None):
        variables = {"n": 20} if variables is None else variables
        made = self.evaluate(policy, rules, variables)
        self.assertEqual(made["status"], "COMPLETED", made)
        return {key: value for key, value in made["variables"].items() if (key, value) not in variables.items()}

    def fails(self, policy, rules, variables, *texts):
        made = self.evaluate(policy, rules, {"n": 20} if variables is None else variables)
        self.assertEqual(made["status"], "FAILED", made)
        self.assertTrue(made["failureReason"].startswith(texts[0]), made["failureReason"])
        for text in texts:
            self.assertIn(text, made["failureReason"])
        self.assertEqual(made["variables"], {"n": 20} if variables is None else variables)

    # Policies

    @cases(
        (None, [rule(HIGH, r="a"), rule({"n": "n <= 10"}, r="b")], {"r": "a"}),
        ("U", [rule(HIGH, r="a"), rule({"n": "n <= 10"}, r="b")], {"r": "a"}),
        ("F", [rule(HIGH, r="a"), rule(MID, r="b"), rule(ALL, r="c")], {"r": "a"}),
        ("F", [rule({"n": "n > 99"}, r="a"), rule(MID, r="b"), rule(ALL, r="c")], {"r": "b"}),
        ("A", [rule(HIGH, r="a"), rule(MID, r="a")], {"r": "a"}),
        ("A", [rule(HIGH, r={"x": [1, 2]}), rule(MID, r={"x": [1, 2]})], {"r": {"x": [1, 2]}}),
        ("A", [rule(HIGH, r=1), rule(MID, r=1.0)], {"r": 1}),
        ("A", [rule(HIGH, r={"x": 1, "y": 2}), rule(MID, r={"y": 2, "x": 1})], {"r": {"x": 1, "y": 2}}),
        ("R", [rule(HIGH, r="a"), rule({"n": "n < 0"}, r="x"), rule(MID, r="b"), rule(ALL, r="c")],
         {"r": ["a", "b", "c"]}),
        ("R", [rule(HIGH, r="a", s=1), rule(MID, r="b")], {"r": ["a", "b"], "s": [1, None]}),
        ("R", [rule(HIGH, r="a"), rule(MID, s=1)], {"r": ["a", None], "s": [None, 1]}),
        ("R", [rule(HIGH, r="a")], {"r": ["a"]}),
        ("C", [rule(HIGH, r="a"), rule(MID, r="b"), rule(ALL, r="a")], {"r": ["a", "b", "a"]}),
        ("C", [rule(HIGH, r="a"), rule(MID, s="b")], {"r": ["a", None], "s": [None, "b"]}),
        ("C+", [rule(HIGH, r=1), rule(MID, r=2.5), rule(ALL, r=-1)], {"r": 2.5}),
        ("C+", [rule(HIGH, r=1, s=10), rule(MID, r=2, s=20)], {"r": 3, "s": 30}),
        ("C+", [rule(HIGH, r="${n}"), rule(MID, r="${n * 2}")], {"r": 60}),
        ("C+", [rule(HIGH, r=5)], {"r": 5}),
        ("C#", [rule(HIGH, r="a"), rule(MID, r=None), rule(ALL, r={"x": 1})], {"r": 3}),
        ("C#", [rule(HIGH, r="a"), rule(MID, s="b")], {"r": 2, "s": 2}),
        ("C>", [rule(HIGH, r=1), rule(MID, r=7.5), rule(ALL, r=3)], {"r": 7.5}),
        ("C>", [rule(HIGH, r=-5), rule(MID, r=-2)], {"r": -2}),
        ("C<", [rule(HIGH, r=1), rule(MID, r=7.5), rule(ALL, r=0.5)], {"r": 0.5}),
        ("C<", [rule(HIGH, r=4)], {"r": 4}),
    )
    def test_a_policy(self, policy, rules, want):
        self.assertEqual(self.outputs(policy, rules), want)

    @cases(*[(policy,) for policy in (None, "U", "F", "A", "R", "C", "C+", "C#", "C>", "C<")])
    def test_no_match_fails_under_any_policy(self, policy):
        self.fails(policy, [rule({"n": "n > 100"}, r=1)], None, "DecisionTableNoRuleMatched")

    @cases(
        ("U", [rule(HIGH, r=1), rule(MID, r=1)],
         "DecisionTableUniqueViolation: step \"t\", matching rule indices [0 1]"),
        (None, [rule({"n": "n < 0"}, r=0), rule(HIGH, r=1), rule(MID, r=2), rule(ALL, r=3)],
         "DecisionTableUniqueViolation: step \"t\", matching rule indices [1 2 3]"),
        ("A", [rule(HIGH, r="a"), rule(MID, r="b")], "DecisionTableAnyConflict: step \"t\", column=\"r\""),
        ("A", [rule(HIGH, r="a", s=1), rule(MID, r="a", s=2)], "DecisionTableAnyConflict: step \"t\", column=\"s\""),
        ("A", [rule(HIGH, r=1), rule(MID, r="1")], "DecisionTableAnyConflict: step \"t\", column=\"r\""),
        ("A", [rule(HIGH, r=[1, 2]), rule(MID, r=[2, 1])], "DecisionTableAnyConflict: step \"t\", column=\"r\""),
        ("A", [rule(HIGH, r="a", s=1), rule(MID, r="a")], "DecisionTableAnyConflict: step \"t\", column=\"s\""),
        ("C+", [rule(HIGH, r=1), rule(MID, r="x")], "DecisionTableAggregatorTypeError: step \"t\", column=\"r\": "),
        ("C+", [rule(HIGH, r=1), rule(MID, r="2")], "DecisionTableAggregatorTypeError: step \"t\", column=\"r\": "),
        ("C+", [rule(HIGH, r=1), rule(MID, r=True)], "DecisionTableAggregatorTypeError: step \"t\", column=\"r\": "),
        ("C+", [rule(HIGH, r=1, s=1), rule(MID, r=1)], "DecisionTableAggregatorTypeError: step \"t\", column=\"s\": "),
        ("C>", [rule(HIGH, r=1), rule(MID, r="9")], "DecisionTableAggregatorTypeError: step \"t\", column=\"r\": "),
        ("C>", [rule(HIGH, r=1, s=1), rule(MID, r=1)], "DecisionTableAggregatorTypeError: step \"t\", column=\"s\": "),
        ("C<", [rule(HIGH, r=1), rule(MID, r=False)], "DecisionTableAggregatorTypeError: step \"t\", column=\"r\": "),
        ("C<", [rule(HIGH, r=1), rule(MID, r=None)], "DecisionTableAggregatorTypeError: step \"t\", column=\"r\": "),
        ("C<", [rule(HIGH, r="x")], "DecisionTableAggregatorTypeError: step \"t\", column=\"r\": "),
    )
    def test_a_policy_that_cannot_hold(self, policy, rules, want):
        self.fails(policy, rules, None, want)

    def test_any_reads_the_document_strictly(self):
        made = self.evaluate("A", [rule(HIGH, r="a"), rule(MID, r="a", s=1)], {"n": 20})
        self.assertEqual(made["status"], "FAILED")
        self.assertTrue(made["failureReason"].startswith("DecisionTableAnyConflict: step \"t\", column=\"s\""),
                        made["failureReason"])

    def test_the_count_is_an_integer(self):
        made = self.begin([table("t", "end", [rule(ALL, r="a")], "C#"), end()])
        self.assertEqual(self.get("/v1/instances/" + made).exact["variables"]["r"], "1")

    # Cells

    @cases(
        (rule({"a": "n > 5", "b": "m > 5"}, r=1), {"n": 9, "m": 9}, True),
        (rule({"a": "n > 5", "b": "m > 5"}, r=1), {"n": 9, "m": 1}, False),
        (rule({"a": "n > 5", "b": ""}, r=1), {"n": 9}, True),
        (rule({"a": "n > 5", "b": "  \t "}, r=1), {"n": 9}, True),
        (rule({}, r=1), {}, True),
        (rule(None, r=1), {}, True),
        (rule({"a": "#n > 5"}, r=1), {"n": 9}, True),
        (rule({"a": "${n} > 5"}, r=1), {"n": 9}, True),
        (rule({"a": "n > 5 ? true : false"}, r=1), {"n": 9}, True),
        (rule({"any name, even odd": "true"}, r=1), {}, True),
        (rule({"a": "false", "b": "ghost > 1"}, r=1), {}, False),
    )
    def test_a_rule_is_the_conjunction_of_its_cells(self, one, variables, matches):
        made = self.evaluate("F", [one, rule(None, r=0)], variables)
        self.assertEqual(made["variables"].get("r"), 1 if matches else 0, made)

    @cases(
        ("F", [rule({"x": "ghost > 1"}, r=1)], "DecisionTableCellError: ruleIndex=0 column=\"x\""),
        ("F", [rule({"x": "n + 1"}, r=1)], "DecisionTableCellError: ruleIndex=0 column=\"x\""),
        ("F", [rule(ALL, r=1), rule({"y": "'text'"}, r=1)], "DecisionTableCellError: ruleIndex=1 column=\"y\""),
        ("F", [rule(ALL, r=1), rule(ALL, r=1), rule({"a": "true", "z": "n / 0 > 1"}, r=1)],
         "DecisionTableCellError: ruleIndex=2 column=\"z\""),
        ("U", [rule(ALL, r=1), rule({"y": "ghost"}, r=1)], "DecisionTableCellError: ruleIndex=1 column=\"y\""),
        ("F", [rule(ALL, r="${ghost}")], "DecisionTableOutputError: ruleIndex=0"),
        ("F", [rule(ALL, r=1), rule(ALL, r="${1 / 0}")], "DecisionTableOutputError: ruleIndex=1"),
        ("C#", [rule(ALL, r="${ghost}")], "DecisionTableOutputError: ruleIndex=0"),
    )
    def test_an_error_in_any_rule_fails_the_step(self, policy, rules, want):
        self.fails(policy, rules, None, want)

    def test_outputs_of_rules_that_do_not_match_are_not_evaluated(self):
        self.assertEqual(self.outputs("F", [rule({"n": "n < 0"}, r="${ghost}"), rule(ALL, r=1)]), {"r": 1})

    # Outputs

    def test_outputs_see_only_the_variables_before_the_step(self):
        made = self.evaluate("F", [rule(ALL, n=5, m="${n + 1}")], {"n": 1})
        self.assertEqual(made["variables"], {"n": 5, "m": 2})

    def test_an_output_does_not_leak_into_later_rules(self):
        made = self.evaluate("R", [rule({"n": "n == 1"}, n=2), rule({"n": "n == 2"}, n=3), rule({"n": "n == 1"}, n=4)],
                             {"n": 1})
        self.assertEqual(made["variables"], {"n": [2, 4]})

    def test_an_output_cannot_read_another(self):
        self.fails("F", [rule(ALL, a=1, b="${a}")], {}, "DecisionTableOutputError: ruleIndex=0")

    @cases(("text",), (5,), (1.5,), (True,), (None,), ([1, {"x": "${n}"}],), ({"deep": {"x": 1}},), ("Hi ${n}!",))
    def test_literal_outputs(self, value):
        self.assertEqual(self.evaluate("F", [rule(ALL, r=value)], {"n": 1})["variables"]["r"], value)

    def test_outputs_are_merged_shallowly(self):
        self.assertEqual(self.evaluate("F", [rule(ALL, a={"y": 2})], {"a": {"x": 1}, "b": 1})["variables"],
                         {"a": {"y": 2}, "b": 1})

    @cases(*[(policy,) for policy in ("U", "F", "A", "R", "C", "C+", "C#", "C>", "C<")])
    def test_no_outputs_just_advance(self, policy):
        made = self.evaluate(policy, [{"when": {}}], {"n": 1})
        self.assertEqual((made["status"], made["variables"]), ("COMPLETED", {"n": 1}))

    def test_empty_outputs_just_advance(self):
        self.assertEqual(self.evaluate("F", [{"when": {}, "outputs": {}}], {"n": 1})["variables"], {"n": 1})

    # The seed's examples

    TIERS = [
        {"when": {"credit": "creditScore >= 750", "amount": "loanAmount >= 50000000",
                  "segment": "segment == 'PRIORITY'"}, "outputs": {"tier": "PRIORITY_GOLD"}},
        {"when": {"credit": "creditScore >= 750", "amount": "loanAmount >= 50000000"}, "outputs": {"tier": "GOLD"}},
        {"when": {"credit": "creditScore >= 700", "amount": "loanAmount >= 20000000"}, "outputs": {"tier": "SILVER"}},
        {"when": {"credit": "creditScore >= 650"}, "outputs": {"tier": "STANDARD"}},
        {"when": {"credit": "creditScore >= 500"}, "outputs": {"tier": "MANUAL_REVIEW"}},
        {"when": {}, "outputs": {"tier": "REJECT"}}]

    @cases((760, 60000000, "PRIORITY", "PRIORITY_GOLD"), (760, 60000000, "X", "GOLD"), (710, 20000000, "X", "SILVER"),
           (710, 1, "X", "STANDARD"), (650, 1, "X", "STANDARD"),
           (500, 1, "X", "MANUAL_REVIEW"), (499, 99999999, "PRIORITY", "REJECT"))
    def test_the_table_classifies_and_the_decision_routes(self, score, amount, segment, want):
        tiers = [one["outputs"]["tier"] for one in self.TIERS]
        steps = [table("classify", "route", self.TIERS, "F"), decide("route",
                                                            {"tier == '%s'" % tier: "path-" + tier for tier in tiers})]
        made = self.begin(steps + [end("path-" + tier) for tier in tiers],
                          {"creditScore": score, "loanAmount": amount, "segment": segment})
        self.assertEqual(self.rows(made)[-1], ("path-" + want, 1, "COMPLETED"))


if __name__ == "__main__":
    main()
