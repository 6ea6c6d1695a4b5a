"""Uploading and reading definitions."""

import json

from harness import Case, main, quote
from steps import decide, end, fork, join, person, service, table, timer, transform, wait


def document(**more):
    return {"id": "d", "name": "D", "steps": [end()], **more}


def of(*steps):
    return document(steps=list(steps))


class Refusals(Case):
    """What a document can do wrong, and how it is told."""

    def refused_with(self, body, *lines):
        answer = self.post("/v1/definitions", body)
        self.assertEqual(answer.status, 400, answer)
        self.assertTrue(answer.json["reason"].startswith("validation error: validation errors:\n  "), answer)
        said = [line[2:] for line in answer.json["reason"].split("\n")[1:]]
        for line in lines:
            self.assertIn(line, said)
        self.assertEqual(len([p for p in answer.json["problems"] if p["severity"] == "error"]), len(said))

    def test_every_rule_of_the_document_itself(self):
        cases = [
            (document(id=""), "id is required"),
            (document(id="x" * 257), "id must be ≤ 256 characters, got 257"),
            (document(id="my workflow"), 'id "my workflow" must match ^[A-Za-z0-9_:\\-]+$'),
            (document(id="order@v2"), 'id "order@v2" must match ^[A-Za-z0-9_:\\-]+$'),
            (document(name=""), "name is required"),
            (document(steps=[]), "steps must not be empty"),
            (document(autoStartNextWorkflow=True), "nextWorkflowId is required when autoStartNextWorkflow is true"),
        ]
        for body, line in cases:
            with self.subTest(line):
                self.refused_with(body, line)

    def test_every_rule_of_a_step(self):
        cases = [
            (of({"name": "x", "type": "END"}), "step[0] id is required"),
            (of(service("a", "a2"), service("a", "end"), service("a2", "end"), end()), 'duplicate step id: "a"'),
            (of({"id": "a", "type": "END"}), 'step "a": name is required'),
            (of({"id": "a", "name": "A", "type": "X"}), 'step "a": unsupported type "X"'),
            (of({**service("a", "end"), "jobType": ""}, end()), 'step "a" (SERVICE_TASK): jobType is required'),
            (of(decide("a", {}), end()), 'step "a" (DECISION): conditionalNextSteps must not be empty'),
            (of({**wait("a", "end"), "nextStep": ""}, end()), 'step "a" (WAIT): nextStep is required'),
            (of(transform("a", "end", {}), end()), 'step "a" (TRANSFORMATION): transformations must not be empty'),
            (of({**transform("a", "", {"x": 1})}, end()), 'step "a" (TRANSFORMATION): nextStep is required'),
            (of(fork("a", ["b"], "j"), service("b", "j"), join("j", "end"), end()),
             'step "a" (PARALLEL_GATEWAY): parallelNextSteps must have at least 2 entries'),
            (of(fork("a", ["b", "c"], ""), service("b", "j"), service("c", "j"), join("j", "end"), end()),
             'step "a" (PARALLEL_GATEWAY): joinStep is required'),
            (of(fork("a", ["b", "c"], "j"), service("b", "j"), service("c", "j"), join("j", ""), end()),
             'step "j" (JOIN_GATEWAY): nextStep is required'),
        ]
        for body, line in cases:
            with self.subTest(line):
                self.refused_with(body, line)

    def test_references_resolve(self):
        cases = [
            (of(service("a", "zz"), end()), 'step "a" nextStep references unknown step "zz"'),
            (of(decide("a", {"true": "zz", "false": "end"}), end()),
             'step "a" conditionalNextSteps target references unknown step "zz"'),
            (of(fork("a", ["b", "c"], "zz"), service("b", "end"), service("c", "end"), end()),
             'step "a" joinStep references unknown step "zz"'),
            (of(fork("a", ["b", "zz"], "j"), service("b", "j"), join("j", "end"), end()),
             'step "a" parallelNextSteps references unknown step "zz"'),
            (of(wait("a", "end", boundaryEvents=[timer("PT1S", "zz")]), end()),
             'step "a" boundaryEvents[0].targetStepId references unknown step "zz"'),
        ]
        for body, line in cases:
            with self.subTest(line):
                self.refused_with(body, line)

    def test_boundary_events(self):
        def with_event(**event):
            base = {"type": "TIMER", "duration": "PT1S", "interrupting": True, "targetStepId": "end"}
            return of(wait("a", "end", boundaryEvents=[{**base, **event}]), end())
        cases = [
            (with_event(type="MESSAGE"),
             'step "a" boundaryEvents[0]: unsupported type "MESSAGE" (only TIMER is in scope)'),
            (with_event(duration=""), 'step "a" boundaryEvents[0]: duration is required for TIMER events'),
            (with_event(targetStepId=""), 'step "a" boundaryEvents[0]: targetStepId is required'),
        ]
        for body, line in cases:
            with self.subTest(line):
                self.refused_with(body, line)

    def test_everything_can_be_reached_and_an_end_too(self):
        self.refused_with(of(service("a", "end"), service("b", "end"), end()),
                          'step "b" is unreachable from the first step')
        answer = self.post("/v1/definitions", of(service("a")))
        self.refused(answer, 400, "no END step is reachable from the first step")

    def test_decision_tables(self):
        rule = {"when": {}, "outputs": {"x": 1}}
        cases = [
            (table("t", "end", []), "rules must not be empty"),
            (table("t", "end", [rule], hitPolicy="X"), 'hitPolicy "X" is not recognised; expected one of'),
            (table("t", "end", [rule], hitPolicy="F+"), 'aggregator "+" is only valid on hitPolicy "C" (got "F+")'),
            (table("t", "end", [rule], jobType="x"), "jobType is not valid on this step type"),
            ({"id": "t", "name": "t", "type": "DECISION_TABLE", "nextStep": "end"}, "decisionTable payload is required"),
            ({**service("t", "end"), "decisionTable": {"rules": [rule]}},
             "decisionTable is not valid on this step type"),
            (table("t", "", [rule]), "nextStep is required"),
        ]
        for step, text in cases:
            with self.subTest(text):
                self.refused(self.post("/v1/definitions", of(step, end())), 400, text)

    def test_removed_fields_point_to_their_successors(self):
        step = table("t", "end", [{"when": {}, "then": "end"}])
        answer = self.post("/v1/definitions", of(step, end()))
        self.refused(answer, 400, "then")
        self.refused(answer, 400, "no longer supported")
        step = table("t", "end", [{"when": {}}])
        step["decisionTable"]["defaultNextStep"] = "end"
        answer = self.post("/v1/definitions", of(step, end()))
        self.refused(answer, 400, "defaultNextStep")
        self.refused(answer, 400, "no longer supported")

    def test_what_the_first_engine_found_too_late_is_found_at_upload(self):
        cases = [
            (of(wait("a", "end", boundaryEvents=[timer("5 minutes", "end")]), end()), "BAD_DURATION"),
            (of(decide("a", {"x >": "end"}), end()), "BAD_EXPRESSION"),
            (of(join("j", "end"), end()), "JOIN_ORPHAN"),
            (of(transform("a", "b", {"x": 1}), transform("b", "a", {"x": 2}), end()), None),
        ]
        for body, code in cases:
            with self.subTest(code):
                answer = self.post("/v1/definitions", body)
                self.assertEqual(answer.status, 400, answer)
                if code:
                    self.assertIn(code, [problem["code"] for problem in answer.json["problems"]])

    def test_all_problems_come_at_once_with_their_places(self):
        text = b'{\n  "id": "",\n  "name": "",\n  "steps": [\n    {"id": "a", "name": "A", "type": "X"}\n  ]\n}'
        answer = self.post("/v1/definitions", text)
        self.assertEqual(answer.status, 400)
        places = {p["pointer"]: (p["line"], p["column"]) for p in answer.json["problems"]}
        self.assertEqual(places["/id"], (2, 9))
        self.assertEqual(places["/name"], (3, 11))
        self.assertEqual(places["/steps/0/type"][0], 5)

    def test_unknown_fields_are_refused(self):
        answer = self.post("/v1/definitions", document(colour="red"))
        self.refused(answer, 400, 'unknown field "colour"')
        answer = self.post("/v1/definitions", of({**end(), "colour": 1}))
        self.refused(answer, 400, 'unknown field "colour"')
        self.assertEqual(self.post("/v1/definitions", document(metadata={"colour": {"deep": [1]}})).status, 201)

    def test_text_that_is_no_json_is_told_with_line_and_column(self):
        for body in (b"", b"nonsense", b'{"id": }', b'{"id":"a"', b'{"a":1}{"b":2}', b'{"id":"a","id":"b"}',
                     b'{"id":"\xff"}', b'{"id":"\\ud800"}', b"[]", b"null", b"3"):
            with self.subTest(body):
                answer = self.post("/v1/definitions", body)
                self.assertEqual(answer.status, 400, answer)
        answer = self.post("/v1/definitions", b'{\n  "id": }')
        self.refused(answer, 400, "parse error")
        self.assertEqual((answer.json["problems"][0]["line"], answer.json["problems"][0]["column"]), (2, 9))

    def test_wrong_types_of_fields(self):
        for body in (document(id=3), document(name={}), document(steps={}), of("step"), of({**end(), "name": 1}),
                     of({**service("a", "end"), "retryCount": "3"}, end()), document(autoStartNextWorkflow="yes")):
            with self.subTest(body):
                answer = self.post("/v1/definitions", body)
                self.assertEqual(answer.status, 400, answer)

    def test_xml_is_not_read(self):
        for kind in ("application/xml", "text/xml; charset=utf-8", "Application/XML"):
            answer = self.post("/v1/definitions", b"<a/>", {"Content-Type": kind})
            self.refused(answer, 415, "XML")
            self.assertEqual(answer.json["error"], "unsupported-format")


    def test_broken_yaml(self):
        answer = self.post("/v1/definitions", b"id: x\nsteps: [\n", {"Content-Type": "application/yaml"})
        self.refused(answer, 400, "parse error: parse: yaml: ")
        self.assertEqual((answer.json["problems"][0]["line"], answer.json["problems"][0]["code"]), (3, "SYNTAX"))
        laughs = b"a: &a [x,x,x,x,x,x,x,x,x,x]\n" + b"".join(
            b"%c: &%c [%s]\n" % (c, c, b",".join([b"*%c" % (c - 1)] * 10)) for c in range(ord("b"), ord("z")))
        answer = self.post("/v1/definitions", laughs, {"Content-Type": "text/yaml"})
        self.refused(answer, 400, "aliases repeat too much")

    def test_a_problem_has_its_place_in_yaml(self):
        body = b"id: d\nname: D\nsteps:\n  - id: a\n    name: A\n    type: SERVICE_TASK\n    jobType: j\n    nextStep: zz\n"
        answer = self.post("/v1/definitions", body, {"Content-Type": "application/yaml"})
        self.assertEqual(answer.status, 400, answer)
        places = [(p["code"], p["line"], p["column"]) for p in answer.json["problems"]]
        self.assertIn(("UNRESOLVED", 8, 15), places)


