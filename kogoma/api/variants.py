"""The games that can be played."""

from __future__ import annotations

from kogoma.rules.variants import VARIANTS, Variant


def variants() -> dict[str, Variant]:
    """Every game that can be played, by name.

    >>> variants()["minishogi"].start
    'rbsgk/4p/5/P4/KGSBR b - 1'
    """
    return dict(VARIANTS)
