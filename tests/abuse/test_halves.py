"""Strangers that begin requests and do not end them."""

from siege import SiegeCase
from abuse import main


class Halves(SiegeCase):
    def test_bodies_in_streams(self):
        """Bodies that were small enough for a request's own memory were not counted."""
        self.withstands("half-bodies")

    def test_heads_whose_bodies_do_not_come(self):
        """Requests that the gate refuses were not counted while their bodies were awaited, and all of them were answered at once."""
        self.withstands("heads-alone")

    def test_heads_whose_next_frame_does_not_come(self):
        self.withstands("heads-without-end")

    def test_calls(self):
        """Half-begun calls of a method that needs no token filled the memory for requests."""
        self.withstands("half-calls")

    def test_webhooks(self):
        """Half-sent webhooks left no memory for larger requests of clients with the token."""
        self.withstands("half-hooks")


if __name__ == "__main__":
    main()
