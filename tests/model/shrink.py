"""Makes a case on which model and engine differ as small as it gets while they still do."""

import copy
import json

from outcome import Unsettled, settle

ROUNDS_MAX = 200
BATCH = 40
KEPT = {"name", "type", "op", "startsAt", "definition", "nextState", "specversion", "id", "source"}


def shrink(case, differing):
    """differing(cases) tells, for each of them, whether the engine disagrees with its `expect`."""
    for _ in range(ROUNDS_MAX):
        smaller = smaller_case(case, differing)
        if smaller is None:
            return case
        case = smaller
    return case


def smaller_case(case, differing):
    """The smallest variation that still differs, looked for in batches from the smallest on."""
    candidates = sorted(distinct(case), key=size)
    for start in range(0, len(candidates), BATCH):
        batch = candidates[start:start + BATCH]
        found = [one for one in (settled(candidate, case) for candidate in batch) if one]
        for one, differs in zip(found, differing(found)):
            if differs:
                return one
    return None


def size(case):
    return len(json.dumps([case["definitions"], case["steps"]]))


def distinct(case):
    seen = {}
    for candidate in variations(case):
        if size(candidate) < size(case) and playable(candidate):
            seen.setdefault(json.dumps([candidate["definitions"], candidate["steps"]]), candidate)
    return seen.values()


def settled(candidate, case):
    """The candidate with its expectation, if the contract has a say and still accepts or refuses it."""
    try:
        made = settle(candidate)
    except (Unsettled, KeyError, TypeError, AttributeError, IndexError, ValueError, StopIteration):
        return None
    return made if made["expect"].get("rejected") == case["expect"].get("rejected") else None


def playable(case):
    """Still a case: something to run, and no mock without an answer."""
    return bool(case["definitions"]) and case["steps"] and case["steps"][-1] == {"op": "run"} and all(
        step.get("results", True) for step in case["steps"])


def variations(case):
    for where in places(case["definitions"], ["definitions"]):
        yield without(case, where)
    for where in places(case["steps"], ["steps"]):
        yield without(case, where)
    for where in states(case["definitions"], ["definitions"]):
        yield ended(case, where)
    yield from skipped_starts(case)


def parts(node):
    """(key, part) of an object or an array."""
    if isinstance(node, dict):
        return list(node.items())
    return list(enumerate(node)) if isinstance(node, list) else []


def places(node, at):
    """Where something can be left out, larger things first."""
    yield from (at + [key] for key, _ in parts(node) if key not in KEPT)
    for key, part in parts(node):
        yield from places(part, at + [key])


def states(node, at):
    """Where the states are that lead on."""
    for key, part in parts(node):
        if isinstance(part, dict) and "type" in part and "transition" in part:
            yield at + [key]
        yield from states(part, at + [key])


def reach(case, where):
    for key in where:
        case = case[key]
    return case


def copied(case):
    return {"name": case["name"], **copy.deepcopy({key: case[key] for key in ("definitions", "steps")})}


def without(case, where):
    made = copied(case)
    del reach(made, where[:-1])[where[-1]]
    return made


def ended(case, where):
    """The state ends instead of leading on."""
    made = copied(case)
    state = reach(made, where)
    del state["transition"]
    state["end"] = True
    return made


def skipped_starts(case):
    """A definition begins with one of its later states."""
    for number, document in enumerate(case["definitions"]):
        for state in document.get("states", []):
            if state["name"] != document.get("startsAt"):
                made = copied(case)
                made["definitions"][number]["startsAt"] = state["name"]
                made["definitions"][number]["states"] = [one for one in made["definitions"][number]["states"]
                                                         if one["name"] != document["startsAt"]]
                yield made
