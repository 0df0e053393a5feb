"""What is demanded of the kernels: the two lists beside this file."""

from dataclasses import dataclass

from sass import by_kernel_and_arch, describe, is_wide


class ListError(Exception):
    """A line of a list that does not read as its head says."""


@dataclass(frozen=True)
class Line:
    """The words of a line, the comment behind them, and where that is."""

    place: str
    words: tuple
    comment: str


def read_list(path):
    """The lines of a list that hold more than a comment."""
    for number, text in enumerate(path.read_text().splitlines(), start=1):
        content, _, comment = text.partition("#")
        if content.strip():
            yield Line(f"{path}:{number}", tuple(content.split()), comment.strip())


def accepted_spill(line):
    """(kernel, architecture) and bytes of a line in accepted-spills.txt."""
    if len(line.words) != 3 or not line.words[2].isdigit() or not line.comment:
        raise ListError(f"{line.place}: expected KERNEL ARCH BYTES # reason")
    kernel, arch, size = line.words
    return (kernel, arch), int(size)


def judge_spills(resources, path):
    """Spills beyond the accepted ones, and accepted ones that are gone."""
    accepted = dict(accepted_spill(line) for line in read_list(path))
    for each in resources:
        allowed = accepted.pop((each.kernel, each.arch), 0)
        if each.spilled > allowed:
            yield f"{each.kernel} spills {each.spilled} bytes on {each.arch}, accepted are {allowed}: {path}"
        elif each.spilled < allowed:
            yield f"{each.kernel} spills {each.spilled} bytes on {each.arch} only: lower that in {path}"
    for kernel, arch in accepted:
        yield f"{path}: there is no {kernel} for {arch}"


def wide_directions(line):
    """Kernel and directions of a line in wide.txt."""
    kernel, *directions = line.words
    if not directions or not set(directions) <= {"loads", "stores"}:
        raise ListError(f"{line.place}: expected KERNEL loads, stores or both")
    return kernel, directions


def judge_widths(accesses, path):
    """Listed kernels that move less than 16 bytes at a time."""
    for line in read_list(path):
        kernel, directions = wide_directions(line)
        items = sorted(accesses.items(), key=by_kernel_and_arch)
        found = [(arch, each) for (name, arch), each in items if name == kernel]
        if not found:
            yield f"{line.place}: there is no kernel {kernel}"
        for arch, each in found:
            for direction in directions:
                counts = getattr(each, direction)
                if not is_wide(counts):
                    yield f"{kernel} on {arch}: {direction} are not 16 bytes wide ({describe(counts)})"
