#!/usr/bin/env bash
# Compares simulated with measured latencies on this machine: for one and two workers it finds the limit,
# measures streams at 50, 80 and 90 % of it, and simulates each from the times of another speed. Some 20
# minutes; nothing else should run.
#
#   scripts/validate-simulation.sh [FOLDER]     FOLDER is new; results/validate-simulation-<UTC time> if not given
#
#   BENCH=FILE        the program (target/release/bench)
#   FLAGS="…"         data and variant of `bench stream` (--preset mcbm-2024 --scale 0.02)
#   DURATION=1m       for how long each stream is measured
#   SEARCH=20s        for how long each speed is tried that may be the limit
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1:-} in
    --help) sed -n '2,/^set/{/^set/d; s/^# \{0,1\}//p}' "$0"; exit 0 ;;
    -*) echo "$0 takes one folder; see --help" >&2; exit 2 ;;
esac
bench=${BENCH:-target/release/bench}
folder=${1:-results/validate-simulation-$(date -u +%Y%m%dT%H%M%SZ)}
read -ra flags <<< "${FLAGS:---preset mcbm-2024 --scale 0.02}"
if [ ! -x "$bench" ]; then
    echo "there is no $bench: cargo build --release, or name one (BENCH)" >&2
    exit 2
fi

# The highest speed in stream.csv that was kept up.
limit() {
    awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
        $column["kept_up"] == "yes" && $column["speed"] > highest { highest = $column["speed"] }
        END { if (highest == "") exit 1; print highest }' "$1/stream.csv"
}

for workers in 1 2; do
    "$bench" stream "${flags[@]}" --processes "$workers" --find-limit --duration "${SEARCH:-20s}" \
        --no-charts --quiet --out "$folder/limit-$workers" > /dev/null
    highest=$(limit "$folder/limit-$workers") || {
        echo "no speed was kept up by $workers workers: see $folder/limit-$workers" >&2
        exit 1
    }
    speeds=$(awk -v limit="$highest" 'BEGIN { printf "%.4g,%.4g,%.4g", 0.5 * limit, 0.8 * limit, 0.9 * limit }')
    echo "workers: $workers; limit: $highest times the detector's rate; measured at $speeds"
    "$bench" stream "${flags[@]}" --processes "$workers" --speed "$speeds" --duration "${DURATION:-1m}" \
        --no-charts --quiet --out "$folder/at-$workers" > /dev/null
    "$bench" simulate "$folder/at-$workers" --format markdown --format "json=$folder/simulated-$workers.json"
done
