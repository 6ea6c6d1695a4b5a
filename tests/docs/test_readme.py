"""The README's tour works as it is written."""

import shutil
import signal
import unittest

from page import ROOT, Bench, Page


@unittest.skipUnless(shutil.which("curl"), "no curl here")
class Tour(unittest.TestCase):
    def setUp(self):
        self.page = Page(ROOT / "README.md")
        self.bench = Bench()
        self.addCleanup(self.bench.close)
        self.bench.start_engine()

    def commands(self, title):
        """The section's commands, without the one that starts the engine."""
        blocks = [block for block in self.page.section(title) if block.language == "sh" and "pawl serve" not in block.text]
        self.assertGreater(len(blocks), 2)
        return blocks

    def killed_before(self, word):
        """Kills the engine and starts it again where the tour says so."""
        def between(block):
            if word in block.text:
                self.bench.stop_engine(signal.SIGKILL)
                self.bench.start_engine()
        return between

    def test_five_minutes(self):
        blocks = self.commands("Five minutes")
        printed = self.bench.run(blocks, self.killed_before("ship-parcel"))
        told = dict(zip(blocks, printed))
        for block, text in told.items():
            if "explain --expr" in block.text:
                self.assertIn("true", text)
            elif "pawl jobs" in block.text:
                self.assertIn("reserve-stock", text)
            elif "pawl tasks" in block.text:
                self.assertIn("Waits for a person", text)
                self.assertIn("Running", text)
            elif "ship-parcel" in block.text:
                self.assertIn("Done", text)
            elif "pawl test" in block.text:
                self.assertIn("0 failed", text)

    def test_five_minutes_with_events(self):
        printed = "".join(self.bench.run(self.commands("Five minutes with events")))
        for word in ("document-signing", "started", "delivered", "Done (Success)", "0 failed"):
            self.assertIn(word, printed)

    def test_five_minutes_with_people(self):
        printed = "".join(self.bench.run(self.commands("Five minutes with people")))
        for word in ("waiting_for_human", "Leave of ann@example.com", "NOT_ASSIGNED", "enjoy", "0 failed"):
            self.assertIn(word, printed)


if __name__ == "__main__":
    unittest.main()
