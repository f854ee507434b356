"""The rows that are measured on one and two processors, each beside the workload that stands for it in the model.

Two are the bench's own (AsyncRows.swift): one thread submits 50,000 items. The bench has none with items of a microsecond, and none whose items submit
one another: those are pool_rows.c's."""
from .lines import Line
from .machine import LOAD, SLEEP, SWAP, WAKE, WORK
from .simulate import run
from .workloads import Chains, Outside

PROCESSORS = (1, 2)


class Timed:
    """All items twice: the first time, which is not counted, the pool wakes and learns how quick they are. The submitter sleeps until all have
    run."""

    has_blocks = False
    is_woken_by_item = False    # the submitter polls (pool_rows.c), or is woken after the item (a group)
    rest = 200_000.0    # between the two, as in pool_rows.c: the workers sleep by then

    def submitters(self):
        whole = self.items
        self.items = 2 * whole

        def steps(thread):
            self.submitter, self.goal = thread, whole
            yield from self.submit_all(thread)
            while len(self.ends) < whole:
                yield (SLEEP,)
            yield (WORK, self.rest)
            self.began, self.goal = self.machine.time_of(thread), 2 * whole
            yield from self.submit_all(thread)
        return [steps]

    def may_submit(self):
        return self.submitted < self.goal and super().may_submit()

    def after(self, worker):
        """An item has run."""
        if len(self.ends) == self.goal and not self.machine.is_over:
            if self.is_woken_by_item:
                yield (WAKE, self.submitter)
            else:
                self.machine.wake(self.submitter)

    def each(self):
        return (max(self.ends) - self.began) * 2 / len(self.ends)

    def taken(self):
        """How long a submission and the rest took, if one processor did the one after the other."""
        return (self.submitted_at - self.began) * 2 / len(self.ends), (max(self.ends) - self.submitted_at) * 2 / len(self.ends)


class FromOutside(Timed, Outside):
    """One thread submits all items."""

    @staticmethod
    def processors_besides(processors):
        return 0

    def is_full(self):
        return False

    def submit_all(self, thread):
        return self.steps(thread)

    def body(self, worker):
        yield from super().body(worker)
        yield from self.after(worker)


class InGroup(FromOutside):
    """`async-global-group`: each item has a node, and its submitter enters the group. Leaving waits until a worker finds no further member."""

    code = 0.0  # its own, half of it on either side

    has_blocks = True
    rest = 0.0  # the bench goes on at once

    def __init__(self, length, items):
        super().__init__(length, items)
        self.group = Line()

    def before(self, thread):
        yield (WORK, self.code / 2)
        yield (LOAD, self.group)
        yield (SWAP, self.group)

    def work(self):
        return ((WORK, self.code / 2),)


class CountingDown(FromOutside):
    """`async-global`: the submitter retains the counter for each item; the item counts down and releases it. All in one line."""

    code = 0.0  # as above
    rest = 0.0
    is_woken_by_item = True

    def __init__(self, length, items):
        super().__init__(length, items)
        self.counter = Line()

    def before(self, thread):
        yield (WORK, self.code / 2)
        yield (SWAP, self.counter)

    def work(self):
        return ((WORK, self.code / 2), (SWAP, self.counter), (SWAP, self.counter))


class OfWorkers(Timed, Chains):
    """Four chains for each processor, of items that are two words."""

    def submit_all(self, thread):
        return self.seeds(thread)

    def link(self, worker):
        yield from super().link(worker)
        yield from self.after(worker)


class Row:
    def __init__(self, name, workload, length, items, code=None):
        self.name, self.workload, self.length, self.items, self.code = name, workload, length, items, code

    def model(self, design, processors, costs, seed=1):
        """Nanoseconds for an item."""
        workload = self.workload(self.length, self.items)
        if self.code:
            workload.code = getattr(costs, self.code)
        run(design, workload, processors, costs, seed)
        return workload.each()

    def own_code(self, costs, measured):
        """The parameter `code`, from what the design before takes for an item on one processor."""
        return max(0.0, measured - self.model("locked-list", 1, costs.changed(self.code, 0)))


OF_BENCH = [Row("async-global-group", InGroup, 0, 50_000, "group_code"), Row("async-global", CountingDown, 0, 50_000, "counting_code")]
OF_PROBE = [
    Row("outside-0", FromOutside, 0, 50_000), Row("chains-0", OfWorkers, 0, 50_000),
    Row("outside-1000", FromOutside, 1_000, 20_000), Row("chains-1000", OfWorkers, 1_000, 20_000),
]
ALL = OF_BENCH + OF_PROBE
# The row that gives submit_code and take_code: so the model agrees with it by being made so.
FIXING = ("outside-0", 1)


def code_costs(costs, submitting, taking):
    """submit_code and take_code, from what a submission and a taking cost in all on one processor, in the row of `FIXING`."""
    workload = FromOutside(0, 20_000)
    run("locked-list", workload, 1, costs.changed("submit_code", 0).changed("take_code", 0))
    submitted, taken = workload.taken()
    return max(0.0, submitting - submitted), max(0.0, taking - taken)
