"""Seeded random workflows with their mocks, inputs and events, as scenario cases without expectations.

Most definitions are valid (spoil.py breaks some), and in most the states lead only forward, so
that they end. Delays are drawn from numbers of seconds whose sums rarely meet.
"""

import random as randomness

from generate_values import (ERRORS, KEYS, any_path, choice, condition, definite, expression, indefinite, input_of, object_of,
                             quoted, result_path, scalar, state_filter, value)
from spoil import spoil

BUILT_IN = ("FilterException", "RetryLimitException", "SubFlowException", "TransitionException")
SECONDS = (1, 2, 3, 5, 11, 17, 29, 41, 61, 97)
FOCUSES = ("data", "choice", *("error", "loop", "child") * 2, *("parallel", "event") * 3, "mixed")
KINDS = {
    "data": ("RELAY", "OPERATION", "OPERATION", "OPERATION"),
    "choice": ("SWITCH", "SWITCH", "RELAY", "OPERATION"),
    "error": ("OPERATION", "OPERATION", "OPERATION", "RELAY"),
    "loop": ("OPERATION", "OPERATION", "OPERATION", "SWITCH", "DELAY", "RELAY", "PARALLEL", "SUBFLOW"),
    "parallel": ("PARALLEL", "PARALLEL", "OPERATION", "OPERATION", "DELAY", "RELAY"),
    "child": ("SUBFLOW", "SUBFLOW", "OPERATION", "RELAY"),
    "event": ("EVENT", "EVENT", "EVENT", "OPERATION", "DELAY", "PARALLEL"),
    "mixed": ("RELAY", "OPERATION", "OPERATION", "SWITCH", "DELAY", "PARALLEL", "SUBFLOW", "EVENT"),
}


def duration(random):
    seconds = random.choice(SECONDS)
    return random.choice((f"PT{seconds}S", f"PT{seconds}S", f"PT{seconds}S", f"PT{seconds}M", f"PT{seconds}M1S", f"PT{seconds}H",
                          f"P{seconds}D", f"P{seconds}DT1H1S", f"PT{seconds}.5S", "P1W", "P1M", "P1Y", f"P1Y2M3DT4H5M{seconds}S"))


