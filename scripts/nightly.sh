#!/usr/bin/env bash
# The nightly performance check: build, verify, feed damaged data to decoders, count
# what is found in whole presets, measure a suite in turn with the accepted run, store it,
# look for changes over all runs, report.
#
#   scripts/nightly.sh [SUITE]        smoke, nightly (default) or a file
#
#   BENCH     this binary instead of one that is built
#   RESULTS   where everything goes   [results/nightly]
#   STORE     the store of runs, in a folder that lasts       [results/store]
#   ACCEPT    whether this run becomes the baseline: "first" if no run of the suite
#             was ever accepted, 1, or 0       [first]
#   KEEP      runs to keep            [100]
#   KEEP_EXECUTABLES   executables to keep, besides those of accepted runs     [10]
#   VERIFY    tasks to verify, such as "sort sts"      [all]
#   SCHEDULES orders of turns in which kernels are verified on the emulator, 0
#             for not at all; some minutes each  [8 for nightly, 0 for smoke]
#   FLAGS     more flags of `bench run`, such as "--budget 10m"
#
# The exit code is that of the first step that found something: 3 a wrong
# output, 4 a regression, 5 nothing to compare with although the suite had a
# baseline, others as in docs/cookbook.md.
set -euo pipefail
suite=${1:-nightly}
# A file is named from where the script was started.
if [ -f "$suite" ]; then suite=$(realpath "$suite"); fi
if [ -n "${BENCH:-}" ]; then BENCH=$(realpath "$BENCH"); fi
cd "$(dirname "$0")/.."

accept=${ACCEPT:-first}
case $accept in
    first | 0 | 1) ;;
    *) echo "nightly: ACCEPT is first, 1 or 0, not $accept" >&2; exit 2 ;;
esac
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
    # Kernels are verified on the emulator.
    cargo build --locked --release --bin bench --features emulator
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
# A suite that has no baseline yet is measured by itself. One whose baseline is lost, or is of
# another machine, as well, but then the exit code says that nothing was compared.
code=0
baseline=$("$bench" history baseline "$suite" --store "$store") || code=$?
if [ "$accept" != 1 ]; then found exit_code "$code"; fi
if [ -n "$baseline" ]; then
    code=0
    # shellcheck disable=SC2086 # several flags
    "$bench" run "$suite" --against "$baseline" --out "$run" --store "$store" \
        --format "markdown=$run.verdict.md" --format "json=$run.verdict.json" \
        --format "junit=$run.verdict.xml" ${FLAGS:-} || code=$?
    found exit_code "$code"
    for ending in md json xml; do
        if [ -s "$run.verdict.$ending" ]; then mv "$run.verdict.$ending" "$run/verdict.$ending"; fi
    done
else
    # shellcheck disable=SC2086 # several flags
    found "$bench" run "$suite" --out "$run" --store "$store" ${FLAGS:-}
fi
if [ ! -s "$run/summary.csv" ]; then
    echo "nightly: nothing was measured" >&2
    exit "$status"
fi
# Accepts this very run, which may not be the latest of the store.
accept_run() {
    local stored
    stored=$("$bench" history add "$run" --store "$store") || return
    "$bench" history accept "${stored%%:*}" --store "$store" "$@"
}
case $accept in
    1) found accept_run --note "accepted by ACCEPT=1" ;;
    # Only what was found to be right, and where no run was ever accepted.
    first) if [ "$status" = 0 ]; then found accept_run --if-none --note "the first run"; fi ;;
    0) if [ -z "$baseline" ]; then
        echo "nightly: nothing was compared: no run is accepted; ACCEPT=1 accepts one" >&2
        found exit_code 5
    fi ;;
esac

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
found "$bench" history prune --keep "${KEEP:-100}" \
    --keep-executables "${KEEP_EXECUTABLES:-10}" --store "$store"

step "done"
echo "report: $page"
echo "exit code: $status"
exit "$status"
