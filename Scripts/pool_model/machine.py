"""The machine: processors, threads that take turns on them, and time. Which lines they touch is lines.py.

A thread is a generator. It yields operations (below) and goes on when they are over; between two of them it may read and change any Python
value, as of that moment. Events of the same moment happen in the order in which they were asked for: so a run depends on its seed alone."""
import heapq
import random

# What a thread may yield: (WORK, nanoseconds), (LOAD, line), (LOADS, lines) of which none waits for another, (STORE, line), (SWAP, line),
# (SLEEP,) until another thread yields (WAKE, thread), (YIELD,) to let another thread of the processor run.
WORK, LOAD, LOADS, STORE, SWAP, SLEEP, WAKE, YIELD = range(8)

# How far a thread's own steps, which nobody else sees, may run ahead of the machine's time.
AHEAD = 30.0


class Processor:
    def __init__(self, number):
        self.number = number
        self.current = None     # the thread that has it, or is being switched to
        self.waiting = []


class Thread:
    def __init__(self, name):
        self.name = name
        self.steps = None
        self.processor = None   # where it runs, or ran last
        self.ahead = 0.0        # nanoseconds of its own steps since the machine's time
        self.stored_at = 0.0    # when all its stores can be seen
        self.slice_began = 0.0
        self.is_asleep = True
        self.has_token = False  # it was woken while awake: the next sleep returns at once


class Stuck(Exception):
    """Every thread sleeps and the workload is not over."""


class Machine:
    def __init__(self, processors, costs, seed=1):
        self.costs = costs
        self.processors = [Processor(number) for number in range(processors)]
        self.random = random.Random(seed)
        self.now = 0.0
        self.is_over = False
        self._events = []
        self._count = 0

    def begin(self, thread, steps, is_awake=False):
        """Gives a thread its steps. It begins asleep unless `is_awake`."""
        thread.steps = steps
        if is_awake:
            self._becomes_ready(thread, self.now)

    def wake(self, thread):
        """Wakes a thread at no cost to anybody."""
        self._wake(thread, self.now)

    def time_of(self, thread):
        """The thread's own time."""
        return self.now + thread.ahead

    def run(self, until=None):
        """Until `is_over` is set, or the time has come."""
        events = self._events
        while not self.is_over:
            if not events:
                raise Stuck(f"all threads sleep at {self.now:.0f} ns")
            if until is not None and events[0][0] > until:
                return
            self.now, _, thread = heapq.heappop(events)
            if self._keeps_processor(thread):
                self._go_on(thread)

    # What one thread does until it has to wait.

    def _go_on(self, thread):
        costs, number = self.costs, thread.processor.number
        step = thread.steps.__next__
        ahead = 0.0
        while True:
            if ahead > AHEAD:
                return self._continues(thread, self.now + ahead)
            thread.ahead = ahead
            try:
                operation = step()
            except StopIteration:
                thread.ahead = 0.0
                return self._leaves(thread, self.now + ahead)
            if self.is_over:
                return
            kind = operation[0]
            if kind == WORK:
                ahead += operation[1]
            elif kind == LOAD:
                line = operation[1]
                if line.is_near(number, self.now + ahead):
                    line.load(number, self.now + ahead, costs)
                    ahead += costs.load
                else:
                    return self._continues(thread, line.load(number, self.now + ahead, costs))
            elif kind == LOADS:
                lines = operation[1]
                end = max(line.load(number, self.now + ahead, costs) for line in lines)
                ahead += costs.load * (len(lines) - 1)
                if end > self.now + ahead + costs.load:
                    return self._continues(thread, end)
                ahead += costs.load
            elif kind == STORE:
                thread.stored_at = max(thread.stored_at, operation[1].store(number, self.now + ahead, costs))
                ahead += costs.store
            elif kind == SWAP:
                return self._continues(thread, operation[1].swap(number, max(self.now + ahead, thread.stored_at), costs))
            elif kind == YIELD:
                return self._lets_others(thread, self.now + ahead + costs.yield_call)
            elif kind == WAKE:
                self._wake(operation[1], self.now + ahead)
                return self._continues(thread, self.now + ahead + costs.wake_call)
            elif thread.has_token:
                thread.has_token = False
                ahead += costs.yield_call
            else:
                thread.is_asleep = True
                thread.ahead = 0.0
                return self._leaves(thread, self.now + ahead)

    # Who has a processor.

    def _continues(self, thread, when):
        thread.ahead = 0.0
        self._count += 1
        heapq.heappush(self._events, (when, self._count, thread))

    def _keeps_processor(self, thread):
        """Whether its slice goes on; if not, the next thread of the processor has been switched to."""
        processor = thread.processor
        if not processor.waiting or self.now - thread.slice_began < self.costs.time_slice:
            return True
        processor.waiting.append(thread)
        self._switch(processor, self.now)
        return False

    def _lets_others(self, thread, when):
        if thread.processor.waiting:
            thread.ahead = 0.0
            thread.processor.waiting.append(thread)
            return self._switch(thread.processor, when)
        self._continues(thread, when)

    def _switch(self, processor, when):
        thread = processor.waiting.pop(0)
        processor.current = thread
        thread.processor = processor
        thread.slice_began = when
        self._continues(thread, when + self.costs.switch)

    def _leaves(self, thread, when):
        processor = thread.processor
        processor.current = None
        if not processor.waiting:
            fullest = max(self.processors, key=lambda other: len(other.waiting))
            if not fullest.waiting:
                return
            processor.waiting.append(fullest.waiting.pop(0))
        self._switch(processor, when)

    def _wake(self, thread, when):
        if not thread.is_asleep:
            thread.has_token = True
            return
        self._becomes_ready(thread, when + self.costs.wake_latency)

    def _becomes_ready(self, thread, when):
        """It gets its last processor if that is free, else another that is, else it waits where fewest wait."""
        thread.is_asleep = False
        last = thread.processor
        if last is None or last.current is not None:
            last = next((each for each in self.processors if each.current is None), None)
        if last is None:
            last = min(self.processors, key=lambda each: len(each.waiting))
            thread.processor = last
            last.waiting.append(thread)
            return
        last.current = thread
        thread.processor = last
        thread.slice_began = when
        self._continues(thread, when)
