"""Every parameter of a query and every header in contract/openapi.json has an effect, and another one is not ignored.

TABLE names, for each route, where each of its parameters is shown to have an effect: a test that mentions it, or PAIRS, whose requests
must get another answer with the parameter than without it. Whoever adds a parameter to the contract adds it here, too.
tests/unit/api/test_routes.c compares the contract with the table of routes.
"""

import ast
import functools
import os
import re
import socket

import test_large_bodies
from graphs import edge, graph, node
from harness import CONTRACT, ROOT, Case, example_path, main, resolve
from steps import end, person, service, table, wait
from workflows import operation, subflow

PAIRS, KEYS, TOKENS = "parameters:test_answers_differ", "parameters:test_a_key_is_for_one_request", "tokens:test_routes_that_do_not_join_refuse_every_token"
STALE = "parameters:test_a_wrong_version_changes_nothing"
LAST_SEEN = "contract/watching:test_it_goes_on_behind_the_last_event"
ACTORS, WRITERS = "parameters:test_who_acts_is_remembered", "parameters:test_who_writes_entities_is_remembered"
RUNS = "status definitionId version dialect businessKey reason reasonContains failedAt waitingAt step waitingFor startedAfter startedBefore keyword"

TABLE = f"""
GET /v1/definitions keyword page pageSize = {PAIRS}
POST /v1/definitions/{{id}}/instances wait = parameters:test_starts_wait
POST /v1/definitions/{{id}}/signals/{{stepId}} businessKey early = stuck:test_a_key_is_for_one_signal
POST /v1/instances wait = instances:test_wait_answers_when_the_instance_ends
GET /v1/instances definitionId status businessKey page pageSize cursor = {PAIRS}
GET /v1/instances/reasons definitionId step = bulk:test_failed_instances_by_reason
GET /v1/instances/{{id}}/history attempts = jobs:test_every_one_is_in_the_history
GET /v1/instances/{{id}}/history pageSize cursor order = instances:test_a_long_history_is_paged_from_both_ends
GET /v1/instances/{{id}}/history Last-Event-ID = {LAST_SEEN}
GET /v1/instances/{{id}}/events Last-Event-ID = {LAST_SEEN}
POST /v1/instances/{{id}}/cancel failed = stuck:test_one_that_failed_can_be_given_up
POST /v1/instances/{{id}}/retry alone = parameters:test_a_child_is_retried_alone
POST /v1/instances/{{id}}/steps/{{stepId}}/retry alone = parameters:test_a_child_is_retried_alone
POST /v1/instances/{{id}}/modify dryRun = modify:test_a_dry_run_changes_nothing
POST /v1/instances/{{id}}/signals/{{stepId}} early = stuck:test_they_are_kept_in_order_and_used_when_their_step_waits
GET /v1/bulk pageSize cursor = {PAIRS}
GET /v1/bulk/{{id}}/results outcome pageSize cursor = {PAIRS}
POST /v1/events ce-specversion ce-id ce-source ce-type = cloud_events:test_headers
GET /v1/events/unmatched pageSize cursor = {PAIRS}
GET /v1/user-tasks instanceId definitionId jobType pageSize cursor = {PAIRS}
GET /v1/jobs jobType instanceId pageSize cursor = {PAIRS}
GET /api/locks name pageSize cursor = locks:test_a_list_has_pages_and_one_lock
GET /api/instances {RUNS} pageSize cursor = {PAIRS}
GET /api/instances/groups {RUNS} = {PAIRS}
GET /api/instances/{{id}}/visits pageSize cursor order = operate:test_pages_of_visits_with_their_tries
GET /api/runs/{{id}}/trace cursor = {PAIRS}
GET /api/tasks person assignee candidate group unassigned dueBefore definitionId keyword instanceId jobType pageSize cursor = {PAIRS}
GET /api/tasks/stream person group Last-Event-ID = worklists:test_people_hear_of_their_tasks
POST /api/pictures layout = pictures:test_nodes_stay_where_their_document_puts_them
POST /api/ticks count zone = design:test_a_schedule_says_when_it_fires
GET /api/triggers/{{definition}}/{{trigger}}/ticks count zone = {PAIRS}
GET /api/tables keyword pageSize cursor = {PAIRS}
POST /v1/definitions revision = versions:test_a_version_says_where_it_comes_from
POST /api/workflows revision = versions:test_a_version_says_where_it_comes_from
POST /api/apply dryRun revision X-Actor = apply:test_a_dry_run_tells_and_applying_does_it
POST /api/apply changes = apply:test_a_dry_run_tells_how_documents_differ
POST /api/definitions/{{id}}/versions/{{version}}/restore revision X-Actor = versions:test_a_version_says_where_it_comes_from
GET /api/definitions/{{id}}/compare from to = design:test_two_versions_are_compared
GET /api/definitions keyword dialect warnings pageSize cursor = {PAIRS}
GET /api/definitions/{{id}}/versions/{{version}}/picture layout = {PAIRS}
GET /api/workflows page pageSize keyword = {PAIRS}
GET /api/workflows/drafts pageSize after = {PAIRS}
GET /api/workflows/{{id}}/versions pageSize before = {PAIRS}
PUT /api/workflows/{{id}}/draft If-Match = {STALE}
PUT /api/workflows/{{id}}/draft If-None-Match = workflows:test_somebody_who_saves_over_another_change_is_told
PUT /api/workflows/{{id}}/draft X-Actor = {ACTORS}
DELETE /api/workflows/{{id}}/draft If-Match = {STALE}
GET /api/entity/stats pointInTime = past:test_counts
GET /api/entity/stats/states states pointInTime = past:test_counts
GET /api/entity/stats/{{name}}/{{version}} pointInTime = past:test_counts
GET /api/entity/stats/{{by}}/{{name}}/{{version}} states pointInTime = past:test_counts
POST /api/entity/{{format}}/{{name}}/{{version}} transactionWindow = collections:test_a_window_has_bounds
POST /api/entity/{{format}}/{{name}}/{{version}} transition = entities:test_one_that_cannot_be_made_refuses_the_create
PUT /api/entity/{{format}}/{{name}}/{{version}} If-Match = {STALE}
PATCH /api/entity/{{format}}/{{name}}/{{version}} If-Match = {STALE}
GET /api/entity/{{id}} pointInTime = entity_reads:test_an_entity_is_read_as_it_was_at_a_time
GET /api/entity/{{id}} transactionId = entity_reads:test_an_entity_is_read_as_it_was_after_a_transaction
POST /api/entity/{{id}} transactionWindow = collections:test_a_window_has_bounds
PUT /api/entity/{{id}} transactionWindow = collections:test_a_window_has_bounds
DELETE /api/entity/{{id}} If-Match = {STALE}
GET /api/entity/{{id}}/transitions pointInTime transactionId = past:test_transitions
GET /api/entity/{{id}}/changes pointInTime transactionId = past:test_changes
DELETE /api/entity/{{format}}/{{id}} pointInTime = entity_reads:test_entities_that_have_fitted_a_condition_are_deleted
DELETE /api/entity/{{format}}/{{id}} verbose = entity_reads:test_the_answer_names_those_that_were_deleted_if_asked
GET /api/entity/{{format}}/{{id}} pageSize pageNumber = entity_reads:test_entities_are_listed_in_the_order_of_creation
GET /api/entity/{{format}}/{{id}} after = entity_reads:test_a_page_can_begin_after_an_entity
GET /api/entity/{{format}}/{{id}} pointInTime = past:test_lists
PUT /api/entity/{{format}}/{{id}} If-Match = {STALE}
PATCH /api/entity/{{format}}/{{id}} If-Match = {STALE}
GET /api/audit/entity/{{id}} eventType severity fromUtcTime toUtcTime transactionId = audit:test_filters_choose_events
GET /api/audit/entity/{{id}} limit cursor = audit:test_pages_stay_where_they_are_while_events_come
GET /api/search/async/{{job}} pageSize pageNumber = search:test_a_search_runs_beside_others_and_keeps_what_it_finds
POST /api/search/async/{{name}}/{{version}} pointInTime = search:test_a_search_beside_others_finds_and_shows_entities_as_they_were
POST /api/search/direct/{{name}}/{{version}} limit = search:test_a_result_is_whole_or_refused
POST /api/search/direct/{{name}}/{{version}} sort = search:test_entities_are_sorted
POST /api/search/direct/{{name}}/{{version}} pointInTime = search:test_entities_are_found_as_they_were
POST /api/search/direct/{{name}}/{{version}} explain = tokens:test_a_plan_of_a_search_has_no_transaction
POST /api/search/page/{{name}}/{{version}} pageSize cursor = search:test_pages_are_newest_first_whatever_leads_to_the_entities
GET /api/platform-api/entity/fetch/transitions entityClass entityId pointInTime transactionId = past:test_transitions
GET /api/live topics = live:test_a_stream_tells_of_its_topics_only
GET /api/live draft X-Actor = live:test_who_has_a_draft_open
GET /api/live Last-Event-ID = live:test_who_comes_back
GET /api/secrets pageSize cursor = {PAIRS}
GET /api/oidc/{{name}}/start to = oidc:test_it_leads_only_to_places_of_ours
GET /api/oidc/{{name}}/start challenge state = oidc:test_a_program_gets_the_session_of_its_browser
POST /api/clients withAdminRole = oidc:test_wrong_clients_and_forms
GET /api/oauth/oidc/providers activeOnly = cyoda_access:test_they_are_invalidated_and_come_back
GET /api/oauth/keys/keypair/current audience = cyoda_access:test_key_pairs_sign_in_their_windows
POST /api/workflows/{{id}}/start wait = parameters:test_starts_wait
POST /api/workflows/{{id}}/start X-Actor = {ACTORS}
POST /v1/definitions/{{id}}/instances X-Actor = {ACTORS}
POST /v1/definitions/{{id}}/signals/{{stepId}} X-Actor = {ACTORS}
POST /v1/instances X-Actor = worklists:test_histories_tell_who_did_it
POST /v1/instances/{{id}}/cancel X-Actor = worklists:test_histories_tell_who_did_it
POST /v1/instances/{{id}}/modify X-Actor = {ACTORS}
POST /v1/instances/{{id}}/signals/{{stepId}} X-Actor = {ACTORS}
POST /v1/instances/{{id}}/retry X-Actor = parameters:test_who_repairs_is_remembered
POST /v1/instances/{{id}}/steps/{{stepId}}/retry X-Actor = parameters:test_who_repairs_is_remembered
POST /v1/bulk X-Actor = parameters:test_who_repairs_is_remembered
POST /v1/bulk/{{id}}/undo X-Actor = migrations:test_the_history_names_the_person
POST /api/migrations X-Actor = migrations:test_the_history_names_the_person
POST /v1/definitions X-Actor = worklists:test_histories_tell_who_did_it
POST /v1/instances/{{id}}/user-tasks/{{stepId}}/complete X-Actor X-Groups = parameters:test_who_has_a_task_is_remembered
POST /v1/user-tasks/{{id}}/complete X-Actor X-Groups = parameters:test_who_has_a_task_is_remembered
POST /api/tasks/{{id}}/assign X-Actor = parameters:test_who_has_a_task_is_remembered
POST /api/tasks/{{id}}/comment X-Actor = parameters:test_who_has_a_task_is_remembered
POST /api/tasks/{{id}}/unclaim X-Actor = parameters:test_who_has_a_task_is_remembered
POST /api/tasks/{{id}}/claim X-Actor X-Groups = worklists:test_a_task_of_a_group_is_for_its_members
POST /api/tasks/{{id}}/complete X-Actor X-Groups = worklists:test_a_task_of_a_group_is_for_its_members
POST /api/workflows/{{id}}/resume X-Groups = workflows:test_a_task_of_a_group_is_resumed_by_its_members
POST /api/workflows X-Actor = parameters:test_who_publishes_and_fires_is_remembered
POST /api/model/{{name}}/{{version}}/workflow/import X-Actor = parameters:test_who_publishes_and_fires_is_remembered
POST /api/entity/{{format}}/{{name}}/{{version}} X-Actor = {WRITERS}
PUT /api/entity/{{format}}/{{name}}/{{version}} X-Actor = {WRITERS}
PATCH /api/entity/{{format}}/{{name}}/{{version}} X-Actor = {WRITERS}
POST /api/entity/{{id}} X-Actor = {WRITERS}
PUT /api/entity/{{id}} X-Actor = {WRITERS}
DELETE /api/entity/{{id}} X-Actor = {WRITERS}
DELETE /api/entity/{{format}}/{{id}} X-Actor = {WRITERS}
PUT /api/entity/{{format}}/{{id}} X-Actor = {WRITERS}
PATCH /api/entity/{{format}}/{{id}} X-Actor = {WRITERS}
POST /api/triggers/{{definition}}/{{trigger}}/fire X-Actor = parameters:test_who_publishes_and_fires_is_remembered
POST /v1/events wait = cloud_events:test_the_sender_gets_the_result
POST /v1/events/unmatched/{{number}}/resend wait = cloud_events:test_a_key_and_an_event_sent_again_from_the_list
GET /api/workflows/{{id}}/runs pageSize cursor status = {PAIRS}
POST /api/workflows/{{id}}/resume X-Actor = workflows:test_who_acts_is_a_text
POST /api/workflows/{{id}}/cancel X-Actor = {ACTORS}
POST /api/workflows/{{id}}/replay X-Actor = {ACTORS}
GET /api/runs/{{id}}/history attempts = {PAIRS}
GET /api/runs/{{id}}/history pageSize cursor order = instances:test_a_long_history_is_paged_from_both_ends
GET /api/runs/{{id}}/history Last-Event-ID = parameters:test_streams_of_runs_go_on
GET /api/runs/{{id}}/events Last-Event-ID = parameters:test_streams_of_runs_go_on
GET /api/triggers definitionId keyword pageSize cursor = {PAIRS}
POST /api/triggers/{{definition}}/{{trigger}}/fire isTest = test_runs:test_no_call_is_made_over_any_surface
GET /api/arrivals definitionId trigger outcome pageSize cursor = {PAIRS}
GET /api/users pageSize cursor = access:test_lists_have_pages
GET /api/keys pageSize cursor = access:test_lists_have_pages
GET /api/grants to pageSize cursor = access:test_lists_have_pages
GET /api/issuers pageSize cursor = access:test_lists_have_pages
GET /api/tenants pageSize cursor = access:test_lists_have_pages
GET /api/sessions user pageSize cursor = access:test_lists_have_pages
DELETE /api/definitions/{{id}} with = deletion:test_runs_that_live_refuse_it
DELETE /api/tenants/{{name}} with confirm = access:test_a_tenant_is_chosen_by_path_or_header_and_unknown_ones_do_not_exist
GET /api/audit principal action object outcome since until pageSize cursor = access:test_changes_are_in_the_audit_and_its_chain_is_whole
GET /api/tools tool pageSize cursor = mcp:test_definitions_with_tools_are_listed
POST /mcp X-Actor X-Groups = mcp:test_a_task_is_answered_for_a_person
POST /api/access/apply dryRun = access:test_a_file_is_applied_or_only_tried
GET /api/access/explain principal method path permission object = access:test_a_refusal_explains_itself
"""

