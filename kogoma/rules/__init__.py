"""What a legal game is: variants as data, the position, move generation, outcome, notation.

From outside: `position.new_position`, `variants`, `outcome`, `notation`, `moves`, `dice.die`, and for kernels
`dispatch`, which picks shogi's or Onitama's of each.
"""

import os

# Whatever is imported first, the games that the environment names are known from then on.
if os.environ.get("KOGOMA_VARIANTS"):
    from kogoma.rules.custom.registry import add_from

    add_from(os.environ)
