"""What the solver needs of a game, beside `rules.dispatch`: shogi's kernels or Onitama's, by the records' types."""

from __future__ import annotations

from kogoma.rules.dispatch import by_game
from kogoma.search.mate import cards, checks, replies

set_check_info = by_game(checks.set_check_info, cards.nothing)
generate_forcing = by_game(checks.generate_forcing, cards.generate_forcing)
hand_word = by_game(checks.hand_word, cards.empty)
board_key = by_game(checks.board_key, cards.board_key)
board_key_after = by_game(checks.board_key_after, cards.board_key_after)
hand_after = by_game(checks.hand_after, cards.unchanged)
need_before = by_game(checks.need_before, cards.unchanged)
larger_hand = checks.larger_hand
count_between = by_game(checks.count_between, cards.count_between)
kept_back = by_game(checks.kept_back, cards.empty)
recapture = by_game(checks.recapture, cards.empty)
key_nearer = by_game(checks.key_nearer, cards.unchanged)
survey = by_game(replies.survey, cards.survey)
guess_replies = by_game(replies.guess_replies, cards.guess_replies)
has_reply = by_game(replies.has_reply, cards.never)
is_between = by_game(checks.is_between, cards.never)
give_back = by_game(checks.give_back, cards.nothing)
earlier = by_game(checks.earlier, cards.earlier)