class Workflow:
    """One definition being made."""

    def __init__(self, case, identifier, focus):
        self.case, self.random, self.focus = case, case.random, focus
        self.count = 0
        self.back, self.earlier = self.chance(0.08), []  # Whether it may lead back, and where to.
        self.document = {"id": identifier, "name": identifier, "startsAt": None}
        self.functions, self.triggers, self.children = [], [], []

    def chance(self, probability):
        return self.random.random() < probability

    # Scopes and states

    def finish(self, depth=0):
        if self.focus in ("event", "mixed") and self.chance(0.9 if self.focus == "event" else 0.4):
            self.make_triggers()
        states, self.document["startsAt"] = self.scope(self.random.choice((1, 2, 2, 3, 3, 4)), depth)
        if self.chance(0.25):
            self.document["onError"] = self.handlers([state.get("id", state["name"]) for state in states])
        if self.functions:
            self.document["functions"] = [{"name": name, "resource": f"local:{name}"} for name in self.functions]
        if self.triggers:
            self.document["triggers"] = self.triggers
        self.document["states"] = states
        return self.document

    def scope(self, size, depth):
        """States that lead forward; the last one ends. Some are known by ids, too."""
        self.count += size
        # Scopes do not see each other, so a branch may use the names of the top.
        before = 0 if depth and self.chance(0.15) else self.count - size
        names = [f"S{before + number + 1}" for number in range(size)]
        ids = [f"id-{name}" if self.chance(0.1) else None for name in names]
        known_as = [id_ if id_ and self.chance(0.7) else name for id_, name in zip(ids, names)]
        states, outer = [], self.earlier
        for number, name in enumerate(names):
            self.earlier = known_as[:number + 1]
            states.append(self.state(name, known_as[number + 1:], depth))
            if ids[number]:
                states[-1]["id"] = ids[number]
        self.earlier = outer
        if size > 1 and self.chance(0.05):
            for state, way in zip(states[-2:], known_as[-2:]):
                state.update(name=f"twin{self.count}", id=way)
        elif size > 1 and not ids[-1] and self.chance(0.03):
            states[-1]["id"] = names[-2]  # An id wins over a name.
        if self.chance(0.1):
            self.random.shuffle(states)
        return states, known_as[0]

    def state(self, name, later, depth):
        kinds = KINDS[self.focus]
        kind = self.random.choice(kinds)
        if (kind == "EVENT" and not self.triggers) or (kind == "PARALLEL" and depth > 1) \
                or (kind == "SUBFLOW" and self.case.depth > 1) or (kind == "SWITCH" and not later):
            kind = self.random.choice(("RELAY", "OPERATION", "DELAY"))
        state = {"name": name, "type": kind}
        getattr(self, "fill_" + kind.lower())(state, later, depth)
        made = state_filter(self.random, chance=0.14)
        if made:
            state["filter"] = made
        if kind != "RELAY":
            self.maybe_loop(state)
            if later and self.chance(0.6 if self.focus == "error" else 0.35):
                state["onError"] = self.handlers(later)
        if self.chance(0.03):
            state["type"] = kind.lower()
        self.lead_on(state, kind, later)
        return state

    def lead_on(self, state, kind, later):
        if kind == "EVENT":
            if not later or self.chance(0.15):
                state["end"] = True
            else:
                for entry in state["eventActions"]:
                    entry["transition"] = self.transition(later)
        elif kind == "SWITCH":
            if later and self.chance(0.8):
                state["default"] = self.transition(later)
            if "default" not in state or self.chance(0.1):
                state["end"] = True
        elif not later or self.chance(0.07):
            state["end"] = True
            if later and self.chance(0.3):
                state["transition"] = self.transition(later)
        else:
            # Back only from where something waits: what turns in circles at once is no workflow.
            state["transition"] = self.transition(later, kind == "DELAY")

    def transition(self, later, may_lead_back=True):
        target = later[0] if self.chance(0.7) else self.random.choice(later)
        if may_lead_back and self.back and self.earlier and self.chance(0.4):
            target = self.random.choice(self.earlier)
        if self.chance(0.85):
            return target if self.chance(0.3) else {"nextState": target}
        body = expression(self.random, ("stateOutputData", "stateOutputData.a", "stateOutputData.n"))
        if self.chance(0.5):
            body = f"{body} or $.nothing == null"
        return {"nextState": target, "condition": condition(self.random, body)}

    # Errors

    def error_condition(self):
        name = self.random.choice(ERRORS * 2 + BUILT_IN)
        roll = self.random.random()
        if roll < 0.45:
            return self.random.choice(("$.exception != null", "$.error != null", "exception != null", "error ne null", "true",
                                       "$.exception.name matches '^\\w+Exception$'", "$.exception"))
        if roll < 0.85:
            left = self.random.choice(("$.exception.name", "$.error.name", "exception.name", "error.name"))
            return f"{left} {self.random.choice(('eq', '==', 'is', 'ne', 'matches'))} {quoted(self.random, name)}"
        return expression(self.random, ("exception.name", "$.exception.message", "exception.function"))

    def handler_condition(self):
        if self.chance(0.15):
            return f"{self.random.choice(('name', 'message'))} {self.random.choice(('eq', 'ne'))} '{self.random.choice(ERRORS)}'"
        return self.error_condition()

    def handlers(self, targets):
        made = []
        for _ in range(self.random.choice((1, 1, 2))):
            handler = {"condition": condition(self.random, self.handler_condition()), "transition": self.transition(targets)}
            if self.chance(0.3):
                handler["filter"] = self.error_filter()
            made.append(handler)
        return made

    def error_filter(self):
        made = {}
        if self.chance(0.4):
            made["inputPath"] = self.random.choice(("$.name", "$.message", "$.nope", "$", "$['name','message']"))
        if self.chance(0.5):
            made["resultPath"] = result_path(self.random)
        if self.chance(0.3):
            made["outputPath"] = self.random.choice((definite(self.random), "$.exception", "$.exception.name", "$.stateerror"))
        return made

    # Kinds of states

    def fill_relay(self, state, later, depth):
        if self.chance(0.7):
            state["inject"] = object_of(self.random)

    def fill_delay(self, state, later, depth):
        state["timeDelay"] = duration(self.random) if self.chance(0.85) else self.random.choice((
            "2026-01-01T00:07:07Z", "2026-01-02T00:00:00+02:00", "2025-12-31T00:00:00Z", 19, "PT0S"))

    def fill_switch(self, state, later, depth):
        state["choices"] = [{**choice(self.random), "transition": self.transition(later)}
                            for _ in range(self.random.choice((1, 2, 2, 3)))]

    def fill_operation(self, state, later, depth):
        self.fill_actions(state, later)

    def fill_actions(self, owner, later):
        owner["actions"] = [self.action(later) for _ in range(self.random.choice((0, 1, 1, 1, 2, 2, 3)))]
        if self.chance(0.5):
            parallel = self.chance(0.45)
            owner["actionMode"] = self.random.choice(("PARALLEL", "Parallel") if parallel else ("SEQUENTIAL", "Sequential"))

    def action(self, later):
        made = {"functionref": {"refname" if self.chance(0.9) else "refName": self.function()}}
        if self.chance(0.1):
            made["name"] = "an action"
        if self.chance(0.45):
            made["functionref"]["parameters"] = self.parameters()
        filter_ = state_filter(self.random, chance=0.22)
        if filter_:
            made["filter"] = filter_
        if self.chance(0.2):
            made["timeout"] = duration(self.random) if self.chance(0.9) else 6
        if self.chance(0.5 if self.focus == "error" else 0.15):
            made["retry"] = [self.policy(later) for _ in range(self.random.choice((1, 1, 2)))]
        return made

    def parameters(self):
        made = {}
        for key in self.random.sample(KEYS, self.random.choice((1, 2, 3))):
            roll = self.random.random()
            if roll < 0.5:
                path = any_path(self.random)
                made[key] = path if path.startswith("$") or self.chance(0.1) else "$." + path
            elif roll < 0.6:
                made[key] = self.random.choice(("$$.a", "$$x", "$x", "$$", "a$"))
            elif roll < 0.75:
                made[key] = {"deep": [definite(self.random), scalar(self.random)]}
            else:
                made[key] = value(self.random, 1)
        return made

    def policy(self, later):
        roll = self.random.random()
        if roll < 0.65:
            body = self.error_condition()
        else:
            body = self.random.choice(("$.status eq 'PENDING'", "$.a == 1", "$ == 'x'", "$.k", "$.status ne 'OK'", "true",
                                       "$..k == 1"))
        made = {"condition": condition(self.random, body)}
        if self.chance(0.75):
            made["max"] = self.random.randrange(4)
        if self.chance(0.6):
            made["interval"] = self.random.choice(("", "", f"R{self.random.randrange(4)}/", "R/")) + duration(self.random)
        if later and self.chance(0.6):
            made["transition"] = self.transition(later)
        return made

    def function(self):
        if self.functions and self.chance(0.2):
            return self.random.choice(self.functions)
        name = self.case.new_function()
        self.functions.append(name)
        return name

    def fill_parallel(self, state, later, depth):
        state["branches"] = []
        awaited = self.random.choice((1, 1, 0.75, 0.5, 0, 0))  # How likely each of them is.
        for number in range(self.random.choice((1, 2, 2, 3))):
            states, start = self.scope(self.random.choice((1, 1, 2, 2, 3)), depth + 1)
            branch = {"name": f"{state['name']}b{number + 1}", "startsAt": start, "states": states}
            if self.chance(awaited):
                branch["waitForCompletion"] = True
            elif self.chance(0.5):
                branch["waitForCompletion"] = False
            state["branches"].append(branch)

    def fill_subflow(self, state, later, depth):
        state["workflowId"] = "missing" if self.chance(0.05) else self.child()
        if self.chance(0.85):
            state["waitForCompletion"] = self.chance(0.75)

    def child(self):
        if self.children and self.chance(0.3):
            return self.random.choice(self.children)
        self.children.append(self.case.new_child())
        return self.children[-1]

    def fill_event(self, state, later, depth):
        state["eventActions"] = []
        for _ in range(self.random.choice((1, 1, 2, 3))):
            entry = {"condition": condition(self.random, self.event_condition())}
            if self.chance(0.6):
                entry["actions"] = []
            else:
                self.fill_actions(entry, later)
            if self.chance(0.3):
                entry["filter"] = self.event_filter()
            if self.chance(0.3):
                entry["timeout"] = duration(self.random)
            state["eventActions"].append(entry)

    def event_filter(self):
        made = {}
        if self.chance(0.7):
            made["inputPath"] = self.random.choice((definite(self.random), definite(self.random), indefinite(self.random),
                                                    "$.subject", "$.data.a", "$.data.n", "$.type", "$.nope"))
        if self.chance(0.5):
            made["resultPath"] = result_path(self.random)
        return made

    def event_condition(self, depth=0):
        trigger = self.random.choice(self.triggers)
        roll = self.random.random()
        if roll < 0.55 or depth > 1:
            operand = self.random.choice(("{name}", "{name}", "{name}", "'{name}'", "name eq '{name}'", "type eq '{type}'",
                                          "source eq '{source}'"))
            return operand.format(**trigger)
        if roll < 0.65:
            return f"{self.event_condition(depth + 1)} and not {trigger['name']}"
        left, right = self.event_condition(depth + 1), self.event_condition(depth + 1)
        word = self.random.choice(("and", "and", "and", "or", "&&", "||"))
        return self.random.choice((f"{left} {word} {right}", f"({left}) {word} ({right})"))

    def make_triggers(self):
        token = self.random.choice((None, None, "$.data.id", "$.id", "patientid", "$.patientid"))
        for _ in range(self.random.choice((1, 2, 3, 3))):
            source = self.random.choice(("/s", "/s", "/other"))
            self.triggers.append(self.case.new_trigger(source, token if self.chance(0.9) else None))

    # Loops

    def maybe_loop(self, state):
        if not self.chance(0.7 if self.focus == "loop" else 0.08):
            return
        loop = {"inputCollection": self.random.choice(("$.items", "$.items", "$.items", "$.more.items", "$.items[*]", "$.a", "$",
                                                       indefinite(self.random)))}
        if self.chance(0.6):
            loop["outputCollection"] = self.random.choice(("$.out", "$.out", "$.out", "$.more.out", "$.items", "$.a.b", "$['b']"))
        if self.chance(0.35):
            loop["completionCondition"] = condition(self.random, self.random.choice((
                "index == 1", "index >= 0", "element.k == 1", "result.a == 1", "$.out[1]", "element == 2", "result == 'x'",
                "$.element.n > 2", "$.index == 1", "$.result == null",
                expression(self.random, ("index", "element", "element.k", "result", "result.a")))))
        if self.chance(0.35):
            loop["timeDelay"] = duration(self.random)
        state["loop"] = loop


