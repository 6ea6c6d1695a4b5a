"""`pawl secret`, and secrets that are given to the engine."""

import json
import os
import unittest

from program import Case, needs_file

PLANTED = "planted-55d1-value"


class Secrets(Case):
    def test_set_list_rekey_remove(self):
        engine = self.serve()

        def pawl(*arguments, **more):
            return self.run_pawl("secret", *arguments, PAWL_SERVER=engine.url, **more)
        self.assertEqual(pawl("list").out, "no secrets\n")
        self.assertEqual(pawl("set", "api_key", stdin=PLANTED + "\n").out, "")
        pawl("set", "db", "--file", self.file("value.txt", "two lines\nof text\r\n"))
        pawl("set", "third", "--file", "-", stdin="x")
        self.assertEqual(pawl("list", "--quiet").out, "api_key\ndb\nthird\n")
        self.assertIn("store", pawl("list").out)
        self.assertEqual(pawl("rekey").out, "secrets sealed with a new key: 3\n")
        self.assertEqual(json.loads(pawl("rekey", "--json").out), {"resealed": 3})
        pawl("remove", "db")
        self.assertIn('no secret "db"', pawl("remove", "db", code=3).err)
        self.assertNotIn(PLANTED, pawl("list", "--json").out)
        self.assertNotIn(PLANTED, engine.log())

    def test_mistakes_are_explained(self):
        engine = self.serve()

        def err(*arguments, **more):
            return self.run_pawl("secret", *arguments, code=2, PAWL_SERVER=engine.url, **more).err
        self.assertIn("is not set, list, remove or rekey", err("show"))
        self.assertIn("needs a name", err("set"))
        self.assertIn("takes no name", err("list", "x"))
        self.assertIn("letters, digits", err("set", "a b", stdin="x"))
        self.assertIn("not empty", err("set", "a", stdin="\n"))
        self.assertIn("16384 bytes", err("set", "a", stdin="x" * 16385))
        # A value on the command line would be seen by every user of the machine.
        self.assertIn("does not know what to do with", err("set", "a", PLANTED))

    @needs_file
    def test_a_store_whose_key_is_lost_goes_on_without_secrets(self):
        data = os.path.join(self.directory, "data")
        engine = self.serve()
        for name in ("db", "api_key"):
            self.run_pawl("secret", "set", name, stdin=PLANTED, PAWL_SERVER=engine.url)
        self.assertIn("another process is using", self.run_pawl("store", "forget-secrets", "--data", data, code=4).err)
        engine.stop()
        os.unlink(os.path.join(data, "pawl.db.key"))
        self.assertIn("pawl store forget-secrets", self.run_pawl("serve", "--data", data, "--listen", "127.0.0.1:0", code=4).err)
        self.assertEqual(self.run_pawl("store", "forget-secrets", "--data", data).out,
                         "api_key\ndb\n2 secrets removed; set them again with `pawl secret set`\n")
        engine = self.serve()
        self.assertEqual(self.run_pawl("secret", "list", PAWL_SERVER=engine.url).out, "no secrets\n")
        self.run_pawl("secret", "set", "db", stdin=PLANTED, PAWL_SERVER=engine.url)
        engine.stop()
        self.assertEqual(json.loads(self.run_pawl("store", "forget-secrets", "--json", "--data", data).out), {"removed": ["db"]})
        self.assertEqual(self.run_pawl("store", "forget-secrets", "--data", data).out, "0 secrets removed\n")

    def test_given_secrets_win_in_a_fixed_order(self):
        credentials = os.path.join(self.directory, "credentials")
        os.mkdir(credentials)
        for name in ("one", "two"):
            with open(os.path.join(credentials, name), "w", encoding="utf-8") as file:
                file.write("credential")
        engine = self.serve("--secret", "one=" + self.file("one.txt", "file\n"), CREDENTIALS_DIRECTORY=credentials,
                            PAWL_SECRET_ONE="environment", PAWL_SECRET_THREE="environment")
        listed = json.loads(self.run_pawl("secret", "list", "--json", PAWL_SERVER=engine.url).out)["items"]
        self.assertEqual([(item["name"], item["source"]) for item in listed],
                         [("one", "file"), ("one", "credential"), ("two", "credential"), ("ONE", "environment"), ("THREE", "environment")])
        result = self.run_pawl("secret", "set", "three", stdin="x", code=4, PAWL_SERVER=engine.url)
        self.assertIn("comes from the environment", result.err)

    def test_a_bad_given_secret_refuses_the_start(self):
        for arguments, settings, words, code in (
                (("--secret", "one"), {}, "is not NAME=FILE", 2),
                (("--secret", "one=/nowhere/at/all"), {}, "cannot be read", 3),
                (("--secret", "a b=" + self.file("v", "x")), {}, "letters, digits", 2),
                (("--secret", "one=" + self.file("empty", "")), {}, "not empty", 2),
                ((), {"PAWL_SECRET_EMPTY": ""}, "PAWL_SECRET_EMPTY", 2),
                ((), {"CREDENTIALS_DIRECTORY": "/nowhere/at/all"}, "credentials", 6)):
            result = self.run_pawl("serve", "--listen", "127.0.0.1:0", "--store", "memory", *arguments, code=code, **settings)
            self.assertIn(words, result.err)


if __name__ == "__main__":
    unittest.main()
