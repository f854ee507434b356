"""One run of one design: how many items it runs in a microsecond, or how long a number of items takes."""
from bisect import bisect

from . import workloads
from .locked_list import LockedList
from .machine import Machine
from .rayon import Rayon
from .rings import Rings
from .tokio import Tokio

DESIGNS = {each.name: each for each in (LockedList, Rings, Rayon, Tokio)}
PROCESSORS = (1, 2, 4, 8, 16, 32, 64, 128)

# Nanoseconds before items are counted, and while they are. The first is for the waking: the worst needs a dozen rounds of it.
SETTLING, WAKES = 1_000_000.0, 12
COUNTED, COUNTED_BY_ONE = 250_000.0, 2_000_000.0


def run(design, workload, processors, costs, seed=1, until=None):
    """`design`: a name; `workload`: one that has not run."""
    machine = Machine(processors + workload.processors_besides(processors), costs, seed)
    workload.begin(machine, DESIGNS[design](machine, processors), processors)
    machine.run(until)


def throughput(design, name, processors, costs, length=1_000.0, seed=1):
    """Items in a microsecond: of a workload without end, once all goes its way."""
    workload = workloads.make(name, length, processors)
    if workload.items is not None:
        run(design, workload, processors, costs, seed)
        return workload.items * 1_000.0 / max(workload.ends)
    begin = SETTLING + WAKES * (costs.wake_latency + costs.wake_call)
    end = begin + max(COUNTED, COUNTED_BY_ONE / processors)
    run(design, workload, processors, costs, seed, until=end)
    ends = sorted(workload.ends)
    return (bisect(ends, end) - bisect(ends, begin)) * 1_000.0 / (end - begin)
