"""Scripts/own_names.py: the public names that Apple does not have, each with its reason: Documentation/OwnNames.json. Scripts/docs checks them
against the symbols of the site and makes a page of them. What is a type or can be called has an example in its own comment, too.

Apple's names are those of Tests/Parity, and all that SignalboxCNames has, which are the C header's. A member of a type of one's own needs no
reason of its own, nor does what fulfils a protocol of the standard library."""
import json
import pathlib
import re

import site_search
import site_symbols

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILE = ROOT / "Documentation" / "OwnNames.json"
SHOWING = {"Class", "Enumeration", "Function", "Initializer", "Instance Method", "Instance Subscript", "Protocol", "Structure", "Type Method"}
FULFILLING = {"description", "debugDescription", "hash(into:)", "==(_:_:)", "init(rawValue:)", "rawValue", "Element", "Failure"}


def modules():
    return json.loads(FILE.read_text())["modules"]


def apples():
    return {line.split("\t")[1] for path in (ROOT / "Tests" / "Parity").glob("*.txt") for line in path.read_text().splitlines()
            if "\t" in line and not line.startswith("#")}


def symbols(archive):
    """The symbols of the site by module: the path of each, as "DispatchQueue.async(execute:)", and whether it should show an example and does
    not."""
    found = {}
    for name, page in site_symbols.pages(archive):
        kind = page["metadata"].get("symbolKind", "")
        if page["kind"] == "symbol" and kind not in ("module", "extension"):
            # An extension of another module's type is called by that module too.
            path = re.sub(r"^(Foundation|FoundationEssentials|Swift)\.", "", site_search.title(page))
            lacks = page["metadata"].get("roleHeading") in SHOWING and '"codeListing"' not in json.dumps(page.get("primaryContentSections", []))
            module = found.setdefault(page["metadata"]["modules"][0]["name"], {})
            module[path] = module.get(path, False) or lacks
    return found


def complaints(archive):
    there, apple, found = symbols(archive), apples(), []
    named = {name: module["name"] for module in modules() for row in module["rows"] for name in row["names"]}
    every = set().union(*there.values())
    # What is Apple's after all has its examples at the type, as all that is.
    passed_on = {name for module in modules() for row in module["rows"] if row["reason"].startswith("Apple's") for name in row["names"]}
    for module in modules():
        for row in module["rows"]:
            found += [f"OwnNames.json: {module['name']} has no '{name}'" for name in row["names"] if name not in every]
            if len(row["reason"].split()) < 3:
                found.append(f"OwnNames.json: '{row['names'][0]}' has no reason")
    for module, paths in sorted(there.items()):
        for path in sorted(set(paths) - apple) if module != "SignalboxCNames" else ():
            parts = re.split(r"\.(?![^(]*\))", path)
            outer = {".".join(parts[:count]) for count in range(1, len(parts))}
            if parts[-1] in FULFILLING:
                continue
            if path not in named and not outer & set(named):
                found.append(f"{module}: {path} is no name of Apple's, and OwnNames.json has no reason for it")
            if paths[path] and path not in passed_on:
                found.append(f"{module}: {path} shows no example in its comment")
    return found


def markdown():
    lines = ["# Names that Apple does not have", "", "Every public name beyond Apple's, and why it is there; those of their members follow from them."]
    for module in modules():
        lines += ["", f"## {module['name']}", "", "| Names | Why |", "|---|---|"]
        lines += [f"| {', '.join(f'`{name}`' for name in row['names'])} | {row['reason']} |" for row in module["rows"]]
    return "\n".join(lines) + "\n"
