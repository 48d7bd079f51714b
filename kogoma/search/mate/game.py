"""Select shogi's or Onitama's kernels for the mate solver, as `rules.dispatch` does for the search."""

from __future__ import annotations

from kogoma.rules.dispatch import by_game
from kogoma.search.mate import checks, onitama, replies

set_check_info = by_game(checks.set_check_info, onitama.nothing)
generate_forcing = by_game(checks.generate_forcing, onitama.generate_forcing)
hand_word = by_game(checks.hand_word, onitama.empty)
board_key = by_game(checks.board_key, onitama.board_key)
board_key_after = by_game(checks.board_key_after, onitama.board_key_after)
hand_after = by_game(checks.hand_after, onitama.unchanged)
need_before = by_game(checks.need_before, onitama.unchanged)
larger_hand = checks.larger_hand
count_between = by_game(checks.count_between, onitama.count_between)
must_keep = by_game(checks.must_keep, onitama.empty)
recapture = by_game(checks.recapture, onitama.empty)
key_nearer = by_game(checks.key_nearer, onitama.unchanged)
prepare_replies = by_game(replies.prepare_replies, onitama.prepare_replies)
guess_replies = by_game(replies.guess_replies, onitama.guess_replies)
has_reply = by_game(replies.has_reply, onitama.never)
is_between = by_game(checks.is_between, onitama.never)
change_hand = by_game(checks.change_hand, onitama.nothing)
earlier = by_game(checks.earlier, onitama.earlier)
