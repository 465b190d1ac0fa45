"""Keeps what a judge replied in a SQLite file, by the content of everything that may change it."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from pathlib import Path

FILE = "judge_cache.sqlite"
_FORMAT = 1
_PATIENCE = 5.0


class JudgeCache:
    """A file of replies. One that cannot be used costs judgements that are made again, never a run: see `problem`."""

    def __init__(self, folder: Path) -> None:
        """Open the file in `folder`, and make it where there is none."""
        self.problem = ""
        self._db: sqlite3.Connection | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(folder / FILE, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
            self._db.execute("CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply TEXT NOT NULL)")
        except (OSError, sqlite3.Error) as e:
            self._give_up(e)

    def _give_up(self, error: Exception) -> None:
        self.problem = f"the cache of judgements {FILE} cannot be used ({error}); they are made anew"
        self.close()

    @staticmethod
    def key(model: str, prompt: str, system: str, user: str, sample: int) -> str:
        """Return the key of a reply: a hash over what was asked of whom, in which version and which sample."""
        text = json.dumps([_FORMAT, model, prompt, system, user, sample])
        return hashlib.sha256(text.encode()).hexdigest()

    def get(self, key: str) -> str | None:
        """Return the reply of a key, None where there is none."""
        if self._db is None:
            return None
        try:
            row = self._db.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error as e:
            self._give_up(e)
            return None
        return None if row is None else str(row[0])

    def put(self, key: str, reply: str) -> None:
        """Keep a reply."""
        if self._db is not None:
            try:
                reply = reply.encode("utf-8", "backslashreplace").decode()
                self._db.execute("INSERT OR REPLACE INTO replies VALUES (?, ?)", (key, reply))
            except sqlite3.Error as e:
                self._give_up(e)

    def close(self) -> None:
        """Close the file. Idempotent."""
        db, self._db = self._db, None
        if db is not None:
            db.close()
