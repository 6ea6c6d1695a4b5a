"""Seeded random flow graphs with their mocks, as scenario cases without expectations.

Edges lead forward, from a node to a later one of its scope, and are otherwise drawn without a plan: branches meet at
joins they do not belong to, end early, or pass joins by. Some graphs have cycles: an edge back, which a counter, a
person or a failing call takes a few times. Delays are drawn from numbers of seconds whose sums rarely meet.
"""

import random as randomness

from trigger_generate import generate_triggers

SECONDS = (1, 2, 3, 5, 11, 17, 29, 41, 61, 97, 131, 173, 229, 283)
WISHES = ("a", "b", "c", "d")
CODES = ("HTTP_400", "HTTP_404", "NOPE")
TYPES = {
    "joins": ("parallel",) * 5 + ("match",) * 4 + ("action_http",) * 5 + ("decision", "delay", "set_variables"),
    "inclusive": ("match",) * 6 + ("action_http",) * 5 + ("decision", "delay", "parallel"),
    "loops": ("for_each",) * 3 + ("action_http",) * 4 + ("decision", "set_variables", "parallel"),
    "errors": ("action_http",) * 7 + ("for_each", "decision", "parallel", "delay"),
    "people": ("human_task",) * 4 + ("action_http",) * 5 + ("parallel", "parallel", "match", "decision", "for_each"),
    "cycles": ("action_http",) * 5 + ("human_task", "match", "match", "match", "parallel", "parallel", "decision", "delay", "for_each"),
    "nested": ("for_each",) * 5 + ("action_http",) * 4 + ("delay", "match", "parallel", "set_variables"),
    "undone": ("action_http",) * 6 + ("for_each", "for_each", "parallel", "decision", "human_task", "set_variables"),
    "mixed": ("action_http",) * 5 + ("human_task", "for_each", "parallel", "parallel", "match", "match", "decision", "delay", "set_variables"),
}


