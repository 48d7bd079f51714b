"""Converters of command-line arguments, for argparse's `type`, and the error of an invalid command line."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable

from kogoma.console.lines import clip
from kogoma.rules.variants import Variant, find


class CommandLineError(ValueError):
    """An invalid command line, for which commands exit with 2. The message is one line, and may be followed by the
    usage."""


def whole_number(least: int, most: int) -> Callable[[str], int]:
    """Return a function that converts text to a whole number from `least` to `most`."""

    def convert(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 20 and least <= int(text) <= most):
            raise argparse.ArgumentTypeError(f"needs a whole number from {least} to {most}, not {clip(text)}")
        return int(text)

    return convert


def decimal(least: float, most: float) -> Callable[[str], float]:
    """Return a function that converts text to a number from `least` to `most`."""

    def convert(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not least <= number <= most:
            raise argparse.ArgumentTypeError(f"needs a number from {least:g} to {most:g}, not {clip(text)}")
        return number

    return convert


def variant(name: str) -> Variant:
    """Return the variant called `name`. Raises ArgumentTypeError if there is none."""
    try:
        return find(name)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
