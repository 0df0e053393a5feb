#!/usr/bin/env bash
# Builds plugins/sycl: a plugin whose kernels are written in SYCL, for bench portability and bench
# verify on a CPU. Needs a C++ compiler; no GPU, and no installation of SYCL or CUDA: the compilers
# come by pip, 480 MB, and stay below target/.
#
#   scripts/build-sycl.sh     target/sycl/librecobench_sycl.so, with machine code for A100, H100 and
#                             B200, PTX for all from T4 on, and SPIR-V; next to it
#                             librecobench_sycl_host.so, SYCL's run time for CPUs
#
#   SYCL_WHEELS=DIR           use the wheels' files (lib/, include/) that are there
#   SYCL_CXX=COMPILER         use icpx or another DPC++ that is installed, with its run time, instead of
#                             the wheels; it must have a target for NVIDIA
#   CUDA_TOOLKIT=DIR          use a CUDA toolkit that is there
#   RECOBENCH_NO_NETWORK=1    skip where compilers would have to be downloaded
#   CXX=COMPILER              the C++ compiler, if it is not c++
set -euo pipefail
. "$(dirname "$0")/kernels/common.sh"
enter_repository
. scripts/kernels/toolkit.sh

case ${1:-} in
    "") ;;
    --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
esac

plugin=plugins/sycl
sycl_pins=$plugin/wheels.txt
folder=target/sycl
library=$folder/librecobench_sycl.so
runtime=$folder/librecobench_sycl_host.so
# The file of libsycl-jit.so whose types plugins/sycl/compile knows.
jit=libsycl-jit.so.23.1
CXX=${CXX:-c++}
command -v "$CXX" > /dev/null || fail "there is no $CXX: install a C++ compiler, or name one (CXX)"
mkdir -p "$folder"

# The version of the wheels' compiler, which the pins name.
version=$(sed -n 's/^intel-sycl-rt==\([^ ]*\).*/\1/p' "$sycl_pins")
compiler_name="DPC++ of intel-sycl-rt $version"

# The user's compiler, and the folder of its run time.
find_users_compiler() {
    if [ -n "${SYCL_WHEELS:-}" ]; then fail "give one of SYCL_CXX and SYCL_WHEELS"; fi
    command -v "$SYCL_CXX" > /dev/null || fail "there is no $SYCL_CXX (SYCL_CXX): install oneAPI or DPC++ and set" \
        "its environment (setvars.sh), or leave SYCL_CXX out for the wheels' compiler"
    case $(basename "$SYCL_CXX") in
        acpp | syclcc)
            fail "SYCL_CXX is $SYCL_CXX: AdaptiveCpp has no free functions as kernels, no required size of" \
                "sub-groups, and one lane in a sub-group on CPUs. Use icpx or another DPC++, or leave SYCL_CXX out"
            ;;
    esac
    local words
    words=$("$SYCL_CXX" --version 2>&1) || fail "$SYCL_CXX --version fails (SYCL_CXX): $words"
    compiler_name=$(head -n 1 <<< "$words" | tr -d '"\\')
    run_path=$(dirname "$("$SYCL_CXX" -print-file-name=libsycl.so)")
    if [ ! -e "$run_path/libsycl.so" ]; then
        fail "$SYCL_CXX has no libsycl.so (SYCL_CXX): it must be icpx or another DPC++"
    fi
    run_path=$(realpath "$run_path")
}

sycl_is_there() { cmp -s "$sycl_pins" "$folder/wheels/installed.txt"; }

if [ -n "${SYCL_CXX:-}" ]; then find_users_compiler; fi

if [ "${RECOBENCH_NO_NETWORK:-}" = 1 ]; then
    if [ -z "${SYCL_CXX:-}${SYCL_WHEELS:-}" ] && ! sycl_is_there; then
        echo "skipped: the wheels of $sycl_pins are not there and RECOBENCH_NO_NETWORK is set"
        exit 0
    fi
    if [ -z "${CUDA_TOOLKIT:-}" ] && ! wheels_are_there; then
        echo "skipped: the CUDA compilers are not there and RECOBENCH_NO_NETWORK is set"
        exit 0
    fi
fi

