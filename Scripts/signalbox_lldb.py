"""signalbox_lldb.py: Swift's tasks, queues and waits of the process that lldb has stopped, or of its core dump.

    (lldb) command script import Scripts/signalbox_lldb.py
    (lldb) signalbox tasks        each task: what it does, what it waits for, the chain of awaits
    (lldb) signalbox queues       queues with their items and owners
    (lldb) signalbox threads      what each thread waits for, and because of which
    (lldb) signalbox inspect      everything that `signalbox inspect` shows

What is shown reads the command `signalbox`, from outside: nothing is called in the process. It is searched on the PATH, or is what the variable
SIGNALBOX names. A core dump needs the program of the target; where lldb does not say which file it has loaded, name it: `signalbox tasks --core FILE`.
"""

import os
import re
import shlex
import shutil
import subprocess

import lldb

# The tables of each command, by how their first lines begin; deadlocks and what stands out are shown with all of them.
TABLES = {
    "tasks": r"\d+ tasks?:",
    "queues": r"queues$",
    "threads": r"(threads|waits)",
    "inspect": None,
}
ALWAYS = r"(deadlock:|suspected deadlock:|what stands out)"


def copy_of(process, words):
    """The words of the command that name the process or its core dump; None and why not."""
    if not process.IsValid():
        return None, "there is no process: attach to one, run one, or load a core dump with 'target create PROGRAM --core FILE'"
    program = process.GetTarget().GetExecutable().fullpath
    core = words[words.index("--core") + 1] if "--core" in words[:-1] else None
    if process.GetPluginName() != "elf-core":
        return [str(process.GetProcessID())], None
    if core is None and hasattr(process, "GetCoreFile"):
        core = process.GetCoreFile().fullpath
    if core is None:
        return None, "this lldb does not say which core dump it has loaded: name it, as 'signalbox tasks --core FILE'"
    return ["--core", core] + ([program] if program else []), None


def tables(text, wanted):
    """Of the tables, which have empty lines between them, those that begin so."""
    return "\n\n".join(table for table in text.rstrip("\n").split("\n\n") if re.match(wanted, table))


def signalbox(debugger, command, result, _):
    """signalbox tasks | queues | threads | inspect [--core FILE]"""
    words = shlex.split(command)
    if not words or words[0] not in TABLES:
        return result.SetError(f"usage: signalbox {' | '.join(TABLES)} [--core FILE]")
    tool = os.environ.get("SIGNALBOX") or shutil.which("signalbox")
    if tool is None:
        return result.SetError("the command 'signalbox' is not on the PATH: put it there, or set the variable SIGNALBOX to its path")
    copy, why = copy_of(debugger.GetSelectedTarget().GetProcess(), words)
    if copy is None:
        return result.SetError(why)
    options = ["--tasks"] if words[0] == "tasks" else ["--all"] if words[0] == "queues" else []
    done = subprocess.run([tool, "inspect", *copy, *options], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        return result.SetError(done.stderr.strip() or f"signalbox inspect ended with {done.returncode}")
    found = [tables(done.stdout, ALWAYS), tables(done.stdout, TABLES[words[0]]) or f"no {words[0]} are shown"]
    result.AppendMessage(done.stdout.rstrip("\n") if words[0] == "inspect" else "\n\n".join(text for text in found if text))


def __lldb_init_module(debugger, _):
    debugger.HandleCommand(f"command script add -f {__name__}.signalbox signalbox")
