"""Tables of the best results in README.md and docs/results-at-a-glance.md."""

import csv
import json
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BEGIN = "<!-- headline -->"
END = "<!-- /headline -->"


@dataclass(frozen=True)
class Result:
    """A row: one setting of one kept run, and the variants that are compared."""

    task: str
    data: str
    run: str
    timed: str
    ours: str
    published: str
    library: str = ""
    threads: str = ""
    params: str = ""
    in_readme: bool = False


RESULTS = [
    Result("sort digis", "187.5 M random digis, 1792 module sides", "sort-cuda-1792", "kernel",
           "channel-bucket", "block-merge", "cub-radix-composite", params="order=random",
           in_readme=True),
    Result("sort digis", "the same, 24 module sides", "sort-cuda", "kernel",
           "channel-bucket", "block-merge", "cub-radix-composite", params="order=random"),
    Result("sort digis", "20 M random digis, 24 module sides", "sort-cpu-16", "total",
           "channel-bucket", "cpp-std-sort", "voracious", threads="16",
           params="order=random;segments=24", in_readme=True),
    Result("STS chain: digis to hits", "17.2 M digis, Au+Au, one timeslice", "sts-cuda", "total",
           "balanced-overlapped", "online", in_readme=True),
    Result("STS chain: digis to hits", "the same", "sts-cpu", "total", "time-sweep", "online",
           threads="16"),
    Result("unpack STS raw data", "200 M messages", "unpack-cuda", "kernel", "tiles",
           "epoch-parallel"),
    Result("decode TPC pages", "352 M samples, dense link format", "decode-cuda", "kernel", "fused",
           "ballot-scan", in_readme=True),
    Result("find TPC clusters", "66.7 M samples, 36 sectors", "clusters-cuda", "kernel", "fused",
           "published", in_readme=True),
    Result("TPC chain: pages to clusters", "36 sectors, 4 orbits", "tpc-cuda", "total", "fused",
           "published"),
    Result("find noisy TPC pads", "36 sectors, 4 orbits", "noisy-pads-cuda", "kernel", "bit-runs",
           "cache-line", params="occupancy=0.07"),
    Result("merge TPC tracks", "30 M slice tracks", "merge-cuda", "total", "buckets",
           "components-blocks", params="ids=local", in_readme=True),
    Result("gather TPC clusters", "1.9 GB of compressed clusters", "gather-cuda", "total", "chunks",
           "multi-block", "cub-memcpy-batched"),
]


def read_rows(result: Result) -> dict[str, dict[str, str]]:
    """The rows of a result's setting by variant; exactly one of each is required."""
    on_gpu = result.run.endswith("-cuda") or "-cuda-" in result.run
    wanted = set(filter(None, result.params.split(";")))
    rows: dict[str, dict[str, str]] = {}
    with open(ROOT / "docs/results" / result.run / "summary.csv", newline="") as file:
        for row in csv.DictReader(file):
            is_wanted = (
                row["stage"] == result.timed
                and row["median_s"]
                and row["valid"] == "yes"
                and (row["device"] != "cpu") == on_gpu
                and result.threads in ("", row["threads"])
                and wanted <= set(row["params"].split(";"))
            )
            if not is_wanted:
                continue
            if row["variant"] in rows:
                sys.exit(f"{result.run}: {row['variant']} has several rows: name more params")
            rows[row["variant"]] = row
    return rows


def three_digits(value: float) -> str:
    """Three significant digits of a number from 0.1 to 999, without an exponent."""
    decimals = 3 - len(str(int(value))) if value >= 1 else 3
    return f"{value:.{decimals}f}"


def time_of(row: dict[str, str], ours: dict[str, str] | None) -> str:
    milliseconds = float(row["median_s"]) * 1e3
    text = f"{three_digits(milliseconds)} ms"
    if ours is None:
        return f"**{text}**"
    ratio = float(row["median_s"]) / float(ours["median_s"])
    return f"{text} · {ratio:.{0 if ratio >= 10 else 1}f} ×"


def share_of(row: dict[str, str]) -> str:
    is_link = row["stage"] == "total" and row["device"] != "cpu"
    return f"{float(row['peak_fraction']) * 100:.0f} % of {'link' if is_link else 'copy'}"


def machine_of(result: Result) -> str:
    machine = json.loads((ROOT / "docs/results" / result.run / "run.json").read_text())["machine"]
    if result.threads:
        return f"Xeon, {result.threads} threads"
    gpu = machine["gpus"][0]["model"].removeprefix("NVIDIA ").split()[0]
    return f"{gpu}, {'kernels' if result.timed == 'kernel' else 'end to end'}"


def table(results: list[Result], prefix: str) -> str:
    lines = [
        "| task | data | where | published | best library | recobench | share of peak | run |",
        "|---|---|---|--:|--:|--:|--:|---|",
    ]
    for result in results:
        rows = read_rows(result)
        ours = rows[result.ours]
        library = time_of(rows[result.library], ours) if result.library else ""
        link = f"[{result.run}]({prefix}results/{result.run}/run.json)"
        cells = [result.task, result.data, machine_of(result), time_of(rows[result.published], ours),
                 library, time_of(ours, None), share_of(ours), link]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def with_headline(name: str, page: str) -> str:
    """The page with its table between the markers, if it is one of the pages that have one."""
    if name == "README.md":
        return with_text(name, page, table([it for it in RESULTS if it.in_readme], "docs/"))
    if name == "docs/results-at-a-glance.md":
        return with_text(name, page, table(RESULTS, ""))
    return page


def with_text(name: str, page: str, text: str) -> str:
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        sys.exit(f"{name}: no {BEGIN} … {END}; write these markers where the table belongs")
    return f"{before}{BEGIN}\n{text}\n{END}{after}"
