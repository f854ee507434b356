"""The memory of items: what a submitter takes, the worker gives back. One stock for each thread; 64 blocks at a time go between them."""
from .lines import Line
from .machine import LOAD, STORE, SWAP

MAGAZINE = 64


class Block:
    """Half a line: two blocks share one."""

    __slots__ = ("line",)

    def __init__(self, line):
        self.line = line


class Blocks:
    def __init__(self):
        self._stocks = {}
        self._magazines = []
        self._depot = Line()

    def take(self, thread):
        """A block, written."""
        stock = self._stocks.setdefault(thread, [])
        if not stock:
            yield (SWAP, self._depot)
            if self._magazines:
                stock += self._magazines.pop()
            else:
                lines = [Line() for _ in range(MAGAZINE // 2)]
                stock += [Block(lines[number // 2]) for number in range(MAGAZINE)]
        block = stock.pop()
        yield (LOAD, block.line)
        yield (STORE, block.line)
        return block

    def give(self, thread, block):
        yield (STORE, block.line)
        stock = self._stocks.setdefault(thread, [])
        stock.append(block)
        if len(stock) >= 2 * MAGAZINE:
            yield (SWAP, self._depot)
            self._magazines.append(stock[:MAGAZINE])
            del stock[:MAGAZINE]
