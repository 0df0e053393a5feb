#!/usr/bin/env bash
# Fuzzes all readers, or the named ones, SECONDS each (60), and prints the number of inputs:
#   scripts/fuzz.sh [SECONDS [TARGET…]]
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-60}
# Minimum number of inputs for runs of a minute or more over all targets.
minimum=10000000
# Small valid inputs, from which libFuzzer starts, are made by the tests of the readers.
source .ci/build
cargo test "${build[@]}" --quiet -p fuzz-readers -- --ignored corpora_are_written
# libFuzzer needs flags that stable compilers refuse without this.
export RUSTC_BOOTSTRAP=1
# No lints here.
unset RUSTC_WORKSPACE_WRAPPER

shift $(($# > 0))
all=$(sed -n 's|^    { name = "\(\w*\)".*|\1|p' fuzz/Cargo.toml)
targets=${*:-$all}

# Readers write files to memory; this script removes them, because a fuzzer ends without.
found=$(mktemp -d)
TMPDIR=$(mktemp -d --tmpdir="$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")")
export TMPDIR
trap 'rm -rf "$found" "$TMPDIR"' EXIT

cargo fuzz build --sanitizer none
sum=0
for target in $targets; do
    # New inputs go into a folder of their own, which is removed.
    mkdir "$found/$target"
    cargo fuzz run --sanitizer none "$target" "$found/$target" "fuzz/corpus/$target" -- \
        -max_total_time="$seconds" -rss_limit_mb=1024 -timeout=5 -print_final_stats=1 -close_fd_mask=1 \
        > "$found/log" 2>&1 || { tail -n 50 "$found/log"; exit 1; }
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$found/log")
    printf '%-18s %10d\n' "$target" "$runs"
    sum=$((sum + runs))
done
printf '%-18s %10d\n' "together" "$sum"
if [ $# = 0 ] && [ "$seconds" -ge 60 ] && [ "$sum" -lt "$minimum" ]; then
    echo "fewer than $minimum executions: a reader has become slow, or the machine is" >&2
    exit 1
fi
