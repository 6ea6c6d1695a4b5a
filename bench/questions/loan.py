"""How fast is the pair of loan workflows: parallel checks, a table, decisions, a chained second workflow?"""

import json

from documents import members
from measure import ROOT, Answer, median, ms, spread

JOBS = ["validate-application", "credit-score", "fraud-screen", "approve-loan", "prepare-disbursement", "transfer-funds", "notify-disbursement"]
APPLICATION = {"applicant": {"name": "Ada Lovelace", "income": 54000, "email": "ada@example.com"}, "loanAmount": 250000, "currency": "EUR"}
# Every worker answers with the same, which is good enough for an approval.
RESULT = {"creditScore": 720, "fraudScore": 0.1, "checked": True}
TEXT = """examples/loan-application.json, which starts examples/loan-disbursement.json at its end: seven jobs, two of them in parallel,
a join, a decision table, two decisions, a transformation. A workflow is both together. Floor: eight records in an append-only log."""
COLUMNS = (("pairs/s", "perSecond", median), ("jobs/s", "jobsPerSecond", median), ("spread", "perSecond", spread), ("CPU µs", "cpuUs", median),
           ("CPU µs per job", "jobCpuUs", median), ("p50 ms", "p50Us", ms), ("p99 ms", "p99Us", ms), ("bytes", "bytes", median),
           ("floor/s", "floorPerSecond", median))
COMMANDS = 8  # A start and seven completions; the second workflow starts in the transaction that ends the first.


def run(bench, mode, in_flight):
    workflows = bench.pick(1000, 10000)
    examples = ROOT / "examples"
    with bench.engine() as engine:
        engine.deploy(*(json.loads((examples / f"loan-{part}.json").read_text()) for part in ("disbursement", "application")))
        result = bench.costed(engine, workflows, lambda: bench.load(
            engine, definition="LOS::loan-application-full", types=json.dumps(JOBS), jobs=len(JOBS), variables=members(APPLICATION),
            result=json.dumps(RESULT), mode=mode, in_flight=in_flight, workflows=workflows))
        return {**result, **bench.floor(in_flight, COMMANDS), "jobsPerSecond": result["perSecond"] * len(JOBS), "jobCpuUs": result["cpuUs"] / len(JOBS)}


def ask(bench):
    answer = Answer("The loan pair", TEXT)
    table = answer.table(["mode", "in flight"], COLUMNS)
    for mode, in_flight in (("single", 64), ("batch", 64), ("batch", 256)):
        figures = bench.repeat(lambda: run(bench, mode, in_flight))
        answer.keep(f"{mode} {in_flight}", figures)
        table.add([mode, in_flight], figures)
    return answer
