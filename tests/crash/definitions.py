"""What the load runs. Each definition is one thing a crash could break; `shapes` in checker.py
says how its history must look."""

RETRIES = 1000  # The most there is: workers fail retryably as they like, and nobody gives up for it.


def service(name, next_step, **more):
    step = {"id": name, "name": name, "type": "SERVICE_TASK", "jobType": name, "retryCount": RETRIES, **more}
    return {**step, "nextStep": next_step} if next_step else step


def timer(duration, target, interrupting):
    return {"type": "TIMER", "duration": duration, "interrupting": interrupting, "targetStepId": target}


END = {"id": "end", "name": "end", "type": "END"}


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
               {"id": "more", "name": "more", "type": "DECISION",
                "conditionalNextSteps": {"count < 3": "turn", "true": "end"}}),
    # Branches of different length that must meet once.
    definition("split",
               {"id": "fork", "name": "fork", "type": "PARALLEL_GATEWAY", "parallelNextSteps": ["left", "right"],
                "joinStep": "join"},
               service("left", "left2"), service("left2", "join"), service("right", "join"),
               {"id": "join", "name": "join", "type": "JOIN_GATEWAY", "nextStep": "after"},
               service("after", "end")),
    # A timer that must fire, and once: nobody sends the signal before its job was done.
    definition("nudge",
               {"id": "w", "name": "w", "type": "WAIT", "nextStep": "last",
                "boundaryEvents": [timer("PT0.15S", "note", False)]},
               service("note", None), service("last", "end")),
    # A timer and a person in a race that one of them wins.
    definition("review",
               {"id": "approve", "name": "approve", "type": "USER_TASK", "nextStep": "file",
                "boundaryEvents": [timer("PT0.1S", "late", True)]},
               service("file", "end"), service("late", "end")),
    # A completion and a cancellation in a race.
    definition("vote", {"id": "ballot", "name": "ballot", "type": "USER_TASK", "nextStep": "end"}),
    # Some fail for good, and some of those are tried again.
    definition("risky", service("try", "end")),
]

STARTED = [d["id"] for d in DEFINITIONS if d["id"] != "leg"]
JOB_TYPES = [s["jobType"] for d in DEFINITIONS for s in d["steps"] if "jobType" in s]

# Steps behind which an instance ends.
LAST_STEPS = {"c", "finish", "run", "after", "last", "file", "late", "try"}

# The variable a step's workers count in. Branches that run at the same time have their own: a
# job's payload is what the variables were when its step was entered.
COUNTERS = {"left": "left_count", "left2": "left_count", "right": "right_count", "note": "note_count"}


def counter_of(step):
    return COUNTERS.get(step, "count")
