"""Verbs that need no engine: help, files, expressions."""

import glob
import json
import os
import re
import subprocess
import unittest

from program import BINARY, ROOT, Case, environment

EXAMPLES = os.path.join(ROOT, "examples")
GOOD = json.dumps({"id": "good", "name": "Good", "steps": [
    {"id": "a", "name": "a", "type": "SERVICE_TASK", "jobType": "t", "nextStep": "end"},
    {"id": "end", "name": "end", "type": "END"}]})
YAML = """\
id: good
name: Good
steps:
  - id: a
    name: a
    type: SERVICE_TASK
    jobType: t
    nextStep: end
  - {id: end, name: end, type: END}
"""
BAD = """{
  "id": "bad id", "name": "Bad",
  "steps": [
    {"id": "a", "name": "a", "type": "WAIT", "nextStep": "zz"},
    {"id": "end", "name": "end", "type": "END"}
  ]
}
"""


class Help(Case):
    def test_without_a_verb_it_explains_itself_and_fails(self):
        result = self.run_pawl(code=2)
        self.assertIn("usage: pawl VERB", result.err)
        self.assertEqual(result.out, "")

    def test_help_in_all_its_forms(self):
        overview = self.run_pawl("help").out
        self.assertIn("Exit codes", overview)
        for arguments in (["--help"], ["-h"], ["help", "--help"]):
            self.assertEqual(self.run_pawl(*arguments).out, overview)
        verbs = re.findall(r"^  ([a-z]+) +\S", overview, re.M)
        self.assertIn("serve", verbs)
        for verb in verbs:
            text = self.run_pawl("help", verb).out
            self.assertTrue(text.startswith(f"usage: pawl {verb}") or verb == "help")
            self.assertEqual(self.run_pawl(verb, "--help").out, text)

    def test_version(self):
        with open(os.path.join(ROOT, "VERSION"), encoding="utf-8") as file:
            version = file.read().strip()
        for word in ("version", "--version", "-V"):
            lines = self.run_pawl(word).out.splitlines()
            self.assertEqual(lines[0], f"pawl {version}")
            told = {line[:18].strip(): line[18:] for line in lines[1:]}
            self.assertIn(told["web application"], ("built in", "left out"))
            self.assertRegex(told["store"], r"^SQLite 3\.")
            self.assertRegex(told.get("commit", "0" * 12), "^[0-9a-f]{12}$")
            self.assertTrue({"PostgreSQL", "MQTT", "calls and e-mail", "TLS"} <= told.keys(), told)

    def test_mistakes_are_answered_with_what_was_probably_meant(self):
        cases = [(["strat"], 'pawl: unknown verb "strat"; did you mean "start"?'),
                 (["help", "sevre"], 'pawl: unknown verb "sevre"; did you mean "serve"?'),
                 (["ps", "--jsno"], "pawl: unknown option --jsno; did you mean --json?"),
                 (["serve", "--limit", "visit_max=1"], "did you mean visits_max?"),
                 (["frobnicate"], 'pawl: unknown verb "frobnicate"; "pawl help" lists them')]
        for arguments, message in cases:
            self.assertIn(message, self.run_pawl(*arguments, code=2).err)

    def test_the_documents_for_packagers_are_well_formed(self):
        man = self.run_pawl("docs", "man").out
        self.assertTrue(man.startswith(".TH PAWL 1"))
        self.assertNotRegex(man, r"(?m)^\.(?!TH|SH|SS|TP|PP|EX|EE|B\b)")
        subprocess.run(["bash", "-n"], input=self.run_pawl("docs", "bash").out, text=True, check=True)
        self.assertTrue(self.run_pawl("docs", "zsh").out.startswith("#compdef pawl\n"))
        self.assertIn("complete -c pawl", self.run_pawl("docs", "fish").out)
        self.run_pawl("docs", "pdf", code=2)

    def test_a_newcomer_is_told_where_to_read_on(self):
        self.assertIn("/docs/", self.run_pawl("help").out)
        man = self.run_pawl("docs", "man").out
        for heading, word in (("FILES", "/var/lib/pawl"), ("EXAMPLES", "pawl deploy"), ("SEE ALSO", "/docs/")):
            self.assertIn(word, man.split(f".SH {heading}\n")[1].split(".SH ")[0])

    def test_a_store_that_is_not_here_or_not_for_this_user(self):
        for words in (["info"], ["check"], ["backup", "copy.db"]):
            told = self.run_pawl("store", *words, code=3).err
            self.assertIn("there is no file ./pawl-data/pawl.db", told)
            self.assertIn("--data DIR; the unit and the packages have it in /var/lib/pawl", told)
        self.assertNotIn("/var/lib", self.run_pawl("store", "info", "--data", "elsewhere", code=3).err)
        closed = os.path.join(self.directory, "closed")
        os.mkdir(closed, 0o000)
        self.addCleanup(os.chmod, closed, 0o700)
        os.chmod(self.directory, 0o755)
        nobody = {"user": 65534, "group": 65534} if os.geteuid() == 0 else {}
        done = subprocess.run([BINARY, "store", "info", "--data", closed], capture_output=True, text=True, cwd="/", env=environment(), **nobody)
        self.assertEqual(done.returncode, 5, done)
        self.assertIn(f"{closed}/pawl.db: Permission denied", done.stderr)
        self.assertIn("runuser -u pawl", done.stderr)

    def test_a_backup_that_cannot_be_written_is_named(self):
        self.serve().stop()
        told = self.run_pawl("store", "backup", "/proc/copy.db", "--data", "data", code=6).err
        self.assertIn("/proc/copy.db", told)

    @unittest.skipIf(os.geteuid(), "only root makes backups of others' stores")
    def test_a_backup_by_root_does_not_keep_the_owner_from_the_next_one(self):
        self.serve().stop()
        data = os.path.join(self.directory, "data")
        os.chown(data, 65534, 65533)
        self.run_pawl("store", "backup", "copy.db", "--data", data)
        note = os.stat(os.path.join(data, "pawl.db.backed-up"))
        self.assertEqual((note.st_uid, note.st_gid), (65534, 65533))

    def test_an_engine_that_does_not_answer(self):
        told = self.run_pawl("ps", "--server", "http://127.0.0.1:1", code=6).err
        self.assertIn("cannot connect: Connection refused", told)
        self.assertIn('is an engine running there? "pawl serve" starts one', told)

    def test_bash_completes_verbs_flags_and_words(self):
        script = self.run_pawl("docs", "bash").out
        cases = [("pawl sta", "start"), ("pawl serve --store m", "memory"), ("pawl serve --li", "--limit --listen"),
                 ("pawl store ba", "backup"), ("pawl store cop", "copy"), ("pawl help valid", "validate")]
        for line, want in cases:
            words = line.split(" ")
            probe = (f"{script}\nCOMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _pawl\n"
                     'printf "%s\\n" "${COMPREPLY[@]}" | sort | tr "\\n" " "')
            got = subprocess.run(["bash", "-c", probe], capture_output=True, text=True, check=True).stdout
            self.assertEqual(got.strip(), want, line)


