"""Flow graphs for tests: a definition of one call, published and run to its end."""

import json

from harness import PATIENCE, Client


def one_call(name, node, **more):
    """A workflow whose only work is this node, "call"."""
    return {"definitionId": name, "name": name, **more,
            "nodes": [{"id": "t", "type": "trigger_manual"}, {"id": "call", **node}, {"id": "end", "type": "end"}],
            "edges": [{"from": "t", "to": "call"}, {"from": "call", "to": "end"}]}


def node(id, type, label=None, parent=None, **config):
    given = {"label": label, "parent": parent, "config": config or None}
    return {"id": id, "type": type, **{name: value for name, value in given.items() if value is not None}}


def edge(source, target, port=None, **more):
    return {"from": source, "to": target, **({"fromPort": port} if port else {}), **more}


def graph(*nodes, edges=(), name="Graph", **more):
    return {"dialect": "graph/1", "name": name, **more, "nodes": list(nodes), "edges": list(edges)}


class Graphs:
    """Requests about flow graphs, each over a connection of its own."""

    def __init__(self, server):
        self.server = server

    def request(self, method, path, body=None):
        client = Client(self.server)
        try:
            answer = client.request(method, path, body)
            return answer.status, answer.body
        finally:
            client.close()

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
