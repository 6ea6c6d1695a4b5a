"""How many instructions do JSON, expressions and JSONPath take?"""

import re
import shutil
import subprocess

from measure import Answer, median, spread

TEXT = """One operation each on an order of about 1 KiB. Instructions are callgrind's, and the same in every run; nanoseconds are of the
program as it is. Floors: copying the text, and the comparison written in C."""
COLUMNS = (("instructions", "instructions", median), ("ns", "ns", median), ("spread of ns", "ns", spread))

FEW, MANY = 20, 220  # Runs under callgrind; what they have in common cancels out.


def instructions(bench, operation, rounds):
    if not shutil.which("valgrind"):
        raise SystemExit("counting instructions needs valgrind: apt-get install valgrind")
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", bench.out / "bench" / "micro", operation, str(rounds)],
                          capture_output=True, text=True)
    counted = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not counted:
        raise SystemExit(f"callgrind failed: {done.stderr}")
    return int(counted[1])


def ask(bench):
    answer = Answer("JSON, expressions, JSONPath", TEXT)
    table = answer.table(["operation"], COLUMNS)
    names = subprocess.run([bench.out / "bench" / "micro"], capture_output=True, text=True, check=True).stdout.strip().split("\n")
    for name in names:
        taken = (instructions(bench, name, MANY) - instructions(bench, name, FEW)) / (MANY - FEW)
        figures = bench.repeat(lambda: {"instructions": taken, **bench.program("micro", name, bench.pick(20000, 200000))})
        answer.keep(name, figures)
        table.add([f"`{name}`".replace("|", "\\|")], figures)
    return answer
