"""A list that threads share: pushers claim a slot by one addition, takers have a lock. Both of our designs have it."""
from collections import deque

from .lines import Line
from .machine import LOAD, LOADS, STORE, SWAP, WORK, YIELD

SLOTS_IN_LINE = 4
LINES = 64                  # of a page; pages come round
FIRST_TURN = 4              # the list turns back when it is empty and this many slots are used


class Spinner:
    """Waits of growing length for a thread between two steps."""

    def __init__(self, costs):
        self.costs = costs
        self.rounds = 0

    def wait(self):
        self.rounds += 1
        if self.rounds > 8:
            yield (YIELD,)
        else:
            yield (WORK, self.costs.pause * (1 << self.rounds))


class SharedList:
    def __init__(self, costs):
        self.costs = costs
        self.tail, self.head, self.lock = Line(), Line(), Line()
        self.slots = [Line() for _ in range(LINES)]
        self.items = deque()
        self.claimed = self.taken = 0
        self.used = 0           # slots since the list turned back
        self.is_locked = False

    def append(self, item):
        yield (SWAP, self.tail)
        line = self.slots[self.claimed // SLOTS_IN_LINE % LINES]
        self.claimed += 1
        self.used += 1
        self.items.append(item)
        yield (STORE, line)

    def is_empty(self):
        yield (LOADS, (self.tail, self.head))
        return not self.items

    def has_few(self):
        yield (LOADS, (self.tail, self.head))
        return len(self.items) <= 2

    def take(self, along=None):
        """The first item, or None. `along(count)`: a generator that gets each further item; `count` is asked how many."""
        if (yield from self.is_empty()):
            return None
        spinner = Spinner(self.costs)
        while True:
            yield (SWAP, self.lock)
            if not self.is_locked:
                break
            if (yield from self.is_empty()):
                return None
            yield from spinner.wait()
        self.is_locked = True
        item = yield from self._first()
        if item is not None and along is not None:
            yield (LOADS, (self.tail, self.head))
            for _ in range(along.count(len(self.items))):
                yield from along.put((yield from self._first()))
        if item is not None:
            yield from self._turn_back()
        self.is_locked = False
        yield (STORE, self.lock)
        return item

    def _first(self):
        if not self.items:
            yield (LOAD, self.tail)
            return None
        line = self.slots[self.taken // SLOTS_IN_LINE % LINES]
        yield (LOAD, line)
        self.taken += 1
        item = self.items.popleft()
        yield (STORE, line)
        yield (STORE, self.head)
        return item

    def _turn_back(self):
        if not (yield from self.is_empty()) or self.used < FIRST_TURN:
            return
        yield (SWAP, self.tail)
        yield (STORE, self.head)
        self.used = len(self.items)
        yield (SWAP, self.tail)
