#!/usr/bin/env bash
# What there is to say about a GPU, in three parts of up to ten minutes each: verifies their
# kernels on it, measures and reports.
#
#   scripts/gpu-results.sh [first|second|third] [--out DIR] [--dry-run]
#
#   first        the main tables, from which size on it is worth it, decoding, noisy pads, clusters
#   second       the STS chain, merging tracks, gathering clusters
#   third        the VELO
#                [all]
#
#   --out DIR    where everything goes  [results/gpu-<UTC time>]
#   --dry-run    say what would be run; needs neither a GPU nor the binary
#
#   BENCH=FILE   this binary, rather than one that cargo builds first
#   FLAGS        more flags of `bench verify` and `bench run`
#
# The GPU is cuda:0; CUDA_VISIBLE_DEVICES makes another one that. A step that fails
# or takes too long does not keep the others from running. DIR/steps.md says what
# came of each, DIR/STEP.txt and DIR/STEP.log hold what it printed. The same command
# with the same DIR goes on where it stopped.
#
# The exit code is 3 if any output was wrong, 5 without a GPU, else that of the first
# step that failed; 124 stands for a step that was stopped at its time limit.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# step NAME SECONDS ARGUMENT…: a command of bench with its time limit. A task more
# is a line more; the limits of a part add up to ten minutes at most.
steps() {
    case $part in
        first) check sort unpack decode noisy-pads cluster-finder tpc; first_part ;;
        second) check presort cluster cluster-sort hits collect sts merge gather; second_part ;;
        third) check velo velo-cluster velo-decode velo-sort velo-tracks; third_part ;;
        all) check; first_part; second_part; third_part ;;
    esac
}

first_part() {
    measure gpu-sort 200 --budget 95s
    measure gpu-break-even 75 --budget 45s
    measure gpu-decode 70 --budget 35s
    measure gpu-noisy-pads 30 --budget 8s
    measure gpu-clusters 45 --budget 12s
}

second_part() {
    measure gpu-sts 150 --budget 40s
    measure gpu-merge 170 --budget 20s
    measure gpu-gather 140 --budget 30s
}

third_part() {
    measure gpu-velo 300 --budget 200s
}

# check TASK…: are the kernels right, and what can the machine do?
check() {
    # shellcheck disable=SC2086 # several flags
    step verify 45 verify "$@" --device cuda:0 --quiet ${FLAGS:-}
    if [ ! -e "$out/devices/ceilings.json" ]; then
        step devices 35 devices --measure --out "$out/devices"
    fi
}

# measure SUITE SECONDS FLAG…: a suite with its reports.
measure() {
    local suite=$1 limit=$2
    shift 2
    # shellcheck disable=SC2086 # several flags
    step "$suite" "$limit" run "$suite" --out "$out/$suite" --format markdown --stages --quiet "$@" ${FLAGS:-}
    step "$suite-html" 10 report "$out/$suite" --out "$out/$suite.html"
    step "$suite-text" 10 report "$out/$suite" --out "$out/$suite.md"
}

usage() {
    sed -n '2,/^[^#]/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
}

fail() {
    echo "gpu-results: $*" >&2
    exit 1
}

# The binary, built if none was given.
find_bench() {
    bench=${BENCH:-$root/target/release/bench}
    if [ "$mode" = dry-run ]; then return; fi
    if [ -z "${BENCH:-}" ]; then
        command -v cargo > /dev/null || fail "no cargo to build bench with; name a binary by BENCH=FILE"
        cargo build --locked --release --manifest-path "$root/Cargo.toml" || fail "bench can't be built"
    fi
    [ -x "$bench" ] || fail "$bench is no program (BENCH)"
}

step() {
    local name=$1 limit=$2
    shift 2
    limits=$((limits + limit))
    if [ "$mode" = dry-run ]; then
        printf '%-20s %4d s  bench %s\n' "$name" "$limit" "$*"
    else
        run_step "$name" "$limit" "$@"
    fi
}

# An interrupt makes bench keep and draw what it has measured so far.
run_step() {
    local name=$1 limit=$2 began=$SECONDS code=0
    shift 2
    printf '\n== %s (%d s, at most %d s more)\n' "$name" "$SECONDS" "$limit"
    timeout --foreground --signal INT --kill-after 15 "$limit" "$bench" "$@" \
        > "$out/$name.txt" 2> "$out/$name.log" || code=$?
    cat "$out/$name.log" >&2
    cat "$out/$name.txt"
    note "$name" "$code" $((SECONDS - began)) "$*"
    case $name:$code in
        verify:5) finish 5 ;; # No GPU: bench has said why.
        *:130) finish 130 ;;
    esac
}

note() {
    local name=$1 code=$2 seconds=$3 command=$4 words
    case $code in
        0) words="done" ;;
        3) words="**WRONG OUTPUT**, see $name.log and $name.txt" ;;
        5) words="nothing was measured, see $name.log" ;;
        124 | 137) words="stopped at its time limit" ;;
        130) words="interrupted" ;;
        *) words="failed, see $name.log" ;;
    esac
    printf "| %s | %s | %d | %d | \`bench %s\` |\n" \
        "$name" "$words" "$code" "$seconds" "$command" >> "$out/steps.md"
    if [ "$code" = 3 ]; then wrong+=("$name"); fi
    if [ "$status" = 0 ] || [ "$code" = 3 ]; then status=$code; fi
}

finish() {
    printf '\n== what came of it (%d s)\n' "$SECONDS"
    cat "$out/steps.md"
    if [ ${#wrong[@]} -gt 0 ]; then
        printf '\n!!! WRONG OUTPUT in: %s\n!!! Do not use these numbers before that is found out.\n' \
            "${wrong[*]}" >&2
    fi
    printf '\nresults: %s\nexit code: %d\n' "$out" "$1"
    exit "$1"
}

out=results/gpu-$(date -u +%Y%m%dT%H%M%SZ)
mode=run
part=all
while [ $# -gt 0 ]; do
    case $1 in
        --out) out=${2:-}; shift ;;
        --dry-run) mode=dry-run ;;
        first | second | third) part=$1 ;;
        --help) usage; exit 0 ;;
        *) usage >&2; exit 2 ;;
    esac
    shift || true
done
if [ -z "$out" ]; then usage >&2; exit 2; fi

status=0
limits=0
wrong=()
find_bench
if [ "$mode" = dry-run ]; then
    steps
    echo "at most $limits s"
    exit 0
fi
mkdir -p "$out" || fail "$out can't be made; choose another folder with --out"
SECONDS=0
printf '| step | | exit code | seconds | command |\n|---|---|--:|--:|---|\n' > "$out/steps.md"
steps
finish "$status"
