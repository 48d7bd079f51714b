"""The types of the options that external engines list, by their public names."""

from __future__ import annotations

from kogoma.lab.engines.options import Button as ButtonOption
from kogoma.lab.engines.options import Check as CheckOption
from kogoma.lab.engines.options import Combo as ComboOption
from kogoma.lab.engines.options import Filename as FilenameOption
from kogoma.lab.engines.options import Option
from kogoma.lab.engines.options import Spin as SpinOption
from kogoma.lab.engines.options import String as StringOption

__all__ = ["ButtonOption", "CheckOption", "ComboOption", "FilenameOption", "Option", "SpinOption", "StringOption"]
