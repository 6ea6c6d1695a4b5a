"""How variables are merged, and that numbers keep their digits."""

from contract import Contract, cases, decide, end, fresh, main, service, table, transform, user, wait


class Merging(Contract):
    @cases(
        ({"a": {"x": 1}}, {"a": {"y": 2}}, {"a": {"x": 1, "y": 2}}),
        ({"a": {"x": 1}}, {"a": {"x": 2}}, {"a": {"x": 2}}),
        ({"a": {"b": {"c": {"d": 1}}}}, {"a": {"b": {"c": {"e": 2}}}}, {"a": {"b": {"c": {"d": 1, "e": 2}}}}),
        ({"a": [1, 2, 3]}, {"a": [4]}, {"a": [4]}),
        ({"a": [{"x": 1}]}, {"a": [{"y": 2}]}, {"a": [{"y": 2}]}),
        ({"a": {"l": [1]}}, {"a": {"l": [2]}}, {"a": {"l": [2]}}),
        ({"a": {"x": 1}}, {"a": 5}, {"a": 5}),
        ({"a": 5}, {"a": {"x": 1}}, {"a": {"x": 1}}),
        ({"a": {"x": 1}}, {"a": None}, {"a": None}),
        ({"a": {"x": 1, "y": 2}}, {"a": {"x": None}}, {"a": {"x": None, "y": 2}}),
        ({"a": {"x": 1}}, {"a": {}}, {"a": {"x": 1}}),
        ({"a": 1}, {"b": None}, {"a": 1, "b": None}),
        ({"a": 1}, {}, {"a": 1}),
        ({"A": 1}, {"a": 2}, {"A": 1, "a": 2}),
    )
    def test_a_workers_result_is_merged_deeply(self, before, result, after):
        job = fresh("job")
        made = self.begin([service("s", "end", job), end()], before)
        self.work(job, result)
        self.assertEqual(self.variables(made), after)

    @cases(("user",), ("signal",), ("transform",), ("table",))
    def test_everything_else_is_merged_shallowly(self, how):
        first = {"user": user("x", "end"), "signal": wait("x", "end"), "transform": transform("x", "end",
                                                            {"a": {"y": 2}, "n": None}),
                 "table": table("x", "end", [{"outputs": {"a": {"y": 2}, "n": None}}])}[how]
        made = self.begin([first, end()], {"a": {"x": 1}, "b": 1})
        if how == "user":
            self.complete_task(made, "x", {"variables": {"a": {"y": 2}, "n": None}})
        elif how == "signal":
            self.signal(made, "x", {"a": {"y": 2}, "n": None})
        self.assertEqual(self.variables(made), {"a": {"y": 2}, "b": 1, "n": None})

    def test_every_job_sees_the_full_map(self):
        one, two = fresh("one"), fresh("two")
        self.begin([service("a", "b", one), service("b", "end", two), end()], {"seed": 1})
        self.work(one, {"result": {"ok": True}})
        self.assertEqual(self.take(two)["variables"], {"seed": 1, "result": {"ok": True}})


class Numbers(Contract):
    @cases(("9223372036854775807",), ("-9223372036854775808",), ("9007199254740993",), ("12345678901234567890",),
           ("1.0",), ("0.1",),
           ("10.10",), ("3.14159265358979323846",), ("0",), ("-1",), ("0.30000000000000000001",))
    def test_digits_survive_everything(self, number):
        job = fresh("job")
        name = self.deploy([service("s", "u", job), user("u", "w"), wait("w", "t"),
                            transform("t", "end", {"copy": "${a}"}), end()])
        text = '{"definitionId":"%s","variables":{"a":%s}}' % (name, number)
        answer = self.post("/v1/instances", text, 201)
        made = answer.json["id"]
        self.assertEqual(answer.exact["variables"], {"a": number})
        taken = self.post("/v1/jobs/poll", {"workerId": "worker", "jobTypes": [job]}).exact["jobs"][0]
        self.assertEqual(taken["variables"], {"a": number})
        self.post("/v1/jobs/%s/complete" % taken["id"], '{"workerId":"worker","variables":{"b":%s}}' % number, 204)
        self.complete_task(made, "u", '{"variables":{"c":%s}}' % number)
        self.signal(made, "w", '{"d":%s}' % number)
        seen = self.get("/v1/instances/" + made).exact
        self.assertEqual(seen["variables"], {"a": number, "b": number, "c": number, "d": number, "copy": number})

    def test_a_literal_in_a_transformation_keeps_its_digits(self):
        name = fresh("literal")
        self.upload('{"id":"%s","name":"n","steps":[{"id":"t","name":"T","type":"TRANSFORMATION","nextStep":"e",'
                    '"transformations":{"x":9007199254740993,"y":1.0,"z":10.10}},{"id":"e","name":"E","type":"END"}]}' % name)
        answer = self.post("/v1/instances", {"definitionId": name}, 201)
        self.assertEqual(answer.exact["variables"], {"x": "9007199254740993", "y": "1.0", "z": "10.10"})

    @cases(("1", "1.0"), ("10", "10.00"), ("9007199254740993", "9007199254740993.0"), ("100", "1e2"))
    def test_equal_numbers_are_equal(self, left, right):
        name = self.deploy([decide("d", {"a == b": "end"}), end()])
        answer = self.post("/v1/instances", '{"definitionId":"%s","variables":{"a":%s,"b":%s}}' % (name, left, right),
                           201)
        self.assertEqual(answer.json["status"], "COMPLETED")

    @cases(("9007199254740993", "9007199254740992"), ("9223372036854775807", "9223372036854775806"),
           ("0.1", "0.10000000000000001"))
    def test_different_numbers_are_different(self, left, right):
        name = self.deploy([decide("d", {"a != b && a > b || b > a": "end"}), end()])
        answer = self.post("/v1/instances", '{"definitionId":"%s","variables":{"a":%s,"b":%s}}' % (name, left, right),
                           201)
        self.assertEqual(answer.json["status"], "COMPLETED")

    @cases(("a + 1", "9007199254740993", "9007199254740994"), ("a * 2", "4503599627370497", "9007199254740994"),
           ("a - 1", "9223372036854775807", "9223372036854775806"))
    def test_integers_are_computed_exactly(self, text, value, want):
        name = self.deploy([transform("t", "end", {"r": "${%s}" % text}), end()])
        answer = self.post("/v1/instances", '{"definitionId":"%s","variables":{"a":%s}}' % (name, value), 201)
        self.assertEqual(answer.exact["variables"]["r"], want)

    def test_key_order_of_variables_is_kept(self):
        name = self.deploy([user("u", "end"), end()])
        made = self.post("/v1/instances", '{"definitionId":"%s","variables":{"z":1,"a":{"y":1,"b":2},"m":3}}' % name,
                         201)
        self.assertIn('{"z":1,"a":{"y":1,"b":2},"m":3}', self.get("/v1/instances/" + made.json["id"]).text)


if __name__ == "__main__":
    main()
