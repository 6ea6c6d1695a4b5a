"""The expression language, every row through a TRANSFORMATION, conditions also through a DECISION."""

from contract import Contract, cases, decide, end, main, transform

LOAN = {"creditScore": 720, "loanAmount": 40000, "status": "APPROVED", "age": 30, "riskScore": 0.25, "valid": True,
        "bypass": False, "blacklisted": False, "user": {"roles": ["ADMIN", "LOAN_OFFICER"], "name": "Ann"},
        "result": {"eligible": True, "score": 720}, "attachments": [], "processingFee": 50, "retryCount": 0}


class Values(Contract):
    def value(self, text, variables=None):
        made = self.run_steps([transform("t", "end", {"result_": "${%s}" % text}), end()], variables)
        self.assertEqual(made["status"], "COMPLETED", made)
        return made["variables"]["result_"]

    @cases(
        ("creditScore >= 700", LOAN, True), ("#creditScore >= 700", LOAN, True),
        ("${creditScore} >= 700", LOAN, True), ("result.eligible", LOAN, True), ("result.score", LOAN, 720),
        ("#result.score", LOAN, 720), ("${result.eligible}", LOAN, True), ("status == 'APPROVED'", LOAN, True),
        ("status == \"APPROVED\"", LOAN, True), ("retryCount != 0", LOAN, False), ("age > 18", LOAN, True),
        ("riskScore < 0.5", LOAN, True), ("loanAmount <= 10000", LOAN, False),
        ("valid == true && creditScore >= 600", LOAN, True), ("bypass == true || creditScore >= 800", LOAN, False),
        ("!blacklisted", LOAN, True), ("(age > 1 && creditScore < 5) || valid == true", LOAN, True),
        ("\"ADMIN\" in user.roles", LOAN, True), ("'NOBODY' in user.roles", LOAN, False),
        ("contains(user.roles, 'ADMIN')", LOAN, True), ("contains(user.roles, 'REVIEWER')", LOAN, False),
        ("len(attachments) > 0", LOAN, False), ("len(attachments) == 0", LOAN, True), ("len(user.roles)", LOAN, 2),
        ("loanAmount + processingFee", LOAN, 40050), ("creditScore >= 600 && !blacklisted", LOAN, True),
        ("contains(user.roles, 'LOAN_OFFICER') && loanAmount <= 50000", LOAN, True),
        ("#creditScore >= 500 && ${creditScore} < 700 || creditScore == 720", LOAN, True),
        ("loanAmount * 0.01", {"loanAmount": 200000000}, 2000000),
        ("loanAmount - loanAmount * 0.01", {"loanAmount": 200000000}, 198000000),
        ("unitPrice * quantity - discount", {"unitPrice": 5, "quantity": 4, "discount": 3}, 17),
        ("totalScore / reviewCount", {"totalScore": 9, "reviewCount": 2}, 4.5),
    )
    def test_the_seeds_examples(self, text, variables, want):
        got = self.value(text, variables)
        self.assertEqual((got, type(got) is bool), (want, type(want) is bool))

    @cases(
        ("700", 700), ("0", 0), ("-1", -1), ("0.9", 0.9), ("3.14", 3.14), ("true", True), ("false", False),
        ("'APPROVED'", "APPROVED"), ("\"ADMIN\"", "ADMIN"), ("''", ""), ("nil", None), ("[]", []),
        ("[1, 'two', true, nil]", [1, "two", True, None]), ("{\"a\": 1, \"b\": [2]}", {"a": 1, "b": [2]}),
        ("'it is \"quoted\"'", "it is \"quoted\""), ("\"it's\"", "it's"), ("'#fff'", "#fff"), ("'a && b'", "a && b"),
        ("'Grüße'", "Grüße"),
    )
    def test_literals(self, text, want):
        self.assertEqual(self.value(text), want)

    @cases(
        ("1 + 2", 3), ("5 - 8", -3), ("4 * 2.5", 10), ("10 / 4", 2.5), ("9 / 3", 3), ("7 % 3", 1), ("2 ** 10", 1024),
        ("2 ** 3 ** 2", 512), ("1 + 2 * 3", 7), ("(1 + 2) * 3", 9), ("10 - 2 - 3", 5), ("100 / 10 / 2", 5),
        ("-(3 + 4)", -7), ("2 - -3", 5), ("1.5 + 1.5", 3), ("0.5 * 4", 2), ("'a' + 'b'", "ab"), ("1 - 0.9 > 0", True),
    )
    def test_arithmetic(self, text, want):
        self.assertEqual(self.value(text), want)

    @cases(
        ("1 == 1.0", True), ("10 == 10.0", True), ("1 != 2", True), ("2 > 1", True), ("2 >= 2", True),
        ("1 < 2", True), ("2 <= 1", False), ("'a' == 'a'", True), ("'a' == 'A'", False), ("'a' < 'b'", True),
        ("true == true", True), ("true != false", True), ("nil == nil", True), ("1 == nil", False),
        ("[1, 2] == [1, 2]", True), ("[1, 2] == [2, 1]", False), ("0.1 < 0.2", True), ("-1 < 0", True),
    )
    def test_comparisons(self, text, want):
        self.assertIs(self.value(text), want)

    @cases(
        ("true && false", False), ("true && true", True), ("false || true", True), ("false || false", False),
        ("!true", False), ("!!true", True), ("true and false", False), ("false or true", True), ("not true", False),
        ("not false && true", True), ("true || false && false", True), ("(true || false) && false", False),
        ("!false && !false", True), ("1 < 2 && 2 < 3", True), ("1 > 2 || 3 > 2", True),
    )
    def test_booleans(self, text, want):
        self.assertIs(self.value(text), want)

    @cases(
        ("true || ghost", True), ("false && ghost", False), ("true ? 1 : ghost", 1), ("false ? ghost : 2", 2),
        ("true or ghost", True), ("false and ghost", False), ("true || ghost > 5 && phantom", True),
    )
    def test_what_is_not_read_may_be_missing(self, text, want):
        self.assertEqual(self.value(text), want)

    @cases(
        ("1 in [1, 2]", {}, True), ("3 in [1, 2]", {}, False), ("1 in a", {"a": [1.0]}, True),
        ("1.0 in a", {"a": [1]}, True), ("'x' in m", {"m": {"x": 1}}, True), ("'z' in m", {"m": {"x": 1}}, False),
        ("3 not in [1, 2]", {}, True), ("not (1 in [1])", {}, False), ("contains(a, 2)", {"a": [1, 2]}, True),
        ("contains(a, b)", {"a": ["x"], "b": "x"}, True), ("contains(a, len(b))", {"a": [3], "b": "abc"}, True),
        ("contains(o.list, o.item)", {"o": {"list": [1], "item": 1}}, True), ("contains([], 1)", {}, False),
        ("true in [true]", {}, True), ("nil in [nil]", {}, True), ("contains(a, 'x, y')", {"a": ["x, y"]}, True),
        ("contains(a, '(')", {"a": ["("]}, True),
    )
    def test_membership(self, text, variables, want):
        self.assertIs(self.value(text, variables), want)

    @cases(
        ("len('')", {}, 0), ("len('héllo')", {}, 5), ("len(a)", {"a": "日本"}, 2), ("len([1, 2, 3])", {}, 3),
        ("len(m)", {"m": {"a": 1, "b": 2}}, 2), ("len(a) + 1", {"a": [0]}, 2), ("len(a) == 0", {"a": {}}, True),
    )
    def test_len(self, text, variables, want):
        self.assertEqual(self.value(text, variables), want)

    @cases(
        ("a == 5", {"a": "5"}, True), ("5 == a", {"a": "5"}, True), ("a == b", {"a": "5", "b": 5}, True),
        ("a == 5", {"a": "5.0"}, True), ("a == '5'", {"a": "5"}, True), ("a == '007'", {"a": "007"}, True),
        ("a == b", {"a": "7", "b": "007"}, False), ("a != b", {"a": "7", "b": "007"}, True),
        ("a == '5'", {"a": 5}, True), ("a == 'true'", {"a": True}, False), ("a == true", {"a": "true"}, False),
        ("a != true", {"a": "true"}, True), ("a == 5", {"a": "abc"}, False), ("a == 5", {"a": ""}, False),
        ("a == 0", {"a": ""}, False), ("a == 0", {"a": None}, False), ("a == 1", {"a": True}, False),
        ("a == nil", {"a": None}, True), ("a == ''", {"a": None}, False),
    )
    def test_equality_and_coercion(self, text, variables, want):
        self.assertIs(self.value(text, variables), want)

    @cases(
        ("a > 5", {"a": "10"}, True), ("a < 9", {"a": "10"}, False), ("a >= b", {"a": 10, "b": "9.5"}, True),
        ("a + 1", {"a": "5"}, 6), ("a - 1", {"a": "5"}, 4), ("a * 2", {"a": "2.5"}, 5), ("a / 2", {"a": "5"}, 2.5),
        ("1 + a", {"a": "-5"}, -4), ("a < b", {"a": "abc", "b": "abd"}, True), ("a > b", {"a": "b", "b": "a"}, True),
        ("a < b", {"a": "10", "b": "9"}, True), ("a <= 'x'", {"a": "x"}, True),
    )
    def test_ordering_and_arithmetic_coerce_numeric_text_against_numbers(self, text, variables, want):
        self.assertEqual(self.value(text, variables), want)

    @cases(
        ("a && true", {"a": "true"}, True), ("a && true", {"a": "TRUE"}, True), ("a || false", {"a": "False"}, False),
        ("!a", {"a": "false"}, True), ("!a", {"a": "True"}, False), ("true && a", {"a": "tRuE"}, True),
    )
    def test_logic_takes_the_words_true_and_false(self, text, variables, want):
        self.assertIs(self.value(text, variables), want)

    @cases(
        ("o.missing", {"o": {}}, None), ("o.missing == nil", {"o": {}}, True), ("o?.a", {"o": None}, None),
        ("o.a?.b", {"o": {}}, None), ("o.a?.b?.c", {"o": {}}, None), ("o.missing ?? 5", {"o": {}}, 5),
        ("o.a ?? 5", {"o": {"a": 1}}, 1), ("o.a ?? 5", {"o": {"a": None}}, 5),
        ("o.a.b.c", {"o": {"a": {"b": {"c": 7}}}}, 7), ("o['a']", {"o": {"a": 1}}, 1),
        ("o[\"a b\"]", {"o": {"a b": 1}}, 1), ("o[k]", {"o": {"x": 3}, "k": "x"}, 3), ("a[0]", {"a": [4, 5]}, 4),
        ("a[1].x", {"a": [1, {"x": 9}]}, 9), ("a[-1]", {"a": [4, 5]}, 5), ("a[len(a) - 1]", {"a": [4, 5]}, 5),
        ("a[1:3]", {"a": [1, 2, 3, 4]}, [2, 3]), ("a[:2]", {"a": [1, 2, 3]}, [1, 2]),
        ("a[1:]", {"a": [1, 2, 3]}, [2, 3]), ("1..4", {}, [1, 2, 3, 4]),
    )
    def test_access(self, text, variables, want):
        self.assertEqual(self.value(text, variables), want)

    @cases(
        ("a > 1 ? 'big' : 'small'", {"a": 2}, "big"), ("a > 1 ? 'big' : 'small'", {"a": 1}, "small"),
        ("a ? 1 : 2", {"a": True}, 1), ("a > 1 ? a > 2 ? 3 : 2 : 1", {"a": 2}, 2),
        ("(a > 1 ? 10 : 20) + 1", {"a": 1}, 21),
    )
    def test_the_conditional(self, text, variables, want):
        self.assertEqual(self.value(text, variables), want)

    @cases(
        ("'hello' contains 'ell'", {}, True), ("'hello' startsWith 'he'", {}, True),
        ("'hello' endsWith 'lo'", {}, True), ("'hello' matches '^h.*o$'", {}, True),
        ("not ('hello' contains 'x')", {}, True), ("upper('ab')", {}, "AB"), ("lower('AB')", {}, "ab"),
        ("trim('  x ')", {}, "x"), ("max(1, 3, 2)", {}, 3), ("min(1, 3, 2)", {}, 1), ("sum([1, 2, 3])", {}, 6),
        ("abs(-3)", {}, 3), ("int('42')", {}, 42), ("float('1.5')", {}, 1.5), ("string(5)", {}, "5"),
        ("round(2.6)", {}, 3), ("floor(2.6)", {}, 2), ("ceil(2.1)", {}, 3), ("split('a,b', ',')", {}, ["a", "b"]),
        ("join(['a', 'b'], '-')", {}, "a-b"), ("replace('aab', 'a', 'x')", {}, "xxb"),
        ("keys({\"a\": 1})", {}, ["a"]), ("values({\"a\": 1})", {}, [1]), ("first([1, 2])", {}, 1),
        ("last([1, 2])", {}, 2), ("reverse([1, 2])", {}, [2, 1]), ("sort([3, 1, 2])", {}, [1, 2, 3]),
        ("uniq([1, 1, 2])", {}, [1, 2]), ("mean([1, 2, 3])", {}, 2), ("median([1, 5, 3])", {}, 3),
        ("indexOf('hello', 'l')", {}, 2), ("hasPrefix('hello', 'he')", {}, True),
        ("hasSuffix('hello', 'lo')", {}, True), ("repeat('ab', 2)", {}, "abab"), ("type(1 == 1)", {}, "bool"),
        ("type('x')", {}, "string"), ("concat([1], [2])", {}, [1, 2]), ("flatten([[1], [2]])", {}, [1, 2]),
        ("fromJSON('{\"a\": 1}')", {}, {"a": 1}), ("get({\"a\": 1}, 'a')", {}, 1), ("take([1, 2, 3], 2)", {}, [1, 2]),
    )
    def test_functions(self, text, variables, want):
        self.assertEqual(self.value(text, variables), want)

    @cases(
        ("filter(a, # > 1)", {"a": [1, 2, 3]}, [2, 3]), ("map(a, # * 2)", {"a": [1, 2]}, [2, 4]),
        ("any(a, # > 2)", {"a": [1, 3]}, True), ("all(a, # > 2)", {"a": [1, 3]}, False),
        ("none(a, # > 5)", {"a": [1, 3]}, True), ("one(a, # > 2)", {"a": [1, 3]}, True),
        ("count(a, # > 1)", {"a": [1, 2, 3]}, 2), ("filter(a, .x > 1)", {"a": [{"x": 1}, {"x": 2}]}, [{"x": 2}]),
        ("map(a, #.x)", {"a": [{"x": 1}, {"x": 2}]}, [1, 2]), ("sum(map(a, # + 1))", {"a": [1, 2]}, 5),
        ("find(a, # > 1)", {"a": [1, 2, 3]}, 2), ("reduce(a, #acc + #, 0)", {"a": [1, 2, 3]}, 6),
        ("len(filter(a, # > limit))", {"a": [1, 2, 3], "limit": 1}, 2), ("filter(a, {# > 1})", {"a": [1, 2]}, [2]),
        ("sum(a, # * 2)", {"a": [1, 2]}, 6), ("sortBy(a, .x)", {"a": [{"x": 2}, {"x": 1}]}, [{"x": 1}, {"x": 2}]),
        ("a | filter(# > 1) | len()", {"a": [1, 2, 3]}, 2),
    )
    def test_predicates(self, text, variables, want):
        self.assertEqual(self.value(text, variables), want)

    @cases(
        ("  a   >   1  ", {"a": 2}, True), ("a>1&&a<3", {"a": 2}, True), ("a\n>\t1", {"a": 2}, True),
        ("((a))", {"a": 2}, 2), ("${${a} + ${b}}", {"a": 1, "b": 2}, 3),
        ("#a + b + ${c}", {"a": 1, "b": 2, "c": 3}, 6), ("${a > 1} && true", {"a": 2}, True),
        ("_x1 + $y", {"_x1": 1, "$y": 2}, 3),
    )
    def test_writing(self, text, variables, want):
        self.assertEqual(self.value(text, variables), want)

    def test_now_has_seconds(self):
        self.assertRegex(self.value("now()"), r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")


class Failures(Contract):
    @cases(
        ("ghost", {}), ("ghost > 1", {}), ("#ghost", {}), ("a && ghost", {"a": True}), ("a || ghost", {"a": False}),
        ("len(ghost)", {}), ("contains(ghost, 1)", {}), ("1 / 0", {}), ("a / b", {"a": 1, "b": 0}), ("0 / 0", {}),
        ("a / 0.0", {"a": 1}), ("5 % 0", {}), ("a + 1", {"a": "abc"}), ("a > 5", {"a": "abc"}), ("a - 1", {"a": ""}),
        ("a * 2", {"a": True}), ("a + 1", {"a": None}), ("a < 1", {"a": None}), ("a + 1", {"a": [1]}),
        ("a > 1", {"a": {}}), ("a >= true", {"a": 1}), ("a + 1", {"a": False}), ("a && true", {"a": 1}),
        ("a || true", {"a": "yes"}), ("!a", {"a": 0}), ("!a", {"a": None}), ("true && a", {"a": ""}),
        ("a && true", {"a": []}), ("a ? 1 : 2", {"a": 1}), ("a ? 1 : 2", {"a": "x"}), ("a ? 1 : 2", {"a": None}),
        ("'a' in s", {"s": "abc"}), ("1 in a", {"a": 5}), ("len(a)", {"a": 5}), ("len(a)", {"a": None}),
        ("len(a)", {"a": True}), ("o.a.b", {"o": {}}), ("a.b", {"a": 5}), ("a < b < 5", {"a": 1, "b": 2}),
        ("7.5 % 2", {}), ("a[9]", {"a": [1]}),
    )
    def test_the_step_fails_and_nothing_is_merged(self, text, variables):
        made = self.run_steps([transform("t", "end", {"first": 1, "k": "${%s}" % text}), end()], variables)
        self.assertEqual(made["status"], "FAILED", made)
        self.assertTrue(made["failureReason"].startswith('transformation "k": expression eval: '),
                        made["failureReason"])
        self.assertEqual(made["variables"], variables)

    @cases(
        ("a + 1", {"a": "abc"}, 'cannot coerce value "abc" to number'),
        ("a > 1", {"a": "abc"}, 'cannot coerce value "abc" to number'),
        ("a && true", {"a": "maybe"}, "cannot coerce"), ("a && true", {"a": "maybe"}, "to bool"),
        ("ghost + 1", {}, "ghost"),
    )
    def test_the_words_of_a_failure(self, text, variables, want):
        made = self.run_steps([transform("t", "end", {"k": "${%s}" % text}), end()], variables)
        self.assertIn(want, made["failureReason"])

    @cases(
        ("unknownFunction(1)",), ("len()",), ("1 2",), ("a b",), ("'x",), ("\"x",), ("[1, 2",), ("a &&",), ("@",),
        ("a ? 1",), ("a = 1",), ("a; b",),
    )
    def test_a_malformed_expression_never_runs(self, text):
        answer = self.upload({"id": "malformed", "name": "n", "steps": [transform("t", "end", {"k": "${%s}" % text}),
                                                            end()]})
        if answer.status == 201:
            self.fail("accepted: " + text)
        self.refused(answer, 400, "bad-request")

    def test_an_expression_that_never_ends_is_stopped(self):
        made = self.run_steps([transform("t", "end",
                                         {"k": "${len(filter(1..100000, len(filter(1..100000, # > 0)) > 0))}"}), end()])
        self.assertEqual(made["status"], "FAILED")


class Conditions(Contract):
    @cases(
        ("creditScore >= 700", True), ("#creditScore >= 700", True), ("${creditScore >= 700}", True),
        ("${creditScore} >= 700", True), ("valid", True), ("blacklisted", False),
        ("#valid == true && !#blacklisted", True), ("result.eligible", True), ("${result.eligible}", True),
        ("\"ADMIN\" in user.roles", True), ("true", True), ("false", False),
        ("creditScore > 700 ? true : false", True), ("contains(user.roles, 'X')", False),
        ("status == 'APPROVED'", True), ("status == \"REJECTED\"", False),
    )
    def test_in_a_decision(self, text, want):
        made = self.run_steps([decide("d", {text: "yes", "1 == 1": "no"}), end("yes"), end("no")], LOAN)
        self.assertEqual(self.rows(made["id"])[-1], ("yes" if want else "no", 1, "COMPLETED"))


if __name__ == "__main__":
    main()
