"""Tests of the model itself: what a line costs, who has a processor, that no item is lost, that a run depends on its seed alone."""
import tempfile
import unittest

from . import rows
from .lines import Line
from .machine import LOAD, SLEEP, STORE, SWAP, WAKE, WORK, YIELD, Machine, Stuck, Thread
from .parameters import MEANINGS, Costs, Measured, Unreadable
from .shared_list import SharedList
from .simulate import DESIGNS, run, throughput
from .workloads import NAMES, Chains, Fans, Outside, Tree

COSTS = Costs({
    "load": 1, "store": 1, "swap": 5, "transfer": 100, "drop": 60, "pause": 20, "yield_call": 500, "wake_call": 3_000, "wake_latency": 10_000, "switch": 2_000,
    "time_slice": 3_000_000, "submit_code": 10, "take_code": 50, "counting_code": 6, "group_code": 8,
})


def times(processors, *threads):
    """When each of the threads ends. A thread is a list of operations."""
    machine, ends = Machine(processors, COSTS), {}

    def steps(number, thread, operations):
        yield from operations
        ends[number] = machine.time_of(thread)
        machine.is_over = len(ends) == len(threads)
    for number, operations in enumerate(threads):
        thread = Thread(str(number))
        machine.begin(thread, steps(number, thread, operations), is_awake=True)
    machine.run()
    return [ends[number] for number in range(len(threads))]


class LineTests(unittest.TestCase):
    def test_one_processor_is_the_sum_of_costs(self):
        line = Line()
        self.assertEqual(times(1, [(SWAP, line), (WORK, 40), (LOAD, line), (STORE, line), (SWAP, line)]), [5 + 40 + 1 + 1 + 5])

    def test_two_on_one_line_wait_for_one_another(self):
        line = Line()
        # The first finds it untouched; then it goes from one to the other, each time after the one before.
        first, second = times(2, [(SWAP, line)] * 2, [(SWAP, line)] * 2)
        self.assertEqual((first, second), (5 + 2 * 105, 5 + 3 * 105))
        self.assertEqual(line.transfers, 3)

    def test_two_on_two_lines_do_not(self):
        one, other = Line(), Line()
        self.assertEqual(times(2, [(SWAP, one)] * 2, [(SWAP, other)] * 2), [10, 10])

    def test_a_line_stays_until_the_request_for_it_is_there(self):
        line = Line(owner=0)
        # The second processor asks at once; the first goes on for half the way, and then has to fetch the line back.
        first, second = times(2, [(WORK, 40), (SWAP, line), (SWAP, line), (SWAP, line)], [(SWAP, line)])
        self.assertEqual((first, second), (105 + 105, 105))

    def test_readers_share(self):
        line = Line(owner=9)
        # One fetches it from its writer; then readers do not wait for one another, and reading again costs nothing more.
        self.assertEqual(times(2, [(LOAD, line), (LOAD, line)], [(WORK, 200), (LOAD, line), (LOAD, line)]), [101, 301])

    def test_who_has_read_a_line_has_others_drop_it(self):
        line = Line(owner=9)
        self.assertEqual(times(1, [(LOAD, line), (SWAP, line), (SWAP, line)]), [100 + 60 + 5 + 5])

    def test_a_store_does_not_wait_but_the_next_swap_does(self):
        line, own = Line(owner=9), Line()
        self.assertEqual(times(1, [(STORE, line)]), [1])
        line = Line(owner=9)
        self.assertEqual(times(1, [(STORE, line), (SWAP, own)]), [100 + 5])


class ThreadTests(unittest.TestCase):
    def test_two_threads_of_one_processor_take_turns(self):
        self.assertEqual(times(1, [(WORK, 100)], [(WORK, 100)]), [100, 100 + 2_000 + 100])

    def test_a_slice_ends(self):
        ends = times(1, [(WORK, 1_000_000)] * 4, [(WORK, 100)])
        self.assertLess(ends[1], ends[0])

    def test_who_lets_others_run_comes_last(self):
        ends = times(1, [(YIELD,), (WORK, 1)], [(WORK, 100)])
        self.assertLess(ends[1], ends[0])

    def test_a_sleeper_runs_when_it_was_woken(self):
        machine, ends = Machine(2, COSTS), []
        sleeper, waker = Thread("sleeper"), Thread("waker")

        def sleeps():
            yield (SLEEP,)
            ends.append(machine.time_of(sleeper))
            machine.is_over = True

        def wakes():
            yield (WORK, 100)
            yield (WAKE, sleeper)
            yield (WORK, 1_000_000)
        machine.begin(sleeper, sleeps(), is_awake=True)
        machine.begin(waker, wakes(), is_awake=True)
        machine.run()
        self.assertEqual(ends, [100 + 10_000])

    def test_a_wake_before_the_sleep_is_not_lost(self):
        machine = Machine(2, COSTS)
        sleeper, waker = Thread("sleeper"), Thread("waker")

        def sleeps():
            yield (WORK, 1_000_000)
            yield (SLEEP,)
            machine.is_over = True
        machine.begin(sleeper, sleeps(), is_awake=True)
        machine.begin(waker, iter([(WAKE, sleeper)]), is_awake=True)
        machine.run()

    def test_all_asleep_is_reported(self):
        machine, thread = Machine(1, COSTS), Thread("sleeper")
        machine.begin(thread, iter([(SLEEP,)]), is_awake=True)
        self.assertRaises(Stuck, machine.run)


