"""Find what makes a variant unplayable: contradictory rule flags, and limits of the kernels.

Each error names the piece's letter or the key that it is about.
"""

from __future__ import annotations

from collections.abc import Iterator

from kogoma.rules.geometry import RAY_BUNDLES, dead_ends, home, ray_bundles, reach, walk, zone
from kogoma.rules.layout import FEATURES, HAND_LIMIT, MAX_MOVES, SLIDE_SETS, TYPES
from kogoma.rules.notation import Setup, most_pieces, parse_sfen, pieces_of, sides_without_king, square_name
from kogoma.rules.variants import Piece, Promotion, Variant, can_be_held

KING_STEPS = 8  # steps of the king that the evaluation examines
HELD_KINDS = 10  # piece types in hand that the mate solver packs into 64 bits
SPARE = 8  # features reserved for pieces that an SFEN adds


def mistakes_of_pieces(variant: Variant) -> Iterator[tuple[str, str]]:
    """Yield (letter, reason) for each error in the pieces; the letter is "" if the error is not about one piece."""
    by_letter = {piece.letter: piece for piece in variant.pieces}
    for piece in variant.pieces:
        wrong = _wrong_other_side(piece, by_letter, variant.promotion) or _wrong_in_itself(piece)
        if reason := wrong or _stuck(variant, piece):
            yield piece.letter, f"{piece.letter}: {reason}"
        elif variant.drop_either_side and not piece.royal and not piece.promotes_to and len(piece.letter) == 1:
            yield piece.letter, f"{piece.letter}: drop_either_side needs pieces with two sides, and it has one"
        elif len(ray_bundles(piece.rays)) > RAY_BUNDLES:
            yield piece.letter, f"{piece.letter}: slides in more than {2 * RAY_BUNDLES} directions forward, or back"
    royal = [piece.letter for piece in variant.pieces if piece.royal]
    if len(royal) != 1:
        yield royal[-1] if royal else "", f"one piece has to be royal, not {' and '.join(royal) or 'none'}"
    if len(variant.pieces) >= TYPES:
        yield "", f"there are {len(variant.pieces)} pieces, counting their other sides, and room for {TYPES - 1}"
    if len(kinds := [piece for piece in variant.pieces if can_be_held(variant, piece)]) > HELD_KINDS:
        yield "", f"{len(kinds)} kinds of pieces can be in hand, and there is room for {HELD_KINDS}"
    bundles = {tuple(sorted(piece.rays)) for piece in variant.pieces}
    if (needed := sum(len(ray_bundles(rays)) for rays in bundles if rays)) >= SLIDE_SETS:
        yield "", f"the pieces slide in too many ways: {needed} bundles of rays, with room for {SLIDE_SETS - 1}"


def _wrong_other_side(piece: Piece, by_letter: dict[str, Piece], promotion: Promotion) -> str:
    """Return a description of the error in a piece's promotion, or "" if there is none."""
    if not piece.promotes_to:
        return ""
    met = [piece.letter]
    while (after := by_letter[met[-1]].promotes_to) and after in by_letter and after not in met:
        met.append(after)
    if after in met and (len(met) != 2 or {one[-1] for one in met} != {piece.letter[-1]}):
        return f"promotes in a circle: {', '.join([*met, after])}"
    if piece.letter.startswith("+"):
        if piece.promotes_to != piece.letter[1:]:
            return f"turns into {piece.promotes_to}: it can turn back to {piece.letter[1:]}, and into nothing else"
        if promotion is Promotion.IN_ZONE:
            return "a promoted piece cannot turn back where promotion is in_zone"
    elif piece.promotes_to != f"+{piece.letter}":
        return f"promotes to {piece.promotes_to}, but its promoted side must be called +{piece.letter}"
    elif piece.promotes_to not in by_letter:
        return f"promotes to {piece.promotes_to}, which is not defined"
    return ""


