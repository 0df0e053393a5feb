#!/usr/bin/env bash
# Sweeps the constants of a kernel that its table has by architecture (tuned/VARIANT.h next to the
# kernel file), and writes the table: see docs/cuda.md, Tuning tables.
#
#   scripts/tune.sh                      list the kernels with a sweep
#   scripts/tune.sh KERNEL               all steps below, on a machine with a GPU
#   scripts/tune.sh KERNEL --compile     compile all combinations to target/tune/KERNEL; no GPU
#   scripts/tune.sh KERNEL --measure     verify and measure them with a GPU: needs `bench`, python3 and
#                                        these images, no compiler
#   scripts/tune.sh KERNEL --write FILE  keep the sweep in docs/results, write the table and the page
#   scripts/tune.sh --tables             write all tables and the page anew, after a change of declarations
#   scripts/tune.sh --check              compare tables and page with declarations and kept sweeps
#
#   --arch NUMBER      with --compile: architecture of the GPU [90]
#   --images FOLDER    folder of the combinations [target/tune]
#   --device DEVICE    with --measure: [cuda:0]
#   --out FOLDER       with --measure: folder of the result, KERNEL.json [that of the images]
#   --budget SECONDS   with --measure: the time after which no run is started [600]
#   BENCH=FILE         the program that measures [target/release/bench]
#   CUDA_TOOLKIT=DIR   as for build-kernels.sh
#
# The exit code is 2 for bad usage, 5 without a GPU, else 1 for what can't be compiled or measured.
set -euo pipefail
. "$(dirname "$0")/kernels/common.sh"
enter_repository
. scripts/kernels/toolkit.sh

from_start() {
    case $1 in
        /*) echo "$1" ;;
        *) echo "$started/$1" ;;
    esac
}

kernel=""
steps=()
file=""
architecture=90
images=target/tune
measure=(--bench "$(from_start "${BENCH:-$PWD/target/release/bench}")")
while [ $# -gt 0 ]; do
    case $1 in
        --compile | --measure | --check | --tables) steps+=("${1#--}") ;;
        --help) usage; exit 0 ;;
        --write | --arch | --images | --device | --out | --budget)
            if [ -z "${2:-}" ]; then usage >&2; exit 2; fi
            case $1 in
                --write) steps+=(write); file=$(from_start "$2") ;;
                --arch) architecture=$2 ;;
                --images) images=$(from_start "$2") ;;
                --out) measure+=(--out "$(from_start "$2")") ;;
                *) measure+=("$1" "$2") ;;
            esac
            shift
            ;;
        -*) usage >&2; exit 2 ;;
        *)
            if [ -n "$kernel" ]; then usage >&2; exit 2; fi
            kernel=$1
            ;;
    esac
    shift
done
if [ -z "$kernel" ]; then
    case ${steps[*]} in
        "") exec python3 scripts/tune/write.py --list ;;
        check | tables) exec python3 scripts/tune/write.py "--${steps[0]}" ;;
        *) usage >&2; exit 2 ;;
    esac
fi
if [ ${#steps[@]} = 0 ]; then
    steps=(compile measure write)
    file=$images/$kernel/$kernel.json
fi
for step in "${steps[@]}"; do
    case $step in
        compile)
            find_toolkit
            # Each combination is compiled in a copy of the sources.
            for tool in nvrtc ptxas portable_nvrtc fatbinary cuobjdump; do
                export "$tool=$(realpath "${!tool}")"
            done
            python3 scripts/tune/combinations.py "$kernel" --arch "$architecture" --to "$images"
            ;;
        measure) python3 scripts/tune/measure.py "$kernel" --images "$images" "${measure[@]}" ;;
        write) python3 scripts/tune/write.py "$kernel" --from "$file" ;;
        *) python3 scripts/tune/write.py "--$step" ;;
    esac
done
