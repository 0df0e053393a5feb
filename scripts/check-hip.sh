#!/usr/bin/env bash
# Compiles all kernels for AMD's MI50, MI100 and MI200 with hipcc, without a GPU;
# says "skipped" where there is no hipcc (Debian has it as a package).
set -euo pipefail
. "$(dirname "$0")/kernels/common.sh"
enter_repository

objects=target/kernels-hip
architectures=(--offload-arch=gfx906 --offload-arch=gfx908 --offload-arch=gfx90a)

compile() {
    hipcc --genco -x hip -std=c++17 -O3 -ffp-contract=off -Wall -Werror -I algorithms/kernels -I cuda-emulator/build/include "${architectures[@]}" \
        -o "$objects/$(image_name "$1").hsaco" "$1"
}

mapfile -t sources < <(kernel_sources)
if ! command -v hipcc > /dev/null; then
    echo "skipped: no hipcc"
    exit 0
fi
rm -rf "$objects"
mkdir -p "$objects"
failed=()
for source in "${sources[@]}"; do
    compile "$source" || failed+=("$source")
done
if [ ${#failed[@]} -gt 0 ]; then fail "don't compile for HIP:" "${failed[@]}"; fi
echo "${#sources[@]} kernel files compile for HIP"