# Routes with a key whose effect another test counts; Keys has a row for each of the others.
KEYED_ELSEWHERE = {
    "PUT /api/search/async/{job}/cancel": "parameters:test_a_search_is_cancelled_once",
    "DELETE /api/definitions/{id}": "deletion:test_a_key_deletes_once",
    "POST /v1/events/unmatched/{number}/resend": "cloud_events:test_sending_again_with_a_key_happens_once",
    "POST /mcp": "mcp:test_a_start_with_a_key_happens_once",
    "DELETE /api/entity/{format}/{id}": "entity_reads:test_all_entities_of_a_model_are_deleted",
    "PUT /api/model/{name}/{version}/lock": "parameters:test_keys_of_model_writes", "PUT /api/model/{name}/{version}/unlock": "parameters:test_keys_of_model_writes",
    "POST /api/model/{name}/{version}/{setting}/{level}": "parameters:test_keys_of_model_writes", "DELETE /api/model/{name}/{version}": "parameters:test_keys_of_model_writes",
}


def shown():
    """{(route, parameter): the test that shows its effect}"""
    proofs = {}
    for line in TABLE.strip().split("\n"):
        left, _, proof = line.rpartition(" = ")
        method, path, *names = left.split()
        proofs.update({(f"{method} {path}", name): proof for name in names})
    for route, name in described():
        if name == "Idempotency-Key":
            proofs.setdefault((route, name), KEYED_ELSEWHERE.get(route, KEYS))
        if name == "X-Tx-Token":  # Its test has a table of all routes itself.
            proofs[route, name] = TOKENS
    return proofs


