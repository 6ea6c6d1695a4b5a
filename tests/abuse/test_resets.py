"""Strangers that open streams and reset them, on one connection after the other."""

from siege import SiegeCase
from abuse import main


class Resets(SiegeCase):
    def test_each_connection_stays_below_its_own_bound(self):
        """A connection may have 1,000 resets; 900 on each fresh one kept others waiting for seconds."""
        self.withstands("resets", sources="same")


if __name__ == "__main__":
    main()