class Copy(Case):
    def test_names_of_stores_are_understood_before_anything_is_made(self):
        first, second = (os.path.join(self.directory, name) for name in ("first", "second"))
        database = "postgres://pawl@127.0.0.1:1/pawl"
        file = self.file("store.db", "")
        for source, target, code, words in (
                (first, database, 3, f"there is no file {first}/pawl.db"),
                ("sqlite:" + first, database, 3, f"there is no file {first}/pawl.db"),
                (first + ".db", database, 3, f"there is no file {first}.db"),
                (self.directory, database, 3, f"there is no file {self.directory}/pawl.db"),
                (file, second, 2, "both stores are in SQLite: `pawl store backup` copies such a store"),
                (file, database, 2, f"{file} is not a Pawl store"),
                (database, database, 2, "both stores are in PostgreSQL"),
                (database, second + ".db", 6, "the database cannot be reached"),
                ("mysql://pawl@db/pawl", second, 2, "mysql://pawl@db/pawl is neither a data directory nor a file nor postgres://"),
                ("sqlite:", second, 2, "sqlite: is neither")):
            result = self.run_pawl("store", "copy", source, target, code=code)
            self.assertIn(words, result.err)
            self.assertEqual([os.path.exists(name) for name in (first, first + ".db", second, second + ".db")], [False] * 4)
        self.assertIn("store does one of", self.run_pawl("store", "copy", first, code=2).err)
        self.assertIn("store does one of", self.run_pawl("store", "info", first, second, code=2).err)