class Versions(Case):
    def put(self, body, **headers):
        answer = self.post("/v1/definitions", body, headers)
        self.assertEqual(answer.status, 201, answer)
        return answer.json

    def test_the_answer_is_a_summary(self):
        name = self.fresh()
        got = self.put(document(id=name, name="Größe", description="not shown"))
        self.assertEqual((got["id"], got["version"], got["name"]), (name, 1, "Größe"))
        self.assertNotIn("warnings", got)

    def test_any_other_content_type_is_taken(self):
        for kind in ("text/plain", "application/octet-stream", ""):
            self.assertEqual(self.put(document(id=self.fresh()), **{"Content-Type": kind})["version"], 1)

    def test_yaml_is_taken_by_its_type_and_by_its_look(self):
        name = self.fresh()
        flow = "{id: %s, name: D, steps: [{id: end, name: End, type: END}]}" % name
        block = "# A remark.\nid: %s\nname: D\nsteps:\n  - id: end\n    name: End\n    type: END\n" % name
        for kind in ("application/yaml", "application/x-yaml", "text/yaml; charset=utf-8", "Text/X-YAML"):
            self.assertEqual(self.put(flow.encode(), **{"Content-Type": kind})["version"], 1)
        for kind in ("application/json", "text/plain", ""):
            self.assertEqual(self.put(block.encode(), **{"Content-Type": kind})["version"], 1)
        answer = self.post("/v1/definitions", flow.encode(), {"Content-Type": "application/json"})
        self.refused(answer, 400, "parse error: parse: json: ")
        got = self.get(f"/v1/definitions/{name}").json
        self.assertEqual(got["steps"], [{"id": "end", "name": "End", "type": "END"}])

    def test_a_b_a_gives_1_2_3_and_the_latest_is_a_again(self):
        name = self.fresh()
        self.assertEqual(self.put(document(id=name, name="A"))["version"], 1)
        self.assertEqual(self.put(document(id=name, name="B"))["version"], 2)
        again = self.put(document(id=name, name="A"))
        self.assertEqual((again["version"], again["name"], again["restores"]), (3, "A", 1))
        self.assertEqual(self.get(f"/v1/definitions/{name}").json["name"], "A")
        self.assertEqual(self.put(document(id=name, name="C"))["version"], 4)

    def test_content_is_compared_as_json(self):
        name = self.fresh()
        first = document(id=name, metadata={"a": 1, "b": [1.0, 100]})
        same = json.dumps({"metadata": {"b": [1, 1e2], "a": 1.0}, "steps": [dict(reversed(end().items()))],
                           "name": "D", "id": name}, indent=3).encode()
        self.assertEqual(self.put(first)["version"], 1)
        self.assertEqual(self.put(same)["version"], 1)
        self.assertEqual(self.put(document(id=name, metadata={"a": 1, "b": [100, 1]}))["version"], 2)

    def test_a_version_field_is_tolerated_and_not_content(self):
        name = self.fresh()
        self.assertEqual(self.put(document(id=name, version=77))["version"], 1)
        self.assertEqual(self.put(document(id=name, version=78))["version"], 1)
        self.assertEqual(self.get(f"/v1/definitions/{name}").json["version"], 1)

    def test_order_of_branches_is_content(self):
        name = self.fresh()
        steps = [decide("a", {"x > 1": "end", "true": "other"}), end(), end("other")]
        swapped = [decide("a", {"true": "other", "x > 1": "end"}), end(), end("other")]
        self.assertEqual(self.put(document(id=name, steps=steps))["version"], 1)
        self.assertIn(self.put(document(id=name, steps=swapped))["version"], (1, 2))
        latest = self.get(f"/v1/definitions/{name}/versions/1").json
        self.assertEqual(list(latest["steps"][0]["conditionalNextSteps"]), ["x > 1", "true"])

    def test_warnings_come_with_the_summary(self):
        got = self.put(document(id=self.fresh(), steps=[
            decide("a", {"x": "b", "true": "end"}), service("b"), end()]))
        self.assertEqual({w["severity"] for w in got["warnings"]}, {"warning"})
        self.assertIn("DEAD_END", [w["code"] for w in got["warnings"]])

    def test_retry_backoff_and_chain_are_ours(self):
        backoff = {"initial": "PT1S", "factor": 2, "max": "PT1M"}
        self.put(document(id=self.fresh(), steps=[service("a", "end", retryCount=3, retryBackoff=backoff),
                                                  end(chain=False)]))


