"""Random workflows of entities and random writes."""

import random

STATES = ["A", "B", "C", "D", "E", "F"]
NAMES = ["GO", "ON", "BACK", "UP", "END"]
PROCESSORS = ["p0", "p1", "p2"]
FUNCTIONS = ["f0", "f1"]
MODES = ["SYNC", "ASYNC_SAME_TX", "ASYNC_NEW_TX", "COMMIT_BEFORE_DISPATCH", "OTHER"]
OPERATORS = ["EQUALS", "NOT_EQUAL", "GREATER_THAN", "GREATER_OR_EQUAL", "LESS_THAN", "LESS_OR_EQUAL", "IS_NULL", "NOT_NULL"]


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.with_time = self.chance(0.3)  # Then nothing commits early: whether that begins times anew is not said.
        self.functions = 0.25 if self.chance(0.5) else 0

    def chance(self, share):
        return self.random.random() < share

    def pick(self, some):
        return self.random.choice(some)

    def data(self):
        made = {"n": self.random.randrange(6)}
        if self.chance(0.4):
            made["s"] = self.pick(["x", "y", "z"])
        return made

    # ---- workflows ----

    def test(self):
        kind = self.random.random()
        if kind < 0.6:
            return {"type": "simple", "jsonPath": "$.n", "operatorType": self.pick(OPERATORS), "value": self.random.randrange(6)}
        if kind < 0.8 or self.with_time:
            return {"type": "simple", "jsonPath": "$.s", "operatorType": self.pick(["EQUALS", "NOT_EQUAL", "IS_NULL", "NOT_NULL"]), "value": self.pick(["x", "y"])}
        if kind < 0.9:
            return {"type": "lifecycle", "field": "previousTransition", "operatorType": self.pick(["EQUALS", "NOT_EQUAL"]), "value": self.pick(["loopback", *NAMES])}
        return {"type": "lifecycle", "field": "state", "operatorType": "EQUALS", "value": self.pick(["", *STATES])}

    def criterion(self):
        if self.chance(self.functions):
            return {"type": "function", "function": {"name": self.pick(FUNCTIONS)}}
        if self.chance(0.2):
            return {"type": "group", "operator": self.pick(["AND", "OR"]), "conditions": [self.test() for _ in range(self.random.randrange(3))]}
        return self.test()

    def processor(self):
        made = {"type": "EXTERNAL", "name": self.pick(PROCESSORS)}
        if self.chance(0.8):
            made["executionMode"] = self.pick([mode for mode in MODES if not self.with_time or mode != "COMMIT_BEFORE_DISPATCH"])
        return made

    def transition(self, name, states, number):
        made = {"name": name, "next": self.pick(states)}
        if self.chance(0.4):
            made["manual"] = True
        elif self.with_time and self.chance(0.5):
            made["schedule"] = {"delayMs": 1000 * self.random.randrange(1, 5) + number}  # No two at one moment.
        if not made.get("manual") and self.chance(0.75) or self.chance(0.3):
            made["criterion"] = self.criterion()
        if self.chance(0.08):
            made["disabled"] = True
        if self.chance(0.45):
            made["processors"] = [self.processor() for _ in range(self.random.randrange(1, 3))]
        return made

    def workflow(self, name):
        states = STATES[:self.random.randrange(1, len(STATES) + 1)]
        made, number = {}, 0
        for state in states:
            names = self.random.sample(NAMES, self.random.randrange(4))
            made[state] = {"transitions": [self.transition(one, states, number + i) for i, one in enumerate(names)]}
            number += len(names)
        return {"version": "1", "name": name, "initialState": self.pick(states), "states": made}

    def document(self):
        workflows = [self.workflow(name) for name in self.random.sample(["u", "v", "w"], self.random.randrange(1, 3))]
        for workflow in workflows:
            if self.chance(0.4):
                workflow["criterion"] = self.criterion()
            if self.chance(0.1):
                workflow["active"] = False
        return {"entityName": "m", "modelVersion": 1, "workflows": workflows}

    # ---- mocks ----

    def processor_result(self):
        if self.chance(0.15):
            return {"fail": self.pick(["error", "transient", "permanent"]), **({"code": "NO_COMPUTE_MEMBER_FOR_TAG"} if self.chance(0.5) else {})}
        return {"ok": None if self.chance(0.3) else self.data()}

    def function_result(self):
        return {"fail": "error"} if self.chance(0.08) else {"ok": self.chance(0.5)}

    def mocks(self):
        for name in PROCESSORS:
            yield {"op": "mock", "processor": name, "results": [self.processor_result() for _ in range(self.random.randrange(1, 5))]}
        for name in FUNCTIONS:
            yield {"op": "mock", "processor": name, "results": [self.function_result() for _ in range(self.random.randrange(1, 5))]}

    # ---- writes ----

    def write(self, instances, writes):
        made = {"op": "transition", "instance": self.pick(instances)}
        if self.chance(0.75):
            made["name"] = self.pick(NAMES)
        if self.chance(0.6):
            made["body"] = self.data()
        if self.chance(0.1):
            made["ifMatch"] = f"t{self.random.randrange(1, writes + 1)}"
        return made

    def steps(self):
        instances, writes = [], 0
        for _ in range(self.random.randrange(2, 12)):
            kind = self.random.random()
            if self.with_time:
                yield {"op": "advance", "by": "50ms"}  # Hardly any timers of one moment.
            if not instances or kind < 0.15:
                instances.append(f"e{len(instances)}")
                named = {"transition": self.pick(NAMES)} if self.chance(0.3) else {}
                yield {"op": "start", "as": instances[-1], "input": self.data(), **named}
                writes += 1
            elif kind < 0.2:
                yield {"op": "cancel", "instance": self.pick(instances)}
                writes += 1
            elif kind < 0.27:
                yield {"op": "publish", "definition": self.document()}
            elif kind < 0.3:
                yield {"op": "restart"}
            elif self.with_time and kind < 0.6:
                yield {"op": "advance", "by": f"{50 * self.random.randrange(10, 60)}ms"}
            else:
                yield self.write(instances, writes)
                writes += 1

    def case(self, seed):
        return {"name": f"seed {seed}", "definitions": [self.document()], "steps": [*self.mocks(), *self.steps()]}


def generate(seed):
    return Maker(seed).case(seed)
