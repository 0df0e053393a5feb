//! Interfaces that the build generates from kernel sources, on small examples.

#![allow(clippy::disallowed_methods, reason = "what a build script prints is for cargo")]

use std::fs;

use portable_gpu_build::{Nvcc, generate};
use tempfile::TempDir;

const HEADER: &str = "
#pragma once
namespace task {
// Some digis.
struct __align__(8) Range { u32 begin, end; __device__ u32 count() const { return end - begin; } };
}
namespace {
constexpr u32 THREADS = 2 * 128;
constexpr u32 TILE = THREADS * sizeof(u64) - (1 << 3), WARPS = THREADS / LANES;
enum Verdict : u8 { EMPTY, DAMAGED };
}
";

const KERNEL: &str = r#"
#include "common.h"
namespace {
struct Shared { u64 digis[TILE]; };
template <class T> __device__ T twice(T value) { return 2 * value; }
}
extern "C" __global__ void __launch_bounds__(THREADS, 2)
    task_sort(const Range* ranges, /* of each */ u16* __restrict__ counts, u32 count) {
    SMEM_DYN(Shared, shared);
}
KERNEL_EXPORT(task_sort, Sort)
KERNEL_SHARED(task_sort, Shared)
"#;

const IMAGE: &str = ".version 8.0
.visible .global .align 4 .u32 task_sort_shared_bytes = 16320;
.visible .entry task_sort(
	.param .u64 task_sort_param_0,
	.param .u64 task_sort_param_1,
	.param .u32 task_sort_param_2
)
.maxntid 256, 1, 1
";

const COMMON_SHADER: &str = "// Common to some.
#part exact_rules
const RULES_OF = \"exact\";
#part published_rules
const RULES_OF = \"published\";
";

const SHADER: &str = "// Shared by all parts.
#part task_sort
#include \"common.wgsl\"
@group(0) @binding(0) var<storage, read> ranges: array<vec2u>;
@group(0) @binding(1) var<storage, read_write> counts: array<u32>;
const TILE = 64u;
";

/// Generates the launchers of a kernel file with this kernel, next to the header, with this image.
fn generated(kernel: &str, image: &str) -> Result<String, String> {
    made(kernel, image, None)
}

/// Generates the launchers, with `shader` if that is the kernel's.
fn made(kernel: &str, image: &str, shader: Option<&str>) -> Result<String, String> {
    let root = TempDir::new().expect("enough space");
    let write = |path: &str, text: &str| {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("enough space");
        fs::write(path, text).expect("enough space");
    };
    let path = "src/task/cuda/sort.cu";
    write("src/task/cuda/common.h", HEADER);
    write(path, kernel);
    write("kernels/prebuilt/task-sort.fatbin", image);
    let kernels = [root.path().join(path)];
    if let Some(shader) = shader {
        write("src/task/wgpu/common.wgsl", COMMON_SHADER);
        write("src/task/wgpu/sort.wgsl", shader);
    }
    generate(root.path(), &[], &kernels, None).map_err(|error| error.to_string())
}

#[test]
fn a_struct_with_pointers_is_all_that_a_kernel_takes() {
    let kernel = r#"
#include "common.h"
struct Sides { const u64* digis; u32 sides; };
struct Work {
    Sides all;
    Range* ranges = nullptr;
    u16 *first, *last;
    u32 count;
    __device__ bool is_empty() const { return count == 0; }
};
KERNEL_INSTANCE(task_sort, Work, (THREADS, 2), sort<Exact, 3>)
"#;
    let image = ".version 8.0
.visible .entry task_sort(
	.param .align 8 .b8 task_sort_param_0[48]
)
.maxntid 256, 1, 1
";
    let generated = made(kernel, image, Some(SHADER)).expect("it is sound");
    for expected in [
        "pub(crate) all: Sides,\npub(crate) ranges: Ptr<Range>,\npub(crate) first: Ptr<u16>,\n\
         pub(crate) last: Ptr<u16>,\npub(crate) count: u32,\n}",
        "Argument::from_fields(48, vec![(0, self.all.argument()), (16, self.ranges.argument()), \
         (24, self.first.argument()), (32, self.last.argument()), (40, self.count.argument()), ])",
        "pub(crate) static TASK_SORT: Kernel<Work> =",
    ] {
        assert!(generated.contains(expected), "no {expected} in\n{generated}");
    }
    let leaves = "Parameter::Buffer(Access::Read), Parameter::Value(4), \
                  Parameter::Buffer(Access::Write), Parameter::Buffer(Access::None), \
                  Parameter::Buffer(Access::None), Parameter::Value(4), ";
    assert!(generated.contains(leaves), "no {leaves} in\n{generated}");
    let error = made(kernel, &image.replace("[48]", "[40]"), None).expect_err("refused");
    assert!(error.contains("kernel task_sort is not that of"), "{error}");
}

