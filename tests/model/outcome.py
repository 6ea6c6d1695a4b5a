"""What the contract says comes of a case: played in several orders, and every open question both ways.

Whatever depends on the order of simultaneous things or on the answer to an open question is not
settled by the contract, and the case is no case.
"""

from scenario_model import World, children_view, view
from values import Partial, Undecided, Unknown, same

ORDERS = ("first", "last", 1, 2)


class Unsettled(Exception):
    """The contract does not say how this case ends."""


def expectation(case):
    """The case's `expect`; raises Unsettled."""
    try:
        first = World().play(case)
        expected = expect(first)
        for order in ORDERS[1:]:
            expected = agreed(expected, expect(World(order).play(case)), "the order of simultaneous things")
        for question in sorted(first.asked):
            expected = agreed(expected, expect(World(turned=[question]).play(case)), question)
    except Undecided as error:
        raise Unsettled(str(error)) from error
    return expected


def agreed(a, b, question):
    """The expectation both share; only the order of calls may differ."""
    if "calls" in a and not ("calls" in b and same(a["calls"], b["calls"])):
        a = {key: value for key, value in a.items() if key != "calls"}
    if not same(a, {key: value for key, value in b.items() if key in a or key != "calls"}):
        raise Unsettled(question)
    return a


def expect(world):
    if world.rejected:
        return {"rejected": True}
    tops = [instance for instance in world.instances if not instance.parent]
    named = {}
    for number, instance in enumerate(tops, 1):
        add_views(named, instance.name or f"i{number}", instance)
    counts = {function: 0 for function in world.mocks}
    for function, _ in world.calls:
        counts[function] += 1
    return {"instances": named, "instanceCount": len(tops), "callCount": counts, "calls": known_calls(world.calls)}


def add_views(named, name, instance):
    """The views of an instance and of its children, and theirs."""
    named[name] = settled_view(instance)
    children = children_view(instance)
    if all("status" in child for child in children):
        named[name]["children"] = children
    for number, child in enumerate(instance.children, 1):
        add_views(named, f"{name}/{number}", child)


def settled_view(instance):
    seen = view(instance)
    if "output" in seen:
        output, whole = known(seen["output"])
        seen["output"] = output
        if not whole:
            seen["outputMatch"] = "subset"
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
