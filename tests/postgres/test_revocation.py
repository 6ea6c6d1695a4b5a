"""Access with three nodes on one store: a key that is revoked at one node ends at the others, with its streams and polls."""

import datetime
import queue

from three_nodes import NODES, ThreeNodes

from harness import main
from members import one_transition, processor
from pace import paced


class Revocation(ThreeNodes):
    def test_a_revoked_key_ends_at_every_node(self):
        made, kept = self.key("worker", "operator"), self.key("worker", "operator")
        job_type, streams, polls, members = f"none-{self.number}", [], [], []
        for node in range(NODES):
            self.assertEqual(self.ask(node, "GET", "/api/me", key=made["key"]).status, 200)  # Each node knows it by now.
            streams += [self.begun(node, path, made["key"]) for path in ("/api/tasks/stream", "/api/live?topics=tasks")]
            polls.append(self.open(node, "/v1/jobs/poll", made["key"], {"workerId": "w", "jobTypes": [job_type], "waitSeconds": 60}))
            members += [self.member(node, one["key"], [job_type]) for one in (made, kept)]
            while not self.pollers(node, job_type):
                continue
        self.assertEqual(self.ask(1, "PATCH", f"/api/keys/{made['id']}", {"state": "revoked"}).status, 200)
        self.assertEqual(self.ask(1, "GET", "/api/me", key=made["key"]).status, 401)  # At its own node at once.
        for stream in streams:
            stream.read()
        for poll in polls:
            self.assertEqual(poll()[0], 401)
        for member in members[::2]:
            self.assertEqual(member.wait_end().name, "UNAUTHENTICATED")
        for node in range(NODES):
            self.assertEqual(self.ask(node, "GET", "/api/me", key=made["key"]).status, 401)
            self.assertEqual(self.ask(node, "GET", "/api/me", key=kept["key"]).status, 200)
        self.assertFalse(any(member.ended.is_set() for member in members[1::2]))

    @paced
    def test_a_calculation_node_ends_with_a_key_that_expires(self, pace):
        moment = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=pace.seconds(3))
        made, kept = self.key("worker", expiresAt=moment.strftime("%Y-%m-%dT%H:%M:%SZ")), self.key("worker")
        try:
            members = [[self.member(node, one["key"], [f"tag-{self.number}"]) for node in range(NODES)] for one in (made, kept)]
        except queue.Empty:
            self.fail("the key had ended before its nodes could join")
        for member in members[0]:
            self.assertEqual(member.wait_end().name, "UNAUTHENTICATED")
        self.assertFalse(any(member.ended.is_set() for member in members[1]))

    def test_calculation_nodes_of_other_nodes_serve_their_tenant_and_hear_the_originator(self):
        self.assertEqual(self.ask(0, "POST", "/api/tenants", {"name": "acme"}).status, 201)
        key, outside = self.key("worker", "builder", "sender", "viewer", tenant="acme"), self.key("worker", "viewer")
        self.assertEqual(self.ask(1, "POST", "/api/model/import/JSON/SAMPLE_DATA/order/1", {"amount": 1}, key["key"]).status, 200)
        self.ask(1, "POST", "/api/model/order/1/workflow/import", {"workflows": [one_transition(processor("p", "t"))]}, key["key"])
        self.assertEqual(self.ask(1, "PUT", "/api/model/order/1/lock", None, key["key"]).status, 200)
        members = [self.member(0, one["key"], ["t"]) for one in (outside, key)]
        self.assertEqual(self.ask(2, "POST", "/api/entity/JSON/order/1", {"amount": 1}, key["key"]).status, 200)
        attributes = members[1].next_request()[2].attributes
        said = tuple(attributes[name].ce_string for name in ("authtype", "authid", "authclaims"))
        self.assertEqual(said, ("service", key["name"], "ROLE_M2M,viewer"))
        self.assertTrue(members[0].requests.empty())
        for one, member in ((outside, members[0]), (key, members[1])):
            listed = self.ask(2, "GET", "/api/compute/members", key=one["key"]).json["members"]
            self.assertEqual([found["memberId"] for found in listed if "t" in found["tags"]], [member.id])


if __name__ == "__main__":
    main()