def described():
    """Every (route, parameter) of the contract that is no part of a path."""
    found = set()
    for path, item in CONTRACT["paths"].items():
        for method in set(item) - {"parameters"}:
            for one in map(resolve, item.get("parameters", []) + item[method].get("parameters", [])):
                if one["in"] != "path":
                    found.add((f"{method.upper()} {path}", one["name"]))
    return found


@functools.lru_cache(None)
def tests_of(module):
    folder, _, name = module.rpartition("/")
    with open(os.path.join(ROOT, "tests", folder or "api", f"test_{name}.py"), encoding="utf-8") as file:
        text = file.read()
    return {one.name: ast.get_source_segment(text, one) for one in ast.walk(ast.parse(text)) if isinstance(one, ast.FunctionDef)}, text


class Table(Case):
    def test_every_parameter_of_the_contract_is_shown(self):
        self.assertEqual(sorted(described() - set(shown())), [], "say in TABLE where its effect is shown")
        self.assertEqual(sorted(set(shown()) - described()), [], "the contract does not have it")

    def test_every_proof_is_there_and_mentions_it(self):
        for (route, name), proof in shown().items():
            with self.subTest(route=route, parameter=name):
                module, _, test = proof.partition(":")
                functions, text = tests_of(module)
                self.assertIn(test, functions, proof)
                if proof == PAIRS:
                    self.assertIn(name, Pairs.values(route), "PAIRS has no value for it")
                else:
                    helpers = text if proof in (KEYS, TOKENS, STALE) else "".join(code for word, code in functions.items() if not word.startswith("test_"))
                    mentioned = re.compile(r"\b" + re.escape(name).replace(r"\-", "[-_]") + r"\b")
                    seen = mentioned.search(functions[test]) or mentioned.search(helpers) or (name == "Last-Event-ID" and "engine.events(" in text)
                    self.assertTrue(seen, proof)


