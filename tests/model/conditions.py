"""Conditions (1.7), choices of a SWITCH (1.6), and event conditions (1.8)."""

import functools
import json
import re

from jsonpath import Malformed, NUMBER, Parser, path_of, Reader
from values import Partial, Undecided, Unknown, kind, same

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*")
TRIGGER = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
LANGUAGES = ("spel", "jexl", "cel", "jsonpath", "default")
OPERATORS = {"==": "==", "eq": "==", "is": "==", "!=": "!=", "ne": "!=", "<=": "<=", "le": "<=", ">=": ">=", "ge": ">=",
             "<": "<", "lt": "<", ">": ">", "gt": ">", "matches": "~", "=~": "~"}
WORDS = ("or", "and", "not", "true", "false", "null", *(word for word in OPERATORS if word.isalpha()))


class NodeList(list):
    """What an indefinite path gives: compared node by node."""


class Grammar(Parser):
    """The common part: or, and, not, parentheses. Expressions become functions of their context."""

    def whole(self):
        expression = self.either_word()
        self.blanks()
        if self.at != len(self.text):
            raise Malformed(f"nothing understood at {self.at} of {self.text!r}")
        return expression

    def word(self, *words):
        """Takes one of these operators or words; words must end where they end."""
        self.blanks()
        for word in words:
            if self.sees(word) and not (word.isalpha() and re.match(r"[A-Za-z0-9_-]", self.text[self.at + len(word):])):
                if word == "!" and self.sees("!="):
                    continue
                self.at += len(word)
                return word
        return None

    def either_word(self):
        return self.chain(self.both_words, ("or", "||"), any)

    def both_words(self):
        return self.chain(self.negated, ("and", "&&"), all)

    def chain(self, part, words, decide):
        parts = [part()]
        while self.word(*words):
            parts.append(part())
        if len(parts) == 1:
            return parts[0]
        return lambda context: decide(truth(one(context)) for one in parts)

    def negated(self):
        if self.word("not", "!"):
            inner = self.negated()
            return lambda context: not truth(inner(context))
        return self.comparison()


class Expression(Grammar):
    def comparison(self):
        left = self.operand_value()
        operator = self.word(*OPERATORS)
        if not operator:
            return left
        right = self.operand_value()
        return lambda context: compare(OPERATORS[operator], left(context), right(context))

    def operand_value(self):
        self.blanks()
        if self.take("("):
            inner = self.either_word()
            self.blanks()
            self.need(")")
            return inner
        if self.take("$"):
            return reading(self.query())
        if self.take("#jsonPath("):
            return self.jsonpath()
        if self.char() in ("'", '"') and self.char():
            return constant(self.plain_quoted())
        number = self.match(NUMBER)
        if number:
            return constant(json.loads(number.group()))
        return self.named()

    def plain_quoted(self):
        """A string as written: a regular expression's backslashes are its own."""
        end = self.text.find(self.char(), self.at + 1)
        if end < 0:
            raise Malformed("a string that does not end")
        text, self.at = self.text[self.at + 1:end], end + 1
        return text

    def jsonpath(self):
        self.blanks()
        self.need("stateOutputData")
        self.blanks()
        self.need(",")
        self.blanks()
        path = path_of(self.plain_quoted())
        self.blanks()
        self.need(")")
        return reading(path.query)

    def named(self):
        found = self.match(IDENTIFIER)
        if not found:
            raise Malformed(f"an operand expected at {self.at} of {self.text!r}")
        name = found.group()
        literals = {"true": True, "false": False, "null": None}
        if name in literals:
            return constant(literals[name])
        if name in WORDS:
            raise Malformed(f"{name} is no operand")
        first, *members = name.split(".")
        return lambda context: member_of(context.name(first), members)


def constant(value):
    return lambda context: value


def reading(query):
    """A definite path reads one value, null when missing; an indefinite one a list of nodes."""
    if query.singular:
        return lambda context: next(iter(query.nodes(context.root, context.root)), None)
    return lambda context: NodeList(query.nodes(context.root, context.root))


def member_of(value, members):
    for name in members:
        if isinstance(value, Partial) and value.may_have(name):
            raise Undecided("a member an error may have")
        value = value.get(name) if isinstance(value, dict) else None
    return value


class Context:
    """What "$" and the bare names stand for."""

    def __init__(self, root, names=None):
        self.root, self.names = root, names or {}

    def name(self, name):
        if name in self.names:
            return self.names[name]
        if isinstance(self.root, dict) and name in self.root:
            raise Undecided("a bare name that is a member of the data")
        return None


def truth(value):
    """False, null and an empty node list are false."""
    if isinstance(value, Unknown):
        raise Undecided("the truth of an unknown value")
    if isinstance(value, NodeList):
        return bool(value)
    return value is not None and value is not False


def compare(operator, left, right):
    if operator == "!=":
        return not compare("==", left, right)
    lefts = left if isinstance(left, NodeList) else [left]
    rights = right if isinstance(right, NodeList) else [right]
    return any(compare_values(operator, a, b) for a in lefts for b in rights)


