"""Random data, paths, choices and conditions, over few enough names that they meet."""

import json

KEYS = ("a", "b", "c", "k", "n", "s")
TEXTS = ("x", "y", "10", "9", "18", "true", "null", "", "Bad", "b-1", "\u00e9", "\U0001f600", "\uffee", "[]", "{}", "1.0")
NUMBERS = (0, 1, 2, 3, 7, 9, 10, 18, -1, 2.5, 1.0, 1e3, 9007199254740991)
ERRORS = ("BadException", "BadException", "OtherException", "T", "TimeoutException")


def scalar(random):
    return random.choice((random.choice(TEXTS), random.choice(NUMBERS), random.choice(NUMBERS),
                          random.random() < 0.5, None))


def value(random, depth=2):
    roll = random.random()
    if depth == 0 or roll < 0.5:
        return scalar(random)
    if roll < 0.7:
        return [value(random, depth - 1) for _ in range(random.randrange(4))]
    return object_of(random, depth - 1)


def object_of(random, depth=2):
    return {key: value(random, depth) for key in random.sample(KEYS, random.randrange(4))}


def elements(random):
    """A collection, mostly of objects alike."""
    if random.random() < 0.25:
        return [scalar(random) for _ in range(random.randrange(4))]
    return [{**object_of(random, 1), "k": scalar(random), "n": random.choice(NUMBERS)} for _ in range(random.randrange(5))]


def input_of(random):
    data = {**object_of(random), "items": elements(random)}
    if random.random() < 0.3:
        data["more"] = {**object_of(random), "items": elements(random)}
    return data


# Paths

def name_step(random, name):
    return random.choice((f".{name}", f".{name}", f".{name}", f"['{name}']", f'["{name}"]', f".['{name}']"))


def definite(random):
    """A path that selects at most one node."""
    roll = random.random()
    if roll < 0.08:
        return random.choice(("$", "$."))
    names = ["more"] if random.random() < 0.12 else []
    names += random.sample(KEYS, random.choice((1, 1, 1, 2)))
    if random.random() < 0.25:
        tail = f"[{random.choice((0, 0, 1, -1, 5))}]" + (name_step(random, random.choice(KEYS)) if random.random() < 0.6 else "")
        return "$" + name_step(random, "items") + tail
    if random.random() < 0.06:
        return random.choice((".".join(names), f"['{names[0]}']", "items[0]"))  # Without the "$".
    return "$" + "".join(name_step(random, name) for name in names)


def filter_test(random, depth=0):
    key = random.choice(("@.k", "@.n", "@.a", "@['n']", "@.b.c", "@"))
    roll = random.random()
    if depth == 0 and roll < 0.2:
        inner = filter_test(random, 1), filter_test(random, 1)
        return random.choice((f"{inner[0]} && {inner[1]}", f"{inner[0]} || {inner[1]}", f"!({inner[0]})",
                              f"({inner[0]}) && {inner[1]}"))
    if roll < 0.4:
        return key if key != "@" else "@.k"
    if roll < 0.48:
        return f"length({key}) {random.choice(('==', '>', '<'))} {random.randrange(3)}"
    if roll < 0.53:
        return f"count(@.*) {random.choice(('==', '>', '<='))} {random.randrange(4)}"
    if roll < 0.6:
        return f"{random.choice(('match', 'search'))}({key}, '{random.choice(('x', '[a-z]+', '1.*', 'B.d'))}')"
    if roll < 0.64:
        return f"{key} =~ /^{random.choice(('x', '1[0-9]', '[a-z]*'))}$/"
    return f"{key} {random.choice(('==', '!=', '<', '<=', '>', '>='))} {literal(random)}"


def literal(random):
    """A scalar as conditions and filters write it."""
    one = scalar(random)
    return quoted(random, one) if isinstance(one, str) else json.dumps(one)


def indefinite(random):
    test = filter_test(random)
    key = random.choice(KEYS)
    return random.choice((
        f"$..{key}", f"$..{key}", "$.items[*]", f"$.items[*].{key}", f"$.items[?({test})]", f"$.items[?{test}]",
        f"$.items[?({test})].{key}", f"$.items[?({test})].{key}", "$.items[0:2]", "$.items[1:]", "$.items[::-1]", "$.items[-2:]",
        "$.items[::2]", f"$['{key}','items']", "$.items[0,1]", f"$..items[?({test})]", f"$.more.items[*].{key}",
        "$.*", f"items[*].{key}", "items[?(@.k)]", f"$.items[?(@.k == $.{key})]", f"$.items[?(value(@..k) == 1)].{key}",
        f"$..['{key}']", "$.items.[*]", f"$.items.[?({test})]", f"$.{key}[*]", "$..items[0]", "$..[0]"))


