"""Measures the parameters and the rows on this machine. Two C programs beside this file and the built bench do the timing."""
import json
import os
import pathlib
import platform
import shutil
import subprocess
import tempfile

from . import rows
from .parameters import MEANINGS, SET, Costs, Measured

HERE = pathlib.Path(__file__).resolve().parent
MOST_LOAD = 0.5
PATIENCE = 600  # seconds for one program


class Unmeasurable(Exception):
    """Why nothing was measured."""


def measure(build, before, is_anyway, say):
    """`build`, `before`: folders of a release build with the bench, of this design and of the one before (or None)."""
    processors = sorted(os.sched_getaffinity(0))
    if len(processors) < 2:
        raise Unmeasurable("two processors are needed")
    see_quiet(is_anyway)
    builds = [("rings", build)] + ([("locked-list", before)] if before else [])
    for _, folder in builds:
        for name in ("signalbox", "signalbox-workshop", "libSignalboxABI.so"):
            if not (folder / name).exists():
                raise Unmeasurable(f"there is no {folder / name}: run Scripts/build . Benchmarks -c release in that checkout")
    with tempfile.TemporaryDirectory() as work:
        say("compiling")
        costs_program = compiled(work, "machine_costs", "-lpthread")
        probe = compiled(work, "pool_rows", "-ldl", "-lpthread")
        say("the machine's costs")
        values = dict.fromkeys(MEANINGS, 0.0) | SET
        for line in output([costs_program], processors[:2]).split("\n"):
            if line:
                name, value = line.split()
                values[name] = float(value)
        found = {}
        for design, folder in builds:
            found |= _rows(design, folder, probe, processors, say)
    # Of the design before, if it is there: the new one's figures then judge what they had no part in.
    fixing = found[builds[-1][0], *rows.FIXING]
    values["submit_code"], values["take_code"] = rows.code_costs(Costs(values), fixing[1], fixing[2])
    for row in rows.OF_BENCH:
        values[row.code] = row.own_code(Costs(values), found[builds[-1][0], row.name, 1][0])
    return Measured(_machine(), Costs(values), {key: value[0] for key, value in found.items()})


def see_quiet(is_anyway):
    load = os.getloadavg()[0]
    if load > MOST_LOAD and not is_anyway:
        raise Unmeasurable(f"the machine is busy (load {load:.1f}, {MOST_LOAD} at most): wait until it is quiet, or say --anyway for figures to try with")


def compiled(work, name, *libraries):
    compiler = next((each for each in ("cc", "clang", "gcc") if shutil.which(each)), None)
    if compiler is None:
        raise Unmeasurable("no C compiler (cc, clang, gcc) on the PATH: install one, as by apt-get install gcc")
    program = os.path.join(work, name)
    result = subprocess.run([compiler, "-O2", "-o", program, HERE / f"{name}.c", *libraries], capture_output=True, text=True)
    if result.returncode:
        raise Unmeasurable(f"{name}.c does not compile:\n{result.stderr}")
    return program


def output(command, processors, **environment):
    words = [str(word) for word in command]
    try:
        result = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, env=os.environ | environment,
                                preexec_fn=lambda: os.sched_setaffinity(0, processors))
    except subprocess.TimeoutExpired:
        raise Unmeasurable(f"'{' '.join(words)}' was not over after {PATIENCE} s") from None
    if result.returncode:
        raise Unmeasurable(f"'{' '.join(words)}' ended with status {result.returncode}:\n{result.stderr}")
    return result.stdout


def _rows(design, folder, probe, processors, say):
    """(design, row, processors): wall time for an item, then what of processor time its submission took, and the rest; 0: not known."""
    found = {}
    for count in rows.PROCESSORS:
        allowed = processors[:count]
        for row in rows.OF_PROBE:
            say(f"{design}: {row.name} on {count}")
            kind, length = row.name.rsplit("-", 1)
            words = output([probe, folder / "libSignalboxABI.so", kind, length, row.items], allowed).split()
            found[design, row.name, count] = tuple(float(word) for word in words)
        names = [row.name for row in rows.OF_BENCH]
        say(f"{design}: {', '.join(names)} on {count}")
        answer = json.loads(output([folder / "signalbox", "bench", "--filter", "|".join(names), "--json"], allowed))
        for row in answer["rows"]:
            if row["name"] in names:
                found[design, row["name"], count] = (row["signalbox"]["nanoseconds"], 0.0, 0.0)
        for name in names:
            if (design, name, count) not in found:
                raise Unmeasurable(f"the bench in {folder} has no row {name}")
    return found


def _machine():
    model = "unknown"
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text().split("\n"):
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    except OSError:
        pass
    return {"processor": f"{model} ({platform.machine()})", "processors": str(os.cpu_count()), "kernel": f"Linux {platform.release()}"}
