"""docs/logs.md lists exactly the events that the source writes to the log, with their levels."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# An event is a literal behind the level …
CALL = re.compile(r'\b(?:log_write|transact_say|nodes_log)\(\s*(?:[\w>.-]*turn,\s*)?(LOG_\w+|level)\s*,\s*((?:"(?:[^"\\]|\\.)*"\s*)+|[^,]+?)\s*,', re.S)
# … or one of these functions and tables brings it.
HANDED_ON = {"src/runtime/nodes/heartbeat.c": "what", "src/runtime/memory/schedules.c": "message", "src/runtime/transact/backlog.c": "run->user->unread"}
ELSEWHERE = re.compile(r'(?:\.unread\s*=|\bwarn\()\s*((?:"(?:[^"\\]|\\.)*"\s*)+)', re.S)
NOT_OURS = ("src/base/log.c", "src/store/sqlite/log.c")
# The log itself tells of lines that it lost.
LOST = re.compile(r'#define LOST_EVENT ("[^"]+")')
ROW = re.compile(r"^\| ([^|]+) \| (debug|info|warn|error) \| ([^|]*)\| [^|]+ \|$", re.M)


def words(literals):
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literals)).replace('\\"', '"')


def written():
    """The level of each event of the source."""
    events = {words(LOST.search((ROOT / "src" / "base" / "log.c").read_text()).group(1)): "warn"}
    for path in sorted((ROOT / "src").rglob("*.c")):
        name, text = str(path.relative_to(ROOT)), path.read_text()
        if name in NOT_OURS:
            continue
        for level, event in CALL.findall(text):
            if event.startswith('"'):
                events[words(event)] = level[4:].lower()
            else:
                assert HANDED_ON.get(name) == event, f"{name}: {event} is no literal, so docs/logs.md cannot be compared with it"
        if name in HANDED_ON or ".unread" in text:
            for event in ELSEWHERE.findall(text):
                events[words(event)] = "error"
    return events


class Logs(unittest.TestCase):
    maxDiff = None

    def test_the_page_lists_every_event_with_its_level(self):
        listed = {event.strip(): level for event, level, _ in ROW.findall((ROOT / "docs" / "logs.md").read_text())}
        self.assertGreater(len(listed), 80)
        self.assertEqual(listed, written())


if __name__ == "__main__":
    unittest.main()
