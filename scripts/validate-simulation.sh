#!/usr/bin/env bash
# Compares simulated with measured latencies on this machine: for one and two workers it finds the limit,
# measures streams at 40 to 90 % of it, and simulates each from the times of another speed, the nearest
# one. Those at 50 and 80 % should be right within 15 % (median) and 25 % (99th percentile). Some 15
# minutes; nothing else should run.
#
#   scripts/validate-simulation.sh [FOLDER]     FOLDER is new; results/validate-simulation-<UTC time> if not given
#
#   BENCH=FILE        the program (target/release/bench)
#   FLAGS="…"         data and variant of `bench stream` (--preset mcbm-2024 --scale 0.02)
#   DURATION=1m       for how long each stream is measured
#   SEARCH=20s        for how long each speed is tried that may be the limit
#
# Exits with 4 if one of those is not.
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

# The largest deviations that are accepted at 50 and 80 % of the limit, of the median and of the 99th percentile.
p50=0.15
p99=0.25

# The highest speed in stream.csv that was kept up.
limit() {
    awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
        $column["kept_up"] == "yes" && $column["speed"] > highest { highest = $column["speed"] }
        END { if (highest == "") exit 1; print highest }' "$1/stream.csv"
}

# Prints which simulated latencies are too far from the measured ones; fails if there are any.
misses() {
    awk -F, -v limit="$2" -v p50="$p50" -v p99="$p99" '
        # Speeds are written with four digits.
        function near(share, wanted) { return share > wanted - 0.01 && share < wanted + 0.01 }
        function miss(name, deviation, bound) {
            if (deviation < -bound || deviation > bound) {
                printf "%s at %.0f %% of the limit is off by %+.0f %%\n", name, 100 * share, 100 * deviation
                missed = 1
            }
        }
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
        {
            share = $column["speed"] / limit
            if (!near(share, 0.5) && !near(share, 0.8)) next
            miss("the median", $column["p50_deviation"], p50)
            miss("the 99th percentile", $column["p99_deviation"], p99)
        }
        END { exit missed }' "$1"
}

passed=yes
for workers in 1 2; do
    "$bench" stream "${flags[@]}" --processes "$workers" --find-limit --duration "${SEARCH:-20s}" \
        --no-charts --quiet --out "$folder/limit-$workers" > /dev/null
    highest=$(limit "$folder/limit-$workers") || {
        echo "no speed was kept up by $workers workers: see $folder/limit-$workers" >&2
        exit 1
    }
    speeds=$(awk -v limit="$highest" 'BEGIN {
        printf "%.4g,%.4g,%.4g,%.4g,%.4g", 0.4 * limit, 0.5 * limit, 0.7 * limit, 0.8 * limit, 0.9 * limit }')
    echo "workers: $workers; limit: $highest times the detector's rate; measured at $speeds"
    "$bench" stream "${flags[@]}" --processes "$workers" --speed "$speeds" --duration "${DURATION:-1m}" \
        --no-charts --quiet --out "$folder/at-$workers" > /dev/null
    "$bench" simulate "$folder/at-$workers" --format markdown --format "csv=$folder/simulated-$workers.csv"
    misses "$folder/simulated-$workers.csv" "$highest" || passed=no
done
if [ "$passed" = no ]; then exit 4; fi
echo "all medians at 50 and 80 % of the limit are within 15 %, all 99th percentiles within 25 %"
