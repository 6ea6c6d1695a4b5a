"""One instance, as the contract describes it: what each request does to it and what it may answer.

A state is immutable. A token is a place where the instance waits: a step, the number of the visit, the variables when it
was entered, and how many jobs of it have failed: each failure that is tried again makes a new job. `apply` gives the states that an operation may leave, or a sentence that says why it cannot have been answered so.

Operations are dictionaries; `op` is one of

    start      definition, variables                        first of all
    poll       step, visit, attempt, variables              a job was handed out
    complete   step, visit, attempt, variables              204 whether it counts or not
    fail       step, visit, attempt, retryable, marker      204 whether it counts or not
    extend     step, visit, attempt                         200: the job was open
    task, signal   step, variables                          204: counted; refused: the step did not wait
    cancel     marker                                       204: counted; refused: it had ended
    fire       step                                         a timer, which nobody sees
    read       status, steps, variables

`outcome` is ok, no (refused) or unknown (no answer; it may have happened or not). A refusal with `busy` says nothing about the instance.
"""

import dataclasses

from definitions import BY_NAME

OPEN, DONE, FAILED, CANCELLED = "open", "COMPLETED", "FAILED", "CANCELLED"
STATUSES = {"ACTIVE": OPEN, "WAITING": OPEN, DONE: DONE, FAILED: FAILED, CANCELLED: CANCELLED}


@dataclasses.dataclass(frozen=True)
class Token:
    step: str
    visit: int
    entered: frozenset               # The variables, as items.
    attempt: int = 0


@dataclasses.dataclass(frozen=True)
class State:
    definition: str
    status: str
    tokens: frozenset
    arrived: int                     # Tokens at the join.
    visits: tuple                    # (step, how many), sorted.
    variables: frozenset

    def token(self, step, visit=None):
        return next((t for t in self.tokens if t.step == step and visit in (None, t.visit)), None)

    def job(self, op):
        """The token whose job is open and is the one that is meant."""
        token = self.token(op["step"], op["visit"]) if self.status == OPEN else None
        return token if token and token.attempt == op.get("attempt", 0) else None

    def __str__(self):
        places = " ".join(sorted(f"{t.step}#{t.visit}" + (f" after {t.attempt} failures" if t.attempt else "") for t in self.tokens))
        return f"{self.definition} {self.status} [{places}] {show(self.variables)}"


def show(variables):
    return "{" + ", ".join(f"{k}: {v}" for k, v in sorted(variables, key=str)) + "}"


def items(variables):
    return frozenset(variables.items())


def merge(old, new):
    names = {name for name, _ in new}
    return frozenset(item for item in old if item[0] not in names) | new


STEPS = {name: {s["id"]: s for s in d["steps"]} for name, d in BY_NAME.items()}


def enter(state, step_id):
    """The state after a token has come to a step, and gone on if nothing holds it there."""
    waiting = [step_id]
    while waiting:
        step = STEPS[state.definition][waiting.pop()]
        kind = step["type"]
        if kind in ("SERVICE_TASK", "USER_TASK", "WAIT"):
            counts = dict(state.visits)
            counts[step["id"]] = counts.get(step["id"], 0) + 1
            token = Token(step["id"], counts[step["id"]], state.variables)
            state = dataclasses.replace(state, tokens=state.tokens | {token}, visits=tuple(sorted(counts.items())))
        elif kind == "DECISION":
            count = dict(state.variables)["count"]
            waiting.append(next(target for rule, target in step["conditionalNextSteps"].items()
                                if rule == "true" or count < int(rule.removeprefix("count < "))))
        elif kind == "PARALLEL_GATEWAY":
            waiting.extend(step["parallelNextSteps"])
        elif kind == "JOIN_GATEWAY":
            state = dataclasses.replace(state, arrived=state.arrived + 1)
            if state.arrived == 2:
                waiting.append(step["nextStep"])
        else:
            state = dataclasses.replace(state, status=DONE)
    return state


def leave(state, token, new, target=None):
    state = dataclasses.replace(state, tokens=state.tokens - {token}, variables=merge(state.variables, new))
    return enter(state, target or STEPS[state.definition][token.step]["nextStep"])


def apply(state, op):
    """A list of states, or a sentence."""
    if op["op"] == "start":
        return start(state, op)
    if state is None:
        return "the instance does not exist yet"
    return ACTIONS[op["op"]](state, op)


def start(state, op):
    if state:
        return "it has started before"
    first = BY_NAME[op["definition"]]["steps"][0]["id"]
    return [enter(State(op["definition"], OPEN, frozenset(), 0, (), items(op["variables"])), first)]


def job_name(op):
    return f"job {op['step']}#{op['visit']}" + (f" (attempt {op['attempt'] + 1})" if op.get("attempt") else "")


def poll(state, op):
    token = state.job(op)
    if not token:
        return f"{job_name(op)} was handed out, and it is not open"
    if token.entered != items(op["variables"]):
        return f"{job_name(op)} has the variables {show(items(op['variables']))}, and the step was entered with {show(token.entered)}"
    return [state]


def complete(state, op):
    token = state.job(op)
    return [leave(state, token, items(op["variables"])) if token else state]


def fail(state, op):
    """It counts only under the current delivery, of which a client cannot be sure."""
    token = state.job(op)
    if not token:
        return [state]
    if not op["retryable"]:
        return [dataclasses.replace(state, status=FAILED), state]
    return [dataclasses.replace(state, tokens=state.tokens - {token} | {dataclasses.replace(token, attempt=token.attempt + 1)}), state]


def extend(state, op):
    if not state.job(op):
        return f"the lease of {job_name(op)} was extended, and it is not open"
    return [state]


def answer(state, op):
    """Of a person, or a signal."""
    token = state.status == OPEN and state.token(op["step"])
    if op.get("busy"):
        return [state]
    if op["outcome"] == "no":
        return f"{op['op']} {op['step']} was refused, and the step waits for it" if token else [state]
    if token:
        return [leave(state, token, items(op["variables"]))]
    return [state] if op["outcome"] == "unknown" else f"{op['op']} {op['step']} was accepted, and the step does not wait for it"


def cancel(state, op):
    if op.get("busy"):
        return [state]
    if op["outcome"] == "no":
        return "the cancellation was refused, and it has not ended" if state.status == OPEN else [state]
    if state.status == OPEN:
        return [dataclasses.replace(state, status=CANCELLED)]
    return [state] if op["outcome"] == "unknown" else "the cancellation was accepted, and it had ended"


def fire(state, op):
    token = state.status == OPEN and state.token(op["step"])
    if not token:
        return [state]
    timer = STEPS[state.definition][op["step"]]["boundaryEvents"][0]
    return [leave(state, token, frozenset(), timer["targetStepId"])]


def read(state, op):
    status = STATUSES[op["status"]]
    if status != state.status:
        return f"the read shows {op['status']}, and it is {state.status}"
    if items(op["variables"]) != state.variables:
        seen = items(op["variables"])
        return f"the read lacks {show(state.variables - seen)} and has {show(seen - state.variables)} more"
    places = {token.step for token in state.tokens}
    if status == OPEN and op["steps"] is not None and set(op["steps"]) - {"join"} != places:
        return f"the read shows the steps {sorted(op['steps'])}, and it is at {sorted(places)}"
    return [state]


ACTIONS = {"poll": poll, "complete": complete, "fail": fail, "extend": extend, "task": answer, "signal": answer,
           "cancel": cancel, "fire": fire, "read": read}
