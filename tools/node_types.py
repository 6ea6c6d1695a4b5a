#!/usr/bin/env python3
"""Writes what follows from contract/node-types.json: docs/fields.md and the parts of contract/schema/graph.schema.json about fields.

The table itself is in src/dialect/graph/node_types.c, life_params.c and src/dialect/steps/step_types.c. After a change of it:

    UPDATE_GOLDEN=1 make check-dialect     writes contract/node-types.json anew
    python3 tools/node_types.py            writes the rest; with --check it only says what is old
"""

import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
TABLE = ROOT / "contract" / "node-types.json"
SCHEMA = ROOT / "contract" / "schema" / "graph.schema.json"
PAGE = ROOT / "docs" / "fields.md"
WIDTH = 200

# ---- the schema ----

TYPES = {
    "text": ["string", "number", "boolean", "null"], "long_text": ["string", "number", "boolean", "null"],
    "integer": ["integer", "null"], "number": ["number", "null"], "boolean": ["boolean", "null"], "list": ["array", "string", "null"],
    "texts": ["array", "string", "null"], "map": ["object", "string", "null"], "schema": ["object", "boolean", "null"],
    "plain": ["string", "null"], "secret": ["string", "null"], "trigger": ["string", "null"], "node": ["string", "null"],
    "join": ["object", "null"], "undo": ["string", "object", "null"], "reminders": ["array", "string", "null"],
    "escalation": ["object", "array", "null"], "flow": ["string", "null"], "version": ["integer", "string", "null"],
}
REFERENCES = {"duration": "duration", "retry": "retry", "condition": "condition"}
LISTS = {"rules": "rule", "cases": "case", "assignments": "assignment"}
# The engine reads fields of triggers with messages of its own: the schema says what they mean, and checks words.
LOOSE = {"trigger"}


def in_any_case(words):
    each = ("".join(f"[{c.upper()}{c.lower()}]" if c.isalpha() else c for c in word) for word in words)
    return f"^({'|'.join(each)})$"


def meaning(param):
    text = param["label"].rstrip(".") + "."
    if "help" in param:
        text += " " + param["help"]
    if "otherName" in param:
        text += f" Another spelling: {param['otherName']}."
    return text


def property_of(param, is_loose=False):
    kind, found = param["kind"], {"description": meaning(param)}
    if "default" in param and "decidedBy" not in param:
        found["default"] = param["default"]
    if kind == "choice":
        found["anyOf"] = [{"enum": [*param["words"], None]}, {"type": "string", "pattern": in_any_case(param["words"])}]
    elif is_loose:
        return found
    elif kind in LISTS:
        found["anyOf"] = [{"type": "null"}, {"type": "array", "items": {"$ref": f"#/$defs/{LISTS[kind]}"}}]
    elif kind in REFERENCES:
        found["$ref"] = f"#/$defs/{REFERENCES[kind]}"
    elif kind in TYPES:
        found["type"] = TYPES[kind]
    if kind in ("integer", "number") and "max" in param:
        found["minimum"], found["maximum"] = param["min"], param["max"]
    return found


def strict(param):
    """The same for a field that takes no placeholders: a list is a list of texts."""
    found = property_of(param)
    return {**found, "type": ["array", "null"], "items": {"type": "string"}} if param["kind"] == "texts" else found


def when(kind, then):
    return {"if": {"properties": {"type": {"enum": [kind["type"], *kind["aliases"]]}}, "required": ["type"]}, "then": then}


def put_schema(schema, table):
    settings = {param["name"]: strict(param) for param in table["settings"]}
    schema["properties"]["settings"]["properties"] = settings
    schema["properties"].update(settings)
    defs = schema["$defs"]
    defs["retry"]["properties"] = {param["name"]: strict(param) for param in table["retry"]}
    defs["node"]["properties"].update({param["name"]: property_of(param) for param in table["nodeFields"]})
    defs["node"]["properties"]["type"]["anyOf"][0]["enum"] = [kind["type"] for kind in table["nodeTypes"]]
    defs["node"]["allOf"] = [when(kind, {"properties": {"config": {"$ref": f"#/$defs/config_{kind['type']}"}}}) for kind in table["nodeTypes"]]
    starts = [kind for kind in table["nodeTypes"] if kind["kind"] == "trigger"]
    defs["trigger"]["allOf"] = [when(kind, {"$ref": f"#/$defs/config_{kind['type']}"}) for kind in starts]
    for kind in table["nodeTypes"]:
        defs[f"config_{kind['type']}"] = {
            "description": kind["label"] + ".", "type": ["object", "null"],
            "properties": {param["name"]: property_of(param, kind["kind"] in LOOSE) for param in kind["params"]}}
    return schema


def dump(value, indent=0, lead=0):
    """JSON in which each part that fits is one line."""
    flat = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or not value or indent + lead + len(flat) <= WIDTH:
        return flat
    pad = " " * (indent + 2)
    if isinstance(value, dict):
        items = [f"{pad}{json.dumps(name)}: {dump(member, indent + 2, len(json.dumps(name)) + 2)}" for name, member in value.items()]
        return "{\n" + ",\n".join(items) + "\n" + " " * indent + "}"
    return "[\n" + ",\n".join(pad + dump(item, indent + 2) for item in value) + "\n" + " " * indent + "]"


