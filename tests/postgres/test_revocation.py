"""Access with three nodes on one store: a key that is revoked at one node ends at the others, with its streams and polls."""

import http.client
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "api"))

import grpc_client  # noqa: E402
from harness import PATIENCE, ROOT, Client, Server, main  # noqa: E402
from members import Member, one_transition, processor  # noqa: E402

POSTGRES = os.path.join(ROOT, "tests", "services", "postgres")
TOKEN = "s3cret-token-of-the-engine"
NODES = 3


def bearer(key):
    return {"Authorization": f"Bearer {key}"}


class Revocation(unittest.TestCase):
    number = 0

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="pawl-revocation-")
        cls.addClassCleanup(shutil.rmtree, cls.directory, True)
        os.chmod(cls.directory, 0o755)
        run = subprocess.run([POSTGRES, "start", cls.directory], check=True, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        cls.addClassCleanup(subprocess.run, [POSTGRES, "stop", cls.directory], check=True, stdin=subprocess.DEVNULL)
        token = os.path.join(cls.directory, "token")
        with open(token, "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(TOKEN)
        arguments = ["--store", f"postgres://pawl:secret@127.0.0.1:{run.stdout.strip()}/postgres", "--grpc", "127.0.0.1:0",
                     "--secrets-key", os.path.join(cls.directory, "key"), "--auth-token-file", token]
        cls.servers, cls.clients = [], []
        for _ in range(NODES):
            cls.servers.append(Server(arguments))
            cls.addClassCleanup(cls.servers[-1].kill)
            cls.clients.append(Client(cls.servers[-1]))
            cls.addClassCleanup(cls.clients[-1].close)

    def ask(self, node, method, path, body=None, key=TOKEN):
        return self.clients[node].request(method, path, body, bearer(key))

    def key(self, *roles, **more):
        Revocation.number += 1
        answer = self.ask(0, "POST", "/api/keys", {"name": f"key-{self.number}", "roles": list(roles), **more})
        self.assertEqual(answer.status, 201, answer)
        return answer.json

    def open(self, node, path, key, body=None):
        """Sends a request; call the result for the whole answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.servers[node].port, timeout=PATIENCE)
        self.addCleanup(connection.close)
        connection.request("POST" if body else "GET", path, json.dumps(body) if body else None,
                           {"Content-Type": "application/json", **bearer(key)})

        def finish():
            response = connection.getresponse()
            return response.status, response.read()
        return finish

    def begun(self, node, path, key):
        """The same for a stream, which has begun when this returns."""
        connection = http.client.HTTPConnection("127.0.0.1", self.servers[node].port, timeout=PATIENCE)
        self.addCleanup(connection.close)
        connection.request("GET", path, headers={"Accept": "text/event-stream", **bearer(key)})
        response = connection.getresponse()
        self.assertEqual(response.status, 200)
        return response

    def pollers(self, node, job_type):
        return sum(one["pollers"] for one in self.ask(node, "GET", "/api/workers").json["jobTypes"] if one["jobType"] == job_type)

    def test_a_revoked_key_ends_at_every_node(self):
        made, kept = self.key("worker", "operator"), self.key("worker", "operator")
        job_type, streams, polls, members = f"none-{self.number}", [], [], []
        for node in range(NODES):
            self.assertEqual(self.ask(node, "GET", "/api/me", key=made["key"]).status, 200)  # Each node knows it by now.
            streams += [self.begun(node, path, made["key"]) for path in ("/api/tasks/stream", "/api/live?topics=tasks")]
            polls.append(self.open(node, "/v1/jobs/poll", made["key"], {"workerId": "w", "jobTypes": [job_type], "waitSeconds": 60}))
            members += [Member(grpc_client.port_of(self.servers[node]), [job_type], metadata=[("authorization", "Bearer " + one["key"])]) for one in (made, kept)]
            self.addCleanup(members[-1].close), self.addCleanup(members[-2].close)
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

    def test_calculation_nodes_of_other_nodes_serve_their_tenant_and_hear_the_originator(self):
        self.assertEqual(self.ask(0, "POST", "/api/tenants", {"name": "acme"}).status, 201)
        key, outside = self.key("worker", "builder", "sender", "viewer", tenant="acme"), self.key("worker", "viewer")
        self.assertEqual(self.ask(1, "POST", "/api/model/import/JSON/SAMPLE_DATA/order/1", {"amount": 1}, key["key"]).status, 200)
        self.ask(1, "POST", "/api/model/order/1/workflow/import", {"workflows": [one_transition(processor("p", "t"))]}, key["key"])
        self.assertEqual(self.ask(1, "PUT", "/api/model/order/1/lock", None, key["key"]).status, 200)
        members = []
        for one in (outside, key):
            members.append(Member(grpc_client.port_of(self.servers[0]), ["t"], metadata=[("authorization", "Bearer " + one["key"])]))
            self.addCleanup(members[-1].close)
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