#[test]
fn shaders_have_the_parameters_of_kernels() {
    let without = made(KERNEL, IMAGE, None).expect("it needs none");
    assert!(without.contains("shaders: shaders![],"), "{without}");
    let text = made(KERNEL, IMAGE, Some(SHADER)).expect("it is sound");
    let buffers = "Parameter::Buffer(Access::Read), Parameter::Buffer(Access::Write)";
    for expected in [
        &format!("kernel: \"task_sort\", parameters: &[{buffers}, Parameter::Value(4), ]"),
        "const THREADS = 256u;",
        "// Shared by all parts.",
        "// Common to some.",
        "const TILE = 64u;",
    ] {
        assert!(text.contains(expected), "no {expected} in\n{text}");
    }
    // Declared by the shader itself.
    assert!(!text.contains("const TILE = 2040u;"), "{text}");
    let unused = SHADER.replace("@binding(0)", "");
    let text = made(KERNEL, IMAGE, Some(&unused)).expect("it may leave out some");
    assert!(text.contains("Parameter::Buffer(Access::None), "), "{text}");
    for (from, to, problem) in [
        ("common.wgsl", "other.wgsl", "there is no other.wgsl"),
        ("@binding(1)", "@binding(2)", "the kernel has 2 pointers"),
    ] {
        let refused = made(KERNEL, IMAGE, Some(&SHADER.replace(from, to)));
        let error = refused.expect_err("refused");
        assert!(error.contains("task/wgpu/sort.wgsl") && error.contains(problem), "{error}");
    }
}

#[test]
fn a_part_of_a_shader_serves_all_rules() {
    let kernel = KERNEL.replace("task_sort", "task_sort_published");
    let image = IMAGE.replace("task_sort", "task_sort_published");
    let shader = SHADER.replace("#part task_sort", "#part task_other\n#part task_sort_RULES");
    let shader = shader.replace("common.wgsl\"", "common.wgsl\" RULES_rules");
    let text = made(&kernel, &image, Some(&shader)).expect("it is sound");
    assert!(text.contains("const RULES_OF = \"published\""), "{text}");
    assert!(!text.contains("\"exact\"") && !text.contains("#part"), "{text}");
    let unknown = shader.replace("RULES_rules", "RULES_ruels");
    let error = made(&kernel, &image, Some(&unknown)).expect_err("refused");
    assert!(error.contains("there is no common.wgsl published_ruels"), "{error}");
}

#[test]
fn launchers_have_the_declarations_of_the_source() {
    let text = generated(KERNEL, IMAGE).expect("it is sound");
    for expected in [
        "pub(crate) mod task_sort {",
        "pub(crate) mod task_cuda_common_h {",
        "pub(crate) const THREADS: u32 = 256;",
        "pub(crate) const TILE: u32 = 2040;",
        "pub(crate) const DAMAGED: u8 = 1;",
        "#[repr(C, align(8))]\npub(crate) struct Range {\npub(crate) begin: u32,\npub(crate) end: u32,\n}",
        "pub(crate) struct Sort {\npub(crate) ranges: Ptr<Range>,\npub(crate) counts: Ptr<u16>,\npub(crate) count: u32,\n}",
        "unsafe { Kernel::new(&IMAGE, \"task_sort\", 256, 16320) }",
    ] {
        assert!(text.contains(expected), "no {expected} in\n{text}");
    }
    // Not usable outside of a block, or not the same for all devices.
    for unexpected in ["struct Shared", "WARPS"] {
        assert!(!text.contains(unexpected), "{unexpected} in\n{text}");
    }
}

#[test]
fn mismatches_are_refused() {
    let other = |from: &str, to: &str| generated(&KERNEL.replace(from, to), IMAGE);
    for (from, to, problem) in [
        ("u32 count)", "u32 count, u32 more)", "task_sort is not that of src/task/cuda/sort.cu"),
        ("u32 count)", "u32* count)", "task_sort is not that of"),
        ("(THREADS, 2)", "(2 * THREADS, 2)", "task_sort is not that of"),
        ("__launch_bounds__(THREADS, 2)", "", "add __launch_bounds__(THREADS)"),
        ("KERNEL_EXPORT(task_sort, Sort)", "", "add KERNEL_EXPORT(task_sort)"),
        ("common.h", "other.h", "there is no other.h"),
    ] {
        let error = other(from, to).expect_err(to);
        assert!(error.contains(problem), "{error}");
    }
    let error = generated(KERNEL, &IMAGE.replace("shared_bytes", "bytes")).expect_err("none");
    assert!(error.contains("no shared memory of task_sort"), "{error}");
}

