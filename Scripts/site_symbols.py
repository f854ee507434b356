"""Scripts/site_symbols.py: the symbols of the documentation site, by the module that a program imports. Scripts/docs writes the site."""
import json
import os
import pathlib
import re
import subprocess
import sys

# Modules that are products, and where the types live that a product only passes on: those are shown where they are imported.
SHOWN = {"SignalboxDispatch": "SignalboxDispatch", "SignalboxLocks": "SignalboxLocks", "SignalboxCNames": "SignalboxCNames",
         "Signalbox": "Signalbox", "SignalboxClasses": "SignalboxFoundation", "SignalboxFoundation": "SignalboxFoundation",
         "SignalboxExplore": "SignalboxExplore", "SignalboxArticles": "SignalboxArticles", "SignalboxDiagnosis": "Signalbox", "SignalboxRecorder": "Signalbox"}
EXTRACTED = list(SHOWN)
# Of these modules only what the umbrella passes on by name has a page; the rest is for the modules above them.
IN_PART = ("SignalboxDiagnosis", "SignalboxRecorder")
UMBRELLA = pathlib.Path(__file__).resolve().parent.parent / "Sources" / "Signalbox"
PASSED_ON = {tuple(names) for path in sorted(UMBRELLA.glob("*.swift"))
             for names in re.findall(r"^@_exported import \w+ (\w+)\.(\w+)$", path.read_text(), re.M)}



def extract(root, built, module, folder, blocks):
    """The symbol graphs of one module that is built; `blocks`: extensions of other modules' types get pages of their own."""
    maps = [os.path.join(place, "module.modulemap") for place, _, files in os.walk(built)
            if "module.modulemap" in files and re.search(r"/CSignalbox(ExploreInside)?\.build", place)]
    target = json.loads(subprocess.run(["swiftc", "-print-target-info"], check=True, capture_output=True, text=True).stdout)
    command = ["swift-symbolgraph-extract", "-module-name", module, "-target", target["target"]["unversionedTriple"],
               "-output-dir", str(folder), "-minimum-access-level", "public", "-skip-inherited-docs", "-skip-synthesized-members",
               "-I", f"{built}/Modules", "-I", f"{root}/Sources/CSignalboxExplore/include",
               *(word for path in maps for word in ("-Xcc", f"-fmodule-map-file={path}"))]
    if blocks:
        command.append("-emit-extension-block-symbols")
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"docs: the symbols of {module} cannot be read:\n{done.stdout}")


def passed_on(symbol):
    """Whether this is an alias that gives another module's type its own name again: that type has a page already."""
    if symbol["kind"]["identifier"] != "swift.typealias" or len(symbol["pathComponents"]) != 1:
        return False
    words = "".join(part["spelling"] for part in symbol["declarationFragments"])
    return re.search(r"= (?:\w+\.)?" + re.escape(symbol["names"]["title"]) + r"(?:<.*>)?$", words) is not None


def wanted(module, symbol):
    if module in IN_PART:
        return (module, symbol["pathComponents"][0]) in PASSED_ON
    return not (module in ("Signalbox", "SignalboxFoundation") and passed_on(symbol))


def write(root, built, folder):
    """Writes the graphs that DocC reads."""
    raw = folder.parent / "raw"
    folder.mkdir()
    for module, shown in SHOWN.items():
        raw.mkdir(exist_ok=True)
        for blocks in (False, True):
            place = raw / f"{module}-{blocks}"
            place.mkdir()
            extract(root, built, module, place, blocks)
            for path in sorted(place.glob("*.symbols.json")):
                extended = path.name.removesuffix(".symbols.json").partition("@")[2]
                ours = not extended or extended in SHOWN
                # Types of others' modules have no pages that members could stand on: the extensions get some.
                if blocks == ours or extended in ("Swift", "SignalboxSystem"):
                    continue
                graph = json.loads(path.read_text())
                graph["module"]["name"] = shown
                graph["symbols"] = [symbol for symbol in graph["symbols"] if wanted(module, symbol)]
                # What check-snippets does with an example is not its language.
                for line in (line for symbol in graph["symbols"] for line in symbol.get("docComment", {}).get("lines", [])):
                    line["text"] = re.sub(r"^( *```swift) .*$", r"\1", line["text"])
                kept = {symbol["identifier"]["precise"] for symbol in graph["symbols"]}
                # What fulfils a protocol is a member as all others are, not on a page of its own.
                graph["relationships"] = [{key: value for key, value in edge.items() if key != "sourceOrigin"}
                                          for edge in graph["relationships"]
                                          if edge["source"] in kept and edge["kind"] != "defaultImplementationOf"]
                name = f"{shown}-{module}" + (f"@{SHOWN.get(extended, extended)}" if extended else "") + ".symbols.json"
                (folder / name).write_text(json.dumps(graph))


def pages(archive):
    """Each page of an archive, as DocC writes it."""
    for path in sorted((archive / "data" / "documentation").rglob("*.json")):
        page = json.loads(path.read_text())
        yield page["identifier"]["url"].partition("/documentation/")[2], page


def members(graphs):
    """What each module and type has, by DocC's names, which tell overloads apart by a number."""
    archive = graphs.parent / "names.doccarchive"
    done = subprocess.run(["docc", "convert", "--additional-symbol-graph-dir", str(graphs), "--output-dir", str(archive),
                           "--fallback-display-name", "Signalbox", "--fallback-bundle-identifier", "signalbox"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"docs: DocC cannot read the symbols:\n{done.stdout}")
    return {name: [identifier.rsplit("/", 1)[1] for section in page.get("topicSections", []) for identifier in section["identifiers"]]
            for name, page in pages(archive)}
