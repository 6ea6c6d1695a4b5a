"""Uploading, versions, lists, and reading a definition back."""

import json
import urllib.parse

from contract import TIME, Contract, cases, decide, definition, end, fresh, main, service


class Uploading(Contract):
    def test_the_summary_has_exactly_four_fields(self):
        document = definition([end()], description="d")
        answer = self.upload(document)
        self.assertEqual(answer.status, 201)
        self.assertEqual(set(answer.json) - {"warnings"}, {"id", "version", "name", "uploadedAt"})
        self.assertEqual((answer.json["id"], answer.json["version"], answer.json["name"]),
                         (document["id"], 1, document["name"]))
        self.assertRegex(answer.json["uploadedAt"], TIME)

    def test_a_plain_definition_has_no_warnings(self):
        self.assertNotIn("warnings", self.upload(definition([service("a", "b"), end("b")])).json)

    def test_the_answer_is_json_without_charset(self):
        self.assertEqual(self.upload(definition([end()])).headers["Content-Type"], "application/json")


class Versions(Contract):
    def version(self, document):
        answer = self.upload(document)
        self.assertEqual(answer.status, 201, answer)
        return answer.json["version"]

    def test_a_b_a_gives_one_two_three_and_the_latest_is_a_again(self):
        name = fresh("aba")
        a, b = (definition([end()], name, description=text) for text in ("first", "second"))
        self.assertEqual([self.version(a), self.version(b), self.version(a), self.version(a)], [1, 2, 3, 3])
        self.assertEqual(self.get("/v1/definitions/" + name).json["description"], "first")
        self.assertEqual(self.upload(a).json["restores"], 1)
        self.assertEqual(self.version(definition([end()], name, description="third")), 4)

    def test_identical_content_keeps_its_upload_time(self):
        document = definition([end()])
        self.assertEqual(self.upload(document).json["uploadedAt"], self.upload(document).json["uploadedAt"])

    def test_key_order_is_irrelevant(self):
        name = fresh("order")
        self.assertEqual(self.version('{"id":"%s","name":"n","steps":[{"id":"e","name":"E","type":"END"}]}' % name), 1)
        self.assertEqual(self.version('{"steps":[{"type":"END","name":"E","id":"e"}],"name":"n","id":"%s"}' % name), 1)

    def test_white_space_is_irrelevant(self):
        document = definition([end()])
        self.assertEqual([self.version(json.dumps(document)), self.version(json.dumps(document, indent=4))], [1, 1])

    def test_one_equals_one_point_zero(self):
        name = fresh("one")
        text = '{"id":"%s","name":"n","steps":[{"id":"e","name":"E","type":"END"}],"metadata":{"x":%s}}'
        self.assertEqual([self.version(text % (name, number)) for number in ("1", "1.0", "1e0", "2")], [1, 1, 1, 2])

    def test_the_order_of_steps_is_content(self):
        name = fresh("steps")
        a, b, c = service("a", "c"), service("b", "c"), end("c")
        first = decide("d", {"x": "a", "!x": "b"})
        self.assertEqual([self.version(definition([first, a, b, c], name)),
                          self.version(definition([first, b, a, c], name))],
                         [1, 2])

    def test_metadata_is_content(self):
        name = fresh("meta")
        self.assertEqual([self.version(definition([end()], name, metadata={"a": n})) for n in (1, 1, 2)], [1, 1, 2])

    def test_a_running_instance_keeps_its_version(self):
        name, job = fresh("pinned"), fresh("job")
        self.deploy([service("a", "one", job), end("one")], name)
        old = self.start(name)["id"]
        self.deploy([service("a", "two", job), end("two")], name)
        self.work(job)
        self.assertEqual([row[0] for row in self.rows(old)], ["a", "one"])
        self.assertEqual(self.instance(old)["definitionVersion"], 1)


