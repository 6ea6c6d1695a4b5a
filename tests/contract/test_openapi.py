"""contract/openapi.json as others use it: every name once, examples that fit, a linter without a word, types that compile.

The linter and the generators are packages of web/. Without them (WEB=0) the tests that need them are skipped.
"""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
import warnings

import jsonschema

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FILE = os.path.join(ROOT, "contract", "openapi.json")
TOOLS = os.path.join(ROOT, "web", "node_modules", ".bin")
# The programs stay on this machine: no telemetry, no look for a newer version, and no way out if they try.
ENVIRONMENT = {**os.environ, "REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true", "HTTPS_PROXY": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9"}
JSON_TYPES = ("application/json", "application/problem+json", "application/schema+json", "application/merge-patch+json",
              "application/cloudevents+json", "application/cloudevents-batch+json")

with open(FILE, encoding="utf-8") as opened:
    CONTRACT = json.load(opened)


def node_is_new_enough():
    if not shutil.which("node"):
        return False
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(int(part) for part in version.strip().lstrip("v").split(".")[:2]) >= (20, 19)


def needs(tool):
    """Skips a test of a program that is not installed."""
    here = os.path.exists(os.path.join(TOOLS, tool)) and node_is_new_enough()
    return unittest.skipUnless(here, f"{tool} is not here: npm ci in web/, with Node 20.19 or newer")


def resolve(node):
    while "$ref" in node:
        target = CONTRACT
        for part in node["$ref"][2:].split("/"):
            target = target[part]
        node = target
    return node


def operations():
    for path, item in CONTRACT["paths"].items():
        for method, operation in item.items():
            if method != "parameters":
                yield f"{method.upper()} {path}", operation


def contents():
    """Every body of a request, and every answer that says that it went well: (where, type, content)."""
    for where, operation in operations():
        for kind, content in resolve(operation.get("requestBody", {})).get("content", {}).items():
            yield f"{where} body", kind, content
        for status, response in operation["responses"].items():
            if status.startswith("2"):
                for kind, content in resolve(response).get("content", {}).items():
                    yield f"{where} {status}", kind, content


def run(tool, *arguments, check=True):
    done = subprocess.run([os.path.join(TOOLS, tool), *arguments], capture_output=True, text=True, env=ENVIRONMENT, cwd=os.path.join(ROOT, "web"), check=False)
    if check and done.returncode:
        raise AssertionError(f"{tool} ended with {done.returncode}: {done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


class Document(unittest.TestCase):
    def test_every_operation_has_a_name_of_its_own(self):
        names = [operation.get("operationId") for _, operation in operations()]
        self.assertEqual(sorted(filter(None, names)), sorted(set(names)))

    def test_every_body_has_an_example_that_fits(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            resolver = jsonschema.RefResolver("", CONTRACT)
        for where, kind, content in contents():
            if not where.endswith(" body") and kind not in JSON_TYPES:
                continue
            with self.subTest(where=where, type=kind):
                self.assertIn("example", content)
                jsonschema.Draft202012Validator(content.get("schema", {}), resolver=resolver).validate(content["example"])


class Tools(unittest.TestCase):
    @needs("redocly")
    def test_the_linter_finds_nothing(self):
        said = run("redocly", "lint", "--extends", "recommended", "--format", "json", FILE, check=False)
        found = json.loads(said[said.index("{"):])
        self.assertEqual([f"{p['ruleId']}: {p['message']} {p['location'][0].get('pointer')}" for p in found["problems"]], [])
        self.assertEqual(found["totals"], {"errors": 0, "warnings": 0, "ignored": 0})

    @needs("openapi-ts")
    def test_types_of_two_generators_compile(self):
        directory = tempfile.mkdtemp(prefix="pawl-types-")
        self.addCleanup(shutil.rmtree, directory)
        client, types = os.path.join(directory, "client"), os.path.join(directory, "schema.ts")
        run("openapi-ts", "-i", FILE, "-o", client, "--no-log-file", "--silent")
        run("openapi-typescript", FILE, "-o", types, "--empty-objects-unknown")
        run("tsc", "--noEmit", "--strict", "--skipLibCheck", "--typeRoots", os.path.join(directory, "none"), "--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler",
            "--lib", "es2022,dom,dom.iterable", types, os.path.join(client, "index.ts"), os.path.join(client, "sdk.gen.ts"))


if __name__ == "__main__":
    unittest.main()
