#!/usr/bin/env bash
# Packs a binary for other machines: NAME.tar.gz with bench, manual pages, completions, licence
# and README. TARGET_CPU is the level that it is built for (x86-64-v3 if it is not said). The
# newest glibc that it needs is printed; more than MOST_GLIBC, if that is set, is refused.
set -euo pipefail
cd "$(dirname "$0")/.."
name=${1:?usage: scripts/release.sh NAME}
cpu=${TARGET_CPU:-x86-64-v3}

cargo build --locked --profile dist --bin bench --features emulator \
    --config "build.rustflags=['-Ctarget-cpu=$cpu']"
binary=${CARGO_TARGET_DIR:-target}/dist/bench

needed=$(objdump -T "$binary" | grep -o 'GLIBC_[0-9.]*' | sort --unique --version-sort | tail -1)
echo "$name needs ${needed/_/ }"
if [ -n "${MOST_GLIBC:-}" ]; then
    newest=$(printf '%s\nGLIBC_%s\n' "$needed" "$MOST_GLIBC" | sort --version-sort | tail -1)
    if [ "$newest" != "GLIBC_$MOST_GLIBC" ]; then
        echo "$name is for glibc $MOST_GLIBC: build it where that is the newest" >&2
        exit 1
    fi
fi

# Manual pages are the same for all levels: where this machine has less, any build writes them.
writer=$binary
if ! "$binary" --version > /dev/null; then
    cargo build --locked --bin bench
    writer=${CARGO_TARGET_DIR:-target}/debug/bench
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/$name/completions"
install -s "$binary" "$folder/$name/bench"
cp LICENSE README.md "$folder/$name/"
"$writer" man "$folder/$name/man/man1"
for shell in bash zsh fish; do
    "$writer" completions "$shell" > "$folder/$name/completions/bench.$shell"
done
tar --create --gzip --owner 0 --group 0 --file "$name.tar.gz" --directory "$folder" "$name"
echo "$name.tar.gz"
