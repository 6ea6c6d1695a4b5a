"""Many clients have pictures drawn at once; tests/fuzz/pictures.py runs for longer."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fuzz"))

from abuse import AbuseCase, main  # noqa: E402
from pictures import campaign  # noqa: E402


class Pictures(AbuseCase):
    def test_each_client_gets_its_own(self):
        """A body of more than 16 KiB was freed before it was drawn: clients got each other's pictures, or the engine ended."""
        drawn, failures = campaign(self.server, seconds=2.0, clients=8, seed=1)
        self.assertEqual(failures, [])
        self.assertGreater(drawn, 0)


if __name__ == "__main__":
    main()