#[test]
fn kernels_of_one_interface_have_the_same_parameters() {
    let second = KERNEL.replace("task_sort", "task_order").replace("#include \"common.h\"", "");
    let (_, second) = second.split_once("extern").expect("a kernel");
    let both = format!("{KERNEL}\nextern{second}");
    let image = format!("{IMAGE}{}", IMAGE.replace("task_sort", "task_order"));
    let text = generated(&both, &image).expect("they are the same");
    assert_eq!(text.matches("struct Sort {").count(), 1);
    assert!(text.contains("static TASK_ORDER: Kernel<Sort>"), "{text}");
    let renamed = both.replacen("u32 count", "u32 length", 1);
    let error = generated(&renamed, &image).expect_err("another name");
    assert!(error.contains("other parameters than the first Sort has"), "{error}");
}

/// A kernel file of its own, next to its shader and without an image.
const SMALL: &str = r#"
extern "C" __global__ void __launch_bounds__(64) twice(u32* values, u32 count) {}
KERNEL_EXPORT(twice)
"#;
const SMALL_IMAGE: &str = ".version 8.0
.visible .entry twice(
	.param .u64 .ptr .align 1 twice_param_0,
	.param .u32 twice_param_1
)
.maxntid 64
";

/// A folder with that file.
fn small() -> TempDir {
    let root = TempDir::new().expect("enough space");
    fs::create_dir(root.path().join("kernels")).expect("enough space");
    fs::write(root.path().join("kernels/twice.cu"), SMALL).expect("enough space");
    let shader = "#part twice\n@group(0) @binding(0) var<storage, read_write> v: array<u32>;\n";
    fs::write(root.path().join("kernels/twice.wgsl"), shader).expect("enough space");
    root
}

fn generated_small(root: &TempDir, nvcc: Option<&Nvcc>) -> Result<String, String> {
    let kernels = [root.path().join("kernels/twice.cu")];
    generate(root.path(), &[], &kernels, nvcc).map_err(|error| error.to_string())
}

#[test]
fn a_crate_without_images_and_compiler_builds_without_an_image() {
    let text = generated_small(&small(), None).expect("it needs none");
    for expected in [
        "pub(crate) mod twice {",
        "source: \"twice\",\nfatbin: None,",
        "kernel: \"twice\", parameters: &[Parameter::Buffer(Access::Write), ",
        "Kernel::new(&IMAGE, \"twice\", 64, 0)",
    ] {
        assert!(text.contains(expected), "no {expected} in\n{text}");
    }
}

#[test]
fn a_crate_with_images_has_all_of_them() {
    let root = small();
    let prebuilt = root.path().join("kernels/prebuilt");
    fs::create_dir(&prebuilt).expect("enough space");
    fs::write(prebuilt.join("other.fatbin"), SMALL_IMAGE).expect("enough space");
    let error = generated_small(&root, None).expect_err("one is missing");
    assert!(error.contains("twice.fatbin") && error.contains("build the images"), "{error}");
    fs::write(prebuilt.join("twice.fatbin"), SMALL_IMAGE).expect("enough space");
    let text = generated_small(&root, None).expect("it is there");
    assert!(text.contains("\"/kernels/prebuilt/twice.fatbin\""), "{text}");
}

/// A script instead of the compiler, which writes an image or a message.
#[cfg(unix)]
#[test]
fn nvcc_compiles_what_is_not_up_to_date() {
    use std::os::unix::fs::PermissionsExt;
    use std::time::{Duration, SystemTime};

    let root = small();
    let out = TempDir::new().expect("enough space");
    let script = |text: &str| {
        let path = out.path().join("nvcc");
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("enough space");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a file");
        Nvcc::at(path, out.path())
    };
    let image = format!("printf '%s' '{SMALL_IMAGE}' > {}/twice.fatbin", out.path().display());
    // Files that are written one after the other may have the same time.
    let source = fs::File::options().write(true).open(root.path().join("kernels/twice.cu"));
    let before = SystemTime::now() - Duration::from_secs(60);
    source.and_then(|source| source.set_modified(before)).expect("a file");
    let text = generated_small(&root, Some(&script(&image))).expect("it compiles");
    assert!(text.contains("env!(\"OUT_DIR\"), \"/twice.fatbin\""), "{text}");
    let fails = script("echo 'twice.cu(2): error: no' >&2; exit 1");
    assert!(generated_small(&root, Some(&fails)).is_ok(), "it is up to date");
    fs::remove_file(out.path().join("twice.fatbin")).expect("it was written");
    let error = generated_small(&root, Some(&fails)).expect_err("refused");
    assert!(error.contains("does not compile:\ntwice.cu(2): error: no"), "{error}");
    let wrong = image.replace("maxntid 64", "maxntid 32");
    let error = generated_small(&root, Some(&script(&wrong))).expect_err("refused");
    assert!(error.contains("kernel twice is not that of kernels/twice.cu"), "{error}");
}
