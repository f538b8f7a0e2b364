"""Examples put together into sequences of a given length."""

from array import array
from collections.abc import Sequence

from .examples import Example


def pack(examples: Sequence[Example], length: int) -> list[Example]:
    """First fit decreasing: the longest example first, each into the first sequence that has room for it.

    Examples of one length keep their order, so the same examples always make the same sequences. Positions
    begin at 0 with each example. The first token of an example never carries loss, so no example's last token
    is trained to predict how the next one begins.
    """
    order = sorted(range(len(examples)), key=lambda place: -len(examples[place].input_ids))
    room = _Room(len(examples), length)
    sequences: list[list[Example]] = []
    for place in order:
        example = examples[place]
        index = room.take(len(example.input_ids))
        if index == len(sequences):
            sequences.append([])
        sequences[index].append(example)
    return [_join(sequence) for sequence in sequences]


class _Room:
    """The room that is left in each sequence, as a tree of maxima: a million are searched in 20 steps."""

    def __init__(self, count: int, length: int) -> None:
        self._leaves = 1 << max(count - 1, 0).bit_length()
        self._most = array("i", [length]) * (2 * self._leaves)

    def take(self, size: int) -> int:
        """Takes room in the first sequence that has enough; there is always one that is still empty."""
        most = self._most
        node = 1
        while node < self._leaves:
            node *= 2
            if most[node] < size:
                node += 1
        index = node - self._leaves
        most[node] -= size
        while node > 1:
            node //= 2
            most[node] = max(most[2 * node], most[2 * node + 1])
        return index


def _join(examples: Sequence[Example]) -> Example:
    first = examples[0]
    input_ids, position_ids, loss_mask = array("i"), array("i"), bytearray()
    for example in examples:
        input_ids.extend(example.input_ids)
        position_ids.extend(range(len(example.input_ids)))
        loss_mask.extend(example.loss_mask)
    return Example(input_ids, bytes(loss_mask), position_ids, first.row, first.source, first.role)
