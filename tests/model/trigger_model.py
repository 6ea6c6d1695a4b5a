"""Arrivals at the triggers of a flow graph: an interpreter written from the contract alone (1.4 to 1.6, 2.7 of contracts/graph.md).

The nodes behind a trigger are a chain, so a token is a place in a chain. Where the contract does not say what happens the
model raises Undecided.
"""

import json
import re

from graph_model import milliseconds
from values import Undecided

TOOK_EFFECT = ("created", "updated", "replaced", "queued")


class Token:
    def __init__(self, node, now):
        self.node, self.since = node, now
        self.due = None  # When its delay or its wait is over.
        self.task, self.calls = None, False


class Instance:
    def __init__(self, name, key, now):
        self.name, self.key, self.created = name, key, now
        self.status, self.reason, self.replaced_by = "running", None, None
        self.tokens, self.executions, self.inputs, self.events, self.newest = [], {}, {}, {}, None
        self.tasks, self.unsaid = 0, set()

    def is_active(self):
        return self.status == "running"

    def end(self, now, status, reason=None):
        self.status, self.reason = status, reason
        # Whether a call left whose instance ended in the same moment is not said.
        self.unsaid |= {token.node for token in self.tokens if token.calls and token.since == now}
        self.tokens = []

    def shown_status(self):
        if not self.is_active():
            return self.status
        if any(token.calls for token in self.tokens):
            return "running"
        return "waiting_for_human" if any(token.task for token in self.tokens) else "suspended"


