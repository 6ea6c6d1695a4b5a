"""Models of entities, read from the contract alone: types from samples, whether a value fits, how values change a model.

Numbers are Number (their text), as in condition_model.py.
"""

from condition_model import Number

INTEGERS = ["INTEGER", "LONG", "BIG_INTEGER", "UNBOUND_INTEGER"]
BITS = {"INTEGER": 32, "LONG": 64, "BIG_INTEGER": 128}
WIDER = {
    "INTEGER": {"LONG", "BIG_INTEGER", "UNBOUND_INTEGER", "DOUBLE", "BIG_DECIMAL", "UNBOUND_DECIMAL"},
    "LONG": {"BIG_INTEGER", "UNBOUND_INTEGER", "BIG_DECIMAL", "UNBOUND_DECIMAL"},
    "BIG_INTEGER": {"UNBOUND_INTEGER", "UNBOUND_DECIMAL"},
    "UNBOUND_INTEGER": {"UNBOUND_DECIMAL"},
    "DOUBLE": {"UNBOUND_DECIMAL"},
    "BIG_DECIMAL": {"UNBOUND_DECIMAL"},
}
CONTAINERS = {"OBJECT", "ARRAY"}
LEVELS = ["", "ARRAY_LENGTH", "ARRAY_ELEMENTS", "TYPE", "STRUCTURAL"]


class Refused(Exception):
    pass


def fits_bits(number, bits):
    return -(2 ** (bits - 1)) <= number < 2 ** (bits - 1)


def exactly(text):
    """(digits as an integer, scale): the value is digits / 10**scale, without zeros at the end."""
    sign, digits, exponent = text.decimal().as_tuple()
    whole = int("".join(map(str, digits))) * (-1 if sign else 1)
    if not whole:
        return 0, 0
    while whole % 10 == 0:
        whole //= 10
        exponent += 1
    return whole, -exponent


def type_of_number(text):
    digits, scale = exactly(text)
    if scale <= 0:
        # An exponent of a million makes no million digits: what is too long is unbound.
        if -scale > 60:
            return "UNBOUND_INTEGER"
        value = digits * 10 ** -scale
        return next((name for name in INTEGERS[:3] if fits_bits(value, BITS[name])), "UNBOUND_INTEGER")
    if len(str(abs(digits))) <= 15 and scale <= 292:
        return "DOUBLE"
    if scale <= 18 and fits_bits(digits * 10 ** (18 - scale), 128):
        return "BIG_DECIMAL"
    return "UNBOUND_DECIMAL"


def type_of(value):
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "BOOLEAN"
    if isinstance(value, Number):
        return type_of_number(value)
    if isinstance(value, str):
        return "STRING"
    return "OBJECT" if isinstance(value, dict) else "ARRAY"


def widens(one, other):
    return one == other or one == "NULL" or other in WIDER.get(one, ())


class Node:
    def __init__(self):
        self.types, self.fields, self.element, self.length = set(), {}, None, 0

    def add(self, value):
        """What a value, or a sample, adds."""
        kind = type_of(value)
        self.types.add(kind)
        if kind == "OBJECT":
            for name, part in value.items():
                self.fields.setdefault(name, Node()).add(part)
        if kind == "ARRAY":
            self.element = self.element or Node()
            self.length = max(self.length, len(value))
            for part in value:
                self.element.add(part)
        self.types = {one for one in self.types if not any(one != other and widens(one, other) for other in self.types)}
        return self

    # ---- values ----

    def check(self, value, level, path, is_element=False):
        """Whether the value changes the model; raises Refused."""
        kind = type_of(value)
        if kind in CONTAINERS:
            if kind not in self.types:
                return self.check_other(kind, level, path)
            return self.check_object(value, level, path) if kind == "OBJECT" else self.check_array(value, level, path)
        if any(widens(kind, other) for other in self.types) or not self.types and kind == "NULL":
            return False
        if self.types and self.types <= CONTAINERS:
            return self.check_other(kind, level, path)
        if level >= LEVELS.index("ARRAY_ELEMENTS" if is_element else "TYPE"):
            return True
        raise Refused(f"INCOMPATIBLE_TYPE {path or '$'}")

    def check_other(self, kind, level, path):
        only_null = self.types <= {"NULL"}
        if only_null and level == LEVELS.index("STRUCTURAL"):
            return True
        raise Refused(f"{'POLYMORPHIC_SLOT' if level and not only_null else 'INCOMPATIBLE_TYPE'} {path or '$'}")

    def check_object(self, value, level, path):
        changes = False
        for name, part in value.items():
            place = f"{path}.{name}" if path else name
            if name in self.fields:
                changes |= self.fields[name].check(part, level, place)
            elif level == LEVELS.index("STRUCTURAL"):
                changes = True
            else:
                raise Refused(f"BAD_REQUEST {place}")
        return changes

    def check_array(self, value, level, path):
        changes = len(value) > self.length and level >= LEVELS.index("ARRAY_LENGTH")
        for index, part in enumerate(value):
            changes |= self.element.check(part, level, f"{path}[{index}]", True)
        return changes

    # ---- places ----

    def at(self, steps):
        """The types at a place, or None."""
        if not steps:
            return self.types or {"NULL"}
        if steps[0] == "*":
            return self.element.at(steps[1:]) if self.element else None
        return self.fields[steps[0]].at(steps[1:]) if steps[0] in self.fields else None


def told(case):
    """What the engine must say about a case; see eval_schema.c."""
    root = Node()
    for sample in case["samples"]:
        for one in sample if isinstance(sample, list) else [sample]:
            root.add(one)
    level = LEVELS.index(case["level"])
    said = []
    for value in case["values"]:
        try:
            grows = root.check(value, level, "")
            said.append("grows" if grows else "fits")
            if grows:
                root.add(value)
        except Refused as refusal:
            said.append(str(refusal))
    for path in case["paths"]:
        types = root.at(path)
        said.append(sorted(types) if types is not None else None)
    return said
