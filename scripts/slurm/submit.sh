#!/usr/bin/env bash
# Measures a suite on a cluster: a job array for each type of node, a shard a task; then
# merges, compares and reports.
#
#   scripts/slurm/submit.sh SUITE [--shards N] [--types A,B] [--out DIR] [--store DIR] [-- FLAG…]
#
#   --shards N    parts of the suite, each for a node of its own  [4]
#   --types A,B   types of nodes, as features that Slurm knows them by; one array each
#                 [any: nodes as they come]
#   --out DIR     where everything goes; a folder that all nodes see  [results/slurm-<UTC time>]
#   --store DIR   the store of runs, to add to and to compare with  [none]
#   -- FLAG…      more flags of sbatch, such as --partition=… --time=…
#
#   BENCH=FILE    this binary, which all nodes can run  [target/release/bench]
#   FLAGS         more flags of `bench run`, such as "--budget 10m"
#
# DIR/merged/TYPE is the run of a type, DIR/TYPE.html its page, DIR/TYPE-verdict.md how it
# compares with the accepted run in the store, DIR/node-types.csv all numbers with the type of
# the node as a column. The same command with the same DIR goes on where it stopped.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

usage() {
    sed -n '2,/^[^#]/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
}

fail() {
    echo "submit: $*" >&2
    exit 2
}

suite="" shards=4 types=any store="" sbatch_flags=()
out=results/slurm-$(date -u +%Y%m%dT%H%M%SZ)
while [ $# -gt 0 ]; do
    case $1 in
        --help) usage; exit 0 ;;
        --) shift; sbatch_flags=("$@"); break ;;
        --shards | --types | --out | --store)
            [ $# -gt 1 ] || fail "$1 needs a value"
            declare "${1#--}=$2"
            shift
            ;;
        -*) fail "unknown flag $1; see --help" ;;
        *) [ -z "$suite" ] || fail "one suite at a time; found $suite and $1"; suite=$1 ;;
    esac
    shift
done
[ -n "$suite" ] || { usage >&2; exit 2; }
[[ $shards =~ ^[1-9][0-9]*$ ]] || fail "--shards $shards: use a number of 1 or more"
[[ $types =~ ^[A-Za-z0-9_.,-]+$ ]] || fail "--types $types: use names with commas between them"
command -v sbatch > /dev/null || fail "no sbatch: this is no machine of a Slurm cluster"

BENCH=$(realpath "${BENCH:-$here/../../target/release/bench}")
[ -x "$BENCH" ] || fail "$BENCH is no program; build it, or name one by BENCH=FILE"
# Jobs start elsewhere: files are named from the root.
if [ -f "$suite" ]; then suite=$(realpath "$suite"); fi
mkdir -p "$out"
out=$(realpath "$out")
if [ -n "$store" ]; then mkdir -p "$(dirname "$store")"; store=$(realpath -m "$store"); fi
# What a typo would cost is told now rather than in a queue.
"$BENCH" run "$suite" --dry-run > "$out/plan.txt"

export BENCH FLAGS=${FLAGS:-} SUITE=$suite OUT=$out STORE=$store TYPES=$types
jobs=()
for type in ${types//,/ }; do
    constraint=()
    if [ "$type" != any ]; then constraint=(--constraint="$type"); fi
    mkdir -p "$out/$type"
    # A node of its own for each shard: neighbours would be measured too.
    job=$(TYPE=$type sbatch --parsable --export=ALL --exclusive --array="1-$shards" \
        --job-name="bench-$type" --output="$out/$type/shard-%a.log" \
        ${constraint[@]+"${constraint[@]}"} ${sbatch_flags[@]+"${sbatch_flags[@]}"} "$here/shard.sh")
    jobs+=("${job%%;*}")
    echo "$type: job ${job%%;*}, $shards shards"
done
# Types that are complete are reported even if others are not.
after=$(IFS=:; echo "${jobs[*]}")
last=$(sbatch --parsable --export=ALL --dependency="afterany:$after" --job-name=bench-finish \
    --output="$out/finish.log" ${sbatch_flags[@]+"${sbatch_flags[@]}"} "$here/finish.sh")
echo "merge, compare, report: job ${last%%;*}"
echo "results: $out"
