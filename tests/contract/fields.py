"""Every field of every part of a document, family by family: which there are, and where a document has them.

A *part* is an object inside a document, such as `graph/edge` or `steps/step WAIT`. The published schemas and the
readers' tables in the source say which fields a part may have, so a field that somebody adds appears here by itself.
"""

import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
DIALECTS = ROOT / "src" / "dialect"
SCHEMAS = {family: json.loads((ROOT / "contract" / "schema" / f"{family}.schema.json").read_text())
           for family in ("steps", "serverless", "graph")}


# ---- lists of fields ----

def source_list(path, name, first=None):
    """The texts of an array of the source; of several with that name the one that begins with `first`."""
    found = re.findall(rf"\b{name}\[\] = {{(.*?)}};", (ROOT / "src" / path).read_text(), re.S)
    return next(texts for texts in (re.findall(r'"([^"]+)"', text) for text in found) if first in (None, texts[0]))


def properties(family, *path):
    """The properties of a part of a schema: of the root, of a definition, or of an object inside of one."""
    at = SCHEMAS[family]
    for name in path:
        at = at["$defs"][name] if name in at.get("$defs", {}) else at[name]
    return [name for name, schema in at["properties"].items() if schema is not False]


STEP_TYPES = SCHEMAS["steps"]["$defs"]["step"]["properties"]["type"]["enum"]
STATE_TYPES = ("event", "operation", "switch", "delay", "parallel", "subflow", "relay")
NODE_TYPES = SCHEMAS["graph"]["$defs"]["node"]["properties"]["type"]["anyOf"][0]["enum"]
TRIGGER_TYPES = [name for name in NODE_TYPES if name.startswith("trigger_")]

# Fields that mean the same on every type. All others are looked at type by type.
SAME_ON_STEPS = {"id", "name", "type", "description", "delegateClass"}
SAME_ON_NODES = {"id", "nodeId", "type", "kind", "label", "name", "config", "position", "description", "size", "ports",
                 "parent", "onFailure", "compensation", "openFrom", "openUntil", "lock", "lockSize", "lockTimeout"}


def steps_parts():
    step = properties("steps", "step")
    parts = {"document": properties("steps"), "step": sorted(SAME_ON_STEPS), "boundaryEvent": properties("steps", "boundaryEvent"),
             "backoff": properties("steps", "backoff"), "next": properties("steps", "next"), "table": properties("steps", "table"), "rule": properties("steps", "rule"),
             "fields": properties("steps", "fields"),
             "fields.property": properties("steps", "fields", "properties", "properties", "additionalProperties")}
    parts |= {f"step {kind}": [name for name in step if name not in SAME_ON_STEPS] for kind in STEP_TYPES}
    parts |= {f"trigger {kind}": source_list("dialect/triggers.c", "common_fields") + source_list("dialect/triggers.c", f"{kind}_fields")
              for kind in ("manual", "http", "mqtt", "cron", "poll")}
    parts["escalation"] = ["after", "email"] + source_list("dialect/reminders.c", "known")
    parts["reminder"] = source_list("dialect/reminders.c", "reminder_members")
    return parts | {"comparison": ["left", "op", "right"], "combination": ["all", "any", "not"]}


def serverless_parts():
    common = properties("serverless", "state")
    test = ["and", "or", "not", *properties("serverless", "compared"), "value"]
    start = SCHEMAS["serverless"]["$defs"]["scope"]["properties"]["startsAt"]["oneOf"][1]
    parts = {"document": properties("serverless") + properties("serverless", "scope"),
             "startsAt": list(start["properties"]), "schedule": list(start["properties"]["schedule"]["properties"]),
             "extension": ["extensionid"], "test": list(dict.fromkeys(test)), "choice": [*dict.fromkeys(test), "transition"],
             "condition": ["expressionLanguage", "body"], "transition": ["nextState", "condition"],
             "branch": properties("serverless", "branch") + ["startsAt"]}
    for name in ("trigger", "function", "functionref", "retry", "action", "handler", "loop", "eventActions"):
        parts[name] = properties("serverless", name)
    parts["function metadata"] = source_list("dialect/serverless/read_metadata.c", "names", "headers")
    parts |= {f"state {kind}": common + properties("serverless", kind) for kind in STATE_TYPES}
    parts |= {f"filter of {owner}": properties("serverless", "filter") for owner in ("state", "action", "eventActions", "handler")}
    return {name: list(dict.fromkeys(fields)) for name, fields in parts.items()}