class Unknown(Case):
    arguments = ("--mcp",)
    # Parameters are data there, or meant for a page; a provider adds its own to those of a login (RFC 6749, section 4.1.2).
    FREE = ("/hooks/{path}", "/forms/{definition}", "/forms/{definition}/{trigger}", "/ui/{path}", "/docs", "/docs/{page}", "/api/oidc/{name}/callback")
    STREAMS = ("/api/live", "/api/tasks/stream")

    def test_another_parameter_is_refused_or_warned_about(self):
        for path, item in CONTRACT["paths"].items():
            for method in set(item) - {"parameters"}:
                if path in self.FREE:
                    continue
                with self.subTest(method=method, path=path):
                    body = b"{}" if method in ("post", "put", "patch") else None
                    answer = self.client.request(method.upper(), example_path(path, "1") + "?surprise=1", body)
                    warned = "surprise" in answer.headers.get("X-Pawl-Warning", "")
                    self.assertTrue(warned or (answer.status == 400 and b"surprise" in answer.body), answer)
                    if path.startswith("/api/") and "entities" not in item[method]["tags"]:
                        self.assertEqual((answer.status, warned), (400, False), answer)
                        self.assertIn(b"takes", answer.body)

    # Every header that some route reads or that a client may think we read, with a value that is good there.
    WORDS = {"X-Actor": "ann", "X-Groups": "sales", "Last-Event-ID": "1", "Prefer": "return=minimal", "ce-type": "a"}
    CONDITIONS = {"Idempotency-Key": "once", "If-Match": "*", "If-Unmodified-Since": "Mon, 01 Jan 2024 00:00:00 GMT", "If-None-Match": "*"}

    def test_a_header_that_the_route_does_not_read_is_refused_or_warned_about(self):
        """Conditions of writes are refused below /api, save by the entity API; all else is warned about. tokens: has those of transactions."""
        taken = described()
        for path, item in CONTRACT["paths"].items():
            for method in set(item) - {"parameters"}:
                if path in self.FREE + self.STREAMS:
                    continue
                strict = path.startswith("/api/") and "entities" not in item[method]["tags"]
                for known in (self.WORDS, self.CONDITIONS):
                    names = [name for name in known if (f"{method.upper()} {path}", name) not in taken and not (name == "If-None-Match" and method == "get")]
                    with self.subTest(method=method, path=path, headers=names):
                        body = b"{}" if method in ("post", "put", "patch") else None
                        answer = self.client.request(method.upper(), example_path(path, "1"), body, {name: known[name] for name in names})
                        if strict and method != "get" and known is self.CONDITIONS:
                            self.refused(answer, 400, names[0])
                        else:
                            for name in names:
                                self.assertIn("ce-" if name == "ce-type" else f"{name} has no effect", answer.headers.get("X-Pawl-Warning", ""))

    def test_each_condition_of_a_write_is_refused(self):
        for name, value in self.CONDITIONS.items():
            self.refused(self.client.request("POST", "/api/checks", b"{}", {name: value}), 400, f"POST /api/checks does not obey {name}")
        self.assertNotIn("X-Pawl-Warning", self.client.request("GET", "/api/instances", headers={"If-None-Match": "*"}).headers)
        self.assertIn("X-Tx-Token has no effect", self.client.request("GET", "/livez", headers={"X-Tx-Token": "a"}).headers["X-Pawl-Warning"])

    def test_a_header_with_an_error_in_its_name_is_warned_about(self):
        for name, meant in (("X-Actors", "X-Actor"), ("X-TxToken", "X-Tx-Token"), ("Tx-Token", "X-Tx-Token"), ("X-Idempotency-Key", "Idempotency-Key"), ("If-Mach", "If-Match"),
                            ("X-Pawl-Actor", None)):
            said = self.client.request("GET", "/api/instances", headers={name: "a"}).headers.get("X-Pawl-Warning", "")
            self.assertIn(f"{name} is unknown", said)
            if meant:
                self.assertIn(f"did you mean {meant}?", said)

    def test_headers_of_other_programs_pass(self):
        common = {"User-Agent": "curl", "Accept": "*/*", "Accept-Encoding": "gzip", "Cookie": "a=b", "X-Forwarded-For": "10.0.0.1", "X-Request-Id": "7", "X-Requested-With": "XMLHttpRequest",
                  "Sec-Fetch-Mode": "cors", "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "Pragma": "no-cache", "Priority": "u=1", "If-Modified-Since": "x",
                  "If-Range": "x", "X-Action": "a", "X-B3-TraceId": "1", "Proxy-Authorization": "x", "Content-Language": "en", "Cache-Control": "no-store", "TE": "trailers"}
        for path in ("/api/instances", "/v1/instances", "/api/model"):
            answer = self.client.request("GET", path, headers=common)
            self.assertEqual((answer.status, answer.headers.get("X-Pawl-Warning")), (200, None))

    def test_a_header_that_is_there_twice(self):
        def send(path):
            with socket.create_connection(("127.0.0.1", self.server.port)) as connection:
                connection.sendall(f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Actor: ann\r\nX-Actor: bob\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}".encode())
                return b"".join(iter(lambda: connection.recv(65536), b"")).decode()
        answer = send("/api/workflows/none/start")
        self.assertIn(" 400 ", answer.split("\r\n")[0])
        self.assertIn("X-Actor is there twice", answer)
        self.assertIn("X-Pawl-Warning: the header X-Actor is there twice; the first one counts", send("/v1/instances"))

    def test_one_that_is_there_twice_or_cannot_be_read(self):
        self.refused(self.get("/api/instances?pageSize=3&pageSize=4"), 400, "pageSize is there 2 times")
        self.assertIn("pageSize is there 2 times", self.get("/v1/instances?pageSize=3&pageSize=4").headers["X-Pawl-Warning"])
        for path in ("/api/instances?keyword=%zz", "/v1/instances?businessKey=%ff", "/v1/instances?businessKey=%e2%82"):
            self.refused(self.get(path), 400, "no value that can be read")

    def test_a_name_cannot_break_its_header(self):
        for name in ("a%0d%0aX-Evil:%201", "%00", "%22", "x" * 4000, "&".join("a" * 2000), "%zz=1"):
            answer = self.get(f"/v1/instances?{name}")
            self.assertEqual((answer.status, answer.headers.get("X-Evil")), (200, None))
            self.assertLess(len(answer.headers["X-Pawl-Warning"]), 1200)

    def test_numbers_out_of_their_range(self):
        for path, item in CONTRACT["paths"].items():
            for method in set(item) - {"parameters"}:
                names = {one["name"] for one in map(resolve, item[method].get("parameters", ()))}
                for name in names & {"page", "pageSize", "pageNumber", "limit", "count"}:
                    for value in ("-1", "x", "100000000000"):
                        with self.subTest(method=method, path=path, name=name, value=value):
                            answer = self.client.request(method.upper(), f"{example_path(path, '1')}?{name}={value}", b"{}" if method == "post" else None)
                            warned = name in answer.headers.get("X-Pawl-Warning", "")
                            self.assertTrue(warned or answer.status == 400 or (answer.status == 404 and "{" in path), answer)