# Their files as they are in the wheels: pip would put libraries elsewhere.
install_sycl() {
    if sycl_is_there; then return; fi
    local fresh=$folder/wheels.new
    rm -rf "$fresh"
    mkdir -p "$fresh/files"
    python3 -m pip download --quiet --no-deps --only-binary :all: --require-hashes \
        --dest "$fresh/files" --requirement "$sycl_pins" \
        || fail "the wheels of $sycl_pins can't be downloaded (see above)." \
        "That needs python3 with pip and a package index, once. Without: SYCL_WHEELS=DIR takes their" \
        "unpacked files, RECOBENCH_NO_NETWORK=1 skips the plugin"
    local wheel
    for wheel in "$fresh"/files/*.whl; do
        python3 -m zipfile -e "$wheel" "$fresh/unpacked"
        rm "$wheel"
    done
    cp -al "$fresh"/unpacked/*.data/data/. "$fresh/"
    rm -r "$fresh/unpacked" "$fresh/files"
    cp "$sycl_pins" "$fresh/installed.txt"
    rm -rf "$folder/wheels"
    mv "$fresh" "$folder/wheels"
}

find_sycl() {
    if [ -z "${SYCL_WHEELS:-}" ]; then
        install_sycl
        sycl=$PWD/$folder/wheels
        # The linker's word for the library's own folder.
        # shellcheck disable=SC2016
        run_path='$ORIGIN/wheels/lib'
        return
    fi
    sycl=$(cd "$started" && realpath "$SYCL_WHEELS")
    run_path=$sycl/lib
    local file
    for file in lib/libsycl.so lib/libsycl-jit.so lib/libintelocl.so include/sycl/sycl.hpp; do
        if [ ! -e "$sycl/$file" ]; then fail "$SYCL_WHEELS: no $file (SYCL_WHEELS)"; fi
    done
    local found
    found=$(basename "$(readlink -f "$sycl/lib/libsycl-jit.so")")
    if [ "$found" != "$jit" ]; then
        fail "$SYCL_WHEELS has $found; the types of compileSYCL are known for $jit of" \
            "intel-sycl-rt $version: leave SYCL_WHEELS out to install it"
    fi
}

# Where clang looks for a CUDA toolkit; of it only libdevice is used.
make_cuda_folder() {
    local device_library
    device_library=$(find -L "$cuda" "$wheels" -path '*/nvvm/libdevice/libdevice.10.bc' 2> /dev/null | head -n 1)
    if [ -z "$device_library" ]; then fail "$cuda: no nvvm/libdevice/libdevice.10.bc"; fi
    mkdir -p "$compiler/cuda/nvvm/libdevice" "$compiler/cuda/include" "$compiler/cuda/bin"
    cp "$device_library" "$compiler/cuda/nvvm/libdevice/"
    echo '{"cuda": {"name": "CUDA SDK", "version": "12.9.0"}}' > "$compiler/cuda/version.json"
    echo '#define CUDA_VERSION 12090' > "$compiler/cuda/include/cuda.h"
}

if [ -z "${SYCL_CXX:-}" ]; then find_sycl; fi
find_toolkit
compiler=$folder/compiler
images=$folder/images
rm -rf "$compiler" "$images"
mkdir -p "$compiler" "$images"
make_cuda_folder

warnings=(-Wall -Wextra -Werror)
"$CXX" -std=c++17 -O1 "${warnings[@]}" -rdynamic -o "$compiler/compile" "$plugin/compile/main.cpp" -ldl
# Products and sums are rounded one by one, as those of native kernels that are right to the last bit.
options=("-I$plugin/kernels" "--cuda-path=$PWD/$compiler/cuda" -Wno-pass-failed -ffp-contract=off)

if [ -z "${SYCL_CXX:-}" ]; then
    "$compiler/compile" libspirv "$sycl/lib/$jit" "$compiler"
    compile() {
        local format=$1 source=$2 output=$3
        "$compiler/compile" "$format" "$sycl/lib/$jit" "$compiler" "$source" "$output" "${options[@]}"
    }
    compile_runtime=("$CXX" -Wall -Wextra -isystem "$sycl/include" "-L$sycl/lib")
else
    compile() {
        local format=$1 source=$2 output=$3
        local target=(-fsycl-device-obj=spirv)
        if [ "$format" = ptx ]; then
            target=(-fsycl-targets=nvptx64-nvidia-cuda -Xsycl-target-backend=nvptx64-nvidia-cuda
                --cuda-gpu-arch=sm_75 -fsycl-device-obj=asm -S)
        fi
        # The default floating-point model of icpx is not precise.
        "$SYCL_CXX" -std=c++17 -O3 -ffp-model=precise -fsycl -fsycl-device-only "${target[@]}" "${options[@]}" \
            -o "$output" "$source" \
            || fail "$SYCL_CXX does not compile $source to $format (see above). It must be a DPC++ with" \
                "free-function kernels (6.3 or newer); for NVIDIA, oneAPI needs Codeplay's plugin"
        if [ "$format" = ptx ]; then "$compiler/compile" complete "$source" "$output"; fi
    }
    compile_runtime=("$SYCL_CXX" -fsycl "-L$run_path")
