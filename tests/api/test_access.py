"""Who may do what: sessions, users, keys, grants, tenants, and the places where somebody could get around the gate."""

import base64
import http.client
import json
import os
import queue
import tempfile
import threading

import grpc

from accounts import Accounts, PAGE, PASSWORD, ROOT, bearer
from grpc_client import GrpcClient, Refused, port_of
from harness import Case, Events, PATIENCE, main, raw
from members import METHOD, CloudEvent, Member, event, one_transition, processor
from steps import end, person, wait


class Access(Accounts):
    # ---- sessions ----

    def test_a_user_signs_in_and_out(self):
        name = self.user("operator", groups=["sre"])
        self.assertEqual(self.ask("GET", "/api/login", None, {}).json["users"], True)
        cookie = self.login(name)
        me = self.ask("GET", "/api/me", None, cookie).json
        self.assertEqual((me["kind"], me["name"], me["roles"], me["groups"], me["tenant"]), ("user", name, ["operator"], ["sre"], "default"))
        sessions = self.ask("GET", "/api/sessions", None, cookie).json["items"]
        self.assertEqual([one["id"] for one in sessions], [me["session"]])
        self.assertEqual(self.ask("DELETE", "/api/session", None, {**cookie, **PAGE}).status, 204)
        self.assertEqual(self.ask("GET", "/api/me", None, cookie).status, 401)

    def test_a_wrong_password_and_an_unknown_name_look_the_same_and_are_counted(self):
        name = self.user("viewer")
        wrong = self.ask("POST", "/api/session", {"name": name, "password": "not it at all"}, {})
        unknown = self.ask("POST", "/api/session", {"name": "nobody-has-this", "password": "not it at all"}, {})
        self.assertEqual((wrong.status, wrong.json), (401, unknown.json))
        for _ in range(4):
            self.assertEqual(self.ask("POST", "/api/session", {"name": name, "password": "no"}, {}).status, 401)
        answer = self.ask("POST", "/api/session", {"name": name, "password": PASSWORD}, {})
        self.assertEqual((answer.status, answer.json["error"]), (429, "too-many-tries"))
        self.assertTrue(1 < int(answer.headers["Retry-After"]) <= 60, answer.headers["Retry-After"])
        self.assertIn(f"in {answer.headers['Retry-After']} seconds", answer.json["message"])

    def test_a_cookie_counts_for_own_pages_only(self):
        cookie = self.login(self.user("operator"))
        for headers, status in (({}, 403), ({"Sec-Fetch-Site": "cross-site"}, 403), ({"Origin": "http://a.example"}, 403), (PAGE, 404)):
            self.assertEqual(self.ask("POST", "/v1/instances/01KA2P3N6S0000000000100000/cancel", {}, {**cookie, **headers}).status, status, headers)

    def test_own_password_needs_the_old_one(self):
        name = self.user("viewer")
        one, two = self.login(name), self.login(name)
        path = f"/api/users/{name}/password"
        self.assertEqual(self.ask("POST", path, {"password": "another long one"}, {**one, **PAGE}).status, 400)
        self.assertEqual(self.ask("POST", path, {"password": "another long one", "oldPassword": "wrong"}, {**one, **PAGE}).status, 403)
        self.assertEqual(self.ask("POST", path, {"password": "another long one", "oldPassword": PASSWORD}, {**one, **PAGE}).status, 204)
        self.assertEqual((self.ask("GET", "/api/me", None, one).status, self.ask("GET", "/api/me", None, two).status), (200, 401))
        self.login(name, "another long one")

    # ---- keys ----

    def test_a_key_is_shown_once_narrowed_rotated_and_revoked(self):
        made = self.key("worker", scopes=["jobs:work:reserve-*"])
        self.assertNotIn("key", self.ask("GET", f"/api/keys/{made['id']}").json)
        old = bearer(made["key"])
        self.assertEqual(self.ask("POST", "/v1/jobs/poll", {"workerId": "w", "jobTypes": ["reserve-x"]}, old).status, 200)
        refused = self.ask("POST", "/v1/jobs/poll", {"workerId": "w", "jobTypes": ["reserve-x", "pay"]}, old)
        self.assertEqual((refused.status, refused.json["permission"], refused.json["object"]), (403, "jobs:work", "pay"))
        new = bearer(self.ask("POST", f"/api/keys/{made['id']}/rotate").json["key"])
        self.assertEqual([self.ask("GET", "/api/me", None, one).status for one in (old, new)], [200, 200])
        self.assertEqual(self.ask("PATCH", f"/api/keys/{made['id']}", {"state": "revoked"}).status, 200)
        self.assertEqual([self.ask("GET", "/api/me", None, one).status for one in (old, new)], [401, 401])

    def test_who_waits_for_a_lock_learns_only_of_runs_that_it_may_see(self):
        lock = self.fresh("lock")

        def started(stem):
            name = self.fresh(stem)
            document = {"dialect": "graph/1", "id": name, "name": name, "edges": [{"from": "t", "to": "ask"}], "nodes": [
                {"id": "t", "type": "trigger_manual"}, {"id": "ask", "type": "human_task", "config": {"title": "Ask"}, "lock": lock}]}
            self.assertEqual(self.ask("POST", "/v1/definitions", document).status, 201)
            return self.ask("POST", "/v1/instances", {"definitionId": name}).json["id"]
        holder, waiter = started("payroll"), started("shop")
        self.until(lambda: len(self.ask("GET", f"/api/locks?name={lock}").json["items"][0]["waiters"]) == 1)
        caller = self.bearer("viewer", scopes=["instances:read:shop*"])
        for address, why in ((f"/v1/instances/{waiter}/explain", lambda found: found["tokens"][0]["why"]), (f"/api/instances/{waiter}", lambda found: found["why"][0]["text"])):
            everybody = why(self.ask("GET", address).json)
            self.assertIn(f"held by instance {holder}", everybody)
            narrowed = why(self.ask("GET", address, None, caller).json)
            self.assertIn("; held by others; place 1 of 1", narrowed)
            self.assertNotIn(holder, narrowed)
            self.assertNotIn("payroll", narrowed)

    def test_required_roles_say_who_starts_by_hand(self):
        def flow(**config):
            name = self.fresh("flow")
            document = {"dialect": "graph/1", "id": name, "name": name, "nodes": [{"id": "t", "type": "trigger_manual", "config": config}, {"id": "end", "type": "end"}], "edges": [{"from": "t", "to": "end"}]}
            self.assertEqual(self.ask("POST", "/v1/definitions", document).status, 201)
            return name
        steps = self.fresh("steps")
        self.ask("POST", "/v1/definitions", {"id": steps, "name": steps, "steps": [end("e")]})
        for_all, for_boss = flow(), flow(requiredRoles=["boss", "builder"])
        boss, other = ({**self.login(self.user("person", groups=groups)), **PAGE} for groups in (["boss"], ["sales"]))
        builder, sender = (bearer(self.key(*roles)["key"]) for roles in (("sender", "builder"), ("sender",)))
        for caller, statuses in ((boss, (201, 201, 403)), (other, (201, 403, 403)), (builder, (201, 201, 201)), (sender, (201, 403, 201))):
            started = tuple(self.ask("POST", "/v1/instances", {"definitionId": name}, caller).status for name in (for_all, for_boss, steps))
            self.assertEqual(started, statuses)
        self.assertEqual(self.ask("POST", f"/api/triggers/{for_boss}/t/fire", {}, bearer(self.key("operator")["key"])).status, 403)

    def test_a_refusal_explains_itself(self):
        answer = self.ask("POST", "/v1/definitions", {}, bearer(self.key("viewer")["key"]))
        self.assertEqual((answer.status, answer.json["error"], answer.json["permission"], answer.json["roles"]), (403, "forbidden", "definitions:write", ["builder", "admin"]))
        name = self.user("viewer")
        told = self.ask("GET", f"/api/access/explain?principal={name}&method=POST&path=/v1/instances/x/cancel").json["decision"]
        self.assertEqual((told["allowed"], told["permission"]), (False, "instances:operate"))
        told = self.ask("GET", f"/api/access/explain?principal={name}&permission=definitions:read&object=a").json["decision"]
        self.assertEqual((told["allowed"], told["object"]), (True, "a"))
        self.assertIn("definitions:write", str(self.ask("GET", "/api/access/refusals").json))

    def test_two_credentials_are_refused(self):
        request = (b"GET /api/me HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\nConnection: close\r\n\r\n")
        self.assertIn(b"400", raw(self.server, request).split(b"\r\n")[0])

    # ---- persons ----

    def test_only_a_key_that_acts_for_others_names_somebody(self):
        name = self.upload_as_root([wait("w", "end"), end()])
        plain, portal = bearer(self.key("sender")["key"]), bearer(self.key("sender", actsFor=True)["key"])
        self.assertEqual(self.ask("POST", "/v1/instances", {"definitionId": name}, {**plain, "X-Actor": "ann"}).status, 403)
        self.assertEqual(self.ask("POST", "/v1/instances", {"definitionId": name}, {**portal, "X-Actor": "ann"}).status, 201)

    def test_groups_come_from_the_user(self):
        group = self.fresh("group")
        name = self.upload_as_root([person("ask", "end", candidateGroups=[group]), end()])
        run = self.ask("POST", "/v1/instances", {"definitionId": name}).json["id"]
        task = self.ask("GET", f"/api/tasks?instanceId={run}").json["items"][0]["id"]
        stranger, member = self.login(self.user("person")), self.login(self.user("person", groups=[group]))
        for body in ({}, {"groups": [group]}):
            self.assertEqual(self.ask("POST", f"/api/tasks/{task}/claim", body, {**stranger, **PAGE}).status, 403 if body else 404, body)
        self.assertEqual(self.ask("GET", "/api/tasks?person=somebody-else", None, member).status, 403)
        self.assertEqual(self.ask("POST", f"/api/tasks/{task}/claim", {}, {**member, **PAGE}).status, 200)

    def test_idempotency_keys_are_the_principals_own(self):
        name = self.upload_as_root([wait("w", "end"), end()])
        one, two = bearer(self.key("sender")["key"]), bearer(self.key("sender")["key"])
        key = {"Idempotency-Key": self.fresh("same")}
        ids = [self.ask("POST", "/v1/instances", {"definitionId": name}, {**who, **key}).json["id"] for who in (one, two, one)]
        self.assertEqual((ids[0] == ids[2], ids[0] == ids[1]), (True, False))

    # ---- tenants ----

    def test_a_tenant_is_chosen_by_path_or_header_and_unknown_ones_do_not_exist(self):
        name = self.fresh("t").lower().replace("_", "-")
        self.assertEqual(self.ask("POST", "/api/tenants", {"name": name}).status, 201)
        self.assertEqual(self.ask("GET", "/api/me", None, {**ROOT, "X-Pawl-Tenant": name}).json["tenant"], name)
        self.assertEqual(self.ask("GET", "/api/me", None, {**ROOT, "X-Pawl-Tenant": "nowhere"}).status, 404)
        self.assertEqual(self.ask("GET", "/api/me", None, {**bearer(self.key("viewer")["key"]), "X-Pawl-Tenant": name}).status, 404)
        self.assertEqual(self.ask("PATCH", f"/api/tenants/{name}", {"state": "suspended"}).status, 200)
        answer = self.ask("POST", "/v1/definitions", {}, {**ROOT, "X-Pawl-Tenant": name})
        self.assertEqual((answer.status, answer.json["error"]), (403, "tenant-suspended"))
        for query in ("with=all", "with=everything", f"confirm={name}"):
            self.assertEqual(self.ask("DELETE", f"/api/tenants/{name}?{query}").status, 400)
        self.assertEqual(self.ask("DELETE", f"/api/tenants/{name}").status, 204)

    # ---- calculation nodes ----

    def tenant(self):
        name = self.fresh("tenant").lower()
        self.assertEqual(self.ask("POST", "/api/tenants", {"name": name}).status, 201)
        return name

    def model(self, name, tag, headers, mode="SYNC"):
        path = f"/api/model/{name}/1"
        self.assertEqual(self.ask("POST", f"/api/model/import/JSON/SAMPLE_DATA/{name}/1", {"amount": 1, "note": "a"}, headers).status, 200)
        workflows = {"workflows": [one_transition(processor("p", tag, mode=mode))]}
        self.assertEqual(self.ask("POST", path + "/workflow/import", workflows, headers).json, {"success": True})
        self.assertEqual(self.ask("PUT", path + "/lock", None, headers).status, 200)

    def member(self, key, tags, **more):
        member = Member(port_of(self.server), tags, metadata=[("authorization", f"Bearer {key}")], **more)
        self.addCleanup(member.close)
        return member

    def test_a_calculation_node_serves_its_tenant_only(self):
        tenant, tag, model = self.tenant(), self.fresh("tag"), self.fresh("model")
        inside, outside = self.key("worker", "builder", "sender", "viewer", tenant=tenant), self.key("worker", "viewer")
        self.model(model, tag, bearer(inside["key"]))
        stranger = self.member(outside["key"], [tag])
        answer = self.ask("POST", f"/api/entity/JSON/{model}/1", {"amount": 1}, bearer(inside["key"]))
        self.assertEqual((answer.status, answer.json["properties"]["errorCode"]), (503, "NO_COMPUTE_MEMBER_FOR_TAG"))
        own = self.member(inside["key"], [tag])
        self.assertEqual(self.ask("POST", f"/api/entity/JSON/{model}/1", {"amount": 1}, bearer(inside["key"])).status, 200)
        own.asked()
        self.assertTrue(stranger.requests.empty())
        for key, member in ((inside, own), (outside, stranger)):
            for listed in (self.ask("GET", "/api/compute/members", None, bearer(key["key"])).json["members"],
                           self.ask("GET", "/api/workers", None, bearer(key["key"])).json["members"]["members"]):
                self.assertEqual([one["memberId"] for one in listed if tag in one["tags"]], [member.id])
        pretender = self.member(outside["key"], [tag], join=False)
        pretender.send(event("CalculationMemberJoinEvent", tags=[tag], joinedLegalEntityId=tenant))
        self.assertEqual(pretender.wait_end().name, "PERMISSION_DENIED")

    def test_a_request_names_the_originator_of_the_write(self):
        tag, model = self.fresh("tag"), self.fresh("model")
        self.model(model, tag, ROOT, mode="COMMIT_BEFORE_DISPATCH")
        member = self.member(self.key("worker")["key"], [tag])
        key, portal = self.key("worker", "builder", "sender"), self.key("sender", actsFor=True)
        person = self.user("admin")
        cookie = {**self.login(person), **PAGE}
        cases = ((ROOT, ("service", "root", "ROLE_ADMIN")), (bearer(key["key"]), ("service", key["name"], "ROLE_M2M")),
                 (cookie, ("user", person, "ROLE_ADMIN")), ({**bearer(portal["key"]), "X-Actor": person}, ("user", person, "")))
        for headers, said in cases:
            self.assertEqual(self.ask("POST", f"/api/entity/JSON/{model}/1", {"amount": 1}, headers).status, 200)
            attributes = member.next_request()[2].attributes
            self.assertEqual(tuple(attributes[name].ce_string for name in ("authtype", "authid", "authclaims")), said)

    # ---- streams and polls end with their credential ----

    def test_a_stream_ends_with_its_key_and_not_with_another(self):
        run = self.ask("POST", "/v1/instances", {"definitionId": self.upload_as_root([wait("w", "end"), end()])}).json["id"]
        one, two = self.key("viewer"), self.key("viewer")
        with Events(self.server, run, headers=bearer(one["key"])) as mine, Events(self.server, run, headers=bearer(two["key"])) as other:
            mine.next(), other.next()
            self.ask("DELETE", f"/api/keys/{one['id']}")
            mine.all()
            self.ask("POST", f"/v1/instances/{run}/cancel", {})
            self.assertIsNotNone(other.next())

    def polls(self, job_type):
        """How many polls wait for jobs of the type."""
        return sum(one["pollers"] for one in self.ask("GET", "/api/workers").json["jobTypes"] if one["jobType"] == job_type)

    def test_a_long_poll_ends_with_its_key(self):
        made, kept, job_type = self.key("worker"), self.key("worker"), self.fresh("none")
        asked = {"workerId": "w", "jobTypes": [job_type], "waitSeconds": 60}
        finish, other = (self.client.later("/v1/jobs/poll", asked, bearer(key["key"])) for key in (made, kept))
        self.until(lambda: self.polls(job_type) == 2)
        self.ask("DELETE", f"/api/keys/{made['id']}")
        answer = finish()
        self.assertEqual((answer.status, answer.json["error"]), (401, "unauthenticated"))
        self.until(lambda: self.polls(job_type) == 1)
        self.ask("DELETE", f"/api/keys/{kept['id']}")
        self.assertEqual(other().status, 401)

    def test_a_long_poll_of_grpc_ends_with_its_key(self):
        made, job_type = self.key("worker"), self.fresh("none")
        call = GrpcClient(port_of(self.server), (("authorization", f"Bearer {made['key']}"),))
        self.addCleanup(call.close)
        codes = queue.Queue()

        def poll():
            try:
                codes.put(call("PollJobs", {"worker_id": "w", "job_types": [job_type], "wait_seconds": 60}))
            except Refused as refused:
                codes.put(refused.code)
        threading.Thread(target=poll, daemon=True).start()
        self.until(lambda: self.polls(job_type) == 1)
        self.ask("DELETE", f"/api/keys/{made['id']}")
        self.assertEqual(codes.get(timeout=PATIENCE), "UNAUTHENTICATED")

    def stream(self, path, key):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)
        self.addCleanup(connection.close)
        connection.request("GET", path, headers={"Accept": "text/event-stream", **bearer(key)})
        response = connection.getresponse()
        self.assertEqual(response.status, 200)
        return response

    def test_streams_of_tasks_and_of_changes_end_with_their_key(self):
        for path in ("/api/tasks/stream", "/api/live?topics=tasks"):
            with self.subTest(path=path):
                made = self.key("operator")
                stream = self.stream(path, made["key"])
                self.ask("DELETE", f"/api/keys/{made['id']}")
                stream.read()  # Up to its end, which would not come.

    def test_the_stream_of_a_calculation_node_ends_with_its_key(self):
        made, tag = self.key("worker"), self.fresh("tag")
        member, other = self.member(made["key"], [tag]), self.member(self.key("worker")["key"], [tag])
        self.ask("DELETE", f"/api/keys/{made['id']}")
        self.assertEqual(member.wait_end().name, "UNAUTHENTICATED")
        listed = self.ask("GET", "/api/compute/members").json["members"]
        self.assertEqual([one["memberId"] for one in listed if tag in one["tags"]], [other.id])

    def test_a_search_that_is_not_read_ends_with_its_key(self):
        made, model = self.key("viewer"), self.fresh("model")
        self.model(model, "t", ROOT)
        self.ask("POST", f"/api/model/{model}/1/workflow/import", {"workflows": [one_transition(processor("p", "t"), manual=True)], "importMode": "REPLACE"})
        note = [{"amount": 1, "note": "x" * 200000}] * 30
        self.assertEqual(self.ask("POST", f"/api/entity/JSON/{model}/1", note).status, 200)
        older = self.stream("/api/live?topics=instances", made["key"])
        channel = grpc.insecure_channel(f"127.0.0.1:{port_of(self.server)}", options=[("grpc.http2.bdp_probe", 0), ("grpc.use_local_subchannel_pool", 1)])
        self.addCleanup(channel.close)
        search = channel.unary_stream(METHOD + "entitySearchCollection", CloudEvent.SerializeToString, CloudEvent.FromString)
        answers = search(event("EntityGetAllRequest", model={"name": model, "version": 1}, pageSize=30), metadata=[("authorization", f"Bearer {made['key']}")])
        next(answers)
        self.ask("DELETE", f"/api/keys/{made['id']}")
        older.read()  # It ends behind the search.
        with self.assertRaises(grpc.RpcError) as ended:
            list(answers)
        self.assertEqual(ended.exception.code().name, "UNAUTHENTICATED")

    def test_a_key_that_is_new_to_the_process_makes_calls_of_grpc(self):
        """What arrives while the key is read from the store is not lost."""
        for key, code in ((self.key("viewer")["key"], None), (self.key("worker", scopes=["jobs:work"])["key"], "PERMISSION_DENIED"), ("x", "UNAUTHENTICATED")):
            call = GrpcClient(port_of(self.server), (("authorization", f"Bearer {key}"),))
            self.addCleanup(call.close)
            try:
                call("ListDefinitions", {})
                self.assertIsNone(code)
            except Refused as refused:
                self.assertEqual(refused.code, code)

    # ---- lists ----

    def test_lists_have_pages(self):
        name, made = self.user("viewer"), self.key("viewer")
        cookies = [self.login(name), self.login(name)]
        for role in ("sender", "worker"):
            self.ask("POST", "/api/grants", {"to": f"key:{made['id']}", "role": role})
            self.user("viewer"), self.ask("POST", "/api/tenants", {"name": self.fresh("p").lower().replace("_", "-")})
            self.ask("POST", "/api/issuers", {"name": self.fresh("idp").lower(), "issuer": f"https://{role}.example", "audience": "pawl", "jwks": {"keys": []}})
        for path in ("/api/users?x=", "/api/keys?x=", f"/api/grants?to=key:{made['id']}", "/api/tenants?x=", f"/api/sessions?user={name}", "/api/issuers?x="):
            path = path.replace("?x=", "?")
            one = self.ask("GET", f"{path}&pageSize=1" if path[-1] != "?" else path + "pageSize=1").json
            two = self.ask("GET", (path if path[-1] == "?" else path + "&") + f"pageSize=1&cursor={one['nextCursor']}").json
            self.assertEqual((len(one["items"]), len(two["items"])), (1, 1), path)
            self.assertNotEqual(one["items"], two["items"])
        self.assertEqual(len(cookies), 2)

    # ---- files ----

    def test_a_file_removes_so_many_and_no_more(self):
        limit = 100000  # ACCESS_FILE_ITEMS_MAX
        for count, status, where in ((limit, 400, "must have a kind"), (limit + 1, 413, "ACCESS_FILE_ITEMS_MAX")):
            answer = self.ask("POST", "/api/access/apply", {"remove": [{}] * count})
            self.assertEqual(answer.status, status, answer.body[:300])
            self.assertIn(where.encode(), answer.body)

    def test_a_file_is_applied_or_only_tried(self):
        name, user = self.fresh("f").lower().replace("_", "-"), self.user("viewer")
        asked = {"file": {"tenants": [{"name": name}], "grants": [{"to": f"user:{user}", "role": "operator", "tenant": name}]}}
        for query, outcome, status in (("?dryRun=true", "added", 404), ("", "added", 200), ("", "same", 200)):
            answer = self.ask("POST", "/api/access/apply" + query, asked).json
            self.assertEqual((answer["dryRun"], [item["outcome"] for item in answer["items"]]), (bool(query), [outcome] * 2), answer)
            self.assertEqual(self.ask("GET", f"/api/tenants/{name}").status, status)
        gone = {"kind": "user", "name": user}
        self.refused(self.ask("POST", "/api/access/apply", {"remove": [{**gone, "tenent": name}]}), 400, "remove[0].tenent of the body is unknown")
        self.assertEqual(self.ask("POST", "/api/access/apply", {"remove": [gone]}).json["items"], [{**gone, "outcome": "removed"}])

    # ---- the audit ----

    def test_changes_are_in_the_audit_and_its_chain_is_whole(self):
        made = self.key("viewer")
        rows = self.ask("GET", f"/api/audit?action=key.*&object={made['id']}").json["items"]
        self.assertEqual([row["action"] for row in rows], ["key.create"])
        for query in ("principal=user:nobody", "action=key.remove", "outcome=refused", "since=2999-01-01T00:00:00Z", "until=2000-01-01T00:00:00Z"):
            self.assertEqual(self.ask("GET", f"/api/audit?object={made['id']}&{query}").json["items"], [], query)
        page = self.ask("GET", "/api/audit?pageSize=1").json
        self.assertNotEqual(self.ask("GET", f"/api/audit?pageSize=1&cursor={page['nextCursor']}").json["items"], page["items"])
        self.assertTrue(self.ask("POST", "/api/audit/verify").json["whole"])
        self.assertEqual(self.ask("GET", "/api/audit", None, bearer(made["key"])).status, 403)

    # ---- quotas ----

    def limited(self, answer, limit):
        self.assertEqual((answer.status, answer.json["error"], answer.json["limit"]), (429, "tenant-limit", limit), answer)
        self.assertIn("Retry-After", answer.headers)

    def test_quotas_of_a_tenant_are_kept_and_told(self):
        name = self.fresh("quota").lower()
        quotas = {"activeInstances": 2, "definitions": 1, "keys": 1, "streams": 1, "jobsInFlight": 1}
        made = self.ask("POST", "/api/tenants", {"name": name, "quotas": quotas})
        self.assertEqual(made.status, 201, made)
        self.assertNotIn("X-Pawl-Warning", made.headers)
        there = {**ROOT, "X-Pawl-Tenant": name}
        work = {"id": "work", "name": "w", "type": "SERVICE_TASK", "jobType": "q", "nextStep": "end"}
        document = {"id": "one", "name": "one", "steps": [work, end()]}
        self.assertEqual(self.ask("POST", "/v1/definitions", document, there).status, 201)
        self.limited(self.ask("POST", "/v1/definitions", {**document, "id": "two"}, there), "definitions")
        started = [self.ask("POST", "/v1/definitions/one/instances", {}, there) for _ in range(2)]
        self.assertEqual([one.status for one in started], [201, 201], started)
        self.limited(self.ask("POST", "/v1/definitions/one/instances", {}, there), "activeInstances")
        poll = {"workerId": "w", "jobTypes": ["q"], "maxJobs": 5}
        self.assertEqual(len(self.ask("POST", "/v1/jobs/poll", poll, there).json["jobs"]), 1)
        self.limited(self.ask("POST", "/v1/jobs/poll", poll, there), "jobsInFlight")
        self.assertEqual(self.ask("POST", "/api/keys", {"name": "k", "roles": ["viewer"]}, there).status, 201)
        self.limited(self.ask("POST", "/api/keys", {"name": "l", "roles": ["viewer"]}, there), "keys")
        with Events(self.server, started[0].json["id"], headers=there):
            self.limited(self.ask("GET", "/api/live?topics=instances", None, there), "streams")
            usage = self.ask("GET", f"/api/tenants/{name}").json["usage"]
        wanted = {"activeInstances": 2, "definitions": 1, "keys": 1, "streams": 1, "jobsInFlight": 1, "schedules": 0}
        self.assertEqual({key: usage[key] for key in wanted}, wanted)
        listed = {one["name"]: one for one in self.ask("GET", "/api/tenants?pageSize=100").json["items"]}
        self.assertEqual(listed[name]["usage"]["activeInstances"], 2)
        page = self.ask("GET", "/metrics").body.decode()
        self.assertIn(f'pawl_tenant_quota_alarm{{tenant="{name}",limit="activeInstances"}} 1', page)
        self.assertIn(f'pawl_tenant_instances_started_total{{tenant="{name}"}} 2', page)
        own = self.ask("GET", "/metrics", None, there).body.decode()
        self.assertIn(f'tenant="{name}"', own)
        self.assertNotIn('tenant="default"', own)
        self.assertNotIn("pawl_commits_total", own)