class ListTests(unittest.TestCase):
    def test_first_in_first_out(self):
        machine, shared, taken = Machine(1, COSTS), SharedList(COSTS), []

        def steps():
            for number in range(10):
                yield from shared.append(number)
            while (item := (yield from shared.take())) is not None:
                taken.append(item)
            machine.is_over = True
            yield (WORK, 1)
        machine.begin(Thread("one"), steps(), is_awake=True)
        machine.run()
        self.assertEqual(taken, list(range(10)))


class DesignTests(unittest.TestCase):
    def test_each_item_runs_once(self):
        for design in DESIGNS:
            for workload in (Outside, Chains, Fans, Tree):
                for processors in (1, 2, 9, 33):
                    with self.subTest(design=design, workload=workload.name, processors=processors):
                        made = workload(200, 1_500)
                        bodies = []
                        submit = DESIGNS[design].submit

                        def counted(self, thread, body, *more):
                            number = len(bodies)
                            bodies.append(0)

                            def once(worker):
                                bodies[number] += 1
                                return body(worker)
                            return submit(self, thread, once, *more)
                        DESIGNS[design].submit = counted
                        try:
                            run(design, made, processors, COSTS)
                        finally:
                            DESIGNS[design].submit = submit
                        self.assertEqual(bodies, [1] * 1_500)
                        self.assertEqual(len(made.ends), 1_500)

    def test_no_more_than_the_processors_allow(self):
        for design in DESIGNS:
            for name in NAMES:
                for processors in (1, 4):
                    with self.subTest(design=design, workload=name, processors=processors):
                        self.assertLessEqual(throughput(design, name, processors, COSTS), processors * 1_000 / (1_000 + COSTS.take_code) * 1.01)

    def test_a_run_depends_on_its_seed_alone(self):
        for design in DESIGNS:
            with self.subTest(design=design):
                ends = []
                for seed in (1, 1, 2):
                    workload = Tree(500, 2_000)
                    run(design, workload, 8, COSTS, seed)
                    ends.append(workload.ends)
                self.assertEqual(ends[0], ends[1])
                if design != "locked-list":     # which leaves nothing to chance
                    self.assertNotEqual(ends[0], ends[2])


class ParameterTests(unittest.TestCase):
    def test_code_costs_give_back_what_was_measured(self):
        submit, take = rows.code_costs(COSTS, 40.0, 90.0)
        costs = Costs(dict(COSTS.items()) | {"submit_code": submit, "take_code": take})
        workload = rows.FromOutside(0, 20_000)
        run("locked-list", workload, 1, costs)
        self.assertAlmostEqual(workload.each(), 130.0, delta=0.5)

    def test_the_file_gives_back_what_was_written(self):
        measured = Measured({"processor": "A: b"}, COSTS, {("rings", "outside-0", 1): 70.5})
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write(measured.text())
            file.flush()
            again = Measured.read(file.name)
        self.assertEqual(again.text(), measured.text())
        self.assertEqual(again.machine, {"processor": "A: b"})

    def test_what_cannot_be_read_is_reported(self):
        whole = Measured({}, COSTS, {}).text()
        for text, reason in ((whole.replace("cost swap 5\n", ""), "lacks swap"), (whole + "cost swap fast\n", f"line {len(MEANINGS) + 2}"), (whole + "row a b\n", f"line {len(MEANINGS) + 2}")):
            with self.subTest(reason=reason), tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
                file.write(text)
                file.flush()
                self.assertRaisesRegex(Unreadable, reason, Measured.read, file.name)
        self.assertRaisesRegex(Unreadable, "run Scripts/pool-model --measure first", Measured.read, "/nowhere/measured.txt")

    def test_one_parameter_changes(self):
        changed = COSTS.changed("transfer", 2)
        self.assertEqual([name for name in MEANINGS if getattr(changed, name) != getattr(COSTS, name)], ["transfer"])
        self.assertEqual(changed.transfer, 200)


def run_all():
    suite = unittest.defaultTestLoader.loadTestsFromModule(__import__(__name__, fromlist=["x"]))
    return 0 if unittest.TextTestRunner(verbosity=1).run(suite).wasSuccessful() else 1