class Validate(Case):
    def test_a_password_in_an_address_is_warned_about(self):
        function = {"name": "f", "type": "get", "resource": "http://ann:secret@shop.example/x"}
        workflow = {"id": "u", "version": "1", "name": "u", "startsAt": "a", "functions": [function], "states": [
            {"name": "a", "type": "OPERATION", "actionMode": "SEQUENTIAL", "actions": [{"functionref": {"refname": "f"}}], "end": True}]}
        for url, warned in (("https://{{ vars.who }}:x@shop.example/", True), ("https://shop.example/a@b?c=@", False), ("https://{{ vars.at }}/x", False)):
            flow = {"dialect": "graph/1", "name": "g", "nodes": [{"id": "t", "type": "trigger_manual"}, {"id": "h", "type": "action_http", "config": {"url": url}}, {"id": "e", "type": "end"}],
                    "edges": [{"from": "t", "to": "h"}, {"from": "h", "to": "e"}]}
            told = self.run_pawl("validate", self.file("g.json", json.dumps(flow)))
            self.assertEqual("user or a password" in told.out + told.err, warned, told)
        told = self.run_pawl("validate", self.file("u.json", json.dumps(workflow)))
        self.assertIn("/functions/0/resource", told.out + told.err)

    def test_the_examples_are_valid(self):
        files = sorted(name for kind in ("*", "*/*") for end in ("json", "yaml") for name in glob.glob(os.path.join(EXAMPLES, f"{kind}.{end}"))
                       if ".scenario." not in name)
        result = self.run_pawl("validate", *files)
        self.assertEqual(result.out.count(": ok: "), len(files))
        self.assertNotIn("warning", result.out)

    def test_every_problem_has_its_place(self):
        good, bad = self.file("good.json", GOOD), self.file("bad.json", BAD)
        result = self.run_pawl("validate", good, bad, code=2)
        self.assertIn(f"{good}: ok: good, 2 steps\n", result.out)
        self.assertRegex(result.out, re.escape(bad) + r":2:\d+: error: .*BAD_ID")
        self.assertRegex(result.out, re.escape(bad) + r":4:\d+: error: .*UNRESOLVED")

    def test_strict_counts_unknown_fields(self):
        misspelt = self.file("flow.json", json.dumps({
            "dialect": "graph/1", "name": "Flow", "nodes": [{"id": "t", "type": "trigger_manual", "timout": "3s"}, {"id": "z", "type": "end"}], "edges": [{"from": "t", "to": "z"}]}))
        entity = self.file("entity.json", json.dumps({"workflows": [{"name": "w", "initialState": "A", "states": {"A": {
            "transitions": [{"name": "GO", "next": "A", "manual": True, "processors": [{"name": "p", "config": {"responseTimeoutM": 1}}]}]}}}]}))
        for file, pointer, hint in ((misspelt, "/nodes/0/timout", "timeout"), (entity, "/workflows/0/states/A/transitions/0/processors/0/config/responseTimeoutM", "responseTimeoutMs")):
            self.run_pawl("validate", file)
            out = self.run_pawl("validate", "--strict", file, code=1).out
            self.assertIn(f"[UNKNOWN_FIELD] ({pointer})\n  hint: did you mean \"{hint}\"?", out)
        self.run_pawl("validate", "--strict", misspelt, self.file("bad.json", BAD), code=2)
        self.run_pawl("validate", "--strict", self.file("good.json", GOOD))

    def test_files_that_are_given_together_know_each_other(self):
        def chain(name, to):
            return self.file(f"{name}.json", json.dumps({
                "id": name, "name": name, "steps": [{"id": "e", "name": "e", "type": "END"}],
                "autoStartNextWorkflow": True, "nextWorkflowId": to}))
        one, two, three = chain("one", "two"), chain("two", "one"), chain("three", "four")
        result = self.run_pawl("validate", one, two, three)
        self.assertIn("start each other in a circle before anything waits: one → two → one [STARTS_ITSELF]", result.out)
        self.assertRegex(result.out, re.escape(three) + r':1:\d+: warning: .*it starts "four".*UNKNOWN_DEFINITION')
        self.assertNotIn("warning", self.run_pawl("validate", one).out)  # Nobody knows what else there is.

    def test_json_for_programs(self):
        result = self.run_pawl("validate", "--json", self.file("good.json", GOOD), self.file("bad.json", BAD), code=2)
        good, bad = json.loads(result.out)
        self.assertEqual((good["valid"], good["id"], good["problems"]), (True, "good", []))
        self.assertFalse(bad["valid"])
        self.assertEqual({problem["line"] for problem in bad["problems"]} >= {2, 4}, True)

    def test_yaml(self):
        good = self.file("good.yaml", YAML)
        self.assertIn(f"{good}: ok: good, 2 steps\n", self.run_pawl("validate", good).out)
        bad = self.file("bad", YAML.replace("nextStep: end", "nextStep: zz"))
        self.assertRegex(self.run_pawl("validate", bad, code=2).out, re.escape(bad) + r":8:15: error: .*UNRESOLVED")
        bad = self.file("bad.yml", YAML + "\tx")
        self.assertRegex(self.run_pawl("validate", bad, code=2).out, re.escape(bad) + r":10:1: error: yaml: .*SYNTAX")
        same = self.file("same.json", GOOD)
        for verb in ("explain", "graph"):
            self.assertEqual(self.run_pawl(verb, good).out, self.run_pawl(verb, same).out)

    def test_standard_input(self):
        self.assertIn("standard input: ok", self.run_pawl("validate", "-", stdin=GOOD).out)
        self.assertIn("standard input: ok", self.run_pawl("validate", "-", stdin=YAML).out)
        self.assertIn("standard input:1:1: error", self.run_pawl("validate", "-", stdin="nonsense", code=2).out)

    def test_files_that_are_not_there(self):
        result = self.run_pawl("validate", "nothing.json", self.file("good.json", GOOD), code=3)
        self.assertEqual(result.err, "pawl: nothing.json: No such file or directory\n")
        self.assertIn("ok: good", result.out)


