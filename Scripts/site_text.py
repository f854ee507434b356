"""Scripts/site_text.py: the articles of the documentation site, each from one source: the catalogues (Sources/MODULE/MODULE.docc), documents
of this clone, and the data of Documentation/Differences, shared out among one page a module, of Documentation/Messages, on the page
Troubleshooting, and of Documentation/OwnNames.json. Scripts/docs writes the site.

In the sources links are paths, as everywhere in this clone. On the site they lead to the page of that file; where the file has none, the
path stands in the text. Examples are marked as Scripts/check-snippets reads them; the site shows the language alone."""
import os
import pathlib
import re
import shutil
import sys

import differences
import messages
import own_names

# Documents that are pages of the site, and the names of these pages.
DOCUMENTS = {"REFERENCE.md": "Reference", "BENCHMARKS.md": "Benchmarks", "Documentation/GLOSSARY.md": "Glossary",
             "CHANGELOG.md": "News"}
FENCE = re.compile(r"^( *)```(.*)$")
LINK = re.compile(r"(!?)\[((?:[^\[\]`]|`[^`]*`)*)\]\(([^()\s]+)\)")
HEADING = re.compile(r"^(#+) (.*)$")


def stop(message):
    sys.exit(f"docs: {message}")


def page_name(section):
    return "DifferencesIn" + section


def lines_of(text):
    """Each line, and whether it is code."""
    inside = False
    for line in text.split("\n"):
        fence = FENCE.match(line)
        yield line, inside or fence is not None, fence if not inside else None
        inside ^= fence is not None


def slug(heading):
    """The name of a heading in a link of this clone."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def fragment(heading):
    """The name of a heading in DocC's links."""
    return re.sub(r"\s+", "-", re.sub(r"[`*]", "", heading).strip())


def headings(text):
    return {slug(found[2]): fragment(found[2]) for line, code, _ in lines_of(text) if not code and (found := HEADING.match(line))}


def grouped(text, members):
    """The page of a symbol, whose topics name each function once, with all overloads in its place: the numbers by which DocC tells
    overloads apart change with their types, and are for DocC alone. `members`: what each symbol has, in DocC's words."""
    title = re.match(r"# ``([^`]+)``", text)
    if not title or "\n## Topics\n" not in text:
        return text
    names = members.get(title[1], [])

    def item(found):
        said = found[1]
        fit = [name for name in names if name == said or re.fullmatch(re.escape(said) + r"-(?:[0-9a-z]{1,6}|swift\.[a-z.]+)", name)]
        return "\n".join(f"- ``{name}``" for name in fit or [said])

    before, topics = text.split("\n## Topics\n", 1)
    return before + "\n## Topics\n" + re.sub(r"^- ``([^`]+)``$", item, topics, flags=re.MULTILINE)


class Pages:
    """All pages of the site: where their text comes from, and how a link from one to another is written."""

    def __init__(self, root, catalogue):
        self.root, self.catalogue = root, catalogue
        self.of = {}
        for path in sorted(root.glob("Sources/*/*.docc/**/*.md")):
            # The page of a symbol is found by its title: modules may have symbols of the same name.
            name = path.stem if path.parent.suffix == ".docc" else f"{path.parent.parent.stem}.{path.stem}"
            if name in self.of.values():
                stop(f"two pages have the name {name}")
            self.of[path.relative_to(root).as_posix()] = name
        self.of.update(DOCUMENTS)
        self.of[differences.INDEX] = "Differences"
        self.of[own_names.FILE.relative_to(root).as_posix()] = "OwnNames"
        # The section of each subject, by its file and by its name behind the index.
        self.sections = {}
        for subject in differences.subjects():
            section = f"{page_name(subject.page)}#{fragment(subject.title)}"
            self.sections[subject.path] = self.sections[f"{differences.INDEX}#{subject.anchor}"] = section

    def link(self, found, source):
        picture, text, target = found.groups()
        if re.match(r"[a-z]+:", target):
            return found[0]
        path, _, anchor = target.partition("#")
        place = os.path.normpath(os.path.join(os.path.dirname(source), path)) if path else source
        if not (self.root / place).exists():
            stop(f"{source}: the link to '{target}' leads nowhere")
        if picture:
            shutil.copy(self.root / place, self.catalogue / pathlib.Path(place).name)
            return f"![{text}]({pathlib.Path(place).name})"
        section = self.sections.get(f"{place}#{anchor}" if anchor else place)
        if section:
            return f"[{text}](doc:{section})"
        page = self.of.get(place)
        if page is None:
            return f"{text} (`{place}`)" if text.strip("`") not in (place, pathlib.Path(place).name) else f"`{place}`"
        if not anchor:
            return f"[{text}](doc:{page})"
        there = headings((self.root / place).read_text())
        if anchor not in there:
            stop(f"{source}: there is no heading '{anchor}' in {place}")
        return f"[{text}](doc:{page}#{there[anchor]})"

    def rewritten(self, text, source):
        """The text as DocC is to read it. A paragraph is one text, in which a link may go over the end of a line."""
        parts, prose = [], []

        def flush():
            # A link may be broken over two lines; what it says is one line for DocC too.
            parts.append(LINK.sub(lambda found: self.link(found, source), "\n".join(prose))) if prose else None
            prose.clear()

        for line, code, fence in lines_of(text):
            if not code:
                prose.append(line)
                continue
            flush()
            words = fence[2].split() if fence else []
            parts.append(f"{fence[1]}```{words[0]}" if words else line)
        flush()
        return "\n".join(parts)

    def put(self, name, text):
        (self.catalogue / f"{name}.md").write_text(text)


def share_out(pages):
    """The subjects of differences, one page a module, and their index."""
    subjects, topics = differences.subjects(), []
    for page in differences.pages()["pages"]:
        parts = [f"## {subject.title}\n\n{differences.markdown(subject)}" for subject in subjects if subject.page == page["name"]]
        if not parts:
            stop(f"{differences.FOLDER}: the page {page['name']} has no subject")
        text = "\n\n".join([f"# {page['title']}", page["abstract"], *parts])
        # Links in cells are paths from the root, as in the index.
        pages.put(page_name(page["name"]), pages.rewritten(text + "\n", differences.INDEX))
        topics.append(f"- <doc:{page_name(page['name'])}>")
    index = (pages.root / differences.INDEX).read_text().rstrip()
    pages.put("Differences", pages.rewritten(index + "\n\n## Topics\n\n### Pages\n\n" + "\n".join(topics) + "\n", differences.INDEX))


def write(root, catalogue, members):
    """Writes the catalogue that DocC reads. `members`: see `grouped`."""
    catalogue.mkdir()
    pages = Pages(root, catalogue)
    share_out(pages)
    for source, name in pages.of.items():
        if source != differences.INDEX:
            text = own_names.markdown() if name == "OwnNames" else pages.rewritten((root / source).read_text(), source)
            if name == "Troubleshooting":
                text += "\n" + pages.rewritten(messages.markdown(), messages.FOLDER.relative_to(root).as_posix() + "/reports.json")
            pages.put(name, grouped(text, members))


def entrance(base_path):
    """The page without a path: it leads on to the first page."""
    place = f"{base_path}/documentation/signalbox/"
    return f'<!doctype html><meta charset="utf-8"><title>Signalbox</title><meta http-equiv="refresh" content="0; url={place}">' \
        f'<a href="{place}">Signalbox</a>\n'
