#!/usr/bin/env bash
# The job that stream.sh submits: a stream on each of its nodes, from the same moment on.
set -uo pipefail
# The moment is by the clocks of all nodes, which are to be kept together (by NTP or PTP).
begin=$(($(date +%s) + WAIT))
scontrol show hostnames "$SLURM_JOB_NODELIST" > "$OUT/nodes.txt"
export BEGIN=$begin
# Whatever becomes of a node, others go on; and each may use all CPUs of its own.
# shellcheck disable=SC2016 # expanded on the nodes
srun --ntasks-per-node=1 --kill-on-bad-exit=0 --wait=0 --cpu-bind=none bash -c '
    exec "$BENCH" stream $FLAGS --begin "$BEGIN" --out "$OUT/nodes/$SLURMD_NODENAME" --no-charts \
        > "$OUT/nodes/$SLURMD_NODENAME.log" 2>&1'
code=$?
echo "exit code: $code"
exit "$code"
