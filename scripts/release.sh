#!/usr/bin/env bash
# What a release consists of, in target/release-files: an archive for each CPU with bench, manual pages,
# completions, licence and README; wheels; checksums.
#
#   scripts/release.sh CPU [BINARY]       packs an archive for x86-64-v2, -v3, -v4 or aarch64; builds BINARY
#                                         if it is not given
#   scripts/release.sh --check ARCHIVE…   checks what archives contain
#   scripts/release.sh --sums             writes SHA256SUMS over all files
#   scripts/release.sh --notes [URL]      prints what CHANGELOG.md has about this version, with links to
#                                         files of the repository at this address
#   scripts/release.sh --check-tag TAG URL   refuses a tag that is not of this version, and a project
#                                         without its address, which cargo binstall needs
#   scripts/release.sh --dry-run          makes and checks what this machine can, and lists what is left
#
#   OUT         another folder for the files
#   MAX_GLIBC   refuses a binary that needs a newer glibc, such as 2.28
#   CPUS        archives of a dry run     [x86-64-v2 x86-64-v3 x86-64-v4, on aarch64 aarch64]
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
out=${OUT:-$target/release-files}
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml)
machine=$(uname -m)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
    echo "release: $*" >&2
    exit 1
}

name_for() { echo "recobench-v$version-$1-linux"; }

# Packs an archive; cpu is in its name.
pack() {
    local cpu=$1 binary=${2:-} name
    case $cpu in
        x86-64-v[234] | aarch64) ;;
        *) fail "$cpu is not one of x86-64-v2, x86-64-v3, x86-64-v4 and aarch64" ;;
    esac
    name=$(name_for "$cpu")
    if [ -z "$binary" ]; then
        case $cpu in
            "${machine/_/-}"* | "$machine") ;;
            *) fail "this machine ($machine) builds no archive for $cpu: name a BINARY that was built elsewhere" ;;
        esac
        binary=$(scripts/build-dist.sh "$cpu" --features emulator)
    fi
    mkdir -p "$folder/$name/completions" "$out"
    cp "$binary" "$folder/$name/bench"
    local strip=strip
    if [ "$cpu" = aarch64 ] && [ "$machine" != aarch64 ]; then strip=aarch64-linux-gnu-strip; fi
    "$strip" "$folder/$name/bench"
    # Manual pages are the same for all: where this machine can't run the binary, any build writes them.
    # They have the name of the program that writes them.
    local writer=$folder/$name/bench
    if ! "$writer" --version > /dev/null 2>&1; then
        cargo build --locked --bin bench
        writer=$target/debug/bench
    fi
    cp LICENSE README.md CHANGELOG.md "$folder/$name/"
    "$writer" man "$folder/$name/man/man1"
    for shell in bash zsh fish; do
        "$writer" completions "$shell" > "$folder/$name/completions/bench.$shell"
    done
    tar --create --gzip --owner 0 --group 0 --sort name --file "$out/$name.tar.gz" --directory "$folder" "$name"
    rm -rf "${folder:?}/$name"
    echo "$out/$name.tar.gz"
}

