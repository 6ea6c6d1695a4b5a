"""Flow graphs for tests: a definition of one call, published and run to its end."""

import http.client
import json

from harness import PATIENCE


def one_call(name, node, **more):
    """A workflow whose only work is this node, "call"."""
    return {"definitionId": name, "name": name, **more,
            "nodes": [{"id": "t", "type": "trigger_manual"}, {"id": "call", **node}, {"id": "end", "type": "end"}],
            "edges": [{"from": "t", "to": "call"}, {"from": "call", "to": "end"}]}


class Plain:
    """Requests whose answers are not held against the contract."""

    def __init__(self, server):
        self.server = server

    def request(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)
        try:
            connection.request(method, path, None if body is None else json.dumps(body).encode(), {"Content-Type": "application/json"})
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def json(self, method, path, body=None):
        status, text = self.request(method, path, body)
        assert status < 300, (status, text)
        return json.loads(text)

    def publish(self, document):
        return self.json("POST", "/api/workflows", document)

    def start(self, name, variables=None, wait=0):
        return self.json("POST", f"/v1/definitions/{name}/instances" + (f"?wait={wait}" if wait else ""), {"variables": variables or {}})

    def run(self, document, variables=None):
        """Publishes it and runs an instance; the instance at its end."""
        self.publish(document)
        return self.start(document["definitionId"], variables, wait=PATIENCE)
