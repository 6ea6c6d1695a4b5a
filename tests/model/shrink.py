"""Makes a case on which model and engine differ as small as it gets while they still do."""

import copy
import json

from outcome import Unsettled, expectation

ROUNDS_MAX = 60
KEPT = {"name", "type", "op", "startsAt", "definition", "nextState", "specversion", "id", "source"}


def shrink(case, differing):
    """differing(cases) tells, for each of them, whether the engine disagrees with its `expect`."""
    for _ in range(ROUNDS_MAX):
        candidates = settled_candidates(case)
        verdicts = differing(candidates)
        smaller = [one for one, differs in zip(candidates, verdicts) if differs]
        if not smaller:
            return case
        case = min(smaller, key=size)
    return case


def size(case):
    return len(json.dumps([case["definitions"], case["steps"]]))


def settled_candidates(case):
    """Smaller cases on which the contract has a say, with what it says."""
    found, seen = [], set()
    for candidate in variations(case):
        key = json.dumps([candidate["definitions"], candidate["steps"]])
        if key in seen or len(key) >= size(case) or not playable(candidate):
            continue
        seen.add(key)
        try:
            expected = expectation(candidate)
        except (Unsettled, KeyError, TypeError, AttributeError, IndexError, ValueError):
            continue
        if expected.get("rejected") == case["expect"].get("rejected"):
            found.append({**candidate, "expect": expected})
    return found


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


def places(node, at):
    """Where something can be left out, larger things first."""
    members = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, inner in members:
        if key not in KEPT:
            yield at + [key]
    for key, inner in members if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        yield from places(inner, at + [key])


def states(node, at):
    members = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, inner in members:
        if isinstance(inner, dict) and "type" in inner and "transition" in inner:
            yield at + [key]
        yield from states(inner, at + [key])


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
        for state in document["states"]:
            if state["name"] != document["startsAt"]:
                made = copied(case)
                made["definitions"][number]["startsAt"] = state["name"]
                made["definitions"][number]["states"] = [one for one in made["definitions"][number]["states"]
                                                         if one["name"] != document["startsAt"]]
                yield made