# Checks an archive: its files, for which CPU and glibc the binary is, and that it runs, where it can.
check() {
    local archive=$1 name file
    [ -f "$archive" ] || fail "$archive: no such file"
    name=$(basename "$archive" .tar.gz)
    tar --extract --gzip --file "$archive" --directory "$folder" || fail "$archive: not an archive"
    for file in bench LICENSE README.md CHANGELOG.md man/man1/bench.1 man/man1/bench-sort.1 \
        completions/bench.bash completions/bench.zsh completions/bench.fish; do
        [ -s "$folder/$name/$file" ] || fail "$archive: $name/$file is missing or empty"
    done
    [ "$(ls "$folder")" = "$name" ] || fail "$archive: files outside of $name/"
    local made_for="Advanced Micro Devices X86-64"
    case $name in
        "$(name_for aarch64)") made_for=AArch64 ;;
        "$(name_for x86-64-v2)" | "$(name_for x86-64-v3)" | "$(name_for x86-64-v4)") ;;
        *) fail "$archive: the name is not that of an archive of version $version" ;;
    esac
    readelf --file-header "$folder/$name/bench" | grep -q "Machine: *$made_for\$" \
        || fail "$archive: bench is not for $made_for"
    local glibc
    glibc=$(readelf --version-info --wide "$folder/$name/bench" | grep -o 'GLIBC_[0-9.]*' | sort --unique --version-sort | tail -n 1)
    if [ -n "${MAX_GLIBC:-}" ]; then
        printf '%s\nGLIBC_%s\n' "$glibc" "$MAX_GLIBC" | sort --version-sort --check=silent \
            || fail "$archive: bench needs ${glibc/_/ }, more than $MAX_GLIBC: build it where that is the newest"
    fi
    local runs="not run here"
    if "$folder/$name/bench" --version > "$folder/version" 2>&1; then
        runs=$(head -n 1 "$folder/version")
        [[ $runs == *" $version"* ]] || fail "$archive: bench is '$runs', not version $version"
    fi
    rm -rf "${folder:?}"/*
    echo "$name: checked; ${glibc/_/ }; $runs"
}

sums() {
    (cd "$out" && find . -maxdepth 1 -type f -name 'recobench-*' -printf '%P\n' | sort \
        | xargs --no-run-if-empty sha256sum > SHA256SUMS && sha256sum --check --quiet SHA256SUMS)
    echo "$out/SHA256SUMS: $(wc -l < "$out/SHA256SUMS") files"
}

notes() {
    awk -v title="## [$version]" 'index($0, "## ") == 1 { found = index($0, title) == 1; next } found' CHANGELOG.md \
        > "$folder/notes.md"
    [ -s "$folder/notes.md" ] || fail "CHANGELOG.md has nothing about $version"
    if [ -n "${1:-}" ]; then sed -i "s|](\([A-Za-z-]*[/.][^):]*\))|]($1/blob/v$version/\1)|g" "$folder/notes.md"; fi
    cat "$folder/notes.md"
}

check_tag() {
    [ "$1" = "v$version" ] || fail "the tag is $1, but Cargo.toml has version $version"
    grep -qxF "repository = \"$2\"" Cargo.toml || fail "[package] in Cargo.toml needs repository = \"$2\""
}

dry_run() {
    local cpus="x86-64-v2 x86-64-v3 x86-64-v4" cpu
    local left=()
    if [ "$machine" = aarch64 ]; then
        cpus=aarch64
        left+=("archives for x86-64: an x86-64 machine")
    else
        left+=("the archive for aarch64: such a machine, or scripts/release.sh aarch64 BINARY after a cross-build")
    fi
    for cpu in ${CPUS-$cpus}; do
        pack "$cpu"
        check "$out/$(name_for "$cpu").tar.gz"
    done
    if [ -x scripts/wheel.sh ]; then
        scripts/wheel.sh check
        cp "$target"/wheels/*.whl "$out/"
    else
        left+=("wheels: scripts/wheel.sh")
    fi
    scripts/container.sh > "$folder/container" || { cat "$folder/container"; fail "the container image"; }
    if grep '^skipped' "$folder/container"; then left+=("the container image: an engine"); fi
    sums
    notes > "$out/notes.md"
    grep -q '^repository = ' Cargo.toml || left+=("repository in Cargo.toml, the address of the project: a person")
    left+=("binaries for glibc 2.28, attestation, publication: .github/workflows/release.yml")
    printf 'left to other machines: %s\n' "${left[@]}"
}

case ${1:-} in
    --check)
        shift
        [ $# -gt 0 ] || fail "--check needs an archive"
        for archive in "$@"; do check "$archive"; done
        ;;
    --sums) sums ;;
    --notes) notes "${2:-}" ;;
    --check-tag) check_tag "${2:?TAG}" "${3:?URL}" ;;
    --dry-run) dry_run ;;
    "" | -*) echo "usage: scripts/release.sh CPU [BINARY] | --check ARCHIVE… | --sums | --notes [URL] | --check-tag TAG URL | --dry-run" >&2; exit 2 ;;
    *) pack "$@" ;;
esac
