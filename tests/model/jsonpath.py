"""JSONPath as section 1.5 of the contract has it: RFC 9535 with the seed's leniencies.

    path_of(text)       parses; raises Malformed
    path.nodes(data)    the node list
    path.select(data)   definite: the node or NOTHING; indefinite: an array

The leniencies are read where they occur: "$." is "$", "$.[" is "$[", a missing "$" is "$." and
"=~ /re/" is one more comparison.
"""

import functools
import re

from values import NOTHING, Partial, Undecided, kind, same

BLANK = " \t\n\r"
NAME = re.compile(r"[A-Za-z_\u0080-\U0010ffff][0-9A-Za-z_\u0080-\U0010ffff]*")
INTEGER = re.compile(r"-?(0|[1-9][0-9]*)")
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
FUNCTION = re.compile(r"[a-z][a-z0-9_]*\(")
ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "/": "/", "\\": "\\"}
# The dot of "$." alone: nothing that could follow a dot follows.
LONE_DOT = re.compile(r"\.(?![A-Za-z_\u0080-\U0010ffff*.\[])")
INTEGER_MAX = 2 ** 53 - 1
# What each function takes and gives: V a value, N a node list, L a truth.
FUNCTIONS = {"length": ("V", "V"), "count": ("N", "V"), "value": ("N", "V"), "match": ("VV", "L"), "search": ("VV", "L")}


class Malformed(Exception):
    """Not a path."""


class Reader:
    """A text and a place in it."""

    def __init__(self, text, at=0):
        self.text, self.at = text, at

    def blanks(self):
        while self.at < len(self.text) and self.text[self.at] in BLANK:
            self.at += 1

    def sees(self, word):
        return self.text.startswith(word, self.at)

    def take(self, word):
        found = self.sees(word)
        self.at += len(word) if found else 0
        return found

    def need(self, word):
        if not self.take(word):
            raise Malformed(f"{word!r} expected at {self.at} of {self.text!r}")

    def match(self, pattern):
        found = pattern.match(self.text, self.at)
        if found:
            self.at = found.end()
        return found

    def char(self):
        return self.text[self.at] if self.at < len(self.text) else ""

    def quoted(self):
        """A string in either kind of quotes, with the escapes of RFC 9535."""
        quote, out = self.char(), []
        self.at += 1
        while not self.take(quote):
            char = self.char()
            if char == "" or char < " ":
                raise Malformed("a string that does not end")
            self.at += 1
            out.append(self.escape(quote) if char == "\\" else char)
        return "".join(out)

    def escape(self, quote):
        char = self.char()
        self.at += 1
        if char == quote and char:
            return char
        if char in ESCAPES and char:
            return ESCAPES[char]
        if char != "u":
            raise Malformed("an unknown escape")
        unit = self.unit()
        if 0xDC00 <= unit < 0xE000:
            raise Malformed("half a surrogate pair")
        if 0xD800 <= unit < 0xDC00:
            self.need("\\u")
            low = self.unit()
            if not 0xDC00 <= low < 0xE000:
                raise Malformed("half a surrogate pair")
            return chr(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00))
        return chr(unit)

    def unit(self):
        digits = self.text[self.at:self.at + 4]
        if not re.fullmatch("[0-9A-Fa-f]{4}", digits):
            raise Malformed("a bad escape")
        self.at += 4
        return int(digits, 16)


class Query:
    """Segments from the root or from the current node."""

    def __init__(self, relative, segments):
        self.relative, self.segments = relative, segments
        self.singular = all(not below and len(chosen) == 1 and chosen[0][0] in ("name", "index")
                            for below, chosen in segments)

    def nodes(self, root, current):
        found = [current if self.relative else root]
        for below, chosen in self.segments:
            if below:
                found = [node for start in found for node in descendants(start)]
            found = [node for start in found for selector in chosen for node in pick(selector, start, root)]
        return found


def descendants(node):
    yield node
    for child in children(node):
        yield from descendants(child)


def children(node):
    if isinstance(node, Partial):
        raise Undecided("all members of an object not known in full")
    if isinstance(node, dict):
        return list(node.values())
    return node if isinstance(node, list) else []


