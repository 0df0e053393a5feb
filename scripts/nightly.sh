#!/usr/bin/env bash
# The nightly performance check: build, verify, feed damaged data to decoders, count
# what is found in whole presets, measure a suite in turn with the accepted run, store it,
# look for changes over all runs, report.
#
#   scripts/nightly.sh [SUITE]        smoke, nightly (default) or a file
#
#   BENCH     this binary instead of one that is built
#   RESULTS   where everything goes   [results/nightly]
#   STORE     the store of runs       [results/store]
#   KEEP      runs to keep            [100]
#   VERIFY    tasks to verify, such as "sort sts"      [all]
#   SCHEDULES orders of turns in which kernels are verified on the emulator, 0
#             for not at all; some minutes each  [8 for nightly, 0 for smoke]
#   FLAGS     more flags of `bench run`, such as "--budget 10m"
#
# The exit code is that of the first step that found something: 3 a wrong
# output, 4 a regression, others as in the README.
set -euo pipefail
suite=${1:-nightly}
# A file is named from where the script was started.
if [ -f "$suite" ]; then suite=$(realpath "$suite"); fi
if [ -n "${BENCH:-}" ]; then BENCH=$(realpath "$BENCH"); fi
cd "$(dirname "$0")/.."

results=${RESULTS:-results/nightly}
store=${STORE:-results/store}
schedules=${SCHEDULES:-8}
limits=""
# A minute's suite is not preceded by a minute of large inputs.
if [ "$suite" = smoke ]; then schedules=${SCHEDULES:-0} limits="--seeds 1 --max-items 10000"; fi
run="$results/$(date -u +%Y%m%dT%H%M%SZ)"
page="$run/report.html"
summary="$run/summary.md"
status=0

step() {
    printf '\n== %s (%d s)\n' "$1" "$SECONDS"
}

# Goes on after a step that found something: what was measured is to be
# stored and reported in any case.
found() {
    local code=0
    "$@" || code=$?
    if [ "$status" = 0 ]; then status=$code; fi
}

# Ends with a code.
exit_code() {
    return "$1"
}

bench=${BENCH:-$PWD/target/release/bench}
if [ -z "${BENCH:-}" ]; then
    step "build"
    cargo build --locked --release
fi

step "verify"
# shellcheck disable=SC2086 # several flags
found "$bench" verify ${VERIFY:-} --quiet $limits
if [ "$schedules" != 0 ] && command -v c++ > /dev/null; then
    for flags in "" "--lanes 64" "--races"; do
        # shellcheck disable=SC2086 # several flags
        found "$bench" verify ${VERIFY:-} --device emulator --quiet --schedules "$schedules" $flags
    done
fi

if [ "$suite" != smoke ]; then
    step "what takes minutes: damaged data, whole presets, simulated series"
    found cargo test --locked --release -- --ignored damaged_pages whole_presets many_series
fi

step "measure: $suite"
# In turn with the accepted run, where there is one whose executable was kept; the exit code
# is 2 where there is none.
code=0
# shellcheck disable=SC2086 # several flags
"$bench" run "$suite" --against accepted --out "$run" --store "$store" \
    --format "markdown=$run.verdict.md" --format "json=$run.verdict.json" \
    --format "junit=$run.verdict.xml" ${FLAGS:-} || code=$?
if [ "$code" = 2 ]; then
    # shellcheck disable=SC2086 # several flags
    found "$bench" run "$suite" --out "$run" --store "$store" ${FLAGS:-}
else
    found exit_code "$code"
    for ending in md json xml; do
        if [ -s "$run.verdict.$ending" ]; then mv "$run.verdict.$ending" "$run/verdict.$ending"; fi
    done
fi
if [ ! -s "$run/summary.csv" ]; then
    echo "nightly: nothing was measured" >&2
    exit "$status"
fi
found "$bench" history accept latest --if-none --note "the first run" --store "$store"

step "history"
# Over all runs of the store; what is all right is in STORE/accepted-shifts.toml.
found "$bench" history changes --check --format markdown --store "$store" \
    --out "$run/history" > "$run/changes.md"

step "report"
# Without a comparison the run is reported by itself.
report() {
    local comparison=()
    if [ -s "$run/verdict.json" ]; then comparison=(--comparison "$run/verdict.json"); fi
    "$bench" report "$run" ${comparison[@]+"${comparison[@]}"} --store "$store" --out "$1"
}
found report "$page"
found report "$run/report.md"
for part in "$run/verdict.md" "$run/changes.md" "$run/report.md"; do
    if [ -s "$part" ]; then cat "$part" >> "$summary"; fi
done
# The page of the job, where the server has one.
if [ -n "${GITHUB_STEP_SUMMARY:-}" ] && [ -s "$summary" ]; then
    cat "$summary" >> "$GITHUB_STEP_SUMMARY"
fi
found "$bench" history prune --keep "${KEEP:-100}" --store "$store"

step "done"
echo "report: $page"
echo "exit code: $status"
exit "$status"
