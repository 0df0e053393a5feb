#!/usr/bin/env bash
# The steps of a check of a pull request, for action.yml and templates/pull-request.yml; see
# docs/pull-requests.md. The comment is written by scripts/pull-request/comment.py.
#
#   scripts/pull-request.sh prepare   checks SUITE and BASELINE; gets the store from a release of GitHub if
#                                     it is needed and STORE names none
#   scripts/pull-request.sh build     builds the head, and the base if it is what is compared with
#   scripts/pull-request.sh measure   measures the suite in a paired run; exits with 0 whatever it finds
#   scripts/pull-request.sh verdict   exits with the exit code of the measurement
#
#   SUITE      a suite: a name, or a file of the head    [smoke]
#   BASELINE   what the head is compared with: "base", or "accepted", the accepted run of STORE  [base]
#   HEAD       commit of the pull request
#   BASE       commit of the branch that it goes to; the base is the last commit that both have
#   STORE      the store of runs; it is read only        [WORK/release-store]
#   BUILD      a command that builds in a checkout       [cargo build --locked --release --bin bench]
#   BINARY     the program that BUILD makes              [target/release/bench]
#   BUDGET     time for measuring                        [10m]
#   FLAGS      more flags of `bench run`, separated by spaces
#   DEDICATED  1 if the runner measures and does nothing else at that time      [0]
#   WORK       a folder for checkouts and results        [results/pull-request]
set -euo pipefail

work=$(realpath -m "${WORK:-results/pull-request}")
results=$work/results
accepted_fetched=$work/release-store
accepted_runs=$(realpath -m "${STORE:-$accepted_fetched}")
tools=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# Ends the step with the code that the whole check then has.
fail() {
    local code=$1
    shift
    echo "pull-request: $*" >&2
    mkdir -p "$results"
    echo "pull-request: $*" >> "$results/log.txt"
    record exit-code "$code"
    exit "$code"
}

# A line of result.txt, which comment.py reads; the last line of a key counts.
record() {
    mkdir -p "$results"
    echo "$1 $2" >> "$results/result.txt"
}

# The last value of a key of result.txt.
recorded() {
    sed -n "s/^$1 //p" "$results/result.txt" 2> /dev/null | tail -n 1
}

# The baseline lasts in a folder of the runner or an asset of a release. A cache may be evicted, and a
# baseline with it.
prepare() {
    local suite=${SUITE:-smoke} baseline=${BASELINE:-base}
    rm -rf "$results" "$accepted_fetched"
    mkdir -p "$results"
    python3 "$tools/pull-request/suite.py" "$suite" 2>> "$results/log.txt" \
        || fail 2 "SUITE is the name of a suite or a file of the repository, of letters, digits, . _ - and /"
    case $baseline in
        base | accepted) ;;
        *) fail 2 "BASELINE is base or accepted, not ${baseline@Q}" ;;
    esac
    record suite "$suite"
    record baseline "$baseline"
    if [ "$baseline" = base ] || [ -n "${STORE:-}" ]; then return; fi
    "$tools/nightly-store.sh" get "$accepted_fetched" 2>&1 | tee -a "$results/log.txt" \
        || fail 5 "the store of runs can't be read: without it there is no baseline to compare with"
}

commit() {
    git rev-parse --verify --quiet --end-of-options "$2^{commit}" \
        || fail 2 "$1 is ${2@Q}, which is no commit of this clone: check out with fetch-depth: 0"
}

build() {
    local head base
    head=$(commit HEAD "${HEAD:?the commit of the pull request}")
    base=$(commit BASE "${BASE:?the commit that it is compared with}")
    base=$(git merge-base "$base" "$head") \
        || fail 2 "BASE and HEAD have no commit in common: check out with fetch-depth: 0"
    record head "$head"
    record base "$base"
    build_side head "$head"
    if [ "$(recorded baseline)" = base ]; then build_side base "$base"; fi
}

# Builds a commit in a checkout of its own.
build_side() {
    local side=$1 commit=$2
    local tree=$work/$side binary=${BINARY:-target/release/bench}
    git worktree remove --force "$tree" 2> /dev/null || rm -rf "$tree"
    git worktree prune
    git worktree add --quiet --detach "$tree" "$commit"
    (cd "$tree" && bash -euo pipefail -c "${BUILD:-cargo build --locked --release --bin bench}") \
        || fail 1 "the $side (${commit:0:12}) is not built: see the log of this step"
    [ -x "$tree/$binary" ] || fail 2 "BUILD has made no program ${binary@Q} of the $side: set BINARY"
    # Advice of the program names it: bench.
    install -D "$tree/$binary" "$work/programs/$side/bench"
}

measure() {
    local runner=shared code=0
    if [ "${DEDICATED:-0}" = 1 ]; then runner=dedicated; fi
    record runner "$runner"
    if [ -n "${GITHUB_OUTPUT:-}" ]; then echo "results=$results" >> "$GITHUB_OUTPUT"; fi
    # Suites and plugins that are named by files are those of the head.
    set +e
    (cd "$work/head" && paired_run) 2>&1 | tee -a "$results/log.txt"
    code=${PIPESTATUS[0]}
    set -e
    record exit-code "$code"
    if [ -s "$results/verdict.json" ]; then
        "$work/programs/head/bench" report "$results/run" --comparison "$results/verdict.json" \
            --out "$results/report.html" || echo "pull-request: there is no report" >&2
    fi
}

paired_run() {
    local bench=$work/programs/head/bench against=$work/programs/base/bench suite
    local store=(--no-save)
    suite=$(recorded suite)
    if [ -d "$accepted_runs" ]; then
        # The run is stored in a copy: a pull request leaves no trace in the history of a branch. The
        # store has the self-test of the machine, too.
        rm -rf "$work/store"
        cp -r --symbolic-link "$accepted_runs" "$work/store"
        store=(--store "$work/store")
    fi
    if [ "$(recorded baseline)" = accepted ]; then
        [ -d "$accepted_runs" ] || store=(--store "$work/no-store")
        against=$("$bench" history baseline "$suite" "${store[@]}") || return
        if [ -z "$against" ]; then
            echo "pull-request: no run of $suite is accepted in the store, so that nothing is compared:" \
                "accept one by the nightly workflow; if there was one, restore it" >&2
            return 5
        fi
    fi
    # shellcheck disable=SC2086 # several flags
    "$bench" run "$suite" --against "$against" --out "$results/run" "${store[@]}" \
        --budget "${BUDGET:-10m}" --format "markdown=$results/verdict.md" \
        --format "json=$results/verdict.json" --format "junit=$results/verdict.xml" ${FLAGS:-}
}

verdict() {
    local code
    code=$(recorded exit-code)
    [ -n "$code" ] || fail 1 "nothing was measured: an earlier step has failed"
    case $code in
        0) echo "pull-request: no regression was found" ;;
        4) echo "pull-request: a point is slower: see the verdicts" >&2 ;;
        *) tail -n 5 "$results/log.txt" >&2 || true ;;
    esac
    exit "$code"
}

case ${1:-} in
    prepare | build | measure | verdict) "$1" ;;
    *) echo "usage: scripts/pull-request.sh prepare|build|measure|verdict" >&2; exit 2 ;;
esac
