"""Bytecode of our own code and of the tests, once for all of their processes: `make test-all` calls it."""

import compileall
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from _pytest.assertion import rewrite
from pytest import Config

from tests.support.repository import PACKAGES, ROOT


def compile_code() -> None:
    """Our own code, as pip compiled the libraries: servers and commands are started by the hundred, and would compile
    it each for itself."""
    for package in PACKAGES:
        compileall.compile_dir(ROOT / package, quiet=2)


def compile_tests(folder: Path = ROOT / "tests") -> None:
    """Compile the tests with their assertions rewritten, as pytest does when it imports them: each worker would for
    itself. A file with a syntax error is left to them."""
    compileall.compile_dir(folder / "support", quiet=2)
    with TemporaryDirectory() as nothing:
        config = Config.fromdictargs({}, ["--noconftest", "--rootdir", nothing, nothing])
    for path in (*folder.rglob("test_*.py"), *folder.rglob("conftest.py")):
        compiled = rewrite.get_cache_dir(path) / f"{path.stem}{rewrite.PYC_TAIL}"
        if rewrite._read_pyc(path, compiled) is None:
            with suppress(SyntaxError):
                status, code = rewrite._rewrite_test(path, config)
                compiled.parent.mkdir(exist_ok=True)
                with compiled.open("wb") as file:
                    rewrite._write_pyc_fp(file, status, code)


if __name__ == "__main__":
    compile_code()
    compile_tests()
