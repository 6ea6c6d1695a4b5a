"""Breaks a valid definition in one place, in a way section 1.14 of the contract names."""

import copy


def nodes(node, wanted):
    """All objects below a node that the predicate wants."""
    found = []
    stack = [node]
    while stack:
        one = stack.pop()
        if isinstance(one, dict):
            if wanted(one):
                found.append(one)
            stack.extend(one.values())
        elif isinstance(one, list):
            stack.extend(one)
    return found


def states_of(document):
    return nodes(document, lambda one: isinstance(one.get("type"), str) and "source" not in one and "name" in one
                 and any(key in one for key in ("end", "transition", "eventActions", "choices")))


def holders(document, key):
    return nodes(document["states"], lambda one: key in one)


def put(key, value):
    """A breakage that sets this member wherever it already is."""
    def breakage(random, document):
        found = holders(document, key)
        if not found:
            return False
        random.choice(found)[key] = value
        return True
    return breakage


def drop(key):
    def breakage(random, document):
        found = holders(document, key)
        if not found:
            return False
        del random.choice(found)[key]
        return True
    return breakage


def no_states(random, document):
    document["states"] = []
    return True


def no_name(random, document):
    del document["name"]
    return True


def unknown_language(random, document):
    document["expressionLanguage"] = "groovy"
    return True


def no_start(random, document):
    document["startsAt"] = "Nowhere"
    return True


def no_way_on(random, document):
    state = random.choice(states_of(document))
    for key in ("end", "transition", "default"):
        state.pop(key, None)
    for entry in state.get("eventActions", []):
        entry.pop("transition", None)
    return True


def unknown_kind(random, document):
    random.choice(states_of(document))["type"] = random.choice(("CUSTOM", "FOREACHX", "", "TASK"))
    return True


def twin_states(random, document):
    twin = copy.deepcopy(random.choice(document["states"]))
    twin.pop("id", None)
    document["states"].append(twin)
    return True


def twins(list_):
    def breakage(random, document):
        if not document.get(list_):
            return False
        document[list_].append(dict(random.choice(document[list_])))
        return True
    return breakage


def forgotten(list_):
    """Something that is used is not declared."""
    def breakage(random, document):
        if not document.get(list_):
            return False
        document[list_].remove(random.choice(document[list_]))
        return True
    return breakage


def out_of_branch(random, document):
    """A transition of a branch leads to the top, or the other way round."""
    branches = holders(document, "startsAt")
    if not branches:
        return False
    branch = random.choice(branches)
    inner, outer = random.choice(branch["states"]), random.choice(document["states"])
    if random.random() < 0.5:
        inner, outer = outer, inner
    if inner["type"].upper() in ("EVENT", "SWITCH"):
        return False
    inner.pop("end", None)
    inner["transition"] = outer["name"]
    return True


def branch_without_end(random, document):
    branches = holders(document, "startsAt")
    if not branches:
        return False
    branch = random.choice(branches)
    for state in branch["states"]:
        if state.pop("end", None):
            state["transition" if state["type"].upper() not in ("SWITCH", "EVENT") else "default"] = branch["startsAt"]
            for entry in state.get("eventActions", []):
                entry["transition"] = branch["startsAt"]
    return True


def bad_condition(random, document):
    found = nodes(document, lambda one: "condition" in one and "eventActions" not in one and "actions" not in one)
    if not found:
        return False
    random.choice(found)["condition"] = random.choice((
        {"body": "$.a =="}, {"body": ""}, "$.a == 'x", {"body": "($.a"}, {"body": "$.a === 1"}, {"body": "1 2"}, {"body": "$.a["},
        {"expressionLanguage": "groovy", "body": "$.a"}, {"expressionLanguage": "spel"}, {"body": "and"}, {"body": "$.a eq"}))
    return True


BREAKAGES = (
    no_states, no_name, no_start, unknown_language, no_way_on, unknown_kind, twin_states, twins("functions"), twins("triggers"),
    twins("extensions"), forgotten("functions"), forgotten("triggers"), out_of_branch, branch_without_end, bad_condition,
    put("transition", "Nowhere"), put("transition", {"nextState": "Nowhere"}), put("transition", {}), put("default", "Nowhere"),
    put("inputPath", "$.a["),
    put("outputPath", "$..[?(@.a"), put("resultPath", "$.a[*]"), put("resultPath", "$..a"), put("resultPath", "$['a','b']"),
    put("resultPath", "$.a[0:1]"), put("inputCollection", "$[?]"), put("outputCollection", "$.["), put("path", "$.a b"),
    put("path", "$[1"), put("operator", "NotEquals"), put("operator", "eq"), put("timeDelay", "15 minutes"),
    put("timeDelay", "P"),
    put("timeDelay", "PT"), put("timeout", "1h"), put("interval", "R3"), put("interval", "often"), put("choices", []),
    put("branches", []), put("eventActions", []), put("and", []), put("or", []), put("actionMode", "BOTH"), drop("workflowId"),
    drop("timeDelay"), drop("choices"), drop("branches"), drop("eventActions"), drop("inputCollection"), drop("refname"),
    put("completionCondition", "index =="), put("refname", "nobody"), put("states", []), put("startsAt", "Nowhere"),
)


def spoil(random, document):
    """A broken copy, or None when that breakage does not apply."""
    broken = copy.deepcopy(document)
    return broken if random.choice(BREAKAGES)(random, broken) else None
