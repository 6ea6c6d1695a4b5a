"""Every field of every document is obeyed, refused or warned about.

fields.py lists all fields. fields.json says for each how a test shows its effect, by one of these:

    {"case": "file: name", "at": 0, "set": 5}   the case fails if the field is taken out of the definition, or set to
                                                another value; `at` counts the parts of the case that have the field
    {"case": …, "refused": true}                the same, and the engine refuses that definition
    {"like": "graph/document/priority"}         the case of that field, with its value in this one: another name, or another place
    {"probe": "task", "at": 0, "set": 5}        the API shows the same of the definition, except without the field (probes.py)
    {"test": "tests/api/test_x.py: test_y"}     this test shows it, and mentions the field
    {"kept": true}                              an annotation: the API gives it back with the definition

A field that is not in the table must earn a warning or an error wherever it is written. So does one that nobody knows.
`python3 tests/contract/test_fields.py --suggest` looks for cases that show what is missing in the table.
"""

import copy
import functools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

import engine
from fields import ROOT, all_parts, token, walk
from probes import PROBES

BINARY = os.environ.get("PAWL_BINARY") or str(ROOT / "build" / "pawl")
TABLE = ROOT / "tests" / "contract" / "fields.json"
SCENARIOS = sorted((ROOT / "tests" / "scenario").glob("*.json"))
OPEN = {"serverless/extension"}  # Parts that may have any member.
WITHOUT_EFFECT = {"UNKNOWN_FIELD", "NOT_ALLOWED_HERE", "IGNORED", "REMOVED_FIELD", "UNSUPPORTED"}


# ---- scenarios ----

@functools.cache
def whole_cases():
    """{"file: case": (the file without cases, the case with all its definitions)}, of cases that expect no refusal."""
    cases = {}
    for path in SCENARIOS:
        content = json.loads(path.read_text())
        frame = {name: value for name, value in content.items() if name not in ("cases", "definitions")}
        for case in content["cases"]:
            expect = case.get("expect", {})
            if expect.get("rejected") or expect.get("publishErrors"):
                continue
            case = {**case, "definitions": content.get("definitions", []) + case.get("definitions", [])}
            cases[f"{path.name}: {case['name']}"] = (frame, case)
    return cases


def definitions_of(case):
    return case["definitions"] + [step["definition"] for step in case.get("steps", [])
                                  if step.get("op") == "publish" and isinstance(step.get("definition"), dict)]


def parts_with(case, part, field):
    """The objects of the part that have the field, in the order of the case."""
    return [value for definition in definitions_of(case) for name, value, _ in walk(definition) if name == part and field in value]


def mutated(case, part, field, entry):
    case = copy.deepcopy(case)
    value = parts_with(case, part, field)[entry.get("at", 0)]
    if "set" in entry:
        value[field] = entry["set"]
    else:
        del value[field]
    return case


def with_other_name(case, key, entry):
    """The case in which this field has the value of the field that the entry is like."""
    case = copy.deepcopy(case)
    (part, field), (other_part, other) = split_key(key), split_key(entry["like"])
    for definition in definitions_of(case):
        owners = [value for name, value, _ in walk(definition) if name == other_part and other in value]
        for owner in owners:
            target = owner
            if (other_part, part) == ("graph/document", "graph/settings"):
                target = owner.setdefault("settings", {})
            elif (other_part, part) == ("graph/settings", "graph/document"):
                target = definition
            target[field] = owner.pop(other)
    return case


def play(cases, seconds=60):
    """Plays {name: (frame, case)} in one process: {name: what went wrong, or None}."""
    frames = {}
    for name, (frame, case) in cases.items():
        frames.setdefault(json.dumps(frame, sort_keys=True), (frame, []))[1].append({**case, "name": name})
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for i, (frame, listed) in enumerate(frames.values()):
            files.append(pathlib.Path(folder, f"{i:03}.json"))
            files[-1].write_text(json.dumps({**frame, "cases": listed}))
        done = subprocess.run([BINARY, "test", "--json", *map(str, files)], capture_output=True, text=True, timeout=seconds)
        return {row["name"]: None if row["passed"] else row.get("problem") or "differs" for row in json.loads(done.stdout)["cases"]}


