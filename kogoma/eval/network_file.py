"""The file of a variant's network (`eval.network`).

A file is xz-compressed: one line of JSON, then the rows of `Layers.rows` as little-endian int16. The JSON contains the
variant's board and pieces, the number of neurons, the shift, a correction of the tempo, whether the network is added to
all handcrafted terms or only to the running score and the tempo, and the network's origin.
"""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kogoma.eval.features import Features
from kogoma.output_file import write_file
from kogoma.rules.layout import NEURONS
from kogoma.rules.notation import pieces_of

FORMAT = "kogoma network 1"
ONE_WHOLE = 181  # the number that stands for 1 in the first layer; the largest whose square fits 16 bits
BESIDES = 4  # rows after those of the features
MOST_WEIGHT = 65_000  # sum of the output weights' sizes, so that sums fit 32 bits: 65,000 * 181**2 < 2**31
MOST_SHIFT = 30


class WeightsError(RuntimeError):
    """A weights file or a network is missing, damaged, or belongs to another variant."""


class Layers(NamedTuple):
    """The weights of a network. `rows` has a row of NEURONS numbers (int16) for each feature, and then a row of zeros,
    which stands for "no feature", the biases, and the output weights of the two views: that of the side to move and
    that of its opponent. The output divided by 2**shift is in centipawns."""

    rows: np.ndarray[Any, np.dtype[np.int16]]
    shift: int


def described(features: Features) -> dict[str, Any]:
    """Return the fields that the JSON line of a network for these features must contain: format, board size, pieces
    with their numbers, and neurons."""
    variant = features.variant
    pieces = " ".join(f"{piece.letter}{pieces_of(variant, piece.letter)}" for piece in variant.pieces)
    size = {"files": variant.files, "ranks": variant.ranks}
    return {"format": FORMAT, **size, "pieces": pieces, "neurons": NEURONS}


def save_network(
    path: Path, features: Features, layers: Layers, tempo: int, all_terms: bool, provenance: dict[str, Any]
) -> None:
    """Write a network to a file. The file's first line, in JSON, also stores `provenance`, `tempo` and `all_terms`.
    `tempo` is a number of centipawns that is added to the tempo in the variant's weights file. `all_terms` tells
    whether the network is added to all handcrafted terms, or only to the running score and the tempo."""
    head = {**described(features), "shift": layers.shift, "tempo": tempo, "all_terms": all_terms, **provenance}
    data = json.dumps(head).encode() + b"\n" + layers.rows.astype("<i2").tobytes()
    write_file(path, lzma.compress(data, preset=9 | lzma.PRESET_EXTREME))


def load_network(path: Path, features: Features) -> tuple[Layers, dict[str, Any]]:
    """Return the network that a file contains, and the file's JSON line as a dictionary. Raises WeightsError if the
    file cannot be read, is damaged, or does not fit `features`."""
    try:
        line, _, body = lzma.decompress(path.read_bytes()).partition(b"\n")
        head = json.loads(line)
    except OSError as error:
        raise WeightsError(f"cannot read the network {path}: {error.strerror}") from None
    except (lzma.LZMAError, EOFError, ValueError):
        raise WeightsError(f"{path} is damaged: it does not contain a network") from None
    expected = described(features)
    if not isinstance(head, dict) or any(head.get(name) != value for name, value in expected.items()):
        raise WeightsError(f"{path} belongs to another variant or format: its first line must contain {expected}")
    shift, size = head.get("shift"), 2 * NEURONS * (features.count + BESIDES)
    if not isinstance(head.get("tempo"), int) or not isinstance(shift, int) or not 0 <= shift <= MOST_SHIFT:
        raise WeightsError(f"{path} is damaged: its first line lacks the tempo, or a shift from 0 to {MOST_SHIFT}")
    if not isinstance(head.get("all_terms"), bool):
        raise WeightsError(f"{path} is damaged: its first line lacks all_terms")
    if len(body) != size:
        raise WeightsError(f"{path} is damaged: its weights take {len(body)} bytes instead of {size}")
    rows = np.frombuffer(body, "<i2").astype(np.int16).reshape(-1, NEURONS)
    if rows[features.count].any() or np.abs(rows[-2:].astype(np.int64)).sum() > MOST_WEIGHT:
        raise WeightsError(f"{path} is damaged: its output weights are too large")
    return Layers(rows, shift), head


def split_bytes(rows: np.ndarray[Any, np.dtype[np.int16]]) -> bytes:
    """Return the rows of a network as bytes, for exported files: first the low bytes of all numbers, then their high
    bytes. Each high byte is XORed with the sign of its low byte. Thus nearly all high bytes become 0, which compresses
    well."""
    low = rows.astype(np.int8)
    high = rows >> 8 ^ low >> 7
    return low.tobytes() + high.astype(np.int8).tobytes()