# ---- the page ----

KINDS = {
    "text": "text, may have `{{ … }}`", "long_text": "text, may have `{{ … }}`", "plain": "text", "note": "text", "integer": "whole number",
    "number": "number", "boolean": "true or false", "duration": "duration: `30s`, `10m`, `2h`, `7d`", "iso_duration": "duration: `PT10M`, `P2D`",
    "time": "time or duration", "list": "list", "texts": "list of texts", "map": "names and values", "json": "any value",
    "condition": "condition", "schema": "JSON Schema", "plain_schema": "names and types", "cron": "five fields of cron", "zone": "time zone",
    "secret": "name of a secret", "trigger": "id of a trigger", "node": "id of a node", "join": "`{\"mode\": …}`", "expression": "expression",
    "rules": "list of `{condition, label}`", "cases": "list of `{value, label}`", "assignments": "list of `{key, value, operation}`",
    "retry": "see *Trying again*", "undo": "id of a node, or `{type, config}`", "reminders": "list, see [tasks](tasks.md)",
    "escalation": "object, see [tasks](tasks.md)", "timers": "list of `{type, duration, interrupting, targetStepId}`",
    "next": "`{definition, version, input}`", "flow": "id of a definition, may be computed", "version": "`latest` or a number, may be computed",
    "backoff": "`{initial, factor, max}`", "values": "names and expressions", "table": "`{rules}`", "join_step": "id of a `JOIN_GATEWAY`",
}


def cell(text):
    return text.replace("|", "\\|")


def default_of(param):
    if param["required"]:
        return "needed"
    if "default" not in param:
        return ""
    text = f"`{json.dumps(param['default'], ensure_ascii=False).strip(chr(34))}`"
    if "decidedBy" in param:
        text += f"; `{json.dumps(param['decided']).strip(chr(34))}` with `{param['decidedBy']}`"
    return text


def means(param):
    text = f"“{param['label']}”" + (". " + param["help"] if "help" in param else "")
    if "onlyIf" in param:
        text = text.rstrip(".") + f". Only with `{param['onlyIf']['field']}` {' or '.join(param['onlyIf']['words'])}."
    return text


def rows(params):
    lines = ["| field | means | value | default |", "|---|---|---|---|"]
    for param in params:
        name = f"`{param['name']}`" + (f", `{param['otherName']}`" if "otherName" in param else "")
        value = ", ".join(f"`{word}`" for word in param["words"]) if param["kind"] == "choice" else KINDS[param["kind"]]
        if param["kind"] in ("integer", "number") and "max" in param:
            value += f", {param['min']} to {param['max']}"
        lines.append(f"| {name} | {cell(means(param))} | {cell(value)} | {cell(default_of(param))} |")
    return lines


def page(table):
    lines = [
        "# Fields", "",
        "Every field of flow graphs and steps with its default, made from the table that the engine reads, the builder shows and",
        "`GET /api/node-types` answers (`contract/node-types.json`). [graphs](graphs.md) and [steps](steps.md) tell how they work together.", "",
        "Quoted words are those of the builder. Flow graphs may write the words of a choice in any case.", "",
        "## How the runs of a flow graph live", "", "Members of `settings`, or of the document.", "", *rows(table["settings"]), "",
        "## Trying again", "", "Members of `retry` of a node and of `defaultRetryPolicy`.", "", *rows(table["retry"]), "",
        "## Beside the config of a node", "", *rows(table["nodeFields"]), ""]
    for kind in table["nodeTypes"]:
        lines += [f"## `{kind['type']}`: {kind['label']}", ""]
        if kind["aliases"]:
            lines += ["Also written " + ", ".join(f"`{name}`" for name in kind["aliases"]) + ".", ""]
        if kind["params"]:
            lines += [*rows(kind["params"]), ""]
        if kind["fields"]:
            lines += ["Beside the config: " + ", ".join(f"`{name}`" for name in kind["fields"]) + ".", ""]
    for kind in table["stepTypes"]:
        lines += [f"## Step `{kind['type']}`: {kind['label']}", "", *rows(kind["params"]), ""]
    return "\n".join(lines).rstrip() + "\n"


def wanted():
    """{path: text} of all that follows from the table."""
    table = json.loads(TABLE.read_text())
    return {SCHEMA: dump(put_schema(json.loads(SCHEMA.read_text()), table)) + "\n", PAGE: page(table)}


def main():
    old = [path for path, text in wanted().items() if not path.exists() or path.read_text() != text]
    if "--check" in sys.argv:
        for path in old:
            print(f"{path.relative_to(ROOT)} is old: python3 tools/node_types.py")
        return 1 if old else 0
    for path in old:
        path.write_text(wanted()[path])
    return 0


if __name__ == "__main__":
    sys.exit(main())