class Reading(Contract):
    def test_a_document_comes_back_as_uploaded_and_with_its_version(self):
        document = definition([service("a", "b", retryCount=3, delegateClass="X", description="d"), end("b")],
                              description="some text", metadata={"tags": ["x", 1, {"y": None}]})
        self.upload(document)
        self.assertEqual(self.get("/v1/definitions/" + document["id"]).json, dict(document, version=1))

    def test_branches_keep_their_order(self):
        branches = {"n > 10": "end", "n > 5": "end", "true": "end", "n": "end", "a == 1": "end"}
        name = self.deploy([decide("d", branches), end()])
        shown = json.loads(self.get("/v1/definitions/" + name).text, object_pairs_hook=list)
        steps = dict(shown)["steps"]
        self.assertEqual([key for key, _ in dict(steps[0])["conditionalNextSteps"]], list(branches))

    def test_numbers_keep_their_digits(self):
        name = fresh("digits")
        metadata = '{"big":12345678901234567890,"max":9223372036854775807,"one":1.0,"money":10.10,"small":0.1}'
        self.upload('{"id":"%s","name":"n","steps":[{"id":"e","name":"E","type":"END"}],"metadata":%s}' % (name,
                                                            metadata))
        self.assertIn(metadata, self.get("/v1/definitions/" + name).text.replace(" ", ""))

    def test_text_beyond_ascii_survives(self):
        document = definition([end()], description="Nguyễn — 日本 \U0001f600 \"quoted\" \\ \u0001")
        self.upload(document)
        self.assertEqual(self.get("/v1/definitions/" + document["id"]).json["description"], document["description"])

    def test_the_latest_and_every_version(self):
        name = fresh("several")
        for text in ("one", "two"):
            self.deploy([end()], name, description=text)
        self.assertEqual(self.get("/v1/definitions/" + name).json["version"], 2)
        self.assertEqual(self.get("/v1/definitions/%s/versions/1" % name).json["description"], "one")
        self.assertEqual(self.get("/v1/definitions/%s/versions/2" % name).json["description"], "two")

    def test_colons_work_raw_and_escaped(self):
        name = "NS::" + fresh("colons")
        self.deploy([end()], name)
        for path in (name, name.replace(":", "%3A"), urllib.parse.quote(name, safe="")):
            self.assertEqual(self.get("/v1/definitions/" + path).json["id"], name)
            self.assertEqual(self.get("/v1/definitions/%s/versions/1" % path).json["id"], name)

    def test_an_unknown_definition_is_not_found(self):
        self.refused(self.engine.get("/v1/definitions/nobody"), 404, "not-found")

    def test_an_unknown_version_is_not_found(self):
        name = self.deploy([end()])
        self.refused(self.engine.get("/v1/definitions/%s/versions/2" % name), 404, "not-found")

    @cases(("abc",), ("1.5",), ("1x",))
    def test_a_version_that_is_no_integer_is_a_bad_request(self, version):
        name = self.deploy([end()])
        self.refused(self.engine.get("/v1/definitions/%s/versions/%s" % (name, version)), 400, "bad-request")

    def test_a_version_of_zero_is_not_found_or_bad(self):
        name = self.deploy([end()])
        self.assertIn(self.engine.get("/v1/definitions/%s/versions/0" % name).status, (400, 404))