class Maker:
    def __init__(self, seed):
        self.random = randomness.Random(seed)
        self.focus = self.random.choice(tuple(TYPES))
        self.count = 0
        self.nodes, self.edges, self.mocks = [], [], []
        self.compensating = self.chance({"errors": 0.6, "undone": 1}.get(self.focus, 0.15))
        self.handled = self.chance(0.3 if self.focus in ("errors", "undone") else 0.1)
        self.cycling = self.chance({"cycles": 1, "mixed": 0.3, "errors": 0.3}.get(self.focus, 0.05))
        self.back = {}  # node: earlier nodes of its scope

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
        counter = self.random.randrange(size - 1) if size > 1 and self.cycling and self.chance(0.6) else None
        for number, name in enumerate(ids):
            self.back[name] = ids[:number + 1]
            kind = {counter: "counter", counter + 1: "turn"}.get(number) if counter is not None else None
            self.node(name, ids[number + 1:], depth, parent, kind)
        return ids

    def node(self, name, later, depth, parent, kind=None):
        depth_max = 3 if self.focus == "nested" else 2
        kinds = [one for one in TYPES[self.focus] if one != "for_each" or depth < depth_max]
        if kind in ("counter", "turn"):
            getattr(self, kind)(name, later, depth, parent)
            return
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

    # Cycles

    def way_back(self, name, port=None, **more):
        """An edge to an earlier node of the scope, or to the node itself."""
        edge = {"id": f"e{len(self.edges)}", "from": name, "to": self.random.choice(self.back[name]), **more}
        if port:
            edge["fromPort"] = port
        self.edges.append(edge)

    def place(self, made, parent):
        if parent:
            made["parent"] = parent
        self.nodes.append(made)

    def counter(self, name, later, depth, parent):
        """A call whose answers count: 0, 1, and so on."""
        self.place({"id": name, "type": "action_http", "config": {"method": "POST", "url": "mock://" + name, "body": {"v": self.reading(depth)}}}, parent)
        self.edges.append({"id": f"e{len(self.edges)}", "from": name, "to": later[0]})
        self.mocks.append({"op": "mock", "node": name, "results": [self.slowly({"ok": {"body": {"ref": name, "n": number}}}) for number in range(4)]})

    def turn(self, name, later, depth, parent):
        """Goes back until the counter before it is high enough."""
        self.place({"id": name, "type": "decision", "config": {"strict": False}}, parent)
        before = self.back[name][-2]
        self.way_back(name, condition={"left": "{{ nodes.%s.body.n }}" % before, "op": "lt", "right": self.random.randrange(1, 4)})
        while later and not self.way(name, later, default=True):
            pass
        if not later:
            self.edges.pop()

    def slowly(self, result):
        if self.chance(0.75):
            result["delay"] = f"{self.random.choice(SECONDS)}s{self.random.randrange(1, 900)}ms"
        return result

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
        again = self.cycling and self.chance(0.15)
        if again:
            self.way_back(name, "error")
        elif self.chance(0.35 if self.focus in ("errors", "undone") else 0.1):
            self.way(name, later, "error")
        if self.chance(0.15):
            made["retry"] = {"maxAttempts": self.random.choice((1, 2, 4)), "initialDelay": f"{self.random.choice(SECONDS)}s",
                             "backoffStrategy": self.random.choice(("Fixed", "Linear", "Exponential")), "factor": 3, "maxDelay": "40s"}
        self.compensation(made, {"r": "{{ self.output.body.ref }}", "c": "{{ error.code }}"}, depth)
        if self.chance(0.05):
            made["onFailure"] = self.random.choice(("fail", "compensate"))
        self.mock(name, again)

    def compensation(self, made, body, depth):
        if not self.compensating or self.chance(0.3):
            return
        if depth:
            body = {**body, "i": "{{ index }}", "v": "{{ item }}"}
        made["compensation"] = {"type": "action_http", "config": {"method": "POST", "url": "mock://undo", "body": body}}
        if self.chance(0.15):
            self.mocks.append({"op": "mock", "node": made["id"] + "~comp", "results": [self.failure()]})

    def mock(self, name, again=False):
        """`again`: it fails a few times, then it answers."""
        results = [{"fail": "permanent", "code": self.random.choice(CODES), "message": "boom"} for _ in range(self.random.randrange(3))] if again else []
        failing = 0 if again else 0.3 if self.focus in ("errors", "undone") else 0.12
        for _ in range(self.random.choice((1, 1, 1, 2, 3))):
            result = self.failure() if self.chance(failing) else {"ok": {"body": {"ref": name, "n": self.random.randrange(5)}}}
            results.append(self.slowly(result))
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
        made["config"] = {"title": "Ask " + name, **({"decisions": ["yes", "no"]} if later else {})}
        if self.chance(0.4):
            made["config"]["timeout"] = f"{self.random.choice(SECONDS)}s{self.random.randrange(1, 900)}ms"
            self.way(name, later, "timeout")
        while later and not self.way(name, later, default=True):
            pass
        decisions = [self.random.choice(("yes", "no")) for _ in range(self.random.choice((1, 2)))]
        if self.cycling and self.chance(0.5):
            self.way_back(name, "no")
            decisions = ["no"] * self.random.randrange(3) + ["yes"]
        elif self.chance(0.6):
            self.way(name, later, self.random.choice(("yes", "no")))
        self.compensation(made, {"c": "{{ error.code }}", "d": "{{ self.output.decision }}"}, depth)
        results = [{"ok": {"decision": decision, "note": self.random.randrange(9)},
                    "delay": f"{self.random.choice(SECONDS)}s{self.random.randrange(1, 900)}ms"} for decision in decisions]
        self.mocks.append({"op": "mock", "node": name, "results": results})

    def set_variables(self, made, later, depth):
        made["config"] = {"values": {"x": self.plain_reading(depth), "y": self.random.randrange(9)}}
        self.compensation(made, {"c": "{{ error.code }}", "y": "{{ self.output.assigned.y }}"}, depth)
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
                                       {"mode": "quorum", "count": 2, "cancelRemaining": False}, {"mode": "quorum", "count": 3},
                                       {"mode": "any", "blocking": True}, {"mode": "quorum", "count": 2, "blocking": True}))
        made["config"] = {"join": join} if join else {}
        self.branches(made, later, False)

    # Loops

    def for_each(self, made, later, depth):
        config = {"items": self.random.choice(("{{ trigger.payload.items }}", "{{ trigger.payload.items }}", [1, "two"], [], "{{ vars.x }}"))}
        if self.chance(0.5):
            config.update(mode="parallel", maxConcurrency=self.random.choice((1, 2, 10)))
        if self.chance(0.4):
            config["onItemError"] = "continue"
        self.compensation(made, {"c": "{{ error.code }}", "n": "{{ self.output.count }}"}, depth)
        config["result"] = self.random.choice(("{{ item }}", "{{ index }}", {"i": "{{ index }}"}))
        if self.chance(0.15):
            config["until"] = {"left": "{{ loop.%s }}" % self.random.choice(("index", "count", "succeeded", "failed")), "op": "gte", "right": self.random.randrange(3)}
        most = len(config["items"]) if isinstance(config["items"], list) else 3
        if self.chance(0.25) and most:
            config["quorum"] = self.random.choice(range(1, most + 1))
        if ("quorum" in config or "until" in config) and self.chance(0.5):
            config["cancelRemaining"] = False
        made["config"] = config
        body = self.scope(self.random.choice((1, 1, 2, 3)), depth + 1, made["id"])
        self.edges.append({"id": f"e{len(self.edges)}", "from": made["id"], "fromPort": "body", "to": body[0]})
        self.way(made["id"], later, "done")
        if self.chance(0.2):
            self.way(made["id"], later, "error")

    # The case

    def lower_quorums(self):
        """No join waits for more ways than lead to it: such a graph is refused."""
        for node in self.nodes:
            join = node.get("config", {}).get("join", {})
            if "count" in join:
                ways = sum(edge["to"] == node["id"] for edge in self.edges)
                node["config"]["join"] = {**join, "count": max(2, min(join["count"], ways))}

    def case(self, seed):
        self.nodes.append({"id": "t", "type": "trigger_manual"})
        ids = self.scope(self.random.choice((2, 3, 4) if self.focus == "nested" else (2, 3, 4, 5, 6, 8)), 0)
        self.edges.append({"id": "start", "from": "t", "to": ids[0]})
        document = {"dialect": "graph/1", "name": f"graph {seed}", "variables": {"x": self.random.choice((None, 1, "s", [1, 2])), "y": 3},
                    "settings": {}, "nodes": self.nodes, "edges": self.edges}
        if self.compensating:
            document["settings"]["onFailure"] = "compensate"
        if self.cycling:
            document["settings"]["maxNodeVisits"] = self.random.choice((5, 12, 30))
        if self.handled:
            self.nodes.append({"id": "handler", "type": "action_http", "config": {"method": "POST", "url": "mock://handler",
                                                                                   "body": {"c": "{{ vars.__error.code }}"}}})
            document["globalErrorHandler"] = "handler"
            self.way("handler", ids) if self.chance(0.3) else None
            self.mock("handler")
        self.lower_quorums()
        payload = {"n": self.random.randrange(10), "want": [wish for wish in WISHES if self.chance(0.5)],
                   "items": [self.random.choice((1, "x", None)) for _ in range(self.random.randrange(4))]}
        return {"name": f"seed {seed}", "definitions": [document],
                "steps": [*self.mocks, {"op": "start", "input": payload, "as": "i"}, {"op": "run"}]}


def generate(seed):
    """Every fourth case is one of triggers."""
    return generate_triggers(seed) if seed % 4 == 0 else Maker(seed).case(seed)
