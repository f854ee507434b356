"""A cache line: who has it, and from when on it can go to the next. What an access costs is decided here, for one line at a time."""


class Line:
    """A line is with one processor that may write it (owner), or with any number that may read it (sharers).

    A request is half its way until it has reached those who have the line: until then they go on with it. So a processor that needs a line often
    uses it several times before another gets it. Who wants to write a line that is on its way already waits its turn: it goes from one writer
    to the next, and leaves each after one access. Readers of such a line wait until it is there; among themselves they do not wait, since a line
    that only readers have comes from a cache that all share. A line that nobody has touched is the first toucher's, at no cost."""

    __slots__ = ("owner", "sharers", "free_at", "writer", "readers", "leaves_at", "transfers")

    def __init__(self, owner=None):
        self.owner = owner
        self.sharers = None
        self.free_at = 0.0      # when it is where it is going
        self.writer = self.readers = None   # who has had it before, and has it until then:
        self.leaves_at = -1.0
        self.transfers = 0

    def is_near(self, processor, now):
        """Whether a load by `processor` finds the line in its own cache."""
        if self.owner == processor:
            return True
        if self.owner is None and (self.sharers is None or processor in self.sharers):
            return True
        return now < self.leaves_at and (self.writer == processor or self.readers is not None and processor in self.readers)

    def load(self, processor, now, costs):
        """When a load that begins now is over."""
        if self.is_near(processor, now):
            if self.owner is None and self.sharers is None:
                self.owner = processor
            return now + costs.load
        if self.owner is None:
            self.sharers.add(processor)
            self.transfers += 1
            return max(now, self.free_at) + costs.transfer
        writer = self.owner
        self.sharers, self.owner = {writer, processor}, None
        return self._travels(now, costs.transfer, writer, None)

    def store(self, processor, now, costs):
        """When the line is the processor's to write. The processor itself does not wait for it (its store buffer does)."""
        if self.owner == processor:
            return max(now, self.free_at)
        if self.writer == processor and now < self.leaves_at:
            return now
        writer, readers = self.owner, self.sharers
        self.owner, self.sharers = processor, None
        if writer is None and (readers is None or readers == {processor}):
            return max(now, self.free_at)
        only_drops = writer is None and processor in readers
        return self._travels(now, costs.drop if only_drops else costs.transfer, writer, readers)

    def swap(self, processor, now, costs):
        """When an atomic read, change and write that begins now is over."""
        end = self.store(processor, now, costs) + costs.swap
        if self.owner == processor:
            self.free_at = end
        return end

    def _travels(self, now, length, writer, readers):
        self.transfers += 1
        start = max(now, self.free_at)
        self.writer, self.readers = writer, readers
        self.leaves_at = start + length / 2 if start == now else start
        self.free_at = start + length
        return self.free_at
