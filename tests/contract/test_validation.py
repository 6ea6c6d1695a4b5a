"""What an upload is refused for, in which words and in which order."""

import json

from contract import (Contract, cases, decide, definition, end, fork, fresh, join, main, service, table, timer,
                      transform, user, wait)

HEAD = "validation error: validation errors:\n"


def without(made, field):
    return {name: value for name, value in made.items() if name != field}


def only(*steps):
    return list(steps)


class Words(Contract):
    def problems(self, document):
        answer = self.refused(self.upload(document), 400, "bad-request")
        self.assertTrue(answer.reason.startswith(HEAD), answer.reason)
        lines = answer.reason[len(HEAD):].split("\n")
        for line in lines:
            self.assertTrue(line.startswith("  "), answer.reason)
        return [line[2:] for line in lines]

    @cases(
        ({"name": "n", "steps": [end()]}, "id is required"),
        ({"id": "", "name": "n", "steps": [end()]}, "id is required"),
        ({"id": "a" * 257, "name": "n", "steps": [end()]}, "id must be ≤ 256 characters, got 257"),
        ({"id": "my workflow", "name": "n", "steps": [end()]}, 'id "my workflow" must match ^[A-Za-z0-9_:\\-]+$'),
        ({"id": "order@v2", "name": "n", "steps": [end()]}, 'id "order@v2" must match ^[A-Za-z0-9_:\\-]+$'),
        ({"id": "a.b", "name": "n", "steps": [end()]}, 'id "a.b" must match ^[A-Za-z0-9_:\\-]+$'),
        ({"id": "a/b", "name": "n", "steps": [end()]}, 'id "a/b" must match ^[A-Za-z0-9_:\\-]+$'),
        ({"id": "näme", "name": "n", "steps": [end()]}, 'id "näme" must match ^[A-Za-z0-9_:\\-]+$'),
        ({"id": "x", "steps": [end()]}, "name is required"),
        ({"id": "x", "name": "", "steps": [end()]}, "name is required"),
        ({"id": "x", "name": "n"}, "steps must not be empty"),
        ({"id": "x", "name": "n", "steps": []}, "steps must not be empty"),
        ({"id": "x", "name": "n", "steps": None}, "steps must not be empty"),
        ({"id": "x", "name": "n", "steps": [end()], "autoStartNextWorkflow": True},
         "nextWorkflowId is required when autoStartNextWorkflow is true"),
        ({"id": "x", "name": "n", "steps": [end()], "autoStartNextWorkflow": True, "nextWorkflowId": ""},
         "nextWorkflowId is required when autoStartNextWorkflow is true"),
    )
    def test_the_document(self, document, want):
        self.assertEqual(self.problems(document), [want])

    @cases(
        (only(service("a", "b"), end("b"), without(end("c"), "id")), "step[2] id is required"),
        (only(service("a", "b"), end("b"), dict(end("c"), id="")), "step[2] id is required"),
        (only(service("a", "b"), end("b"), end("b")), 'duplicate step id: "b"'),
        (only(without(service("a", "b"), "name"), end("b")), 'step "a": name is required'),
        (only(dict(service("a", "b"), name=""), end("b")), 'step "a": name is required'),
        (only(dict(service("a", "b"), type="X"), end("b")), 'step "a": unsupported type "X"'),
        (only(dict(service("a", "b"), type="service_task"), end("b")), 'step "a": unsupported type "service_task"'),
        (only(without(service("a", "b"), "type"), end("b")), 'step "a": unsupported type ""'),
        (only(without(service("a", "b"), "jobType"), end("b")), 'step "a" (SERVICE_TASK): jobType is required'),
        (only(without(decide("a", {}), "conditionalNextSteps"), end("b")),
         'step "a" (DECISION): conditionalNextSteps must not be empty'),
        (only(decide("a", {}), end("b")), 'step "a" (DECISION): conditionalNextSteps must not be empty'),
        (only(transform("a", None, {"x": 1}), end("b")), 'step "a" (TRANSFORMATION): nextStep is required'),
        (only(transform("a", "b", {}), end("b")), 'step "a" (TRANSFORMATION): transformations must not be empty'),
        (only(without(transform("a", "b", {}), "transformations"), end("b")),
         'step "a" (TRANSFORMATION): transformations must not be empty'),
        (only(wait("a", None), end("b")), 'step "a" (WAIT): nextStep is required'),
        (only(fork("a", ["s"], "j"), service("s", "j"), join("j", "b"), end("b")),
         'step "a" (PARALLEL_GATEWAY): parallelNextSteps must have at least 2 entries'),
        (only(without(fork("a", [], "j"), "parallelNextSteps"), join("j", "b"), end("b")),
         'step "a" (PARALLEL_GATEWAY): parallelNextSteps must have at least 2 entries'),
        (only(without(fork("a", ["s", "t"], "j"), "joinStep"), service("s", "j"), service("t", "j"), join("j", "b"),
              end("b")),
         'step "a" (PARALLEL_GATEWAY): joinStep is required'),
        (only(fork("a", ["s", "t"], "j"), service("s", "j"), service("t", "j"), join("j", None), end("b")),
         'step "j" (JOIN_GATEWAY): nextStep is required'),
        (only(table("a", None, [{"when": {}, "outputs": {}}]), end("b")),
         'step "a" (DECISION_TABLE): nextStep is required'),
        (only(service("a", "zz"), end("b")), 'step "a" nextStep references unknown step "zz"'),
        (only(user("a", "zz"), end("b")), 'step "a" nextStep references unknown step "zz"'),
        (only(wait("a", "zz"), end("b")), 'step "a" nextStep references unknown step "zz"'),
        (only(transform("a", "zz", {"x": 1}), end("b")), 'step "a" nextStep references unknown step "zz"'),
        (only(table("a", "zz", [{}]), end("b")), 'step "a" nextStep references unknown step "zz"'),
        (only(decide("a", {"true": "zz", "false": "b"}), end("b")),
         'step "a" conditionalNextSteps target references unknown step "zz"'),
        (only(fork("a", ["s", "zz"], "j"), service("s", "j"), join("j", "b"), end("b")),
         'step "a" parallelNextSteps references unknown step "zz"'),
        (only(fork("a", ["s", "t"], "zz"), service("s", "j"), service("t", "j"), join("j", "b"), end("b")),
         'step "a" joinStep references unknown step "zz"'),
        (only(service("a", "b", boundaryEvents=[timer("PT1H", "zz", False)]), end("b")),
         'step "a" boundaryEvents[0].targetStepId references unknown step "zz"'),
        (only(user("a", "b", boundaryEvents=[timer("PT1H", "b", False), timer("PT1H", "zz", False)]), end("b")),
         'step "a" boundaryEvents[1].targetStepId references unknown step "zz"'),
        (only(user("a", "b", boundaryEvents=[dict(timer("PT1H", "b", False), type="X")]), end("b")),
         'step "a" boundaryEvents[0]: unsupported type "X" (only TIMER is in scope)'),
        (only(user("a", "b", boundaryEvents=[without(timer("PT1H", "b", False), "type")]), end("b")),
         'step "a" boundaryEvents[0]: unsupported type "" (only TIMER is in scope)'),
        (only(user("a", "b", boundaryEvents=[dict(timer("", "b", False))]), end("b")),
         'step "a" boundaryEvents[0]: duration is required for TIMER events'),
        (only(user("a", "b", boundaryEvents=[without(timer("PT1H", "b", False), "duration")]), end("b")),
         'step "a" boundaryEvents[0]: duration is required for TIMER events'),
        (only(user("a", "b", boundaryEvents=[without(timer("PT1H", "b", False), "targetStepId")]), end("b")),
         'step "a" boundaryEvents[0]: targetStepId is required'),
        (only(service("a", "b"), end("b"), end("c")), 'step "c" is unreachable from the first step'),
        (only(service("a", "b"), user("b", "a")), "no END step is reachable from the first step"),
        (only(without(table("a", "b", []), "decisionTable"), end("b")), "decisionTable payload is required"),
        (only(table("a", "b", []), end("b")), "rules must not be empty"),
        (only(dict(table("a", "b", []), decisionTable={}), end("b")), "rules must not be empty"),
        (only(table("a", "b", [{}], "X"), end("b")), 'hitPolicy "X" is not recognised; expected one of'),
        (only(table("a", "b", [{}], "u"), end("b")), 'hitPolicy "u" is not recognised; expected one of'),
        (only(table("a", "b", [{}], "CC"), end("b")), 'hitPolicy "CC" is not recognised; expected one of'),
        (only(table("a", "b", [{}], "F+"), end("b")), 'aggregator "+" is only valid on hitPolicy "C" (got "F+")'),
        (only(table("a", "b", [{}], "U#"), end("b")), 'aggregator "#" is only valid on hitPolicy "C" (got "U#")'),
        (only(table("a", "b", [{}], "R>"), end("b")), 'aggregator ">" is only valid on hitPolicy "C" (got "R>")'),
        (only(table("a", "b", [{}], "A<"), end("b")), 'aggregator "<" is only valid on hitPolicy "C" (got "A<")'),
        (only(service("a", "b", decisionTable={"rules": [{}]}), end("b")),
         "decisionTable is not valid on this step type"),
        (only(decide("a", {"true": "b"}, decisionTable={"rules": [{}]}), end("b")),
         "decisionTable is not valid on this step type"),
        (only(table("a", "b", [{}], conditionalNextSteps={"true": "b"}), end("b")),
         "conditionalNextSteps is not valid on this step type"),
        (only(table("a", "b", [{}], transformations={"x": 1}), end("b")),
         "transformations is not valid on this step type"),
        (only(table("a", "b", [{}], parallelNextSteps=["b", "b"]), end("b")),
         "parallelNextSteps is not valid on this step type"),
        (only(table("a", "b", [{}], joinStep="b"), end("b")), "joinStep is not valid on this step type"),
        (only(table("a", "b", [{}], jobType="t"), end("b")), "jobType is not valid on this step type"),
        (only(table("a", "b", [{}], delegateClass="t"), end("b")), "delegateClass is not valid on this step type"),
        (only(table("a", "b", [{}], retryCount=2), end("b")), "retryCount is not valid on this step type"),
        (only(table("a", "b", [{}], boundaryEvents=[timer("PT1H", "b", False)]), end("b")),
         "boundaryEvents is not valid on this step type"),
    )
    def test_the_steps(self, steps, want):
        problems = self.problems(definition(steps))
        self.assertTrue(any(want in line for line in problems), problems)

    @cases(
        ("then", {"rules": [{"when": {}, "then": "b"}]}),
        ("defaultNextStep", {"rules": [{"when": {}}], "defaultNextStep": "b"}),
    )
    def test_fields_that_were_removed_point_to_the_migration(self, field, payload):
        made = dict(table("a", "b", []), decisionTable=payload)
        answer = self.refused(self.upload(definition([made, end("b")])), 400, "bad-request", field)
        self.assertIn("no longer supported", answer.reason)

    def test_all_problems_come_at_once_and_in_order(self):
        document = {"id": "bad id", "name": "", "steps": [
            dict(service("a", "zz"), name="", jobType=""), end("a"), without(end("c"), "id"), end("u"), end("v")]}
        problems = self.problems(document)
        want = ['id "bad id" must match ^[A-Za-z0-9_:\\-]+$', "name is required", 'duplicate step id: "a"',
                'step "a": name is required', 'step "a" (SERVICE_TASK): jobType is required',
                'step "a" nextStep references unknown step "zz"']
        self.assertEqual([line for line in problems if line in want], want, problems)
        self.assertIn("step[2] id is required", problems[2:4])

    def test_what_cannot_be_reached_comes_last_and_once_all_references_lead_somewhere(self):
        document = {"id": "bad id", "name": "n", "steps": [
            dict(service("a", "b"), name=""), service("b", "a"), end("u"), end("v")]}
        self.assertEqual(self.problems(document), [
            'id "bad id" must match ^[A-Za-z0-9_:\\-]+$', 'step "a": name is required',
            'step "u" is unreachable from the first step', 'step "v" is unreachable from the first step',
            "no END step is reachable from the first step"])

    def test_top_level_problems_keep_their_order(self):
        self.assertEqual(self.problems({}), ["id is required", "name is required", "steps must not be empty"])

    def test_a_long_id_is_counted_in_bytes(self):
        self.assertIn("id must be ≤ 256 characters, got 258", self.problems(definition([end()], "é" * 129)))

    @cases(("LOS::loan-registration-workflow",), ("greet-workflow",), ("A_1:b-2",), ("i" * 256,), ("-",), (":",))
    def test_ids_that_are_fine(self, name):
        self.assertEqual(self.upload(definition([end()], name)).status, 201)

    @cases(("abc",), ("PT",), ("P",), ("PT0S",), ("-PT5S",), ("30S",), ("PT5",), ("5 minutes",), ("PT0.0S",), ("PTS",))
    def test_a_bad_duration_is_refused_with_its_step(self, duration):
        answer = self.upload(definition([user("park", "b", boundaryEvents=[timer(duration, "b", True)]), end("b")]))
        self.refused(answer, 400, "bad-request", "park")

    @cases(("PT30S",), ("PT24H",), ("P7D",), ("PT1.5H",), ("P1DT2H30M",), ("PT0.3S",), ("PT90M",), ("P1D",))
    def test_a_good_duration_is_accepted(self, duration):
        answer = self.upload(definition([user("park", "b", boundaryEvents=[timer(duration, "b", True)]), end("b")]))
        self.assertEqual(answer.status, 201, answer)

    @cases(("a >",), ("'open",), ("(a",), ("a b",), ("",), ("a ==== b",), ("&& a",), ("len(",), ("1 +",), ("a]",))
    def test_a_malformed_condition_is_refused_with_its_step(self, condition):
        answer = self.upload(definition([decide("chooser", {condition: "b"}), end("b")]))
        self.refused(answer, 400, "bad-request", "chooser")

    def test_a_malformed_transformation_is_refused_with_its_step(self):
        answer = self.upload(definition([transform("maker", "b", {"x": "${1 +}"}), end("b")]))
        self.refused(answer, 400, "bad-request", "maker")

    def test_a_malformed_cell_is_refused_with_its_step(self):
        answer = self.upload(definition([table("grid", "b", [{"when": {"c": "a >"}}]), end("b")]))
        self.refused(answer, 400, "bad-request", "grid")

    def test_a_malformed_output_is_refused_with_its_step(self):
        answer = self.upload(definition([table("grid", "b", [{"outputs": {"c": "${a >}"}}]), end("b")]))
        self.refused(answer, 400, "bad-request", "grid")

    def test_an_orphan_join_is_refused(self):
        answer = self.upload(definition([service("a", "lonely"), join("lonely", "b"), end("b")]))
        self.refused(answer, 400, "bad-request", "lonely")

    def test_a_gateway_may_stand_inside_another_one(self):
        """The original refuses it, because it cannot run it."""
        steps = [fork("outer", ["inner", "s"], "j"), fork("inner", ["t", "u"], "k"), service("t", "k"),
                 service("u", "k"),
                 join("k", "j"), service("s", "j"), join("j", "b"), end("b")]
        self.assertEqual(self.upload(definition(steps)).status, 201)

    def test_a_join_step_that_is_no_join_is_refused(self):
        steps = [fork("split", ["s", "t"], "b"), service("s", "b"), service("t", "b"), end("b")]
        self.refused(self.upload(definition(steps)), 400, "bad-request", "split")

    def test_a_branch_that_may_leave_the_join_behind_is_accepted(self):
        steps = [fork("split", ["choose", "t"], "j"), decide("choose", {"go": "j", "!go": "other"}), end("other"),
                 service("t", "j"), join("j", "b"), end("b")]
        self.assertEqual(self.upload(definition(steps)).status, 201)

    def test_a_timer_target_counts_as_reachable(self):
        steps = [user("a", "b", boundaryEvents=[timer("PT1H", "late", False)]), end("b"), service("late", "b")]
        self.assertEqual(self.upload(definition(steps)).status, 201)

    def test_interrupting_may_be_left_out(self):
        event = without(timer("PT1H", "b", False), "interrupting")
        self.assertEqual(self.upload(definition([user("a", "b", boundaryEvents=[event]), end("b")])).status, 201)

    def test_the_next_workflow_need_not_exist_yet(self):
        document = definition([end()], autoStartNextWorkflow=True, nextWorkflowId=fresh("later"))
        self.assertEqual(self.upload(document).status, 201)

    def test_a_name_of_a_next_workflow_alone_is_fine(self):
        self.assertEqual(self.upload(definition([end()], nextWorkflowId="x", autoStartNextWorkflow=False)).status, 201)

    def test_a_refused_upload_stores_nothing(self):
        name = fresh("refused")
        self.assertEqual(self.upload(definition([service("a", "zz")], name)).status, 400)
        self.get("/v1/definitions/" + name, 404)


