"""The results file of a run: names, order, and what becomes of a run whose results cannot be written."""

from __future__ import annotations

import errno
import io
import json
import os
from pathlib import Path

import pytest

from pytest_graph_eval.errors import UsageError
from pytest_graph_eval.files import write_whole
from pytest_graph_eval.models.records import Record
from pytest_graph_eval.results import ResultsFile, check_folder, read_results

STAMP = "20260530T134500Z"


def record(id_: str, index: int = 0) -> Record:
    return Record(id=id_, index=index, nodeid=f"s.graph.yaml::{id_}", status="PASS")


def ids(path: Path) -> list[str]:
    return [json.loads(line)["id"] for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_line_is_there_as_soon_as_it_is_written(tmp_path: Path) -> None:
    file = ResultsFile(tmp_path / "new/folder", STAMP)
    file.write(record("b", 1))
    assert ids(file.path) == ["b"]
    file.write(record("a", 0))
    assert ids(file.path) == ["b", "a"]
    file.finish()
    assert ids(file.path) == ["a", "b"]
    assert file.problem == ""


def test_a_name_that_is_taken_gets_a_number_for_both_files(tmp_path: Path) -> None:
    files = [ResultsFile(tmp_path, STAMP) for _ in range(3)]
    for file in files:
        file.finish()
        file.write_summary(["{", "}"])
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        f"{name}{number}.{ending}"
        for name, ending in ((f"evaluation_results_{STAMP}", "jsonl"), (f"summary_{STAMP}", "json"))
        for number in ("-2", "-3", "")
    ]


def test_text_that_only_looks_like_a_line_end_and_lone_surrogates_survive(tmp_path: Path) -> None:
    file = ResultsFile(tmp_path, STAMP)
    odd = record("a").model_copy(update={"answer": "one\u2028two\x85three\r\n\ud83d"})
    file.write(odd)
    file.finish()
    ((found,), note) = read_results(file.path)
    assert (found.answer, note) == (odd.answer, "")


def test_a_file_in_the_place_of_the_folder_is_a_problem_and_no_crash(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    file = ResultsFile(tmp_path / "taken", STAMP)
    file.write(record("a"))
    file.finish()
    file.write_summary(["{", "}"])
    assert str(tmp_path / "taken") in file.problem


class FullDisk(io.StringIO):
    """Takes some text and then says that the disk is full, as late as when it is flushed."""

    def flush(self) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_is_a_problem_after_which_nothing_is_written(tmp_path: Path) -> None:
    file = ResultsFile(tmp_path, STAMP)
    file.write(record("a"))
    assert file._file is not None
    file._file.close()
    disk = file._file = FullDisk()
    file.write(record("b"))
    kept = disk.getvalue()
    file.write(record("c"))
    assert disk.getvalue() == kept
    file.finish()
    assert file.problem == f"No space left on device: {tmp_path}"
    assert ids(file.path) == ["a"]


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "summary.json"
    path.write_text("old")

    def lines() -> object:
        yield "new"
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        write_whole(path, lines())  # type: ignore[arg-type]  # a generator of text that breaks off
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_cannot_be_written_is_told_by_the_name_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(prefix: str, **_: object) -> object:
        raise PermissionError(errno.EACCES, "Permission denied", f"{prefix}x1.part")

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    with pytest.raises(PermissionError) as error:
        write_whole(tmp_path / "b.json", ["a"])
    assert error.value.filename == str(tmp_path / "b.json")


def test_what_is_no_file_is_written_to_and_a_link_stays_one(tmp_path: Path) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_whole(pipe, ["a", "b"])
    assert os.read(reader, 9) == b"ab"
    os.close(reader)
    assert pipe.is_fifo()
    link.symlink_to(tmp_path / "file")
    write_whole(link, ["c"])
    assert link.is_symlink()
    assert (tmp_path / "file").read_text() == "c"


def test_a_folder_below_a_file_and_one_that_may_not_be_written_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="file is not a folder; name a folder that can be written to"):
        check_folder(tmp_path / "file/results")
    # root may write anywhere, so the answer of the system is given here
    monkeypatch.setattr("os.access", lambda path, mode: Path(path) != tmp_path)
    with pytest.raises(UsageError, match="cannot be written to; name another folder"):
        check_folder(tmp_path / "new/results")
    assert not (tmp_path / "new").exists()
