//! The plugin in SYCL: messages of its script, its sources, and the plugin where it was built.

use std::fs;
use std::process::Command;

use crate::common::{Folder, Run, folder, in_repository, program};

const SCRIPT: &str = "scripts/build-sycl.sh";
/// The files that the script reads before it compiles.
const FILES: [&str; 6] = [
    SCRIPT,
    "scripts/kernels/common.sh",
    "scripts/kernels/toolkit.sh",
    "scripts/kernels/toolkit.txt",
    "scripts/kernels/toolkit-portable.txt",
    "plugins/sycl/wheels.txt",
];
/// Files of the wheels that the script looks for.
const WHEELS: [&str; 3] = ["lib/libsycl.so", "lib/libintelocl.so", "include/sycl/sycl.hpp"];

/// A folder with the script, and without anything that was installed.
fn fresh() -> Folder {
    let folder = folder();
    for file in FILES {
        let copy = folder.join(file);
        fs::create_dir_all(copy.parent().expect("a folder")).expect("made");
        fs::copy(in_repository(file), copy).expect("copied");
    }
    folder
}

/// The script with variables, and without a package index.
fn build(folder: &Folder, variables: &[(&str, &str)]) -> Run {
    let mut command = Command::new("bash");
    command.arg(folder.join(SCRIPT)).current_dir(folder.path());
    for name in ["RECOBENCH_NO_NETWORK", "CUDA_TOOLKIT", "SYCL_WHEELS", "SYCL_CXX", "CXX"] {
        command.env_remove(name);
    }
    let none = [("PIP_NO_INDEX", "1"), ("PIP_FIND_LINKS", "."), ("CXX", "true")];
    command.envs(none).envs(variables.iter().copied());
    Run::from_command(&mut command)
}

fn kernels() -> Vec<String> {
    let files = fs::read_dir(in_repository("plugins/sycl/kernels")).expect("a folder");
    let names = files.map(|file| file.expect("readable").file_name().into_string().expect("UTF-8"));
    names.filter_map(|name| name.strip_suffix(".cpp").map(str::to_owned)).collect()
}

#[test]
fn the_script_reports_what_is_missing() {
    let folder = fresh();
    build(&folder, &[("CXX", "no-such-compiler")]).exits(1).says("there is no no-such-compiler");
    let offline = build(&folder, &[("RECOBENCH_NO_NETWORK", "1")]).exits(0);
    offline.prints("skipped: the wheels of plugins/sycl/wheels.txt are not there");
    build(&folder, &[]).exits(1).says("can't be downloaded").says("SYCL_WHEELS=DIR");
}

#[test]
fn the_script_takes_one_version_only() {
    let folder = fresh();
    let wheels = folder.join("wheels");
    for file in WHEELS {
        fs::create_dir_all(wheels.join(file).parent().expect("a folder")).expect("made");
        fs::write(wheels.join(file), "").expect("written");
    }
    let path = wheels.to_str().expect("UTF-8");
    build(&folder, &[("SYCL_WHEELS", path)]).exits(1).says("no lib/libsycl-jit.so");
    fs::write(wheels.join("lib/libsycl-jit.so"), "").expect("written");
    let older = build(&folder, &[("SYCL_WHEELS", path)]).exits(1);
    older.says("the types of compileSYCL are known for libsycl-jit.so.23.1");
}

#[test]
fn the_script_refuses_compilers_that_are_no_dpcpp() {
    let folder = fresh();
    let compiler = |name: &str, commands: &str| {
        program(&folder, name, commands).into_os_string().into_string().expect("UTF-8")
    };
    let refusal = |compiler: &str| build(&folder, &[("SYCL_CXX", compiler)]).exits(1);
    refusal("no-such-compiler").says("there is no no-such-compiler (SYCL_CXX)");
    refusal(&compiler("acpp", "echo acpp")).says("no free functions as kernels");
    refusal(&compiler("broken", "echo out of order; exit 1")).says("out of order");
    // As GCC answers for a file that it does not have.
    let gcc = compiler("gcc-like", "echo libsycl.so");
    refusal(&gcc).says("has no libsycl.so (SYCL_CXX)");
    let both = [("SYCL_CXX", gcc.as_str()), ("SYCL_WHEELS", ".")];
    build(&folder, &both).exits(1).says("one of SYCL_CXX and SYCL_WHEELS");
}

#[test]
fn pins_have_versions_and_hashes() {
    let pins = fs::read_to_string(in_repository("plugins/sycl/wheels.txt")).expect("readable");
    for pin in pins.lines().filter(|line| !line.starts_with('#')) {
        assert!(pin.contains("==") && pin.contains(" --hash=sha256:"), "{pin}");
    }
}

/// Sources that add the variants of a task.
const TASKS: [&str; 5] = ["sort", "unpack", "noisy_pads", "decode", "hits"];

/// Text of these sources.
fn hosts() -> String {
    let folder = in_repository("plugins/sycl/plugin");
    let text = |task| fs::read_to_string(folder.join(format!("{task}.cpp"))).expect("readable");
    TASKS.map(text).concat()
}

#[test]
fn each_kernel_has_a_variant_with_its_launch() {
    let folder = in_repository("plugins/sycl");
    let hosts = hosts();
    for image in kernels() {
        assert!(hosts.contains(&format!("DECLARE_IMAGES({image})")), "{image}");
        let path = folder.join("kernels").join(&image).with_extension("cpp");
        let source = fs::read_to_string(path).expect("readable");
        assert!(source.contains("_SHAPE"), "{image}");
        // The name follows the line with the macro.
        let lines = source.lines().zip(source.lines().skip(1));
        let kernels = lines.filter(|(line, _)| line.starts_with("KERNEL("));
        let names: Vec<_> = kernels.filter_map(|(_, next)| next.split('(').next()).collect();
        assert!(!names.is_empty(), "{image}");
        for name in names {
            assert!(hosts.contains(&format!("{{\"{name}\", ")), "{name}");
        }
    }
}

#[test]
fn the_plugin_compiles_without_sycl() {
    let sources = TASKS.iter().chain(&["plugin", "cuda", "host"]);
    for source in sources.map(|name| format!("plugins/sycl/plugin/{name}.cpp")) {
        let mut compiler = Command::new("c++");
        compiler.args(["-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]);
        compiler.arg("-DSYCL_COMPILER=\"\"").arg(in_repository(&source));
        let Ok(status) = compiler.status() else {
            eprintln!("skipped: no compiler (c++)");
            return;
        };
        assert!(status.success(), "{source}");
    }
}

#[test]
fn the_plugin_finds_noisy_pads_on_this_cpu() {
    let library = in_repository("target/sycl/librecobench_sycl.so");
    if !library.is_file() {
        eprintln!("skipped: {SCRIPT} has not built the plugin");
        return;
    }
    let plugin = library.display();
    let folder = folder();
    let list = folder.bench(format!("list --plugin {plugin}")).exits(0);
    let variants = list.stdout.lines().filter(|line| line.contains("librecobench_sycl.so"));
    let added = hosts().matches("    add<").count();
    assert_eq!(variants.count(), 2 * added, "on the CPU and on GPUs");
    let verify = "verify noisy-pads --device cpu --seeds 1 --variant sycl-cache-line";
    folder.bench(format!("{verify} --plugin {plugin}")).exits(0);
}