def is_refusal(problem):
    return problem is not None and problem.startswith("a definition was refused")


# ---- documents ----

@functools.cache
def examples():
    """A valid document for each part: {part: (document, pointer)}, the shortest one that the scenarios have."""
    texts = {json.dumps(definition) for _, case in whole_cases().values() for definition in definitions_of(case)}
    definitions = [json.loads(text) for text in sorted(texts, key=lambda text: (len(text), text))]
    found = {}
    for definition, problems in zip(definitions, problems_of(definitions)):
        if not any(problem["severity"] == "error" for problem in problems):
            for part, _, pointer in walk(definition):
                found.setdefault(part, (definition, pointer))
    return found


@functools.cache
def values_of_fields():
    """A value that some document has for a field of a part, or of any part of a family: {(part or family, field): value}."""
    values = {}
    for _, case in whole_cases().values():
        for definition in definitions_of(case):
            for part, value, _ in walk(definition):
                for field in value:
                    for owner in (part, part.split("/")[0]):
                        values[owner, field] = values.get((owner, field)) or value[field]
    return values


def value_for(part, field):
    values = values_of_fields()
    return values.get((part, field), values.get((part.split("/")[0], field), "x"))


def part_at(document, pointer):
    for step in pointer.split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        document = document[int(step)] if isinstance(document, list) else document[step]
    return document


def with_member(document, pointer, field, value):
    document = copy.deepcopy(document)
    part_at(document, pointer)[field] = value
    return document


def problems_of(documents):
    """What `pawl validate` says of each document."""
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for i, document in enumerate(documents):
            files.append(pathlib.Path(folder, f"{i:04}.json"))
            files[-1].write_text(json.dumps(document))
        done = subprocess.run([BINARY, "validate", "--json", *map(str, files)], capture_output=True, text=True, timeout=60)
        return [row["problems"] for row in json.loads(done.stdout)]


def split_key(key):
    part, _, field = key.rpartition("/")
    return part, field


def keys():
    return [f"{part}/{field}" for part, fields in all_parts().items() for field in fields]


def silent_fields(table):
    """Fields without an entry that are accepted without a word."""
    shown = examples()
    asked = [(key, *split_key(key)) for key in keys() if key not in table]
    known = [(key, part, field) for key, part, field in asked if part in shown]
    documents = [with_member(*shown[part], field, value_for(part, field)) for _, part, field in known]
    silent = [key for key, part, _ in asked if part not in shown]
    for (key, part, field), problems in zip(known, problems_of(documents)):
        pointer = f"{shown[part][1]}/{token(field)}"
        if not any(problem["pointer"] == pointer and problem["code"] in WITHOUT_EFFECT for problem in problems):
            silent.append(key)
    return silent


