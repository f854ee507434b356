#!/usr/bin/env python3
"""Scripts/command_texts.py COMMAND FOLDER [--date DAY]: man pages, and completions for bash, zsh and fish, from what the command itself says.

COMMAND is the built `signalbox`. Each of its commands is asked for its help; what stands there becomes the pages man/*.1 and the files
bash, zsh and fish in FOLDER, which must exist. Nothing about an option is written down here a second time: an option that the help does not
name has no completion. DAY is the date at the foot of the pages (YYYY-MM-DD). Status: 0 written, 1 a help text cannot be read, 64 wrong call."""
import argparse
import pathlib
import re
import subprocess
import sys
from typing import NamedTuple

# An option at the head of a line or in the usage: its name, how a value follows, another name of one letter.
OPTION = re.compile(r"(--[a-z][a-z-]*)(?:(\[=)([A-Z]+)\]|(=)([A-Z]+)|( \[)([A-Z]+)\]|( )([A-Z]+)(?![A-Za-z]))?(?:, (-[a-z]))?")
LISTED = re.compile(r"^  (?=-)")
WORD = re.compile(r"^  ([a-z]+) {2,}(\S.*)$")
FILES, FOLDERS, PROGRAM = {"FILE", "OUT", "PAGE"}, {"FOLDER", "BUILD", "PATH"}, "PROGRAM"


class Unreadable(Exception):
    """A help text that is not of the form that is read here."""


class Option(NamedTuple):
    name: str
    short: str
    value: str  # what the help calls it; empty: it takes none
    joined: bool  # whether `=` stands before the value
    optional: bool
    text: str

    @property
    def brief(self):
        """What it does, as far as the first clause goes: completions have one line."""
        return re.split(r"\n|[;:(]|\.+(?= |$)|, (?:which|of|at)\b", self.text)[0].strip() or self.name


def option(found, text):
    groups = found.groups()
    for start, joined, optional in ((1, True, True), (3, True, False), (5, False, True), (7, False, False)):
        if groups[start]:
            return Option(groups[0], groups[9] or "", groups[start + 1], joined, optional, text)
    return Option(groups[0], groups[9] or "", "", False, False, text)


class Help:
    """A help text in parts: usage, paragraphs, lists."""

    def __init__(self, word, summary, text):
        self.word, self.summary = word, summary
        if not text.startswith("usage: signalbox"):
            raise Unreadable(f"the help of \"{word or 'signalbox'}\" does not begin with its usage: {text[:60]!r}")
        blocks = [block for block in re.split(r"\n\s*\n", text.rstrip("\n")) if block]
        self.usage = [line[7:] if number == 0 else line[7:] if line.startswith(" " * 7) else line
                      for number, line in enumerate(blocks[0].split("\n"))]
        self.blocks = [block.split("\n") for block in blocks[1:]]

    @property
    def options(self):
        """The options in the order of the help; those that only the usage names come last."""
        found = {}
        for lines in self.blocks:
            for name, text in items(lines) or []:
                match = OPTION.match(name)
                if match:
                    found[match[1]] = option(match, text)
        for match in OPTION.finditer(" ".join(self.usage)):
            found.setdefault(match[1], option(match, ""))
        found.setdefault("--help", Option("--help", "-h", "", False, False, "this text"))
        return list(found.values())

    @property
    def words(self):
        """Words of its own that may follow, such as `list` after `lab`."""
        own = [re.match(rf"signalbox {self.word} ([a-z]+)\b", line) for line in self.usage] if self.word else []
        return list(dict.fromkeys(match[1] for match in own if match))

    @property
    def operands(self):
        """What else may follow, in the help's capitals."""
        rest = OPTION.sub("", " ".join(self.usage))
        return {word for word in re.findall(r"\b[A-Z]+\b", rest)} & (FILES | FOLDERS | {PROGRAM})


def items(lines):
    """The (name, text) of a block that lists options or words; None for one that does not."""
    if not (LISTED.match(lines[0]) or WORD.match(lines[0])):
        return None
    found, was_deep = [], False
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.startswith("      ")), default=0)
    for line in lines:
        match = OPTION.match(line[2:]) if LISTED.match(line) else None
        word = WORD.match(line)
        if match:
            found.append([match[0], line[2 + match.end():].strip()])
        elif word:
            found.append([word[1], word[2]])
        elif found and line.startswith("      "):
            # A table inside of an item stays one: its lines are not filled.
            deep = len(line) - len(line.lstrip()) > margin or "   " in line.strip()
            found[-1][1] += ("\n" if deep or was_deep else " ") + line.strip()
            was_deep = deep
        else:
            raise Unreadable(f"a list of options has a line that is none: {line!r}")
    return [tuple(pair) for pair in found]


# Man pages.