def pick(selector, node, root):
    """The nodes one selector chooses among a node's children."""
    what = selector[0]
    if what == "name":
        if isinstance(node, Partial) and node.may_have(selector[1]):
            raise Undecided("a member an error may have")
        return [node[selector[1]]] if isinstance(node, dict) and selector[1] in node else []
    if what == "wild":
        return children(node)
    if what == "filter":
        return [child for child in children(node) if selector[1](root, child)]
    if not isinstance(node, list):
        return []
    if what == "index":
        return [node[selector[1]]] if -len(node) <= selector[1] < len(node) else []
    return node[slice_of(selector, len(node))] if selector[3] != 0 else []


def slice_of(selector, length):
    """Python's slices clamp as RFC 9535's do, except for an end before the start going down."""
    _, start, end, step = selector
    if step is not None and step < 0 and end is not None and end < -length:
        end = None
    return slice(start, end, step)


class Parser(Reader):
    def query(self, relative=False):
        """A query after its "$" or "@"; stops at what cannot continue it."""
        segments = []
        while True:
            before = self.at
            self.blanks()
            if not segments and self.match(LONE_DOT):
                return Query(relative, segments)
            segment = self.segment()
            if segment is None:
                self.at = before
                return Query(relative, segments)
            segments.append(segment)

    def segment(self):
        if self.take(".."):
            return True, self.bracketed() if self.sees("[") else [self.dotted()]
        if self.sees(".["):
            self.at += 1
        elif self.take("."):
            return False, [self.dotted()]
        return (False, self.bracketed()) if self.sees("[") else None

    def dotted(self):
        if self.take("*"):
            return ("wild",)
        name = self.match(NAME)
        if not name:
            raise Malformed(f"a name expected at {self.at} of {self.text!r}")
        return ("name", name.group())

    def bracketed(self):
        self.need("[")
        chosen = []
        while True:
            self.blanks()
            chosen.append(self.selector())
            self.blanks()
            if self.take("]"):
                return chosen
            self.need(",")

    def selector(self):
        if self.char() in ("'", '"') and self.char():
            return ("name", self.quoted())
        if self.take("*"):
            return ("wild",)
        if self.take("?"):
            self.blanks()
            return ("filter", self.either())
        return self.index_or_slice()

    def integer(self):
        found = self.match(INTEGER)
        if not found:
            return None
        if found.group() == "-0" or abs(int(found.group())) > INTEGER_MAX:
            raise Malformed("not an index")
        return int(found.group())

    def index_or_slice(self):
        start = self.integer()
        before = self.at
        self.blanks()
        if not self.take(":"):
            self.at = before
            if start is None:
                raise Malformed(f"a selector expected at {self.at} of {self.text!r}")
            return ("index", start)
        self.blanks()
        end = self.integer()
        self.blanks()
        step = None
        if self.take(":"):
            self.blanks()
            step = self.integer()
        return ("slice", start, end, step)

    # Filters. Each becomes a function of (root, current node).

    def either(self):
        parts = [self.both()]
        while self.joined("||"):
            parts.append(self.both())
        return lambda root, node: any(part(root, node) for part in parts)

    def both(self):
        parts = [self.basic()]
        while self.joined("&&"):
            parts.append(self.basic())
        return lambda root, node: all(part(root, node) for part in parts)

    def joined(self, operator):
        before = self.at
        self.blanks()
        if self.take(operator):
            self.blanks()
            return True
        self.at = before
        return False

    def basic(self):
        if self.take("!"):
            self.blanks()
            inner = self.parenthesised() if self.sees("(") else self.truth(self.operand())
            return lambda root, node: not inner(root, node)
        return self.parenthesised() if self.sees("(") else self.compared(self.operand())

    def parenthesised(self):
        self.need("(")
        self.blanks()
        inner = self.either()
        self.blanks()
        self.need(")")
        return inner

    def compared(self, left):
        before = self.at
        self.blanks()
        if self.take("=~"):
            return self.like(left)
        for operator in ("==", "!=", "<=", ">=", "<", ">"):
            if self.take(operator):
                self.blanks()
                first, second = self.value(left), self.value(self.operand())
                return lambda root, node: holds(operator, first(root, node), second(root, node))
        self.at = before
        return self.truth(left)

    def like(self, left):
        self.blanks()
        found = self.match(re.compile(r"/((?:[^/\\]|\\.)*)/([a-z]*)"))
        if not found:
            raise Malformed("a /regular expression/ expected")
        pattern = re.compile(found.group(1), re.I if "i" in found.group(2) else 0)
        text = self.value(left)
        return lambda root, node: isinstance(text(root, node), str) and bool(pattern.search(text(root, node)))

    def operand(self):
        """(type, what): a literal, a query or a call."""
        if self.char() in ("'", '"') and self.char():
            return "literal", self.quoted()
        for word, literal in (("true", True), ("false", False), ("null", None)):
            if re.compile(word + r"(?![0-9A-Za-z_(])").match(self.text, self.at):
                self.at += len(word)
                return "literal", literal
        if self.take("$") or self.take("@"):
            return "query", self.query(self.text[self.at - 1] == "@")
        if self.match(FUNCTION):
            return "call", self.call(self.text[:self.at - 1])
        number = self.match(NUMBER)
        if not number:
            raise Malformed(f"an operand expected at {self.at} of {self.text!r}")
        text = number.group()
        return "literal", float(text) if re.search("[.eE]", text) else int(text)

    def call(self, before):
        name = re.search(r"[a-z][a-z0-9_]*$", before).group()
        if name not in FUNCTIONS:
            raise Malformed(f"unknown function {name}")
        takes, gives = FUNCTIONS[name]
        given = []
        self.blanks()
        while not self.take(")"):
            if given:
                self.need(",")
                self.blanks()
            given.append(self.operand())
            self.blanks()
        if len(given) != len(takes):
            raise Malformed(f"{name}() takes {len(takes)} arguments")
        return gives, name, [self.nodes(one) if type_ == "N" else self.value(one) for type_, one in zip(takes, given)]

    def nodes(self, operand):
        what, query = operand
        if what != "query":
            raise Malformed("a query expected")
        return query.nodes

    def value(self, operand):
        what, one = operand
        if what == "literal":
            return lambda root, node: one
        if what == "query":
            if not one.singular:
                raise Malformed("a comparison needs a definite path")
            return lambda root, node: next(iter(one.nodes(root, node)), NOTHING)
        gives, name, arguments = one
        if gives != "V":
            raise Malformed(f"{name}() cannot be compared")
        return lambda root, node: CALLS[name](*(argument(root, node) for argument in arguments))

    def truth(self, operand):
        what, one = operand
        if what == "query":
            return lambda root, node: bool(one.nodes(root, node))
        if what == "call" and one[0] == "L":
            return lambda root, node: CALLS[one[1]](*(argument(root, node) for argument in one[2]))
        raise Malformed("a value is not a test")