def compare_values(operator, a, b):
    if operator == "==":
        return same(a, b)
    if operator == "~":
        if kind(a) != "string" or kind(b) != "string":
            return False
        return bool(re.search(b, a))
    if kind(a) != kind(b):
        return False
    if kind(a) not in ("number", "string"):
        raise Undecided("the order of values that have none")
    return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[operator]


def parse_condition(given):
    """A string or {expressionLanguage, body}, as a function of a Context."""
    return parse_body(body_of(given))


@functools.lru_cache(4096)
def parse_body(body):
    return Expression(body).whole()


def body_of(given):
    if isinstance(given, str):
        return given
    if not isinstance(given, dict) or not isinstance(given.get("body"), str):
        raise Malformed("a condition needs a body")
    if given.get("expressionLanguage", "default").lower() not in LANGUAGES:
        raise Malformed("an unknown expression language")
    return given["body"]


# Choices

COMPARISONS = ("exists", "equals", "lessthan", "lessthanequals", "greaterthan", "greaterthanequals")


def choice_holds(choice, data):
    if "path" in choice and any(word in choice for word in ("and", "or", "not")):
        outer = {key: choice[key] for key in ("path", "operator", "value") if key in choice}
        inner = {key: value for key, value in choice.items() if key not in outer}
        return choice_holds(outer, data) and choice_holds(inner, data)
    for word, decide in (("and", all), ("or", any)):
        if word in choice:
            return decide(choice_holds(one, data) for one in choice[word])
    if "not" in choice:
        return not choice_holds(choice["not"], data)
    nodes = path_of(choice["path"]).nodes(data)
    operator = choice["operator"].lower()
    if operator == "exists":
        negated = choice.get("value") is False or choice.get("value") == "false"
        return bool(nodes) != negated
    return any(node_holds(operator, node, choice["value"]) for node in nodes)


def node_holds(operator, node, value):
    try:
        wanted = read_as(kind(node), value)
    except ValueError:
        return False
    if operator == "equals":
        return same(node, wanted)
    if kind(node) != kind(wanted) or kind(node) not in ("number", "string"):
        return False
    return {"lessthan": node < wanted, "lessthanequals": node <= wanted,
            "greaterthan": node > wanted, "greaterthanequals": node >= wanted}[operator]


def read_as(kind_of_node, value):
    """A string value is read as the type of the data; others are what they are."""
    if not isinstance(value, str) or kind_of_node == "string":
        return value
    wanted = json.loads(value, parse_constant=reject_constant)
    if kind(wanted) != kind_of_node:
        raise ValueError("another type")
    return wanted


def reject_constant(text):
    raise ValueError(text)


# Event conditions

class EventGrammar(Reader):
    """Trigger names, and "name|type|source eq 'x'", under and, or, not.

    Becomes a tree: ("any", [triggers]) | ("not", tree) | ("and"|"or", [trees]).
    """

    def __init__(self, text, triggers):
        super().__init__(text)
        self.triggers = triggers

    word = Grammar.word

    def whole(self):
        tree = self.chain("or")
        self.blanks()
        if self.at != len(self.text):
            raise Malformed(f"nothing understood at {self.at} of {self.text!r}")
        return tree

    def chain(self, word):
        part = (lambda: self.chain("and")) if word == "or" else self.negated
        parts = [part()]
        while self.word(word, {"or": "||", "and": "&&"}[word]):
            parts.append(part())
        return parts[0] if len(parts) == 1 else (word, parts)

    def negated(self):
        if self.word("not", "!"):
            return ("not", self.negated())
        self.blanks()
        if self.take("("):
            tree = self.chain("or")
            self.blanks()
            self.need(")")
            return tree
        return self.operand()

    def operand(self):
        if self.char() in ("'", '"') and self.char():
            return self.named(Expression.plain_quoted(self))
        found = self.match(TRIGGER)
        if not found:
            raise Malformed("a trigger expected")
        name = found.group()
        if name in ("name", "type", "source") and self.word("eq", "==", "is"):
            self.blanks()
            wanted = Expression.plain_quoted(self)
            return ("any", self.known([one["name"] for one in self.triggers if one[name] == wanted]))
        return self.named(name)

    def named(self, name):
        return ("any", self.known([one["name"] for one in self.triggers if one["name"] == name]))

    @staticmethod
    def known(names):
        if not names:
            raise Malformed("an unknown trigger")
        return names


def parse_event_condition(given, triggers):
    return EventGrammar(body_of(given), triggers).whole()


def event_holds(tree, received):
    what, inner = tree
    if what == "any":
        return any(name in received for name in inner)
    if what == "not":
        return not event_holds(inner, received)
    return (all if what == "and" else any)(event_holds(one, received) for one in inner)


def operands(tree, positive=True):
    """(trigger names, positive?) of every operand."""
    what, inner = tree
    if what == "any":
        return [(inner, positive)]
    if what == "not":
        return operands(inner, not positive)
    return [one for part in inner for one in operands(part, positive)]


def fires(tree, received):
    """True, and at least one positive operand has been received."""
    return event_holds(tree, received) and any(
        positive and any(name in received for name in names) for names, positive in operands(tree))
