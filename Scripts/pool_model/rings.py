"""The pool as it is: what workers submit stays in rings of their own; what comes from outside goes to shards; one worker in eight may search.

A worker takes the oldest item of its ring, and from nine processors on each sixteenth from the shared lists; then from a shard, and from nine
processors on up to half of its share of what is pending there, 16 at most; then the older half of another's ring, 16 at most. Up to eight processors
it keeps an item only while the shared list is empty. The pool's word is written only where somebody is to be woken. A mark says that rings hold work
for others; who goes to sleep reads it, and the rings if it is set.

Left out: as in locked_list.py, and the order of one worker's items between its ring and the list. From outside, the threads go to the shards in turn."""
from collections import deque

from .lines import Line
from .locked_list import LockedList, PoolWorker
from .machine import LOAD, LOADS, STORE, SWAP, WORK
from .shared_list import SLOTS_IN_LINE, SharedList

CAPACITY, MOST = 256, 16
PAGE = 255              # slots of a shard's page: more are not counted as pending
WIDE = 9
EMPTY_LISTS = 4.5       # of other classes and kinds, read by each taking


class Ring:
    def __init__(self):
        self.head, self.tail = Line(), Line()
        self.slots = [Line() for _ in range(CAPACITY // SLOTS_IN_LINE)]
        self.items = deque()
        self.put_count = self.taken = 0

    def put(self, item):
        """For its worker; False: it is full."""
        yield (LOAD, self.head)
        if len(self.items) >= CAPACITY:
            return False
        yield (STORE, self.slots[self.put_count // SLOTS_IN_LINE % len(self.slots)])
        yield (SWAP, self.tail)
        self.put_count += 1
        self.items.append(item)
        return True

    def is_empty(self):
        yield (LOADS, (self.tail, self.head))
        return not self.items

    def take(self, most):
        """The older half of what lies there, `most` at most."""
        while True:
            yield (LOAD, self.head)
            first = self.taken
            yield (LOAD, self.tail)
            if not self.items:
                return []
            count = min((len(self.items) + 1) // 2, most)
            for number in range(first // SLOTS_IN_LINE, (first + count - 1) // SLOTS_IN_LINE + 1):
                yield (LOAD, self.slots[number % len(self.slots)])
            yield (SWAP, self.head)
            if self.taken == first and len(self.items) >= count:
                self.taken += count
                return [self.items.popleft() for _ in range(count)]


class RingWorker(PoolWorker):
    def __init__(self, number):
        super().__init__(number)
        self.ring = Ring()
        self.round = 0


class Along:
    """What a worker takes along from a shard."""

    def __init__(self, ring, workers):
        self.ring, self.workers = ring, workers

    def count(self, pending):
        return min(MOST - 1, min(pending, PAGE) // (2 * max(1, self.workers)))

    def put(self, item):
        yield from self.ring.put(item)


class Rings(LockedList):
    name = "rings"
    worker_class = RingWorker
    swaps_always = False

    def prepare(self):
        super().prepare()
        self.searchers = max(1, self.processors // 8)
        self.is_wide = self.processors >= WIDE
        self.shards = [SharedList(self.costs) for _ in range(max(1, min(8, self.processors // 8)))]
        self.mark, self.is_marked = Line(), False
        self.outside = {}

    # Work comes in.

    def publish(self, thread, item):
        if isinstance(thread, RingWorker):
            if (yield from self._keeps(thread, item)):
                ring = thread.ring

                def has_few():
                    yield (LOADS, (ring.tail, ring.head))
                    return len(ring.items) <= 2
                is_left = yield from self.is_left(has_few)
                if not is_left:
                    yield from self._set_mark()
                return (yield from self.tell(is_left))
            number = thread.number
        else:
            number = self.outside.setdefault(thread, len(self.outside))
        shard = self.shards[number % len(self.shards)]
        yield from shard.append(item)
        yield from self.tell((yield from self.is_left(shard.has_few)))

    def _keeps(self, worker, item):
        if not self.is_wide and (yield from self._have_shards_work()):
            return False
        if (yield from worker.ring.put(item)):
            return True
        if self.is_wide:
            yield from self._share_ring(worker)
        return False

    def _share_ring(self, worker):
        shard = self.shards[worker.number % len(self.shards)]
        while True:
            taken = yield from worker.ring.take(1)
            if not taken:
                break
            yield from shard.append(taken[0])
        yield from self.work_arrived()

    def _set_mark(self):
        yield (LOAD, self.mark)
        if not self.is_marked:
            self.is_marked = True
            yield (SWAP, self.mark)

    # Workers.

    def take(self, worker):
        worker.round += 1
        yield (LOAD, self.word)
        yield (WORK, EMPTY_LISTS * 2 * (len(self.shards) - 1) * self.costs.load)
        if self.is_wide and worker.round % 16 == 0:
            item = yield from self._take_of_shards(worker)
            if item is not None:
                return item
        yield (LOADS, (worker.ring.tail, worker.ring.head))
        if worker.ring.items:
            taken = yield from worker.ring.take(1)
            if taken:
                return taken[0]
        item = yield from self._take_of_shards(worker)
        if item is not None:
            return item
        return (yield from self._steal(worker))

    def _take_of_shards(self, worker):
        sharers = -(-self.running // len(self.shards))
        along = Along(worker.ring, sharers) if self.is_wide and not worker.ring.items else None
        for number in range(len(self.shards)):
            item = yield from self.shards[(worker.round + number) % len(self.shards)].take(along)
            if item is not None:
                return item
        return None

    def _steal(self, thief):
        yield (LOAD, self.mark)
        if not self.is_marked:
            return None
        thief.round += 1
        start = self.machine.random.randrange(self.processors)
        for number in range(self.processors):
            victim = self.workers[(start + number) % self.processors]
            if victim is thief or (yield from victim.ring.is_empty()):
                continue
            taken = yield from victim.ring.take(MOST)
            for item in taken[1:]:
                if not (yield from thief.ring.put(item)):
                    yield from self.shards[thief.number % len(self.shards)].append(item)
            if taken:
                return taken[0]
        return None

    def has_work(self):
        if (yield from self._have_shards_work()):
            return True
        yield (LOAD, self.mark)
        if not self.is_marked:
            return False
        if (yield from self._is_any_filled()):
            return True
        self.is_marked = False
        yield (SWAP, self.mark)
        if not (yield from self._is_any_filled()):
            return False
        self.is_marked = True
        yield (SWAP, self.mark)
        return True

    def _have_shards_work(self):
        for shard in self.shards:
            if not (yield from shard.is_empty()):
                return True
        return False

    def _is_any_filled(self):
        for worker in self.workers:
            if not (yield from worker.ring.is_empty()):
                return True
        return False
