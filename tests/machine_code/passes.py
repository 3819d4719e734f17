"""What the threads of a kernel do again and again: one pass through the loops that move its data.

Nothing is run. Of all ways through the code one is taken: the one with most products on tensor cores, of these the one
with most bytes by the kernel's widest accesses, with the fewest other accesses, calls and other loops, with most
instructions. That is the way of whole packs and few dimensions, with all that is optional; beside it are the ends of
arrays and the rare values that a call handles. Each loop is gone through once. The pass is what lies in the innermost
loops with products (of float32: over tiles in shared memory), or else with the widest accesses; where these are in no
loop, the whole way.
"""

import typing

from control_flow import Function, blocks_of
from cubins import LOADS, STORES
from instructions import CALL, FFMA, HMMA, LDS, Instruction


class Pass(typing.NamedTuple):
    instructions: list[Instruction]
    repeats: bool  # whether there are loops within it: more instructions than these, nobody knows how many
    products: int | None  # the opcode of its products, of tiles


class Value(typing.NamedTuple):
    """Of a way: the largest is taken."""

    products: int = 0
    wide_bytes: int = 0
    others: int = 0  # other accesses, calls and loops, negated
    instructions: int = 0

    def plus(self, other):
        return Value(*(a + b for a, b in zip(self, other, strict=True)))


class Code:
    """The machine code of a kernel."""

    def __init__(self, code):
        self.blocks = blocks_of(code)
        every = [one for block in self.blocks.values() for one in block.instructions]
        self.widest_load = max((one.width for one in every if one.opcode in LOADS), default=0)
        self.widest_store = max((one.width for one in every if one.opcode in STORES), default=0)
        self.called = {}

    def call(self, entry):
        """(the instructions, their value) of a function that it calls."""
        if entry not in self.called:
            self.called[entry] = [], Value()  # where it calls itself
            way, value = Function(self.blocks, entry).best_way(self.value, Value())
            self.called[entry] = [one for block in way for one in self.carried_out(block)], value
        return self.called[entry]

    def is_wide(self, one):
        widest = self.widest_load if one.opcode in LOADS else self.widest_store if one.opcode in STORES else None
        return one.width == widest

    def value_of(self, one):
        if one.opcode == CALL:
            value = self.call(one.target)[1]
            return value if value.wide_bytes else Value(others=-1)
        wide = self.is_wide(one)
        other = one.opcode in LOADS or one.opcode in STORES
        return Value(one.opcode == HMMA, one.width if wide else 0, -1 if other and not wide else 0, 1)

    def value(self, block):
        total = Value()
        for one in self.blocks[block].instructions:
            total = total.plus(self.value_of(one))
        return total

    def carried_out(self, block):
        for one in self.blocks[block].instructions:
            yield one
            if one.opcode == CALL:
                yield from self.call(one.target)[0]

    def multiplies_tiles(self, body):
        """Whether a loop does little but multiply what lies in shared memory, in float32."""
        opcodes = [one.opcode for block in body for one in self.blocks[block].instructions]
        moves = any(opcode in LOADS or opcode in STORES for opcode in opcodes)
        return LDS in opcodes and opcodes.count(FFMA) > len(opcodes) / 2 and not moves

    def loops_of_pass(self, function, way, products):
        """(the loops, the opcode of the products in them)."""
        tiles = [loop for loop, body in function.loops.items() if self.multiplies_tiles(body)]
        if tiles:
            return tiles, FFMA
        values = {block: self.value(block) for block in way}
        if products:
            return function.innermost_loops([block for block in way if values[block].products]), HMMA
        return function.innermost_loops([block for block in way if values[block].wide_bytes]), None

    def is_beside(self, body):
        """Whether a loop is one that is left out where it can be: coordinates of many dimensions, rare values."""
        values = [self.value(block) for block in body]
        return not any(value.products or value.wide_bytes for value in values) and not self.multiplies_tiles(body)

    def one_pass(self):
        function = Function(self.blocks, 0)
        beside = {first for first, body in function.loops.items() if self.is_beside(body)}
        way, value = function.best_way(lambda block: self.value(block).plus(Value(others=-(block in beside))), Value())
        loops, products = self.loops_of_pass(function, way, value.products)
        inside = [block for block in way if any(block in function.loops[loop] for loop in loops)] or way
        repeats = any(
            loop not in loops and body.intersection(inside) and not any(function.loops[own] <= body for own in loops)
            for loop, body in function.loops.items()
        )
        return Pass([one for block in inside for one in self.carried_out(block)], repeats, products)
