"""A small replicator that works as Litestream does: it copies a store's log while the engine runs.

It keeps a read transaction open, so that nobody can begin the log anew, and copies the log's frames as they
come. When the log is long it gives its read transaction up for a moment and checkpoints. Then it
writes a row of its own, which begins the log anew. What was added to the old log in that moment is still there,
behind the new one; if it is not, the replicator starts over with a snapshot.

    replica      a snapshot of the file, and the segments of the log since the snapshot was begun
    restoring    the snapshot; each segment in turn as its log, checkpointed

A snapshot may hold pages that are newer than its beginning: the segments bring them all once more.
"""

import sqlite3
import struct

HEADER_BYTES, FRAME_HEAD_BYTES = 32, 24
CHECKPOINT_FRAMES = 100     # A checkpoint that waits for nobody is made behind so many,
RESTART_FRAMES = 300       # and one that waits behind so many.


class Replicator:
    def __init__(self, path):
        self.path = path
        # For good: closing any descriptor of the file would end this process's locks on it.
        self.file = open(path, "rb", buffering=0)
        self.writer, self.reader = self._connect(), self._connect()
        self.writer.execute("CREATE TABLE IF NOT EXISTS _replica_seq(id INTEGER PRIMARY KEY, seq INTEGER)")
        self.writer.execute("CREATE TABLE IF NOT EXISTS _replica_lock(id INTEGER)")
        self.snapshots = self.checkpoints = 0
        self._write_row()
        self._hold()
        self._take_snapshot()

    def _connect(self):
        connection = sqlite3.connect(self.path, isolation_level=None, timeout=10, check_same_thread=False)
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        return connection

    def close(self):
        self.reader.close()
        self.writer.close()
        self.file.close()

    # ---- locks ----

    def _hold(self):
        self.reader.execute("BEGIN")
        self.reader.execute("SELECT count(*) FROM _replica_seq").fetchone()

    def _release(self):
        self.reader.execute("ROLLBACK")

    def _write_row(self):
        self.writer.execute("INSERT INTO _replica_seq VALUES(1, 1) ON CONFLICT DO UPDATE SET seq = seq + 1")

    # ---- copying ----

    def _take_snapshot(self):
        """While it holds its read transaction, so the log is not begun anew."""
        self.snapshots += 1
        self.segments = []
        self._begin_segment()
        self.snapshot = bytearray()
        self.file.seek(0)
        while block := self.file.read(1 << 20):
            self.snapshot += block

    def _header(self):
        with open(self.path + "-wal", "rb") as log:
            return log.read(HEADER_BYTES)

    def _begin_segment(self):
        header = self._header()
        magic, _, self.page_bytes = struct.unpack(">3I", header[:12])
        self.order = ">" if magic & 1 else "<"
        self.sums = self._sum((0, 0), header[:24])
        assert self.sums == struct.unpack(">2I", header[24:32]), "the log's header is torn"
        self.segments.append(bytearray(header))

    def _sum(self, sums, data):
        a, b = sums
        words = struct.unpack(f"{self.order}{len(data) // 4}I", data)
        for i in range(0, len(words), 2):
            a = (a + words[i] + b) & 0xffffffff
            b = (b + words[i + 1] + a) & 0xffffffff
        return a, b

    def _frames(self, log, start, header, sums):
        """The transactions of a log from there on, each with the sums behind it."""
        frame_bytes, transaction = FRAME_HEAD_BYTES + self.page_bytes, bytearray()
        log.seek(start)
        while len(frame := log.read(frame_bytes)) == frame_bytes and frame[8:16] == header[16:24]:
            sums = self._sum(self._sum(sums, frame[:8]), frame[FRAME_HEAD_BYTES:])
            if sums != struct.unpack(">2I", frame[16:24]):
                return
            transaction += frame
            if frame[4:8] != bytes(4):  # The last of its transaction.
                yield transaction, sums
                transaction = bytearray()

    def _copy(self):
        """Copies what has been committed to the log of the last segment since. The log itself may be another by now:
        then its frames are what is left of the old one."""
        header = self.segments[-1][:HEADER_BYTES]
        with open(self.path + "-wal", "rb") as log:
            for transaction, sums in self._frames(log, len(self.segments[-1]), header, self.sums):
                self.segments[-1] += transaction
                self.sums = sums

    def _copy_or_start_over(self):
        """An engine that is killed in a commit can leave a whole transaction in the log that its index does not count.
        The next writer writes over it. A copy that has this transaction is of no use from there on."""
        copied = self.segments[-1]
        assert self._header() == copied[:HEADER_BYTES], "the log was begun anew beside a reader of it"
        with open(self.path + "-wal", "rb") as log:
            is_of_log = log.read(len(copied)) == copied
        if not is_of_log:
            self._take_snapshot()
        self._copy()

    def sync(self):
        """Copies what there is, and checkpoints if the log has become long."""
        self._copy_or_start_over()
        frames = len(self.segments[-1]) // (FRAME_HEAD_BYTES + self.page_bytes)
        if frames >= RESTART_FRAMES:
            self._checkpoint("RESTART" if self.checkpoints % 4 else "TRUNCATE")
        elif frames >= CHECKPOINT_FRAMES:
            self._checkpoint("PASSIVE")

    def checkpoint_now(self):
        self._checkpoint("PASSIVE")

    def _checkpoint(self, mode):
        self.checkpoints += 1
        # Nobody can tell later what the index counted of this log: the row takes the place of a transaction that it does not count.
        self._write_row()
        self._copy_or_start_over()
        self._release()
        try:
            self.writer.execute(f"PRAGMA wal_checkpoint({mode})").fetchone()
            self._write_row()
        finally:
            self._hold()
        if self._header() == self.segments[-1][:HEADER_BYTES]:
            return
        # So that nobody writes meanwhile.
        self.writer.execute("BEGIN IMMEDIATE")
        try:
            self.writer.execute("INSERT INTO _replica_lock VALUES(1)")
            self._follow(mode)
        finally:
            self.writer.execute("ROLLBACK")

    def _follow(self, mode):
        """Goes on with the log that was begun. Its salt tells how many there were, its length what it has covered."""
        old, end = self.segments[-1][:HEADER_BYTES], len(self.segments[-1])
        self._copy()
        self._begin_segment()
        new = self.segments[-1]
        next_salt = (int.from_bytes(old[16:20], "big") + 1) & 0xffffffff
        with open(self.path + "-wal", "rb") as log:
            new_end = HEADER_BYTES + sum(len(t) for t, _ in self._frames(log, HEADER_BYTES, new, self.sums))
        if mode == "TRUNCATE" or int.from_bytes(new[16:20], "big") != next_salt or new_end > end:
            self._take_snapshot()

    # ---- restoring ----

    def restore(self, path):
        with open(path, "wb") as file:
            file.write(self.snapshot)
        for segment in self.segments:
            with open(path + "-wal", "wb") as log:
                log.write(segment)
            connection = sqlite3.connect(path)
            busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            assert not busy
            connection.close()
