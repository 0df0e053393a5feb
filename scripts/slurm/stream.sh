#!/usr/bin/env bash
# Runs `bench stream` on several nodes of a cluster, which begin at the same moment; then merges
# what they left behind.
#
#   scripts/slurm/stream.sh [--nodes N] [--wait SECONDS] [--out DIR] [-- FLAG…]
#
#   --nodes N        nodes, each with a source and workers of its own  [2]
#   --wait SECONDS   from the start of the job until streams begin: by then workers are ready  [60]
#   --out DIR        where everything goes; a folder that all nodes see  [results/slurm-<UTC time>-stream]
#   -- FLAG…         more flags of sbatch, such as --partition=… --time=…
#
#   FLAGS         flags of `bench stream`, such as "--preset mcbm-2024 --scale 0.02 --processes 30"
#   BENCH=FILE    this binary, which all nodes can run  [target/release/bench]
#
# DIR/nodes/NODE is the run of a node, DIR/nodes/NODE.log what it said, DIR/merged the run of all
# of them, and DIR/merged.log ends with the exit code.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

usage() {
    sed -n '2,/^[^#]/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
}

fail() {
    echo "stream: $*" >&2
    exit 2
}

nodes=2 wait=60 sbatch_flags=()
out=results/slurm-$(date -u +%Y%m%dT%H%M%SZ)-stream
while [ $# -gt 0 ]; do
    case $1 in
        --help) usage; exit 0 ;;
        --) shift; sbatch_flags=("$@"); break ;;
        --nodes | --wait | --out)
            [ $# -gt 1 ] || fail "$1 needs a value"
            declare "${1#--}=$2"
            shift
            ;;
        *) fail "unknown flag $1; see --help. Flags of bench stream go into the variable FLAGS" ;;
    esac
    shift
done
[[ $nodes =~ ^[1-9][0-9]*$ ]] || fail "--nodes $nodes: use a number of 1 or more"
[[ $wait =~ ^[1-9][0-9]*$ ]] || fail "--wait $wait: use a number of seconds, 1 or more"
command -v sbatch > /dev/null || fail "no sbatch: this is no machine of a Slurm cluster"

BENCH=$(realpath "${BENCH:-$here/../../target/release/bench}")
[ -x "$BENCH" ] || fail "$BENCH is no program; build it, or name one by BENCH=FILE"
# Flags are read up to --help: what a typo would cost is told now rather than in a queue.
# shellcheck disable=SC2086 # several flags
"$BENCH" stream ${FLAGS:-} --begin 9999-12-31T00:00:00Z --out "$out" --help > /dev/null
[ ! -e "$out/merged" ] || fail "$out holds a stream already; choose another folder with --out"
mkdir -p "$out/nodes"
# Jobs start elsewhere: files are named from the root.
out=$(realpath "$out")

export BENCH FLAGS=${FLAGS:-} OUT=$out WAIT=$wait
# All of each node, for neighbours would be measured too; and once, for it has one begin.
job=$(sbatch --parsable --export=ALL --exclusive --no-requeue --nodes="$nodes" --ntasks-per-node=1 \
    --job-name=bench-stream --output="$out/stream.log" \
    ${sbatch_flags[@]+"${sbatch_flags[@]}"} "$here/stream-nodes.sh")
echo "$nodes nodes: job ${job%%;*}"
# Nodes that are there are merged even if others are not.
last=$(sbatch --parsable --export=ALL --dependency="afterany:${job%%;*}" --nodes=1 \
    --job-name=bench-merge --output="$out/merged.log" \
    ${sbatch_flags[@]+"${sbatch_flags[@]}"} "$here/stream-merge.sh")
echo "merge: job ${last%%;*}"
echo "results: $out"
