"""The backup files that a vector store leaves when its embedding dimension changed: finding and deleting them."""

from __future__ import annotations

import fnmatch
import os
from pathlib import Path

PATTERN = "vdb_*.dim-mismatch-*.bak"


def find_backups(folder: Path) -> list[Path]:
    """Return the backup files that lie directly in `folder`, sorted; a folder that is not there has none.

    Links are no backups: what they point at may lie anywhere.
    """
    try:
        with os.scandir(folder) as entries:
            found = [
                e.name for e in entries if fnmatch.fnmatchcase(e.name, PATTERN) and e.is_file(follow_symlinks=False)
            ]
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [folder / name for name in sorted(found)]


def delete_backups(folder: Path) -> list[Path]:
    """Delete the backup files in `folder` and return them.

    Raises:
        OSError: one cannot be deleted.
    """
    backups = find_backups(folder)
    for path in backups:
        path.unlink(missing_ok=True)
    return backups
