"""`pawl doctor`: each thing that is wrong with an installation is told, with what to do about it."""

import json
import os
import socket
import unittest

from program import Case, needs_file


@needs_file
class Doctor(Case):
    def setUp(self):
        super().setUp()
        self.data = os.path.join(self.directory, "data")
        os.mkdir(self.data, 0o750)

    def found(self, *arguments, code=0, **settings):
        """What it says of each thing."""
        answer = json.loads(self.run_pawl("doctor", "--data", self.data, "--listen", "127.0.0.1:0", "--json", *arguments, code=code, **settings).out)
        return {row["check"]: row for row in answer}

    def finding(self, thing, *arguments, **given):
        row = self.found(*arguments, **given)[thing]
        self.assertEqual("advice" in row, row["finding"] != "ok", row)
        return row["finding"]

    def test_an_empty_directory_is_fine(self):
        found = self.found()
        for thing in ("directory", "store", "open files", "address"):
            self.assertEqual(found[thing]["finding"], "ok", found)
        self.assertIn(found["sync"]["finding"], ("ok", "warning"))  # The disk of the tests may be in memory.
        self.assertNotIn("backup", found)
        self.assertEqual(os.listdir(self.data), [])

    def test_people_read_a_line_for_each_and_their_number(self):
        out = self.run_pawl("doctor", "--data", self.data, "--listen", "127.0.0.1:0").out
        self.assertRegex(out, r"(?m)^ok       directory ")
        self.assertRegex(out, r"(?m)^\d+ checks: 0 wrong, \d+ doubtful$")

    def test_a_store_wants_a_backup_and_notes_when_it_had_one(self):
        os.rmdir(self.data)
        self.serve().stop()
        self.assertEqual(self.finding("backup"), "warning")
        self.run_pawl("store", "backup", os.path.join(self.directory, "copy.db"), "--data", self.data)
        self.assertEqual(self.finding("backup"), "ok")
        stamp = os.path.join(self.data, "pawl.db.backed-up")
        os.utime(stamp, (1, 1))
        self.assertEqual(self.finding("backup"), "warning")

    def test_a_store_that_cannot_be_opened_is_wrong(self):
        with open(os.path.join(self.data, "pawl.db"), "wb") as file:
            file.write(b"no store" * 1000)
        self.assertEqual(self.finding("store", code=1), "wrong")

    def test_a_directory_that_is_not_there_or_is_a_file_or_is_open_to_all(self):
        self.assertEqual(self.finding("directory", "--data", os.path.join(self.directory, "none")), "warning")
        file = os.path.join(self.directory, "file")
        open(file, "w", encoding="ascii").close()
        self.assertEqual(self.finding("directory", "--data", file, code=1), "wrong")
        os.chmod(self.data, 0o777)
        self.assertEqual(self.finding("directory", code=1), "wrong")

    def test_key_files_are_for_the_engine_alone(self):
        token = os.path.join(self.directory, "token")
        with open(os.open(token, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="ascii") as file:
            file.write("a-long-enough-token\n")
        self.assertEqual(self.finding("token file", "--auth-token-file", token), "ok")
        os.chmod(token, 0o644)
        self.assertEqual(self.finding("token file", "--auth-token-file", token, code=1), "wrong")
        self.assertEqual(self.finding("secrets key", "--secrets-key", token + "-not-there", code=1), "wrong")

    def test_an_address_that_is_in_use_or_not_ours(self):
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            self.assertEqual(self.finding("address", "--listen", f"127.0.0.1:{other.getsockname()[1]}"), "warning")
        serving = self.serve()
        row = self.found("--listen", serving.url.removeprefix("http://"))["address"]
        self.assertEqual((row["finding"], row["found"].split(" at ")[0]), ("ok", "an engine answers"), row)
        self.assertEqual(self.finding("address", "--listen", "192.0.2.1:80", code=1), "wrong")
        self.assertEqual(self.finding("address", "--listen", "rubbish", code=1), "wrong")

    def test_a_database_that_does_not_answer_is_wrong_and_its_password_is_not_shown(self):
        result = self.run_pawl("doctor", "--store", "postgres://pawl:hidden-4711@127.0.0.1:1/pawl", "--listen", "127.0.0.1:0", code=1)
        self.assertIn("wrong    database", result.out)
        self.assertNotIn("4711", result.out + result.err)

    def test_a_store_in_memory_forgets(self):
        out = self.run_pawl("doctor", "--store", "memory", "--listen", "127.0.0.1:0").out
        self.assertIn("warning  store        the store is in memory", out)


if __name__ == "__main__":
    unittest.main()
