"""Files with something to hide: only the engine's user may read what it makes, and others' carelessness is refused."""

import os
import shutil
import stat
import subprocess
import tempfile
import unittest

from harness import BINARY, PATIENCE, Client, Server, main, needs_a_file

FORBIDDEN, INVALID = 5, 2  # Exit codes.
NOBODY = 65534


def mode_of(path):
    return stat.S_IMODE(os.stat(path).st_mode)


class Files(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="pawl-files-")
        self.addCleanup(shutil.rmtree, self.directory)
        self.addCleanup(os.umask, os.umask(0o022))

    def begin(self, *arguments):
        server = Server(arguments, self.directory)
        self.addCleanup(server.kill)
        return server

    def write(self, name, text, mode):
        path = os.path.join(self.directory, name)
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        os.chmod(path, mode)
        return path


@needs_a_file
class Made(Files):
    def test_nobody_else_can_read_what_the_engine_makes(self):
        server = self.begin()
        client = Client(server)
        self.addCleanup(client.close)
        self.assertEqual(client.request("PUT", "/api/secrets/one", {"value": "x"}).status, 201)  # Makes a key.
        data = os.path.join(self.directory, "data")
        modes = {name: mode_of(os.path.join(data, name)) for name in os.listdir(data)}
        self.assertLessEqual({"pawl.db", "pawl.db-wal", "pawl.db-shm", "pawl.db.lock", "pawl.db.reserve", "pawl.db.key"}, set(modes))
        self.assertEqual({name: oct(mode) for name, mode in modes.items() if mode != 0o600}, {})
        self.assertEqual(oct(mode_of(data)), oct(0o700))
        copy = os.path.join(self.directory, "copy.db")
        subprocess.run([BINARY, "store", "backup", "--data", data, copy], check=True, capture_output=True, timeout=PATIENCE)
        self.assertEqual(oct(mode_of(copy)), oct(0o600))
        server.stop()

    def test_a_group_may_have_been_let_in_on_purpose(self):
        self.begin().stop()
        data = os.path.join(self.directory, "data")
        os.chmod(data, 0o750)
        os.chmod(data + "/pawl.db", 0o640)
        server = self.begin()
        self.assertEqual([oct(mode_of(data + "/pawl.db" + end)) for end in ("", "-wal", "-shm")], [oct(0o640)] * 3)
        server.process.terminate()
        self.assertEqual(server.process.wait(PATIENCE), 0)
        self.assertNotIn("every user", server.log())

    def test_a_store_that_everybody_can_read_is_warned_about(self):
        self.begin().stop()
        data = os.path.join(self.directory, "data")
        os.chmod(data + "/pawl.db", 0o644)
        for mode, warns in ((0o750, False), (0o755, True)):  # A directory may keep others out.
            os.chmod(data, mode)
            server = self.begin()
            self.assertEqual("every user of this machine can read the store" in server.log(), warns)
            self.assertEqual(oct(mode_of(data + "/pawl.db")), oct(0o644))
            server.stop()


class Given(Files):
    def refused(self, *arguments, code=FORBIDDEN, **who):
        """The message of an engine that does not start."""
        done = subprocess.run([BINARY, "serve", "--listen", "127.0.0.1:0", "--data", os.path.join(self.directory, "data"), *arguments],
                              capture_output=True, text=True, timeout=PATIENCE, check=False, **who)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def test_a_token_that_others_can_read_or_write_is_refused(self):
        for mode in (0o644, 0o604, 0o602, 0o660, 0o666, 0o620):
            path = self.write("token", "s3cret", mode)
            self.assertIn(f"the token file {path} is open to other users (mode {mode:03o}); run: chmod 600 {path}",
                          self.refused("--auth-token-file", path))

    def test_a_token_for_the_owner_or_its_group_is_taken(self):
        for mode in (0o600, 0o400, 0o640, 0o440):
            self.begin("--auth-token-file", self.write("token", "s3cret", mode)).stop()

    def test_the_mode_of_the_file_counts_and_not_that_of_a_link_to_it(self):
        link = os.path.join(self.directory, "link")
        os.symlink(self.write("token", "s3cret", 0o644), link)
        self.assertIn("open to other users", self.refused("--auth-token-file", link))

    def test_other_files_with_secrets(self):
        certificate, key = self.write("c.pem", "x", 0o644), self.write("k.pem", "x", 0o644)
        self.assertIn(f"the key file of TLS {key} is open to other users", self.refused("--tls-cert", certificate, "--tls-key", key))
        self.assertIn(f"the file of a secret {key} is open to other users", self.refused("--secret", "one=" + key))

    @unittest.skipIf(os.geteuid() != 0, "only root can start an engine of somebody else")
    def test_a_token_of_root_is_for_the_group_of_the_engine(self):
        """As with the Debian package: the refusals say how the file gets there."""
        os.chmod(self.directory, 0o755)
        data = os.path.join(self.directory, "data")
        os.mkdir(data)
        os.chown(data, NOBODY, NOBODY)
        for mode, why in ((0o600, "cannot be read by the engine's user"), (0o644, "is open to other users (mode 644)")):
            path = self.write("token", "s3cret", mode)
            command = f"chgrp {NOBODY} {path} && chmod 640 {path}"
            self.assertIn(f"the token file {path} {why}; as root: {command}", self.refused("--auth-token-file", path, user=NOBODY, group=NOBODY, extra_groups=[]))
            subprocess.run(command, shell=True, check=True)
            self.assertIn("cannot make the directory", self.refused("--auth-token-file", path, "--data", "/proc/data", code=6, user=NOBODY, group=NOBODY, extra_groups=[]))

    @unittest.skipIf(os.geteuid() != 0, "only root can give a file to somebody else")
    def test_a_group_of_somebody_else_is_refused(self):
        path = self.write("token", "s3cret", 0o640)
        os.chown(path, 12345, 0)
        self.assertIn("open to other users", self.refused("--auth-token-file", path))


@unittest.skipIf(os.geteuid() != 0 or subprocess.run(["unshare", "-m", "true"], check=False).returncode, "mounts need root")
class Containers(Files):
    """Secrets as Docker and Kubernetes mount them: readable for everybody, in memory that nobody can write to."""

    def serve(self, place, remount, mode):
        """The exit code of an engine whose token is in a file system in memory, mounted at this place. A good token is followed by another mistake."""
        script = f"""set -e
            mkdir -p {place}; mount -t tmpfs none {place}; printf s3cret > {place}/token; chmod {mode:o} {place}/token
            {"mount -o remount,ro " + place if remount else ":"}
            exec {BINARY} serve --listen 127.0.0.1:0 --data {self.directory}/data --auth-token-file {place}/token --tls-cert missing"""
        return subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, timeout=PATIENCE, check=False).returncode

    def test_only_memory_that_cannot_be_written_to_may_be_read_by_everybody(self):
        place = os.path.join(self.directory, "mounted")
        self.assertEqual(self.serve(place, False, 0o444), FORBIDDEN)
        self.assertEqual(self.serve(place, True, 0o444), INVALID)
        self.assertEqual(self.serve(place, True, 0o666), FORBIDDEN)


if __name__ == "__main__":
    main()
