"""Settings of `pawl serve`: each one has an effect, and one that does not exist is refused or warned about."""

import unittest

from program import Case


class Unknown(Case):
    def refused(self, *arguments, **settings):
        return self.run_pawl("serve", "--listen", "127.0.0.1:0", "--store", "memory", *arguments, code=2, **settings).err

    def test_options_keys_and_limits_are_refused(self):
        self.assertIn("unknown option --retension", self.refused("--retension", "1d"))
        self.assertIn('no limit "body_bytes"', self.refused("--limit", "body_bytes=1"))
        self.assertIn('no limit "body_bytes"', self.refused(PAWL_LIMITS="body_bytes=1"))
        self.assertIn('unknown key "retension"; did you mean retention?', self.refused("--config", self.file("pawl.conf", "retension = 1d\n")))

    def test_variables_are_warned_about(self):
        log = self.serve(PAWL_RETENSION="30d", PAWL_SERVICE_HOST="10.0.0.1", PAWL_PORT_8080_TCP="x").log()
        lines = [line for line in log.splitlines() if "is no setting" in line and "PAWL_TEST_" not in line]
        self.assertEqual(len(lines), 1, log)
        self.assertIn('"variable":"PAWL_RETENSION","meant":"PAWL_RETENTION"', lines[0])


if __name__ == "__main__":
    unittest.main()