fi

# Machine code as that of build-kernels.sh, by the same ptxas, so that what is compared is what DPC++
# writes.
make_images() {
    local source=$1
    local image=$images/$2
    compile spirv "$source" "$image.spv"
    compile ptx "$source" "$image.ptx"
    local parts=()
    local arch
    for arch in 80 90 100; do
        "$ptxas" -O3 -v "-arch=sm_$arch" -o "$image.$arch.cubin" "$image.ptx" > "$image.$arch.log" 2>&1 \
            || { cat "$image.$arch.log" >&2; fail "what DPC++ makes of $source does not assemble for sm_$arch"; }
        parts+=("--image3=kind=elf,sm=$arch,file=$image.$arch.cubin")
    done
    parts+=("--image3=kind=ptx,sm=75,file=$image.ptx")
    "$fatbinary" -64 "${parts[@]}" "--create=$image.fatbin"
}

# The kernels of an image.
kernels_of() { sed -n "s/.*entry function '__sycl_kernel_\(.*\)' for .*/\1/p" "$images/$1.90.log"; }

# ptxas's words about a kernel of an image.
resources() {
    grep -A3 "entry function '__sycl_kernel_$2' for" "$images/$1.$3.log" \
        | sed -n 's/^ptxas info *: \(Used [0-9]* registers\).*/\1/p; s/.*, \([0-9]* bytes spill stores\), \(.*\)/\1, \2/p' \
        | tac | paste -sd ' '
}

# Calls in machine code for sm_90, of functions of SYCL's library that are not inlined.
calls() {
    "$cuobjdump" -sass "$images/$1.90.cubin" 2> "$images/$1.cuobjdump.log" \
        | awk -v kernel="__sycl_kernel_$2" '/Function :/ { is_kernel = $3 == kernel } is_kernel && /CALL/ { count++ }
            END { print count + 0 }'
}

{
    echo '.section .note.GNU-stack,"",@progbits'
    echo '.section .rodata'
} > "$images/images.S"
for source in "$plugin"/kernels/*.cpp; do
    name=$(basename "$source" .cpp)
    make_images "$source" "$name"
    for kind in fatbin spirv; do
        file=$PWD/$images/$name.${kind/spirv/spv}
        printf '.balign 64\n.globl %s\n.hidden %s\n%s:\n.incbin "%s"\n' \
            "${name}_$kind" "${name}_$kind" "${name}_$kind" "$file"
        printf '.globl %s\n.hidden %s\n%s:\n.byte 0\n' "${name}_${kind}_end" "${name}_${kind}_end" "${name}_${kind}_end"
    done >> "$images/images.S"
    for kernel in $(kernels_of "$name"); do
        echo "$kernel, sm_80: $(resources "$name" "$kernel" 80); sm_90: $(resources "$name" "$kernel" 90)," \
            "$(calls "$name" "$kernel") calls; sm_100: $(resources "$name" "$kernel" 100)"
    done
done

# Not written over: a bench that runs may have it open.
shared=(-shared -fPIC -fvisibility=hidden -O2 -std=c++17 "${warnings[@]}")
"$CXX" "${shared[@]}" "-DSYCL_COMPILER=\"$compiler_name\"" -o "$library.new" \
    "$plugin"/plugin/{plugin,sort,unpack,noisy_pads,decode,hits,cuda,host}.cpp "$images/images.S" -ldl
"${compile_runtime[@]}" -shared -fPIC -O2 -std=c++17 -o "$runtime.new" "$plugin/plugin/runtime.cpp" -lsycl -ldl \
    -Wl,--disable-new-dtags "-Wl,-rpath,$run_path"
mv "$runtime.new" "$runtime"
mv "$library.new" "$library"

"$CXX" -std=c++17 -O1 "${warnings[@]}" -o "$compiler/check" "$plugin/check/main.cpp" -ldl
if device=$("$compiler/check" "$PWD/$runtime" 2>&1); then
    echo "on the CPU: $device"
else
    echo "not on this CPU: $device"
fi
echo "$library, $(($(stat -c %s "$library") / 1000)) kB: bench portability --plugin $library"
