"""Scripts/site_checks.py: what a page of the documentation site must have. Scripts/docs writes the site."""
import json
import pathlib
import re

import own_names
import site_symbols

# Kinds of symbols whose pages show an example.
SHOWING = {"class", "struct", "enum", "protocol"}


def complaints(archive):
    """What is wrong with the pages, a line each."""
    found = []
    places = {f"/documentation/{path.relative_to(archive / 'data' / 'documentation').with_suffix('').as_posix()}".lower()
              for path in (archive / "data" / "documentation").rglob("*.json")}
    for name, page in site_symbols.pages(archive):
        kind = page["metadata"].get("symbolKind")
        for section in page.get("topicSections", []):
            if section.get("generated"):
                words = ", ".join(identifier.rsplit("/", 1)[1] for identifier in section["identifiers"])
                found.append(f"{name}: no topic has: {words}")
        # The compiler's own initializer of a raw value has none.
        if page.get("kind") == "symbol" and not page.get("abstract") and kind != "extension" and not name.endswith("/init(rawValue:)"):
            found.append(f"{name}: has no comment")
        if kind in SHOWING and '"codeListing"' not in json.dumps(page.get("primaryContentSections", [])):
            found.append(f"{name}: shows no example")
        for reference in page.get("references", {}).values():
            url = reference.get("url", "")
            if url.startswith("/documentation/") and url.partition("#")[0].lower() not in places:
                found.append(f"{name}: a link leads nowhere: {url}")
    # The pages that `signalbox lab` leads to.
    registry = pathlib.Path(__file__).resolve().parent.parent / "Benchmarks" / "Lab" / "Registry.swift"
    for page in sorted(set(re.findall(r'page: "([^"]+)"', registry.read_text()))):
        if f"/documentation/{page}" not in places:
            found.append(f"Benchmarks/Lab/Registry.swift: a link leads nowhere: {page}")
    return found + own_names.complaints(archive)
