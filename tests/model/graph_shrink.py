"""Makes a graph on which model and engine differ as small as it gets while they still do."""

import copy

from graph_outcome import settle
from outcome import Unsettled

ROUNDS_MAX = 60


def shrink(case, differing):
    """differing(cases) tells, for each of them, whether the engine disagrees with its `expect`."""
    for _ in range(ROUNDS_MAX):
        found = [one for one in map(settled, variations(case)) if one]
        smaller = next((one for one, differs in zip(found, differing(found)) if differs), None)
        if smaller is None:
            return case
        case = smaller
    return case


def settled(case):
    try:
        return settle(case)
    except (Unsettled, KeyError, StopIteration):
        return None


def variations(case):
    """Smaller graphs: a node less, with its ways bridged or cut; an edge less; a mock simpler; a setting less."""
    document = case["definitions"][0]
    if "triggers" in document:
        yield from trigger_variations(case)
        return
    for node in document["nodes"]:
        if node["type"] != "trigger_manual" and node["id"] != document.get("globalErrorHandler"):
            yield without_node(case, node["id"], True)
            yield without_node(case, node["id"], False)
    for number in range(len(document["edges"])):
        made = copy.deepcopy(case)
        del made["definitions"][0]["edges"][number]
        if is_sound(made):
            yield made
    for number, step in enumerate(case["steps"]):
        if step["op"] == "mock":
            made = copy.deepcopy(case)
            del made["steps"][number]
            yield made
    for node in document["nodes"]:
        for part in ("retry", "compensation"):
            if part in node:
                made = copy.deepcopy(case)
                next(one for one in made["definitions"][0]["nodes"] if one["id"] == node["id"]).pop(part)
                yield made


def trigger_variations(case):
    """A step less, a setting less, a node less, a trigger less."""
    for number in range(len(case["steps"])):
        if case["steps"][number]["op"] == "mock":
            continue
        yield {**case, "steps": case["steps"][:number] + case["steps"][number + 1:]}
    document = case["definitions"][0]
    for name in ("maxActiveInstances", "inputSchema", "executionTimeout"):
        if name in document:
            yield {**case, "definitions": [{key: value for key, value in document.items() if key != name}]}
    for number, trigger in enumerate(document["triggers"]):
        for name in ("filter", "deduplicationKey", "onMatch"):
            if name in trigger:
                made = copy.deepcopy(case)
                del made["definitions"][0]["triggers"][number][name]
                yield made
        if not any(step.get("path") == trigger.get("path", 0) or step["op"] == trigger["type"] == "mqtt" for step in case["steps"]):
            yield without_trigger(case, number)
    for node in document["nodes"]:
        made = copy.deepcopy(case)
        bypass(made["definitions"][0], node["id"])
        made["steps"] = [step for step in made["steps"] if step.get("node") != node["id"]]
        yield made


def without_trigger(case, number):
    made = copy.deepcopy(case)
    document = made["definitions"][0]
    trigger = document["triggers"].pop(number)["id"]
    after = {edge["from"]: edge["to"] for edge in document["edges"]}
    gone, node = {trigger}, after.get(trigger)
    while node:
        gone.add(node)
        node = after.get(node)
    document["nodes"] = [one for one in document["nodes"] if one["id"] not in gone]
    document["edges"] = [edge for edge in document["edges"] if edge["from"] not in gone]
    made["steps"] = [step for step in made["steps"] if step.get("node") not in gone]
    waited = any(one["config"].get("trigger") == trigger for one in document["nodes"])
    for one in document["nodes"]:
        one["config"].get("body", {}).pop(trigger, None)
    return case if waited else made


def bypass(document, node):
    """Takes a node out of its chain."""
    after = next((edge["to"] for edge in document["edges"] if edge["from"] == node), None)
    document["nodes"] = [one for one in document["nodes"] if one["id"] != node]
    document["edges"] = [{**edge, "to": after} if edge["to"] == node else edge for edge in document["edges"]
                         if edge["from"] != node and (edge["to"] != node or after)]


def without_node(case, name, bridge):
    made = copy.deepcopy(case)
    document = made["definitions"][0]
    gone = {name} | {node["id"] for node in document["nodes"] if is_inside(document, node, name)}
    ways = [edge for edge in document["edges"] if edge["from"] == name and edge["to"] not in gone]
    edges = []
    for edge in document["edges"]:
        if edge["from"] in gone:
            continue
        if edge["to"] in gone:
            if not bridge or not ways:
                continue
            edge = {**edge, "to": ways[0]["to"]}
        edges.append(edge)
    document["edges"] = edges
    document["nodes"] = [node for node in document["nodes"] if node["id"] not in gone]
    made["steps"] = [step for step in made["steps"] if step["op"] != "mock" or step["node"].removesuffix("~comp") not in gone]
    return made if is_sound(made) else case


def is_inside(document, node, loop):
    parents = {one["id"]: one.get("parent") for one in document["nodes"]}
    parent = node.get("parent")
    while parent:
        if parent == loop:
            return True
        parent = parents.get(parent)
    return False


def is_sound(case):
    """The publish rules that leaving something out could break."""
    document = case["definitions"][0]
    kinds = {node["id"]: node["type"] for node in document["nodes"]}
    configs = {node["id"]: node.get("config", {}) for node in document["nodes"]}
    for node, kind in kinds.items():
        ways = [edge for edge in document["edges"] if edge["from"] == node]
        if kind in ("decision", "match") and len(ways) > 1 and sum(bool(edge.get("default")) for edge in ways) != 1:
            return False
        if kind in ("decision", "match") and len(ways) == 1 and "condition" in ways[0]:
            return False
        if kind == "human_task" and not any(edge.get("default") for edge in ways) and "decisions" in configs[node]:
            return False
        if kind == "for_each" and not any(edge.get("fromPort") == "body" for edge in ways):
            return False
    return any(edge["from"] == "t" for edge in document["edges"])