class Fields(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.table = json.loads(TABLE.read_text())

    def test_the_table_names_fields_that_exist(self):
        self.assertEqual(set(self.table) - set(keys()), set())

    def test_each_field_has_an_effect(self):
        cases, played, entries = whole_cases(), {}, {}
        for key, entry in self.table.items():
            shown = {**self.table[entry["like"]], **entry} if "like" in entry else entry
            if "case" in shown:
                frame, case = cases[shown["case"]]
                name = f"{shown['case']} with {key}" if "like" in entry else shown["case"]
                case = with_other_name(case, key, entry) if "like" in entry else case
                played[name] = (frame, case)
                played[key] = (frame, mutated(case, *split_key(key), shown))
                entries[key] = shown
        for name, problem in play(played).items():
            if name in entries:
                self.assertIsNotNone(problem, f"{name} has no effect in {entries[name]}")
                self.assertEqual(is_refusal(problem), entries[name].get("refused", False), f"{name}: {problem}")
            else:
                self.assertIsNone(problem, name)

    def test_the_api_shows_effects(self):
        server = engine.Engine("--allow-private-calls", "--grpc", "127.0.0.1:0")
        self.addCleanup(server.stop)
        for name, (bases, observe) in PROBES.items():
            asked = [(None, base) for base in bases]
            for key, entry in self.table.items():
                if entry.get("probe") == name:
                    asked.append((key, self.probed(bases, key, entry)))
            seen = observe(server, [document for _, document in asked])
            self.assertNotIn("refused", seen[:len(bases)], name)
            for (key, document), observed in zip(asked, seen):
                if key:
                    base = seen[self.base_of(bases, key, self.table[key])]
                    self.assertNotEqual(observed, base, f"{key} has no effect: {document}")

    def base_of(self, bases, key, entry):
        """The number of the document whose part has the field."""
        part, field = split_key(key)
        found = [i for i, base in enumerate(bases) for name, value, _ in walk(base) if name == part and field in value]
        return found[entry.get("at", 0)]

    def probed(self, bases, key, entry):
        document = copy.deepcopy(bases[self.base_of(bases, key, entry)])
        part, field = split_key(key)
        value = next(value for name, value, _ in walk(document) if name == part and field in value)
        value[field] = entry.get("set")
        if "set" not in entry:
            del value[field]
        return document

    def test_each_entry_is_of_a_known_kind(self):
        kinds = {"case", "like", "probe", "test", "kept"}
        self.assertEqual({key: entry for key, entry in self.table.items() if len(kinds & set(entry)) != 1}, {})

    def test_other_tests_show_the_rest(self):
        for key, entry in self.table.items():
            if "test" not in entry:
                continue
            path, name = entry["test"].split(": ")
            text = (ROOT / path).read_text()
            self.assertIn(f"def {name}(", text, key)
            body = text.split(f"def {name}(")[1].split("\n    def ")[0]
            self.assertIn(entry.get("as", split_key(key)[1]), body, key)

    def test_annotations_come_back_with_the_definition(self):
        shown = examples()
        wanted = {}
        for key, entry in self.table.items():
            if entry.get("kept"):
                wanted.setdefault(split_key(key)[0], []).append(split_key(key)[1])
        server = engine.Engine()
        self.addCleanup(server.stop)
        for number, (part, names) in enumerate(wanted.items()):
            document, pointer = shown[part]
            family = part.split("/")[0]
            for name in set(names) - {"version", "id", "definitionId", "edgeId"}:
                document = with_member(document, pointer, name, value_for(part, name))
            given, back = part_at(document, pointer), part_at(self.read_back(server, family, document, number), pointer)
            for name in set(names) - {"version"}:
                self.assertEqual(back.get(name), given.get(name), f"{part}/{name}")

    def read_back(self, server, family, document, number):
        """The document as the API gives it back."""
        if family == "entity":
            model = f"kept{number}/1"
            server.post(f"/api/model/import/JSON/SAMPLE_DATA/{model}", {"a": 1})
            workflows = document["workflows"] if "workflows" in document else [document]
            sent = server.post(f"/api/model/{model}/workflow/import", {"workflows": workflows})
            self.assertEqual(sent.status, 200, sent)
            stored = server.get(f"/api/model/{model}/workflow/export").json["workflows"]
            return {**document, "workflows": stored} if "workflows" in document else stored[0]
        sent = server.post("/v1/definitions", document)
        self.assertEqual(sent.status, 201, sent)
        return server.get(f"/v1/definitions/{urllib.parse.quote(sent.json['id'])}").json

    def test_a_field_without_effect_is_not_taken_silently(self):
        self.assertEqual(silent_fields(self.table), [])

    def test_a_field_that_nobody_knows_is_told_with_its_place(self):
        shown = examples()
        parts = sorted(set(all_parts()) - OPEN)
        self.assertEqual([part for part in parts if part not in shown], [])
        documents = [with_member(*shown[part], "unknwn", 1) for part in parts]
        for part, problems in zip(parts, problems_of(documents)):
            pointer = f"{shown[part][1]}/unknwn"
            told = any(problem["pointer"] in (pointer, shown[part][1]) and "unknwn" in problem["message"] for problem in problems)
            self.assertTrue(told, f"{part} at {pointer}: {problems}")


# ---- suggestions ----

def other_values(value, seen):
    """Values to try instead of this one."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, (int, float)):
        return [value + 1, value * 100 + 7, max(0, value - 1), 1]
    if isinstance(value, str):
        return [other for other in seen if other != value][:6] + [value + "x", "1" + value]
    return [other for other in seen if type(other) is type(value) and other != value][:3] + [type(value)()]


def names_of(case):
    """Ids and names that something in the case may refer to."""
    found = []
    for definition in definitions_of(case):
        for _, value, _ in walk(definition):
            found += [value[name] for name in ("id", "name") if isinstance(value.get(name), str) and value[name] not in found]
            found += [name for name in value.get("states", {}) if isinstance(value.get("states"), dict)]
    return found


def candidates(key, owners):
    """Entries that may show the field: first without it, then with other values."""
    part, field = split_key(key)
    values = []
    for _, _, case in owners[:25]:
        values += [value[field] for value in parts_with(case, part, field) if value[field] not in values]
    for name, frame, case in owners[:15]:
        yield {"case": name}, frame, case
    for name, frame, case in owners[:6]:
        for at, owner in enumerate(parts_with(case, part, field)[:3]):
            if at:
                yield {"case": name, "at": at}, frame, case
            names = names_of(case)
            near = [name for name in names if name != owner[field]][:8] if owner[field] in names else []
            for value in near + other_values(owner[field], values):
                yield {"case": name, "at": at, "set": value} if at else {"case": name, "set": value}, frame, case


def owners_by_key(wanted):
    """The cases whose definitions have the field, small ones first: {key: [(name, frame, case)]}."""
    owners = {key: [] for key in wanted}
    for name, (frame, case) in sorted(whole_cases().items(), key=lambda item: len(json.dumps(item[1][1]))):
        has = {f"{part}/{field}" for definition in definitions_of(case) for part, value, _ in walk(definition) for field in value}
        for key in has & set(wanted):
            owners[key].append((name, frame, case))
    return owners


def suggest(wanted):
    """Tries one candidate of each field after the other, until a case fails for another reason than a refusal."""
    left = {key: candidates(key, owners) for key, owners in owners_by_key(wanted).items()}
    found, refused = {}, {}
    while left:
        tried = {key: next(entries, None) for key, entries in left.items()}
        left = {key: entries for key, entries in left.items() if tried[key]}
        names = list(left)
        for chunk in (names[i:i + 100] for i in range(0, len(names), 100)):
            try:
                played = play({key: (tried[key][1], mutated(tried[key][2], *split_key(key), tried[key][0])) for key in chunk}, 20)
            except subprocess.TimeoutExpired:
                continue
            for key, problem in played.items():
                if problem is not None and not is_refusal(problem):
                    found[key] = tried[key][0]
                    del left[key]
                elif problem is not None and "set" not in tried[key][0]:
                    refused.setdefault(key, {**tried[key][0], "refused": True})
    return {**refused, **found}


def main():
    table = json.loads(TABLE.read_text()) if TABLE.exists() else {}
    wanted = silent_fields(table)
    found = suggest(wanted)
    for key in wanted:
        print(f"  {json.dumps(key)}: {json.dumps(found.get(key, 'nothing shows it'))},")


if __name__ == "__main__":
    if "--suggest" in sys.argv:
        main()
    else:
        unittest.main()
