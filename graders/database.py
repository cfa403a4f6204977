"""One SQLite file: opened at its first use, every access one transaction, a failure one clear sentence."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from graders.errors import EnvironmentProblem
from graders.text import Text, same

WAIT_S = 10  # for another process that holds the write lock

_KNOWN = {
    errno.ENOSPC: Text("the disk is full", "磁盘已满"),
    errno.EDQUOT: Text("your disk quota is used up", "磁盘配额已用完"),
    errno.EROFS: Text("it lies on a read-only file system", "位于只读文件系统"),
    errno.EACCES: Text("no permission", "没有权限"),
    errno.EFBIG: Text("the file would become too large", "文件过大"),
}


@dataclass(slots=True)
class Database:
    """Access to the file at `path`, which is created with its folder by the first transaction, never before.

    `prepare` makes or renews the tables. `unusable` is the sentence for a person, with {p} (path) and {e} (reason).
    """

    path: Path
    prepare: Callable[[sqlite3.Connection], object]
    unusable: Text
    _connection: sqlite3.Connection | None = field(default=None, repr=False)

    @contextmanager
    def transaction(self, *, write: bool = True) -> Iterator[sqlite3.Connection]:
        """One that takes the write lock at its beginning, so that two runs at once wait for each other.

        Raises EnvironmentProblem where the file cannot be used; then nothing of the transaction is kept.
        """
        try:
            if self._connection is None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._connection = sqlite3.connect(self.path, timeout=WAIT_S, isolation_level=None)
                self.prepare(self._connection)
            self._connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")
        except (sqlite3.Error, OSError) as error:
            why = reason_of(error) if isinstance(error, OSError) else error
            raise EnvironmentProblem(self.unusable.fill(p=self.path, e=why)) from None

    def close(self) -> None:
        """Closed until the next transaction."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def reason_of(error: OSError) -> Text:
    """The system's reason in words; the commonest ones in both languages."""
    return _KNOWN.get(error.errno or 0) or same(error.strerror or str(error))
