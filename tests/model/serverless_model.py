"""A reference interpreter of the Serverless Workflow dialect (draft of January 2020).

Written from the contract alone, section by section, without a look at the engine: where the two
differ, one of them misread it. It favours the contract's own words and order over speed.

    Instance     one run: its status, path, mailbox and children
    Visit        one stay in one state: the data "S" that error handlers see

Filters and errors are in data_flow.py, EVENT states in events_model.py; definitions, functions and
the steps of a scenario in scenario_model.py. Where the contract leaves something open,
world.open(question) takes one of two answers: a case whose end depends on the answer is not a case.
"""

import collections

from conditions import Context, choice_holds, parse_condition, truth
from data_flow import Failure, Halt, RetryExit, filtered, merged_outputs, placed, resolved
from durations import duration_ms, moment_ms, repetition
from events_model import EventWaiting
from jsonpath import path_of
from simulation import first_of
from validation import find_state
from values import NOTHING, UNKNOWN, Filtering, Nothing, Undecided, combine, combine_change

# What is longer or larger is a cycle, and no case.
STATES_MAX = 60
CALLS_MAX = 400
NODES_MAX = 3000


class Visit:
    """One stay in a state."""

    def __init__(self, state, data):
        self.state, self.data = state, data
        self.fired, self.with_events = None, None  # Of an EVENT state: the entry, and the data it works on.

    @property
    def filter(self):
        return self.state.get("filter") or {}

    def merged(self, base, result, default):
        """S' of 1.4: the result placed, or what the state makes of it without a resultPath."""
        path = self.filter.get("resultPath")
        return default() if path is None else placed(base, path, result)


class Scope:
    """Top level, or one branch."""

    def __init__(self, owner, top):
        self.states, self.start, self.name, self.top = owner["states"], owner["startsAt"], owner["name"], top


