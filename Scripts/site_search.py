"""Scripts/site_search.py: the search of the documentation site: what it finds, and the parts that the browser loads. Scripts/docs writes the
site.

A page is searched by its sections: a text each, with the heading above it. The browser reads them all, once a reader asks for the search,
in a thread of its own (site/index.js), and lists what it finds (site/search.js). The index is lunr's: https://lunrjs.com"""
import json
import pathlib
import re
import shutil
import sys

import site_symbols

PARTS = pathlib.Path(__file__).resolve().parent / "site"
# Where Debian's package has the library.
LUNR = pathlib.Path("/usr/share/javascript/lunr/lunr.min.js")


def stop(message):
    sys.exit(f"docs: {message}")


def library(path):
    """The search library that goes onto the site; None: none was named, and Debian's is not installed."""
    if path is None and not LUNR.exists():
        return None
    path = path or LUNR
    if not path.is_file() or "lunr" not in path.read_text(errors="replace")[:2_000]:
        stop(f"--lunr '{path}' is not lunr: it takes the file lunr.js or lunr.min.js of https://lunrjs.com")
    return path


def inline(parts, references):
    """The words of a paragraph."""
    said = []
    for part in parts:
        kind = part["type"]
        if kind == "text":
            said.append(part["text"])
        elif kind == "codeVoice":
            said.append(part["code"])
        elif kind == "reference":
            said.append(part.get("overridingTitle") or references.get(part["identifier"], {}).get("title", ""))
        elif "inlineContent" in part:
            said.append(inline(part["inlineContent"], references))
    return "".join(said)


def words(blocks, references):
    """The words of blocks that stand below one another, headings left out."""
    said = []
    for block in blocks:
        kind = block["type"]
        if kind == "paragraph":
            said.append(inline(block["inlineContent"], references))
        elif kind == "codeListing":
            said.append("\n".join(block["code"]))
        elif kind in ("unorderedList", "orderedList"):
            said += [words(item["content"], references) for item in block["items"]]
        elif kind == "termList":
            for item in block["items"]:
                said += [inline(item["term"]["inlineContent"], references), words(item["definition"]["content"], references)]
        elif kind == "table":
            said += [" · ".join(words(cell, references) for cell in row) for row in block["rows"]]
        elif kind == "aside":
            said.append(words(block["content"], references))
        elif kind == "row":
            said += [words(column["content"], references) for column in block["columns"]]
        elif kind == "tabNavigator":
            said += [words(tab["content"], references) for tab in block["tabs"]]
    return "\n".join(text for text in said if text)


def sections(page):
    """A page's sections: the name of the heading in the address, the heading, and the text below it. The first has neither."""
    references = page.get("references", {})
    found = [["", "", [inline(page.get("abstract", []), references)]]]
    for part in page.get("primaryContentSections", []):
        kind = part["kind"]
        if kind == "declarations":
            found[0][2] += ["".join(token["text"] for token in one["tokens"]) for one in part["declarations"]]
        elif kind == "parameters":
            found[0][2] += [f"{one['name']}: {words(one['content'], references)}" for one in part["parameters"]]
        elif kind == "content":
            for block in part["content"]:
                if block["type"] == "heading":
                    # What DocC calls the whole text above a page's own headings.
                    named = block["text"] not in ("Overview", "Discussion", "Return Value")
                    found.append([block["anchor"], block["text"], []] if named else ["", "", []])
                else:
                    found[-1][2].append(words([block], references))
    return [(anchor, heading, "\n".join(filter(None, text))) for anchor, heading, text in found]


def title(page):
    """A page's title; that of a member with its type."""
    name = page["metadata"]["title"].strip()
    if page["kind"] != "symbol":
        return name
    # The module is the first above it. A type within another one is called by both names.
    above = page["hierarchy"]["paths"][0][1:]
    outer = page["references"][above[-1]]["title"] + "." if above else ""
    return name if name.startswith(outer) else outer + name


def kind(page):
    """What a reader sees of a page's kind: "Instance Method", "Article"."""
    return page["metadata"].get("roleHeading", "")


def texts(site):
    """Every section of the site, as the browser's thread reads it: [path, title, kind, heading, text]."""
    found = []
    for name, page in site_symbols.pages(site):
        path = page["variants"][0]["paths"][0]
        joined = {}
        for anchor, heading, text in sections(page):
            before = joined.setdefault(anchor, (heading, []))
            before[1].append(text)
        for anchor, (heading, said) in joined.items():
            text = re.sub(r"[ \t]+", " ", "\n".join(filter(None, said)))
            found.append([path + (f"#{anchor}" if anchor else ""), title(page), kind(page), heading, text])
    return found


def write(site, lunr):
    """Adds the search to the site: its parts, its texts, and a line in every page that loads it."""
    folder = site / "search"
    folder.mkdir()
    for path in PARTS.iterdir():
        shutil.copy(path, folder / path.name)
    shutil.copy(lunr, folder / "lunr.js")
    all_texts = texts(site)
    (folder / "texts.json").write_text(json.dumps(all_texts, ensure_ascii=False, separators=(",", ":")))
    for path in site.rglob("index.html"):
        page = path.read_text()
        base = re.search(r'var baseUrl = "([^"]*)"', page)
        if base:
            added = f'<link href="{base[1]}search/site.css" rel="stylesheet"><script defer="defer" src="{base[1]}search/search.js"></script></head>'
            path.write_text(page.replace("</head>", added, 1))
    return len(all_texts)