class Case:
    """A case being made."""

    def __init__(self, seed):
        self.random = randomness.Random(seed)
        self.focus = self.random.choice(FOCUSES)
        self.functions, self.triggers, self.children, self.depth = 0, [], [], 0
        self.workflow = Workflow(self, "wf", self.focus)
        main = self.workflow.finish()
        self.decorate(main)
        self.made = {"name": f"seed {seed}", "definitions": self.children + [main], "steps": self.steps()}
        if self.random.random() < 0.1:
            self.made["definitions"][-1] = spoil(self.random, main) or main

    def decorate(self, document):
        """What must not make a difference."""
        if self.random.random() < 0.2:
            document.update(version="1.0", description="d", schemaVersion="any", execStatus="Running",
                            extensions=[{"extensionid": "x", "more": 1}])
            document["expressionLanguage"] = self.random.choice(("spel", "default", "jsonpath"))
        if self.random.random() < 0.1:
            self.random.choice(document["states"])["x-note"] = {"transition": "nowhere"}
        if self.random.random() < 0.05:
            older = {"id": "wf", "name": "wf", "version": "0.9", "startsAt": "Old",
                     "states": [{"name": "Old", "type": "RELAY", "end": True}]}
            document["version"] = self.random.choice(("1.0", "0.10", "10.0"))
            self.children.append(older)

    def new_function(self):
        self.functions += 1
        return f"f{self.functions}"

    def new_trigger(self, source, token):
        number = len(self.triggers) + 1
        name = f"e{number}" if self.random.random() < 0.9 else f"e-{number}"
        trigger = {"name": name, "source": source, "type": f"t.{name}"}
        if token:
            trigger["correlationToken"] = token
        self.triggers.append(trigger)
        return trigger

    def new_child(self):
        self.depth += 1
        identifier = f"kid{len(self.children) + self.depth}"
        focus = self.random.choice(("data", "error", "choice", "mixed", "parallel", "event"))
        child = Workflow(self, identifier, focus if self.depth == 1 else "data")
        self.children.append(child.finish())
        self.depth -= 1
        return identifier

    # Steps

    def steps(self):
        made = [self.mock(f"f{number + 1}") for number in range(self.functions)]
        events = self.events()
        if events and self.random.random() < 0.35:
            made += events
        else:
            starts = 2 if self.random.random() < (0.3 if events else 0.06) else 1
            for number in range(starts):
                made.append({"op": "start", "definition": "wf", "as": "ij"[number], "input": input_of(self.random)})
            made += self.looks(self.spread(events))
        return made + [{"op": "run"}]

    def looks(self, events):
        """Events with restarts, pauses and glances between them."""
        made = []
        for event in events + [None]:
            roll = self.random.random()
            if roll < 0.06:
                made.append({"op": "restart"})
            elif roll < 0.14:
                made.append({"op": "advance", "by": f"PT{self.random.choice((4, 19, 601))}S"})
            if self.random.random() < 0.15:
                made.append({"op": "assert", "instance": "i", "expect": {}})
            made += [event] if event else []
        return made

    def mock(self, function):
        results = [self.result() for _ in range(self.random.choice((1, 1, 2, 3, 4)))]
        return {"op": "mock", "function": function, "results": results}

    def result(self):
        roll = self.random.random()
        failing = {"error": 0.45, "parallel": 0.3}.get(self.focus, 0.18)
        if roll < failing:
            made = {"fail": "error"}
            if self.random.random() < 0.95:
                made["name"] = self.random.choice(ERRORS)
            made["message"] = self.random.choice(("boom", "no", "x"))
        elif roll < failing + 0.12:
            made = {"echo": True}
        elif roll < failing + 0.25:
            made = {"ok": {"status": self.random.choice(("PENDING", "OK")), **object_of(self.random)}}
        else:
            made = {"ok": object_of(self.random) if self.random.random() < 0.65 else value(self.random)}
        if self.random.random() < 0.3:
            made["delay"] = duration(self.random)
        return made

    def events(self):
        """Events of all the triggers there are, some of them twice, some of nobody's."""
        triggers = self.triggers
        if not triggers:
            return []
        wanted = self.random.sample(triggers, len(triggers)) if self.random.random() < 0.6 else []
        wanted += [self.random.choice(triggers) for _ in range(self.random.choice((1, 2, 3, 4)))]
        made = []
        for number, trigger in enumerate(wanted):
            event = self.event(f"ev{number}", trigger)
            if made and self.random.random() < 0.08:
                event = dict(self.random.choice(made)["event"])
            if self.random.random() < 0.05:
                event["source"] = "/nobody"
            made.append({"op": "event", "event": event})
        return made

    def event(self, identifier, trigger):
        data = value(self.random) if self.random.random() < 0.1 else {"v": identifier, **object_of(self.random)}
        event = {"specversion": "1.0", "id": identifier, "source": trigger["source"], "type": trigger["type"], "data": data}
        if isinstance(data, dict) and self.random.random() < 0.9:
            data["id"] = self.random.choice(("P1", "P1", "P2"))
        event["patientid"] = self.random.choice(("P1", "P1", "P2"))
        if self.random.random() < 0.3:
            event["subject"] = "abc"
        return event

    def spread(self, events):
        """Some of the events at later times."""
        time = 0
        for event in events:
            if self.random.random() < 0.4:
                time += self.random.choice((7, 13, 23, 47, 307, 1009))
                event["at"] = f"PT{time}.25S"
        return events


def generate(seed):
    return Case(seed).made