def graph_parts():
    node = properties("graph", "node")
    parts = {"document": properties("graph"), "settings": properties("graph", "properties", "settings"), "node": sorted(SAME_ON_NODES),
             "edge": properties("graph", "edge"), "retry": properties("graph", "retry"), "rule": properties("graph", "rule"),
             "case": properties("graph", "case"), "assignment": properties("graph", "assignment"), "trigger": properties("graph", "trigger"),
             "join": source_list("dialect/graph/lower_gateways.c", "fields"), "comparison": ["left", "op", "right"],
             "combination": ["all", "any", "not"], "compensation": source_list("dialect/graph/lower_actions.c", "undo_fields"),
             "escalation": ["after", "email"] + source_list("dialect/reminders.c", "known"),
             "reminder": source_list("dialect/reminders.c", "reminder_members")}
    parts |= {f"config {kind}": properties("graph", f"config_{kind}") for kind in NODE_TYPES}
    parts |= {f"node {kind}": [name for name in node if name not in SAME_ON_NODES] for kind in NODE_TYPES}
    return parts


def entity_parts():
    lists = {"document": "document_fields", "workflow": "workflow_fields", "state": "state_fields", "transition": "transition_fields",
             "schedule": "schedule_fields", "schedule.function": "schedule_function_fields", "processor": "processor_fields",
             "config": "config_fields", "criterion function": "function_fields", "function": "asked_fields",
             "function config": "function_config_fields", "criterion simple": "simple_fields", "criterion lifecycle": "lifecycle_fields",
             "criterion group": "group_fields", "criterion array": "array_fields"}
    return {part: source_list("dialect/entity/fields.c", name) for part, name in lists.items()}


def all_parts():
    """{"graph/edge": [fields]}"""
    return {f"{family}/{part}": list(dict.fromkeys(fields))
            for family, make in (("steps", steps_parts), ("serverless", serverless_parts), ("graph", graph_parts), ("entity", entity_parts))
            for part, fields in make().items()}


# ---- where a document has them ----

def family_of(document):
    if not isinstance(document, dict):
        return None
    if isinstance(document.get("steps"), list):
        return "steps"
    if isinstance(document.get("workflows"), list) or isinstance(document.get("states"), dict):
        return "entity"
    if isinstance(document.get("states"), list):
        return "serverless"
    return "graph" if isinstance(document.get("nodes"), list) else None


ARRIVALS = {"manual": "manual", "http": "http", "webhook": "http", "mqtt": "mqtt", "cron": "cron", "schedule": "cron", "poll": "poll",
            "httpwebhooktrigger": "http", "mqtttelemetrytrigger": "mqtt", "scheduledtrigger": "cron", "pollingtrigger": "poll",
            "manualtrigger": "manual"}


def arrival_of(trigger):
    return ARRIVALS.get(str(trigger.get("type", trigger.get("kind", ""))).lower().removeprefix("trigger_"))


def node_type_of(node):
    arrival = arrival_of(node)
    if arrival:
        return "trigger_webhook" if arrival == "http" else f"trigger_{arrival}"
    written = str(node.get("type", node.get("kind", "")))
    return next((name for name in NODE_TYPES if name.lower() == written.lower()), None)


def items(value):
    return list(enumerate(value)) if isinstance(value, list) else []


def token(name):
    return str(name).replace("~", "~0").replace("/", "~1")