class Networks(Case):
    handle, path = tempfile.mkstemp(prefix="pawl-access-", suffix=".json")
    os.write(handle, b'{"tenants": [{"name": "acme"}], "users": [{"name": "ada", "roles": ["viewer"]}]}')
    os.close(handle)
    arguments = ("--access-file", path, "--trust-network", "127.0.0.0/8=viewer", "--trust-network", "192.0.2.0/24=worker,sender",
                 "--proxy", "127.0.0.1", "--public-url", "https://pawl.example")

    def test_a_network_has_its_roles_and_proxies_name_the_address(self):
        for chain, roles in (("", ["viewer"]), ("192.0.2.7", ["worker", "sender"]), ("192.0.2.9, 198.51.100.1", None), ("198.51.100.1, 192.0.2.9", ["worker", "sender"])):
            answer = self.get("/api/me", {"X-Forwarded-For": chain} if chain else None)
            self.assertEqual((answer.status, answer.json.get("roles")), (200 if roles else 401, roles), chain)
        self.assertEqual(self.get("/api/login").json["users"], True)


def token_of(issuer):
    """A token that nobody has signed."""
    parts = ({"alg": "RS256", "typ": "JWT"}, {"iss": issuer, "sub": "ada"})
    return ".".join([base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts] + ["c2lnbmVk"])


