"""The parameters, all in nanoseconds, and the file of measured ones. How they are measured is measure.py."""
import pathlib

FILE = pathlib.Path(__file__).resolve().parent / "measured.txt"

# Name, how it is had.
MEANINGS = {
    "load": "a load of a line that the processor has",
    "store": "a store into its store buffer",
    "swap": "an atomic read, change and write of a line that the processor has",
    "transfer": "a line comes from another processor's cache",
    "drop": "other processors drop a line that this one has as well",
    "pause": "the processor's pause instruction",
    "yield_call": "a call of sched_yield, or of futex that returns at once",
    "wake_call": "futex wake with a sleeper, for the caller",
    "wake_latency": "from the call until the sleeper runs",
    "switch": "one thread of a processor follows another",
    "time_slice": "how long a thread keeps a processor that others wait for",
    "submit_code": "a submission's instructions beyond the lines it touches",
    "take_code": "the same of taking an item, calling it and freeing it",
    "counting_code": "what the bench's item that counts down takes beyond those of pool_rows.c, on both sides: its closure, Swift's own code",
    "group_code": "the same of an item in a group",
}
# Of these workloads alone: nothing else depends on them.
OF_ROWS = ("counting_code", "group_code")
# Not measured: what the kernel gives a thread that others wait for, on two processors; no throughput here depends on it.
SET = {"time_slice": 3_000_000.0}


class Unreadable(Exception):
    """Why a file of measurements is of no use."""


class Costs:
    """One value for each parameter."""

    def __init__(self, values):
        for name in MEANINGS:
            setattr(self, name, float(values[name]))

    def changed(self, name, factor):
        """The same costs but for one."""
        values = {each: getattr(self, each) for each in MEANINGS}
        values[name] *= factor
        return Costs(values)

    def items(self):
        return [(name, getattr(self, name)) for name in MEANINGS]


class Measured:
    """What `--measure` has written: the machine, the costs, the rows."""

    def __init__(self, machine, costs, rows):
        self.machine = machine  # what it is: name, text
        self.costs = costs
        self.rows = rows        # (design, row, processors): nanoseconds for an item

    def text(self):
        lines = ["# Written by Scripts/pool-model --measure. Nanoseconds."]
        lines += [f"machine {name}: {value}" for name, value in self.machine.items()]
        lines += [f"cost {name} {value:.4g}" for name, value in self.costs.items()]
        lines += [f"row {design} {row} {processors} {value:.4g}" for (design, row, processors), value in sorted(self.rows.items())]
        return "\n".join(lines) + "\n"

    @staticmethod
    def read(path=FILE):
        try:
            lines = pathlib.Path(path).read_text().split("\n")
        except FileNotFoundError:
            raise Unreadable(f"there is no {path}: run Scripts/pool-model --measure first, on a quiet machine") from None
        except (OSError, UnicodeDecodeError) as error:
            raise Unreadable(f"cannot read {path}: {error}") from None
        machine, costs, rows = {}, {}, {}
        for number, line in enumerate(lines, 1):
            words = line.split()
            try:
                if not words or words[0] == "#":
                    continue
                if words[0] == "machine":
                    name, value = line.split(" ", 1)[1].split(": ", 1)
                    machine[name] = value
                elif words[0] == "cost" and len(words) == 3 and words[1] in MEANINGS and float(words[2]) >= 0:
                    costs[words[1]] = float(words[2])
                elif words[0] == "row" and len(words) == 5 and float(words[4]) > 0:
                    rows[words[1], words[2], int(words[3])] = float(words[4])
                else:
                    raise ValueError
            except (ValueError, IndexError):
                raise Unreadable(f"{path}, line {number}: cannot read '{line}': run Scripts/pool-model --measure again") from None
        missing = [name for name in MEANINGS if name not in costs]
        if missing:
            raise Unreadable(f"{path} lacks {', '.join(missing)}: run Scripts/pool-model --measure again")
        return Measured(machine, Costs(costs), rows)
