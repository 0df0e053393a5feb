#!/usr/bin/env bash
# The last job that stream.sh submits: merges what the nodes left behind. The exit code is that of
# `bench stream --merge`: 1 if a node is missing.
set -uo pipefail
code=1
if [ -s "$OUT/nodes.txt" ]; then
    mapfile -t nodes < "$OUT/nodes.txt"
    code=0
    "$BENCH" stream --merge "${nodes[@]/#/$OUT/nodes/}" --out "$OUT/merged" || code=$?
else
    echo "no stream began; what Slurm says of that is in $OUT/stream.log"
fi
echo "exit code: $code"
exit "$code"
