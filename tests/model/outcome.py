"""What the contract says comes of a case: played in several orders, and every open question both ways.

Whatever depends on the order of simultaneous things or on the answer to an open question is not
settled by the contract, and the case is no case.
"""

from scenario_model import World, view
from values import Partial, Undecided, Unknown, same

ORDERS = ("last", 1, 2, 3, 4, 5, 6)  # Beside the one they came in.


class Unsettled(Exception):
    """The contract does not say how this case ends."""


def settle(case, orders=ORDERS):
    """The case with the contract's expectations; raises Unsettled."""
    try:
        first = World().play(case)
        expected = expect(first)
        for order in orders if first.simulation.crowded else ():
            agree(expected, World(order).play(case), "the order of simultaneous things")
        for question in sorted(first.asked):
            agree(expected, World(turned=[question]).play(case), question)
    except Undecided as error:
        raise Unsettled(str(error)) from error
    return fill(case, expected)


def fill(case, expected):
    """The case with its `expect`, and with what its asserts see on the way."""
    if expected.get("rejected"):
        # Whatever else was published could still run.
        return {**case, "steps": [step for step in case["steps"] if step["op"] in ("start", "run")], "expect": expected}
    glances = iter(expected.pop("glances"))
    steps = [{**step, "expect": next(glances, {})} if step["op"] == "assert" else step for step in case["steps"]]
    return {**case, "steps": steps, "expect": expected}


def agree(expected, world, question):
    if not same(expected, expect(world)):
        raise Unsettled(question)


def expect(world):
    if world.rejected:
        return {"rejected": True}
    counts = {function: 0 for function in world.mocks}
    for function, _ in world.calls:
        counts[function] += 1
    named = {name: settled_view(seen) for name, seen in views(world).items()}
    made = {"glances": list(world.glances), "instances": named, "callCount": counts,
            "instanceCount": sum(not instance.parent for instance in world.instances)}
    if not world.simulation.crowded:
        made["calls"] = known_calls(world.calls)
    return made


def views(world):
    """The views of all instances by the names the runner gives them; children are "parent/1"."""
    named = {}
    tops = [instance for instance in world.instances if not instance.parent]
    for number, instance in enumerate(tops, 1):
        add_views(named, instance.name or f"i{number}", instance)
    return named


def add_views(named, name, instance):
    named[name] = view(instance)
    for number, child in enumerate(instance.children, 1):
        add_views(named, f"{name}/{number}", child)


def settled_view(seen):
    """A view without what is not known."""
    if not all("status" in child for child in seen["children"]):
        seen = {key: value for key, value in seen.items() if key != "children"}
    if not seen["branchPaths"]:
        seen = {key: value for key, value in seen.items() if key != "branchPaths"}
    if "output" in seen:
        output, whole = known(seen["output"])
        seen = {**seen, "output": output, **({} if whole else {"outputMatch": "subset"})}
    return seen


def known_calls(calls):
    """Requests match as subsets anyway."""
    return [{"function": function, "args": known(request)[0]} for function, request in calls]


def known(value):
    """(the value without what is unknown in it, whether it is whole)."""
    if isinstance(value, Unknown):
        raise Undecided("an unknown value in the output")
    if isinstance(value, list):
        parts = [known(one) for one in value]
        return [part for part, _ in parts], all(whole for _, whole in parts)
    if not isinstance(value, dict):
        return value, True
    members, whole = {}, not isinstance(value, Partial)
    for key, one in value.items():
        if isinstance(one, Unknown):
            whole = False
            continue
        members[key], part_whole = known(one)
        whole = whole and part_whole
    return members, whole