class Pairs(Case):
    """What a list has depends on its filters. Each value leaves something out that the list has without it, or orders it in another way."""

    ROUTES = {
        "GET /v1/definitions": ("/v1/definitions", {"keyword": "{one}", "page": "1", "pageSize": "1"}),
        "GET /v1/instances": ("/v1/instances", {"definitionId": "{one}", "status": "FAILED", "businessKey": "{key}", "page": "1", "pageSize": "1", "cursor": "{first}"}),
        "GET /v1/bulk": ("/v1/bulk", {"pageSize": "1", "cursor": "{bulk}"}),
        "GET /v1/bulk/{id}/results": ("/v1/bulk/{bulk}/results", {"outcome": "skipped", "pageSize": "1", "cursor": "{result}"}),
        "GET /v1/events/unmatched": ("/v1/events/unmatched", {"pageSize": "1", "cursor": "{event}"}),
        "GET /v1/user-tasks": ("/v1/user-tasks", {"instanceId": "{asks}", "definitionId": "{people}", "jobType": "form", "pageSize": "1", "cursor": "{task}"}),
        "GET /v1/jobs": ("/v1/jobs", {"jobType": "{kind}", "instanceId": "{works}", "pageSize": "1", "cursor": "{job}"}),
        "GET /api/instances": ("/api/instances", {
            "status": "failed", "definitionId": "{one}", "version": "7", "dialect": "graph", "businessKey": "{key}", "reason": "broken", "reasonContains": "BROKEN", "failedAt": "w", "waitingAt": "ask",
            "step": "w", "waitingFor": "person", "startedAfter": "2999-01-01T00:00:00Z", "startedBefore": "2000-01-01T00:00:00Z", "keyword": "{key}", "pageSize": "1", "cursor": "{run}"}),
        "GET /api/instances/{id}/visits": ("/api/instances/{walked}/visits", {"pageSize": "1", "cursor": "1"}),
        "GET /api/runs/{id}/trace": ("/api/runs/{walked}/trace", {"cursor": "1"}),
        "GET /api/tasks": ("/api/tasks", {
            "person": "ann", "assignee": "ann", "candidate": "ann", "group": "sales", "unassigned": "true", "dueBefore": "2000-01-01T00:00:00Z", "definitionId": "{people}", "keyword": "ask",
            "instanceId": "{asks}", "jobType": "form", "pageSize": "1", "cursor": "{task_cursor}"}),
        "GET /api/triggers/{definition}/{trigger}/ticks": ("/api/triggers/{flow}/c/ticks", {"count": "1", "zone": "Asia/Tokyo"}),
        "GET /api/tables": ("/api/tables", {"keyword": "nowhere", "pageSize": "1", "cursor": "zzz"}),
        "GET /api/definitions": ("/api/definitions", {"keyword": "{one}", "dialect": "graph", "warnings": "true", "pageSize": "1", "cursor": "zzz"}),
        "GET /api/definitions/{id}/versions/{version}/picture": ("/api/definitions/{flow}/versions/1/picture", {"layout": "auto"}),
        "GET /api/workflows": ("/api/workflows", {"page": "1", "pageSize": "1", "keyword": "{one}"}),
        "GET /api/workflows/drafts": ("/api/workflows/drafts", {"pageSize": "1", "after": "zzz"}),
        "GET /api/workflows/{id}/versions": ("/api/workflows/{one}/versions", {"pageSize": "1", "before": "2"}),
        "GET /api/secrets": ("/api/secrets", {"pageSize": "1", "cursor": "zzz"}),
        "GET /api/workflows/{id}/runs": ("/api/workflows/{flow}/runs", {"pageSize": "1", "cursor": "{older}", "status": "completed"}),
        "GET /api/runs/{id}/history": ("/api/runs/{tried}/history", {"attempts": "true"}),
        "GET /api/triggers": ("/api/triggers", {"definitionId": "{flow}", "keyword": "nowhere", "pageSize": "1", "cursor": "{trigger}"}),
        "GET /api/arrivals": ("/api/arrivals", {"definitionId": "{flow}", "trigger": "m", "outcome": "updated", "pageSize": "1", "cursor": "{arrival}"}),
    }

    @classmethod
    def values(cls, route):
        if route == "GET /api/instances/groups":
            return {name: value for name, value in cls.ROUTES["GET /api/instances"][1].items() if name not in ("pageSize", "cursor")}
        return cls.ROUTES[route][1]

    def world(self):
        """Something for each list to show, and to leave out."""
        w = {"key": self.fresh("key"), "kind": self.fresh("kind")}
        w["one"] = self.upload([wait("w", "end"), end()])
        self.post("/v1/definitions", {"id": w["one"], "name": "Another", "steps": [wait("w", "end"), end()]})
        w["people"] = self.upload([person("ask", "end", jobType="form", candidateUsers=["ann"], candidateGroups=["sales"]), end()])
        other, works = self.upload([person("look", "end"), end()]), self.upload([service("s", "end", w["kind"]), end()])
        for key in (w["key"], self.fresh("key")):
            w["first"] = self.start(w["one"], businessKey=key)["id"]
        w["asks"] = self.start(w["people"])["id"]
        self.start(other)
        task = self.get(f"/api/tasks?definitionId={w['people']}").json["items"][0]["id"]
        w["walked"] = self.run_steps([table("t", "end", [{"when": {"a": "a > 1"}, "outputs": {"x": 1}}, {"when": {}, "outputs": {"x": 2}}]), end()], {"a": 2})["id"]
        failing = self.upload([service("w", "end", w["kind"] + "x"), end()])
        for _ in range(2):
            w["tried"] = self.start(failing)["id"]
            self.fail_job(self.take(w["kind"] + "x"), "broken")
        w["works"] = self.start(works)["id"]
        self.start(self.upload([service("s", "end"), end()]))
        w["task"], w["job"] = self.get("/v1/user-tasks?pageSize=1").json["nextCursor"], self.get("/v1/jobs?pageSize=1").json["nextCursor"]
        w["task_cursor"], w["run"] = self.get("/api/tasks?pageSize=1").json["nextCursor"], self.get("/api/instances?pageSize=1").json["nextCursor"]
        self.assertEqual(self.post(f"/api/tasks/{task}/claim", {"by": "ann"}).status, 200)
        self.bulks(w)
        self.flows(w)
        for number in range(2):
            self.post("/v1/events", {"specversion": "1.0", "id": f"{w['key']}{number}", "source": "/nobody", "type": "takes"}, {"Content-Type": "application/cloudevents+json"})
            self.client.request("PUT", f"/api/workflows/{self.fresh('draft')}/draft", {"half": "done"})
            self.client.request("PUT", f"/api/secrets/{self.fresh('secret')}", {"value": "long enough"})
        w["event"] = self.get("/v1/events/unmatched?pageSize=1").json["nextCursor"]
        return w

    def bulks(self, w):
        for _ in range(2):
            ids = [self.start(w["one"])["id"] for _ in range(2)]
            w["bulk"] = self.post("/v1/bulk", {"action": "cancel", "filter": {"ids": ids}}).json["id"]
            self.until(lambda: self.get(f"/v1/bulk/{w['bulk']}").json["state"] != "running")
        w["result"] = self.get(f"/v1/bulk/{w['bulk']}/results?pageSize=1").json["nextCursor"]

    def flows(self, w):
        nodes = [node("m", "trigger_manual"), node("c", "trigger_cron", cron="0 9 * * *"), node("ask", "human_task", title="May I?", decisions=["yes"]), node("z", "end")]
        document = graph(*nodes, edges=[edge("m", "ask"), edge("c", "ask"), edge("ask", "z", "yes")], name="Flow " + self.fresh("n"))
        document["nodes"][0]["position"] = {"x": 500, "y": 500}
        w["flow"] = self.post("/api/workflows", document).json["definitionId"]
        for _ in range(3):
            self.assertEqual(self.post(f"/api/workflows/{w['flow']}/start", {"input": {}}).status, 201)
        w["older"] = self.get(f"/api/workflows/{w['flow']}/runs?pageSize=1").json["nextCursor"]
        lone = graph(node("h", "trigger_http", path="/" + self.fresh("hook"), method="POST"), node("z", "end"), node("lost", "end"), edges=[edge("h", "z")], name="Lone " + self.fresh("n"))
        path = next(one for one in lone["nodes"] if one["id"] == "h")["config"]["path"]
        self.assertEqual(self.post("/api/workflows", lone).status, 201)
        for _ in range(2):
            self.assertLess(self.client.request("POST", "/hooks" + path, {}).status, 300)
        w["trigger"] = self.get("/api/triggers?pageSize=1").json["nextCursor"]
        w["arrival"] = self.get("/api/arrivals?pageSize=1").json["nextCursor"]

    def test_answers_differ(self):
        world = self.world()
        routes = {**self.ROUTES, "GET /api/instances/groups": ("/api/instances/groups", self.values("GET /api/instances/groups"))}
        for route, (path, values) in routes.items():
            path = path.format(**world)
            plain = self.get(path)
            self.assertEqual(plain.status, 200, (route, plain))
            for name, value in values.items():
                with self.subTest(route=route, parameter=name):
                    answer = self.get(f"{path}?{name}={value.format(**world)}")
                    self.assertEqual(answer.status, 200, answer)
                    self.assertNotIn("X-Pawl-Warning", answer.headers)
                    self.assertNotEqual(answer.body, plain.body)

    def test_starts_wait(self):
        name = self.upload([wait("w", "end"), end()])
        for path, seconds, status in ((f"/v1/definitions/{name}/instances", "0.01", 201), (f"/v1/definitions/{name}/instances", "x", 400),
                                      (f"/api/workflows/{name}/start", "0.01", 201), (f"/api/workflows/{name}/start", "x", 400)):
            answer = self.post(f"{path}?wait={seconds}", {})
            self.assertEqual(answer.status, status, answer)
        kind = self.fresh("kind")
        name = self.upload([service("s", "end", kind), end()])
        for path in (f"/v1/definitions/{name}/instances?wait=20", f"/api/workflows/{name}/start?wait=20"):
            finish = self.client.later(path, {})
            self.complete(self.take(kind))
            self.assertIn(finish().json["status"], ("COMPLETED", "completed"))

    def test_a_child_is_retried_alone(self):
        """It stays as it is without `alone`, and runs again with it."""
        for path in ("retry", "steps/A/retry"):
            kind = self.fresh("kind")
            child = self.upload_workflow(operation("A", "w"), functions=[{"name": "w", "type": "worker", "metadata": {"handler": kind}}])
            parent = self.start(self.upload_workflow(subflow("S", child)))["id"]
            self.until(lambda: self.instance(parent)["children"])
            made = self.instance(parent)["children"][0]["id"]
            self.fail_job(self.take("w"), "broken")
            self.until(lambda: self.instance(parent)["status"] == "FAILED")
            for alone in ("", "?alone=false"):
                self.refused(self.post(f"/v1/instances/{made}/{path}{alone}", {}), 409, "alone")
            self.assertEqual(self.post(f"/v1/instances/{made}/{path}?alone=perhaps", {}).status, 400)
            self.assertEqual(self.poll("w"), [])
            self.assertEqual(self.post(f"/v1/instances/{made}/{path}?alone=true", {}).status, 200)
            self.complete(self.take("w"))
            self.assertEqual((self.instance(made)["status"], self.instance(parent)["status"]), ("COMPLETED", "FAILED"))

    def act(self, method, path, body, by, **more):
        answer = self.client.request(method, path, body, {"X-Actor": by, **more})
        self.assertLess(answer.status, 300, (path, answer))
        return answer.json if answer.body else None

    def acts(self, run):
        return [(act["what"], act["by"]) for act in self.get(f"/v1/instances/{run}/history").json["acts"]]

    def test_who_acts_is_remembered(self):
        """X-Actor"""
        draft = f"/api/workflows/{self.fresh('draft')}/draft"
        self.assertEqual(self.act("PUT", draft, {"half": "done"}, "ann")["author"], "ann")
        name = self.upload([wait("w", "v"), wait("v", "end"), end()])
        one = self.act("POST", f"/api/workflows/{name}/start", {}, "ann")["id"]
        two = self.act("POST", f"/v1/definitions/{name}/instances", {"businessKey": "k"}, "bob")["id"]
        self.act("POST", f"/v1/instances/{one}/signals/w", {}, "cid")
        self.act("POST", f"/v1/definitions/{name}/signals/w?businessKey=k", {}, "dan")
        self.act("POST", f"/v1/instances/{one}/modify", {"set": {"a": 1}}, "eve")
        self.act("POST", f"/api/workflows/{one}/cancel", {}, "fay")
        again = self.act("POST", f"/api/workflows/{one}/replay", {}, "gil")
        self.assertEqual(self.acts(one), [("started", "ann"), ("signalled", "cid"), ("modified", "eve"), ("cancelled", "fay")])
        self.assertEqual(self.acts(two), [("started", "bob"), ("signalled", "dan")])
        self.assertEqual(self.acts(again.get("id") or again["instanceId"]), [("started", "gil")])
        for path in (f"/api/workflows/{name}/start", f"/v1/instances/{two}/cancel"):
            self.assertEqual(self.post(path, {}, {"X-Actor": "\xff"}).status, 400)

    def test_who_repairs_is_remembered(self):
        """X-Actor"""
        name = self.upload([{"id": "t", "name": "t", "type": "TRANSFORMATION", "transformations": {"b": "${1 / a}"}, "nextStep": "end"}, end()])
        one, two, three = (self.start(name, {"a": 0})["id"] for _ in range(3))
        self.act("POST", f"/v1/instances/{one}/retry", {}, "ann")
        self.act("POST", f"/v1/instances/{two}/steps/t/retry", {}, "bob")
        bulk = self.act("POST", "/v1/bulk", {"action": "retry", "filter": {"definitionId": name, "status": "FAILED"}}, "cid")["id"]
        self.until(lambda: self.get(f"/v1/bulk/{bulk}").json["state"] == "done")
        for run, who in ((one, ["ann", "cid"]), (two, ["bob", "cid"]), (three, ["cid"])):
            self.assertEqual([by.split(", bulk ")[0] for what, by in self.acts(run) if what == "retried"], who)

    def test_who_publishes_and_fires_is_remembered(self):
        """X-Actor"""
        model, flow = self.fresh("model"), self.fresh("flow")
        self.assertEqual(self.post(f"/api/model/import/JSON/SAMPLE_DATA/{model}/1", {"a": 1}).status, 200)
        lives = {"version": "1", "name": "w", "initialState": "A", "states": {"A": {}}}
        self.act("POST", f"/api/model/{model}/1/workflow/import", {"importMode": "REPLACE", "workflows": [lives]}, "ann")
        self.assertIn('"publishedBy":"ann"', self.get(f"/api/definitions?keyword={model}").body.decode() + self.get(f"/api/definitions/entity:{model}.1").body.decode())
        document = graph(node("t", "trigger_manual"), node("ask", "human_task", title="x"), node("end", "end"), edges=[edge("t", "ask"), edge("ask", "end")], definitionId=flow)
        self.act("POST", "/api/workflows", document, "bob")
        self.assertEqual(self.get(f"/api/definitions/{flow}").json["versions"][0]["publishedBy"], "bob")
        run = self.act("POST", f"/api/triggers/{flow}/t/fire", {}, "cid")["instanceId"]
        self.assertEqual(self.acts(run)[0], ("started", "cid"))

    def test_who_writes_entities_is_remembered(self):
        """X-Actor"""
        model = self.fresh("model")
        self.post(f"/api/model/import/JSON/SAMPLE_DATA/{model}/1", {"a": 1})
        self.client.request("PUT", f"/api/model/{model}/1/lock")
        life = {"version": "1", "name": "w", "initialState": "A", "states": {"A": {"transitions": [{"name": "go", "next": "A", "manual": True}]}}}
        self.post(f"/api/model/{model}/1/workflow/import", {"importMode": "REPLACE", "workflows": [life]})
        one = self.act("POST", f"/api/entity/JSON/{model}/1", {"a": 1}, "ann")[0]["entityIds"][0]
        self.act("PUT", f"/api/entity/JSON/{one}", {"a": 2}, "bob")
        self.act("PUT", f"/api/entity/JSON/{one}/go", {"a": 3}, "cid")
        self.act("PATCH", f"/api/entity/JSON/{one}", {"a": 4}, "dan", **{"If-Match": "*"})
        self.act("PATCH", f"/api/entity/JSON/{one}/go", {"a": 5}, "eve", **{"If-Match": "*"})
        self.act("PUT", "/api/entity/JSON", [{"id": one, "payload": "{\"a\": 6}"}], "fay")
        self.act("DELETE", f"/api/entity/{one}", None, "gus")
        two = self.act("POST", "/api/entity/JSON", [{"model": {"name": model, "version": 1}, "payload": "{\"a\": 1}"}], "hal")[0]["entityIds"][0]
        self.act("DELETE", f"/api/entity/{model}/1", None, "ida")
        people = [[change["user"] for change in self.get(f"/api/entity/{id}/changes").json] for id in (one, two)]
        self.assertEqual(people, [["gus", "fay", "eve", "dan", "cid", "bob", "ann"], ["ida", "hal"]])

    def test_who_has_a_task_is_remembered(self):
        """X-Actor X-Groups"""
        name = self.upload([person("p", "q", candidateGroups=["hr"]), person("q", "end", candidateGroups=["hr"]), end()])
        run = self.start(name)["id"]
        task = self.get(f"/api/tasks?instanceId={run}").json["items"][0]["id"]
        for verb, body, by in (("claim", {}, "ann"), ("comment", {"comment": "x"}, "bob"), ("unclaim", {}, "ann"), ("assign", {"due": "P1D"}, "cid")):
            self.act("POST", f"/api/tasks/{task}/{verb}", body, by, **{"X-Groups": "hr"})
        self.assertEqual(self.post(f"/v1/user-tasks/{task}/complete", {}, {"X-Actor": "dan"}).status, 403)
        self.act("POST", f"/v1/user-tasks/{task}/complete", {}, "dan", **{"X-Groups": "it,hr"})
        self.assertEqual([by for _, by in self.acts(run)], ["ann", "bob", "ann", "cid", "dan"])
        self.assertEqual(self.post(f"/v1/instances/{run}/user-tasks/q/complete", {}, {"X-Actor": "eve", "X-Groups": "it"}).status, 403)
        self.act("POST", f"/v1/instances/{run}/user-tasks/q/complete", {}, "eve", **{"X-Groups": "hr"})
        self.assertEqual(self.acts(run)[-1][1], "eve")

    def test_streams_of_runs_go_on(self):
        made = self.run_steps([end()])["id"]
        for path in ("events", "history"):
            for last, count in (("0", 2), ("1", 1)):
                answer = self.client.request("GET", f"/api/runs/{made}/{path}", None, {"Accept": "text/event-stream", "Last-Event-ID": last})
                self.assertEqual(len(re.findall(rb"^event:", answer.body, re.M)), count, answer.body)

    def test_keys_of_model_writes(self):
        """Idempotency-Key"""
        model = f"/api/model/{self.fresh('model')}/1"
        self.post(model.replace("model/", "model/import/JSON/SAMPLE_DATA/"), {"a": 1})
        for method, path in (("PUT", f"{model}/lock"), ("PUT", f"{model}/unlock"), ("POST", f"{model}/changeLevel/TYPE"), ("DELETE", model)):
            answers = [self.client.request(method, path, None, {"Idempotency-Key": "again" + path}) for _ in range(2)]
            self.assertEqual([answer.headers.get("Idempotency-Replayed") for answer in answers], [None, "true"], answers)


