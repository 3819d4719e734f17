"""Numbers and columns of the benchmarks' tables."""


def significant(value):
    """Three significant digits."""
    return f"{value:.{2 if value < 9.995 else 1 if value < 99.95 else 0}f}"


def time_text(nanoseconds):
    for unit, size in (("ns", 1), ("µs", 1e3), ("ms", 1e6)):
        if nanoseconds / size < 999.5:
            return f"{significant(nanoseconds / size)} {unit}"
    return f"{significant(nanoseconds / 1e9)} s"


def bandwidth_text(count, nanoseconds):
    return f"{significant(count / nanoseconds)} GB/s"


def aligned(rows):
    """The rows in columns, the titles first; a column that is empty below its title is left out.

    The first two columns and the last are flush left.
    """
    lines = [""] * len(rows)
    for column in range(len(rows[0])):
        cells = [row[column] for row in rows]
        if not any(cells[1:]):
            continue
        width = max(map(len, cells))
        left = column < 2 or column == len(rows[0]) - 1
        for number, cell in enumerate(cells):
            lines[number] += ("  " if lines[number] else "") + (cell.ljust(width) if left else cell.rjust(width))
    return "".join(line.rstrip() + "\n" for line in lines)