class Triggers:
    """One definition and its instances."""

    def __init__(self, definition):
        self.definition = definition
        self.nodes = {node["id"]: node for node in definition["nodes"]}
        self.after = {edge["from"]: edge["to"] for edge in definition["edges"]}
        self.now = 0
        self.calls = {}  # How long they take.
        self.instances, self.outcomes, self.queue, self.seen = [], [], [], {}

    # Time

    def advance(self, ms):
        end = self.now + ms
        while True:
            moments = [moment for moment, _, _ in self.due()]
            if not moments or min(moments) > end:
                break
            self.now = min(moments)
            at_once = [one for one in self.due() if one[0] == self.now]
            if len(at_once) > 1:
                raise Undecided("two things at one moment")
            _, instance, token = at_once[0]
            if token is None:
                instance.end(self.now, "terminated", "execution_timeout")
            else:
                self.leave(instance, token, "timeout" if self.nodes[token.node]["type"] == "wait_event" else "out")
            self.admit()
        self.now = end

    def due(self):
        limit = self.definition.get("executionTimeout")
        for instance in self.instances:
            if instance.is_active():
                if limit:
                    yield instance.created + milliseconds(limit), instance, None
                for token in instance.tokens:
                    if token.due is not None:
                        yield token.due, instance, token

    # Tokens

    def enter(self, instance, node):
        """A token comes to a node, and goes on as far as it gets."""
        if node is not None:
            token = Token(node, self.now)
            instance.tokens.append(token)
            self.begin(instance, token)
        self.end_if_empty(instance)

    def begin(self, instance, token):
        node = self.nodes[token.node]
        kind, config = node["type"], node["config"]
        if kind == "action_http":
            instance.inputs.setdefault(token.node, []).append(
                {**config, "body": {name: self.read(instance, text) for name, text in config["body"].items()}})
            token.due, token.calls = self.now + self.calls[token.node], True
        elif kind == "human_task":
            instance.tasks += 1
            token.task = f"{instance.name}.{instance.tasks}"
        elif kind == "delay":
            token.due = self.now + milliseconds(config["duration"])
        elif "timeout" in config:
            token.due = self.now + milliseconds(config["timeout"])

    @staticmethod
    def read(instance, text):
        path = text.strip("{} ").split(".")
        event = instance.newest if path[0] == "trigger" else instance.events.get(path[1])
        payload = event["payload"] if event else None
        return payload.get("n") if isinstance(payload, dict) else None

    def leave(self, instance, token, port="out"):
        instance.executions[token.node] = instance.executions.get(token.node, 0) + 1
        instance.tokens.remove(token)
        self.enter(instance, self.after.get(token.node) if port == "out" else None)

    def end_if_empty(self, instance):
        if instance.is_active() and not instance.tokens:
            instance.end(self.now, "completed")

    # Arrivals (1.4)

    def http(self, step):
        trigger = next((one for one in self.definition["triggers"] if one.get("path") == step["path"]), None)
        headers = {name.lower(): text for name, text in step.get("headers", {}).items()}
        body = step["body"]
        envelope = {"headers": headers, "query": step.get("query", {}), "body": body}
        raw = json.dumps(body, separators=(",", ":"))
        self.arrive(trigger, {"payload": body, "envelope": envelope, "raw": raw, "idempotency": headers.get("idempotency-key")})

    def mqtt(self, step):
        topic = step["topic"].split("/")
        trigger = next((one for one in self.definition["triggers"] if one["type"] == "mqtt" and selects(one["topic"], topic)), None)
        try:
            payload = json.loads(step["raw"])
        except ValueError:
            self.outcomes.append("decode_error" if trigger else "no_route")
            return
        self.arrive(trigger, {"payload": payload, "envelope": payload, "raw": step["raw"], "topic": topic})

    def arrive(self, trigger, event):
        if trigger is None:
            self.outcomes.append("no_route")
            return
        outcome = self.repeated(trigger, ("i", event.get("idempotency"))) or self.examined(trigger, event)
        if outcome is None:
            again = self.key_of(trigger.get("deduplicationKey"), event)
            outcome = self.repeated(trigger, ("d", again)) or self.routed(trigger, event, True)
            self.seen[trigger["id"], "d", again] = outcome
        self.seen[trigger["id"], "i", event.get("idempotency")] = outcome
        self.outcomes.append(outcome)
        self.admit()

    def repeated(self, trigger, key):
        """The same key again: nothing new."""
        if key[1] is None:
            return None
        earlier = self.seen.get((trigger["id"], *key))
        if earlier and earlier not in (*TOOK_EFFECT, "duplicate"):
            raise Undecided("whether an arrival that came to nothing may come again")
        return "duplicate" if earlier else None

    def examined(self, trigger, event):
        """Steps 3 and 4: why the arrival goes no further, or None. The contract calls both "dropped"; the words are those of
        docs/triggers.md."""
        payload = event["payload"]
        if "filter" in trigger:
            number = payload.get("n")
            filter_ = trigger["filter"]
            least = filter_["right"] if isinstance(filter_, dict) else int(filter_.split(" > ")[1])
            if isinstance(number, (bool, str)) or number is None or not number > least:
                return "filtered"
        if "inputSchema" in self.definition:
            number = payload.get("n")
            if not isinstance(number, int) or isinstance(number, bool) or number < 1:
                return "rejected_schema"
        return None

    @staticmethod
    def key_of(expression, event):
        """Step 5."""
        if expression is None:
            return None
        level = re.fullmatch(r"\$topic\[(\d+)\]", expression)
        pattern = re.fullmatch(r"/(.*)/", expression)
        if level:
            place = int(level.group(1))
            value = event["topic"][place] if place < len(event["topic"]) else None
        elif expression.startswith("$"):
            names = re.findall(r"[a-z-]+", expression)
            value = follow(event["envelope"], names)
            if value is MISSING:
                value = follow(event["payload"], names)
        elif pattern:
            found = re.search(pattern.group(1), event["raw"])
            value = found.group(found.re.groups and 1) if found else None
        else:
            value = expression
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, (int, float)):
            return str(value)
        return value if isinstance(value, str) and value else None

    def holder(self, key):
        return next((one for one in self.instances if one.is_active() and one.key == key), None) if key else None

    def routed(self, trigger, event, new):
        """Steps 6 to 8."""
        key, policy = self.key_of(trigger.get("correlationExpression"), event), trigger.get("onMatch", "MapOrCreate")
        holder = self.holder(key) if policy != "AlwaysCreate" else None
        if holder and policy == "MapOrReplace":
            made = self.create(trigger, event, key)
            holder.end(self.now, "terminated", "replaced")
            holder.replaced_by = made.name
            return "replaced"
        if holder:
            self.update(holder, trigger, event)
            return "updated"
        if policy == "MapOrDiscard":
            return "discarded"
        if not self.has_place():
            if new and self.definition["overflowPolicy"] == "Reject":
                return "rejected_limit"
            if new:
                self.queue.append((trigger, event))
            return "queued"
        self.create(trigger, event, key if policy != "AlwaysCreate" else None)
        return "created"

    def has_place(self):
        most = self.definition.get("maxActiveInstances")
        return most is None or sum(one.is_active() for one in self.instances) < most

    def admit(self):
        """When a slot is free those that wait are routed again, in order of arrival, until one has to wait on."""
        if not self.has_place():
            return
        while self.queue:
            outcome = self.routed(*self.queue[0], False)
            if outcome == "queued":
                return
            del self.queue[0]
            self.outcomes.append(outcome)

    def create(self, trigger, event, key):
        made = Instance(f"i{len(self.instances) + 1}", key, self.now)
        self.instances.append(made)
        self.let_in(made, trigger, event)
        return made

    def let_in(self, instance, trigger, event):
        instance.events[trigger["id"]] = instance.newest = event
        self.enter(instance, self.after.get(trigger["id"]))

    def update(self, instance, trigger, event):
        instance.events[trigger["id"]] = instance.newest = event
        waiting = [token for token in instance.tokens
                   if self.nodes[token.node]["type"] == "wait_event" and self.nodes[token.node]["config"]["trigger"] == trigger["id"]]
        if waiting:
            self.leave(instance, waiting[0])
        elif trigger["id"] in self.after:
            self.enter(instance, self.after[trigger["id"]])

    # People

    def open_tasks(self):
        return [(instance, token) for instance in self.instances for token in instance.tokens if token.task]

    def resume(self, instance, token):
        self.leave(instance, token)
        self.admit()

    def cancel(self, instance):
        instance.end(self.now, "terminated")
        self.admit()


