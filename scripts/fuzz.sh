#!/usr/bin/env bash
# Fuzzes all readers, or those that are named, for so many seconds each (60), and says how many
# inputs they were given.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-60}
# What minutes for all of them have to come to.
least=10000000
# Small valid inputs, from which libFuzzer starts, are made by the tests of the readers.
source .ci/build
cargo test "${build[@]}" --quiet -p fuzz-readers -- --ignored corpora_are_written
# libFuzzer wants flags that only other compilers take from everybody.
export RUSTC_BOOTSTRAP=1
# Lints are for what is built for users.
unset RUSTC_WORKSPACE_WRAPPER

shift $(($# > 0))
all=$(sed -n 's|^    { name = "\(\w*\)".*|\1|p' fuzz/Cargo.toml)
targets=${*:-$all}

# Files of readers are written to memory, and taken away by us: a fuzzer ends without.
found=$(mktemp -d)
TMPDIR=$(mktemp -d --tmpdir="$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")")
export TMPDIR
trap 'rm -rf "$found" "$TMPDIR"' EXIT

cargo fuzz build --sanitizer none
sum=0
for target in $targets; do
    # What it finds on its way is no part of the corpus in the repository.
    mkdir "$found/$target"
    cargo fuzz run --sanitizer none "$target" "$found/$target" "fuzz/corpus/$target" -- \
        -max_total_time="$seconds" -rss_limit_mb=1024 -timeout=5 -print_final_stats=1 -close_fd_mask=1 \
        > "$found/log" 2>&1 || { tail -n 50 "$found/log"; exit 1; }
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$found/log")
    printf '%-18s %10d\n' "$target" "$runs"
    sum=$((sum + runs))
done
printf '%-18s %10d\n' "together" "$sum"
if [ $# = 0 ] && [ "$seconds" -ge 60 ] && [ "$sum" -lt "$least" ]; then
    echo "fewer than $least executions: a reader has become slow, or the machine is" >&2
    exit 1
fi
