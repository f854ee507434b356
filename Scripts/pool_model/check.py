"""What the model has to show before its figures mean anything, and what the new design has to. Each line is a figure, a bar and a verdict."""
from . import rows
from .parameters import OF_ROWS
from .simulate import throughput

WITHIN = 0.20           # of a measured row
COLLAPSE_OF_BEST = 0.75 # at 64 processors the locked list does less than this part of what it does at its best,
COLLAPSE_OF_LINEAR = 0.25   # and than this part of 64 times one processor
LINEAR = 0.80           # at up to 64 processors the new design does at least this part of as many times one processor
MOST = 64
BY_WORKERS = ("chains", "fans")


class Check:
    def __init__(self, measured, say):
        self.measured = measured
        self.say = say
        self.failed = 0
        self.judged = 0

    def judge(self, text, is_met):
        self.judged += 1
        self.failed += not is_met
        self.say(f"{text:100} {'met' if is_met else 'MISSED'}")

    def run(self):
        """How many lines are missed."""
        self.rows()
        self.collapse(self.measured.costs, "as measured", is_whole=True)
        self.linear(self.measured.costs, "as measured", is_whole=True)
        self.outside()
        for name, _ in self.measured.costs.items():
            if name in OF_ROWS:
                continue
            for factor, word in ((2.0, "doubled"), (0.5, "halved")):
                costs = self.measured.costs.changed(name, factor)
                self.collapse(costs, f"{name} {word}")
                self.linear(costs, f"{name} {word}")
        self.say(f"pool-model: {self.judged - self.failed} of {self.judged} lines met")
        return self.failed

    def rows(self):
        known = {row.name: row for row in rows.ALL}
        for (design, name, processors), value in sorted(self.measured.rows.items()):
            model = known[name].model(design, processors, self.measured.costs)
            fixes = (name, processors) == rows.FIXING or known[name].code and processors == 1 and design == "locked-list"
            note = " (it fixes the code's costs)" if fixes else ""
            self.judge(f"{design}, {name} on {processors}: model {model:.1f} ns, measured {value:.1f} ns, {100 * (model / value - 1):+.0f} %{note}",
                       abs(model / value - 1) <= WITHIN)
        if not any(design == "locked-list" for design, _, _ in self.measured.rows):
            self.say("the design before was not measured (--measure --before BUILD): its rows are not judged")

    def collapse(self, costs, when, is_whole=False):
        numbers = (4, 8, 16, 32) if is_whole else (16, 32)
        one, last = (throughput("locked-list", "chains", processors, costs) for processors in (1, MOST))
        best = max(throughput("locked-list", "chains", processors, costs) for processors in numbers)
        self.judge(f"{when}: the locked list collapses: {last:.2f} items/us on {MOST}, {best:.2f} at its best, linear {MOST * one:.1f}",
                   last <= COLLAPSE_OF_BEST * best and last <= COLLAPSE_OF_LINEAR * MOST * one)

    def linear(self, costs, when, is_whole=False):
        for name in BY_WORKERS:
            one = throughput("rings", name, 1, costs)
            for processors in (16, 32, MOST) if is_whole else (MOST,):
                part = throughput("rings", name, processors, costs) / (processors * one)
                self.judge(f"{when}: rings, {name} of 1 us on {processors}: {100 * part:.0f} % of linear ({100 * LINEAR:.0f} %)", part >= LINEAR)

    def outside(self):
        """Not judged: threads outside write what workers read, item by item (README.md, "What it shows")."""
        one = throughput("rings", "outside", 1, self.measured.costs)
        ours, former = (throughput(design, "outside", MOST, self.measured.costs) for design in ("rings", "locked-list"))
        self.say(f"not judged: items of 1 us from outside on {MOST}: rings {ours:.1f} items/us ({100 * ours / (MOST * one):.0f} % of linear), "
                 f"locked list {former:.1f}")
