"""Runs test programs side by side and adds up what they say.

usage: run_tests.py [--skipped REASON]... PROGRAM...

A program is a cmocka binary, a Python file of unittest cases, or a command (quoted, with its
arguments) whose last line is "N passed, N failed". Passing programs are one line each; a failing one prints all its output. At the end there
is a line for each group of programs and for each reason to skip something; --skipped adds what the caller left out. The last line is
"N passed, N failed".
"""

import collections
import concurrent.futures
import os
import re
import shlex
import subprocess
import sys
import time

CMOCKA_RUN = re.compile(r"\[==========\] .*?(\d+) test\(s\) run")
CMOCKA_FAILED = re.compile(r"\[  FAILED  \] .*?(\d+) test\(s\), listed below")
CMOCKA_SKIPPED = re.compile(r"\[  SKIPPED \] .*?(\d+) test\(s\), listed below")
UNITTEST_RUN = re.compile(r"^Ran (\d+) tests?", re.M)
UNITTEST_BAD = re.compile(r"(failures|errors)=(\d+)")
UNITTEST_SKIPPED = re.compile(r"skipped=(\d+)")
PLAIN = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$", re.M)
# How a program says why it skips: unittest with -v, a C program in a line of its own, and this program inside of itself.
REASONS = (re.compile(r"\.\.\. skipped (['\"])(?P<reason>.*)\1$", re.M), re.compile(r"^skipped(?: (?P<times>\d+))?: (?P<reason>.*)$", re.M))
REPEATED = re.compile(r"^repeated(?: \d+)?: (.*)$", re.M)  # tests/api/pace.py
# Many programs wait more than they work, so there are three more of them than there are cores.
WORKERS = max(3, min(6, (os.cpu_count() or 1) + 3))
# The longest ones begin first: what begins last should be short. Each is a part of a program's name; the order is by seconds.
LONGEST = ("check-web quick", "tests/abuse/test_strangers.py", "on-postgres", "tests/crash/test_kill.py", "/sim ", "check-web", "tests/abuse/test_turns.py", "test/power/test_", "tests/power/test_neighbours.py", "tests/api/test_polling.py",
           "tests/postgres/", "tools/tidy.py", "tests/contract/test_openapi.py",
           "tests/api/test_order.py", "tests/crash/test_events.py", "tests/abuse/", "tests/crash/", "test/trigger/", "tests/api/test_bulk.py",
           "tests/cli/test_torture.py", "tests/api/test_mqtt.py", "tests/api/test_databases.py", "/test_random", "tests/model/", "tests/contract/test_timers.py",
           "tests/power/", "tests/contract/test_schemas.py", "tests/docs/", "tests/api/test_timers.py", "tests/")
# The group of a program is that of the first pattern that its name has.
GROUPS = ((r"three-on-postgres", "three nodes"), (r"on-postgres", "one node on PostgreSQL"), (r"check-web", "web"), (r"/sim |tests/sim/", "sim"),
          (r"pawl test ", "scenarios"), (r"tools/", "tidy"), (r"/replay/", "fuzz replays"), (r"test/power/", "power"), (r"test/(\w+)/", "unit {}"),
          (r"tests/(\w+)/", "{}"))
LONG_COUNT = 5  # How many of the longest programs are named at the end.

Result = collections.namedtuple("Result", "program code text seconds worked passed failed skipped")


def run(program):
    command = [sys.executable, "-W", "error::ResourceWarning", program, "-v"] if program.endswith(".py") and " " not in program else shlex.split(program)
    begin = time.monotonic()
    try:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    except OSError as error:
        return Result(program, 127, str(error), 0.0, 0.0, 0, 1, 0)
    with process.stdout as output:
        text = output.read().decode("utf-8", "replace")
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = code = os.waitstatus_to_exitcode(status)
    return Result(program, code, text, time.monotonic() - begin, used.ru_utime + used.ru_stime, *count(code, text))


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
        skipped = sum(int(n) for n in CMOCKA_SKIPPED.findall(text))
    if code != 0 and bad == 0:
        bad, total = 1, max(total, 1)  # It crashed, or could not start.
    return max(0, total - bad - skipped), bad, skipped  # A class that is skipped as a whole did not run.


def place(program):
    """Where the program stands among all of them."""
    return next((i for i, part in enumerate(LONGEST) if part in program), len(LONGEST))


def group(program):
    found = ((re.search(pattern, program), name) for pattern, name in GROUPS)
    return next((name.format(*match.groups()) for match, name in found if match), "others")


def reasons(results):
    """How often something was skipped, for each reason."""
    times = collections.Counter()
    for result in results:
        told = [match for pattern in REASONS for match in pattern.finditer(result.text)]
        for match in told:
            times[match["reason"]] += int(match.groupdict().get("times") or 1)
        if result.skipped and not told:
            times[f"{result.program} does not say why"] += result.skipped
    return times


def print_groups(results):
    """What each group took, the longest first. Its seconds are those of its programs one after the other."""
    groups = collections.defaultdict(list)
    for result in results:
        groups[group(result.program)].append(result)
    for name, members in sorted(groups.items(), key=lambda item: -sum(one.seconds for one in item[1])):
        seconds, worked = sum(one.seconds for one in members), sum(one.worked for one in members)
        print(f"{seconds:7.1f} s {worked:7.1f} s of a core  {name} ({len(members)} programs, {sum(one.passed for one in members)} passed)")
    longest = sorted(results, key=lambda one: -one.seconds)[:LONG_COUNT]
    print("longest: " + ", ".join(f"{os.path.basename(one.program.split()[-1])} {one.seconds:.1f} s" for one in longest))


def print_skipped(times):
    for reason, number in sorted(times.items()):
        print(f"skipped {number}: {reason}")


def print_repeated(results):
    """Tests that had to be repeated with longer moments: the machine was too slow, or the engine was."""
    for result in results:
        for text in REPEATED.findall(result.text):
            print(f"repeated: {text}")


def run_all(programs):
    """The results of all, each of them printed when it is there."""
    results = []
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        begun = [pool.submit(run, program) for program in sorted(programs, key=place)]
        for done in concurrent.futures.as_completed(begun):
            one = done.result()
            results.append(one)
            print(f"{'ok  ' if not one.failed else 'FAIL'} {one.program} {one.passed} passed, {one.seconds:.1f} s ({one.worked:.1f} s of a core)", flush=True)
            if one.failed:
                print(one.text, flush=True)
    return results


def main(arguments):
    left_out, programs = collections.Counter(), list(arguments)
    while programs[:1] == ["--skipped"]:
        left_out[programs[1]] += 1
        del programs[:2]
    results = run_all(programs)
    if len(results) > 1:
        print_groups(results)
    print_skipped(reasons(results) + left_out)
    print_repeated(results)
    passed, failed, skipped = (sum(getattr(one, name) for one in results) for name in ("passed", "failed", "skipped"))
    skipped += sum(left_out.values())
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
