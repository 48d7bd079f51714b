"""The start of a game as KIF tells it: a name after 手合割, a drawn board with hands, or a remark with an SFEN."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from kogoma.lab.kifu.names import HANDICAPS, PIECES, RANKS, VARIANTS_BY_NAME, letter_of, number_of, piece_name
from kogoma.rules.layout import HAND_LIMIT
from kogoma.rules.notation import Setup, write_sfen
from kogoma.rules.variants import SHOGI, VARIANTS, Variant, find, infer

_HELD = re.compile(rf"([{''.join(PIECES.values())}])([{RANKS}十]*|[0-9]+)")


@dataclass
class Start:
    """What has been read of a start; `rows` are the diagram's, without their frame."""

    variant: str = ""  # as a remark names it
    name: str = ""  # after 手合割
    sfen: str = ""
    rows: list[str] = field(default_factory=list)
    hands: list[str] = field(default_factory=lambda: ["", ""])
    turn: int = 0

    def resolve(self, preferred: Variant) -> tuple[Variant, str]:
        """The game and its SFEN; `preferred` is the game where the record fits several. ValueError."""
        named = find(self.variant) if self.variant else None
        if not named and self.name in VARIANTS_BY_NAME:
            named = VARIANTS[VARIANTS_BY_NAME[self.name]]
            if (named.files, named.ranks, named.start) == (preferred.files, preferred.ranks, preferred.start):
                named = preferred
        if self.sfen:
            return named or infer(self.sfen, preferred), self.sfen
        if self.rows:
            variant = named or self._by_shape(preferred)
            return variant, self._sfen(variant)
        if self.name in HANDICAPS:
            return SHOGI, HANDICAPS[self.name]
        if self.name and not named and self.name != "その他":
            raise ValueError(f"unknown handicap or game {self.name[:20]!r}, and no board is drawn")
        variant = named or preferred
        return variant, variant.start

    def _by_shape(self, preferred: Variant) -> Variant:
        shape = len(self.rows[0]) // 2, len(self.rows)
        for variant in (preferred, *VARIANTS.values()):
            if (variant.files, variant.ranks) == shape:
                return variant
        raise ValueError(f"no game is played on a board of {shape[0]} files and {shape[1]} ranks")

    def _sfen(self, variant: Variant) -> str:
        if len(self.rows) != variant.ranks:
            raise ValueError(f"the board of {variant.name} has {variant.ranks} ranks, not {len(self.rows)}")
        cells: list[int] = []
        for row, text in enumerate(self.rows):
            if len(text) != 2 * variant.files:
                raise ValueError(f"rank {RANKS[row]} of the board has not {variant.files} squares: {text[:40]!r}")
            for mark, name in zip(text[::2], text[1::2]):
                if mark not in " vV":
                    raise ValueError(f"rank {RANKS[row]} of the board: cannot read {mark + name!r}")
                white = 0 if mark == " " else 16
                cells.append(0 if name == "・" else white | variant.letters[letter_of(variant, name)])
        hands = [self._hand(variant, text) for text in self.hands]
        return write_sfen(Setup(cells, hands, self.turn), variant)

    def _hand(self, variant: Variant, text: str) -> list[int]:
        hand = [0] * (len(variant.pieces) + 1)
        text = re.sub(r"[ 　]", "", text)
        if text in ("", "なし"):
            return hand
        held = _HELD.findall(text)
        if "".join(name + count for name, count in held) != text:
            raise ValueError(f"cannot read the pieces in hand {text[:40]!r}")
        letters = {piece_name(variant, letter): letter for letter in variant.letters if not letter.startswith("+")}
        for name, count in held:
            if name not in letters or letters[name] == "K":
                raise ValueError(f"no piece {name!r} can be in hand in {variant.name}")
            number = variant.letters[letters[name]]
            hand[number] += number_of(count)
            if hand[number] > HAND_LIMIT:
                raise ValueError(f"{hand[number]} pieces {name!r} in hand")
        return hand
