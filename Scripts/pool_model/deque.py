"""A deque with one owner and many thieves, after Chase and Lev (2005): the owner puts in and takes out at one end without a swap, but for the last
item; thieves take one at the other end by a swap."""
from collections import deque

from .lines import Line
from .machine import LOAD, LOADS, STORE, SWAP, WORK

SLOTS_IN_LINE, LINES = 4, 64
RETRY = object()


class StealingDeque:
    def __init__(self, costs):
        self.costs = costs
        self.top, self.bottom = Line(), Line()
        self.slots = [Line() for _ in range(LINES)]
        self.items = deque()
        self.stolen = 0

    def _slot(self, number):
        return self.slots[number // SLOTS_IN_LINE % LINES]

    def push(self, item):
        """Whether it was empty."""
        yield (LOADS, (self.bottom, self.top))
        was_empty = not self.items
        yield (STORE, self._slot(self.stolen + len(self.items)))
        self.items.append(item)
        yield (STORE, self.bottom)
        return was_empty

    def pop(self):
        """The newest, for the owner."""
        yield (LOADS, (self.bottom, self.top))
        if not self.items:
            return None
        # The bottom is written, and a fence waits for that: as dear as a swap of that line.
        yield (SWAP, self.bottom)
        yield (LOAD, self.top)
        if len(self.items) == 1:
            first = self.stolen
            yield (SWAP, self.top)
            if not self.items or self.stolen != first:
                return None
            self.stolen += 1
            return self.items.popleft()
        if not self.items:
            return None
        item = self.items.pop()
        yield (LOAD, self._slot(self.stolen + len(self.items)))
        return item

    def steal(self):
        """The oldest; None: it was empty; RETRY: another was quicker."""
        yield (LOAD, self.top)
        first = self.stolen
        yield (WORK, self.costs.swap)   # a fence
        yield (LOAD, self.bottom)
        if not self.items:
            return None
        yield (LOAD, self._slot(first))
        yield (SWAP, self.top)
        if self.stolen != first or not self.items:
            return RETRY
        self.stolen += 1
        return self.items.popleft()
