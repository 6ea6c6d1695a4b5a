"""The engine against an independent reading of the rules of models of entities.

    PAWL_BINARY        the program to test (default: build/pawl); test/model/eval_schema lies beside it
    PAWL_MODEL_SEEDS   how many generated models, with some values each (default 2000)
    PAWL_MODEL_FIRST   the first seed (default 1)
"""

import json
import os
import pathlib
import random
import subprocess
import unittest

from condition_model import Number
from schema_model import LEVELS, told

SEEDS = int(os.environ.get("PAWL_MODEL_SEEDS", "2000"))
FIRST = int(os.environ.get("PAWL_MODEL_FIRST", "1"))
PROGRAM = pathlib.Path(os.environ.get("PAWL_BINARY", "build/pawl")).parent / "test" / "model" / "eval_schema"
BATCH = 5000
SHOWN_MAX = 5
NAMES = ["a", "b", "c", "d"]
NUMBERS = ["0", "1", "-7", "1.0", "1e2", "2147483647", "2147483648", "-2147483648", "-2147483649", "9223372036854775807", "9223372036854775808",
           "-9223372036854775808", "170141183460469231731687303715884105727", "170141183460469231731687303715884105728", "1e40", "1e400", "-0.0",
           "1.5", "0.1", "123456789012345.5", "12345678901234.5", "0.000000000000000001", "0.0000000000000000001", "1e-292", "1e-293", "1e-294",
           "123456789012345678.5", "170141183460469231731.687303715884105727", "170141183460469231731.687303715884105728", "1.23456789012345678901e-5"]


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def leaf(self):
        kind = self.random.random()
        if kind < 0.55:
            return Number(self.random.choice(NUMBERS))
        if kind < 0.7:
            return self.random.choice(["x", "2024", "2024-05-01", ""])
        return self.random.choice([True, False, None, None])

    def value(self, depth):
        kind = self.random.random()
        if depth and kind < 0.22:
            return self.document(depth - 1)
        if depth and kind < 0.42:
            return [self.value(depth - 1) for _ in range(self.random.randrange(4))]
        return self.leaf()

    def document(self, depth):
        return {name: self.value(depth) for name in self.random.sample(NAMES, self.random.randrange(len(NAMES) + 1))}

    def case(self):
        samples = [self.document(2) for _ in range(self.random.randrange(1, 4))]
        values = [self.changed(self.random.choice(samples)) for _ in range(self.random.randrange(1, 5))]
        if self.random.random() < 0.2:
            samples[0] = [samples[0], self.document(2)]  # Several in one.
        case = {"samples": samples, "level": self.random.choice(LEVELS), "values": values}
        return {**case, "paths": paths_of(case)}

    def changed(self, value):
        """Something like it: else hardly any value would fit."""
        if isinstance(value, list) and value and self.random.random() < 0.9:
            kept = [self.changed(self.random.choice(value)) for _ in range(self.random.randrange(4))]
            return kept if not isinstance(value[0], dict) or self.random.random() < 0.5 else self.as_document(kept)
        if isinstance(value, dict):
            made = {name: self.changed(part) for name, part in value.items() if self.random.random() < 0.8}
            if self.random.random() < 0.15:
                made[self.random.choice(NAMES)] = self.value(2)
            return made
        return self.value(1) if self.random.random() < 0.15 else value

    def as_document(self, kept):
        return next((one for one in kept if isinstance(one, dict)), {})


def paths_of(case):
    """Every place of every sample and value, as steps."""
    found = {()}

    def walk(value, steps):
        found.add(steps)
        for name, part in value.items() if isinstance(value, dict) else ():
            walk(part, (*steps, name))
        for part in value if isinstance(value, list) else ():
            walk(part, (*steps, "*"))

    for sample in case["samples"]:
        for one in sample if isinstance(sample, list) else [sample]:
            walk(one, ())
    for value in case["values"]:
        walk(value, ())
    return sorted(found)


def shown(value):
    """JSON text with numbers as they are written."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(name)}:{shown(part)}" for name, part in value.items()) + "}"
    return "[" + ",".join(map(shown, value)) + "]" if isinstance(value, list) else json.dumps(value)


def line_of(case):
    paths = ["$" + "".join("[*]" if step == "*" else "." + step for step in path) for path in case["paths"]]
    return "".join(['{"samples":', shown(case["samples"]), ',"level":', json.dumps(case["level"]), ',"values":', shown(case["values"]),
                    ',"paths":', json.dumps(paths), "}"])


def answers(cases):
    done = subprocess.run([PROGRAM], input="".join(line_of(case) + "\n" for case in cases), capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        yield [sorted(part) if isinstance(part, list) else part for part in json.loads(line)[:-1]]


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


def shrink(case):
    while True:
        cases = []
        for name in ("samples", "values"):
            for less in smaller(case[name]):
                if name == "values" or less and [] not in less:
                    made = {**case, name: less}
                    cases.append({**made, "paths": paths_of(made)})
        differing = next((less for less, got in zip(cases, answers(cases)) if got != told(less)), None)
        if differing is None:
            return case
        case = differing


class SchemaModelTest(unittest.TestCase):
    def test_the_engine_does_what_the_model_expects(self):
        seen, different = {}, 0
        for first in range(FIRST, FIRST + SEEDS, BATCH):
            cases = [(seed, Maker(seed).case()) for seed in range(first, min(first + BATCH, FIRST + SEEDS))]
            for (seed, case), got in zip(cases, answers([case for _, case in cases])):
                for word in got[:len(case["values"])]:
                    seen[word.split()[0]] = seen.get(word.split()[0], 0) + 1
                if got != told(case):
                    different += 1
                    if different <= SHOWN_MAX:
                        self.show(seed, case)
        self.assertEqual(different, 0, "the engine differs from the model; see above")
        for word in ("fits", "grows", "BAD_REQUEST", "INCOMPATIBLE_TYPE", "POLYMORPHIC_SLOT"):
            self.assertGreater(seen.get(word, 0), SEEDS // 50, f"too few values are told {word} to tell anything: {seen}")

    @staticmethod
    def show(seed, case):
        small = shrink(case)
        print(f"\nseed {seed}, shrunk:", line_of(small), sep="\n")
        print("  model: ", told(small))
        print("  engine:", next(iter(answers([small]))))


if __name__ == "__main__":
    unittest.main()
