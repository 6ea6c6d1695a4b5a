"""Scenarios, played by the model: definitions, mocks, calls, events, and the view of the end."""

import collections
import copy

from conditions import operands, parse_event_condition
from data_flow import Failure, Halt, RetryExit
from durations import duration_ms, moment_ms
from events_model import Event
from jsonpath import path_of
from serverless_model import CALLS_MAX, Instance, Scope
from simulation import Future, Simulation
from validation import Invalid, check_definition, definition_id, find_state
from values import NOTHING, UNKNOWN, Filtering, Undecided, same

CLOCK_START = "2026-01-01T00:00:00Z"


class World:
    def __init__(self, order="first", turned=()):
        """order: of simultaneous things; turned: open questions answered with yes."""
        self.simulation = Simulation(order, (Failure, Halt, RetryExit, Filtering))
        self.turned, self.asked = set(turned), set()
        self.clock_start = moment_ms(CLOCK_START)
        self.definitions, self.instances, self.calls = [], [], []
        self.mocks, self.used = {}, collections.Counter()
        self.in_flight, self.glances = 0, []
        self.seen_events, self.rejected, self.first_start = set(), False, None

    def open(self, question):
        self.asked.add(question)
        return question in self.turned

    def find_definition(self, wanted):
        for key in (definition_id, lambda document: document["name"]):
            found = [document for document in self.definitions if key(document) == wanted]
            if found:
                return max(found, key=lambda document: version_of(document))
        return None

    def create(self, document, name, parent=None):
        instance = Instance(self, document, name, parent)
        self.instances.append(instance)
        return instance

    # Functions

    def call(self, function, request, state):
        if len(self.calls) > CALLS_MAX:
            raise Undecided("that many calls")
        self.calls.append((function, request))
        results = self.mocks[function]
        result = results[min(self.used[function], len(results) - 1)]
        self.used[function] += 1
        answer = Future()
        self.in_flight += 1
        delay = self.simulation.sleep(duration_ms(result.get("delay", 0)))
        delay.watch(lambda _: self.answer(answer, result, function, request, state))
        return answer

    def answer(self, future, result, function, request, state):
        self.in_flight -= 1
        if "fail" in result:
            name = result.get("name", "FunctionExecutionException")
            future.resolve(error=Failure(name, result.get("message", UNKNOWN), state=state, function=function))
        else:
            future.resolve(request if result.get("echo") else result["ok"])

    # Steps

    def play(self, case):
        try:
            for document in case["definitions"]:
                check_definition(document)
                self.definitions.append(document)
            for step in case["steps"]:
                getattr(self, "step_" + step["op"])(step)
                self.simulation.settle()
        except Invalid:
            self.rejected = True
        return self

    def step_mock(self, step):
        self.mocks[step["function"]] = step["results"]

    def step_start(self, step):
        document = self.find_definition(step["definition"]) if "definition" in step else self.definitions[-1]
        data = step.get("input", {})
        if not isinstance(data, dict):
            raise Invalid("an input that is no object")
        if self.first_start is None:
            self.first_start = self.simulation.now
        self.create(document, step.get("as")).begin(data)

    def step_run(self, _step):
        self.simulation.run_to(None)

    def step_advance(self, step):
        self.simulation.run_to(self.simulation.now + duration_ms(step["by"]))

    def step_restart(self, _step):
        if self.in_flight:
            raise Undecided("calls that are under way when the engine stops")

    def step_assert(self, step):
        found = next(instance for instance in self.instances if instance.name == step["instance"])
        self.glances.append({key: copy.copy(value) for key, value in view(found).items() if key in ("path", "status", "elapsed")})

    def step_event(self, step):
        if "at" in step:
            due = self.first_start + duration_ms(step["at"])
            if due < self.simulation.now:
                raise Undecided("an event of the past")
            if self.open("events come before timers of the same instant"):
                due -= 1
            self.simulation.run_to(due)
        event = Event(step["event"], len(self.seen_events))
        key = (event.message["source"], event.message["id"])
        if key in self.seen_events:
            return
        self.seen_events.add(key)
        for document in self.definitions:
            for trigger in document.get("triggers", []):
                if (trigger["source"], trigger["type"]) == (event.message["source"], event.message["type"]):
                    self.deliver(document, trigger, event)

    def deliver(self, document, trigger, event):
        token = token_of(trigger, event.message)
        takers = [instance for instance in self.instances if instance.document is document and instance.alive
                  and takes(instance, token)]
        without = [instance for instance in takers if token is not NOTHING and instance.token is NOTHING]
        if without and len(without) < len(takers) and self.open("an instance of that token keeps others from adopting it"):
            takers = [instance for instance in takers if instance not in without]
        if not takers and starts_with(document, trigger):
            instance = self.create(document, None)
            instance.begin({})
            takers = [instance]
        for instance in takers:
            if token is not NOTHING:
                instance.token = token
            instance.receive(trigger["name"], event)


def version_of(document):
    return [int(part) if part.isdigit() else 0 for part in document.get("version", "1.0").split(".")]


def token_of(trigger, message):
    """NOTHING when the trigger declares none."""
    declared = trigger.get("correlationToken")
    if declared is None:
        return NOTHING
    if not declared.startswith("$"):
        found = message.get(declared, NOTHING)
    else:
        found = path_of(declared).select(message)
        if found is NOTHING:
            found = path_of(declared).select(message.get("data"))
    if found is NOTHING:
        raise Undecided("an event without the token its trigger declares")
    return found


def takes(instance, token):
    return token is NOTHING or instance.token is NOTHING or same(instance.token, token)


def starts_with(document, trigger):
    """Whether startsAt is an EVENT state that mentions the trigger."""
    scope = Scope(document, True)
    state = find_state(scope.states, scope.start)
    if state["type"].upper() != "EVENT":
        return False
    return any(trigger["name"] in names for entry in state["eventActions"]
               for names, _ in operands(parse_event_condition(entry["condition"], document["triggers"])))


# The view

def view(instance):
    """What the scenario runner shows of an instance, as far as the contract fixes it."""
    seen = {"path": instance.path, "children": children_view(instance), **status_of(instance)}
    # Runs of one branch overlap when a loop leaves some behind.
    seen["branchPaths"] = {name: path for name, path in instance.branch_paths.items() if instance.branch_runs[name] == 1}
    if instance.alive:
        return seen
    seen["elapsed"] = (instance.ended - instance.started) / 1000
    if instance.status == "Success":
        seen["output"] = instance.output
    elif instance.error:
        seen["error"] = {"name": instance.error}
    return seen


def status_of(instance):
    """The contract names no status of what was cancelled, nor of one whose branch or child waits."""
    if instance.alive:
        return {"status": "Waiting"} if instance.doing == "EVENT" and instance.waiters else {}
    return {} if instance.status == "Cancelled" else {"status": instance.status}


def children_view(instance):
    return [{"workflowId": definition_id(child.document), **status_of(child), **output_of(child)} for child in instance.children]


def output_of(instance):
    return {"output": instance.output} if not instance.alive and instance.status == "Success" else {}
