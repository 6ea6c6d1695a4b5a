"""What a definition must be to be accepted (1.1, 1.2, 1.14)."""

import re

from conditions import COMPARISONS, LANGUAGES, parse_condition, parse_event_condition
from durations import duration_ms, moment_ms, repetition
from jsonpath import Malformed, path_of

KINDS = ("EVENT", "OPERATION", "SWITCH", "DELAY", "PARALLEL", "SUBFLOW", "RELAY")


class Invalid(Exception):
    """The definition is refused."""


def need(condition, why):
    if not condition:
        raise Invalid(why)


def definition_id(document):
    return document.get("id") or re.sub(r"[^a-z0-9]+", "-", document["name"].lower()).strip("-")


def find_state(states, wanted):
    """By id first, then by name."""
    for field in ("id", "name"):
        for state in states:
            if state.get(field) == wanted:
                return state
    return None


def check_definition(document):
    need(isinstance(document.get("name"), str), "no name")
    need(document.get("expressionLanguage", "default").lower() in LANGUAGES, "an unknown expression language")
    try:
        check_names(document)
        check_scope(document, document)
        check_handlers(document.get("onError", []), document["states"])
    except (Malformed, ValueError, KeyError, TypeError) as error:
        raise Invalid(str(error)) from error


def check_names(document):
    for list_, key in (("triggers", "name"), ("functions", "name"), ("extensions", "extensionid")):
        names = [one[key] for one in document.get(list_, [])]
        need(len(names) == len(set(names)), f"two {list_} of one name")
    for trigger in document.get("triggers", []):
        need("source" in trigger and "type" in trigger, "a trigger needs source and type")


def check_scope(scope, document):
    states = scope.get("states")
    need(states, "no states")
    ids = [state["id"] for state in states if "id" in state]
    need(len(ids) == len(set(ids)), "two states of one id")
    for state in states:
        twins = [other for other in states if other["name"] == state["name"]]
        need(len(twins) == 1 or all("id" in twin for twin in twins), "two states of one name without ids")
    need(find_state(states, scope["startsAt"]), "startsAt names no state")
    for state in states:
        check_state(state, states, document)


def check_state(state, states, document):
    kind = state["type"].upper()
    need(kind in KINDS, "an unknown type of state")
    check_filter(state.get("filter"))
    ends = state.get("end") is True
    if kind == "SWITCH":
        check_switch(state, states)
        need(ends or "default" in state, "neither end nor default")
    elif kind == "EVENT":
        check_event_actions(state, states, document, ends)
    else:
        need(ends or "transition" in state, "neither end nor transition")
    if "transition" in state:
        check_transition(state["transition"], states)
    if kind == "OPERATION":
        check_actions(state["actions"], states, document, state.get("actionMode"))
    if kind == "DELAY":
        need(moment_ms(state["timeDelay"]) is not None or duration_ms(state["timeDelay"]) >= 0, "no delay")
    if kind == "PARALLEL":
        check_branches(state, document)
    if kind == "SUBFLOW":
        need(isinstance(state.get("workflowId"), str), "no workflowId")
    check_loop(state.get("loop"))
    check_handlers(state.get("onError", []), states)


def check_transition(transition, states):
    if isinstance(transition, str):
        transition = {"nextState": transition}
    need(find_state(states, transition["nextState"]), "nextState names no state")
    if transition.get("condition") is not None:
        parse_condition(transition["condition"])


def check_filter(filter_):
    for name, path in (filter_ or {}).items():
        need(path_of(path).definite or name != "resultPath", "an indefinite resultPath")


def check_switch(state, states):
    need(state["choices"], "no choices")
    for choice in state["choices"]:
        check_choice(choice)
        check_transition(choice["transition"], states)
    if "default" in state:
        check_transition(state["default"], states)


def check_choice(choice):
    if any(key in choice for key in ("path", "operator", "value")):
        check_comparison(choice)
    for word in ("and", "or"):
        if word in choice:
            need(choice[word], f"an empty {word}")
            for one in choice[word]:
                check_choice(one)
            return
    if "not" in choice:
        return check_choice(choice["not"])
    check_comparison(choice)


def check_comparison(choice):
    path_of(choice["path"])
    operator = choice["operator"].lower()
    need(operator in COMPARISONS, "an unknown operator")
    need(operator == "exists" or "value" in choice, "no value")


def check_event_actions(state, states, document, ends):
    need(state["eventActions"], "no eventActions")
    for entry in state["eventActions"]:
        parse_event_condition(entry["condition"], document.get("triggers", []))
        check_actions(entry["actions"], states, document, entry.get("actionMode"))
        check_filter(entry.get("filter"))
        need(ends or "transition" in entry, "neither end nor transition")
        if "transition" in entry:
            check_transition(entry["transition"], states)
        if entry.get("timeout") is not None:
            duration_ms(entry["timeout"])


def check_actions(actions, states, document, mode):
    need(mode is None or mode.upper() in ("SEQUENTIAL", "PARALLEL"), "an unknown actionMode")
    functions = [function["name"] for function in document.get("functions", [])]
    for action in actions:
        reference = action["functionref"]
        need(reference.get("refname", reference.get("refName")) in functions, "an unknown function")
        check_filter(action.get("filter"))
        check_parameters(reference.get("parameters"))
        if action.get("timeout") is not None:
            duration_ms(action["timeout"])
        for policy in action.get("retry", []):
            parse_condition(policy["condition"])
            if policy.get("interval") is not None:
                repetition(policy["interval"])
            if policy.get("transition") is not None:
                check_transition(policy["transition"], states)


def check_parameters(parameters):
    if isinstance(parameters, (dict, list)):
        for value in parameters.values() if isinstance(parameters, dict) else parameters:
            check_parameters(value)
    elif isinstance(parameters, str) and (parameters == "$" or parameters.startswith(("$.", "$["))):
        path_of(parameters)


def check_branches(state, document):
    need(state["branches"], "no branches")
    for branch in state["branches"]:
        need(isinstance(branch.get("name"), str), "a branch without a name")
        check_scope(branch, document)
        need(any(one.get("end") is True for one in branch["states"]), "a branch without an end")


def check_loop(loop):
    if loop is None:
        return
    path_of(loop["inputCollection"])
    if loop.get("outputCollection") is not None:
        need(path_of(loop["outputCollection"]).definite, "an indefinite outputCollection")
    if loop.get("completionCondition") is not None:
        parse_condition(loop["completionCondition"])
    if loop.get("timeDelay") is not None:
        duration_ms(loop["timeDelay"])


def check_handlers(handlers, states):
    for handler in handlers:
        parse_condition(handler["condition"])
        check_filter(handler.get("filter"))
        check_transition(handler["transition"], states)
