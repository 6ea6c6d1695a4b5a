"""Workflows of entities, read from the contract alone: an interpreter that plays a scenario.

A write works on a copy of the entity. What it has done counts when it comes to rest, or when a processor commits before its
dispatch; a failure leaves the last of these. Processors and functions answer as the scenario's mocks say, call by call.
"""

import copy
import json

from condition_model import judge, parse
from outcome import Unsettled

VISITS_MAX = 10
STEPS_MAX = 100
DEFAULT = {"name": "default", "initialState": "NONE", "states": {
    "NONE": {"transitions": [{"name": "NEW", "next": "CREATED"}]},
    "CREATED": {"transitions": [{"name": "UPDATE", "next": "CREATED", "manual": True}, {"name": "DELETE", "next": "DELETED", "manual": True}]},
    "DELETED": {}}}


NODES_GRACE_MS, NODES_RETRY_MS = 30000, 500  # A timer waits so long for nodes to join an engine that has just begun.


class Refused(Exception):
    def __init__(self, status, code):
        super().__init__(code)
        self.status, self.code = status, code


def failed():
    return Refused(400, "WORKFLOW_FAILED")


# ---- documents ----


def is_automated(transition):
    return not transition.get("manual") and not transition.get("disabled") and "schedule" not in transition


def transitions_of(workflow, state):
    return workflow["states"][state].get("transitions", [])


def has_endless_circle(workflow):
    """Automated and scheduled transitions without a criterion that lead back to where they began."""
    ways = {state: [t["next"] for t in transitions_of(workflow, state)
                    if not t.get("manual") and not t.get("disabled") and t.get("criterion") is None] for state in workflow["states"]}

    def reaches(start):
        seen, ahead = set(), list(ways[start])
        while ahead:
            state = ahead.pop()
            if state == start:
                return True
            if state not in seen:
                seen.add(state)
                ahead += ways[state]
        return False

    return any(reaches(state) for state in workflow["states"])


class Version:
    """The workflows of a model at one time; the built-in one is always there."""

    def __init__(self, workflows):
        self.workflows = workflows
        self.by_name = {one["name"]: one for one in workflows}

    def workflow(self, entity):
        return DEFAULT if entity.built_in else self.by_name[entity.workflow]

    def has(self, entity):
        if entity.built_in:
            return True
        return entity.workflow in self.by_name and entity.state in self.by_name[entity.workflow]["states"]


# ---- an entity ----


class Entity:
    def __init__(self, name, data, version):
        self.name, self.data, self.version = name, data, version
        self.state, self.workflow, self.built_in = "", None, False
        self.previous, self.transaction = "loopback", None
        self.path = []
        self.timers = []  # [due, transition]
        self.is_deleted = False
        self.fired_by_time = False

    def lifecycle(self):
        return {"state": self.state, "previousTransition": self.previous}

    def view(self):
        seen = {"state": self.state, "workflow": self.workflow, "output": self.data, "path": self.path}
        if not self.fired_by_time:  # What is recorded for a scheduled transition is not said; it is a transaction of its own.
            seen["previousTransition"] = self.previous
            if self.transaction:
                seen["transactionId"] = self.transaction
        return seen


