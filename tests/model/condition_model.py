"""Conditions on entities, read from the contract alone: what one says about a document, or which part of it is wrong.

Numbers are Number (their text) and compare as decimals; all else is what json.loads() gives.
"""

import datetime
import decimal
import json
import re

DEPTH_MAX = 50
DATES = {"creationDate", "lastUpdateTime"}
FIELDS = {name: name for name in ("state", "creationDate", "previousTransition", "lastUpdateTime", "transactionId", "id")}
FIELDS["transitionForLatestSave"] = "previousTransition"
NUMERIC = re.compile(r"[ \t\r\n]*(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)[ \t\r\n]*")
NOTHING = object()


class Wrong(Exception):
    """The condition cannot be compiled; its argument is the JSON Pointer of the wrong part."""


class Number(str):
    """A number as it is written."""

    def decimal(self):
        return decimal.Decimal(str(self))


def parse(text):
    return json.loads(text, parse_int=Number, parse_float=Number)


# ---- paths ----

STEP = re.compile(
    r"""\.(?![.\[])(?P<name>[^.\[\]*?\\'"]+) | \.?\[\s*(?:(?P<all>\*) | (?P<index>-?[0-9]+)
        | '(?P<single>(?:[^'\\]|\\.)*)' | "(?P<double>(?:[^"\\]|\\.)*)")\s*\]""",
    re.VERBOSE,
)


def unescape(text, quote):
    return json.loads('"' + text.replace("\\" + quote, quote).replace('"', '\\"') + '"')


def steps_of(path):
    """Steps: ("name", n), ("index", i), ("number", n), ("all",)."""
    if not path:
        raise ValueError("empty")
    rest = path[1:] if path[0] == "$" else path if path[0] in ".[" else "." + path
    at, steps = 0, []
    while at < len(rest):
        found = STEP.match(rest, at)
        if not found or found["name"] == "#":
            raise ValueError(rest[at:])
        at = found.end()
        if found["all"]:
            steps.append(("all",))
        elif found["index"]:
            if not re.fullmatch(r"0|-?[1-9][0-9]*", found["index"]):
                raise ValueError(found["index"])
            steps.append(("index", int(found["index"])))
        elif found["name"]:
            kind = "number" if re.fullmatch(r"0|[1-9][0-9]*", found["name"]) else "name"
            steps.append((kind, found["name"]))
        elif found["double"] is not None:
            steps.append(("name", unescape(found["double"], '"')))
        else:
            steps.append(("name", unescape(found["single"], "'")))
    return steps


def into(value, step):
    """The value behind a step that is not [*], or NOTHING."""
    kind, what = step
    if isinstance(value, list) and kind in ("index", "number"):
        index = int(what)
        if index < 0:
            index += len(value)
        return value[index] if 0 <= index < len(value) else NOTHING
    if isinstance(value, dict) and kind in ("name", "number"):
        return value.get(what, NOTHING)
    return NOTHING


def selected(value, steps):
    """The values that the steps lead to, or NOTHING if they lead nowhere."""
    for at, step in enumerate(steps):
        if step[0] != "all":
            value = into(value, step)
            if value is NOTHING:
                return NOTHING
            continue
        if not isinstance(value, list):
            return NOTHING
        found = [selected(element, steps[at + 1 :]) for element in value]
        return [one for part in found if part is not NOTHING for one in part]
    return [value]


def flat(values):
    for value in values:
        if isinstance(value, list):
            yield from flat(value)
        else:
            yield value


# ---- operands ----


def is_scalar(value):
    return isinstance(value, (str, bool))