def any_path(random):
    return definite(random) if random.random() < 0.7 else indefinite(random)


def result_path(random):
    return random.choice(("$.r", "$.r", "$.r", "$.a", "$.r.q", "$.q.r", "$.a.b", "$['r']", "$", "$.more.z", "$.c.k",
                          "$.items[0].z" if random.random() < 0.3 else "$.z.z.z"))


def state_filter(random, which=("inputPath", "resultPath", "outputPath"), chance=0.3):
    made = {}
    for name in which:
        if random.random() < chance:
            made[name] = result_path(random) if name == "resultPath" else any_path(random)
    return made


# Choices (1.6)

OPERATORS = ("Exists", "Equals", "Equals", "LessThan", "LessThanEquals", "GreaterThan", "GreaterThanEquals")


def choice_value(random):
    one = value(random, 1)
    if isinstance(one, str) or random.random() < 0.3:
        return one
    text = json.dumps(one, ensure_ascii=False, separators=random.choice(((",", ":"), (" , ", " : "))))
    return random.choice((text, text, text, "18.0", "1e1", "0x1"))


def leaf(random):
    made = {"path": any_path(random), "operator": random.choice(OPERATORS)}
    if made["operator"] == "Exists":
        if random.random() < 0.6:
            made["value"] = random.choice(("true", "false", True, False, "x"))
    else:
        made["value"] = choice_value(random)
    if random.random() < 0.05:
        made["operator"] = made["operator"].upper()
    return made


def choice(random, depth=0):
    roll = random.random()
    if roll < 0.6:
        return leaf(random)
    beside = leaf(random) if random.random() < 0.2 else {}
    if roll < 0.75:
        return {**beside, "not": leaf(random)}
    inner = [choice(random, 1) if depth == 0 and random.random() < 0.15 else leaf(random)
             for _ in range(random.choice((1, 2, 2, 3)))]
    return {**beside, random.choice(("and", "or")): inner}


# Conditions (1.7)

COMPARISONS = ("==", "eq", "is", "!=", "ne", "<", "lt", "<=", "le", ">", "gt", ">=", "ge")


def quoted(random, text):
    return random.choice((f"'{text}'", f'"{text}"'))


def data_operand(random, names):
    roll = random.random()
    path = any_path(random)
    if not path.startswith("$"):
        path = "$" + path if path.startswith("[") else "$." + path
    if path == "$.":
        path = "$"
    if names and roll < 0.35:
        return random.choice(names)
    if roll < 0.45 and "'" not in path:
        return f"#jsonPath(stateOutputData,'{path}')"
    return path


def comparison(random, names, depth=0):
    left = data_operand(random, names)
    roll = random.random()
    if roll < 0.12:
        return left
    if roll < 0.22:
        pattern = random.choice(("x", "^[a-z]$", "1", "Bad", "^.*$"))
        return f"{left} {random.choice(('matches', '=~'))} {quoted(random, pattern)}"
    if roll < 0.28 and depth == 0:
        return f"({expression(random, names, 1)}) == {random.choice(('true', 'false'))}"
    right = literal(random) if random.random() < 0.8 else data_operand(random, names)
    if random.random() < 0.1:
        left, right = right, left
    operator = random.choice(COMPARISONS)
    between = " " if operator.isalpha() or random.random() < 0.8 else ""
    return f"{left}{between}{operator}{between}{right}"


def expression(random, names=(), depth=0):
    one = comparison(random, names, depth)
    roll = random.random()
    if roll < 0.15:
        one = random.choice(("not ", "!", "! ", "not not ")) + (one if random.random() < 0.5 else f"({one})")
    if depth < 2 and random.random() < 0.25:
        word = random.choice(("and", "or", "&&", "||"))
        other = expression(random, names, depth + 1)
        one = f"{one} {word} {other if random.random() < 0.6 else f'({other})'}"
    return one


def condition(random, body):
    """A condition in one of the forms that are accepted everywhere."""
    roll = random.random()
    if roll < 0.3:
        return body
    if roll < 0.5:
        return {"body": body}
    return {"expressionLanguage": random.choice(("spel", "jexl", "cel", "jsonpath", "default")), "body": body}