class Keys(test_large_bodies.LargeBodies):
    test_every_route_with_a_body_has_a_row = test_bodies_of_every_size_are_understood = None
    TOTALS = ("/v1/definitions?pageSize=1", "/v1/instances?pageSize=1")

    # ---- routes with a key and without a body ----

    def a_bulk_to_cancel(self):
        return f"/v1/bulk/{self.post('/v1/bulk', {'action': 'cancel', 'filter': {'definitionId': self.upload([end()])}}).json['id']}/cancel", None

    def a_bulk_to_pause(self):
        return self.a_bulk_to_cancel()[0].replace("/cancel", "/pause"), None

    def a_bulk_to_resume(self):
        return self.a_bulk_to_cancel()[0].replace("/cancel", "/resume"), None

    def a_draft_to_delete(self):
        path = f"/api/workflows/{self.fresh('draft')}/draft"
        self.client.request("PUT", path, {"half": "done"})
        return path, None

    def an_entity_to_delete(self):
        return f"/api/entity/{self.entity_of()}", None

    def a_webhook_that_is_read(self):
        return f"/hooks/{self.hooked('GET')}", None

    def a_definition_to_retire(self):
        name = self.fresh("retired")
        self.post("/v1/definitions", {"id": name, "name": "Retired", "steps": [end()]})
        return f"/api/definitions/{name}/retire", None

    def a_version_to_restore(self):
        name = self.fresh("restored")
        for title in ("One", "Two"):
            self.post("/v1/definitions", {"id": name, "name": title, "steps": [end()]})
        return f"/api/definitions/{name}/versions/previous/restore", None

    BODILESS = {"POST /v1/bulk/{id}/cancel": (a_bulk_to_cancel, 200), "POST /v1/bulk/{id}/pause": (a_bulk_to_pause, 200), "POST /v1/bulk/{id}/resume": (a_bulk_to_resume, 200),
                "POST /api/definitions/{id}/versions/{version}/restore": (a_version_to_restore, 201),
                "POST /api/definitions/{id}/retire": (a_definition_to_retire, 200), "DELETE /api/workflows/{id}/draft": (a_draft_to_delete, 204), "DELETE /api/entity/{id}": (an_entity_to_delete, 200), "GET /hooks/{path}": (a_webhook_that_is_read, 202)}

    def totals(self):
        return [self.get(path).json["total"] for path in self.TOTALS]

    def test_a_key_is_for_one_request(self):
        """The second request gets the first answer, and makes nothing."""
        keyed = {route for (route, name), proof in shown().items() if name == "Idempotency-Key" and proof == KEYS}
        self.assertEqual(sorted(keyed - set(test_large_bodies.ROWS) - set(self.BODILESS)), [])
        for route in sorted(keyed):
            make, status, media_type = (*self.BODILESS[route], None) if route in self.BODILESS else test_large_bodies.ROWS[route][0]
            with self.subTest(route=route):
                path, body = make(self)
                headers = {"Idempotency-Key": self.fresh("once"), **({"Content-Type": media_type} if media_type else {}), **({"If-Match": "*"} if "PATCH" in route else {})}
                body = body if body is None or isinstance(body, bytes) else test_large_bodies.padded(body, 0)
                first, made, again = self.client.request(route.split()[0], path, body, headers), self.totals(), self.client.request(route.split()[0], path, body, headers)
                self.assertEqual((first.status, again.status), (status, status), (first, again))
                self.assertEqual((first.headers.get("Idempotency-Replayed"), again.headers.get("Idempotency-Replayed")), (None, "true"))
                if "/hooks/" in route or route.endswith("/fire"):  # The outcome says "duplicate".
                    self.assertEqual(first.json["instanceId"], again.json["instanceId"])
                else:
                    self.assertEqual(first.body, again.body)
                self.assertEqual(self.totals(), made)

    def test_a_search_is_cancelled_once(self):
        """Searches run one after the other: the last one still waits, unless all of them were very fast."""
        self.modelled()
        self.created([{"customer": "a" * 12 + "!", "amount": 1, "lines": []}] * 100)
        slow = {"type": "simple", "jsonPath": "$.customer", "operatorType": "MATCHES_PATTERN", "value": "(a+)+"}
        answers = []

        def cancelled():
            jobs = [f"/api/search/async/{self.post(f'/api/search/async/{self.model}/1', slow).json}" for _ in range(4)]
            key = {"Idempotency-Key": self.fresh("once")}
            answers[:] = [self.client.request("PUT", jobs[-1] + "/cancel", None, key) for _ in range(2)]
            return answers[0].status == 200
        self.until(cancelled)
        self.assertEqual((answers[1].status, answers[1].body, answers[1].headers.get("Idempotency-Replayed")), (200, answers[0].body, "true"))

    # ---- versions ----

    def test_a_wrong_version_changes_nothing(self):
        for route in sorted(route for route, name in described() if name == "If-Match"):
            with self.subTest(route=route):
                method, place = route.split()
                entity = None if "draft" in place else self.entity_of()
                path = f"/api/workflows/{self.fresh('draft')}/draft" if not entity else place.replace("{format}", "JSON").replace("{name}/{version}", f"{entity}/PAY").replace("{id}", entity)
                if not entity:
                    self.client.request("PUT", path, {"half": "done"})
                seen = f"/api/entity/{entity}" if entity else path
                before = self.get(seen)
                body = None if method == "DELETE" else {"amount": 2}
                media_type = {"Content-Type": "application/merge-patch+json"} if method == "PATCH" else {}
                wrong, right = ("00000000-0000-1000-8000-000000000000", before.json["meta"]["transactionId"]) if entity else ('"99"', '"1"')
                self.assertEqual(self.client.request(method, path, body, {"If-Match": wrong, **media_type}).status, 412)
                self.assertEqual(self.get(seen).body, before.body)
                self.assertLess(self.client.request(method, path, body, {"If-Match": right, **media_type}).status, 300)
                self.assertNotEqual(self.get(seen).body, before.body)


if __name__ == "__main__":
    main()
