"""States of Serverless Workflow definitions, short to write."""


def leading(state, to):
    """To a state of that name, or to the end."""
    return {**state, "transition": {"nextState": to}} if to else {**state, "end": True}


def relay(name, inject=None, to=None, **more):
    state = {"name": name, "type": "RELAY", **more}
    return leading({**state, "inject": inject} if inject is not None else state, to)


def action(function, **more):
    return {"functionref": {"refname": function}, **more}


def operation(name, *functions, to=None, **more):
    actions = [function if isinstance(function, dict) else action(function) for function in functions]
    return leading({"name": name, "type": "OPERATION", "actions": actions, **more}, to)


def delay(name, duration, to=None, **more):
    return leading({"name": name, "type": "DELAY", "timeDelay": duration, **more}, to)


def switch(name, *choices, default, **more):
    return {"name": name, "type": "SWITCH", "choices": list(choices), "default": {"nextState": default}, **more}


def choice(path, operator, value, to):
    return {"path": path, "operator": operator, "value": value, "transition": {"nextState": to}}


def branch(name, *states, awaited=False):
    return {"name": name, "startsAt": states[0]["name"], "states": list(states), "waitForCompletion": awaited}


def parallel(name, *branches, to=None, **more):
    return leading({"name": name, "type": "PARALLEL", "branches": list(branches), **more}, to)


def subflow(name, workflow, to=None, awaited=True, **more):
    return leading({"name": name, "type": "SUBFLOW", "workflowId": workflow, "waitForCompletion": awaited, **more}, to)


def on(condition, to=None, *functions, **more):
    """An entry of an EVENT state."""
    entry = {"condition": condition, "actions": [action(function) for function in functions], **more}
    return {**entry, "transition": {"nextState": to}} if to else entry


def event(name, *entries, **more):
    ends = all("transition" not in entry for entry in entries)
    state = {"name": name, "type": "EVENT", "eventActions": list(entries), **more}
    return {**state, "end": True} if ends else state


def trigger(name, source, kind, token=None):
    row = {"name": name, "source": source, "type": kind}
    return {**row, "correlationToken": token} if token else row


def worker(*names):
    """Functions that workers do."""
    return [{"name": name, "type": "worker"} for name in names]


def handler(condition, to, **more):
    return {"condition": condition, "transition": {"nextState": to}, **more}
