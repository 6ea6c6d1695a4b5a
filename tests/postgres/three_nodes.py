"""Three nodes with access on one store."""

import http.client
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "api"))

import grpc_client  # noqa: E402
from harness import PATIENCE, ROOT, Client, Server  # noqa: E402
from members import Member  # noqa: E402

POSTGRES = os.path.join(ROOT, "tests", "services", "postgres")
TOKEN = "s3cret-token-of-the-engine"
NODES = 3


def bearer(key):
    return {"Authorization": f"Bearer {key}"}


class ThreeNodes(unittest.TestCase):
    number = 0
    arguments = ()  # Of each node, besides those that it needs.

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="pawl-three-nodes-")
        cls.addClassCleanup(shutil.rmtree, cls.directory, True)
        os.chmod(cls.directory, 0o755)
        run = subprocess.run([POSTGRES, "start", cls.directory], check=True, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        cls.addClassCleanup(subprocess.run, [POSTGRES, "stop", cls.directory], check=True, stdin=subprocess.DEVNULL)
        token = os.path.join(cls.directory, "token")
        with open(token, "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(TOKEN)
        arguments = ["--store", f"postgres://pawl:secret@127.0.0.1:{run.stdout.strip()}/postgres", "--grpc", "127.0.0.1:0",
                     "--secrets-key", os.path.join(cls.directory, "key"), "--auth-token-file", token, *cls.arguments]
        cls.servers, cls.clients = [], []
        for _ in range(NODES):
            cls.servers.append(Server(arguments))
            cls.addClassCleanup(cls.servers[-1].kill)
            cls.clients.append(Client(cls.servers[-1]))
            cls.addClassCleanup(cls.clients[-1].close)

    def until(self, condition):
        deadline = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), deadline, "waited in vain")

    def ask(self, node, method, path, body=None, key=TOKEN):
        return self.clients[node].request(method, path, body, bearer(key))

    def key(self, *roles, **more):
        ThreeNodes.number += 1
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

    def stream(self, node, path, key):
        """The same for a stream, which has begun or was refused when this returns."""
        connection = http.client.HTTPConnection("127.0.0.1", self.servers[node].port, timeout=PATIENCE)
        self.addCleanup(connection.close)
        connection.request("GET", path, headers={"Accept": "text/event-stream", **bearer(key)})
        response = connection.getresponse()
        response.hang_up = connection.close
        return response

    def begun(self, node, path, key):
        response = self.stream(node, path, key)
        self.assertEqual(response.status, 200)
        return response

    def pollers(self, node, job_type):
        return sum(one["pollers"] for one in self.ask(node, "GET", "/api/workers").json["jobTypes"] if one["jobType"] == job_type)

    def member(self, node, key, tags, **more):
        """A calculation node."""
        member = Member(grpc_client.port_of(self.servers[node]), tags, metadata=[("authorization", f"Bearer {key}")], **more)
        self.addCleanup(member.close)
        return member