class World:
    def __init__(self):
        self.now = 0
        self.versions, self.entities, self.mocks, self.used = [], {}, {}, {}
        self.calls, self.writes = [], 0
        self.rejected = False

    # ---- the outside ----

    def ask(self, name, entity):
        self.calls.append({"function": name, "args": copy.deepcopy(entity.data)})
        results = self.mocks[name]
        used = self.used.get(name, 0)
        self.used[name] = used + 1
        result = results[min(used, len(results) - 1)]
        if "fail" in result:
            code = result.get("code", "WORKFLOW_FAILED")
            raise Refused(400 if code == "WORKFLOW_FAILED" else 503, code)
        return result["ok"]

    def holds(self, criterion, entity):
        if criterion is None:
            return True
        if criterion["type"] == "function":
            return self.ask(criterion["function"]["name"], entity) is True
        return judge(parse(json.dumps(criterion)), parse(json.dumps(entity.data)), parse(json.dumps(entity.lifecycle())))

    # ---- a run ----

    def commit(self, entity):
        self.entities[entity.name] = copy.copy(entity)
        self.entities[entity.name].path = list(entity.path)

    def process(self, entity, transition):
        for processor in transition.get("processors", []):
            mode = processor.get("executionMode", "SYNC")
            if mode == "COMMIT_BEFORE_DISPATCH":
                entity.timers = []
                self.commit(entity)
            try:
                answer = self.ask(processor["name"], entity)
            except Refused:
                if mode == "ASYNC_NEW_TX":
                    continue
                raise
            if mode == "COMMIT_BEFORE_DISPATCH":
                entity.transaction = None  # Another one, whose id the engine makes.
            if mode != "ASYNC_NEW_TX" and answer:
                entity.data = copy.deepcopy(answer)

    def make(self, entity, transition):
        self.process(entity, transition)
        self.come_to(entity, transition["next"])

    def make_named(self, entity, name):
        workflow = entity.version.workflow(entity)
        found = [t for t in transitions_of(workflow, entity.state) if t["name"] == name]
        if not found or found[0].get("disabled") or "schedule" in found[0]:
            raise Refused(404, "TRANSITION_NOT_FOUND")
        if not self.holds(found[0].get("criterion"), entity):
            raise failed()
        self.make(entity, found[0])

    @staticmethod
    def come_to(entity, state):
        entity.state = state
        entity.path.append(state)

    def cascade(self, entity):
        workflow = entity.version.workflow(entity)
        visits = {}
        for _ in range(STEPS_MAX):
            visits[entity.state] = visits.get(entity.state, 0) + 1
            if visits[entity.state] > VISITS_MAX:
                raise failed()
            for transition in transitions_of(workflow, entity.state):
                if is_automated(transition) and self.holds(transition.get("criterion"), entity):
                    self.make(entity, transition)
                    break
            else:
                self.settle(entity)
                return
        raise failed()

    def settle(self, entity):
        workflow = entity.version.workflow(entity)
        entity.timers = [[self.now + t["schedule"]["delayMs"], t] for t in transitions_of(workflow, entity.state)
                         if "schedule" in t and not t.get("disabled")]
        self.commit(entity)

    def select(self, entity):
        for workflow in entity.version.workflows:
            if workflow.get("active", True) and self.holds(workflow.get("criterion"), entity):
                entity.workflow = workflow["name"]
                self.come_to(entity, workflow["initialState"])
                return
        entity.workflow, entity.built_in = "default", True
        self.come_to(entity, DEFAULT["initialState"])

    # ---- steps ----

    def create(self, step):
        entity = Entity(step["as"], copy.deepcopy(step["input"]), self.versions[-1])
        self.writes += 1
        entity.transaction = f"t{self.writes}"
        entity.previous = step.get("transition", "loopback")
        self.select(entity)
        if "transition" in step:
            self.make_named(entity, step["transition"])
        self.cascade(entity)

    def begin(self, step):
        """A copy of the entity that may be written."""
        self.writes += 1
        known = self.entities[step["instance"]]
        if known.is_deleted:
            raise Refused(404, "ENTITY_NOT_FOUND")
        if "ifMatch" in step and step["ifMatch"] != known.transaction:
            raise Refused(412, "ENTITY_MODIFIED")
        entity = copy.copy(known)
        entity.path = list(known.path)
        return entity

    def write(self, step):
        entity = self.begin(step)
        if self.versions[-1].has(entity):
            entity.version = self.versions[-1]
        if "body" in step:
            entity.data = copy.deepcopy(step["body"])
        entity.transaction = f"t{self.writes}"
        entity.previous = step.get("name", "loopback")
        entity.fired_by_time = False
        if "name" in step:
            self.make_named(entity, step["name"])
        self.cascade(entity)

    def delete(self, step):
        entity = self.begin(step)
        entity.is_deleted, entity.timers = True, []
        self.commit(entity)

    def advance(self, until):
        while True:
            due = [(timer[0], name, timer) for name, entity in self.entities.items() for timer in entity.timers if timer[0] <= until]
            if not due:
                break
            at, name, timer = min(due, key=lambda one: one[:2])
            if sum(one[0] == at for one in due) > 1:
                raise Unsettled("which of two timers of one moment fires first")
            self.now = at
            self.fire(self.entities[name], timer)
        self.now = until

    def fire(self, known, timer):
        known.timers = [one for one in known.timers if one is not timer]
        entity = copy.copy(known)
        entity.path = list(known.path)
        entity.fired_by_time, entity.transaction = True, None
        try:
            if self.holds(timer[1].get("criterion"), entity):
                self.make(entity, timer[1])
                self.cascade(entity)
        except Refused as refusal:
            if refusal.code == "NO_COMPUTE_MEMBER_FOR_TAG" and self.now < NODES_GRACE_MS:
                known.timers.append([self.now + NODES_RETRY_MS, timer[1]])

    # ---- a case ----

    def publish(self, document):
        workflows = document["workflows"]
        if any(map(has_endless_circle, workflows)):
            return False
        self.versions.append(Version(workflows))
        return True

    def play(self, case):
        """The case with what the contract expects of each step and at the end."""
        steps = []
        for document in case["definitions"]:
            if not self.publish(document):
                return {**case, "steps": [], "expect": {"rejected": True}}
        for step in case["steps"]:
            step = {key: value for key, value in step.items() if not key.startswith("expect")}
            op = step["op"]
            if op == "mock":
                self.mocks[step["processor"]] = step["results"]
            elif op == "advance":
                self.advance(self.now + int(step["by"][:-2]))
            elif op == "publish":
                step["expectStatus"] = 201 if self.publish(step["definition"]) else 400
            elif op == "restart":
                pass
            else:
                if op != "start" and step["instance"] not in self.entities:
                    continue
                try:
                    if op == "start":
                        self.create(step)
                    elif op == "cancel":
                        self.delete(step)
                    else:
                        self.write(step)
                    step["expectStatus"] = 200
                except Refused as refusal:
                    step.update(expectStatus=refusal.status, expectCode=refusal.code)
            steps.append(step)
        expect = {"instances": {name: entity.view() for name, entity in self.entities.items() if not entity.is_deleted},
                  "instanceCount": len(self.entities), "calls": self.calls}
        return {**case, "steps": steps, "expect": expect}