class Reading(Case):
    def test_a_document_comes_back_as_uploaded(self):
        name = self.fresh("LOS:") + "::x"
        body = {"name": "D", "metadata": {"z": 12345678901234567890, "a": 1.0, "text": "ü\"\\\n\u2028", "n": None},
                "id": name, "steps": [person("p", "end"), end()], "description": ""}
        text = json.dumps(body).encode()
        self.assertEqual(self.post("/v1/definitions", text).status, 201)
        for path in (f"/v1/definitions/{name}", f"/v1/definitions/{quote(name)}",
                     f"/v1/definitions/{quote(name)}/versions/1"):
            answer = self.get(path)
            self.assertEqual(answer.json, {**body, "version": 1})
            self.assertEqual(list(answer.json), [*body, "version"])
            self.assertIn(b'"z":12345678901234567890', answer.body)
            self.assertIn(b'"a":1.0', answer.body)

    def test_unknown_ids_and_versions(self):
        name = self.upload([end()])
        self.refused(self.get("/v1/definitions/ghost"), 404, "ghost")
        for version in ("0", "2", "-1", "2147483648", "99999999999"):
            self.assertEqual(self.get(f"/v1/definitions/{name}/versions/{version}").status, 404, version)
        for version in ("x", "1.5", "1e0", "99999999999999999999", "%20"):
            self.refused(self.get(f"/v1/definitions/{name}/versions/{version}"), 400, "version")

    def test_the_list_has_the_latest_of_each_by_id(self):
        prefix = self.fresh("list")
        for suffix in ("c", "a", "b"):
            self.post("/v1/definitions", document(id=f"{prefix}-{suffix}", name="One"))
        self.post("/v1/definitions", document(id=f"{prefix}-b", name="Two"))
        page = self.get(f"/v1/definitions?keyword={prefix}").json
        self.assertEqual([(i["id"][-1], i["version"], i["name"]) for i in page["items"]],
                         [("a", 1, "One"), ("b", 2, "Two"), ("c", 1, "One")])
        self.assertEqual((page["total"], page["page"], page["pageSize"]), (3, 0, 20))

    def test_pages(self):
        prefix = self.fresh("page")
        for suffix in range(5):
            self.post("/v1/definitions", document(id=f"{prefix}-{suffix}"))
        seen = []
        for page in range(4):
            got = self.get(f"/v1/definitions?keyword={prefix}&page={page}&pageSize=2").json
            self.assertEqual((got["total"], got["page"], got["pageSize"]), (5, page, 2))
            seen.append([i["id"][-1] for i in got["items"]])
        self.assertEqual(seen, [["0", "1"], ["2", "3"], ["4"], []])

    def test_nonsense_in_page_and_page_size_is_the_default(self):
        for query, page, size in (("page=x&pageSize=y", 0, 20), ("page=-1&pageSize=-5", 0, 20),
                                  ("page=&pageSize=0", 0, 20), ("pageSize=201", 0, 200), ("pageSize=200", 0, 200),
                                  ("page=99999999999999999999", 0, 20), ("page=2", 2, 20)):
            got = self.get(f"/v1/definitions?{query}").json
            self.assertEqual((got["page"], got["pageSize"]), (page, size), query)

    def test_keyword_is_a_part_of_id_or_name_in_any_case(self):
        name = self.fresh("KeyWord")
        self.post("/v1/definitions", document(id=name, name="Some 50%_Thing here"))
        self.assertEqual(self.get(f"/v1/definitions?keyword={name.lower()}").json["total"], 1)
        for keyword, found in (("50%25_thing", True), ("some+50", True), ("50%25%25", False), ("5_%25", False)):
            items = self.get(f"/v1/definitions?keyword={keyword}&pageSize=200").json["items"]
            self.assertEqual(name in [i["id"] for i in items], found, keyword)


if __name__ == "__main__":
    main()
