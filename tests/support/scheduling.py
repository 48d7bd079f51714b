"""How pytest-xdist hands out the tests: a file at a time to whoever is free, and those with clocks to one alone."""

from __future__ import annotations

from collections.abc import Callable

from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController


class ClocksAlone(LoadScopeScheduling):
    """The files for which `has_clocks` is true come last, to one worker, once all others have finished."""

    has_clocks: Callable[[str], bool]

    def _split_scope(self, nodeid: str) -> str:
        return nodeid.split("::", 1)[0]

    def mark_test_complete(self, node: WorkerController, item_index: int, duration: float = 0) -> None:
        """Also wake the worker that waits for the others to finish."""
        super().mark_test_complete(node, item_index, duration)
        if self.workqueue and (last := self._last()):
            self._reschedule(last)

    def _reschedule(self, node: WorkerController) -> None:
        # A worker keeps its last test back until it is sent another one, or is told that there is none.
        if self.workqueue and not self._ordinary() and not node.shutting_down and node is not self._last():
            node.shutdown()
        else:
            super()._reschedule(node)

    def _assign_work_unit(self, node: WorkerController) -> None:
        if ordinary := self._ordinary():
            self.workqueue.move_to_end(ordinary, last=False)
        elif node is not self._last() or any(
            self._pending_of(work) for other, work in self.assigned_work.items() if other is not node
        ):
            return
        super()._assign_work_unit(node)

    def _ordinary(self) -> str | None:
        """The first file without clocks that nobody has been given."""
        return next((file for file in self.workqueue if not self.has_clocks(file)), None)

    def _last(self) -> WorkerController | None:
        """The worker that stays for the clocks."""
        return next((node for node in self.nodes if not node.shutting_down), None)
