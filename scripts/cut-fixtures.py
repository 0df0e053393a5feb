#!/usr/bin/env python3
"""Cuts the committed fixtures out of the full sets of the experiments' outputs.

    cut-fixtures.py SHARED            writes fixtures/
    cut-fixtures.py SHARED --check    compares fixtures/ with what would be written

SHARED is a folder with sts/ and tpc/. fixtures/README.md describes the files.
"""

import argparse
import array
import csv
import gzip
import io
import json
import struct
import sys
from collections import defaultdict
from pathlib import Path

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"

# Files that are small enough as they are.
COPIES = {
    "sts-unpack": ("sts/unpack", (
        "tiny.setup.json", "tiny.ts.bin.gz", "tiny.ts2023.bin.gz",
        "tiny.digis2026.bin.gz", "tiny.digis2023.bin.gz",
        "long.setup.json", "long.ts.bin.gz", "long.digis2026.bin.gz",
    )),
    "tpc-clusters": ("tpc/clusters", ("fragments.csv", "packing.csv", "random.cases.gz")),
}

# One module in twenty.
SHARE = 20
# Modules for each hard case.
HARD = 2
STRIPS = 1024
DIGIS = (b"STSDIGI1", "IHB")
CLUSTERS = (b"STSCLUS1", "fiffIf")
HITS = (b"STSHITS1", "fffIfffffff")

SECTOR = 35
VERSIONS = range(1, 6)
PAGE = 8192
RDH = 64
CRUS_IN_SECTOR = 10
BC_IN_ORBIT = 3564
BC_IN_TIME_BIN = 8
# The first row of each region.
REGIONS = (0, 17, 32, 48, 63, 81, 97, 113, 127, 140)


class Columns:
    """A file of columns: the numbers of each group, then column after column."""

    def __init__(self, magic, modules, counts, columns):
        self.magic, self.modules, self.counts, self.columns = magic, modules, counts, columns
        self.starts = [0]
        for count in counts:
            self.starts.append(self.starts[-1] + count)

    @classmethod
    def read(cls, path, layout):
        magic, types = layout
        content = gzip.decompress(path.read_bytes())
        modules, groups, total = struct.unpack_from("<IIQ", content, 8)
        offset = 24 + 4 * groups
        counts = struct.unpack_from(f"<{groups}I", content, 24)
        columns = []
        for each in types:
            column = array.array(each)
            end = offset + total * column.itemsize
            column.frombytes(content[offset:end])
            columns.append(column)
            offset = end
        assert content[:8] == magic and sum(counts) == total and offset == len(content), path
        return cls(magic, modules, counts, columns)

    def of(self, group, column):
        return self.columns[column][self.starts[group]:self.starts[group + 1]]

    def cut(self, modules):
        """The groups of some modules; where fronts and backs are groups, all fronts come first."""
        sides = len(self.counts) // self.modules
        groups = [module + side * self.modules for side in range(sides) for module in modules]
        columns = []
        for number, column in enumerate(self.columns):
            parts = (self.of(group, number) for group in groups)
            columns.append(array.array(column.typecode, b"".join(part.tobytes() for part in parts)))
        return Columns(self.magic, len(modules), [self.counts[group] for group in groups], columns)

    def total(self):
        return self.starts[-1]

    def content(self):
        head = struct.pack("<IIQ", self.modules, len(self.counts), self.total())
        counts = struct.pack(f"<{len(self.counts)}I", *self.counts)
        return self.magic + head + counts + b"".join(column.tobytes() for column in self.columns)


