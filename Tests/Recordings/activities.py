"""activities.py TRACE ROUNDS: parses a trace by Perfetto's own message classes, and compares it with what `RecordActivityProbe ROUNDS` does: operations,
groups, semaphores, turns, once, sources, reads and writes, run loops; their counts, nesting, arrows and order."""
import sys

from check import Trace


def main():
    trace, rounds = Trace(sys.argv[1]), int(sys.argv[2])
    assert not any(trace.open.values()), "a slice has no end"
    slices, instants, inside = trace.slices, trace.instants, trace.inside
    assert slices["operation", ""] == 5 * rounds, slices
    assert slices["operations", 'operation queue "activity.operations"'] == 4 * rounds, slices
    # One of data, and of timers three and one.
    assert slices["once", ""] == rounds and slices["source", ""] == 5 * rounds, slices
    transfers = {name: count for (category, name), count in slices.items() if category == "transfer"}
    assert sum(transfers.values()) == 2 * rounds and {name.split()[1] for name in transfers} == {"read", "write"}, transfers
    assert slices["loop", ""] >= 2 * rounds and slices["phase", ""] >= 8 * rounds, slices
    # A queue's operations are run by its items, one is started by hand; a source's handler is an item; phases are of a loop.
    assert inside["operation", "item"] == 4 * rounds and inside["operation", ""] == rounds, inside
    assert inside["source", "item"] == 5 * rounds and inside["phase", "loop"] == slices["phase", ""], inside
    assert instants['enter group "activity.group"'] == instants['leave group "activity.group"'] == 2 * rounds, instants
    assert trace.moments["work item"] == rounds and trace.moments["turn"] >= rounds, trace.moments
    # A timer that repeats is armed for each of three points at least, one is moved, one is cancelled before it comes; each of two loops has one
    # that fires and one that does not.
    never = 'timer source of queue "activity.never"'
    assert instants[f"arm {never}"] == instants[f"cancel {never}"] == rounds, instants
    assert instants['arm timer source of queue "activity.moved"'] == 2 * rounds, instants
    assert instants['arm timer source of queue "activity.repeats"'] >= 3 * rounds, instants
    loops = {name: count for name, count in instants.items() if "timer of run loop of thread" in name}
    assert sum(count for name, count in loops.items() if name.startswith("arm ")) == 4 * rounds, loops
    assert sum(count for name, count in loops.items() if name.startswith("cancel ")) == 2 * rounds, loops
    assert instants["timer"] >= 6 * rounds and trace.lateness == instants["timer"], (instants, trace.lateness)
    # Added and finished; ready of one that depended and of none else; cancelled.
    assert trace.moments["operation state"] == (4 + 5 + 1 + 1) * rounds, trace.moments
    # For the group, the semaphore, the turn and the queue of operations.
    assert trace.moments["wake"] >= 4 * rounds, trace.moments
    depths = trace.depths['inside group "activity.group"']
    assert depths == [1, 2, 1, 0] * rounds, depths
    trace.flows_are_in_order()
    lives = [[category for _, category in flow] for flow in trace.flows.values() if "operation" in [category for _, category in flow]]
    life = ["operation state", "operation", "operations"]
    assert lives.count(life) == 3 * rounds and lives.count(life[:1] + life) == rounds and lives.count(["operation"]) == rounds, lives
    print(f"{rounds} rounds, {len(trace.tracks)} tracks, {len(trace.flows)} arrows: as the program did")


main()
