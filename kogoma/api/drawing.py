"""Drawings of positions as SVG, for notebooks."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element, tostring

from kogoma.lab.report.markup import element
from kogoma.rules.base_position import BasePosition
from kogoma.rules.move_encoding import DROP, ORIGIN_SHIFT, SQUARE_MASK
from kogoma.rules.notation import SIDE_NAMES, piece_letter
from kogoma.rules.onitama.position import OnitamaPosition
from kogoma.rules.onitama_cards import CARDS, HELD
from kogoma.web.piece_faces import face_text

# Sizes in units of 1/60 of a square.
CELL, MARGIN, STAND, GAP = 60, 22, 62, 6
CARD_WIDE, CARD_HIGH, CARD_CELL = 88, 106, 15
DIE = 44
LEAST_WIDE = 260  # of a drawing, for all kinds of pieces in hand
STARRED = 9  # files of boards with star points
WOOD = "M0-27L17.5-19.5 23.5 26H-23.5L-17.5-19.5Z"
SHRINE = "M-20-15H20M-16-6H16M-11-15V18M11-15V18"
PIPS = {1: [4], 2: [0, 8], 3: [0, 4, 8], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8]}
FONTS = "'Hiragino Mincho ProN', 'Yu Mincho', 'Noto Serif CJK JP', 'Source Han Serif', 'IPAexMincho', serif"
SQUARE, PLATE, LINE, PIECE, EDGE = "#e9c184", "#d9ab67", "#5b4421", "#fbeecb", "#8a6a35"
INK, RED, TO, FROM, CHECK, TURN = "#1d1710", "#a80f1a", "#f0945a", "#f3d36b", "#e5503f", "#0b57d0"


def board_svg(position: BasePosition, *, flipped: bool = False, dice: int | None = None, size: int = 400) -> str:
    """Return a drawing of a position, with hands or cards, as an SVG document `size` pixels wide. The last move and a
    king in check are highlighted, and the frame of the side to move is blue. Black is at the bottom, or at the top if
    `flipped`. `dice` is the roll of the die, None before the roll."""
    drawing = _Drawing(position, flipped, dice)
    root = element(
        "svg",
        drawing.parts(),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {drawing.wide} {drawing.high}",
        width=size,
        height=round(size * drawing.high / drawing.wide),
        role="img",
        aria_label=f"{position.variant.name}: {position.sfen()}",
    )
    return tostring(root, encoding="unicode")


class _Drawing:
    def __init__(self, position: BasePosition, flipped: bool, dice: int | None) -> None:
        self._position, self._flipped, self._dice = position, flipped, dice
        self._variant = variant = position.variant
        self._board_wide, self._board_high = variant.files * CELL, variant.ranks * CELL
        self._stand = CARD_HIGH if variant.cards else STAND
        beside = CARD_WIDE + GAP if variant.cards else 0  # for the card in the centre
        self._stand_wide = max(self._board_wide + 2 * MARGIN, LEAST_WIDE)
        self._left = (self._stand_wide - self._board_wide) // 2
        self._top = self._stand + GAP + MARGIN
        self.wide = self._stand_wide + beside + 2 * GAP
        self.high = self._board_high + 2 * (self._stand + GAP + MARGIN) + 2 * GAP

    def parts(self) -> Iterator[Element]:
        """Yield the parts of the drawing, the lowest first."""
        inner = [*self._stands(), *self._board(), *self._coordinates(), *self._pieces()]
        yield element("g", inner, transform=f"translate({GAP} {GAP})")

    def _at(self, square: int) -> tuple[int, int]:
        """Return the centre of a square."""
        row, column = divmod(self._shown(square), self._variant.files)
        return self._left + column * CELL + CELL // 2, self._top + row * CELL + CELL // 2

    def _shown(self, square: int) -> int:
        """Return the place of a square, counted from the top left of the drawing."""
        return self._variant.squares - 1 - square if self._flipped else square

    def _colours(self) -> dict[int, str]:
        """Return the colours of the highlighted squares: those of the last move, and the king in check."""
        colours, position = {}, self._position
        if (code := position.last_code) is not None:
            is_drop = code & int(DROP)
            origin, target = code >> int(ORIGIN_SHIFT) & int(SQUARE_MASK), code & int(SQUARE_MASK)
            if not self._variant.cards:
                colours = {target: TO} if is_drop else {origin: FROM, target: TO}
            elif not is_drop:  # in Onitama, this bit is a card that is given up without a move
                colours = {origin: FROM, target: TO}
        if position.in_check:
            royal = [piece.letter for piece in self._variant.pieces if piece.royal]
            mine = [letter.lower() if position.turn else letter for letter in royal]
            colours |= {square: CHECK for square, letter in self._letters() if letter in mine}
        return colours

    def _letters(self) -> Iterator[tuple[int, str]]:
        board = self._position.fields["board"][: self._variant.squares].tolist()
        return ((square, piece_letter(self._variant, cell)) for square, cell in enumerate(board) if cell)

    def _board(self) -> Iterator[Element]:
        wide, high, variant = self._board_wide, self._board_high, self._variant
        plate = {"x": self._left - MARGIN, "y": self._top - MARGIN, "width": wide + 2 * MARGIN}
        yield element("rect", **plate, height=high + 2 * MARGIN, rx=5, fill=PLATE, stroke=LINE)
        colours = self._colours()
        for square in range(variant.squares):
            x, y = self._at(square)
            corner = {"x": x - CELL // 2, "y": y - CELL // 2, "width": CELL, "height": CELL}
            yield element("rect", **corner, fill=colours.get(square, SQUARE), stroke=LINE)
            if variant.cards and square in (variant.files // 2, variant.squares - 1 - variant.files // 2):
                stroke = {"fill": "none", "stroke": LINE, "stroke_width": 3, "opacity": 0.4}
                yield element("path", d=SHRINE, transform=f"translate({x} {y})", **stroke)
        outline = {"x": self._left, "y": self._top, "width": wide, "height": high}
        yield element("rect", **outline, fill="none", stroke=LINE, stroke_width=2.4)
        if variant.files == STARRED:
            for column, row in ((3, 3), (3, 6), (6, 3), (6, 6)):
                yield element("circle", cx=self._left + column * CELL, cy=self._top + row * CELL, r=3.6, fill=LINE)

    def _coordinates(self) -> Iterator[Element]:
        variant = self._variant
        letters = "abcdefghi"
        for column in range(variant.files):
            x, _ = self._at(column)
            name = letters[column] if variant.cards else str(variant.files - column)
            y = self._top + self._board_high + 16 if variant.cards else self._top - 6
            yield _text(name, x, y, 13)
        for row in range(variant.ranks):
            _, y = self._at(row * variant.files)
            name = str(variant.ranks - row) if variant.cards else letters[row]
            x = self._left - 11 if variant.cards else self._left + self._board_wide + 11
            yield _text(name, x, y + 4.5, 13)

    def _pieces(self) -> Iterator[Element]:
        for square, letter in self._letters():
            yield self._piece(letter, *self._at(square))

    def _piece(self, letter: str, x: float, y: float, scale: float = 1.07) -> Element:
        """Return a piece. Pieces of the player at the top are upside down."""
        face = face_text(self._variant, letter.upper())
        if letter.islower():
            face = face.replace("玉", "王")
        turn = " rotate(180)" if letter.islower() != self._flipped else ""
        size = 32 if len(face) == 1 else 22
        return element(
            "g",
            element("path", d=WOOD, fill=PIECE, stroke=EDGE, stroke_width=1.4, stroke_linejoin="round"),
            _text(face, 0, 15, size, RED if letter.startswith("+") else INK),
            transform=f"translate({x:g} {y:g}){turn} scale({scale:g})",
        )

    def _stands(self) -> Iterator[Element]:
        """Yield the hands or cards of both sides and, in Onitama, the card in the centre."""
        for side in (0, 1):
            at_bottom = (side == 0) != self._flipped
            y = self._top + self._board_high + MARGIN + GAP if at_bottom else 0
            if isinstance(self._position, OnitamaPosition):
                gap = (self._stand_wide - HELD * CARD_WIDE) // (HELD + 1)
                for index, card in enumerate(self._position.cards[HELD * side : HELD * side + HELD]):
                    yield self._card(card, side, gap + index * (CARD_WIDE + gap), y)
            else:
                yield from self._hand(side, y)
        if isinstance(self._position, OnitamaPosition):
            y = self._top + (self._board_high - CARD_HIGH) // 2
            yield self._card(self._position.cards[-1], self._position.turn, self._stand_wide + GAP, y)

    def _hand(self, side: int, top: int) -> Iterator[Element]:
        is_turn = side == self._position.turn
        edge = {"stroke": TURN, "stroke_width": 3} if is_turn else {"stroke": LINE, "stroke_width": 1}
        label = element("title", f"{SIDE_NAMES[side]}'s hand")
        size = {"width": self._stand_wide, "height": STAND}
        yield element("rect", label, x=0, y=top, **size, rx=6, fill=PLATE, **edge)
        has_die = bool(self._variant.die) and is_turn
        counts = self._position.fields["hand"][side].tolist()
        held = [
            (piece.letter, counts[number]) for number, piece in enumerate(self._variant.pieces, 1) if counts[number]
        ]
        step = min(CELL, (self._stand_wide - 12 - (DIE + 12) * has_die) / max(len(held), 1))
        for index, (letter, count) in enumerate(reversed(held)):
            x, y = 6 + step * (index + 0.5), top + STAND / 2
            yield self._piece(letter.lower() if side else letter, x, y, 0.9 * step / CELL)
            if count > 1:
                yield element("circle", cx=x + step / 2 - 8, cy=top + STAND - 12, r=9, fill=INK)
                yield _text(str(count), x + step / 2 - 8, top + STAND - 7.5, 13, "#fff")
        if has_die:
            yield self._die(self._stand_wide - DIE - 9, top + (STAND - DIE) / 2)

    def _die(self, x: float, y: float) -> Element:
        pips = PIPS.get(self._dice or 0, [])
        return element(
            "g",
            element("rect", width=DIE, height=DIE, rx=9, fill="#fffdf6", stroke="#555", stroke_width=1.5),
            [element("circle", cx=11 + 11 * (pip % 3), cy=11 + 11 * (pip // 3), r=4.2, fill=INK) for pip in pips],
            None if pips else _text("?", DIE / 2, 31, 25),
            transform=f"translate({x:g} {y:g})",
        )

    def _card(self, card: int, side: int, x: float, y: float) -> Element:
        """Return a card as its owner sees the board: the steps point away from the owner's side of the drawing."""
        sign = 1 if (side == 0) != self._flipped else -1
        steps = {(2 + sign * dx, 2 - sign * dy) for dx, dy in CARDS[card].moves}
        edge = {"stroke": TURN, "stroke_width": 3} if side == self._position.turn else {"stroke": EDGE}
        cells = []
        for column in range(5):
            for row in range(5):
                colour = TO if (column, row) == (2, 2) else INK if (column, row) in steps else "none"
                corner = {"x": 6.5 + CARD_CELL * column, "y": 6 + CARD_CELL * row}
                cells.append(element("rect", **corner, width=CARD_CELL, height=CARD_CELL, fill=colour, stroke=EDGE))
        paper = element("rect", width=CARD_WIDE, height=CARD_HIGH, rx=6, fill=PIECE, **edge)
        name = _text(f"{card} {CARDS[card].name}", CARD_WIDE / 2, 98, 12.5)
        return element("g", paper, cells, name, transform=f"translate({x:g} {y:g})")


def _text(text: str, x: float, y: float, size: float, colour: str = INK) -> Element:
    place = {"x": x, "y": y, "text_anchor": "middle", "font_size": size, "font_family": FONTS, "font_weight": 600}
    return element("text", text, **place, fill=colour)
