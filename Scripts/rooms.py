#!/usr/bin/env python3
"""Scripts/rooms.py [--write | --self-test]: the folders inside a module are its rooms: which room uses what another declares. For
Scripts/check-edges, which calls it. Documentation/ROOMS.md is this script's: it must be what `--write` makes of the code and of
`Scripts/check-edges --table`.

A room uses another if its code mentions a type, function or variable that only the other declares at its top level. Files outside folders
are the room "(top)". Members are not read: an extension counts for the type that it extends.

The rooms of a module are layers: from none of them a way leads over others back to itself."""
import collections
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.dont_write_bytecode = True
import swift_text

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "Documentation" / "ROOMS.md"
TOKEN = re.compile(r"`?[A-Za-z_]\w*`?|[{}().]|\"")
DECLARES = {"class", "struct", "enum", "protocol", "actor", "typealias", "func", "let", "var"}
IMPORT = re.compile(r"\s*(?:@\w+\s+)*(?:(?:public|package|internal|private|fileprivate)\s+)?import\b")
# The page. No line of its prose begins as a line of a block does.
TEXT = """# Modules and rooms

Written by `Scripts/check-edges --write-rooms`; checked by `Scripts/check-edges`. What the names mean: [Architecture](../ARCHITECTURE.md).

## Modules

What each module may import, bottom up:

```text
{modules}
```

## Rooms

Which rooms of its module a room mentions; `(top)` is the files beside the rooms:

```text
{rooms}
```
"""


class File:
    """What one file declares and mentions."""

    def __init__(self, path, module, room):
        self.path, self.room = path, room
        self.declared = set()   # at the top level, for others to see
        self.nested = set()     # inside something
        self.mentioned = {}     # name: line of its first mention
        code = swift_text.without_strings("\n".join(swift_text.split(path.read_text())[0])).split("\n")
        depth, word, before, hidden = 0, "", "", False
        for number, line in enumerate(code, 1):
            if line.lstrip().startswith("#") or IMPORT.match(line):
                continue
            for match in TOKEN.finditer(line):
                token = match.group().strip("`")
                if token in "{(":
                    depth += 1
                elif token in "})":
                    depth = max(0, depth - 1)
                    hidden = False if depth == 0 else hidden
                elif token in ("private", "fileprivate"):
                    hidden = hidden or depth == 0
                elif word in DECLARES and token not in DECLARES:
                    if depth > 0 or hidden:
                        self.nested.add(token)
                    else:
                        self.declared.add(token)
                    hidden = False
                elif token not in ".\"" and (before != "." or qualifier == module):
                    self.mentioned.setdefault(token, number)
                if token != ".":
                    qualifier = token
                before = token
                word = token if token in DECLARES else ""


def modules():
    """Each module that has rooms, with its files."""
    for folder in sorted((ROOT / "Sources").iterdir()):
        paths = sorted(folder.rglob("*.swift"))
        rooms = {path.relative_to(folder).parts[0] if path.parent != folder else "(top)" for path in paths}
        if len(rooms) > 1:
            yield folder.name, [
                File(path, folder.name, path.relative_to(folder).parts[0] if path.parent != folder else "(top)") for path in paths]


def arrows(files):
    """{(room, other): (file, line, name, file that declares it)}, the first mention found of each."""
    homes, inner = collections.defaultdict(set), collections.defaultdict(set)
    where = {}
    for file in files:
        for name in file.declared:
            homes[name].add(file.room)
            where.setdefault(name, file)
        for name in file.nested:
            inner[name].add(file.room)
    found = {}
    for file in files:
        for name, line in sorted(file.mentioned.items(), key=lambda mention: mention[1]):
            if len(homes[name]) != 1 or file.room in homes[name]:
                continue
            # A member of that name is as likely meant: of a type, in its own room; of a function or variable, anywhere.
            if file.room in inner[name] or name[0].islower() and inner[name]:
                continue
            found.setdefault((file.room, next(iter(homes[name]))), (file.path, line, name, where[name].path))
    return found