class Missing:
    """What a path that leads nowhere selects."""


MISSING = Missing()


def follow(value, names):
    for name in names:
        if not isinstance(value, dict) or name not in value:
            return MISSING
        value = value[name]
    return value


def selects(pattern, topic):
    wanted = pattern.split("/")
    return len(wanted) == len(topic) and all(one in ("+", level) for one, level in zip(wanted, topic))


def play(case):
    """The steps as they can be played, and what the contract says comes of them."""
    run = Triggers(case["definitions"][0])
    steps = []
    for step in case["steps"]:
        step = decided(step, run)
        if step is None:
            continue
        steps.append(step)
        if step["op"] == "mock":
            run.calls[step["node"]] = milliseconds(step["results"][0]["delay"])
        elif step["op"] == "advance":
            run.advance(milliseconds(step["by"]))
        elif step["op"] in ("http", "mqtt"):
            getattr(run, step["op"])(step)
        elif step["op"] == "cancel":
            run.cancel(next(one for one in run.instances if one.name == step["instance"]))
        else:
            run.resume(*next(one for one in run.open_tasks() if one[1].task == step["body"]["taskId"]))
    return steps, run


def decided(step, run):
    """A step that names an instance or a task, if there is one to name."""
    if step["op"] not in ("resume", "cancel"):
        return step
    if "pick" not in step:
        name = step["instance"] if step["op"] == "cancel" else step["body"]["taskId"]
        there = [one.name for one in run.instances if one.is_active()] + [token.task for _, token in run.open_tasks()]
        return step if name in there else None
    open_ = [one for one in run.instances if one.is_active()] if step["op"] == "cancel" else run.open_tasks()
    if not open_:
        return None
    chosen = open_[step["pick"] % len(open_)]
    if step["op"] == "cancel":
        return {"op": "cancel", "instance": chosen.name, "reason": "enough"}
    instance, token = chosen
    return {"op": "resume", "instance": instance.name, "body": {"decision": "ok", "taskId": token.task}}


def view(instance, run):
    made = {"key": instance.key, "status": instance.shown_status(),
            "executions": {node: instance.executions.get(node, {"$absent": 1}) for node in run.nodes},
            "inputs": {node: given for node, given in instance.inputs.items() if node not in instance.unsaid},
            "triggers": {name: {"payload": event["payload"]} for name, event in instance.events.items()},
            "openTasks": [token.task for token in instance.tokens if token.task]}
    if instance.replaced_by:
        made.update(reason="replaced", replacedBy=instance.replaced_by)
    return made


def settle_triggers(case):
    steps, run = play(case)
    return {**case, "steps": steps,
            "expect": {"outcomes": run.outcomes, "instanceCount": len(run.instances),
                       "instances": {one.name: view(one, run) for one in run.instances}}}
