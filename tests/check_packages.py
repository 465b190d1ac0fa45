"""Checks the files in a built wheel and source archive: `python -m tests.check_packages DIST`."""

from __future__ import annotations

import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent


def package_files() -> set[str]:
    """Return the files of the package, as they are called in the wheel."""
    files = (p for p in (ROOT / "pytest_graph_eval").rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    return {p.relative_to(ROOT).as_posix() for p in files}


def main(dist: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    (archive,) = dist.glob("*.tar.gz")
    names = set(zipfile.ZipFile(wheel).namelist())
    info = {name for name in names if ".dist-info/" in name}
    assert names - info == package_files(), names - info ^ package_files()
    assert "pytest_graph_eval/py.typed" in names
    assert any(name.endswith("/licenses/LICENSE") for name in info)
    with tarfile.open(archive) as tar:
        inside = {name.partition("/")[2] for name in tar.getnames()}
    wanted = {"README.md", "LICENSE", "conftest.py", "tests/test_readme.py", ".ci/run"}
    wanted |= {"example_suites/walmart/walmart.graph.yaml", *package_files()}
    assert wanted <= inside, wanted - inside
    print(f"{wheel.name}: {len(names)} files; {archive.name}: {len(inside)} files")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
