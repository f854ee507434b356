#!/usr/bin/env python3
"""Tests/Recordings/make.py FILE EVENTS PROGRAM: writes a made-up recording: ten seconds of a busy server with about EVENTS events, the same
each time. Its form is RecordLayout.swift's. PROGRAM is a file with functions, whose names the items get. Prints what Scripts/check-view
is to find in it, as JSON."""
import json
import random
import struct
import sys

HEAD, CHUNK, CHUNK_HEAD, CELL, NAME = 4096, 262144, 64, 24, 128
CELLS = (CHUNK - CHUNK_HEAD) // CELL
SUBMITTED, STARTED, ENDED, TURN, TURN_END, WAIT, WAIT_END, PARKED, WOKEN = range(2, 11)
MARK, INTERVAL, INTERVAL_END = 15, 16, 17
QUEUE, OBJECT, IMAGE, NOTE, MORE = 1, 2, 3, 4, 255
START, SECONDS = 10**12, 10 * 10**9
MASK = (1 << 48) - 1
# What would end a script, begin a tag, an entity or a comment, turn the text around it, or be seen by nobody.
HOSTILE = "</script><script>document.title='taken'</script><!--\"'&amp;\u202egnp.exe\u0007\u2028{{script}}"


def cell(kind, time, a, b, c):
    return struct.pack("<QQQ", time - START | kind << 40 | (c >> 32) << 48, a & MASK | (c & 0xFFFF) << 48, b & MASK | (c >> 16 & 0xFFFF) << 48)


class Server:
    def __init__(self, wanted, random):
        self.random, self.threads = random, [[] for _ in range(17)]  # the main thread, 12 workers, 4 for sockets
        self.queues = [f"com.example.server.{name}" for name in (
            "accept", "parse", "route", "render", "cache", "log", "metrics", "sessions", "mail", "thumbnails", "search", "index")]
        self.queues += [f"connection.{number}" for number in range(16)] + ["com.apple.main-thread", HOSTILE]
        self.locks = ["mutex \"cache\"", "mutex \"sessions\"", "read-write lock \"routes\"", "semaphore \"connections\""]
        self.functions = [0x7F0000000000 + 0x40000 + number * 0x5000 for number in range(40)]
        self.item = 0
        # When each queue and each thread has ended what it did last.
        self.free, self.until = [START] * len(self.queues), [START] * len(self.threads)
        while sum(map(len, self.threads)) < wanted:
            self.busy(sum(map(len, self.threads)) / wanted)

    def span(self, typical):
        return max(200, int(self.random.lognormvariate(0, 0.9) * typical))

    def queue(self, number):
        return 0x550000000000 + number * 256

    def busy(self, share):
        """One worker's item, at about this share of the time."""
        place, random = self.random.randrange(len(self.queues)), self.random
        worker = 0 if self.queues[place] == "com.apple.main-thread" else random.randrange(1, 13)
        events, begin = self.threads[worker], START + 10**6 + int(share * SECONDS * 0.98)
        begin = max(begin, self.free[place], self.until[worker] + 400)
        if worker and begin - self.until[worker] > 200_000:
            events += [(PARKED, self.until[worker] + 900, 0, 0, 0), (WOKEN, begin - 700, 0, 0, 0)]
        length = self.span(150_000 if worker else 50_000)
        self.item += 1
        word, function, queue = 0x560000000000 + self.item % 4096 * 16, random.choice(self.functions), self.queue(place)
        submitter = random.randrange(13, 17) if random.random() < 0.7 else random.randrange(0, 13)
        submitted = max(START + 1000, begin - self.span(150_000))
        traits = random.choice((0, 0, 0, 1, 4, 5))
        self.threads[submitter].append((SUBMITTED, submitted, queue | traits, word, function))
        inner = [(STARTED, begin, queue, word, 0)]
        if random.random() < 0.2:
            # Which thread has it, by its owner value.
            inner += [(WAIT, begin + length // 4, 0x570000000000 + random.randrange(len(self.locks)) * 256, 2 + random.randrange(12), 0),
                      (WAIT_END, begin + length // 2, 0, 0, 0)]
        if random.random() < 0.12:
            inner += [(TURN, begin + length * 5 // 8, self.queue((place + 5) % 12), 0, 0), (TURN_END, begin + length * 7 // 8, 0, 0, 0)]
        events += inner + [(ENDED, begin + length, 0, 0, 0)]
        self.until[worker] = begin + length
        self.free[place] = begin + length + 300
        if submitter not in range(13) and random.random() < 0.02:
            self.threads[submitter].append((MARK, submitted, 0x580000000000, self.item, 0))


def main():
    file, wanted, program = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    server = Server(wanted, random.Random(7))
    pieces, lost = [], 0
    end = 0
    for number, events in enumerate(server.threads):
        # A thread's events are in order; what it submits falls into whatever it does.
        events.sort(key=lambda event: event[1])
        who = number + 1 | (number == 0) << 24 | (1 <= number <= 12) << 25 | (4000 + number) << 32
        name = ("server" if number == 0 else "" if number <= 12 else f"socket {number - 12}").encode().ljust(16, b"\0")
        first = 0
        for start in range(0, len(events), CELLS):
            part = events[start:start + CELLS]
            # One thread has lost its second piece.
            if number == 3 and start == CELLS:
                first += len(part)
                lost += len(part)
                continue
            head = struct.pack("<QQQQQ16sQ", 1, who, number + 1, first, START, name, number + 1)
            pieces.append((head + b"".join(cell(*event) for event in part)).ljust(CHUNK, b"\0"))
            first += len(part)
            end = max(end, part[-1][1])
    names = []
    def call(kind, address, extra, text):
        data = text.encode()
        rest = [data[place:place + 120] for place in range(96, len(data), 120)]
        names.append(struct.pack("<QQQQ96s", kind | len(rest) << 8 | len(data) << 16, address, START, extra, data[:96]))
        names.extend(struct.pack("<Q120s", MORE, part) for part in rest)
    for number, name in enumerate(server.queues):
        call(QUEUE, server.queue(number), 3 if name == "com.apple.main-thread" else 0, name)
    for number, name in enumerate(server.locks):
        call(OBJECT, 0x570000000000 + number * 256, 0, name)
    call(NOTE, 0x580000000000, 0, "request")
    call(IMAGE, 0x7F0000000000, 0x7F0010000000, f"{0x7F0000000000:x} {program}")
    pieces.append((struct.pack("<Q", 2).ljust(CHUNK_HEAD, b"\0") + b"".join(names)).ljust(CHUNK, b"\0"))
    head = struct.pack("<8sQQQQQQQQQQQQQ", b"SBRECORD", 1 | CHUNK << 32, 4000, START, START, 1_760_000_000 * 10**9, len(pieces), 4096, 0, 0, 2, 0,
                       end, end).ljust(HEAD, b"\0")
    with open(file, "wb") as out:
        out.write(head)
        out.writelines(pieces)
    print(json.dumps({"events": sum(map(len, server.threads)) - lost, "lost": lost, "threads": len(server.threads), "queues": len(server.queues),
                      "hostile": HOSTILE}))


if __name__ == "__main__":
    main()
