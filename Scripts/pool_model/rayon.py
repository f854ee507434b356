"""Rayon's pool, after its sources (registry, sleep) and the notes that lie beside them: a Chase-Lev deque for each worker and one queue for what
comes from outside.

A worker takes its newest item, then steals the oldest of another's, beginning anywhere, then takes from the injector. Who finds nothing counts
itself inactive, and tries 32 rounds with sched_yield between them. Then it marks the jobs counter as one that submitters are to change, tries once
more, and sleeps if no job has come by then. Who submits reads the counters, changes the jobs counter if that is so marked, and wakes one sleeper
unless enough threads are awake and search. Who becomes active again wakes two, if that many sleep.

Left out: scopes, joins and latches (items are spawned, nobody waits for one); the second mode of first in, first out; blocks of the injector."""
from collections import deque

from .deque import RETRY, StealingDeque
from .design import Design, Worker
from .lines import Line
from .machine import LOAD, LOADS, SLEEP, STORE, SWAP, WAKE, YIELD

ROUNDS = 32


class RayonWorker(Worker):
    def __init__(self, number):
        super().__init__(number)
        self.lock = Line()
        self.is_blocked = True


class Rayon(Design):
    name = "rayon"
    worker_class = RayonWorker

    def prepare(self):
        self.deques = [StealingDeque(self.costs) for _ in range(self.processors)]
        self.injector = deque()
        self.injector_tail, self.injector_head, self.counters = Line(), Line(), Line()
        self.injector_slots = [Line() for _ in range(64)]
        self.injected = self.extracted = 0
        self.inactive = self.sleeping = self.processors
        self.jobs = 0
        self.is_sleepy = True   # the jobs counter is to be changed by who submits

    # Work comes in.

    def publish(self, thread, item):
        if isinstance(thread, RayonWorker):
            was_empty = yield from self.deques[thread.number].push(item)
        else:
            yield (LOADS, (self.injector_head, self.injector_tail))
            was_empty = not self.injector
            yield (SWAP, self.injector_tail)
            self.injector.append(item)
            yield (STORE, self.injector_slots[self.injected // 4 % 64])
            self.injected += 1
        yield from self._new_job(was_empty)

    def _new_job(self, was_empty):
        yield (LOAD, self.counters)
        if self.is_sleepy:
            yield (SWAP, self.counters)
            if self.is_sleepy:
                self.is_sleepy = False
                self.jobs += 1
        if self.sleeping and (not was_empty or self.inactive == self.sleeping):
            yield from self._wake_any(1)

    def _wake_any(self, count):
        for worker in self.workers:
            if not count:
                return
            yield (SWAP, worker.lock)
            if worker.is_blocked:
                worker.is_blocked = False
                yield (SWAP, self.counters)
                self.sleeping -= 1
                count -= 1
                yield (WAKE, worker)
            yield (STORE, worker.lock)

    # Workers.

    def life(self, worker):
        while worker.is_blocked:
            yield (SLEEP,)
        while True:
            # Here it is inactive.
            item = yield from self._search(worker)
            yield (SWAP, self.counters)
            sleepers = min(2, self.sleeping)
            self.inactive -= 1
            if sleepers:
                yield from self._wake_any(sleepers)
            while item is not None:
                yield from self.run(worker, item)
                item = yield from self._find(worker)
            yield (SWAP, self.counters)
            self.inactive += 1

    def _find(self, worker):
        item = yield from self.deques[worker.number].pop()
        if item is not None:
            return item
        is_again = True
        while is_again:
            is_again = False
            start = self.machine.random.randrange(self.processors)
            for number in range(self.processors):
                victim = (start + number) % self.processors
                if victim == worker.number:
                    continue
                item = yield from self.deques[victim].steal()
                if item is RETRY:
                    is_again = True
                elif item is not None:
                    return item
        return (yield from self._extract())

    def _extract(self):
        while True:
            yield (LOADS, (self.injector_head, self.injector_tail))
            if not self.injector:
                return None
            first = self.extracted
            yield (SWAP, self.injector_head)
            if self.extracted != first or not self.injector:
                continue
            self.extracted += 1
            item = self.injector.popleft()
            yield (LOAD, self.injector_slots[first // 4 % 64])
            return item

    def _search(self, worker):
        rounds, jobs = 0, None
        while True:
            item = yield from self._find(worker)
            if item is not None:
                return item
            if rounds < ROUNDS:
                rounds += 1
                yield (YIELD,)
            elif jobs is None:
                yield (LOAD, self.counters)
                if not self.is_sleepy:
                    yield (SWAP, self.counters)
                    self.is_sleepy = True
                jobs = self.jobs
                yield (YIELD,)
            else:
                yield from self._sleep(worker, jobs)
                rounds, jobs = 0, None

    def _sleep(self, worker, jobs):
        yield (SWAP, worker.lock)
        yield (SWAP, self.counters)
        if self.jobs != jobs:
            yield (STORE, worker.lock)
            return
        self.sleeping += 1
        worker.is_blocked = True
        yield (STORE, worker.lock)
        while worker.is_blocked:
            yield (SLEEP,)