class Open(Case):
    """Nobody has set up access."""

    def test_only_credentials_of_ours_count(self):
        key = self.post("/api/keys", {"name": "k", "roles": ["viewer"]}).json["key"]
        cases = [(bearer(foreign), 200, "nobody") for foreign in ("whatever", token_of("https://idp.example"), "a.b.c", key[:-1], "")]
        cases += [({"Authorization": "Basic YTpi"}, 200, "nobody"), ({"Cookie": "pawl=of-another-engine"}, 200, "nobody"), (bearer(key), 200, "key")]
        cases += [(bearer(token_of("pawl")), 401, None)]
        for headers, status, kind in cases:
            with self.subTest(headers=headers):
                answer = self.get("/api/me", headers)
                self.assertEqual((answer.status, answer.json.get("kind")), (status, kind), answer)
        for headers in (bearer("whatever"), {"Cookie": "pawl=of-another-engine"}):
            self.assertEqual(self.post("/v1/jobs/poll", {"workerId": "w", "jobTypes": ["x"]}, headers).status, 200)
        key_id = key.split("_")[1]
        self.assertEqual(self.client.request("PATCH", f"/api/keys/{key_id}", {"state": "revoked"}).status, 200)
        self.assertEqual(self.get("/api/me", bearer(key)).status, 401)


