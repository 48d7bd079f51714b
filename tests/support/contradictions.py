"""Positions of 66-shogi whose move number contradicts the board, the hands or the side to move, each with a part of the
error message; one position, with the message "", is valid."""

CONTRADICTIONS = {
    "6/pppppp/6/6/PPPPPP/6 w KRBGSNLkrbgsnl 1": "Black is then to move",
    "6/pppppp/6/6/PPPPPP/6 b KRBGSNLkrbgsnl 3": "the number of Black's placed pieces is 1, not 0",
    "6/pppppp/6/6/PPPPPP/5K w RBGSNLkrbgsn 2": "White then has in hand krbgsnl",
    "6/pppppp/6/6/PPPPPP/5R w KBGSNLkrbgsnl 2": "Black then has in hand KGSNL",
    "6/pppppp/6/6/PPPPPP/4RB b KGSNLkrbgsnl 3": "1f must be as in the start position",
    "6/pppppp/5K/6/PPPPPP/6 w RBGSNLkrbgsnl 2": "1c must be as in the start position",
    "6/pppppp/6/6/PPPPP1/5K w RBGSNLkrbgsnl 2": "1e must be as in the start position",
    "5K/pppppp/6/6/PPPPPP/6 w RBGSNLkrbgsnl 2": "1a must be as in the start position",
    "k5/pppppp/6/6/PPPPPP/5K b RGSNLrgsnl 13": "",
    "6/pppppp/6/6/PPPPPP/5K w RGSNLkrgsnl 14": "White's king is in hand",
    "k5/pppppp/6/6/PPPPPP/5K b RGSNLrbgsnl 13": "too many pieces R and B: 3",
    "6/pppppp/6/6/PPPPPP/6 b RGSNLrgsnl 13": "neither side has a king",
}