def _wrong_in_itself(piece: Piece) -> str:
    if piece.royal and (piece.promotes_to or piece.letter.startswith("+")):
        return "a royal piece has one side"
    if piece.royal and (piece.rays or len(piece.steps) > KING_STEPS):
        return f"a royal piece has at most {KING_STEPS} steps, and no slides"
    if not piece.directions:
        return "it has neither steps nor slides"
    if piece.no_drop_mate and piece.rays:
        return "no_drop_mate is for pieces that do not slide"
    if twice := {vector for vector, _ in piece.rays if len([one for one, _ in piece.rays if one == vector]) > 1}:
        return f"it slides by {list(min(twice))} twice"
    return ""


def _stuck(variant: Variant, piece: Piece) -> str:
    """Return an error if a piece could reach a square from which it can never move, or could not promote where it must.
    Otherwise return ""."""
    stuck = [] if variant.drop_anywhere else dead_ends(variant, piece, 0)
    if stuck and (not piece.promotes_to or variant.promotion is Promotion.CAPTURE):
        return "could reach a square from which it can never move: let it promote there, or set drop_anywhere"
    if not all(zone(variant, 0) >> square & 1 for square in stuck):
        return "could never move from squares outside the promotion zone: widen the zone, or set drop_anywhere"
    return ""


def mistakes_of_game(variant: Variant) -> Iterator[tuple[str, str]]:
    """Yield (key, reason) for each error outside the pieces, including combinations of rule flags that are not
    supported."""
    if variant.promotion_ranks > variant.ranks:
        yield "promotion_ranks", f"promotion_ranks: {variant.promotion_ranks} exceeds the {variant.ranks} ranks"
    if variant.promotion_forced and variant.promotion is not Promotion.IN_ZONE:
        yield ("promotion_forced", f"promotion_forced: promotion must be in_zone, not {variant.promotion.name.lower()}")
    if variant.choices and not variant.placement_ranks:
        yield "choices", "choices: they need a placement phase (placement_ranks)"
        return
    if unknown := [letter for letter in "".join(variant.choices) if letter not in variant.letters]:
        yield "choices", f"choices: there is no piece {unknown[0]}"
        return
    if variant.placement_ranks and not variant.placements:
        yield "placement_ranks", "placement_ranks: the hands in start are empty"
    if variant.check_wins and variant.king_capture:
        yield "check_wins", "check_wins: with king_capture there is no check"
    if variant.stalemate_wins and variant.king_capture:
        yield ("stalemate_wins", "stalemate_wins: with king_capture there is no stalemate: a king may stay attacked")
    try:
        setup = parse_sfen(variant.start, variant)
    except ValueError as error:
        yield "start", f"start: {error}"
        return
    if variant.placements:
        yield from _mistakes_of_placement(variant, setup)
    elif missing := sides_without_king(setup, variant):
        yield "start", f"start: {missing[0]} has no king"
        return
    for piece in variant.pieces:
        if not piece.royal and len(piece.letter) == 1 and (count := pieces_of(variant, piece.letter)) > HAND_LIMIT:
            yield "start", f"start: {count} pieces {piece.letter}, but a hand can hold at most {HAND_LIMIT}"
    pieces = sum(cell > 0 for cell in setup.board) + sum(map(sum, setup.hands))
    if pieces > FEATURES - SPARE:
        yield "start", f"start: {pieces} pieces, and there is room for {FEATURES - SPARE}"
    if not variant.king_capture and not variant.placements and _attacked(variant, setup.board, setup.turn):
        yield "start", "start: the side to move could capture the king"
    if (moves := most_moves(variant)) > MAX_MOVES:
        yield "start", f"a position could have {moves} moves, but the limit is {MAX_MOVES}: use fewer kinds of pieces"


