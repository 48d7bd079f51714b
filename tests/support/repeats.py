"""The option `--passed=FILE`: a run with `--all` leaves out the tests that have passed in a run without `--all`.

Without `--all`, the names of the tests that pass are written to FILE. With `--all`, the tests named there are not run.
Tests that do more with `--all` are not written: those that draw random numbers from the seed, and those that check only
a part of the cases (`support.scope`).
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from support import scope

SAME = "the same with --all"


def _name(item: pytest.Item) -> str:
    """Return a test's name without the suffix that xdist appends for the test's group."""
    group = item.get_closest_marker("xdist_group")
    return item.nodeid.removesuffix(f"@{group.args[0]}") if group else item.nodeid


class Repeats:
    """The pytest plugin behind `--passed`."""

    def __init__(self, file: Path, whole: bool) -> None:
        self._file = file
        self._whole = whole
        self._passed = set[str]()

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """If --all is given, deselect the tests that are listed in the file of passed tests."""
        if not self._whole:
            return
        passed = set(self._file.read_text(encoding="utf-8").splitlines())
        config.hook.pytest_deselected(items=[item for item in items if _name(item) in passed])
        items[:] = [item for item in items if _name(item) not in passed]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self) -> Generator[None, object, object]:
        """Before each test, forget whether the previous test ran fewer checks than it runs with --all."""
        scope.forget_reductions()
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Add the test's name to the test's report if the test runs the same checks with and without --all. xdist sends
        the report, with this name, to the process that writes the file of passed tests."""
        report = yield
        function = getattr(item, "obj", None)
        is_random = "seed" in getattr(item, "fixturenames", ()) or hasattr(function, "is_hypothesis_test")
        if not is_random and not scope.is_reduced():
            report.user_properties.append((SAME, _name(item)))
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record the name of a test that has passed. Remove the name again if the test's teardown fails."""
        name = dict(report.user_properties).get(SAME)
        if isinstance(name, str) and report.when == "call" and report.passed:
            self._passed.add(name)
        elif isinstance(name, str) and report.failed:
            self._passed.discard(name)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the names of the passed tests to the file. Write nothing in a run with --all or in a worker process of
        xdist."""
        if not self._whole and not hasattr(session.config, "workerinput"):
            self._file.write_text("".join(f"{name}\n" for name in sorted(self._passed)), encoding="utf-8")
