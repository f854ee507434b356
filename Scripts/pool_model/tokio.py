"""Tokio's pool of several threads, after its sources (scheduler, queue, idle) and the article "Making the Tokio scheduler 10x faster": a queue of 256 and
a slot for the newest task for each worker, one locked queue for what comes from outside and for what does not fit.

A worker takes its slot (three times in a row at most), then the oldest of its queue; each 61st from the common queue, and from there as well when it
has nothing: its share, half a queue at most. Then it searches, unless half of all workers do: it takes half of another's queue, beginning anywhere. Who
finds nothing sleeps at once. Who submits wakes a sleeper unless somebody searches; of a worker's submissions those do that displace a task
from the slot. The last one that stops searching because it has found something wakes the next.

Left out: the driver of I/O and timers (a sleeper waits on a futex), the adaptive number in place of 61, budgets of tasks. A task runs once; it costs three
swaps of its own line besides."""
from collections import deque

from .design import Design, Worker
from .lines import Line
from .machine import LOAD, LOADS, SLEEP, STORE, SWAP, WAKE
from .shared_list import SLOTS_IN_LINE, Spinner

CAPACITY = 256
FROM_COMMON = 61
IN_A_ROW = 3
TASK_SWAPS = 3


class LocalQueue:
    def __init__(self):
        self.head, self.tail = Line(), Line()
        self.slots = [Line() for _ in range(CAPACITY // SLOTS_IN_LINE)]
        self.items = deque()
        self.taken = 0
        self.is_stolen_from = False

    def slot(self, number):
        return self.slots[number // SLOTS_IN_LINE % len(self.slots)]


class TokioWorker(Worker):
    def __init__(self, number):
        super().__init__(number)
        self.queue = LocalQueue()
        self.newest = None
        self.tick = 0
        self.in_a_row = 0
        self.is_parked = True
        self.is_searching = False
        self.wake_word = Line()


class Tokio(Design):
    name = "tokio"
    worker_class = TokioWorker

    def prepare(self):
        self.common = deque()
        self.common_lock, self.common_line, self.common_count = Line(), Line(), Line()
        self.is_common_locked = False
        self.idle, self.sleepers_lock = Line(), Line()
        self.searching, self.unparked = 0, 0
        self.sleepers = list(self.workers)

    # Work comes in.

    def publish(self, thread, item):
        if not isinstance(thread, TokioWorker):
            yield from self._push_common([item])
            return (yield from self._wake_one())
        displaced, thread.newest = thread.newest, item
        if displaced is not None:
            yield from self._push(thread, displaced)
            yield from self._wake_one()

    def _push(self, worker, item):
        queue = worker.queue
        yield (LOAD, queue.head)
        if len(queue.items) >= CAPACITY and not queue.is_stolen_from:
            yield (SWAP, queue.head)
            if not queue.is_stolen_from:
                half = [queue.items.popleft() for _ in range(min(len(queue.items), CAPACITY // 2))]
                queue.taken += len(half)
                return (yield from self._push_common(half + [item]))
        if len(queue.items) >= CAPACITY:
            return (yield from self._push_common([item]))
        yield (STORE, queue.slot(queue.taken + len(queue.items)))
        queue.items.append(item)
        yield (STORE, queue.tail)

    def _lock_common(self):
        spinner = Spinner(self.costs)
        while True:
            yield (SWAP, self.common_lock)
            if not self.is_common_locked:
                self.is_common_locked = True
                return
            yield from spinner.wait()

    def _unlock_common(self):
        self.is_common_locked = False
        yield (SWAP, self.common_lock)

    def _push_common(self, items):
        yield from self._lock_common()
        yield (LOAD, self.common_line)
        for item in items:
            yield (STORE, item.block.line)  # the list goes through the tasks
        self.common += items
        yield (STORE, self.common_line)
        yield (STORE, self.common_count)
        yield from self._unlock_common()

    def _wake_one(self):
        yield (SWAP, self.idle)
        if self.searching or self.unparked >= self.processors:
            return
        yield (SWAP, self.sleepers_lock)
        if self.searching or not self.sleepers:
            return
        # All of this is under the lock.
        worker = self.sleepers.pop()
        self.searching += 1
        self.unparked += 1
        worker.is_searching = True
        worker.is_parked = False
        yield (SWAP, self.idle)
        yield (STORE, self.sleepers_lock)
        yield (SWAP, worker.wake_word)
        yield (WAKE, worker)

    # Workers.

    def life(self, worker):
        while worker.is_parked:
            yield (SLEEP,)
        while True:
            item = yield from self._next(worker)
            if item is None:
                item = yield from self._steal(worker)
            if item is None:
                yield from self._park(worker)
                continue
            yield from self._found(worker)
            worker.in_a_row = 0
            while item is not None:
                yield from self._run_task(worker, item)
                item, worker.newest = worker.newest, None
                worker.in_a_row += 1
                if item is not None and worker.in_a_row > IN_A_ROW:
                    yield from self._push(worker, item)
                    yield from self._wake_one()
                    item = None

    def _run_task(self, worker, item):
        for _ in range(TASK_SWAPS):
            yield (SWAP, item.block.line)
        yield from self.run(worker, item)

    def _found(self, worker):
        if not worker.is_searching:
            return
        worker.is_searching = False
        yield (SWAP, self.idle)
        self.searching -= 1
        if not self.searching:
            yield from self._wake_one()

    def _next(self, worker):
        worker.tick += 1
        if worker.tick % FROM_COMMON == 0:
            item = yield from self._pop_common(worker, 1)
            return item if item is not None else (yield from self._pop(worker))
        item = yield from self._pop(worker)
        if item is not None:
            return item
        return (yield from self._pop_common(worker, CAPACITY // 2))

    def _pop(self, worker):
        item, worker.newest = worker.newest, None
        if item is not None:
            return item
        queue = worker.queue
        while True:
            yield (LOAD, queue.head)
            if not queue.items:
                return None
            first = queue.taken
            yield (SWAP, queue.head)
            if queue.taken != first or not queue.items:
                continue
            queue.taken += 1
            item = queue.items.popleft()
            yield (LOAD, queue.slot(first))
            return item

    def _pop_common(self, worker, most):
        yield (LOAD, self.common_count)
        if not self.common:
            return None
        yield from self._lock_common()
        yield (LOAD, self.common_line)
        count = min(most, len(self.common) // self.processors + 1, len(self.common))
        items = [self.common.popleft() for _ in range(count)]
        for item in items:
            yield (LOAD, item.block.line)
        yield (STORE, self.common_line)
        yield (STORE, self.common_count)
        yield from self._unlock_common()
        for item in items[1:]:
            yield from self._push(worker, item)
        return items[0] if items else None

    def _steal(self, thief):
        if not thief.is_searching:
            yield (LOAD, self.idle)
            if 2 * self.searching >= self.processors:
                return None
            yield (SWAP, self.idle)
            self.searching += 1
            thief.is_searching = True
        start = self.machine.random.randrange(self.processors)
        for number in range(self.processors):
            victim = self.workers[(start + number) % self.processors]
            if victim is not thief:
                item = yield from self._steal_of(thief, victim.queue)
                if item is not None:
                    return item
        return (yield from self._pop_common(thief, CAPACITY // 2))

    def _steal_of(self, thief, queue):
        while True:
            yield (LOADS, (queue.head, queue.tail))
            if not queue.items or queue.is_stolen_from:
                return None
            first = queue.taken
            yield (SWAP, queue.head)    # claims them
            if queue.taken == first and queue.items and not queue.is_stolen_from:
                break
        count = len(queue.items) - len(queue.items) // 2
        items = [queue.items.popleft() for _ in range(count)]
        queue.taken += count
        queue.is_stolen_from = True
        for number in range(first // SLOTS_IN_LINE, (first + count - 1) // SLOTS_IN_LINE + 1):
            yield (LOAD, queue.slots[number % len(queue.slots)])
        yield (SWAP, queue.head)        # gives the slots back
        queue.is_stolen_from = False
        own = thief.queue
        for item in items[:-1]:
            yield (STORE, own.slot(own.taken + len(own.items)))
            own.items.append(item)
        yield (STORE, own.tail)
        return items[-1]

    def _park(self, worker):
        yield (SWAP, self.sleepers_lock)
        yield (SWAP, self.idle)
        self.unparked -= 1
        is_last = False
        if worker.is_searching:
            worker.is_searching = False
            self.searching -= 1
            is_last = self.searching == 0
        self.sleepers.append(worker)
        worker.is_parked = True
        yield (STORE, self.sleepers_lock)
        if is_last and (yield from self._has_work()):
            yield from self._wake_one()
        yield (SWAP, worker.wake_word)
        while worker.is_parked:
            yield (SLEEP,)

    def _has_work(self):
        for worker in self.workers:
            yield (LOADS, (worker.queue.head, worker.queue.tail))
            if worker.queue.items:
                return True
        yield (LOAD, self.common_count)
        return bool(self.common)
