"""The pool before its rebuild: one locked list, one word that counts workers, one searcher.

A worker that runs out of work searches for about 15 µs if nobody else does, then sleeps. Who submits reads the word; unless somebody searches, or
items are known to be so quick that a running worker will be there first, it swaps the word and wakes a sleeper if fewer workers run than there
are processors. The searcher that finds an item swaps the word, and calls the next one if there is more.

Left out: the other classes' lists (nobody writes their lines; reading them is in take_code), queues' turns, own slots, the sampler."""
from .design import Design, Worker
from .lines import Line
from .machine import LOAD, SLEEP, STORE, SWAP, WAKE, WORK
from .shared_list import SharedList, Spinner

SEARCH_PAUSES = 500
TINY, QUICK = 300.0, 5_000.0    # how long items of that pace take at most
IN_A_ROW = 16


class PoolWorker(Worker):
    def __init__(self, number):
        super().__init__(number)
        self.wake_word = Line()
        self.is_woken = False
        self.spin_shift = self.spin_failures = 0
        self.quick = self.tiny = 0


class LockedList(Design):
    name = "locked-list"
    worker_class = PoolWorker
    searchers = 1
    swaps_always = True     # the pool's word, even where nothing changes

    def prepare(self):
        self.list = SharedList(self.costs)
        self.word, self.pace_line, self.idle_lock, self.idle_line = Line(), Line(), Line(), Line()
        self.running = self.searching = 0
        self.idle = self.processors
        self.idle_workers = list(self.workers)
        self.pace = None
        self.can_spin = self.processors > 1

    # Work comes in.

    def publish(self, thread, item):
        yield from self.list.append(item)
        is_left = yield from self.is_left(self.list.has_few)
        yield from self.tell(is_left)

    def is_left(self, has_few):
        """Whether items are so quick that a running worker may be left to take this one."""
        yield (LOAD, self.pace_line)
        if self.pace == "quick":
            return (yield from has_few())
        return self.pace == "tiny"

    def tell(self, is_left):
        yield (LOAD, self.word)
        if self.searching >= self.searchers or is_left and self.running > 0:
            return
        yield from self.work_arrived()

    def work_arrived(self):
        yield (LOAD, self.word)
        if self.searching >= self.searchers:
            return
        if self.swaps_always or self._may_wake():
            yield (SWAP, self.word)
            if self.searching < self.searchers and self._may_wake():
                self.idle -= 1
                self.running += 1
                self.searching += 1
                yield from self._wake_one()

    def _may_wake(self):
        return self.running < self.processors and self.idle > 0

    def _wake_one(self):
        spinner = Spinner(self.costs)
        while True:
            yield (SWAP, self.idle_lock)
            if self.idle_workers:
                worker = self.idle_workers.pop()
                yield (STORE, self.idle_line)
                yield (STORE, worker.wake_word)
                worker.is_woken = True
                yield (WAKE, worker)
                return
            yield from spinner.wait()

    # Workers.

    def life(self, worker):
        is_searching = True
        yield from self._sleep(worker)
        while True:
            item = yield from (self._search(worker) if is_searching else self.take(worker))
            if item is None:
                if is_searching or not (yield from self._begins_search()):
                    yield from self._park(worker, is_searching)
                is_searching = True
                continue
            if is_searching:
                is_searching = False
                yield (SWAP, self.word)
                self.searching -= 1
                if (yield from self.has_work()) and self.pace != "tiny":
                    yield from self.work_arrived()
            began = self.machine.time_of(worker)
            yield from self.run(worker, item)
            yield from self._note_duration(worker, self.machine.time_of(worker) - began)

    def take(self, worker):
        yield (LOAD, self.word)
        return (yield from self.list.take())

    def has_work(self):
        return not (yield from self.list.is_empty())

    def _search(self, worker):
        item = yield from self.take(worker)
        if item is not None or not self.can_spin:
            return item
        whole = worker.spin_failures % 32 == 31
        for _ in range(SEARCH_PAUSES if whole else max(8, SEARCH_PAUSES >> worker.spin_shift)):
            yield (WORK, self.costs.pause)
            item = yield from self.take(worker)
            if item is not None:
                worker.spin_shift = max(0, worker.spin_shift - 1)
                return item
        worker.spin_shift = min(6, worker.spin_shift + 1)
        worker.spin_failures += 1
        return None

    def _begins_search(self):
        yield (SWAP, self.word)
        if self.searching < self.searchers:
            self.searching += 1
            return True
        self.running -= 1
        self.idle += 1
        return False

    def _park(self, worker, was_searching):
        worker.is_woken = False
        yield (STORE, worker.wake_word)
        yield (SWAP, self.idle_lock)
        self.idle_workers.append(worker)
        yield (STORE, self.idle_line)
        if was_searching:
            yield (SWAP, self.word)
            self.searching -= 1
            self.running -= 1
            self.idle += 1
        if (yield from self.has_work()):
            yield from self.work_arrived()
        yield from self._sleep(worker)

    def _sleep(self, worker):
        yield (LOAD, worker.wake_word)
        while not worker.is_woken:
            yield (SLEEP,)
            yield (LOAD, worker.wake_word)

    def _note_duration(self, worker, duration):
        if duration >= QUICK:
            worker.quick = worker.tiny = 0
            pace = None
        else:
            worker.quick += 1
            worker.tiny = worker.tiny + 1 if duration < TINY else 0
            if worker.quick < IN_A_ROW:
                return
            pace = "tiny" if worker.tiny >= IN_A_ROW else "quick"
        yield (LOAD, self.pace_line)
        if self.pace != pace:
            self.pace = pace
            yield (STORE, self.pace_line)