def hard_cases(digis, clusters, hits, setup):
    """How hard each module is, by kind."""
    modules = range(digis.modules)
    sides = [(module, digis.modules + module) for module in modules]

    def edges(module):
        return sum(
            channel in (0, STRIPS - 1) for side in sides[module] for channel in digis.of(side, 1))

    def border(module):
        """How far out the outermost hit is, in halves of the sensor."""
        shape = setup["modules"][module]
        ys = (abs(y - shape["translation"][1]) for y in hits.of(module, 1))
        return max(ys, default=0) / (shape["dY"] / 2)

    def pairs(module):
        """Pairs of strips next to each other that fire within the window, which is 21.2 ns."""
        times = defaultdict(list)
        for side in sides[module]:
            for time, channel in zip(digis.of(side, 0), digis.of(side, 1)):
                times[side, channel].append(time)
        window = range(-21, 22)
        near = {(side, channel, time + off) for (side, channel), all_times in times.items()
                for time in all_times for off in window}
        return sum((side, channel + 1, time) in near for (side, channel), all_times in times.items()
                   for time in all_times)

    digis_of = [digis.counts[front] + digis.counts[back] for front, back in sides]
    return {
        "most digis": digis_of,
        "fewest digis": [-count for count in digis_of],
        "fullest side": [max(digis.counts[side] for side in pair) for pair in sides],
        "most hits": hits.counts,
        "most hits per digi": [hits.counts[module] / digis_of[module] for module in modules],
        "largest clusters": [
            max(max(clusters.of(side, 1), default=0) for side in pair) for pair in sides],
        "most strips at edges": [edges(module) for module in modules],
        "hits at the border": [border(module) for module in modules],
        "most neighbours in time": [pairs(module) for module in modules],
        "first": [-module for module in modules],
        "last": list(modules),
    }