def roff(text):
    """Text for a page: every hyphen is one that can be copied; no line is taken for a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def page(help_text, version, day, others):
    name = f"signalbox-{help_text.word}" if help_text.word else "signalbox"
    lines = [f'.TH {roff(name).upper()} 1 "{day}" "signalbox {version}" "Signalbox"', ".nh", ".ad l", ".SH NAME",
             f"{roff(name)} \\- {roff(help_text.summary)}", ".SH SYNOPSIS", ".nf", *map(roff, help_text.usage), ".fi", ".SH DESCRIPTION"]
    for number, block in enumerate(help_text.blocks):
        pairs = items(block)
        if pairs:
            if any(name.startswith("-") for name, _ in pairs):
                lines.append(".SH OPTIONS")
            for item, text in pairs:
                lines += [".TP", f".B {roff(item)}", roff(text).replace("\n", "\n.br\n")]
            if number + 1 < len(help_text.blocks) and not is_exit(help_text.blocks[number + 1]):
                lines.append(".SH NOTES" if any(name.startswith("-") for name, _ in pairs) else ".PP")
        elif is_exit(block):
            lines += [".SH EXIT STATUS", roff(re.sub(r"^Exit status: *", "", "\n".join(block)))]
        elif all(line.startswith("  ") for line in block):
            lines += [".PP", ".nf", *(roff(line) for line in block), ".fi"]
        else:
            lines += [".PP", *(roff(line) for line in block)]
    lines += [".SH SEE ALSO", ",\n".join(f".BR {roff(other)} (1)" for other in others if other != name).replace(",\n", " ,\n")]
    return "\n".join(lines) + "\n"


def is_exit(block):
    return block[0].startswith("Exit status:")


# Completions.

def quoted(text):
    """A word of a shell's, in single quotes."""
    return "'" + text.replace("'", "'\\''") + "'"


def by_kind(options):
    """The names of options whose value is a file, a folder, or something that cannot be listed."""
    files = [each.name for each in options if each.value in FILES]
    folders = [each.name for each in options if each.value in FOLDERS]
    others = [each.name for each in options if each.value and not each.optional and each.value not in FILES | FOLDERS]
    return files, folders, others


def bash(helps):
    words = [each.word for each in helps]
    text = f"""# Completions of signalbox for bash; made from its --help.
_signalbox() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} command=${{COMP_WORDS[1]}} option= place
  COMPREPLY=()
  # bash takes `=` for a word of its own.
  case $current in =) option=$previous current= ;; *) [ "$previous" != = ] || option=${{COMP_WORDS[COMP_CWORD - 2]}} ;; esac
  [ -n "$option" ] || option=$previous
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{" ".join(words)} help --help --version' -- "$current"))
    return
  fi
  for ((place = 2; place < COMP_CWORD; place++)); do
    [ "${{COMP_WORDS[place]}}" = -- ] || continue
    case $command in
      {"|".join(each.word for each in helps if PROGRAM in each.operands)})
        if declare -F _command_offset >/dev/null; then _command_offset $((place + 1)); else COMPREPLY=($(compgen -c -- "$current")); fi
        ;;
    esac
    return
  done
  case $command in
    help) [ "$COMP_CWORD" -ne 2 ] || COMPREPLY=($(compgen -W '{" ".join(words)}' -- "$current")) ;;
"""
    for each in helps:
        files, folders, others = by_kind(each.options)
        text += f"    {each.word})\n      case $option in\n"
        for names, answer in ((files, 'COMPREPLY=($(compgen -f -- "$current"))'), (folders, 'COMPREPLY=($(compgen -d -- "$current"))'),
                              (others, "")):
            if names:
                text += f"        {'|'.join(names)}) {answer + '; ' if answer else ''}return ;;\n"
        text += "      esac\n      case $current in\n"
        text += f"        -*) COMPREPLY=($(compgen -W '{' '.join(o.name for o in each.options)}' -- \"$current\")) ;;\n"
        text += f"        *) COMPREPLY=($({bash_operand(each)})) ;;\n      esac\n      ;;\n"
    return text + "  esac\n}\ncomplete -o filenames -F _signalbox signalbox\n"


def bash_operand(each):
    kinds = []
    if PROGRAM in each.operands:
        kinds.append("-c")
    elif each.operands & FILES:
        kinds.append("-f")
    elif each.operands & FOLDERS:
        kinds.append("-d")
    if each.words:
        kinds.append(f"-W '{' '.join(each.words)}'")
    return f"compgen {' '.join(kinds)} -- \"$current\"" if kinds else "true"