class Listing(Contract):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.word = fresh("Listed")
        for number in range(23):
            document = definition([end()], "%s-%02d" % (cls.word, number))
            cls.engine.post("/v1/definitions", dict(document, name="Äpfel" if number == 7 else "Human Label"))
        cls.engine.post("/v1/definitions", dict(definition([end()], cls.word + "-05"), name="Second Label"))

    def page(self, query=""):
        return self.get("/v1/definitions?keyword=" + self.word + query).json

    def numbers(self, page):
        return [int(item["id"][-2:]) for item in page["items"]]

    def test_the_defaults(self):
        page = self.page()
        self.assertEqual((page["total"], page["page"], page["pageSize"]), (23, 0, 20))
        self.assertEqual(self.numbers(page), list(range(20)))
        self.assertEqual(set(page), {"items", "total", "page", "pageSize"})

    def test_the_last_page(self):
        self.assertEqual(self.numbers(self.page("&page=1")), [20, 21, 22])

    def test_a_page_behind_the_last_is_empty(self):
        page = self.page("&page=9")
        self.assertEqual((page["items"], page["total"]), ([], 23))

    def test_a_page_size(self):
        page = self.page("&page=2&pageSize=5")
        self.assertEqual((self.numbers(page), page["page"], page["pageSize"]), ([10, 11, 12, 13, 14], 2, 5))

    @cases(("&page=abc", 0, 20), ("&pageSize=abc", 0, 20), ("&pageSize=0", 0, 20), ("&pageSize=-3", 0, 20),
           ("&page=", 0, 20))
    def test_what_cannot_be_read_is_the_default(self, query, number, size):
        page = self.page(query)
        self.assertEqual((page["page"], page["pageSize"], len(page["items"])), (number, size, size))

    def test_a_negative_page_is_no_server_error(self):
        self.assertLess(self.engine.get("/v1/definitions?page=-1").status, 500)

    def test_items_are_summaries_of_the_latest_version(self):
        item = self.page()["items"][5]
        self.assertEqual(set(item), {"id", "version", "name", "uploadedAt"})
        self.assertEqual((item["version"], item["name"]), (2, "Second Label"))

    @cases(("LABEL", 22), ("second", 1), ("nothing like this", 0))
    def test_a_keyword_matches_the_name_in_any_case(self, keyword, count):
        found = self.get("/v1/definitions?pageSize=100&keyword=" + urllib.parse.quote(keyword)).json
        self.assertEqual(len([item for item in found["items"] if item["id"].startswith(self.word)]), count)

    def test_a_keyword_matches_the_id_in_any_case(self):
        self.assertEqual(self.get("/v1/definitions?keyword=" + self.word.upper()).json["total"], 23)

    @cases(("%25",), ("_",), ("*",))
    def test_a_keyword_has_no_wildcards(self, keyword):
        found = self.get("/v1/definitions?pageSize=200&keyword=" + keyword).json
        for item in found["items"]:
            self.assertIn(urllib.parse.unquote(keyword), item["id"] + item["name"])

    def test_an_empty_list_is_an_array(self):
        self.assertEqual(self.get("/v1/definitions?keyword=no-such-definition").json["items"], [])

    def test_the_modellers_connection_test(self):
        page = self.get("/v1/definitions?page=0&pageSize=1").json
        self.assertEqual((len(page["items"]), page["pageSize"]), (1, 1))

    def test_ids_come_in_ascending_order(self):
        ids = [item["id"] for item in self.get("/v1/definitions?pageSize=200").json["items"]]
        self.assertEqual(ids, sorted(ids))


class Schemas(Contract):
    schema = {"properties": {"n": {"type": "number"}, "s": {"type": "string"}, "i": {"type": "integer"},
                             "b": {"type": "boolean"}}, "required": ["n"]}

    @cases(({"n": 1},), ({"n": 1.5, "s": "x", "i": 3, "b": True, "other": []},))
    def test_input_that_fits_is_taken(self, variables):
        name = self.deploy([end()], input_schema=self.schema)
        self.assertEqual(self.start(name, variables)["status"], "COMPLETED")

    @cases(({},), ({"n": "text"},), ({"n": 1, "s": 2},), ({"n": 1, "i": 1.5},), ({"n": 1, "b": "true"},))
    def test_input_that_does_not_fit_is_refused_as_a_client_error(self, variables):
        name = self.deploy([end()], input_schema=self.schema)
        answer = self.post("/v1/instances", {"definitionId": name, "variables": variables})
        self.assertTrue(400 <= answer.status < 500, answer)

    def test_outputs_that_do_not_fit_are_refused_and_fail_the_step(self):
        job = fresh("job")
        made = self.begin([service("a", "end", job, outputs_schema=self.schema, retryCount=3), end()])
        taken = self.take(job)
        answer = self.post("/v1/jobs/%s/complete" % taken["id"], {"workerId": "worker", "variables": {"n": "x"}})
        self.assertTrue(400 <= answer.status < 500, answer)
        failed = self.instance(made)
        self.assertEqual(failed["status"], "FAILED")
        self.assertIn("outputs_schema violation", failed["failureReason"])


if __name__ == "__main__":
    main()
