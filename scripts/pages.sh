#!/usr/bin/env bash
# Makes the project's site: a page that leads to the book, to pages of the runs of a store, and to the
# machines of kept runs. It publishes nothing. OUT opens from the file system, too.
#
#   scripts/pages.sh OUT
#
#   BENCH   this binary instead of one that is built
#   STORE   a store of runs; without one, the kept runs of tasks and suites are shown    [results/store]
#   RUNS    kept runs                                            [docs/results]
#   BOOK    "required" ends with an error where there is no mdBook, "none" leaves the book out; else it is
#           left out where there is no mdBook, and the page says so
set -euo pipefail
out=$(realpath -m "${1:?usage: scripts/pages.sh OUT}")
store=$(realpath -m "${STORE:-results/store}")
runs=$(realpath -m "${RUNS:-docs/results}")
if [ -n "${BENCH:-}" ]; then bench=$(realpath "$BENCH"); fi
cd "$(dirname "$0")/.."

# Only what was made by this script is overwritten.
mark=$out/.recobench-pages
if [ -d "$out" ] && [ -n "$(ls -A "$out")" ] && [ ! -e "$mark" ]; then
    echo "pages: $out has other files: name a folder that is empty or not there" >&2
    exit 2
fi
if [ -z "${bench:-}" ]; then
    cargo build --locked --release --bin bench
    bench=${CARGO_TARGET_DIR:-$PWD/target}/release/bench
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf "$out"
mkdir -p "$out"
touch "$mark"
items=$work/items.html
touch "$work/added.txt" "$work/refused.txt"

# An entry of the page.
item() { printf '<li><a href="%s">%s</a>: %s</li>\n' "$@" >> "$items"; }

if [ "${BOOK:-}" != none ] && command -v mdbook > /dev/null; then
    mdbook build docs --dest-dir "$out/book"
    item book/index.html "Book" "how to install and use recobench, and how it measures"
elif [ "${BOOK:-}" = required ]; then
    echo "pages: there is no mdbook: cargo install --locked mdbook" >&2
    exit 1
else
    echo "skipped: the book: no mdbook"
    echo "<li>Book: not built here</li>" >> "$items"
fi

title="Runs of the store"
if [ ! -d "$store" ]; then
    title="Kept runs"
    store=$work/store
    # Runs of streams have pages of their own form, and are refused.
    find "$runs" -name run.json -printf '%h\n' | sort | while read -r run; do
        "$bench" history add "$run" --store "$store" >> "$work/added.txt" 2>> "$work/refused.txt" || true
    done
    if [ ! -s "$work/added.txt" ]; then
        cat "$work/refused.txt" >&2
        echo "pages: $runs has no run for the site" >&2
        exit 1
    fi
    echo "kept runs: $(wc -l < "$work/added.txt") added, $(wc -l < "$work/refused.txt") lines about others"
fi
"$bench" site --store "$store" --title "$title" --out "$out/runs"
item runs/index.html "$title" "points over time, changes, and a report of each run"

"$bench" machines "$runs" --out "$out/machines" > "$work/machines.txt"
item machines/machines.html "Machines" "side by side, by rates on equal data"

# GitHub's own processing of pages would drop files that begin with an underscore.
touch "$out/.nojekyll"
cat > "$out/index.html" << PAGE
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>recobench</title>
<style>body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem }</style>
</head>
<body>
<h1>recobench</h1>
<p>A performance lab for online reconstruction in particle physics: algorithms of CBM, ALICE and LHCb on CPUs and GPUs,
each result checked before it is timed.</p>
<ul>
$(cat "$items")</ul>
<p>$("$bench" --version)$(git log -1 --format=', commit %h of %cs' 2> /dev/null || true)</p>
</body>
</html>
PAGE

# Links of the page lead to files.
grep -o 'href="[^"]*"' "$out/index.html" | cut -d '"' -f 2 | while read -r link; do
    [ -s "$out/$link" ] || { echo "pages: $link is missing" >&2; exit 1; }
done
echo "pages: $out/index.html"