def way(found, start, end):
    """The rooms on a shortest way from `start` to `end`, over one arrow at least; None if there is no way."""
    before, waiting = {}, collections.deque([start])
    while waiting:
        here = waiting.popleft()
        for there in sorted(other for room, other in found if room == here):
            if there not in before:
                before[there] = here
                waiting.append(there)
    if end not in before:
        return None
    rooms = [end]
    while len(rooms) == 1 or rooms[0] != start:
        rooms.insert(0, before[rooms[0]])
    return rooms


def cycles(found):
    """Of each knot of rooms a shortest cycle: the rooms in their order, the first of them at the end again."""
    ways = {room: way(found, room, room) for room in sorted({room for room, _ in found})}
    shortest, seen = [], set()
    for room, cycle in sorted(ways.items(), key=lambda one: (len(one[1] or ()), one[0])):
        if cycle is None or room in seen:
            continue
        shortest.append(cycle)
        seen |= {other for other in ways if other == room or way(found, room, other) and way(found, other, room)}
    return shortest


def told(module, cycle, found):
    """What a cycle is made of: a mention for each of its arrows."""
    steps = []
    for room, other in zip(cycle, cycle[1:]):
        path, line, name, home = found[room, other]
        steps.append(f"  {path.relative_to(ROOT)}:{line}: {room} uses {other}: it mentions {name}, which {home.relative_to(ROOT)} declares")
    return "\n".join([
        f"{module}: a cycle of rooms: {' -> '.join(cycle)}. Fix: take one of these arrows away: move a file, leave a type's core in the lower"
        " room and the rest in an extension above, or hand in what the lower room needs."] + steps)


def section(module, rooms, found):
    """The page's lines on a module: one for each of its rooms."""
    uses = {room: sorted(other for here, other in found if here == room) for room in rooms}
    return [module] + [f"  {room}: {' '.join(uses[room])}" if uses[room] else f"  {room}" for room in sorted(rooms)]


def listed(text):
    """The arrows of each module that the page has."""
    arrows, module = {}, None
    for line in text.partition("\n## Rooms\n")[2].split("\n"):
        if line.startswith("  ") and module:
            room, _, uses = line.strip().partition(":")
            arrows[module] |= {(room, other) for other in uses.split()}
        else:
            module = line if re.fullmatch(r"\w+", line) else None
            arrows.setdefault(module, set())
    return arrows


