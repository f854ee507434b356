"""check.py TRACE ROUNDS: parses a trace by Perfetto's own message classes, and compares it with what `RecordProbe work ROUNDS` does: counts,
nesting, arrows, order of times, depths of queues."""
import collections
import sys

from perfetto.protos.perfetto.trace import perfetto_trace_pb2

Event = perfetto_trace_pb2.TrackEvent
# What lies on a track of its queue, or of its descriptor.
LANES = ("queue", "operations", "transfer")


class Trace:
    def __init__(self, path):
        self.names, self.tracks = {}, {}
        self.slices, self.instants = collections.Counter(), collections.Counter()
        self.flows, self.depths = collections.defaultdict(list), collections.defaultdict(list)
        self.open = collections.defaultdict(list)
        self.inside, self.moments = collections.Counter(), collections.Counter()
        self.lateness, self.classes, self.functions = 0, collections.Counter(), collections.Counter()
        self.tasks, self.actors = collections.Counter(), collections.Counter()
        self.last = 0
        trace = perfetto_trace_pb2.Trace()
        with open(path, "rb") as file:
            trace.ParseFromString(file.read())
        for packet in trace.packet:
            self.take(packet)

    def take(self, packet):
        assert not packet.FindInitializationErrors()
        if packet.HasField("track_descriptor"):
            track = packet.track_descriptor
            assert track.uuid not in self.tracks, "two tracks have one number"
            self.tracks[track.uuid] = track
            return
        for entry in packet.interned_data.event_names:
            assert entry.iid not in self.names, "a number has two names"
            self.names[entry.iid] = entry.name
        assert packet.timestamp >= self.last, "times go back"
        self.last = packet.timestamp
        self.event(packet.timestamp, packet.track_event)

    def event(self, time, event):
        track = self.tracks[event.track_uuid]
        category = event.categories[0] if event.categories else ""
        if event.type == Event.TYPE_SLICE_BEGIN:
            self.inside[category, self.open[event.track_uuid][-1] if self.open[event.track_uuid] else ""] += 1
            self.open[event.track_uuid].append(category)
            self.slices[category, track.name if category in LANES else ""] += 1
            if category == "item":
                notes = {note.name: note.string_value for note in event.debug_annotations}
                self.classes[notes.get("class", "")] += 1
                self.functions[self.names[event.name_iid]] += 1
            if category in ("part", "await"):
                assert self.open[event.track_uuid][:-1] == ["task"], "a part or an await that is in no task"
            if category == "task":
                notes = {note.name: note for note in event.debug_annotations}
                self.tasks[self.names[event.name_iid], notes["name"].string_value if "name" in notes else ""] += 1
            if category == "queue" and track.name.startswith("actor "):
                self.actors[track.name] += 1
            if category in LANES:
                assert len(self.open[event.track_uuid]) == 1, "two at a time on one track of a queue"
        elif event.type == Event.TYPE_SLICE_END:
            assert self.open[event.track_uuid], "an end without a beginning"
            self.open[event.track_uuid].pop()
        elif event.type == Event.TYPE_INSTANT:
            self.instants[self.names[event.name_iid]] += 1
            self.moments[category] += 1
            self.lateness += any(note.name == "late (ns)" for note in event.debug_annotations)
        elif event.type == Event.TYPE_COUNTER:
            assert track.HasField("counter")
            self.depths[track.name].append(event.counter_value)
        for flow in list(event.flow_ids) + list(event.terminating_flow_ids):
            self.flows[flow].append((time, category))

    def flows_are_in_order(self):
        """Each wake follows what woke."""
        for flow in self.flows.values():
            assert flow == sorted(flow, key=lambda step: step[0]), flow
            if flow[-1][1] == "wake":
                assert flow[0][1] in ("group", "semaphore", "turn", "operation state", "wake"), flow


def main():
    trace, rounds = Trace(sys.argv[1]), int(sys.argv[2])
    items = 7 * rounds + 2
    assert not any(trace.open.values()), "a slice has no end"
    assert trace.slices["item", ""] == items, trace.slices
    assert trace.slices["queue", "probe.serial"] == 5 * rounds + 2, trace.slices
    beside = sum(count for (_, name), count in trace.slices.items() if name.startswith("probe.concurrent"))
    assert beside == 2 * rounds, trace.slices
    assert trace.slices["sync", ""] == trace.slices["program", ""] == trace.instants["round"] == rounds, trace.slices
    assert trace.instants["timer"] == 1 and trace.slices["wait", ""] >= 2
    flows = [flow for flow in trace.flows.values() if flow[0][1] == "submit"]
    assert len(flows) == items
    for flow in flows:
        assert [category for _, category in flow] == ["submit", "item", "queue"], flow
    trace.flows_are_in_order()
    assert {name for name in trace.depths if name.startswith("waiting")} == {"waiting in probe.serial", "waiting in probe.concurrent"}
    # Six items of a round have the group, which all of them leave before the next round begins; it may be empty before the last has entered.
    groups = [depths for name, depths in trace.depths.items() if name.startswith("inside group")]
    assert len(groups) == 1 and groups[0][-1] == 0 and groups[0].count(0) >= rounds and max(groups[0]) <= 6, groups
    assert sum(count for name, count in trace.instants.items() if name.startswith("enter group")) == 6 * rounds, trace.instants
    for depths in trace.depths.values():
        assert depths[-1] == 0 and min(depths) == 0 and max(depths) >= 1
    assert sum(1 for track in trace.tracks.values() if track.HasField("thread")) >= 2
    print(f"{items} items, {len(trace.tracks)} tracks, {len(trace.names)} names: as the program did")


if __name__ == "__main__":
    main()