def ordered(a, b):
    """a < b, for two numbers or two strings."""
    if a is NOTHING or b is NOTHING or kind(a) != kind(b) or kind(a) not in ("number", "string"):
        return False
    return a < b


def equal(a, b):
    if a is NOTHING or b is NOTHING:
        return a is b
    return same(a, b)


def holds(operator, a, b):
    if operator == "==":
        return equal(a, b)
    if operator == "!=":
        return not equal(a, b)
    if operator in ("<", "<="):
        return ordered(a, b) or (operator == "<=" and equal(a, b))
    return ordered(b, a) or (operator == ">=" and equal(a, b))


def length_of(value):
    if isinstance(value, Partial):
        raise Undecided("the size of an object not known in full")
    return len(value) if isinstance(value, (str, list, dict)) else NOTHING


def regexp(text, pattern, whole):
    if not isinstance(text, str) or not isinstance(pattern, str):
        return False
    try:
        compiled = re.compile(re.sub(r"(?<!\\)((?:\\\\)*)\.(?![^\[]*\])", r"\1[^\\n\\r]", pattern))
    except re.error:
        return False
    return bool(compiled.fullmatch(text) if whole else compiled.search(text))


CALLS = {
    "length": length_of,
    "count": len,
    "value": lambda nodes: nodes[0] if len(nodes) == 1 else NOTHING,
    "match": lambda text, pattern: regexp(text, pattern, True),
    "search": lambda text, pattern: regexp(text, pattern, False),
}


class Path:
    def __init__(self, text):
        lenient = text if text.startswith("$") else "$." + text
        parser = Parser(lenient, 1)
        self.query = parser.query()
        if parser.at != len(lenient):
            raise Malformed(f"nothing understood at {parser.at} of {text!r}")
        self.definite = self.query.singular

    @property
    def steps(self):
        """Names and indices, of a definite path."""
        if not self.definite:
            raise Malformed("a definite path is needed")
        return [chosen[0][1] for _, chosen in self.query.segments]

    def nodes(self, data):
        return self.query.nodes(data, data)

    def select(self, data):
        found = self.nodes(data)
        if not self.definite:
            return found
        return found[0] if found else NOTHING


@functools.lru_cache(4096)
def path_of(text):
    return Path(text)
