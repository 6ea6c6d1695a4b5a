"""The engine against an independent reading of the contract of conditions on entities.

    PAWL_BINARY        the program to test (default: build/pawl); test/model/eval_predicate lies beside it
    PAWL_MODEL_SEEDS   how many generated documents, with four conditions each (default 1000)
    PAWL_MODEL_FIRST   the first seed (default 1)
"""

import os
import pathlib
import subprocess
import unittest

from condition_generate import Raw, generate, shown
from condition_model import Number, Wrong, judge, parse

SEEDS = int(os.environ.get("PAWL_MODEL_SEEDS", "1000"))
FIRST = int(os.environ.get("PAWL_MODEL_FIRST", "1"))
PROGRAM = pathlib.Path(os.environ.get("PAWL_BINARY", "build/pawl")).parent / "test" / "model" / "eval_predicate"
BATCH = 5000
SHOWN_MAX = 5


def expected(case):
    try:
        result = judge(parse(case["condition"]), parse(case["data"]), parse(case["lifecycle"]))
        return "true" if result else "false"
    except Wrong as wrong:
        return f"wrong {wrong}"


def answers(cases):
    lines = "".join('{"condition":%(condition)s,"data":%(data)s,"lifecycle":%(lifecycle)s}\n' % case for case in cases)
    done = subprocess.run([PROGRAM], input=lines, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


# ---- the smallest case ----


def raw(value):
    """A parsed value, ready to be shown again."""
    if isinstance(value, Number):
        return Raw(value)
    if isinstance(value, dict):
        return {name: raw(part) for name, part in value.items()}
    return [raw(part) for part in value] if isinstance(value, list) else value


def smaller(value):
    """The value without one of its parts, at any depth."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else []
    for key, part in parts:
        rest = type(value)(value)
        del rest[key]
        yield rest
        for less in smaller(part):
            rest = type(value)(value)
            rest[key] = less
            yield rest


def smaller_cases(case):
    condition = raw(parse(case["condition"]))
    if condition["type"] == "group":
        for part in condition["conditions"] if isinstance(condition["conditions"], list) else []:
            yield dict(case, condition=shown(part))
    for name in ("condition", "data", "lifecycle"):
        for less in smaller(raw(parse(case[name]))):
            if name != "condition" or "type" in less:
                yield dict(case, **{name: shown(less)})


def shrink(case):
    while True:
        cases = list(smaller_cases(case))
        differing = [less for less, got in zip(cases, answers(cases)) if got != expected(less)]
        if not differing:
            return case
        case = differing[0]


class ConditionModelTest(unittest.TestCase):
    def test_the_engine_does_what_the_model_expects(self):
        seen, different = {}, 0
        for first in range(FIRST, FIRST + SEEDS, BATCH):
            seeds = range(first, min(first + BATCH, FIRST + SEEDS))
            cases = [(seed, case) for seed in seeds for case in generate(seed)]
            got = answers([case for _, case in cases])
            self.assertEqual(len(got), len(cases))
            for (seed, case), result in zip(cases, got):
                seen[result.split()[0]] = seen.get(result.split()[0], 0) + 1
                if result != expected(case):
                    different += 1
                    if different <= SHOWN_MAX:
                        self.show(seed, case)
        self.assertEqual(different, 0, "the engine differs from the model; see above")
        for result in ("true", "false", "wrong"):
            self.assertGreater(seen.get(result, 0), SEEDS // 50, f"too few cases are {result} to tell anything")

    @staticmethod
    def show(seed, case):
        small = shrink(case)
        print(f"\nseed {seed}, shrunk:", *(f"  {name}: {text}" for name, text in small.items()), sep="\n")
        print("  model: ", expected(small))
        print("  engine:", answers([small])[0])


if __name__ == "__main__":
    unittest.main()