def module_lines():
    done = subprocess.run([ROOT / "Scripts" / "check-edges", "--table"], check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout.rstrip("\n")


def main(write):
    text = PAGE.read_text() if PAGE.exists() else ""
    page, before = PAGE.relative_to(ROOT), listed(text)
    faults, count, lines = 0, 0, []
    for module, files in modules():
        found, rooms = arrows(files), {file.room for file in files}
        count += len(found)
        lines += section(module, rooms, found)
        old = before.get(module, set())
        for room, other in sorted(set(found) - old):
            path, line, name, home = found[room, other]
            at = f"{path.relative_to(ROOT)}:{line}"
            if write:
                print(f"added: {module}: {room} -> {other} ({at} mentions {name})")
            else:
                faults += 1
                print(f"{at}: {module}/{room} may not use {other}: it mentions {name}, which {home.relative_to(ROOT)} declares. Fix: move one"
                      f" of the two, or hand in what is needed; the rooms are listed in {page}, and arrows are only struck there.")
        for cycle in cycles(found):
            faults += 1
            print(told(module, cycle, found))
        for room, other in sorted(old - set(found)):
            if write:
                print(f"struck: {module}: {room} -> {other}")
            else:
                faults += 1
                print(f"{page}: {module}/{room} uses {other} no longer. Fix: strike it: Scripts/check-edges --write-rooms.")
    made = TEXT.format(modules=module_lines(), rooms="\n".join(lines))
    if write:
        PAGE.write_text(made)
    elif text != made and not faults:
        faults += 1
        print(f"{page}: it is not what Scripts/check-edges --write-rooms makes of the code and of that script's list. Fix: call it.")
    print(f"check-edges: {count} arrows between rooms" + (f", {faults} fault(s)" if faults else ""))
    return 1 if faults else 0


class PageTests(unittest.TestCase):
    """What is written is what is read."""

    def test_sections_are_read_back(self):
        found = {("Pool", "Lists"): None, ("Queues", "Pool"): None, ("Queues", "Lists"): None}
        lines = section("House", {"(top)", "Lists", "Pool", "Queues"}, found)
        self.assertEqual(lines, ["House", "  (top)", "  Lists", "  Pool: Lists", "  Queues: Lists Pool"])
        self.assertEqual(listed(TEXT.format(modules="House: Glibc", rooms="\n".join(lines)))["House"], set(found))
        self.assertEqual(listed(""), {None: set()})


class TextTests(unittest.TestCase):
    """Strings, and what is interpolated into them."""

    def test_strings_are_empty(self):
        for code, left in [
            (r'a("b (c")', 'a("")'), (r'a("\(b) (no \(-c)): d")', 'a("b -c ")'), (r'a("\(b.map { "\"\($0)\"" } ?? "") c")', 'a("b.map { "$0 " } ?? "" ")'),
            ('a(#"\\(b) \\#(c)"#)', 'a("c ")'), ('a("""\n  b {\n  \\(c(1))\n  """)', 'a("\n\nc(1) \n")'),
        ]:
            self.assertEqual(swift_text.without_strings(code), left)

    def test_what_follows_a_string_is_as_deep_as_before(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "Parking.swift"
            path.write_text('enum Parking {\n  static func sleep() { fatalError("refused (errno \\(-1)): cannot wait") }\n  static func wake() {}\n}\n')
            self.assertEqual(File(path, "House", "Rooms").declared, {"Parking"})


class CycleTests(unittest.TestCase):
    """What is found in modules that are made up here."""

    def found(self, **texts):
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for room, text in texts.items():
                path = pathlib.Path(folder) / f"{room}.swift"
                path.write_text(text)
                files.append(File(path, "House", room))
            return arrows(files)

    def test_layers(self):
        found = self.found(Lists="struct List {}", Pool="final class Pool { let list = List() }", Queues="class Queue { let pool: Pool; let list: List }")
        self.assertEqual(set(found), {("Pool", "Lists"), ("Queues", "Pool"), ("Queues", "Lists")})
        self.assertEqual(cycles(found), [])

    def test_two_rooms(self):
        found = self.found(Pool="final class Pool { func take(_ queue: Queue) {} }", Queues="class Queue { let pool: Pool }")
        self.assertEqual(cycles(found), [["Pool", "Queues", "Pool"]])

    def test_a_way_over_others(self):
        found = self.found(
            A="struct InA { let b: InB }", B="struct InB { let c: InC }", C="struct InC { let d: InD?; func a() -> InA? { nil } }", D="class InD {}")
        self.assertEqual(cycles(found), [["A", "B", "C", "A"]])

    def test_one_of_each_knot(self):
        found = self.found(
            A="struct InA { let b: InB }", B="struct InB { let a: InA?; let c: InC }", C="struct InC { let b: InB? }",
            X="class InX { let y: InY }", Y="class InY { let x: InX; let a: InA }")
        self.assertEqual(cycles(found), [["A", "B", "A"], ["X", "Y", "X"]])

    def test_an_extension_above_is_no_arrow_down(self):
        found = self.found(Pool="final class Pool {}", Queues="class Queue {}\nextension Pool { func submit(_ queue: Queue) {} }")
        self.assertEqual(cycles(found), [])
        self.assertEqual(set(found), {("Queues", "Pool")})


if __name__ == "__main__":
    if "--self-test" in sys.argv[1:]:
        unittest.main(argv=sys.argv[:1])
    sys.exit(main("--write" in sys.argv[1:]))
