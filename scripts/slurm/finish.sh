#!/usr/bin/env bash
# The last job that submit.sh submits: merges the shards of each type of node, compares
# with the accepted run, reports, and writes all numbers with the type as a column.
#
# The exit code is that of the first step that found something, as of nightly.sh.
set -uo pipefail
status=0 merged=()

# Goes on after a step that found something.
found() {
    local code=0
    "$@" || code=$?
    if [ "$status" = 0 ]; then status=$code; fi
    return "$code"
}

# Ends with a code.
exit_code() {
    return "$1"
}

# accept: makes the run that was added last the baseline of its type, if that was asked for
# (ACCEPT=1), or if no run of the suite was ever accepted.
accept() {
    if [ "${ACCEPT:-first}" = 1 ]; then
        "$BENCH" history accept latest --note "accepted by ACCEPT=1" --store "$STORE"
    else
        "$BENCH" history accept latest --if-none --note "the first run" --store "$STORE"
    fi
}

# finish TYPE: what can be said of the nodes of a type.
finish() {
    local type=$1 run=$OUT/merged/$1 store=() accepted code=0
    if [ -n "$STORE" ]; then store=(--store "$STORE"); fi
    if [ ! -e "$run/run.json" ]; then
        found "$BENCH" run "$SUITE" --merge "$OUT/$type"/shard-*/ --out "$run" --quiet \
            ${store[@]+"${store[@]}"} > "$OUT/$type.txt" || [ -e "$run/run.json" ] || return
    fi
    merged+=("$run")
    if [ -n "$STORE" ]; then
        # A type has a series of its own, as its machines have another key.
        accepted=$(accept) || code=$?
        # What is not accepted is reported all the same.
        found exit_code "$code" || true
        echo "$accepted"
        # The first run of a series has nothing to be compared with.
        if [[ $accepted == *": stays accepted"* ]]; then
            found "$BENCH" compare accepted "$run" --store "$STORE" \
                --markdown "$OUT/$type-verdict.md" --json "$OUT/$type-verdict.json"
        fi
    fi
    found "$BENCH" report "$run" --out "$OUT/$type.html" ${store[@]+"${store[@]}"}
}

# across: how the other types compare with the first one.
across() {
    local first=${merged[0]} other
    for other in "${merged[@]:1}"; do
        # That one kind of machine is slower than another is no regression.
        "$BENCH" compare "$first" "$other" --across-machines --all \
            --markdown "$OUT/$(basename "$first")-$(basename "$other").md" > /dev/null || true
    done
}

for type in ${TYPES//,/ }; do
    echo "== $type"
    finish "$type"
done
if [ ${#merged[@]} -gt 0 ]; then
    # Merged runs are named by their types.
    "$BENCH" export "${merged[@]}" --format csv | sed '1s/^run,/node_type,/' > "$OUT/node-types.csv"
    across
fi
echo "exit code: $status"
exit "$status"
