"""Random conditions and documents: few names and values, so that paths lead somewhere and tests hold now and then."""

import json
import random

from condition_model import FIELDS, NOTHING, ORDERS, TEXTS, selected, steps_of

NAMES = ["a", "b", "tags", "0", "1", "x y", "it's", "é", "a.b"]
NUMBERS = ["0", "1", "2", "-1", "1.0", "1.50", "10", "100", "1e2", "1E+2", "-0", "0.1", "0.10000000000000000000000001",
           "9007199254740992", "9007199254740993", "12345678901234567890", "1e400", "10e399", "-1e400", "1000000"]
TEXT = ["", "a", "A", "ab", "aB", "AB", "ba", "abab", "é", "É", "ß", "ẞ", "ss", "ſ", "s", "S", "K", "k", "Σ", "ς", "σ", "ι", "Ι",
        "ⱥ", "Ⱥ", "1", "1.0", " 1 ", "01", "true", "false", "null", "2024", "2024-01-01", "a\nb", "a\nb", "ab\nab", "100%", "a_b", "a\\b", "\U0001f600",
        "10,20", "1000000", "1e400", "abc", "red", "\u0000", "İ", "ǅ", "ǆ", "ā", "Ā", "ă", "a\nb", "ab\n", "\nb", "a\n\nb"]
LIKES = ["%", "_", "a%", "%b", "%a%", "a_", "_b", "%ab%ab", "a\\_b", "100\\%", "a\\\\b", "a\\b", "\\", "%%", "_%_", "a%b", "a_b", "É", "%%a_%b%", "%\nb", "a\n%", "%\n%"]
PATTERNS = ["a+", "a.*b", "[a-c]*", "a|ab", "", "(ab)+", "1\\.?0?", ".", ".*", "(?:a|b)*", "\\d+", "a{2}", "[^a]"]
BAD_PATTERNS = ["a(", "[", "*a"]
BAD_PATHS = ["", "$..a", "$.a[?(@.b)]", "$.a[0:1]", "$.a[0,1]", "$.a.*", "$.", "$a", "$.a[", "$.a['b", "$.a[b]", "$.a.#.b", "$.a[-0]", "$.a[01]"]
DATES = ["2024-01-01T00:00:00.000Z", "2024-01-01T00:00:00.001Z", "2023-12-31T23:59:59.999Z", "2024-06-15T12:30:00.500Z"]
DATE_OPERANDS = DATES + ["2024", "2024-01", "2024-01-01", "2024-01-01T00:00:00", "2024-01-01T01:00:00+01:00", "2024-06-15T12:30:00.5Z",
                         "2023-12-31T22:59:59.9999-01:00", "2025"]
CONDITIONS = 4  # For each document.
OPERATORS = sorted(ORDERS) + sorted(TEXTS) + ["IS_NULL", "NOT_NULL"]


class Raw(str):
    """JSON text."""