def zsh(helps):
    text = """#compdef signalbox
# Completions of signalbox for zsh; made from its --help.
_signalbox() {
  local context state state_descr line
  typeset -A opt_args
  _arguments -C '(- *)'{-h,--help}'[this text]' '(- *)--version[print the version]' '1:command:->command' '*::argument:->argument'
  case $state in
    command)
      local -a commands=(
"""
    for each in helps:
        text += f"        {quoted(each.word + ':' + each.summary)}\n"
    text += """        'help:explain a command'
      )
      _describe command commands
      ;;
    argument)
      case $words[1] in
"""
    text += f"        help) _values command {' '.join(each.word for each in helps)} ;;\n"
    for each in helps:
        specs = [zsh_option(one) for one in each.options]
        if PROGRAM in each.operands:
            specs += ["'(-)1:program:_command_names -e'", "'*::arguments:_normal'"]
        elif each.words:
            specs += [f"'1:word:({' '.join(each.words)})'"]
        elif each.operands & FILES:
            specs += ["'*:file:_files'"]
        elif each.operands & FOLDERS:
            specs += ["'*:folder:_files -/'"]
        text += f"        {each.word})\n          _arguments \\\n            " + " \\\n            ".join(specs) + "\n          ;;\n"
    return text + "      esac\n      ;;\n  esac\n}\n_signalbox \"$@\"\n"


def zsh_option(one):
    brief = re.sub(r"([\[\]:\\])", r"\\\1", one.brief)
    action = "_files" if one.value in FILES else "_files -/" if one.value in FOLDERS else " "
    mark = "=-" if one.joined else ""
    value = f"{'::' if one.optional else ':'}{one.value}:{action}" if one.value else ""
    names = f"{{{one.short},{one.name}{mark}}}" if one.short else ""
    return (f"{names}{quoted('[' + brief + ']' + value)}" if names else quoted(f"{one.name}{mark}[{brief}]{value}"))


def fish(helps):
    words = " ".join(each.word for each in helps)
    first = f"not __fish_seen_subcommand_from {words} help"
    lines = ["# Completions of signalbox for fish; made from its --help.", "complete -c signalbox -f",
             f"complete -c signalbox -n {quoted(first)} -l version -d 'print the version'",
             f"complete -c signalbox -n {quoted(first)} -s h -l help -d 'this text'",
             f"complete -c signalbox -n {quoted(first)} -a help -d 'explain a command'",
             f"complete -c signalbox -n '__fish_seen_subcommand_from help' -a {quoted(words)}"]
    for each in helps:
        lines.append(f"complete -c signalbox -n {quoted(first)} -a {each.word} -d {quoted(each.summary)}")
        inside = quoted(f"__fish_seen_subcommand_from {each.word}; and not __fish_seen_subcommand_from help")
        for one in each.options:
            short = f" -s {one.short[1:]}" if one.short else ""
            value = "" if not one.value or one.optional else " -r"
            kind = " -F" if one.value in FILES else " -a '(__fish_complete_directories)'" if one.value in FOLDERS else ""
            lines.append(f"complete -c signalbox -n {inside}{short} -l {one.name[2:]}{value}{kind} -d {quoted(one.brief)}")
        operand = ("-a '(__fish_complete_command)'" if PROGRAM in each.operands else "-F" if each.operands & FILES
                   else "-a '(__fish_complete_directories)'" if each.operands & FOLDERS else "")
        if operand:
            lines.append(f"complete -c signalbox -n {inside} {operand}")
        if each.words:
            lines.append(f"complete -c signalbox -n {inside} -a {quoted(' '.join(each.words))}")
    return "\n".join(lines) + "\n"


def said(command, *words):
    done = subprocess.run([command, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        raise Unreadable(f"{command} {' '.join(words)} ends with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def all_helps(command):
    """The help of the command alone, and of each of its commands."""
    top = Help("", "Apple's concurrency stack for Linux: run, explore, record and measure programs on it", said(command, "--help"))
    commands = [pair for block in top.blocks for pair in items(block) or []]
    if not commands:
        raise Unreadable("the help of signalbox lists no command")
    return top, [Help(word, summary, said(command, "help", word)) for word, summary in commands]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--date", default="1970-01-01")
    parser.error = lambda message: sys.exit(print(f"command_texts.py: {message}", file=sys.stderr) or 64)
    options = parser.parse_args()
    try:
        top, helps = all_helps(options.command)
        version = said(options.command, "--version").split()[1]
        names = ["signalbox"] + [f"signalbox-{each.word}" for each in helps]
        (options.folder / "man").mkdir(exist_ok=True)
        for name, each in zip(names, [top, *helps]):
            (options.folder / "man" / f"{name}.1").write_text(page(each, version, options.date, names))
        for name, make in (("bash", bash), ("zsh", zsh), ("fish", fish)):
            (options.folder / name).write_text(make(helps))
    except (Unreadable, OSError) as error:
        sys.exit(f"command_texts.py: {error}")


if __name__ == "__main__":
    main()
