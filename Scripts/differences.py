"""Scripts/differences.py: the data of Documentation/Differences, and its tables as Markdown and as text. Scripts/check-differences checks
the data, Scripts/site_text.py makes pages of it.

pages.json holds the pages of the site, and the subjects in their order; each other file is a subject:

  title, anchor     the heading, and the name behind `DIFFERENCES.md#`
  page              the page of the site
  holds             what the rows are about, for the index
  introduction      what a reader of the table needs to know
  articles          titles with contents; of the subject "articles" alone
  columns           keys of the rows with their headings, in order: first `matter`, last `tests`
  defaults          what a cell says whose key is left out
  rows

A row's `tests` are its evidence:

  Suite NAME...       a suite of tests, by its type or file: whole, or its functions NAME; Folder/Suite where several folders have one
  ProgramX WORD       a program of Tests/Programs, and a word in its sources
  scenario NAME...    of `signalbox lab`
  deed NAME...        of the C program CMisuseProbe, which SignalboxABITests/MisuseTests runs
  Folder/file WORD... a file of this checkout, and words in the tests' sources
  measured: HOW       no test: by a program that ran on both libraries
  documents           no test: the header or Apple's documents settle it"""
import json
import pathlib
import re
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = pathlib.Path("Documentation/Differences")
INDEX = "DIFFERENCES.md"


class Subject:
    """One file: its name, what it holds, and its text as it is written."""

    def __init__(self, name):
        self.name, self.path = name, (FOLDER / f"{name}.json").as_posix()
        self.text = (ROOT / self.path).read_text()
        self.data = json.loads(self.text)

    def __getattr__(self, key):
        try:
            return self.__dict__["data"][key]
        except KeyError:
            raise AttributeError(key) from None

    def cells(self, row):
        """The cells of a row, in the order of the columns."""
        defaults = self.data.get("defaults", {})
        return [evidence(row["tests"]) if key == "tests" else row.get(key, defaults.get(key, "")) for key in self.columns]

    def line(self):
        """The subject in the index."""
        return f"- [{self.title}]({self.path}): {self.holds}"


def pages():
    return json.loads((ROOT / FOLDER / "pages.json").read_text())


def subjects():
    """All subjects, in their order."""
    return [Subject(name) for name in pages()["subjects"]]


def canonical(data):
    """The text of a file: one key in a line, so that a change shows what it changes."""
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def evidence(tests):
    """The evidence as one text, with names as code."""
    def said(test):
        head, *names = test.split()
        return test if head.startswith("measured") else " ".join([head, ", ".join(f"`{name}`" for name in names)]).strip()

    return "; ".join(map(said, tests))


def markdown(subject):
    """The section of a subject, without its heading."""
    def line(cells):
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    said = [subject.introduction]
    if "articles" in subject.data:
        said.append("\n".join(f"- **{title}**: {content}." for title, content in subject.articles.items()))
    said.append("\n".join([line(subject.columns.values()), "|" + "---|" * len(subject.columns), *(line(subject.cells(row)) for row in subject.rows)]))
    return "\n\n".join(said)


def plain(text):
    """A cell without the marks of Markdown."""
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text).replace("`", "")


def table(subject, width):
    """The subject as a table of text, as wide as the terminal."""
    lines = [[plain(cell) for cell in cells] for cells in [list(subject.columns.values()), *map(subject.cells, subject.rows)]]
    count = len(subject.columns)
    room = max(12, (width - 3 * (count - 1)) // count)
    wide = [min(room, max(len(cells[number]) for cells in lines)) for number in range(count)]
    rule = "-+-".join("-" * one for one in wide)
    said = textwrap.wrap(plain(subject.introduction), width)
    said += [part for title, content in subject.data.get("articles", {}).items() for part in textwrap.wrap(f"{title}: {content}.", width)]
    for cells in lines:
        parts = [textwrap.wrap(cell, one) or [""] for cell, one in zip(cells, wide)]
        said.append(rule)
        for number in range(max(map(len, parts))):
            texts = (part[number] if number < len(part) else "" for part in parts)
            said.append(" | ".join(text.ljust(one) for text, one in zip(texts, wide)).rstrip())
    return "\n".join([subject.title, "", *said])