class Decoding(Contract):
    def fault(self, document, text):
        self.refused(self.upload(document), 400, "bad-request", text)

    @cases(
        (dict(definition([end()], "x"), colour=1), "colour"),
        (definition([dict(end(), colour=1)], "x"), "colour"),
        (definition([user("a", "b", boundaryEvents=[dict(timer("PT1H", "b", True), colour=1)]), end("b")], "x"),
         "colour"),
        (definition([dict(table("a", "b", []), decisionTable={"rules": [{}], "colour": 1}), end("b")], "x"), "colour"),
        (definition([table("a", "b", [{"colour": 1}]), end("b")], "x"), "colour"),
    )
    def test_an_unknown_field_is_refused(self, document, field):
        self.fault(document, 'parse error: parse: json: unknown field "%s"' % field)

    def test_anything_goes_inside_metadata_values_and_maps(self):
        document = definition(
            [transform("a", "t", {"anything": {"unknown": {"deep": [1]}}}),
             table("t", "b", [{"when": {"any column": "true"}, "outputs": {"any": {"unknown": 1}}}]), end("b")],
            metadata={"unknown": {"id": 1, "steps": [None]}, "n": [1, "x", {"y": None}]})
        self.assertEqual(self.upload(document).status, 201)

    @cases(("",), ("{",), ("nonsense",), ("[]",), ("7",), ('"text"',), ('{"id": 7, "name": "n", "steps": []}',),
           ('{"id": "x", "name": "n", "steps": {}}',), ('{"id": "x", "name": "n", "steps": [7]}',),
           ('{"id": "x", "name": "n", "steps": [], "autoStartNextWorkflow": "yes"}',),
           (definition([service("a", "b", retryCount="3"), end("b")]),),
           (definition([service("a", "b", retryCount=1.5), end("b")]),))
    def test_what_is_no_definition_is_a_parse_error(self, body):
        self.refused(self.upload(body), 400, "bad-request")

    def test_field_names_match_in_any_case(self):
        name = fresh("case")
        body = {"ID": name, "Name": "n", "STEPS": [{"Id": "a", "NAME": "A", "Type": "SERVICE_TASK", "JOBTYPE": name,
                                                    "nextstep": "b", "RetryCount": 2},
                                                   {"iD": "b", "nAme": "B", "tYPE": "END"}]}
        self.assertEqual(self.upload(body).json["id"], name)
        self.start(name)
        self.assertEqual(self.take(name)["retriesRemaining"], 2)
        shown = self.get("/v1/definitions/" + name).json
        self.assertEqual((shown["id"], shown["name"], len(shown["steps"])), (name, "n", 2))

    def test_text_behind_the_document_is_ignored(self):
        name = fresh("tail")
        self.assertEqual(self.upload(json.dumps(definition([end()], name)) + " } trailing words").status, 201)

    def test_a_version_field_is_tolerated(self):
        name = fresh("versioned")
        answer = self.upload(definition([end()], name, version=99))
        self.assertEqual((answer.status, answer.json["version"]), (201, 1))
        self.assertEqual(self.get("/v1/definitions/" + name).json["version"], 1)

    def test_schemas_are_known_fields(self):
        schema = {"properties": {"n": {"type": "number"}}, "required": ["n"]}
        answer = self.upload(definition([service("a", "b", outputs_schema=schema), end("b")], input_schema=schema))
        self.assertEqual(answer.status, 201, answer)

    def test_optional_fields_are_known(self):
        answer = self.upload(definition(
            [service("a", "b", description="d", delegateClass="com.example.X", retryCount=1, boundaryEvents=[]),
             user("b", "c", jobType="form", description="d"), end("c", description="d")],
            description="free text", autoStartNextWorkflow=False, nextWorkflowId="", metadata={}))
        self.assertEqual(answer.status, 201, answer)

    @cases(("application/xml",), ("text/xml",), ("application/xml; charset=utf-8",), ("text/xml;charset=utf-8",))
    def test_xml_is_an_unsupported_format(self, kind):
        answer = self.engine.post("/v1/definitions", "<x/>", {"Content-Type": kind})
        self.refused(answer, 415, "unsupported-format")

    @cases(("text/plain",), ("application/octet-stream",), ("application/x-www-form-urlencoded",),
           ("application/json; charset=utf-8",))
    def test_any_other_type_is_read_as_json(self, kind):
        answer = self.engine.post("/v1/definitions", definition([end()]), {"Content-Type": kind})
        self.assertEqual(answer.status, 201, answer)


if __name__ == "__main__":
    main()