class Explain(Case):
    def test_a_definition(self):
        result = self.run_pawl("explain", self.file("good.json", GOOD))
        self.assertIn("program good", result.out)
        result = self.run_pawl("explain", self.file("bad.json", BAD), code=2)
        self.assertIn(":4:", result.err)

    def test_an_expression_is_evaluated_with_data(self):
        result = self.run_pawl("explain", "--expr", "a + b * 2", "--data", '{"a": 1, "b": 0.1}')
        self.assertTrue(result.out.endswith("= 1.2\n"))
        path = self.file("data.json", '{"a": 1, "b": 2}')
        self.assertTrue(self.run_pawl("explain", "-e", "a + b", "-d", "@" + path).out.endswith("= 3\n"))

    def test_a_caret_shows_the_mistake(self):
        result = self.run_pawl("explain", "--expr", "a +* b", code=2)
        lines = result.err.splitlines()
        self.assertTrue(lines[0].startswith("pawl: "))
        self.assertEqual(lines[1:], ["a +* b", "   ^"])
        result = self.run_pawl("explain", "--expr", "1 + ghost", "--data", "{}", code=2)
        self.assertEqual(result.err.splitlines()[1:], ["1 + ghost", "    ^"])

    def test_a_path_is_printed_or_selects(self):
        self.assertEqual(self.run_pawl("explain", "--path", '$.a [ "b" ]').out, "$['a']['b']\n")
        document = self.file("data.json", '{"b": [{"p": 8.95}, {"p": 12}, {"p": "8"}]}')
        select = lambda path, *more: self.run_pawl("explain", "--path", path, "--on", document, *more).out
        self.assertEqual(select("$..b[?@.p < 10]"), '[{"p":8.95}]\n')
        self.assertEqual(select("$.nope"), "[]\n")
        self.assertEqual(select("b.[1].p", "--lenient"), "[12]\n")

    def test_a_caret_shows_the_mistake_in_a_path(self):
        result = self.run_pawl("explain", "--path", "$.a[?@.b = 1]", code=2)
        self.assertEqual(result.err.splitlines()[1:], ["$.a[?@.b = 1]", "         ^"])
        result = self.run_pawl("explain", "--path", "$", "--on", "nothing.json", code=3)
        self.assertEqual(result.err, "pawl: nothing.json: No such file or directory\n")

    def test_one_thing_at_a_time(self):
        for arguments in ([], ["f.json", "--expr", "1"], ["f.json", "--data", "{}"], ["--expr", "1", "--data", "[]"],
                          ["f.json", "--path", "$"], ["--expr", "1", "--path", "$"], ["f.json", "--on", "f.json"],
                          ["f.json", "--lenient"], ["--expr", "1", "--on", "f.json"]):
            self.run_pawl("explain", *arguments, code=2)


class Graph(Case):
    def test_formats(self):
        path = self.file("good.json", GOOD)
        self.assertIn("<svg", self.run_pawl("graph", path).out)
        self.assertIn("digraph", self.run_pawl("graph", path, "--format", "dot").out)
        self.assertIn("flowchart", self.run_pawl("graph", path, "-f", "mermaid").out)
        self.run_pawl("graph", path, "-f", "png", code=2)

    def test_a_file_whose_name_says_the_format(self):
        path = self.file("good.json", GOOD)
        for name, mark in (("x.svg", "<svg"), ("x.gv", "digraph"), ("x.mmd", "flowchart"), ("x", "<svg")):
            self.assertEqual(self.run_pawl("graph", path, "-o", name).out, "")
            with open(os.path.join(self.directory, name), encoding="utf-8") as file:
                self.assertIn(mark, file.read())
        self.run_pawl("graph", path, "-o", "no/such/folder/x.svg", code=1)


if __name__ == "__main__":
    unittest.main()
