#!/usr/bin/env python3
"""Scripts/rooms.py: the folders inside a module are its rooms: which room uses what another declares. For Scripts/check-edges, which calls it.

A room uses another if its code mentions a type, function or variable that only the other declares at its top level. Files outside folders
are the room "(top)". Members are not read: an extension counts for the type that it extends."""
import collections
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.dont_write_bytecode = True
import swift_text

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "ARCHITECTURE.md"
TOKEN = re.compile(r"`?[A-Za-z_]\w*`?|[{}().]|\"")
DECLARES = {"class", "struct", "enum", "protocol", "actor", "typealias", "func", "let", "var"}
IMPORT = re.compile(r"\s*(?:@\w+\s+)*(?:(?:public|package|internal|private|fileprivate)\s+)?import\b")
HEADER = "| Room of {} | Uses |"
RULE = "|---|---|"


class File:
    """What one file declares and mentions."""

    def __init__(self, path, module, room):
        self.path, self.room = path, room
        self.declared = set()   # at the top level, for others to see
        self.nested = set()     # inside something
        self.mentioned = {}     # name: line of its first mention
        code, _ = swift_text.split(path.read_text())
        depth, word, before, hidden = 0, "", "", False
        for number, line in enumerate(code, 1):
            if line.lstrip().startswith("#") or IMPORT.match(line):
                continue
            for match in TOKEN.finditer(swift_text.without_strings(line)):
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


def table(module, rooms, found):
    lines = [HEADER.format(module), RULE]
    for room in sorted(rooms):
        lines.append(f"| {room} | {', '.join(sorted(other for here, other in found if here == room)) or '-'} |")
    return lines


def listed(lines, module):
    """Where the module's table stands in the page, and the arrows in it; None if it has none."""
    if HEADER.format(module) not in lines:
        return None
    start = lines.index(HEADER.format(module))
    end = start + 2
    pairs = set()
    while end < len(lines) and lines[end].startswith("|"):
        room, uses = (cell.strip() for cell in lines[end].strip("|").split("|"))
        pairs |= {(room, other.strip()) for other in uses.split(",") if other.strip() not in ("-", "")}
        end += 1
    return start, end, pairs


def main(write):
    lines = PAGE.read_text().split("\n")
    faults, count = 0, 0
    for module, files in modules():
        found, rooms = arrows(files), {file.room for file in files}
        count += len(found)
        there = listed(lines, module)
        old = there[2] if there else set()
        new, gone = sorted(set(found) - old), sorted(old - set(found))
        for room, other in new:
            path, line, name, home = found[room, other]
            at = f"{path.relative_to(ROOT)}:{line}"
            if write:
                print(f"added: {module}: {room} -> {other} ({at} mentions {name})")
            else:
                faults += 1
                print(f"{at}: {module}/{room} may not use {other}: it mentions {name}, which {home.relative_to(ROOT)} declares. Mend: move one"
                      f" of the two, or hand in what is needed; the rooms are listed in {PAGE.name}, and arrows are only struck there.")
        for room, other in gone:
            if write:
                print(f"struck: {module}: {room} -> {other}")
            else:
                faults += 1
                print(f"{PAGE.name}: {module}/{room} uses {other} no longer. Mend: strike it: Scripts/check-edges --write-rooms.")
        if there is None and not write:
            faults += 1
            print(f"{PAGE.name}: it has no table of the rooms of {module}. Mend: Scripts/check-edges --write-rooms.")
        if write:
            made = table(module, rooms, found)
            if there:
                lines[there[0]:there[1]] = made
            else:
                mark = lines.index("<!-- rooms end -->")
                lines[mark:mark] = made + [""]
    if write:
        PAGE.write_text("\n".join(lines))
    print(f"check-edges: {count} arrows between rooms" + (f", {faults} fault(s)" if faults else ""))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main("--write" in sys.argv[1:]))
