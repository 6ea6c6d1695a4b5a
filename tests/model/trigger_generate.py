"""Seeded random arrivals at the triggers of a flow graph, as scenario cases without expectations.

A definition has two to four triggers, each with a chain of nodes of its own: calls, delays, questions to people, waits for
another trigger. Then requests and messages come, time passes, people answer, instances are cancelled.
"""

import json
import random as randomness

KEYS = ("A", "B", "A", "C", 7, "7", True, None, "", ["A"], {"a": 1})
MINUTES = (3, 7, 13, 29, 53, 97)
POLICIES = ("MapOrCreate",) * 3 + ("MapOrDiscard", "MapOrReplace", "MapOrReplace", "AlwaysCreate")


def end_freely(node):
    """The last step of a chain, where no line leads on from an answer: it lists none."""
    config = {name: value for name, value in node["config"].items() if name != "decisions"}
    return {**node, "config": config}


class Maker:
    def __init__(self, seed):
        self.random = randomness.Random(f"triggers {seed}")
        self.count, self.triggers, self.nodes, self.edges, self.mocks = 0, [], [], [], []

    def chance(self, probability):
        return self.random.random() < probability

    def name(self, prefix):
        self.count += 1
        return f"{prefix}{self.count}"

    def some_time(self):
        """Rarely the same, and never the sum of others: nothing happens in the moment of an arrival."""
        return f"{self.random.choice(MINUTES)}m{self.random.randrange(60)}s{self.random.randrange(1, 999)}ms"

    def short_time(self):
        return f"{self.random.randrange(1, 9)}s{self.random.randrange(1, 999)}ms"

    # The definition

    def trigger(self, number):
        made = {"id": f"t{number}", "type": self.random.choice(("http", "http", "mqtt"))}
        if made["type"] == "http":
            made.update(path=f"/p{number}", method="POST")
            keys = ("$.body.k", "$.k", "$.headers['x-key']", "$.query.k", "/key=([A-Z]+)/", "const", None)
        else:
            made.update(brokerRef="vault:mq", topic=f"s{number}/+/r")
            keys = ("$.k", "$topic[1]", "$topic[1]", "/key=[A-Z]/", "const", None)
        made["correlationExpression"] = self.random.choice(keys[:2] if self.chance(0.6) else keys)
        if self.chance(0.9):
            made["onMatch"] = self.random.choice(POLICIES)
        if made.get("onMatch") == "MapOrDiscard":
            made["timeToLive"] = "0s"  # The model keeps nothing for an instance that comes later.
        if self.chance(0.2):
            most = self.random.randrange(4)
            made["filter"] = self.random.choice((f"body.n > {most}", {"left": "{{ payload.n }}", "op": "gt", "right": most}))
        if made["type"] == "mqtt" and self.chance(0.2):
            made["deduplicationKey"] = "$.id"
        self.triggers.append(made)

    def chain(self, trigger):
        """The way of a token that the trigger lets in; some triggers only feed waits."""
        before = trigger["id"]
        for _ in range(self.random.choice((0, 1, 2, 2, 3))):
            kind = self.random.choice(("action_http", "human_task", "human_task", "delay", "wait_event", "wait_event"))
            node = {"id": self.name("n"), "type": kind, "config": {}}
            if kind == "action_http":
                node["config"] = {"method": "POST", "url": "mock://" + node["id"], "body": {"n": "{{ trigger.payload.n }}"}}
                for other in self.triggers:
                    node["config"]["body"][other["id"]] = "{{ triggers.%s.payload.n }}" % other["id"]
                # A call takes time: its instance is there while it lasts.
                self.mocks.append({"op": "mock", "node": node["id"], "results": [{"ok": {}, "delay": self.short_time()}]})
            elif kind == "human_task":
                node["config"] = {"title": "work", "decisions": ["ok"]}
            elif kind == "delay":
                node["config"] = {"duration": self.some_time()}
            else:
                node["config"] = {"trigger": self.random.choice(self.triggers)["id"]}
                if self.chance(0.5):
                    node["config"]["timeout"] = self.some_time()
            self.nodes.append(node)
            self.edges.append({"from": before, "to": node["id"]})
            before = node["id"]
        self.nodes[-1:] = [end_freely(node) for node in self.nodes[-1:]]

    def definition(self, seed):
        for number in range(1, self.random.choice((2, 3, 3, 4)) + 1):
            self.trigger(number)
        for trigger in self.triggers:
            self.chain(trigger)
        made = {"definitionId": "wf", "name": f"triggers {seed}", "triggers": self.triggers, "nodes": self.nodes, "edges": self.edges}
        if self.chance(0.6):
            made["maxActiveInstances"] = self.random.choice((1, 2, 3))
            made["overflowPolicy"] = self.random.choice(("Reject", "Queue", "Queue"))
        if self.chance(0.3):
            made["inputSchema"] = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer", "minimum": 1}}}
        if self.chance(0.2):
            made["executionTimeout"] = self.some_time()
        return made

    # What happens

    def payload(self):
        made = {"n": self.random.randrange(6)}
        if self.chance(0.85):
            made["k"] = self.random.choice("AAB" if self.chance(0.7) else KEYS)
        if self.chance(0.3):
            made["text"] = f"key={self.random.choice('ABC')}"
        if self.chance(0.4):
            made["id"] = self.random.randrange(4)
        if self.chance(0.1):
            made["n"] = self.random.choice(("x", None, 1.5))
        return made

    def arrival(self):
        trigger = self.random.choice(self.triggers)
        if trigger["type"] == "http":
            made = {"op": "http", "method": "POST", "path": trigger["path"] if self.chance(0.97) else "/nowhere", "body": self.payload()}
            headers = {"X-Key": self.random.choice("AB")} if self.chance(0.2) else {}
            if self.chance(0.1):
                headers["Idempotency-Key"] = self.random.choice("xy")
            if headers:
                made["headers"] = headers
            if self.chance(0.2):
                made["query"] = {"k": self.random.choice("AB")}
            return made
        topic = trigger["topic"].replace("+", self.random.choice(("A", "B", ""))) if self.chance(0.97) else "x"
        if self.chance(0.05):
            return {"op": "mqtt", "topic": topic, "raw": "{key=A"}
        return {"op": "mqtt", "topic": topic, "raw": json.dumps(self.payload())}

    def step(self):
        kind = self.random.randrange(10)
        if kind < 6:
            return self.arrival()
        if kind < 8:
            return {"op": "advance", "by": self.some_time()}
        # Which instance and task is decided when it is known which there are.
        return {"op": "cancel" if kind == 8 and self.chance(0.3) else "resume", "pick": self.random.randrange(100)}

    def case(self, seed):
        definition = self.definition(seed)
        steps = list(self.mocks)
        for _ in range(self.random.choice((4, 7, 11, 16))):
            if self.chance(0.6):
                steps.append({"op": "advance", "by": self.short_time()})
            steps.append(self.step())
        return {"name": f"seed {seed}", "definitions": [definition], "steps": steps}


def generate_triggers(seed):
    return Maker(seed).case(seed)
