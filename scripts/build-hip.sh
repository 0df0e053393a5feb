#!/usr/bin/env bash
# Compiles all CUDA kernels for GPUs by AMD with hipcc, without a GPU: to a file for each kernel
# file, with machine code for each architecture that this hipcc knows.
#
#   scripts/build-hip.sh             write target/release/hip-kernels/, beside bench, which
#                                    looks for them there
#   scripts/build-hip.sh FOLDER      write another folder: RECOBENCH_KERNELS=FOLDER names it
#
#   HIP_ARCHITECTURES="gfx90a gfx1100"   for these only
#   HIPCC=/opt/rocm/bin/hipcc            the compiler, if it is not in PATH
set -euo pipefail
. "$(dirname "$0")/kernels/common.sh"
enter_repository

# MI50; MI100; MI200; MI300; RDNA 2, 3 and 4.
all=(gfx906 gfx908 gfx90a gfx942 gfx1030 gfx1100 gfx1201)
export HIPCC=${HIPCC:-hipcc}

case ${1:-} in
    --help) usage; exit 0 ;;
    "") folder=target/release/hip-kernels ;;
    /*) folder=$1 ;;
    *) folder=$started/$1 ;;
esac
command -v "$HIPCC" > /dev/null || fail "there is no hipcc: Debian has it as a package, or HIPCC names it"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# An older compiler lacks newer architectures, or what its libraries have for them.
knows() {
    echo 'extern "C" __global__ void nothing() {}' > "$scratch/nothing.hip"
    "$HIPCC" --genco -x hip --offload-arch="$1" -o "$scratch/nothing.hsaco" "$scratch/nothing.hip" \
        > /dev/null 2>&1
}

read -ra asked <<< "${HIP_ARCHITECTURES:-${all[*]}}"
known=()
for architecture in "${asked[@]}"; do
    if knows "$architecture"; then
        known+=("$architecture")
    else
        echo "skipped: this hipcc knows no $architecture"
    fi
done
if [ ${#known[@]} = 0 ]; then fail "this hipcc knows none of ${asked[*]}"; fi

mapfile -t sources < <(kernel_sources)
printf '%s\0' "${sources[@]}" \
    | xargs -0 -n 1 -P "$(nproc)" scripts/hip/compile.sh "$scratch" "${known[*]}" \
    || fail "not all kernels compile for HIP (see above)"
mkdir -p "$folder"
rm -f "$folder"/*.hsaco
cp "$scratch"/*-*.hsaco "$folder/"
bytes=$(find "$folder" -name '*.hsaco' -exec cat {} + | wc -c)
echo "${#sources[@]} kernel files compile for ${known[*]}: $((bytes / 1000)) kB in $folder"
