"""Scripts/messages.py: what Signalbox says to a program's developers on standard error, and the data of Documentation/Messages: the cause and
the cure of each message. Scripts/check-messages compares the two; Scripts/docs makes a page of them.

A message is a string that a call of Misuse or CFaceSupport gets; what is interpolated is written "…". The sources are read, not run."""
import dataclasses
import json
import pathlib
import re
import sys

import swift_text

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "Documentation" / "Messages"
CALL = re.compile(r"\b(?:(?:Misuse|CFaceSupport)\.(stop|report|stopHere)|(stopHere))\(")
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}


@dataclasses.dataclass(frozen=True)
class Said:
    """A message in the sources. `place`: its file below Sources, and the line; `texts`: its strings, as they follow one another."""
    place: str
    stops: bool
    texts: tuple

    @property
    def file(self):
        return self.place.rpartition(":")[0]


def string(code, at, end):
    """The string that begins at `at`, behind its opening quotes, and where it is over."""
    said = []
    while not code.startswith(end, at):
        if code.startswith("\\(", at):
            at, depth = at + 2, 1
            while depth:
                if code[at] == '"':
                    _, at = string(code, at + 1, '"')
                    continue
                depth += (code[at] == "(") - (code[at] == ")")
                at += 1
            said.append("…")
        elif code[at] == "\\":
            said.append("" if code[at + 1] == "\n" else ESCAPES.get(code[at + 1], code[at + 1]))
            at += 2
        else:
            said.append(code[at])
            at += 1
    return "".join(said), at + len(end)


def strings(code, at):
    """The strings between the parenthesis that is open at `at` and the one that closes it. Those on both sides of a plus are one."""
    found, depth, end = [], 1, None
    while depth:
        quotes = '"""' if code.startswith('"""', at) else '"' if code[at] == '"' else None
        if quotes:
            between = code[end:at] if end is not None else ""
            text, at = string(code, at + len(quotes), quotes)
            if end is not None and re.fullmatch(r"\s*\+\s*", between):
                found[-1] += text
            else:
                found.append(text)
            end = at
            continue
        depth += (code[at] == "(") - (code[at] == ")")
        at += 1
    return tuple(re.sub(r"\s+", " ", text).strip() for text in found)


def said():
    """Every message in the sources."""
    found = []
    for path in sorted(ROOT.glob("Sources/*/**/*.swift")):
        code = "\n".join(swift_text.split(path.read_text())[0])
        for call in CALL.finditer(code):
            line = code.rfind("\n", 0, call.start()) + 1
            if "func " not in code[line:call.start()]:
                place = f"{path.relative_to(ROOT / 'Sources')}:{code.count(chr(10), 0, call.start()) + 1}"
                found.append(Said(place, (call[1] or call[2]) != "report", strings(code, call.end())))
    return found


def subjects():
    """The data: of each file the title and its entries. An entry says the strings of a message ("says", one or several), or names the file of
    one that is made up elsewhere ("in"); "shown" is what the page shows, where that is not what the sources say; "cause" and "fix"."""
    found = []
    for path in sorted(FOLDER.glob("*.json")):
        try:
            found.append((path, json.loads(path.read_text())))
        except json.JSONDecodeError as error:
            sys.exit(f"messages: {path.relative_to(ROOT)}: {error}")
    return sorted(found, key=lambda one: one[1]["order"])


def texts(entry, key="says"):
    value = entry.get(key, [])
    return tuple([value] if isinstance(value, str) else value)


def markdown():
    """The page's part that lists the messages."""
    stops = {key: one.stops for one in said() for key in (one.texts, one.file)}
    lines = []
    for _, subject in subjects():
        lines += [f"## {subject['title']}", "", "| Message | Cause | Fix |", "|---|---|---|"]
        for entry in subject["messages"]:
            shown = " or ".join(f"`{text}`" for text in texts(entry, "shown") or texts(entry))
            ends = entry.get("stops", stops.get(texts(entry) or entry.get("in"), False))
            lines.append(f"| {shown}{' (stops the program)' if ends else ''} | {entry['cause']} | {entry['fix']} |")
        lines.append("")
    return "\n".join(lines)