def chosen_modules(cases, modules):
    chosen = set()
    for hardness in cases.values():
        by_hardness = sorted(range(modules), key=lambda module: (-hardness[module], module))
        chosen.update(by_hardness[:HARD])
    others = [module for module in range(modules) if module not in chosen]
    wanted = -(-modules // SHARE) - len(chosen)
    chosen.update(others[len(others) * number // wanted] for number in range(wanted))
    return sorted(chosen)


def setup_text(setup):
    """A module a line."""
    modules = setup.pop("modules")
    lines = [f'"{name}": {json.dumps(value)}' for name, value in setup.items()]
    listed = ",\n  ".join(json.dumps(module) for module in modules)
    return ("{" + ",\n".join(lines) + ',\n"modules": [\n  ' + listed + "\n]}\n").encode()


def sts_chain(shared):
    folder = shared / "sts/fixtures"
    setup = json.loads((folder / "full.params.json").read_text())
    layouts = {"digis": DIGIS, "clusters": CLUSTERS, "hits": HITS}
    full = {name: Columns.read(folder / f"full.{name}.bin.gz", layout)
            for name, layout in layouts.items()}
    assert all(columns.modules == len(setup["modules"]) for columns in full.values())
    modules = chosen_modules(hard_cases(**full, setup=setup), len(setup["modules"]))
    cut = {name: columns.cut(modules) for name, columns in full.items()}
    kept = ("units", "asic", "cuts", "landau", "generator", "side_index")
    cut_setup = {
        "name": "modules",
        **{name: setup[name] for name in kept},
        "n_modules": len(modules),
        "n_module_sides": 2 * len(modules),
        "n_channels_per_side": setup["n_channels_per_side"],
        "counts": {name: columns.total() for name, columns in cut.items()},
        "modules_of_full_set": modules,
        "modules": [setup["modules"][module] for module in modules],
    }
    yield "sts-chain/modules.params.json", setup_text(cut_setup)
    for name, columns in cut.items():
        yield f"sts-chain/modules.{name}.bin.gz", columns.content()


def rows(path):
    return [[int(field) for field in row] for row in list(csv.reader(path.open()))[1:]]


def samples_by_channel(pages, first_orbit):
    """Time bins and ADC values of each channel (endpoint, card, channel) in pages of version 3."""
    samples = defaultdict(set)
    for start in range(0, len(pages), PAGE):
        page = pages[start:start + PAGE]
        if struct.unpack_from("<H", page, 10)[0] == RDH:
            continue
        orbit, = struct.unpack_from("<I", page, 20)
        fee, = struct.unpack_from("<H", page, 2)
        version, _, cru, offset, count, first, links = struct.unpack_from("<BBHHHHH", page, RDH)
        assert version == 3 and cru == fee >> 7
        endpoint = 2 * (cru % CRUS_IN_SECTOR) + (fee >> 6 & 1)
        before = BC_IN_ORBIT * ((orbit - first_orbit) % 2**32) + offset
        at, found = RDH + 16 + 16 * first, 0
        for _ in range(links):
            mask = int.from_bytes(page[at:at + 10], "little")
            word, = struct.unpack_from("<H", page, at + 10)
            card = page[at + 13]
            time = (before + (word & 0xFFF)) // BC_IN_TIME_BIN
            at += 16
            channels = [channel for channel in range(80) if mask >> channel & 1]
            for number, channel in enumerate(channels):
                five, = struct.unpack_from("<Q", page, at + 8 * (number // 5))
                samples[endpoint, card, channel].add((time, five >> 12 * (number % 5) & 0xFFF))
            at += 16 * (word >> 12)
            found += len(channels)
        assert found == count
    return samples


def wiring(pages, first_orbit, digits):
    """Which pad each channel reads, as pages and digits tell. Pads of a region with the same samples
    can't be told apart: any of them is right."""
    of_pads = defaultdict(set)
    for row, pad, time, adc, _ in digits:
        of_pads[row, pad].add((time, adc))
    alike = defaultdict(lambda: ([], []))
    for (row, pad), samples in of_pads.items():
        region = sum(row >= first for first in REGIONS) - 1
        alike[region, frozenset(samples)][0].append((row, pad))
    for (endpoint, card, channel), samples in samples_by_channel(pages, first_orbit).items():
        alike[endpoint // 2, frozenset(samples)][1].append((endpoint, card, channel))
    wires = {}
    for (region, _), (pads, channels) in alike.items():
        assert len(pads) == len(channels)
        for (endpoint, card, channel), pad in zip(sorted(channels), sorted(pads)):
            wires[region, endpoint, card, channel] = pad
    return wires, of_pads


def check_wiring(wires, of_pads, table):
    """Compares with the experiment's own table, but for pads that can't be told apart."""
    right = {tuple(row[:4]): tuple(row[6:]) for row in rows(table)}
    assert all(of_pads[right[channel]] == of_pads[pad] for channel, pad in wires.items())
    same = sum(right[channel] == pad for channel, pad in wires.items())
    print(f"wiring: {len(wires)} channels, {same} as in {table}, the others read the same samples")


def tpc_pages(shared):
    folder = shared / "tpc/fixtures"
    meta = (folder / "meta.csv").read_text().splitlines()
    own = [line for line in meta[1:] if line.startswith(f"{SECTOR},")]
    yield "tpc-pages/meta.csv", "\n".join([meta[0], *own, ""]).encode()
    digits = folder / f"s{SECTOR}.digits.csv"
    yield f"tpc-pages/{digits.name}.gz", digits.read_bytes()
    for version in VERSIONS:
        name = f"v{version}_s{SECTOR}"
        yield f"tpc-pages/{name}.index.csv", (folder / f"{name}.index.csv").read_bytes()
        yield f"tpc-pages/{name}.pages.gz", (folder / f"{name}.pages").read_bytes()
    first_orbit = int(own[0].split(",")[1])
    pages = (folder / f"v3_s{SECTOR}.pages").read_bytes()
    wires, of_pads = wiring(pages, first_orbit, rows(digits))
    check_wiring(wires, of_pads, shared / "tpc/mapping/link_map.csv")
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(("region", "endpoint", "fec_in_partition", "raw_fec_channel", "row", "pad"))
    table.writerows((*channel, *pad) for channel, pad in sorted(wires.items()))
    yield "tpc-pages/wiring.csv.gz", text.getvalue().encode()


def copies(shared):
    for folder, (origin, names) in COPIES.items():
        for name in names:
            path = shared / origin / name
            yield f"{folder}/{name}", path.read_bytes()


def packed(name, content):
    is_packed = content[:2] == b"\x1f\x8b"
    return gzip.compress(content, 9, mtime=0) if name.endswith(".gz") and not is_packed else content


def unpacked(content):
    return gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("shared", type=Path)
    parser.add_argument("--check", action="store_true")
    return parser.parse_args()


def main():
    options = arguments()
    made = {name: content for part in (copies, sts_chain, tpc_pages)
            for name, content in part(options.shared)}
    if not options.check:
        for name, content in made.items():
            path = FIXTURES / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(packed(name, content))
        return 0
    there = {str(path.relative_to(FIXTURES)) for path in FIXTURES.rglob("*") if path.is_file()}
    # Compressed bytes depend on the version of zlib.
    differ = [name for name in made if name not in there
              or unpacked((FIXTURES / name).read_bytes()) != unpacked(made[name])]
    differ += sorted(there - set(made) - {"README.md", "mod.rs"})
    for name in differ:
        print(f"fixtures/{name} differs; run this without --check", file=sys.stderr)
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