class Walk:
    """Collects (part, object, pointer) of a document."""

    def __init__(self, document):
        self.found = []
        self.family = family_of(document)
        if self.family:
            getattr(self, self.family)(document, "")

    def add(self, part, value, pointer):
        if isinstance(value, dict):
            self.found.append((f"{self.family}/{part}", value, pointer))
        return isinstance(value, dict)

    # steps

    def steps(self, document, at):
        self.add("document", document, at)
        self.fields(document.get("input_schema"), f"{at}/input_schema")
        for i, trigger in items(document.get("triggers")):
            self.add(f"trigger {arrival_of(trigger)}", trigger, f"{at}/triggers/{i}")
            self.logic(trigger.get("filter"), f"{at}/triggers/{i}/filter")
        for i, step in items(document["steps"]):
            self.step(step, f"{at}/steps/{i}")

    def fields(self, schema, at):
        if self.add("fields", schema, at):
            for name, value in (schema.get("properties") or {}).items():
                self.add("fields.property", value, f"{at}/properties/{token(name)}")

    def step(self, step, at):
        if not self.add("step", step, at):
            return
        self.add(f"step {step.get('type')}", step, at)
        self.add("backoff", step.get("retryBackoff"), f"{at}/retryBackoff")
        self.add("next", step.get("continueAs"), f"{at}/continueAs")
        self.add("escalation", step.get("escalation"), f"{at}/escalation")
        for i, reminder in items(step.get("reminders")):
            self.add("reminder", reminder, f"{at}/reminders/{i}")
        self.fields(step.get("outputs_schema"), f"{at}/outputs_schema")
        for i, event in items(step.get("boundaryEvents")):
            self.add("boundaryEvent", event, f"{at}/boundaryEvents/{i}")
        if self.add("table", step.get("decisionTable"), f"{at}/decisionTable"):
            for i, rule in items(step["decisionTable"].get("rules")):
                self.add("rule", rule, f"{at}/decisionTable/rules/{i}")

    # serverless

    def serverless(self, document, at):
        self.add("document", document, at)
        for name, part in (("triggers", "trigger"), ("functions", "function"), ("extensions", "extension")):
            for i, value in items(document.get(name)):
                self.add(part, value, f"{at}/{name}/{i}")
        for i, function in items(document.get("functions")):
            if str(function.get("resource")).startswith("http"):
                self.add("function metadata", function.get("metadata"), f"{at}/functions/{i}/metadata")
        if self.add("startsAt", document.get("startsAt"), f"{at}/startsAt"):
            self.add("schedule", document["startsAt"].get("schedule"), f"{at}/startsAt/schedule")
        self.handlers(document, at)
        self.states(document, at)

    def states(self, scope, at):
        for i, state in items(scope.get("states")):
            self.state(state, f"{at}/states/{i}")

    def state(self, state, at):
        if not self.add(f"state {str(state.get('type')).lower()}", state, at):
            return
        self.add("filter of state", state.get("filter"), f"{at}/filter")
        if str(state.get("type")).lower() != "relay":
            if self.add("loop", state.get("loop"), f"{at}/loop"):
                self.condition(state["loop"], "completionCondition", f"{at}/loop")
            self.handlers(state, at)
        self.actions(state, at)
        self.transition(state, "transition", at)
        self.transition(state, "default", at)
        for i, entry in items(state.get("eventActions")):
            place = f"{at}/eventActions/{i}"
            self.add("eventActions", entry, place)
            self.add("filter of eventActions", entry.get("filter"), f"{place}/filter")
            self.condition(entry, "condition", place)
            self.transition(entry, "transition", place)
            self.actions(entry, place)
        for i, choice in items(state.get("choices")):
            self.test("choice", choice, f"{at}/choices/{i}")
            self.transition(choice, "transition", f"{at}/choices/{i}")
        for i, branch in items(state.get("branches")):
            self.add("branch", branch, f"{at}/branches/{i}")
            self.states(branch, f"{at}/branches/{i}")

    def handlers(self, owner, at):
        for i, handler in items(owner.get("onError")):
            place = f"{at}/onError/{i}"
            self.add("handler", handler, place)
            self.add("filter of handler", handler.get("filter"), f"{place}/filter")
            self.condition(handler, "condition", place)
            self.transition(handler, "transition", place)

    def actions(self, owner, at):
        for i, action in items(owner.get("actions")):
            place = f"{at}/actions/{i}"
            self.add("action", action, place)
            self.add("filter of action", action.get("filter"), f"{place}/filter")
            for name in ("functionref", "functionRef"):
                self.add("functionref", action.get(name), f"{place}/{name}")
            for k, retry in items(action.get("retry")):
                self.add("retry", retry, f"{place}/retry/{k}")
                self.condition(retry, "condition", f"{place}/retry/{k}")
                self.transition(retry, "transition", f"{place}/retry/{k}")

    def condition(self, owner, name, at):
        if self.family == "serverless":
            self.add("condition", owner.get(name), f"{at}/{name}")

    def transition(self, owner, name, at):
        if self.add("transition", owner.get(name), f"{at}/{name}"):
            self.condition(owner[name], "condition", f"{at}/{name}")

    def test(self, part, test, at):
        if not self.add(part, test, at):
            return
        for name in ("and", "or"):
            for i, inner in items(test.get(name)):
                self.test("test", inner, f"{at}/{name}/{i}")
        self.test("test", test.get("not"), f"{at}/not")

    # graph

    def graph(self, document, at):
        self.add("document", document, at)
        self.add("settings", document.get("settings"), f"{at}/settings")
        for owner, place in ((document, at), (document.get("settings") or {}, f"{at}/settings")):
            self.add("retry", owner.get("defaultRetryPolicy"), f"{place}/defaultRetryPolicy")
        for i, trigger in items(document.get("triggers")):
            self.add("trigger", trigger, f"{at}/triggers/{i}")
            self.config(trigger, trigger, f"{at}/triggers/{i}")
        for i, node in items(document["nodes"]):
            self.node(node, f"{at}/nodes/{i}")
        for name in ("edges", "connections"):
            for i, edge in items(document.get(name)):
                if self.add("edge", edge, f"{at}/{name}/{i}"):
                    self.logic(edge.get("condition"), f"{at}/{name}/{i}/condition")

    def node(self, node, at):
        if not self.add("node", node, at):
            return
        self.add(f"node {node_type_of(node)}", node, at)
        self.add("retry", node.get("retry"), f"{at}/retry")
        if self.add("compensation", node.get("compensation"), f"{at}/compensation"):
            self.config(node["compensation"], node["compensation"].get("config"), f"{at}/compensation/config")
        self.config(node, node.get("config"), f"{at}/config")

    def config(self, node, config, at):
        if not self.add(f"config {node_type_of(node)}", config, at):
            return
        for name, part in (("rules", "rule"), ("cases", "case"), ("assignments", "assignment")):
            for i, value in items(config.get(name)):
                if self.add(part, value, f"{at}/{name}/{i}"):
                    self.logic(value.get("condition"), f"{at}/{name}/{i}/condition")
        self.add("join", config.get("join"), f"{at}/join")
        self.add("escalation", config.get("escalation"), f"{at}/escalation")
        for i, reminder in items(config.get("reminders")):
            self.add("reminder", reminder, f"{at}/reminders/{i}")
        self.logic(config.get("until"), f"{at}/until")
        self.logic(config.get("filter"), f"{at}/filter")

    def logic(self, condition, at):
        if not isinstance(condition, dict):
            return
        combined = any(name in condition for name in ("all", "any", "not"))
        self.add("combination" if combined else "comparison", condition, at)
        for name in ("all", "any"):
            for i, inner in items(condition.get(name)):
                self.logic(inner, f"{at}/{name}/{i}")
        self.logic(condition.get("not"), f"{at}/not")

    # entity

    def entity(self, document, at):
        if not isinstance(document.get("workflows"), list):
            self.workflow(document, at)
            return
        self.add("document", document, at)
        for i, workflow in items(document["workflows"]):
            self.workflow(workflow, f"{at}/workflows/{i}")

    def workflow(self, workflow, at):
        self.add("workflow", workflow, at)
        self.criterion(workflow.get("criterion"), f"{at}/criterion")
        for name, state in (workflow.get("states") or {}).items():
            place = f"{at}/states/{token(name)}"
            if self.add("state", state, place):
                for i, transition in items(state.get("transitions")):
                    self.entity_transition(transition, f"{place}/transitions/{i}")

    def entity_transition(self, transition, at):
        self.add("transition", transition, at)
        self.criterion(transition.get("criterion"), f"{at}/criterion")
        if self.add("schedule", transition.get("schedule"), f"{at}/schedule"):
            self.add("schedule.function", transition["schedule"].get("function"), f"{at}/schedule/function")
        for i, processor in items(transition.get("processors")):
            self.add("processor", processor, f"{at}/processors/{i}")
            self.add("config", processor.get("config"), f"{at}/processors/{i}/config")

    def criterion(self, criterion, at):
        if not isinstance(criterion, dict) or not self.add(f"criterion {criterion.get('type')}", criterion, at):
            return
        if self.add("function", criterion.get("function"), f"{at}/function"):
            self.add("function config", criterion["function"].get("config"), f"{at}/function/config")
        for i, inner in items(criterion.get("conditions")):
            self.criterion(inner, f"{at}/conditions/{i}")


def walk(document):
    return Walk(document).found
