"""Steps of definitions, short to write."""


def service(name, next_step=None, job_type=None, **more):
    step = {"id": name, "name": name, "type": "SERVICE_TASK", "jobType": job_type or name, **more}
    return {**step, "nextStep": next_step} if next_step else step


def person(name, next_step=None, **more):
    step = {"id": name, "name": name, "type": "USER_TASK", **more}
    return {**step, "nextStep": next_step} if next_step else step


def wait(name, next_step, **more):
    return {"id": name, "name": name, "type": "WAIT", "nextStep": next_step, **more}


def decide(name, branches):
    return {"id": name, "name": name, "type": "DECISION", "conditionalNextSteps": branches}


def transform(name, next_step, values):
    return {"id": name, "name": name, "type": "TRANSFORMATION", "nextStep": next_step, "transformations": values}


def table(name, next_step, rules, **more):
    return {"id": name, "name": name, "type": "DECISION_TABLE", "nextStep": next_step,
            "decisionTable": {"rules": rules}, **more}


def fork(name, branches, join_step):
    return {"id": name, "name": name, "type": "PARALLEL_GATEWAY", "parallelNextSteps": branches, "joinStep": join_step}


def join(name, next_step):
    return {"id": name, "name": name, "type": "JOIN_GATEWAY", "nextStep": next_step}


def end(name="end", **more):
    return {"id": name, "name": name, "type": "END", **more}


def timer(duration, target, interrupting=True):
    return {"type": "TIMER", "duration": duration, "interrupting": interrupting, "targetStepId": target}
