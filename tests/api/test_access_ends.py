"""A credential ends: its streams, long polls and lists end with it, and those of nobody else."""

import datetime
import queue
import time

import grpc

from accounts import Accounts, PAGE, ROOT, Stream, bearer
from grpc_client import GrpcClient, Refused, port_of
from harness import Client, main
from members import CloudEvent, METHOD, Member, event
from oidc_provider import Key
from pace import paced
from steps import end, wait

LIVE = "/api/live?topics=instances"
REASON = "the credential ended while the request waited"


class Ends(Accounts):
    key_of_issuer = Key("first")

    def stream(self, headers):
        made = Stream(self.server, LIVE, headers)
        self.addCleanup(made.__exit__)
        self.assertEqual((made.response.status, made.next("ready")), (200, {}))
        return made

    def goes_on(self, stream):
        """A change is told: the stream is still there."""
        run = self.run_as_root(self.flow)
        self.ask("POST", f"/v1/instances/{run}/cancel", {})
        return stream.next("changed") is not None

    def setUp(self):
        super().setUp()
        self.flow = self.upload_as_root([wait("w", "end"), end()])

    def issuer(self):
        """(name of the record, a token of its user `robot`)"""
        name = self.fresh("idp").lower()
        url = f"https://{name}.example"
        record = {"name": name, "issuer": url, "audience": "pawl-api", "jwks": {"keys": [self.key_of_issuer.jwk()]}, "groupsClaim": "$.groups", "roles": {"viewer": ["readers"]}}
        answer = self.ask("POST", "/api/issuers", record)
        self.assertEqual(answer.status, 201, answer)
        self.addCleanup(self.ask, "DELETE", f"/api/issuers/{name}")
        user, now = self.fresh("robot").lower(), int(time.time())
        claims = {"iss": url, "aud": "pawl-api", "sub": user, "preferred_username": user, "iat": now, "exp": now + 600}
        return name, user, lambda **more: bearer(self.key_of_issuer.sign({**claims, **more}))

    # ---- sessions ----

    def test_a_session_ends_alone(self):
        name = self.user("viewer")
        one, two, other = self.login(name), self.login(name), self.login(self.user("viewer"))
        _, _, token = self.issuer()
        ended, kept, others, bearers = (self.stream(headers) for headers in (one, two, other, token(groups=["readers"])))
        first = self.ask("GET", "/api/me", None, one).json["session"]
        self.assertEqual(self.ask("DELETE", f"/api/sessions/{first}", None, {**two, **PAGE}).status, 204)
        ended.response.read()  # Up to its end, which would not come.
        self.assertEqual([self.ask("GET", "/api/me", None, headers).status for headers in (one, two, other)], [401, 200, 200])
        for stream in (kept, others, bearers):
            self.assertTrue(self.goes_on(stream))

    def test_a_sign_out_ends_the_streams_of_its_session(self):
        name = self.user("viewer")
        one, two = self.login(name), self.login(name)
        mine, other = self.stream(one), self.stream(two)
        self.assertEqual(self.ask("DELETE", "/api/session", None, {**one, **PAGE}).status, 204)
        mine.response.read()
        self.assertTrue(self.goes_on(other))

    def test_all_sessions_of_a_user_end_and_nobody_elses(self):
        name = self.user("viewer")
        cookies, other = [self.login(name) for _ in range(3)], self.login(self.user("viewer"))
        streams, kept = [self.stream(one) for one in cookies], self.stream(other)
        self.assertEqual(self.ask("POST", f"/api/users/{name}/end-sessions").status, 204)
        for stream in streams:
            stream.response.read()
        self.assertEqual([self.ask("GET", "/api/me", None, one).status for one in cookies], [401] * 3)
        self.assertTrue(self.goes_on(kept))

    # ---- bearers of an issuer's token ----

    def test_a_stream_of_a_bearer_ends_with_its_issuer_user_or_grant(self):
        def remove_issuer(name, user):
            return self.ask("DELETE", f"/api/issuers/{name}")

        def disable_user(name, user):
            return self.ask("POST", "/api/users", {"name": user, "roles": [], "state": "disabled"})

        def remove_grant(name, user):
            (grant,) = self.ask("GET", f"/api/grants?to=user:{user}").json["items"]
            return self.ask("DELETE", f"/api/grants/{grant['id']}")

        for change, claims in ((remove_issuer, {"groups": ["readers"]}), (disable_user, {"groups": ["readers"]}), (remove_grant, {})):
            with self.subTest(change.__name__):
                name, user, token = self.issuer()
                if not claims:
                    self.assertEqual(self.ask("POST", "/api/grants", {"to": f"user:{user}", "role": "viewer", "tenant": "default"}).status, 201)
                headers = token(**claims)
                stream = self.stream(headers)
                self.assertIn(change(name, user).status, (201, 204))
                stream.response.read()
                self.assertEqual(self.ask("GET", "/api/me", None, headers).status, 401)

    def test_a_long_poll_of_a_bearer_ends_with_its_issuer(self):
        name, user, token = self.issuer()
        self.assertEqual(self.ask("POST", "/api/grants", {"to": f"user:{user}", "role": "worker", "tenant": "default"}).status, 201)
        job_type = self.fresh("none")
        finish = self.client.later("/v1/jobs/poll", {"workerId": "w", "jobTypes": [job_type], "waitSeconds": 60}, token())
        self.until(lambda: any(one["jobType"] == job_type and one["pollers"] for one in self.ask("GET", "/api/workers").json["jobTypes"]))
        self.ask("DELETE", f"/api/issuers/{name}")
        self.assertEqual(finish().status, 401)

    # ---- suspended tenants ----

    def test_access_to_a_suspended_tenant_can_be_taken_away(self):
        tenant = self.fresh("tenant").lower()
        self.assertEqual(self.ask("POST", "/api/tenants", {"name": tenant}).status, 201)
        there = {"X-Pawl-Tenant": tenant}
        admin, *leaked = [self.ask("POST", "/api/keys", {"name": self.fresh("key"), "roles": [role]}, {**ROOT, **there}).json for role in ("admin", "viewer", "viewer", "viewer", "viewer")]
        grant = self.ask("POST", "/api/grants", {"to": "group:sre", "role": "operator", "tenant": tenant}).json["id"]
        own = bearer(admin["key"])
        self.assertEqual(self.ask("PATCH", f"/api/tenants/{tenant}", {"state": "suspended"}).status, 200)
        for path, headers in ((f"/api/keys/{leaked[0]['id']}", {**ROOT, **there}), (f"/api/keys/{leaked[1]['id']}", {**ROOT, **there}), (f"/api/keys/{leaked[2]['id']}", own), (f"/api/grants/{grant}", own)):
            self.assertEqual(self.ask("DELETE", path, None, headers).status, 204, path)
        self.assertEqual(self.ask("PATCH", f"/api/keys/{leaked[3]['id']}", {"state": "revoked"}, {**ROOT, **there}).status, 200)
        self.assertEqual([self.ask("GET", "/api/me", None, bearer(one["key"])).status for one in leaked], [401] * 4)
        for refused in (self.ask("POST", "/api/keys", {"name": "more", "roles": ["viewer"]}, own), self.ask("PATCH", f"/api/keys/{admin['id']}", {"note": "n"}, own),
                        self.ask("PUT", "/api/secrets/a", {"value": "b"}, {**ROOT, **there}), self.ask("POST", "/v1/definitions", {}, {**ROOT, **there})):
            self.assertEqual((refused.status, refused.json["error"]), (403, "tenant-suspended"), refused)

    # ---- lists ----

    def many(self):
        """A model with so many entities that a search of them takes several turns of the query thread."""
        model = self.fresh("model")
        self.assertEqual(self.ask("POST", f"/api/model/import/JSON/SAMPLE_DATA/{model}/1", {"amount": 1, "note": "a"}).status, 200)
        self.assertEqual(self.ask("PUT", f"/api/model/{model}/1/lock").status, 200)
        for _ in range(6):
            made = self.ask("POST", f"/api/entity/JSON/{model}/1?transactionWindow=1000", [{"amount": 1, "note": "x" * 500}] * 1000)
            self.assertEqual(made.status, 200)
        return model

    def refusals(self):
        return [one for one in self.ask("GET", "/api/access/refusals").json["items"] if one["why"] == REASON]

    def test_a_list_that_is_read_ends_with_its_key(self):
        """Searches are sent until the end of the key meets one that runs."""
        model = self.many()
        never = {"type": "simple", "jsonPath": "$.note", "operatorType": "CONTAINS", "value": "xyz"}
        before = len(self.refusals())

        def meets():
            made = self.key("viewer")
            finish = self.client.later(f"/api/search/direct/{model}/1", never, bearer(made["key"]))
            self.ask("DELETE", f"/api/keys/{made['id']}")
            self.assertIn(finish().status, (200, 401))
            return len(self.refusals()) > before
        self.until(meets)

    def test_a_list_of_grpc_that_is_read_ends_with_its_key(self):
        model = self.many()
        channel = grpc.insecure_channel(f"127.0.0.1:{port_of(self.server)}", options=[("grpc.use_local_subchannel_pool", 1)])
        self.addCleanup(channel.close)
        search = channel.unary_stream(METHOD + "entitySearchCollection", CloudEvent.SerializeToString, CloudEvent.FromString)
        never = {"type": "simple", "jsonPath": "$.note", "operatorType": "CONTAINS", "value": "xyz"}

        def meets():
            made = self.key("viewer")
            answers = search(event("EntitySearchRequest", model={"name": model, "version": 1}, condition=never), metadata=[("authorization", f"Bearer {made['key']}")])
            self.ask("DELETE", f"/api/keys/{made['id']}")
            try:
                list(answers)
            except grpc.RpcError as error:
                return error.details() == "the credential of the call counts no more"
            return False
        self.until(meets)

    def ends_over_grpc(self, made, end):
        """A calculation node and a long poll, which both would go on; those of another key do."""
        kept, tag = self.key("worker", "viewer"), self.fresh("tag")
        nodes, polls = [], []
        for one in (made, kept):
            credential = [("authorization", f"Bearer {one['key']}")]
            try:
                nodes.append(Member(port_of(self.server), [tag], metadata=credential))
            except queue.Empty:
                self.fail("the key had ended before its node could join")
            client = GrpcClient(port_of(self.server), credential)
            self.addCleanup(client.close)
            self.addCleanup(nodes[-1].close)
            polls.append((client, client.begin("PollJobs", {"worker_id": "w", "job_types": [tag], "wait_seconds": 60})))
        self.until(lambda: sum(one["pollers"] for one in self.ask("GET", "/api/workers").json["jobTypes"] if one["jobType"] == tag) == 2)
        end()
        self.assertEqual(nodes[0].wait_end().name, "UNAUTHENTICATED")
        with self.assertRaises(Refused) as refused:
            polls[0][0].wait(polls[0][1])
        self.assertEqual(refused.exception.code, "UNAUTHENTICATED")
        self.assertEqual(self.ask("GET", "/api/me", None, bearer(made["key"])).status, 401)
        self.assertFalse(nodes[1].ended.is_set() or polls[1][1].done())
        polls[1][1].cancel()

    def test_streams_and_polls_of_grpc_end_with_a_revoked_key(self):
        made = self.key("worker", "viewer")
        self.ends_over_grpc(made, lambda: self.ask("PATCH", f"/api/keys/{made['id']}", {"state": "revoked"}))

    @paced
    def test_streams_and_polls_of_grpc_end_when_their_key_expires(self, pace):
        moment = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=pace.seconds(2))
        self.ends_over_grpc(self.key("worker", "viewer", expiresAt=moment.strftime("%Y-%m-%dT%H:%M:%SZ")), lambda: None)

    def test_a_page_asks_for_the_credential_again(self):
        made = self.key("viewer")
        runs = [self.run_as_root(self.flow) for _ in range(3)]
        page = self.ask("GET", f"/v1/instances?definitionId={self.flow}&pageSize=1", None, bearer(made["key"]))
        self.assertEqual((page.status, len(runs)), (200, 3))
        self.ask("DELETE", f"/api/keys/{made['id']}")
        again = Client(self.server)
        self.addCleanup(again.close)
        for one in (self.client, again):  # On the connection that had it, and on another.
            self.assertEqual(one.request("GET", f"/v1/instances?definitionId={self.flow}&pageSize=1&page=2", None, bearer(made["key"])).status, 401)


if __name__ == "__main__":
    main()
