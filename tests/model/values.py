"""JSON values as the contract combines and compares them (section 1, "Notation").

Values are never changed in place, so sharing them is copying them.

What the contract leaves open (the message of a built-in error, further members of an error
object) is held as Unknown or Partial. Whoever would have to look inside raises Undecided, and the
case is dropped: the model never guesses.
"""


class Undecided(Exception):
    """The contract does not say what happens here."""


class Filtering(Exception):
    """A path cannot be followed; a FilterException in the dialect's words."""


class Unknown:
    """Some value the contract does not name."""


class Partial(dict):
    """An object that may have more members than we know of: those an error may have."""

    MAYBE = ("message", "state", "function", "trace", "data")

    def may_have(self, name):
        return name in self.MAYBE and name not in self


class Nothing:
    """What a definite path that leads nowhere selects."""

    def __repr__(self):
        return "NOTHING"


NOTHING = Nothing()
UNKNOWN = Unknown()


def kind(value):
    """The JSON type of a value."""
    if isinstance(value, Unknown):
        raise Undecided("the type of an unknown value")
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def same(a, b):
    """Deep equality, types strictly (Python holds True and 1 for equal)."""
    if kind(a) != kind(b):
        return False
    if isinstance(a, Partial) or isinstance(b, Partial):
        raise Undecided("equality of an object not known in full")
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    return a == b


def like(template, members):
    """An object of these members, known in full only if the template is."""
    return Partial(members) if isinstance(template, Partial) else members


def combine(a, b):
    """Both objects: recursive merge, b wins; otherwise b."""
    if not (isinstance(a, dict) and isinstance(b, dict)):
        return b
    members = dict(a)
    for key, value in b.items():
        members[key] = combine(members[key], value) if key in members else value
    return Partial(members) if isinstance(a, Partial) or isinstance(b, Partial) else members


def combine_change(base, current, output):
    """One concurrent output folded in: a member equal to the base's is not a change."""
    if not (isinstance(current, dict) and isinstance(output, dict)):
        return output
    before = base if isinstance(base, dict) else {}
    members = dict(current)
    for key, value in output.items():
        if key in before and same(before[key], value):
            continue
        members[key] = combine_change(before.get(key), members[key], value) if key in members else value
    return Partial(members) if isinstance(current, Partial) or isinstance(output, Partial) else members


def place(base, steps, value):
    """A copy of base with the node at a definite path (its steps) set to the value."""
    if not steps:
        return value
    if not isinstance(base, (dict, list)):
        base = {}  # Only the root may be a scalar; see set_below().
    return set_below(base, steps, value)


def set_below(node, steps, value):
    step, rest = steps[0], steps[1:]
    if isinstance(step, int):
        return set_item(node, step, rest, value)
    if not isinstance(node, dict):
        raise Filtering(f"no object to hold {step!r}")
    members = dict(node)
    if not rest:
        members[step] = value
    else:
        # Null in the way is not a scalar in the way: the contract tells them apart for the base.
        below = members.get(step)
        members[step] = set_below({} if below is None else below, rest, value)
    return like(node, members)


def set_item(node, index, rest, value):
    if not isinstance(node, list) or not -len(node) <= index < len(node):
        raise Undecided("an index that is not there in a resultPath")
    items = list(node)
    below = {} if items[index] is None else items[index]
    items[index] = set_below(below, rest, value) if rest else value
    return items
