"""The blocks of machine code, its loops, and the best way through it."""

import typing

from instructions import CALL, Instruction, instructions


class Block(typing.NamedTuple):
    instructions: list[Instruction]  # one follows the other
    following: list[int]  # the blocks that may come next


def blocks_of(code):
    """A call ends a block, too."""
    listed = instructions(code)
    ends = {i + 1 for i, one in enumerate(listed) if one.target is not None or not one.falls_through}
    targets = {one.target for one in listed if one.target is not None}
    begins = sorted(({0} | targets | ends) - {len(listed)})
    found = {}
    for begin, end in zip(begins, [*begins[1:], len(listed)], strict=True):
        last = listed[end - 1]
        following = [end] if last.falls_through and end < len(listed) else []
        if last.target is not None and last.opcode != CALL:
            following.append(last.target)
        found[begin] = Block(listed[begin:end], following)
    return found


def depth_first(following, entry):
    """(the blocks that are reached, each after those that follow it; the edges that close a loop)."""
    done, closing, seen, open_blocks = [], set(), {entry}, {entry}
    stack = [(entry, iter(following[entry]))]
    while stack:
        block, others = stack[-1]
        other = next(others, None)
        if other is None:
            stack.pop()
            open_blocks.discard(block)
            done.append(block)
        elif other in open_blocks:
            closing.add((block, other))
        elif other not in seen:
            seen.add(other)
            open_blocks.add(other)
            stack.append((other, iter(following[other])))
    return done, closing


class Function:
    """A kernel or what it calls: the blocks that are reached from its first one."""

    def __init__(self, blocks, entry):
        self.entry = entry
        following = {begin: block.following for begin, block in blocks.items()}
        reached, self.closing = depth_first(following, entry)
        self.following = {block: following[block] for block in reached}
        self.loops = self.find_loops()

    def find_loops(self):
        """{first block: the blocks of the loop}."""
        before = {block: [] for block in self.following}
        for block, following in self.following.items():
            for other in following:
                before[other].append(block)
        found = {}
        for last, first in self.closing:
            body, left = found.setdefault(first, {first}), [last]
            while left:
                block = left.pop()
                if block not in body:
                    body.add(block)
                    left += before[block]
        return found

    def onward(self, block, left=()):
        """The blocks that come next; where a loop begins anew, those after it."""
        for other in self.following[block]:
            if (block, other) not in self.closing:
                yield other
            elif other not in left:
                for inner in self.loops[other]:
                    yield from (out for out in self.onward(inner, (*left, other)) if out not in self.loops[other])

    def best_way(self, value, nothing):
        """(its blocks, its value): the way from the first block to an end, through each loop once, of the largest sum.

        value(block) is one block's; values are compared, and one.plus(other) adds them to `nothing`.
        """
        onward = {block: sorted(set(self.onward(block))) for block in self.following}
        best = {}
        for block in depth_first(onward, self.entry)[0]:
            ways = [(best[other][0], other) for other in onward[block] if other in best]
            rest, other = max(ways, default=(nothing, None))
            best[block] = value(block).plus(rest), other
        way, block = [], self.entry
        while block is not None:
            way.append(block)
            block = best[block][1]
        return way, best[self.entry][0]

    def innermost_loops(self, blocks):
        """The loops with one of the blocks that have none within them."""
        around = {min(having, key=lambda loop: len(self.loops[loop])) for block in blocks if (having := self.around(block))}
        return [loop for loop in around if not any(self.loops[inner] < self.loops[loop] for inner in around)]

    def around(self, block):
        return [loop for loop, body in self.loops.items() if block in body]