def _mistakes_of_placement(variant: Variant, setup: Setup) -> Iterator[tuple[str, str]]:
    """Yield (key, reason) for each error in the placement phase. Nobody may be in check in it, so no piece may attack a
    square on which the opponent places pieces."""
    for name in ("king_capture", "goal", "check_wins", "die", "drop_either_side", "any_set_up"):
        if getattr(variant, name):
            yield name, f"{name}: it cannot be combined with placement_ranks"
    if 2 * variant.placement_ranks > variant.ranks:
        yield "placement_ranks", "placement_ranks: both sides would place pieces on the same squares"
        return
    letters, hand = variant.letters, setup.hands[0]
    royal = next(piece.letter for piece in variant.pieces if piece.royal)
    if setup.hands[1] != hand or hand[letters[royal]] != 1:
        yield "start", f"start: both hands must hold the same pieces, and one {royal} each"
        return
    if wrong := [letter for letter in "".join(variant.choices) if hand[letters[letter]] != 1]:
        yield "choices", f"choices: each hand must hold one {wrong[0]}"
        return
    homes = [home(variant, side) for side in (0, 1)]
    if min(sum(setup.board[square] == 0 for square in squares) for squares in homes) < variant.placements // 2:
        yield "placement_ranks", f"placement_ranks: there is no room for {variant.placements // 2} pieces"
    placed = [(square, kind) for square in homes[0] for kind, count in enumerate(hand) if count]
    for square, kind in [*placed, *((square, cell) for square, cell in enumerate(setup.board) if 0 < cell < 16)]:
        piece = variant.pieces[kind - 1]
        if set(reached(variant, setup.board, square, 0, piece)) & set(homes[1]):
            name = square_name(variant, square)
            yield "start", f"start: {piece.letter} on {name} could attack a square on which White places pieces"
            return


def reached(variant: Variant, board: list[int], square: int, side: int, piece: Piece) -> list[int]:
    """Return the squares that a piece of `side` on `square` attacks."""
    found = [to for vector in piece.steps for to in walk(variant, square, side, vector, 1)]
    for vector, limit in piece.rays:
        for to in walk(variant, square, side, vector, limit):
            found.append(to)
            if board[to]:
                break
    return found


def _attacked(variant: Variant, board: list[int], side: int) -> bool:
    """Return whether `side` attacks the opponent's king."""
    royal = next(number for number, piece in enumerate(variant.pieces, 1) if piece.royal)
    king = board.index((1 - side) << 4 | royal)
    return any(
        king in reached(variant, board, square, side, variant.pieces[(cell & 15) - 1])
        for square, cell in enumerate(board)
        if cell and cell >> 4 == side
    )


def most_moves(variant: Variant) -> int:
    """Return an upper bound of the number of legal moves in any position."""
    by_letter = {piece.letter: piece for piece in variant.pieces}

    def widest(piece: Piece) -> int:
        """Return an upper bound of the number of a piece's board moves. A move with optional promotion counts twice."""
        both = 1 + bool(piece.promotes_to and not variant.promotion_forced)
        return both * int(max(reach(variant, piece, 1.0)))

    def room(piece: Piece) -> int:
        """Return the number of squares on which the piece may be dropped."""
        if variant.drop_anywhere:
            return variant.squares
        return variant.squares - len(dead_ends(variant, piece, 0))

    kinds = [piece for piece in variant.pieces if not piece.royal and len(piece.letter) == 1]
    dropped = kinds + [by_letter[piece.promotes_to] for piece in kinds if variant.drop_either_side]
    royal = next(piece for piece in variant.pieces if piece.royal)
    squares, total = variant.squares - 2, widest(royal)
    for piece in kinds:
        other = by_letter.get(piece.promotes_to)
        gain = max(widest(piece), widest(other) if other else 0)
        count = most_pieces(variant, piece.letter)
        for _ in range(count - 1):
            if squares > 0 and gain > len(dropped):
                squares, total = squares - 1, total + gain
    return total + sum(min(squares, room(piece)) for piece in dropped)
