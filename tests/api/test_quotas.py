"""Quotas over gRPC: a tenant over its limit is refused with the right status, and others go on."""

from accounts import Accounts, ROOT, Stream, bearer
from grpc_client import GrpcClient, Refused, port_of
from harness import main
from members import Member, one_transition, processor
from steps import end, service


class Quotas(Accounts):
    def tenant(self, **quotas):
        """A key of a new tenant that may do everything there, and the tenant's name."""
        name = self.fresh("tenant").lower()
        self.assertEqual(self.ask("POST", "/api/tenants", {"name": name, "quotas": quotas}).status, 201)
        return self.key("admin", tenant=name)["key"], name

    def member(self, key, **more):
        member = Member(port_of(self.server), ["t"], metadata=[("authorization", f"Bearer {key}")], **more)
        self.addCleanup(member.close)
        return member

    def assert_refused(self, member, name):
        self.assertEqual(member.wait_end().name, "RESOURCE_EXHAUSTED")
        self.assertEqual(member.details, f"the tenant {name} has reached its quota streams (2)")

    def assert_serves(self, member, key):
        """The engine asks the calculation node of the tenant, and the node's answer counts."""
        model = self.fresh("model")
        for method, path, body in (("POST", f"import/JSON/SAMPLE_DATA/{model}/1", {"amount": 1}),
                                   ("POST", f"{model}/1/workflow/import", {"workflows": [one_transition(processor("p", "t"))]}), ("PUT", f"{model}/1/lock", None)):
            self.assertEqual(self.ask(method, f"/api/model/{path}", body, bearer(key)).status, 200)
        self.assertEqual(self.ask("POST", f"/api/entity/JSON/{model}/1", {"amount": 1}, bearer(key)).status, 200)
        self.assertTrue(member.asked())

    def test_a_calculation_node_over_the_quota_is_refused_and_others_go_on(self):
        (key, name), (other, _) = self.tenant(streams=2), self.tenant(streams=1)
        first = self.member(key)
        with Stream(self.server, "/api/live?topics=tasks", bearer(key)) as stream:
            self.assertEqual(stream.response.status, 200)
            self.assert_refused(self.member(key, join=False), name)
            self.assert_serves(self.member(other), other)
            self.assert_serves(first, key)
            self.assertEqual(self.ask("GET", f"/api/tenants/{name}").json["usage"]["streams"], 2)
            first.kill()
            self.until(lambda: self.ask("GET", f"/api/tenants/{name}").json["usage"]["streams"] == 1)
            second = self.member(key)
            self.assert_refused(self.member(key, join=False), name)
            self.assert_serves(second, key)

    def call(self, key):
        call = GrpcClient(port_of(self.server), [("authorization", f"Bearer {key}")])
        self.addCleanup(call.close)
        return call

    def limited(self, call, method, request, limit):
        with self.assertRaises(Refused) as caught:
            call(method, request)
        self.assertEqual(caught.exception.code, "RESOURCE_EXHAUSTED", caught.exception)
        self.assertIn(limit, caught.exception.text)

    def test_calls_over_a_quota_are_refused_and_others_go_on(self):
        keys = [self.tenant(activeInstances=2, jobsInFlight=1)[0], self.tenant()[0]]
        start, poll = {"definition_id": "work"}, {"worker_id": "w", "job_types": ["q"], "max_jobs": 1}
        for key in keys:
            document = {"id": "work", "name": "w", "steps": [service("work", "end", "q"), end()]}
            self.assertEqual(self.ask("POST", "/v1/definitions", document, bearer(key)).status, 201)
            for _ in range(2):
                self.call(key)("StartInstance", start)
            self.assertEqual(len(self.call(key)("PollJobs", poll)["jobs"]), 1)
        limited, free = (self.call(key) for key in keys)
        self.limited(limited, "StartInstance", start, "activeInstances")
        self.limited(limited, "PollJobs", poll, "jobsInFlight")
        free("StartInstance", start)
        self.assertEqual(len(free("PollJobs", poll)["jobs"]), 1)
        self.assertEqual(self.ask("GET", "/api/me", None, ROOT).status, 200)


if __name__ == "__main__":
    main()
