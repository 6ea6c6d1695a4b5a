"""What the campaign runs. model.py executes the same documents, so whatever is used here it must know."""

BOUND = 20.0    # Seconds behind its own time within which a request must be answered, whatever fails.
RETRIES = 1000  # The most there is: workers fail retryably as they like, and nobody gives up for it.


def step(name, kind, next_step=None, **more):
    made = {"id": name, "name": name, "type": kind, **more}
    return {**made, "nextStep": next_step} if next_step else made


def service(name, next_step, **more):
    return step(name, "SERVICE_TASK", next_step, jobType=name, retryCount=RETRIES, **more)


def timer(duration, target):
    return {"type": "TIMER", "duration": duration, "interrupting": True, "targetStepId": target}


END = step("end", "END")


def definition(name, *steps, **more):
    return {"id": name, "name": name, "steps": [*steps, END], **more}


DEFINITIONS = [
    # A line of jobs; its instances compete for a few business keys.
    definition("order", service("a", "b"), service("b", "c"), service("c", "end")),
    # One starts the other at its end, exactly once.
    definition("leg", service("finish", "end")),
    definition("relay", service("run", "end"), autoStartNextWorkflow=True, nextWorkflowId="leg"),
    # The same step three times.
    definition("circle", service("turn", "more"),
               step("more", "DECISION", conditionalNextSteps={"count < 3": "turn", "true": "end"})),
    # Branches whose jobs are done at the same time, and meet once.
    definition("split",
               step("fork", "PARALLEL_GATEWAY", parallelNextSteps=["left", "right"], joinStep="join"),
               service("left", "left2"), service("left2", "join"), service("right", "join"),
               step("join", "JOIN_GATEWAY", "after"), service("after", "end")),
    # A timer that must fire, and once.
    definition("nap", step("sleep", "WAIT", "never", boundaryEvents=[timer("PT0.7S", "woke")]),
               service("never", "end"), service("woke", "end")),
    # Two signals, of which one counts.
    definition("talk", step("hear", "WAIT", "say"), service("say", "end")),
    # A timer and a person in a race that one of them wins.
    definition("review", step("approve", "USER_TASK", "file", boundaryEvents=[timer("PT0.5S", "late")]),
               service("file", "end"), service("late", "end")),
    # A completion and a cancellation in a race.
    definition("vote", step("ballot", "USER_TASK", "end")),
    # Some fail for good.
    definition("risky", service("try", "end")),
]
BY_NAME = {d["id"]: d for d in DEFINITIONS}

# A schedule: each second is a slot, and starts one instance.
TICK = definition("tick", service("tock", "end"),
                  triggers=[{"id": "every-second", "type": "cron", "cronExpression": "* * * * * *", "misfirePolicy": "Discard"}])

# Begins with an event, and two more take it to its end. The last may come before it is waited for.
LATER = ["paid", "called"]
PARCEL = {
    "id": "parcel", "name": "parcel", "startsAt": "Begin",
    "triggers": [{"name": name, "source": "/shop", "type": name, "correlationToken": "$.data.parcel"} for name in ("placed", *LATER)],
    "functions": [{"name": "hand-over", "type": "worker"}],
    "states": [
        *({"name": name, "type": "EVENT", "eventActions": [{"condition": event, "actions": [], "transition": after}]}
          for name, event, after in (("Begin", "placed", "Wait"), ("Wait", "paid", "Call"), ("Call", "called", "Leave"))),
        {"name": "Leave", "type": "OPERATION", "end": True, "actions": [
            {"functionref": {"refname": "hand-over", "parameters": {name: "$." + name for name in ("parcel", *LATER)}},
             "filter": {"resultPath": "$['hand-over']"}}]}]}

STARTED = [d["id"] for d in DEFINITIONS if d["id"] != "leg"]
JOB_TYPES = [s["jobType"] for d in [*DEFINITIONS, TICK] for s in d["steps"] if "jobType" in s] + ["hand-over"]
UNMODELLED = ("tick", "parcel")  # They have rules of their own.

# The variable a step's workers count in. Branches that run at the same time have their own.
COUNTERS = {"left": "left_count", "left2": "left_count", "right": "right_count"}


def counter_of(step_id):
    return COUNTERS.get(step_id, "count")
