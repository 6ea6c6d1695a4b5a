"""Seeded random flow graphs with their mocks, as scenario cases without expectations.

Edges lead forward, from a node to a later one of its scope, and are otherwise drawn without a plan: branches meet at
joins they do not belong to, end early, or pass joins by. Delays are drawn from numbers of seconds whose sums rarely
meet.
"""

import random as randomness

SECONDS = (1, 2, 3, 5, 11, 17, 29, 41, 61, 97, 131, 173, 229, 283)
WISHES = ("a", "b", "c", "d")
CODES = ("HTTP_400", "HTTP_404", "NOPE")
TYPES = {
    "joins": ("parallel",) * 5 + ("match",) * 4 + ("action_http",) * 5 + ("decision", "delay", "set_variables"),
    "inclusive": ("match",) * 6 + ("action_http",) * 5 + ("decision", "delay", "parallel"),
    "loops": ("for_each",) * 3 + ("action_http",) * 4 + ("decision", "set_variables", "parallel"),
    "errors": ("action_http",) * 7 + ("for_each", "decision", "parallel", "delay"),
    "people": ("human_task",) * 4 + ("action_http",) * 5 + ("parallel", "parallel", "match", "decision", "for_each"),
    "mixed": ("action_http",) * 5 + ("human_task", "for_each", "parallel", "parallel", "match", "match", "decision", "delay", "set_variables"),
}


