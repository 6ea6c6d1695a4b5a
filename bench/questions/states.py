"""What does a RELAY or SWITCH state of a Serverless Workflow cost?"""

from documents import STATES_DATA, states
from measure import Answer
from questions.pure import answer_both

STATES = 200
TEXT = f"""{STATES} states over about 1 KiB of data: a third inject, a third filter, a third choose. One command a workflow. Floor: one
record."""


def ask(bench):
    answer = Answer("Serverless Workflow, RELAY and SWITCH only", TEXT)
    return answer_both(bench, answer, states(STATES), STATES_DATA, STATES, bench.pick(200, 2000), ((64, bench.pick(1000, 10000)),))
