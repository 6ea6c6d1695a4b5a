"""What the contract says comes of a graph: played in several orders. What depends on the order of simultaneous things is
not settled by the contract, and the case is no case."""

from graph_model import Run
from outcome import Unsettled
from trigger_model import settle_triggers
from values import Undecided, same

ORDERS = ("last", 1, 2, 3, 4, 5)  # Beside the one they came in.
# A few orders tell that simultaneous things matter nearly always; before we accuse, we ask more.
MANY_ORDERS = ("last", *range(1, 100))


def played(case, order):
    mocks = {step["node"]: step["results"] for step in case["steps"] if step["op"] == "mock"}
    start = next(step for step in case["steps"] if step["op"] == "start")
    return Run(case["definitions"][0], start["input"], mocks, order).play()


def view(run):
    """The instance as the scenario runner shows it, with what must not be there."""
    nodes = [node["id"] for node in run.graph.document["nodes"] if node["id"] not in run.unsaid]
    made = {"status": "suspended" if run.status == "running" else run.status,
            "executions": {node: run.executions.get(node, {"$absent": 1}) for node in nodes},
            "vars": run.vars,
            "inputs": {name: given for name, given in run.inputs.items() if not name.endswith("~comp") and name not in run.unsaid_inputs},
            "compensation": run.compensation, "compensationFailed": run.compensation_failed}
    if not run.compensation_failed:  # Whether each attempt is listed is not said.
        made["compensationInputs"] = run.compensation_inputs
    if run.compensation:
        made["compensated"] = True
    if run.status == "failed":
        made["errorCode"] = run.error.code
    if run.handled:
        made["handledError"] = True
    loops = [node for node in run.top.outputs if run.graph.type(node) == "for_each" and "count" in run.top.outputs[node]]
    made["outputs"] = {node: run.top.outputs[node] for node in loops}
    return made


def settle(case, orders=ORDERS):
    try:
        if "triggers" in case["definitions"][0]:
            return settle_triggers(case)
        first = played(case, "first")
        expected = view(first)
        for order in orders if first.crowded else ():
            if not same(expected, view(played(case, order))):
                raise Unsettled("the order of simultaneous things")
    except Undecided as error:
        raise Unsettled(str(error)) from error
    return {**case, "expect": {"instances": {"i": expected}}}
