"""What is submitted, and how its progress is counted. All items are independent of one another."""
from .machine import WORK, YIELD, Thread

CHAINS_FOR_PROCESSOR = 4
WORKERS_FOR_PRODUCER = 8
BACKLOG_FOR_PROCESSOR = 32
FAN = 8


class Workload:
    """Items of `length` nanoseconds each; without end, or `items` of them."""

    name = ""
    has_blocks = True   # an item has memory of its own, which its submitter takes and its worker gives back

    @staticmethod
    def processors_besides(processors):
        """How many processors there are beside those of the pool's workers."""
        return 0

    def __init__(self, length, items=None):
        self.length = length
        self.items = items
        self.submitted = 0
        self.submitted_at = 0.0     # when the last submitter outside has ended
        self.ends = []

    def begin(self, machine, design, processors):
        self.machine, self.design, self.processors = machine, design, processors
        for number, steps in enumerate(self.submitters()):
            thread = Thread(f"outside {number}")
            machine.begin(thread, self._whole(steps, thread), is_awake=True)

    def _whole(self, steps, thread):
        yield from steps(thread)
        self.submitted_at = max(self.submitted_at, self.machine.time_of(thread))

    def submitters(self):
        """What the threads outside of the pool do: each a function of the thread."""
        raise NotImplementedError

    def may_submit(self):
        """Counts one more item, unless there are to be no more."""
        if self.items is not None and self.submitted >= self.items:
            return False
        self.submitted += 1
        return True

    def work(self):
        return ((WORK, self.length),) if self.length else ()

    def ran(self, worker):
        """An item has run."""
        self.ends.append(self.machine.time_of(worker))
        if len(self.ends) == self.items:
            self.machine.is_over = True


class Outside(Workload):
    """Threads outside of the pool submit all items: one for each eight processors, on processors of their own besides. They wait while 32 items for
    each processor of the pool's wait."""

    name = "outside"

    @staticmethod
    def processors_besides(processors):
        return max(1, processors // WORKERS_FOR_PRODUCER)

    def submitters(self):
        return [self.steps] * self.processors_besides(self.processors)

    def steps(self, thread):
        while self.may_submit():
            while self.is_full():
                yield (YIELD,)
            yield from self.before(thread)
            yield from self.design.submit(thread, self.body, self.has_blocks)

    def is_full(self):
        return self.submitted - len(self.ends) > BACKLOG_FOR_PROCESSOR * self.processors

    def before(self, thread):
        """What a submission does besides."""
        return ()

    def body(self, worker):
        yield from self.work()
        self.ran(worker)


class Chains(Workload):
    """Four chains for each processor: each item submits the next one of its chain and ends."""

    name = "chains"

    def submitters(self):
        return [self.seeds]

    def seeds(self, thread):
        for _ in range(CHAINS_FOR_PROCESSOR * self.processors):
            if self.may_submit():
                yield from self.design.submit(thread, self.link, self.has_blocks)

    def link(self, worker):
        yield from self.work()
        if self.may_submit():
            yield from self.design.submit(worker, self.link, self.has_blocks)
        self.ran(worker)


class Fans(Workload):
    """Two families of eight for each processor: the eighth of each submits the next eight."""

    name = "fans"

    def submitters(self):
        def steps(thread):
            for _ in range(2 * self.processors):
                yield from self.submit_family(thread)
        return [steps]

    def submit_family(self, thread):
        for number in range(FAN):
            if self.may_submit():
                yield from self.design.submit(thread, self.eighth if number == FAN - 1 else self.other)

    def other(self, worker):
        yield from self.work()
        self.ran(worker)

    def eighth(self, worker):
        yield from self.work()
        yield from self.submit_family(worker)
        self.ran(worker)


class Tree(Workload):
    """One item comes from outside. Each submits halves of what is left to it, and does its own part. It has an end: its time is that of the whole,
    with all the waking that belongs to it."""

    name = "tree"

    def submitters(self):
        def steps(thread):
            yield from self.design.submit(thread, self.part(self.items))
        return [steps]

    def part(self, count):
        def body(worker):
            left = count
            while left > 1:
                half = left // 2
                yield from self.design.submit(worker, self.part(half))
                left -= half
            yield from self.work()
            self.ran(worker)
        return body


ENDLESS = {each.name: each for each in (Outside, Chains, Fans)}
ITEMS_OF_TREE = 400     # for each processor
NAMES = [*ENDLESS, Tree.name]


def make(name, length, processors):
    return Tree(length, ITEMS_OF_TREE * processors) if name == Tree.name else ENDLESS[name](length)