class FirstAdmin(Case):
    arguments = ("--users",)

    def test_the_link_counts_once(self):
        with open(os.path.join(self.server.directory, "data", "first-admin-link")) as file:
            self.assertEqual(os.fstat(file.fileno()).st_mode & 0o777, 0o600)
            code = file.read().strip().split("setup=")[1]
        self.assertEqual(self.get("/v1/definitions").status, 401)
        self.assertEqual(self.get("/api/login").json, {"users": False, "issuers": [], "setup": True})
        made = {"name": "ada", "password": PASSWORD}
        self.assertEqual(self.post("/api/setup", {"code": "x" + code, **made}).status, 401)
        finish = self.client.later("/api/setup", {"code": code, "name": "eve", "password": PASSWORD})
        answers = sorted((self.post("/api/setup", {"code": code, **made}), finish()), key=lambda answer: answer.status)
        self.assertEqual(answers[0].status, 204, answers)  # Two browsers at once: one wins.
        self.assertIn(answers[1].status, (401, 409), answers)
        answer = answers[0]
        cookie = {"Cookie": answer.headers["Set-Cookie"].split(";")[0]}
        self.assertIn("global:admin", self.get("/api/me", cookie).json["permissions"])
        self.assertEqual(self.post("/api/setup", {"code": code, **made}).status, 401)
        self.assertEqual(len(self.get("/api/users", cookie).json["items"]), 1)
        rows = self.get("/api/audit", cookie).json["items"]
        self.assertEqual([row["action"] for row in rows if row["outcome"] == "done"], ["session.login", "grant.create", "user.create"])


if __name__ == "__main__":
    main()
