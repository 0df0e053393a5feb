#!/usr/bin/env bash
# Compiles all CUDA kernels to the images that the binary carries, and judges
# them. Needs no GPU, and no CUDA: the pinned compilers come by pip, once.
#
#   scripts/build-kernels.sh              build, write kernels/prebuilt/ of gpu and algorithms/*
#   scripts/build-kernels.sh --check      build, compare with what is there
#   scripts/build-kernels.sh --if-changed check, unless nothing has changed since it was built;
#                                         with --cub: the same for those
#   scripts/build-kernels.sh --dry-run    build and judge only, also with another toolkit
#   scripts/build-kernels.sh --cub        build what NVIDIA's libraries do, and nothing else:
#                                         target/release/libcub_baseline.so, beside bench
#
#   --report FILE             registers, spills, memory and widths, as markdown
#   CUDA_TOOLKIT=DIR          use a toolkit that is there, from CUDA 12.8 on
#   RECOBENCH_NO_NETWORK=1    skip where the compilers would have to be downloaded
#
# The exit code is 1 if a kernel does not compile, spills, moves too few bytes
# at a time or may round exact formulas differently, or if an image differs.
set -euo pipefail
. "$(dirname "$0")/kernels/common.sh"
enter_repository
. scripts/kernels/toolkit.sh
. scripts/kernels/stamp.sh

mode="write"
if_changed=""
report=()
while [ $# -gt 0 ]; do
    case $1 in
        --check) mode=check ;;
        --if-changed) if_changed=1 ;;
        --dry-run) mode=dry-run ;;
        --cub) mode=cub ;;
        --report)
            shift
            case ${1:-} in
                "") usage >&2; exit 2 ;;
                /*) report=(--markdown "$1") ;;
                *) report=(--markdown "$started/$1") ;;
            esac
            ;;
        --help) usage; exit 0 ;;
        *) usage >&2; exit 2 ;;
    esac
    shift
done

build() {
    if [ ${#sources[@]} = 0 ]; then return; fi
    find_toolkit
    if [ "$mode" != dry-run ]; then require_pinned; fi
    printf '%s\0' "${sources[@]}" | xargs -0 -n 1 -P "$(nproc)" scripts/kernels/compile.sh \
        || fail "not all kernels compile (see above)"
    python3 scripts/kernels/report.py "$built" --accepted scripts/kernels/accepted-spills.txt \
        --wide scripts/kernels/wide.txt "${report[@]}"
}

write() {
    committed_images | xargs -r rm
    kernel_sources | while read -r source; do
        mkdir -p "$(dirname "$(image_path "$source")")"
        cp "$built/$(image_name "$source").fatbin" "$(image_path "$source")"
    done
    local bytes
    bytes=$(committed_images | xargs cat | wc -c)
    write_stamp image
    echo "$(committed_images | wc -l) images, $((bytes / 1000)) kB"
}

difference() {
    local fresh
    fresh=$built/$(basename "$1")
    if [ ! -e "$fresh" ]; then
        echo "$1: superfluous, there is no such kernel file"
    elif [ ! -e "$1" ]; then
        echo "$1: missing"
    elif ! cmp -s "$fresh" "$1"; then
        echo "$1: differs from what its sources give"
    fi
}

check() {
    local image differences
    differences=$({ kernel_sources | while read -r source; do image_path "$source"; done; committed_images; } \
        | LC_ALL=C sort -u | while read -r image; do difference "$image"; done)
    if [ -n "$differences" ]; then
        echo "$differences" >&2
        fail "the images are not those of the sources: run scripts/build-kernels.sh and commit"
    fi
    echo "$(committed_images | wc -l) images are those of their sources"
}

if [ "$mode" = cub ]; then
    if [ -n "$if_changed" ] && stamp_fits cub; then
        echo "the baselines are unchanged since they were built"
        exit 0
    fi
    scripts/kernels/cub.sh
    write_stamp cub
    exit 0
fi
for crate in "${crates[@]}"; do
    python3 scripts/kernels/exact.py "$crate/src" \
        --include algorithms/sts/kernels gpu/build/include cuda-emulator/build/include
done
if [ -n "$if_changed" ]; then
    if stamp_fits image; then
        echo "images and sources are unchanged since these were built"
        exit 0
    fi
    mode=check
fi
mapfile -t sources < <(kernel_sources)
if [ ${#sources[@]} -gt 0 ] && [ "${RECOBENCH_NO_NETWORK:-}" = 1 ] && [ -z "${CUDA_TOOLKIT:-}" ] \
    && ! wheels_are_there; then
    echo "skipped: the CUDA compilers are not there and RECOBENCH_NO_NETWORK is set"
    exit 0
fi
duplicate=$(for source in "${sources[@]}"; do image_name "$source"; done | LC_ALL=C sort | uniq -d | head -n 1)
if [ -n "$duplicate" ]; then fail "several kernel files are $duplicate: rename one"; fi
rm -rf "$built"
mkdir -p "$built"
build
case $mode in
    write) write ;;
    check) check ;;
    dry-run) echo "not written (--dry-run): the images are in $built" ;;
esac
