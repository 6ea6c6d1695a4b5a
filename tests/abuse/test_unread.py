"""Strangers that ask for a lot and read nothing of it."""

from siege import SiegeCase
from abuse import main


class Unread(SiegeCase):
    def test_public_documents_in_streams(self):
        """They were copied for each request: 10 GB for 2 MB that the attackers sent."""
        self.withstands("unread-streams")

    def test_public_documents_in_pipelines(self):
        self.withstands("unread-pipelines")

    def test_refusals_in_streams(self):
        """Refusals filled the memory for answers, and whoever had the token got 503 for 51 seconds."""
        self.withstands("unread-refusals")

    def test_refusals_in_pipelines(self):
        self.withstands("unread-refusals-1")


if __name__ == "__main__":
    main()
