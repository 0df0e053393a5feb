#!/usr/bin/env bash
# A task of the array that submit.sh submits: measures a shard of the suite. A task that is
# queued again goes on where it stopped.
set -euo pipefail
number=$SLURM_ARRAY_TASK_ID
echo "$(hostname): shard $number/$SLURM_ARRAY_TASK_COUNT of $SUITE"
# shellcheck disable=SC2086 # several flags
"$BENCH" run "$SUITE" --shard "$number/$SLURM_ARRAY_TASK_COUNT" \
    --out "$OUT/$TYPE/shard-$number" --no-charts --quiet $FLAGS
