"""What every design has: workers, and how they run an item. The designs themselves are locked_list.py, rings.py, rayon.py and tokio.py."""
from .blocks import Blocks
from .machine import LOAD, WORK, Thread


class Worker(Thread):
    """A thread of the pool."""

    def __init__(self, number):
        super().__init__(f"worker {number}")
        self.number = number


class Item:
    __slots__ = ("block", "body")

    def __init__(self, block, body):
        self.block = block
        self.body = body


class Design:
    """A pool of as many workers as processors, all asleep at first.

    A subclass says how an item is published (`publish`), and what a worker does for its life (`life`)."""

    name = ""
    worker_class = Worker

    def __init__(self, machine, processors):
        self.machine = machine
        self.costs = machine.costs
        self.processors = processors
        self.blocks = Blocks()
        self.workers = [self.worker_class(number) for number in range(processors)]
        self.prepare()
        for worker in self.workers:
            machine.begin(worker, self.life(worker))

    def prepare(self):
        """Makes what the design shares."""

    def submit(self, thread, body, has_block=True):
        """For any thread: `body(thread)` is a generator."""
        yield (WORK, self.costs.submit_code)
        block = (yield from self.blocks.take(thread)) if has_block else None
        yield from self.publish(thread, Item(block, body))

    def run(self, worker, item):
        yield (WORK, self.costs.take_code)
        if item.block is not None:
            yield (LOAD, item.block.line)
            yield from self.blocks.give(worker, item.block)
        yield from item.body(worker)
