"""What the solver needs of a game, beside `rules.dispatch`: shogi's kernels or Onitama's, by the records' types."""

from __future__ import annotations

from kogoma.rules.dispatch import by_game
from kogoma.search.mate import cards, checks, replies

set_check_info = by_game(checks.set_check_info, cards.set_check_info)
generate_forcing = by_game(checks.generate_forcing, cards.generate_forcing)
hand_word = by_game(checks.hand_word, cards.hand_word)
board_key = by_game(checks.board_key, cards.board_key)
board_key_after = by_game(checks.board_key_after, cards.board_key_after)
hand_after = by_game(checks.hand_after, cards.hand_after)
need_before = by_game(checks.need_before, cards.need_before)
larger_hand = checks.larger_hand
count_between = by_game(checks.count_between, cards.count_between)
kept_back = by_game(checks.kept_back, cards.kept_back)
recapture = by_game(checks.recapture, cards.recapture)
key_nearer = by_game(checks.key_nearer, cards.key_nearer)
survey = by_game(replies.survey, cards.survey)
guess_replies = by_game(replies.guess_replies, cards.guess_replies)
has_reply = by_game(replies.has_reply, cards.has_reply)
is_between = by_game(checks.is_between, cards.is_between)
give_back = by_game(checks.give_back, cards.give_back)
earlier = by_game(checks.earlier, cards.earlier)
