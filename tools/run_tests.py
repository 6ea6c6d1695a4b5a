"""Runs test programs side by side and adds up what they say.

usage: run_tests.py PROGRAM...

A program is a cmocka binary, a Python file of unittest cases, or a command (quoted, with its
arguments) whose last line is "N passed, N failed". Passing programs are one line each; a failing one prints all its output. The last line is "N passed, N failed".
"""

import concurrent.futures
import os
import re
import shlex
import subprocess
import sys
import time

CMOCKA_RUN = re.compile(r"\[==========\] .*?(\d+) test\(s\) run")
CMOCKA_FAILED = re.compile(r"\[  FAILED  \] .*?(\d+) test\(s\), listed below")
UNITTEST_RUN = re.compile(r"^Ran (\d+) tests?", re.M)
UNITTEST_BAD = re.compile(r"(failures|errors)=(\d+)")
PLAIN = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$", re.M)
# Many programs wait more than they work, so there are three more of them than there are cores.
WORKERS = max(3, min(6, (os.cpu_count() or 1) + 3))
# The longest ones begin first: what begins last should be short. Each is a part of a program's name; the order is by seconds.
LONGEST = ("check-web quick", "tests/abuse/test_strangers.py", "on-postgres", "tests/crash/test_kill.py", "/sim ", "check-web", "tests/abuse/test_turns.py", "test/power/test_", "tests/power/test_neighbours.py", "tests/api/test_polling.py",
           "tests/postgres/", "tools/tidy.py", "tests/contract/test_openapi.py",
           "tests/api/test_order.py", "tests/crash/test_events.py", "tests/abuse/", "tests/crash/", "test/trigger/", "tests/api/test_bulk.py",
           "tests/cli/test_torture.py", "tests/api/test_mqtt.py", "tests/api/test_databases.py", "/test_random", "tests/model/", "tests/contract/test_timers.py",
           "tests/power/", "tests/contract/test_schemas.py", "tests/docs/", "tests/api/test_timers.py", "tests/")
UNITTEST_SKIPPED = re.compile(r"skipped=(\d+)")


def run(program):
    command = [sys.executable, "-W", "error::ResourceWarning", program] if program.endswith(".py") and " " not in program else shlex.split(program)
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    with process.stdout as output:
        text = output.read().decode("utf-8", "replace")
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return program, process.returncode, text, time.monotonic() - begin, used.ru_utime + used.ru_stime


def count(code, text):
    """How many cases passed, failed and were skipped."""
    plain = PLAIN.findall(text)
    if plain:
        passed, bad, skipped = (int(n or 0) for n in plain[-1])
        total = passed + bad + skipped
    elif UNITTEST_RUN.search(text):
        total = sum(int(n) for n in UNITTEST_RUN.findall(text))
        bad = sum(int(n) for _, n in UNITTEST_BAD.findall(text))
        skipped = sum(int(n) for n in UNITTEST_SKIPPED.findall(text))
    else:
        total = sum(int(n) for n in CMOCKA_RUN.findall(text))
        bad = sum(int(n) for n in CMOCKA_FAILED.findall(text))
        skipped = 0
    if code != 0 and bad == 0:
        bad, total = 1, max(total, 1)  # It crashed, or could not start.
    return total - bad - skipped, bad, skipped


def place(program):
    """Where the program stands among all of them."""
    return next((i for i, part in enumerate(LONGEST) if part in program), len(LONGEST))


def main(programs):
    passed = failed = skipped = 0
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        begun = [pool.submit(run, program) for program in sorted(programs, key=place)]
        for done in concurrent.futures.as_completed(begun):
            program, code, text, seconds, worked = done.result()
            good, bad, left = count(code, text)
            passed, failed, skipped = passed + good, failed + bad, skipped + left
            print(f"{'ok  ' if not bad else 'FAIL'} {program} {good} passed, {seconds:.1f} s ({worked:.1f} s of a core)", flush=True)
            if bad:
                print(text, flush=True)
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
