#!/usr/bin/env bash
# Builds the wheel of the Python package, with the binary of a release, into target/wheels:
#
#   scripts/wheel.sh [check]
#
# `check` installs it into a virtual environment of its own and uses it there. LEVELS, such as
# "x86-64-v2 x86-64-v3 x86-64-v4", adds a binary for each further level; the command `recobench`
# starts the highest one of the CPU. The binary for x86-64-v2 is in every wheel.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
levels=python/recobench/levels
maturin="maturin>=1.16,<2"

if [[ ${1:-check} != check ]]; then
    echo "usage: scripts/wheel.sh [check]" >&2
    exit 2
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch" "$levels"' EXIT
python3 -m venv "$scratch/build"
"$scratch/build/bin/pip" install --quiet --disable-pip-version-check "$maturin"

rm -rf "$levels"
for level in ${LEVELS:-x86-64-v2}; do
    case $level in
        # Built by maturin below.
        x86-64-v2) continue ;;
        x86-64-v3 | x86-64-v4) ;;
        *)
            echo "LEVELS: $level is not one of x86-64-v2, x86-64-v3 and x86-64-v4" >&2
            exit 2
            ;;
    esac
    binary=$(scripts/build-dist.sh "$level")
    mkdir -p "$levels/$level"
    install -s "$binary" "$levels/$level/bench"
done
# Flags of the environment would take the place of those in pyproject.toml.
env -u RUSTFLAGS -u CARGO_ENCODED_RUSTFLAGS "$scratch/build/bin/maturin" build --locked --profile dist \
    --out "$scratch/wheels"
mkdir -p "$target/wheels"
rm -f "$target"/wheels/recobench-*.whl
cp "$scratch"/wheels/*.whl "$target/wheels/"
wheel=$(ls "$scratch"/wheels/*.whl)
echo "$target/wheels/${wheel##*/}"

if [ "${1:-}" = check ]; then
    python3 -m venv "$scratch/use"
    "$scratch/use/bin/pip" install --quiet --disable-pip-version-check "$wheel" polars
    use=$scratch/use/bin
    for program in "$use/recobench" "$use/bench" "$use/python -m recobench"; do
        $program --version
    done
    "$use/recobench" verify sort --variant std-stable --seeds 1 --quiet
    "$use/recobench" sort --segments 24 --digis 500k --max-time 300ms --quiet --out "$scratch/run"
    # Not from here, where the sources are.
    root=$PWD
    (
        cd "$scratch"
        use/bin/python -c "import recobench, sys; print(*map(recobench.load, sys.argv[1:]), sep='\n')" \
            run "$root/docs/results/sort-cpu"
    )
fi
