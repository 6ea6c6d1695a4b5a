"""What a run of a flow graph is made of: the definition with its edges looked up, scopes, tokens, loops at work."""

from values import Undecided


class Failure(Exception):
    def __init__(self, code, message="", node=None):
        super().__init__(code)
        self.code, self.message, self.node = code, message, node
        self.from_loop = False  # It was an item's error before.


class Scope:
    """The top level, or one iteration of a loop."""

    def __init__(self, around=None, names=None, host=None, index=None):
        self.around, self.names, self.outputs = around, names or {}, {}
        self.host, self.index = host, index  # The loop's visit that opened it.
        self.parked = {}  # join: {edge: [tokens]}
        self.absorbing = {}  # (join, edge): a late arrival that vanishes
        self.arrived = {}  # (join, edge): how many
        self.fired = set()  # Joins that do not wait for all, and have fired.
        self.live = 0  # Tokens in it.
        self.over = False

    def find(self, name):
        scope = self
        while scope:
            if name in scope.names:
                return scope.names[name]
            scope = scope.around
        return None

    def output(self, node):
        scope = self
        while scope:
            if node in scope.outputs:
                return scope.outputs[node]
            scope = scope.around
        return None


class Token:
    def __init__(self, node, scope, edge=None, handling=False, resume=None):
        self.node, self.scope, self.edge, self.handling = node, scope, edge, handling
        self.resume = resume  # The last answer of a person on this branch.
        self.passed = frozenset()  # Joins that do not wait for all, on its way.
        self.gone = False
        self.went_on = False  # At a loop: another token went on, and this one stays with the items that are left.


class Visit:
    """A loop at work."""

    def __init__(self, token, items):
        self.token, self.items = token, items
        self.next, self.open = 0, []
        self.results = [None] * len(items)
        self.errors, self.succeeded, self.failed, self.over = [], 0, 0, False

    def is_left(self):
        return bool(self.open) or self.next < len(self.items)


class Graph:
    """A definition with its edges looked up."""

    def __init__(self, document):
        self.document = document
        self.settings = document.get("settings", {})
        self.nodes = {node["id"]: node for node in document["nodes"]}
        self.order = [node["id"] for node in document["nodes"]]
        self.out, self.into = {}, {}
        for number, edge in enumerate(document["edges"]):
            edge = {"fromPort": "out", "order": number, **edge, "number": number}
            self.out.setdefault(edge["from"], []).append(edge)
            self.into.setdefault(edge["to"], []).append(edge)
        for edges in self.out.values():
            edges.sort(key=lambda edge: edge["order"])

    def type(self, node):
        return self.nodes[node]["type"]

    def config(self, node):
        return self.nodes[node].get("config", {})

    def ways(self, node, port="out"):
        return [edge for edge in self.out.get(node, []) if edge["fromPort"] == port]

    def is_join(self, node):
        return self.type(node) in ("parallel", "match") and len(self.into.get(node, [])) > 1

    def is_on_a_circle(self, node):
        found, left = set(), [edge["to"] for edge in self.out.get(node, [])]
        while left:
            one = left.pop()
            if one not in found:
                found.add(one)
                left += [edge["to"] for edge in self.out.get(one, [])]
        return node in found

    def reaching(self, edge, without):
        """The nodes from which the edge is reachable without passing `without`. Nodes inside a loop count at it."""
        found, left = set(), [edge["from"]]
        while left:
            node = left.pop()
            if node in found or node == without:
                continue
            found.add(node)
            left += [before["from"] for before in self.into.get(node, [])]
            handler = self.document.get("globalErrorHandler") or self.settings.get("globalErrorHandler")
            if handler == node:
                raise Undecided("a handler's way to a join")
        return found