def text_of(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def number_of(value):
    found = NUMERIC.fullmatch(value) if isinstance(value, str) else None
    return decimal.Decimal(found[1]) if found else None


def instant_of(value):
    """Milliseconds since 1970, or None."""
    text = text_of(value)
    for ending in ("", "Z", "T00:00:00Z", "-01T00:00:00Z", "-01-01T00:00:00Z"):
        found = re.fullmatch(
            r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:Z|([+-])(\d\d):(\d\d))", text + ending)
        if not found:
            continue
        year, month, day, hour, minute, second = map(int, found.groups()[:6])
        try:
            moment = datetime.datetime(year, month, day, hour, minute, second)
        except ValueError:
            return None
        ms = (moment - datetime.datetime(1970, 1, 1)) // datetime.timedelta(seconds=1) * 1000
        ms += int(((found[7] or "") + "000")[:3])
        offset = (int(found[9]) * 60 + int(found[10])) * 60000 if found[8] else 0
        return ms - (offset if found[8] == "+" else -offset)
    return None


def bounds_of(value):
    """[lo, hi] of a BETWEEN, or None."""
    if isinstance(value, list):
        return value if len(value) == 2 and all(map(is_scalar, value)) else None
    if isinstance(value, str) and not isinstance(value, Number) and value.count(",") == 1:
        return [part.strip(" \t\n\r\v\f") for part in value.split(",")]
    return None


def fold_character(character):
    for other in (character.casefold(), character.lower()):
        if len(other) == 1:
            return other
    return character


def fold(text):
    return "".join(map(fold_character, text))


def like(text, pattern):
    out, at = "", 0
    while at < len(pattern):
        if pattern[at] == "\\" and pattern[at + 1 : at + 2] in ("%", "_", "\\"):
            at += 1
            out += re.escape(pattern[at])
        else:
            out += {"%": "[^\n]*", "_": "[^\n]"}.get(pattern[at], re.escape(pattern[at]))
        at += 1
    return re.fullmatch(out, text) is not None


# ---- operators ----

ORDERS = {
    "EQUALS": lambda value, low, high: value == low,
    "NOT_EQUAL": lambda value, low, high: value != low,
    "GREATER_THAN": lambda value, low, high: value > low,
    "GREATER_OR_EQUAL": lambda value, low, high: value >= low,
    "LESS_THAN": lambda value, low, high: value < low,
    "LESS_OR_EQUAL": lambda value, low, high: value <= low,
    "BETWEEN": lambda value, low, high: low < value < high,
    "BETWEEN_INCLUSIVE": lambda value, low, high: low <= value <= high,
}
TEXTS = {
    "CONTAINS": lambda text, part: part in text,
    "STARTS_WITH": lambda text, part: text.startswith(part),
    "ENDS_WITH": lambda text, part: text.endswith(part),
    "LIKE": like,
    "MATCHES_PATTERN": lambda text, pattern: re.fullmatch(pattern, text) is not None,
}
for name in ("CONTAINS", "STARTS_WITH", "ENDS_WITH"):
    plain = TEXTS[name]
    TEXTS["NOT_" + name] = lambda text, part, plain=plain: not plain(text, part)
    TEXTS["I" + name] = lambda text, part, plain=plain: plain(fold(text), fold(part))
    TEXTS["INOT_" + name] = lambda text, part, plain=plain: not plain(fold(text), fold(part))
TEXTS["IEQUALS"] = lambda text, part: fold(text) == fold(part)
TEXTS["INOT_EQUAL"] = lambda text, part: fold(text) != fold(part)
OPERATORS = set(ORDERS) | set(TEXTS) | {"IS_NULL", "NOT_NULL"}


def compare(op, value, bounds):
    """An order of two values of one kind; the bounds may not be of that kind."""
    if isinstance(value, Number):
        value, bounds = value.decimal(), [number_of(bound) for bound in bounds]
    elif isinstance(value, bool):
        words = {"true": True, "false": False}
        bounds = [words.get(text_of(bound)) if op in ("EQUALS", "NOT_EQUAL") else None for bound in bounds]
    elif isinstance(value, str):
        value, bounds = value.encode(), [text_of(bound).encode() for bound in bounds]
    else:
        return False
    return None not in bounds and ORDERS[op](value, bounds[0], bounds[-1])


def holds(op, value, operand, date):
    """One value, which is no array."""
    if op in ("IS_NULL", "NOT_NULL"):
        return (value is None) == (op == "IS_NULL")
    if value is None or operand is None:
        return False
    if op in TEXTS:
        is_text = isinstance(value, str) and not isinstance(value, Number)
        return is_text and not date and TEXTS[op](value, text_of(operand))
    bounds = bounds_of(operand) if op.startswith("BETWEEN") else [operand]
    if not date:
        return compare(op, value, bounds)
    moment, bounds = instant_of(value), [instant_of(bound) for bound in bounds]
    return moment is not None and ORDERS[op](moment, bounds[0], bounds[-1])


def check_operand(op, operand, date, pointer):
    """An operand that no value could be compared with."""
    if op in ("IS_NULL", "NOT_NULL") or (date and op in TEXTS):
        return
    if op.startswith("BETWEEN"):
        bounds = bounds_of(operand)
    elif operand is None:
        return
    else:
        bounds = [operand] if is_scalar(operand) else None
    if bounds is None or (date and None in [instant_of(bound) for bound in bounds]):
        raise Wrong(pointer)
    if op == "MATCHES_PATTERN":
        try:
            re.compile(text_of(operand))
        except re.error:
            raise Wrong(pointer) from None


# ---- conditions ----


def operator_of(condition, pointer):
    for name in ("operatorType", "operator", "operation"):
        word = condition.get(name)
        if word is None or word == "":
            continue
        if word not in OPERATORS:
            raise Wrong(f"{pointer}/{name}")
        return word
    raise Wrong(pointer + "/operatorType")


def path_of(condition, pointer):
    try:
        return steps_of(condition["jsonPath"])
    except (KeyError, ValueError):
        raise Wrong(pointer + "/jsonPath") from None


def judge_test(condition, data, lifecycle, pointer):
    date = False
    if condition["type"] == "lifecycle":
        if condition.get("field") not in FIELDS:
            raise Wrong(pointer + "/field")
        field = FIELDS[condition["field"]]
        steps, data, date = [("name", field)], lifecycle, field in DATES
    else:
        steps = path_of(condition, pointer)
    op, operand = operator_of(condition, pointer), condition.get("value")
    check_operand(op, operand, date, pointer + "/value")
    values = selected(data, steps)
    if values is NOTHING:
        return op == "IS_NULL"
    return any(holds(op, value, operand, date) for value in flat(values))


def judge_array(condition, data, pointer):
    steps = path_of(condition, pointer)
    if not isinstance(condition.get("values"), list):
        raise Wrong(pointer + "/values")
    for i, value in enumerate(condition["values"]):
        if value is not None and not is_scalar(value):
            raise Wrong(f"{pointer}/values/{i}")
    elements = selected(data, steps)
    if elements is not NOTHING and ("all",) not in steps:
        elements = elements[0]
    return all(
        value is None
        or (isinstance(elements, list) and i < len(elements)
            and any(holds("EQUALS", element, value, False) for element in flat([elements[i]])))
        for i, value in enumerate(condition["values"])
    )


def judge(condition, data, lifecycle, pointer="", depth=0):
    """True or false; raises Wrong, also for parts that do not matter to the result."""
    if not isinstance(condition, dict):
        raise Wrong(pointer)
    kind = condition.get("type")
    if kind in ("simple", "lifecycle"):
        return judge_test(condition, data, lifecycle, pointer)
    if kind == "array":
        return judge_array(condition, data, pointer)
    if kind != "group":
        raise Wrong(pointer + "/type")
    if depth > DEPTH_MAX:
        raise Wrong(pointer)
    if condition.get("operator") not in ("AND", "OR"):
        raise Wrong(pointer + "/operator")
    if not isinstance(condition.get("conditions"), list):
        raise Wrong(pointer + "/conditions")
    parts = [judge(part, data, lifecycle, f"{pointer}/conditions/{i}", depth + 1)
             for i, part in enumerate(condition["conditions"])]
    return all(parts) if condition["operator"] == "AND" else any(parts)
