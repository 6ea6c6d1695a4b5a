"""The definitions that are measured, and their data."""

import json


def task(name, kind, following):
    return {"id": name, "name": name, "type": "SERVICE_TASK", "jobType": kind, "nextStep": following}


END = {"id": "end", "name": "End", "type": "END"}

# About 200 bytes of variables, as an order might have.
ORDER = {"customer": {"name": "Ada Lovelace", "email": "ada@example.com"},
         "items": [{"sku": "A-1", "quantity": 2, "price": 9.99}, {"sku": "B-2", "quantity": 1, "price": 24.5}], "total": 44.48}


def members(value):
    """An object's text without its braces."""
    return json.dumps(value, separators=(",", ":"))[1:-1]


CHAIN = {"id": "chain", "name": "Three steps", "steps": [task("a", "b1", "b"), task("b", "b2", "c"), task("c", "b3", "end"), END]}
CHAIN_LOAD = {"definition": "chain", "types": '["b1","b2","b3"]', "jobs": 3, "variables": members(ORDER),
              "result": '{"result":{"ok":true,"code":17}}'}
CHAIN_COMMANDS = 4  # Durable ones: the start and three completions.


def fan(width):
    steps = [{"id": "fork", "name": "Fork", "type": "PARALLEL_GATEWAY", "parallelNextSteps": [f"t{i}" for i in range(width)],
              "joinStep": "join"}]
    steps += [task(f"t{i}", "f", "join") for i in range(width)]
    return {"id": f"fan-{width}", "name": "Fan", "steps": steps + [
        {"id": "join", "name": "Join", "type": "JOIN_GATEWAY", "nextStep": "end"}, END]}


# Waits for a signal, again and again, until one says that it is over.
PARKED = {"id": "parked", "name": "Parked", "steps": [
    {"id": "wait", "name": "Wait", "type": "WAIT", "conditionalNextSteps": {"over == true": "end", "over != true": "wait"}}, END]}
PARKED_START = json.dumps({"definitionId": "parked", "businessKey": "order-{n}", "variables": {"over": False, **ORDER}}, separators=(",", ":"))


def rules():
    """Decisions, a table and transformations, twelve steps and no work outside."""
    steps = []
    for i in range(4):
        following = f"t{i + 1}" if i < 3 else "end"
        steps += [
            {"id": f"t{i}", "name": "Price", "type": "TRANSFORMATION", "nextStep": f"d{i}",
             "transformations": {f"fee{i}": "${total * 0.01 + %d}" % i, f"large{i}": "${total > 1000 && len(items) > 1}"}},
            {"id": f"d{i}", "name": "Tier", "type": "DECISION_TABLE", "hitPolicy": "F", "nextStep": f"c{i}", "decisionTable": {"rules": [
                {"when": {"score": "score < 500"}, "outputs": {"tier": "HIGH", "rate": 0.0}},
                {"when": {"score": "score < 650", "large": f"large{i}"}, "outputs": {"tier": "MEDIUM", "rate": 12.5}},
                {"when": {"score": "score >= 750"}, "outputs": {"tier": "PREMIUM", "rate": 6.5}},
                {"when": {}, "outputs": {"tier": "STANDARD", "rate": 9.0}}]}},
            {"id": f"c{i}", "name": "Route", "type": "DECISION", "conditionalNextSteps": {
                "tier == 'HIGH'": "end", f"tier == 'MEDIUM' && customer.email startsWith 'x{i}'": "end", "rate > 0": following}}]
    return {"id": "rules", "name": "Rules", "steps": steps + [END]}


RULES_DATA = {"score": 700, **ORDER}
RULES_STATES = 13


def states(count=200):
    """RELAY and SWITCH states: every third injects, every third filters, every third chooses."""
    listed = []
    for i in range(count):
        if i % 3 == 0:
            state = {"type": "RELAY", "inject": {"count": i}}
        elif i % 3 == 1:
            state = {"type": "RELAY", "filter": {"inputPath": "$", "outputPath": "$"}}
        else:
            state = {"type": "SWITCH", "choices": [
                {"path": "$.order.field7", "operator": "Equals", "value": "nothing", "transition": "s0"},
                {"path": "$.count", "operator": "LessThan", "value": "0", "transition": "s0"}]}
        if i + 1 == count:
            state["end"] = True
        else:
            state["default" if i % 3 == 2 else "transition"] = f"s{i + 1}"
        listed.append({"name": f"s{i}", **state})
    return {"id": "states", "name": "States", "startsAt": "s0", "states": listed}


STATES_DATA = {"order": {f"field{i}": f"a value of some length, {i}" for i in range(24)}}


# Starts with one event and ends with another of the same order.
ORDERS = {
    "id": "orders", "name": "Orders", "startsAt": "Placed",
    "triggers": [{"name": "placed", "source": "/bench", "type": "placed", "correlationToken": "$.data.order"},
                 {"name": "paid", "source": "/bench", "type": "paid", "correlationToken": "$.data.order"}],
    "states": [
        {"name": "Placed", "type": "EVENT", "eventActions": [{"condition": "placed", "actions": [], "transition": "Paid"}]},
        {"name": "Paid", "type": "EVENT", "end": True, "eventActions": [{"condition": "paid", "actions": []}]}]}


def event(kind):
    """A template of an event of order {n}."""
    return json.dumps({"specversion": "1.0", "id": kind + "-{n}", "source": "/bench", "type": kind,
                       "data": {"order": "order-{n}", "total": 44.48}}, separators=(",", ":"))


def delay(name, until):
    return {"id": name, "name": name, "startsAt": "Sleep",
            "states": [{"name": "Sleep", "type": "DELAY", "timeDelay": until, "end": True}]}

# ---- entities ----

ORDER_MODEL = "order"
ORDER_SAMPLE = {"number": 1, "customer": "Ada", "amount": 12.5, "note": "open", "lines": [{"sku": "a-1", "count": 2}]}
ORDER_WORKFLOW = {"version": "1", "name": "sale", "initialState": "NEW", "states": {
    "NEW": {"transitions": [{"name": "ACCEPT", "next": "OPEN", "criterion": {"type": "simple", "jsonPath": "$.amount", "operatorType": "LESS_THAN", "value": 1000}}]},
    "OPEN": {"transitions": [{"name": "TOUCH", "next": "OPEN", "manual": True}]}}}


def order(note):
    return '{"number":{n},"customer":"Ada Lovelace","amount":99.5,"note":"' + note + '","lines":[{"sku":"a-1","count":2},{"sku":"b-2","count":1}]}'
