"""The rules of every variant: variants as data, positions, move generation, the end of the game, notation.

Other packages use `position.new_position`, `variants`, `outcome`, `notation`, `move_encoding` and `dice.die`, and in
kernels `dispatch`, which selects shogi's or Onitama's kernels.
"""

import os

# Importing the package registers the custom variants listed in KOGOMA_VARIANTS.
if os.environ.get("KOGOMA_VARIANTS"):
    from kogoma.rules.custom.registry import add_from

    add_from(os.environ)
