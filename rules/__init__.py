"""What a legal game is: variants as data, the position, move generation, outcome, notation.

From outside: `position.new_position`, `variants`, `outcome`, `notation`, `moves`, `dice.die`, and for kernels
`dispatch`, which picks shogi's or Onitama's of each.
"""

import rules.variants  # noqa: F401  # before all else: its last line may ask for games of one's own, and they need it
