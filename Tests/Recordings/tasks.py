"""tasks.py TRACE ROUNDS linked|as-it-is: parses a trace by Perfetto's own message classes, and compares it with what `RecordProbe tasks ROUNDS` or
`RecordTasksProbe ROUNDS` does: jobs of Swift's tasks as items, with their functions; those of an actor on a queue."""
import sys

from check import Trace


def main():
    trace, rounds, is_linked = Trace(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "linked"
    assert not any(trace.open.values()), "a slice has no end"
    assert trace.slices["queue", "probe.visited"] == 4 * rounds, trace.slices
    items, flows = trace.slices["item", ""], [flow for flow in trace.flows.values() if flow[0][1] == "submit"]
    # A task of each round and its four children begin, and go on once at least.
    assert items >= (4 + 5) * rounds and len(flows) == items, (items, len(flows))
    for flow in flows:
        assert [category for _, category in flow] == ["submit", "item", "queue"], flow
    functions = trace.functions
    assert sum(count for name, count in functions.items() if "Jobs.hosts" in name) >= 4 * rounds, functions
    assert sum(count for name, count in functions.items() if "Jobs.run" in name) >= rounds, functions
    assert "item" not in functions, functions
    named = {name: count for (name, title), count in trace.tasks.items() if title == "host of a round of visits"}
    assert list(named.values()) == [rounds] and "Jobs.run" in list(named)[0], trace.tasks
    assert sum(count for (name, _), count in trace.tasks.items() if "Jobs.hosts" in name) >= 4 * rounds, trace.tasks
    assert trace.slices["part", ""] + sum(trace.actors.values()) <= items and trace.slices["await", ""] >= rounds, trace.slices
    actors = sum(count for name, count in trace.actors.items() if name.startswith("actor Keeper"))
    assert actors >= rounds, trace.actors
    if is_linked:
        # A child is as urgent as its parent, who waits for it.
        assert trace.classes["utility"] == items, trace.classes
    for depths in trace.depths.values():
        assert depths[-1] == 0 and min(depths) == 0 and max(depths) >= 1
    trace.flows_are_in_order()
    print(f"{items} jobs and items, {len(flows)} arrows: as the program did")


main()