def shown(value):
    """JSON text of a value with Raw parts."""
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(name)}:{shown(part)}" for name, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(shown, value)) + "]"
    return json.dumps(value)


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.chosen = []  # Scalars of the document.

    def chance(self, share):
        return self.random.random() < share

    def scalar(self):
        kind = self.random.random()
        if kind < 0.4:
            value = Raw(self.random.choice(NUMBERS))
        elif kind < 0.8:
            value = self.random.choice(TEXT)
        else:
            value = self.random.choice([True, False, None, None])
        self.chosen.append(value)
        return value

    def value(self, depth):
        kind = self.random.random()
        if depth == 0 or kind < 0.35:
            return self.scalar()
        if kind < 0.65:
            return [self.value(depth - 1) for _ in range(self.random.choice([0, 1, 2, 2, 3]))]
        return self.document(depth - 1)

    def document(self, depth):
        names = self.random.sample(NAMES, self.random.randint(0, 5))
        return {name: self.value(depth) for name in names}

    def lifecycle(self):
        fields = {"id": "e1", "state": self.random.choice(["NEW", "DONE", ""]), "transactionId": self.random.choice(["t1", None]),
                  "creationDate": self.random.choice(DATES), "lastUpdateTime": self.random.choice(DATES + [None]),
                  "previousTransition": self.random.choice(["loopback", "GO", None]), "workflow": "w"}
        if self.chance(0.1):
            del fields[self.random.choice(sorted(fields))]
        return fields

    # ---- paths ----

    def name_step(self, name):
        quoted = name in ("a.b", "it's") or self.chance(0.15)
        if not quoted:
            return "." + name
        if self.chance(0.5):
            return "['" + name.replace("'", "\\'") + "']"
        return '["' + name + '"]'

    def step(self, value):
        """The text of a step into a value, and what it leads to, if that is known."""
        if self.chance(0.05):
            return "[*]", None
        if isinstance(value, list) and self.chance(0.95):
            index = self.random.randrange(len(value)) if value else 0
            below = value[index] if value else None
            kind = self.random.random()
            if kind < 0.5:
                return "[*]", below
            if kind < 0.75:
                return f"[{index}]", below
            return (f".{index}", below) if kind < 0.9 else (f"[{index - len(value) if value else -1}]", below)
        name = self.random.choice(sorted(value)) if isinstance(value, dict) and value and self.chance(0.95) else self.random.choice(NAMES)
        return self.name_step(name), value.get(name) if isinstance(value, dict) else None

    def path(self, document):
        """The text of a path, and what it leads to, if that is known."""
        text, value = "", document
        for _ in range(self.random.choice([0, 1, 2, 3, 4, 5, 5, 5])):
            if not isinstance(value, (dict, list)) and self.chance(0.9):
                break
            step, value = self.step(value)
            text += step
        if self.chance(0.2) and isinstance(value, list):
            text += "[*]"
        if text.startswith(".") and self.chance(0.2):
            return text[1:], value
        return "$" + text, value

    # ---- conditions ----

    def alike(self, value):
        """Something that may compare with a value, or with one of its elements."""
        while isinstance(value, list) and value:
            value = self.random.choice(value)
        if isinstance(value, Raw) or not isinstance(value, str):
            return value if not isinstance(value, (dict, list)) else self.scalar()
        cut = self.random.randint(0, len(value))
        return self.random.choice([value, value, value.swapcase(), value[:cut], value[cut:]])

    def operand(self, op, value=None):
        if op.startswith("BETWEEN"):
            bounds = [self.operand("LESS_THAN", value), self.operand("LESS_THAN", value)]
            bounds = ["1" if bound is None else bound for bound in bounds]
            if self.chance(0.7):
                bounds = [Raw("-1e401"), Raw("1e401")] if isinstance(value, Raw) else ["", "\U0010ffff"]
            if self.chance(0.7):
                bounds[self.random.randrange(2)] = self.operand("LESS_THAN", value) or "0"
            if self.chance(0.7):
                return bounds
            if any("," in str(bound) for bound in bounds):
                return "1, 100"
            return self.random.choice([",", " , "]).join(str(bound) for bound in bounds)
        if op == "LIKE" and self.chance(0.4):
            return self.random.choice(LIKES)
        if op == "LIKE":
            text = str(self.alike(value))
            if self.chance(0.5):
                text = text.replace("\n", self.random.choice("%_"))
            for _ in range(self.random.randint(0, 3)):
                at = self.random.randint(0, len(text))
                text = text[:at] + self.random.choice(["%", "_", "", "\\"]) + text[at + self.random.randint(0, 2) :]
            return text
        if op == "MATCHES_PATTERN":
            return self.random.choice(PATTERNS)
        if self.chance(0.6):
            value = self.alike(value)
        else:
            value = self.random.choice(self.chosen) if self.chosen and self.chance(0.5) else self.scalar()
        if isinstance(value, Raw) and self.chance(0.2):
            return str(value)
        return value

    def simple(self, document):
        op = self.random.choice(OPERATORS)
        path, value = self.path(document)
        condition = {"type": "simple", "jsonPath": path, self.random.choice(["operatorType", "operator", "operation"]): op,
                     "value": self.operand(op, value)}
        if condition["value"] is None and self.chance(0.5):
            del condition["value"]
        return condition

    def of_lifecycle(self):
        field, op = self.random.choice(sorted(FIELDS)), self.random.choice(OPERATORS)
        condition = {"type": "lifecycle", "field": field, "operatorType": op}
        if field not in ("creationDate", "lastUpdateTime"):
            condition["value"] = self.random.choice(["NEW", "DONE", "", "loopback", "t1", "e1", None])
            if op.startswith("BETWEEN"):
                condition["value"] = self.random.choice([["A", "Z"], "a,z", ["NEW", "NEW"]])
            elif op == "MATCHES_PATTERN":
                condition["value"] = self.random.choice(["N.*", "t\\d", "x"])
        elif op.startswith("BETWEEN"):
            condition["value"] = self.random.choices(DATE_OPERANDS, k=2)
        else:
            condition["value"] = self.random.choice(DATE_OPERANDS)
        return condition

    def array(self, document):
        path, _ = self.path(document)
        elements = selected(document, steps_of(path))
        if elements is NOTHING or ("all",) not in steps_of(path):
            elements = elements[0] if elements is not NOTHING else None
        elements = (elements if isinstance(elements, list) else [None, None])[: self.random.randint(0, 4)]
        values = [self.operand("EQUALS", element) if self.chance(0.7) else None for element in elements]
        return {"type": "array", "jsonPath": path, "values": values}

    def condition(self, document, depth):
        kind = self.random.random()
        if depth and kind < 0.2:
            parts = [self.condition(document, depth - 1) for _ in range(self.random.choice([0, 1, 2, 2, 3]))]
            return {"type": "group", "operator": self.random.choice(["AND", "OR"]), "conditions": parts}
        if kind < 0.4:
            return self.of_lifecycle()
        return self.array(document) if kind < 0.5 else self.simple(document)

    def spoil(self, condition):
        """Makes one mistake somewhere in the condition."""
        while condition["type"] == "group" and condition["conditions"] and self.chance(0.8):
            condition = self.random.choice(condition["conditions"])
        mistakes = {
            "group": [{"operator": "NOT"}, {"operator": "and"}, {"conditions": None}, {"type": "function"}, {"type": "both"}],
            "array": [{"values": 5}, {"values": [None, {}]}, {"jsonPath": None}, {"jsonPath": self.random.choice(BAD_PATHS)}],
            "lifecycle": [{"field": "workflow"}, {"field": None}, {"operatorType": "IS_CHANGED"},
                          {"field": "creationDate", "operatorType": "EQUALS", "value": "soon"}],
            "simple": [{"jsonPath": self.random.choice(BAD_PATHS)}, {"operatorType": "IS_UNCHANGED"}, {"operatorType": "equals"},
                       {"operatorType": "BETWEEN", "value": self.random.choice(["1", [1], [1, None], 5, None, "1,2,3"])},
                       {"operatorType": "EQUALS", "value": self.random.choice([[], {}, [1]])},
                       {"operatorType": "MATCHES_PATTERN", "value": self.random.choice(BAD_PATTERNS)}],
        }
        condition.update(self.random.choice(mistakes[condition["type"]]))


def generate(seed):
    """Cases of one document, as JSON texts: condition, data, lifecycle."""
    generator = Generator(seed)
    document, lifecycle = generator.document(3), generator.lifecycle()
    cases = []
    for _ in range(CONDITIONS):
        condition = generator.condition(document, 3)
        if generator.chance(0.05):
            generator.spoil(condition)
        cases.append({"condition": shown(condition), "data": shown(document), "lifecycle": shown(lifecycle)})
    return cases