class Instance(EventWaiting):
    def __init__(self, world, document, name, parent=None):
        self.world, self.document, self.name, self.parent = world, document, name, parent
        self.status, self.output, self.error = "Running", None, None
        self.path, self.branch_paths, self.branch_runs = [], {}, collections.Counter()
        self.children, self.steps = [], 0
        self.started, self.ended = world.simulation.now, None
        self.mailbox, self.token, self.waiters = [], NOTHING, []
        self.task, self.finished, self.doing = None, None, None
        self.order = {id(state): number for number, state in enumerate(every_state(document))}

    @property
    def alive(self):
        return self.ended is None

    def begin(self, data):
        self.finished = self.world.simulation.spawn(self.live(data))

    def live(self, data):
        simulation = self.world.simulation
        self.task = simulation.spawn(self.run_scope(Scope(self.document, True), data))
        try:
            yield first_of([self.task])
        finally:
            self.end()

    def end(self):
        error, self.ended = self.task.error, self.world.simulation.now
        self.mailbox, self.waiters = [], []
        if error is None and self.task.done:
            self.status, self.output = "Success", self.task.value
        elif isinstance(error, Halt):
            self.status, self.error = "Fail", "TransitionException"
        elif isinstance(error, Failure):
            self.status = "Timeout" if error.name == "TimeoutException" else "Fail"
            self.error = error.name
        else:
            self.status = "Cancelled"
            self.task.cancel()

    # States and scopes (1.2)

    def run_scope(self, scope, data):
        state = find_state(scope.states, scope.start)
        if not scope.top:
            self.branch_runs[scope.name] += 1
        while True:
            self.steps += 1
            if self.steps > STATES_MAX or nodes_left(data, NODES_MAX) < 0:
                raise Undecided("a run that long or data that large")
            if scope.top:
                self.path.append(state["name"])
                self.doing = kind_of(state)
            else:
                self.branch_paths.setdefault(scope.name, []).append(state["name"])
            data, transition = yield from self.run_state(scope, state, data)
            if transition is None:
                return data
            if isinstance(transition, str):
                transition = {"nextState": transition}
            guard = transition.get("condition")
            if guard is not None and not truth(parse_condition(guard)(Context(data, {"stateOutputData": data}))):
                raise Halt()
            state = find_state(scope.states, transition["nextState"])

    def run_state(self, scope, state, data):
        if kind_of(state) == "RELAY":
            data = combine(data, state["inject"]) if "inject" in state else data
        visit = Visit(state, filtered(state.get("filter"), "inputPath", data))
        try:
            try:
                output, transition = yield from self.run_body(visit)
                return filtered(visit.filter, "outputPath", output), transition
            except Filtering as error:
                raise Failure("FilterException", state=state["name"]) from error
        except RetryExit as out:
            if out.failure is None:
                return filtered(visit.filter, "outputPath", out.output), out.transition
            return self.with_exception(visit.data, None, out.failure), out.transition
        except Failure as failure:
            return self.handled(scope, visit, failure)

    def run_body(self, visit):
        """(S', transition)."""
        state = visit.state
        if state.get("loop") is not None and kind_of(state) != "RELAY":
            output, transition = yield from self.run_loop(visit)
        elif kind_of(state) == "SWITCH":
            output, transition = visit.merged(visit.data, visit.data, lambda: visit.data), self.choose(state, [visit.data])
        else:
            result, default = yield from self.run_once(visit, visit.data)
            output, transition = visit.merged(visit.data, result, default), self.onward(visit)
        return output, transition

    def onward(self, visit):
        if visit.state.get("end") is True:
            return None
        if kind_of(visit.state) == "EVENT":
            if visit.fired is None:
                raise Undecided("a loop of no elements decides no transition")
            return visit.fired["transition"]
        return visit.state["transition"]

    def run_once(self, visit, data):
        """(Result, a function for S' without a resultPath). The data is S or a loop's element."""
        state = visit.state
        if kind_of(state) == "DELAY":
            yield from self.wait(state["timeDelay"])
        elif kind_of(state) == "OPERATION":
            return (yield from self.run_actions(visit, state, data))
        elif kind_of(state) == "EVENT":
            return (yield from self.await_event(visit, data))
        elif kind_of(state) == "PARALLEL":
            return (yield from self.run_branches(visit, data))
        elif kind_of(state) == "SUBFLOW":
            return (yield from self.run_child(visit, data))
        return data, lambda: data

    def wait(self, given):
        moment = moment_ms(given)
        now = self.world.simulation.now
        due = duration_ms(given) if moment is None else max(0, moment - self.world.clock_start - now)
        yield self.world.simulation.sleep(due)

    @staticmethod
    def choose(state, elements):
        """The transition of the first choice that matches, of the first element one matches for."""
        for element in elements:
            for choice in state["choices"]:
                if choice_holds(choice, element):
                    return choice["transition"]
        return state.get("default")

    # Errors (1.12)

    def with_exception(self, data, filter_, failure):
        filter_ = filter_ or {}
        value = filtered(filter_, "inputPath", failure.object())
        try:
            data = placed(data, filter_.get("resultPath") or "$.exception", value)
        except Filtering as error:
            raise Undecided("an error that cannot be placed") from error
        return filtered(filter_, "outputPath", data)

    def handled(self, scope, visit, failure):
        """(data, transition) of the first handler whose condition holds."""
        handlers = list(visit.state.get("onError", [])) if kind_of(visit.state) != "RELAY" else []
        if scope.top:
            handlers += self.document.get("onError", [])
        if not handlers:
            raise failure
        context = self.error_context(visit.data, failure)
        for handler in handlers:
            if truth(parse_condition(handler["condition"])(context)):
                return self.with_exception(visit.data, handler.get("filter"), failure), handler["transition"]
        raise failure

    @staticmethod
    def error_context(data, failure):
        error = failure.object()
        if isinstance(data, list):
            raise Undecided("an error beside data that is an array")
        root = {**(data if isinstance(data, dict) else {}), "exception": error, "error": error}
        return Context(root, {"exception": error, "error": error, "name": failure.name,
                              "message": failure.members["message"]})

    # Actions (1.4)

    def run_actions(self, visit, owner, data):
        actions = owner["actions"]
        if not actions:
            return data, lambda: data
        if owner.get("actionMode", "SEQUENTIAL").upper() == "PARALLEL":
            return (yield from self.run_together(visit, actions, data))
        memory = current = data
        output = None
        for action in actions:
            try:
                output = yield from self.run_action(visit, action, memory, current)
            except RetryExit as out:
                if out.failure is None:
                    out.output = self.early_output(visit, memory, data, out.output)
                raise
            if isinstance(output, dict):
                memory = combine(memory, output)
                current = memory
            else:
                current = output
        return output, lambda: memory if isinstance(output, dict) else output

    def early_output(self, visit, memory, data, output):
        """The normal output with the last result, the remaining actions skipped."""
        if visit.state.get("loop") is not None:
            raise Undecided("the normal output of a loop that is left early")
        memory = combine(memory, output) if isinstance(output, dict) else output
        return visit.merged(data, output, lambda: memory)

    def run_together(self, visit, actions, data):
        simulation = self.world.simulation
        tasks = [simulation.spawn(self.run_action(visit, action, data, data), simulation.current)
                 for action in actions]
        yield from self.all_or_first_error(tasks, visit, data)
        outputs = [task.value for task in tasks]
        return outputs, lambda: merged_outputs(data, outputs)

    def all_or_first_error(self, tasks, visit, data):
        """Waits for all; the first error or retry exit cancels the siblings."""
        waiting = list(tasks)
        while waiting:
            done = yield first_of(waiting)
            if done.error is not None:
                for task in tasks:
                    task.cancel()
                if isinstance(done.error, RetryExit) and done.error.failure is None:
                    if len(tasks) > 1:
                        raise Undecided("the normal output of some of several actions")
                    if visit.state.get("loop") is not None:
                        raise Undecided("the normal output of a loop that is left early")
                    outputs = [done.error.output]
                    done.error.output = visit.merged(data, outputs, lambda: merged_outputs(data, outputs))
                raise done.error
            waiting.remove(done)

    def run_action(self, visit, action, memory, current):
        """The action's output O."""
        filter_ = action.get("filter") or {}
        given = filtered(filter_, "inputPath", current)
        reference = action["functionref"]
        parameters = reference.get("parameters")
        request = given if parameters is None else resolved(parameters, given)
        used = collections.Counter()
        while True:
            try:
                response, failure = (yield from self.call(visit, action, request)), None
            except Failure as error:
                response, failure = None, error
            policy = self.policy_for(action, response, failure)
            if policy is None or not self.may_retry(policy, used):
                break
            yield self.world.simulation.sleep(retry_interval(policy))
        return self.settled(action, policy, memory, response, failure)

    def settled(self, action, policy, memory, response, failure):
        """What comes of the last attempt."""
        transition = policy.get("transition") if policy else None
        if failure is not None:
            raise RetryExit(transition, failure=failure) if transition else failure
        if policy is not None and transition is None:
            raise Failure("RetryLimitException")
        filter_ = action.get("filter") or {}
        path = filter_.get("resultPath")
        output = filtered(filter_, "outputPath", response if path is None else placed(memory, path, response))
        if policy is not None:
            raise RetryExit(transition, output=output)
        return output

    def call(self, visit, action, request):
        name = action["functionref"].get("refname", action["functionref"].get("refName"))
        answer = self.world.call(name, request, visit.state["name"])
        limit = action.get("timeout")
        if limit is None:
            return (yield answer)
        expiry = self.world.simulation.sleep(duration_ms(limit))
        if (yield first_of([answer, expiry])) is expiry:
            raise Failure("TimeoutException", state=visit.state["name"], function=name)
        return (yield answer)

    @staticmethod
    def policy_for(action, response, failure):
        """The first retry policy whose condition holds for the result or the error."""
        if failure is None:
            context = Context(response)
        else:
            names = {"exception": failure.object(), "error": failure.object()}
            context = Context(dict(names), names)
        for policy in action.get("retry", []):
            if truth(parse_condition(policy["condition"])(context)):
                return policy
        return None

    @staticmethod
    def may_retry(policy, used):
        """Counts a retry, if one is left."""
        interval = policy.get("interval")
        times, unbounded, _ = repetition(interval) if interval is not None else (None, False, 0)
        given = [limit for limit in (policy.get("max"), times) if limit is not None]
        if used[id(policy)] >= CALLS_MAX:
            raise Undecided("that many retries")
        if not (unbounded and not given) and used[id(policy)] >= min(given, default=0):
            return False
        used[id(policy)] += 1
        return True

    # Branches (1.9)

    def run_branches(self, visit, data):
        branches = visit.state["branches"]
        simulation = self.world.simulation
        owner = simulation.current
        tasks = [simulation.spawn(self.run_scope(Scope(branch, False), data), owner) for branch in branches]
        awaited = [task for branch, task in zip(branches, tasks) if branch.get("waitForCompletion") is True]
        for task in tasks:
            task.detached = bool(awaited) and task not in awaited
        if awaited:
            yield from self.all_awaited(tasks, awaited)
            counting = awaited
        else:
            counting = [(yield from self.first_success(tasks))]
            for task in tasks:
                task.detached = task not in counting
        outputs = [(branch["name"], task.value) for branch, task in zip(branches, tasks) if task in counting]

        def default():
            merged = data
            for name, output in outputs:
                merged = combine_change(data, merged, output if isinstance(output, dict) else {name: output})
            return merged
        return dict(outputs), default

    def all_awaited(self, tasks, awaited):
        waiting = list(awaited)
        while waiting:
            done = yield first_of(waiting)
            if done.error is not None:
                spared = self.world.open("an error in an awaited branch leaves detached ones alone")
                for task in awaited if spared else tasks:
                    task.cancel(detached_too=not spared)
                raise done.error.without_place() if isinstance(done.error, Failure) else done.error
            waiting.remove(done)

    def first_success(self, tasks):
        waiting, first_error = list(tasks), None
        while waiting:
            done = yield first_of(waiting)
            if done.error is None:
                return done
            if isinstance(done.error, Halt):
                raise Undecided("a denied transition in a branch nobody awaits")
            first_error = first_error or done.error
            waiting.remove(done)
        raise first_error.without_place()

    # Children (1.10)

    def run_child(self, visit, data):
        state = visit.state
        document = self.world.find_definition(state["workflowId"])
        awaited = state.get("waitForCompletion") is True
        if document is None or not isinstance(data, dict):
            raise Failure("SubFlowException", state=state["name"])
        child = self.world.create(document, None, self)
        self.children.append(child)
        child.begin(data)
        if not awaited:
            return data, lambda: data
        try:
            yield first_of([child.finished])
        except GeneratorExit:
            child.finished.cancel()
            raise
        if child.status == "Success":
            return child.output, lambda: combine(data, child.output)
        raise Failure(child.error, UNKNOWN)

    # Loops (1.11)

    def run_loop(self, visit):
        loop, state = visit.state["loop"], visit.state
        elements = path_of(loop["inputCollection"]).select(visit.data)
        if elements is NOTHING or not isinstance(elements, list):
            raise Filtering("no array to loop over")
        if kind_of(state) == "SWITCH":
            return (yield from self.loop_switch(visit, elements))
        collected = self.collection(visit)
        for index, element in enumerate(elements):
            if index and loop.get("timeDelay") is not None:
                yield from self.wait(loop["timeDelay"])
            result, _ = yield from self.run_once(visit, element)
            element = self.element_after(visit, element)
            value = self.iteration_value(visit, element, result)
            if collected is not None:
                collected = collected + [value]
            if self.completed(visit, collected, element, index, result, value):
                break
        return self.with_collection(visit, collected), self.onward(visit)

    def iteration_value(self, visit, element, result):
        path = visit.filter.get("resultPath")
        discarded = visit.state["loop"].get("outputCollection") is None
        if path is None or (discarded and self.world.open("a value that is discarded is not placed")):
            return result
        return placed(element, path, result)

    def element_after(self, visit, element):
        """The element, as what follows an iteration's body sees it."""
        if visit.with_events is not None and self.world.open("an event's data is part of the element"):
            return visit.with_events
        return element

    def collection(self, visit):
        """What outputCollection holds before the loop; None when values are discarded."""
        path = visit.state["loop"].get("outputCollection")
        if path is None:
            return None
        found = path_of(path).select(visit.data)
        late = self.world.open("a collection that cannot be is found out at the end")
        if found is NOTHING:
            if not late:
                placed(visit.data, path, [])
            return []
        if not isinstance(found, list) and not late:
            raise Filtering("the collection is no array")
        return found if isinstance(found, list) else []

    @staticmethod
    def with_collection(visit, collected):
        path = visit.state["loop"].get("outputCollection")
        if path is None:
            return visit.data
        if not isinstance(path_of(path).select(visit.data), (list, Nothing)):
            raise Filtering("the collection is no array")
        return placed(visit.data, path, collected)

    def completed(self, visit, collected, element, index, result, value):
        condition = visit.state["loop"].get("completionCondition")
        if condition is None:
            return False
        names = {"element": element, "index": index,
                 "result": value if self.world.open("the result a loop's condition sees is placed") else result}
        try:
            data = self.with_collection(visit, collected)
        except Filtering as error:
            raise Undecided("a condition over a collection that cannot be") from error
        if not isinstance(data, dict):
            raise Undecided("a loop's names beside data that is no object")
        return truth(parse_condition(condition)(Context({**data, **names}, names)))

    def loop_switch(self, visit, elements):
        loop, state = visit.state["loop"], visit.state
        if loop.get("outputCollection") is not None or loop.get("completionCondition") is not None:
            raise Undecided("what a SWITCH collects")
        for index, element in enumerate(elements):
            if index and loop.get("timeDelay") is not None:
                yield from self.wait(loop["timeDelay"])
            if any(choice_holds(choice, element) for choice in state["choices"]):
                return visit.data, self.choose(state, [element])
        return visit.data, state.get("default")


def nodes_left(value, budget):
    """What is left of a budget of nodes; negative when the value is larger."""
    budget -= 1
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for one in inner:
        if budget < 0:
            break
        budget = nodes_left(one, budget)
    return budget


def retry_interval(policy):
    return repetition(policy["interval"])[2] if policy.get("interval") is not None else 0


def kind_of(state):
    return state["type"].upper()


def every_state(scope):
    """States in the order they are written, those of branches inside their state."""
    for state in scope["states"]:
        yield state
        for branch in state.get("branches", []):
            yield from every_state(branch)
