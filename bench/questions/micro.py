"""How many instructions do JSON, expressions and JSONPath take?"""

import re
import subprocess

from measure import Answer, number, percent

FEW, MANY = 20, 220  # Runs under callgrind; what they have in common cancels out.


def instructions(bench, operation, rounds):
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", bench.out / "bench" / "micro", operation, str(rounds)],
                          capture_output=True, text=True)
    counted = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not counted:
        raise SystemExit(f"callgrind failed: {done.stderr}")
    return int(counted[1])


def measure_one(bench, operation):
    native = bench.program("micro", operation, bench.pick(20000, 200000))
    return {"instructions": (instructions(bench, operation, MANY) - instructions(bench, operation, FEW)) / (MANY - FEW), **native}


def ask(bench):
    answer = Answer("JSON, expressions, JSONPath", "One operation each on an order of about 1 KiB. Instructions are callgrind's, and the same in every run; nanoseconds are of the "
                    "program as it is. Floors: copying the text, and the comparison written in C.")
    rows = answer.table(["operation", "instructions", "ns", "spread of ns"])
    names = subprocess.run([bench.out / "bench" / "micro"], capture_output=True, text=True, check=True).stdout.strip().split("\n")
    for name in names:
        figures = bench.repeat(lambda: measure_one(bench, name))
        answer.keep(name, figures)
        rows.append([f"`{name}`".replace("|", "\\|"), number(figures.median("instructions")), number(figures.median("ns")), percent(figures.spread("ns"))])
    return answer