class Maker:
    def __init__(self, seed):
        self.random = randomness.Random(seed)
        self.focus = self.random.choice(tuple(TYPES))
        self.count = 0
        self.nodes, self.edges, self.mocks = [], [], []
        self.compensating = self.chance(0.6 if self.focus == "errors" else 0.15)
        self.handled = not self.compensating and self.chance(0.3 if self.focus == "errors" else 0.1)

    def chance(self, probability):
        return self.random.random() < probability

    # Nodes

    def scope(self, size, depth, parent=None):
        """Nodes of one scope; the ids, of which the first is the entry."""
        ids = []
        for _ in range(size):
            self.count += 1
            ids.append(f"n{self.count}")
        if self.chance(0.5) or not parent:
            self.count += 1
            ids.append(f"end{self.count}")
        for number, name in enumerate(ids):
            self.node(name, ids[number + 1:], depth, parent)
        return ids

    def node(self, name, later, depth, parent):
        kinds = [kind for kind in TYPES[self.focus] if kind != "for_each" or depth < 2]
        kind = "end" if name.startswith("end") else self.random.choice(kinds)
        made = {"id": name, "type": kind}
        if parent:
            made["parent"] = parent
        self.nodes.append(made)
        getattr(self, kind)(made, later, depth)

    def way(self, name, later, port=None, **more):
        """An edge to one of the later nodes, mostly a near one; none if there is none, or by chance."""
        if not later or self.chance(0.04):
            return False
        near = min(len(later) - 1, int(self.random.expovariate(0.7)))
        edge = {"id": f"e{len(self.edges)}", "from": name, "to": later[near], **more}
        if port:
            edge["fromPort"] = port
        self.edges.append(edge)
        return True

    def end(self, made, later, depth):
        config = {}
        if self.chance(0.1):
            config["terminate"] = True
        elif depth == 0 and self.chance(0.05):
            config.update(status="failed", errorCode="REJECTED", message="no")
        made["config"] = config

    def action_http(self, made, later, depth):
        name = made["id"]
        made["config"] = {"method": "POST", "url": "mock://" + name, "body": {"v": self.reading(depth)}}
        self.way(name, later)
        if self.chance(0.35 if self.focus == "errors" else 0.1):
            self.way(name, later, "error")
        if self.chance(0.15):
            made["retry"] = {"maxAttempts": self.random.choice((1, 2, 4)), "initialDelay": f"{self.random.choice(SECONDS)}s",
                             "backoffStrategy": self.random.choice(("Fixed", "Linear", "Exponential")), "factor": 3, "maxDelay": "40s"}
        if self.compensating and self.chance(0.7):
            made["compensation"] = {"type": "action_http", "config": {"method": "POST", "url": "mock://undo",
                                                                       "body": {"r": "{{ self.output.body.ref }}", "c": "{{ error.code }}"}}}
            if self.chance(0.15):
                self.mocks.append({"op": "mock", "node": name + "~comp", "results": [self.failure()]})
        self.mock(name)

    def mock(self, name):
        results = []
        failing = 0.3 if self.focus == "errors" else 0.12
        for _ in range(self.random.choice((1, 1, 1, 2, 3))):
            result = self.failure() if self.chance(failing) else {"ok": {"body": {"ref": name, "n": self.random.randrange(5)}}}
            if self.chance(0.75):
                result["delay"] = f"{self.random.choice(SECONDS)}s{self.random.randrange(1, 900)}ms"
            results.append(result)
        self.mocks.append({"op": "mock", "node": name, "results": results})

    def failure(self):
        return {"fail": self.random.choice(("transient", "permanent")), "code": self.random.choice(CODES), "message": "boom"}

    def reading(self, depth):
        choices = ["{{ vars.x }}", "{{ trigger.payload.n }}", "<{{ trigger.payload.n }}>", 7]
        if not depth and self.focus in ("people", "mixed"):
            choices += ["{{ __resume.decision }}", "<{{ __resume.note }}>"]
        if depth:
            choices += ["{{ item }}", "{{ index }}", "{{ item }}@{{ index }}"]
        before = [node["id"] for node in self.nodes if node["type"] == "action_http"]
        if before:
            choices.append("{{ nodes.%s.body.n }}" % self.random.choice(before))
        return self.random.choice(choices)

    def plain_reading(self, depth):
        reading = self.reading(depth)
        return reading.replace("__resume", "vars") if isinstance(reading, str) else reading

    def human_task(self, made, later, depth):
        name = made["id"]
        made["config"] = {"title": "Ask " + name, "decisions": ["yes", "no"]}
        if self.chance(0.4):
            made["config"]["timeout"] = f"{self.random.choice(SECONDS)}s{self.random.randrange(1, 900)}ms"
            self.way(name, later, "timeout")
        self.way(name, later)
        if self.chance(0.6):
            self.way(name, later, self.random.choice(("yes", "no")))
        results = [{"ok": {"decision": self.random.choice(("yes", "no")), "note": self.random.randrange(9)},
                    "delay": f"{self.random.choice(SECONDS)}s{self.random.randrange(1, 900)}ms"} for _ in range(self.random.choice((1, 2)))]
        self.mocks.append({"op": "mock", "node": name, "results": results})

    def set_variables(self, made, later, depth):
        made["config"] = {"values": {"x": self.plain_reading(depth), "y": self.random.randrange(9)}}
        self.way(made["id"], later)

    def delay(self, made, later, depth):
        made["config"] = {"duration": f"{self.random.choice(SECONDS)}s{self.random.randrange(1, 900)}ms"}
        self.way(made["id"], later)

    # Gateways

    def condition(self):
        kind = self.random.randrange(8)
        if kind == 0:
            return {"left": "{{ vars.y }}", "op": self.random.choice(("gt", "lte")), "right": 4}
        if kind == 1:
            return {"left": "{{ vars.x }}", "op": "exists"}
        if kind == 2:
            return {"not": {"left": "{{ trigger.payload.want }}", "op": "contains", "right": self.random.choice(WISHES)}}
        return {"left": "{{ trigger.payload.want }}", "op": "contains", "right": self.random.choice(WISHES)}

    def branches(self, made, later, conditional):
        number = self.random.choice((1, 2, 2, 3))
        if number == 1 or not later:
            self.way(made["id"], later)
            return
        default = self.random.randrange(number)
        for index in range(number):
            more = {} if not conditional else {"default": True} if index == default else {"condition": self.condition()}
            while not self.way(made["id"], later, **more):
                pass

    def decision(self, made, later, depth):
        made["config"] = {"strict": False} if self.chance(0.3) else {}
        self.branches(made, later, True)

    match = decision

    def parallel(self, made, later, depth):
        join = {}
        if self.chance(0.3):
            join = self.random.choice(({"mode": "any"}, {"mode": "quorum", "count": 2}, {"mode": "any", "cancelRemaining": False},
                                       {"mode": "quorum", "count": 2, "cancelRemaining": False}))
        made["config"] = {"join": join} if join else {}
        self.branches(made, later, False)

    # Loops

    def for_each(self, made, later, depth):
        config = {"items": self.random.choice(("{{ trigger.payload.items }}", "{{ trigger.payload.items }}", [1, "two"], [], "{{ vars.x }}"))}
        if self.chance(0.5):
            config.update(mode="parallel", maxConcurrency=self.random.choice((1, 2, 10)))
        if self.chance(0.4):
            config["onItemError"] = "continue"
        config["result"] = self.random.choice(("{{ item }}", "{{ index }}", {"i": "{{ index }}"}))
        if self.chance(0.15):
            config["until"] = {"left": "{{ loop.index }}", "op": "gte", "right": self.random.randrange(3)}
        made["config"] = config
        body = self.scope(self.random.choice((1, 1, 2, 3)), depth + 1, made["id"])
        self.edges.append({"id": f"e{len(self.edges)}", "from": made["id"], "fromPort": "body", "to": body[0]})
        self.way(made["id"], later, "done")
        if self.chance(0.2):
            self.way(made["id"], later, "error")

    # The case

    def case(self, seed):
        self.nodes.append({"id": "t", "type": "trigger_manual"})
        ids = self.scope(self.random.choice((2, 3, 4, 5, 6, 8)), 0)
        self.edges.append({"id": "start", "from": "t", "to": ids[0]})
        document = {"dialect": "graph/1", "name": f"graph {seed}", "variables": {"x": self.random.choice((None, 1, "s", [1, 2])), "y": 3},
                    "settings": {}, "nodes": self.nodes, "edges": self.edges}
        if self.compensating:
            document["settings"]["onFailure"] = "compensate"
        if self.handled:
            self.nodes.append({"id": "handler", "type": "action_http", "config": {"method": "POST", "url": "mock://handler",
                                                                                   "body": {"c": "{{ vars.__error.code }}"}}})
            document["globalErrorHandler"] = "handler"
            self.mock("handler")
        payload = {"n": self.random.randrange(10), "want": [wish for wish in WISHES if self.chance(0.5)],
                   "items": [self.random.choice((1, "x", None)) for _ in range(self.random.randrange(4))]}
        return {"name": f"seed {seed}", "definitions": [document],
                "steps": [*self.mocks, {"op": "start", "input": payload, "as": "i"}, {"op": "run"}]}


def generate(seed):
    return Maker(seed).case(seed)
