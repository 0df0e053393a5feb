//! Runs the C++ compiler where objects are not up to date: the build script runs whenever anything in
//! `src` changes, and kernels take long to compile.

use std::env;
use std::error::Error;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::SystemTime;

use super::include_folder;
use super::sources::{Unit, own_name};

/// Error message with the fix if there is no C++ compiler.
pub fn missing_compiler() -> Option<String> {
    let advice = "install one (Debian: apt install g++) and build again";
    let found = cc::Build::new().cpp(true).try_get_compiler();
    let runs = |compiler: cc::Tool| {
        let mut probe = Command::new(compiler.path());
        let silent = probe.stdout(Stdio::null()).stderr(Stdio::null());
        silent.arg("--version").status().is_ok_and(|status| status.success())
    };
    (!found.is_ok_and(runs)).then(|| format!("built without a C++ compiler: {advice}"))
}

/// Compiler of the kernels of a crate.
pub struct Compiler<'a> {
    headers: &'a [PathBuf],
    out: &'a Path,
    /// Common settings. Clones share the cached knowledge about the compiler; otherwise each unit
    /// would run it several times to identify it and the flags it accepts.
    base: cc::Build,
}

impl<'a> Compiler<'a> {
    /// Creates the compiler of the crate in the folder `root`, whose kernels find headers in
    /// `headers`; objects go to `out`.
    pub fn new(root: &Path, headers: &'a [PathBuf], out: &'a Path) -> Self {
        Compiler { headers, out, base: base(root, headers) }
    }

    /// Compiles all units and the runtime into one library. Returns the units' objects, in order,
    /// which are compiled again if any header in `folders` has changed. If several crates of a
    /// program have kernels, the linker takes the runtime of one of them.
    pub fn compile(
        &self,
        units: &[Unit],
        folders: &[PathBuf],
    ) -> Result<Vec<PathBuf>, Box<dyn Error>> {
        let runtime = object(&self.base, &include_folder().join("runtime.cpp"))?;
        let objects = in_parallel(units, |unit| self.compile_unit(unit, folders))?;
        let mut library = cc::Build::new();
        library.object(runtime).objects(&objects);
        library.try_compile(&format!("emulated_kernels_{}", own_name()))?;
        Ok(objects)
    }

    fn compile_unit(&self, unit: &Unit, folders: &[PathBuf]) -> Result<PathBuf, String> {
        let build = self.unit_build(unit);
        let ingredients = self.ingredients(unit, &build, folders);
        let stamp = self.out.join(format!("{}stamp", unit.prefix));
        if let Some(object) = reuse(&stamp, &ingredients) {
            return Ok(object);
        }
        let wrapper = self.out.join(format!("{}unit.cpp", unit.prefix));
        let io = |error: io::Error| format!("{}: {error}", wrapper.display());
        fs::write(&wrapper, wrapped(unit)).map_err(io)?;
        let object = object(&build, &wrapper)?;
        remember(&stamp, &object, &ingredients).map_err(io)?;
        Ok(object)
    }

    /// The settings of a unit.
    fn unit_build(&self, unit: &Unit) -> cc::Build {
        let mut build = self.base.clone();
        build.define("EMULATOR", None);
        build.define("EMULATOR_LANES", unit.lanes.to_string().as_str());
        // The four of a kernel live in one binary.
        for kernel in &unit.kernels {
            build.define(kernel, format!("{}{kernel}", unit.prefix).as_str());
        }
        if unit.checked {
            build.define("EMULATOR_CHECKED", None);
            build.flag("-fsanitize=thread").flag_if_supported("-Wno-tsan");
            show_as_written(&mut build);
        }
        build
    }

    /// All that an object depends on.
    fn ingredients(&self, unit: &Unit, build: &cc::Build, folders: &[PathBuf]) -> String {
        let own = include_folder().to_owned();
        let inputs = self.headers.iter().chain(folders).chain([&own, &unit.source]);
        let changed: Vec<_> = inputs.map(|path| last_change(path)).collect();
        let command = build.get_compiler().to_command();
        // Without the environment, part of which is specific to one build.
        let command: Vec<_> =
            std::iter::once(command.get_program()).chain(command.get_args()).collect();
        format!("{command:?}\n{changed:?}\n{}", wrapped(unit))
    }
}

/// The common settings.
fn base(root: &Path, headers: &[PathBuf]) -> cc::Build {
    let mut build = cc::Build::new();
    build.cpp(true).cpp_link_stdlib(None).std("c++17");
    build.opt_level(1).debug(false).warnings(true).extra_warnings(true);
    // Functions and lines, for reports: variables would cost a third of the time.
    build.flag("-g1");
    build.include(include_folder()).includes(headers);
    build.flag("-fno-exceptions").flag("-fno-rtti").flag("-fno-threadsafe-statics");
    // Kernels load and store words of other types, which nvcc allows.
    build.flag("-fno-strict-aliasing");
    // Keeps all of a unit's shared memory in one section.
    build.flag("-fno-data-sections").flag("-ftls-model=initial-exec");
    // Helpers in headers needn't all be used; pragmas are for other compilers.
    build.flag("-Wno-unused-function").flag("-Wno-unknown-pragmas");
    // Kernels whose results must be bitwise equal to the host's have a corresponding flag for nvcc.
    build.flag("-ffp-contract=off");
    // Reports name files from the folder of the crate on: see `checker/lines.rs`.
    let parent = root.parent().unwrap_or(root).display();
    build.flag(format!("-ffile-prefix-map={parent}/=/./"));
    build
}

/// Compiles volatile accesses to function calls, and keeps vector accesses whole.
fn show_as_written(build: &mut cc::Build) {
    if build.get_compiler().is_like_clang() {
        build.flag("-mllvm").flag("-tsan-distinguish-volatile=1");
    } else {
        build.flag("--param=tsan-distinguish-volatile=1");
        build.flag("-fno-tree-sra");
    }
}

fn object(build: &cc::Build, source: &Path) -> Result<PathBuf, String> {
    let mut build = build.clone();
    let compiled = build.file(source).try_compile_intermediates();
    let failed = |error: cc::Error| format!("{} does not compile: {error}", source.display());
    let mut objects = compiled.map_err(failed)?;
    objects.pop().ok_or_else(|| format!("{}: no object", source.display()))
}

/// The compiled file: the kernel file, with all but its kernels hidden from the other units, and
/// data for the table.
fn wrapped(unit: &Unit) -> String {
    let Unit { source, prefix, .. } = unit;
    let source = source.display();
    let mut text = format!(
        "#include \"entry.h\"\n\
         namespace {{\n\
         #include \"portable.h\"\n\
         #include \"{source}\"\n\
         __attribute__((used)) thread_local unsigned char emulator_anchor;\n\
         }}\n\
         extern \"C\" {{\n\
         void* {prefix}anchor() {{ return &emulator_anchor; }}\n"
    );
    for kernel in &unit.kernels {
        let entry = format!("{prefix}{kernel}_entry");
        let shared = if unit.with_shared.contains(kernel) {
            format!("{kernel}_shared_bytes")
        } else {
            "0".to_owned()
        };
        // The name of the kernel is another one in each unit, that of the constant is not.
        text += &format!(
            "extern const EmulatorEntry {entry};\n\
             const EmulatorEntry {entry} = emulator_entry<&{kernel}>(&{kernel}, {shared});\n"
        );
    }
    text + "}\n"
}

/// Runs `work` for each item, on the number of threads that cargo allows.
fn in_parallel<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> Result<R, String> + Sync,
) -> Result<Vec<R>, String> {
    let jobs = env::var("NUM_JOBS").ok().and_then(|jobs| jobs.parse().ok());
    let next = AtomicUsize::new(0);
    let worker = || {
        let numbers = std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)));
        let mine = numbers.map_while(|n| items.get(n).map(|item| (n, work(item))));
        mine.collect::<Vec<_>>()
    };
    let mut done = thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs.unwrap_or(1)).map(|_| scope.spawn(worker)).collect();
        let results = workers.into_iter().flat_map(|worker| worker.join().ok());
        results.flatten().collect::<Vec<_>>()
    });
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}

/// The object compiled from the same ingredients, if there is one.
pub fn reuse(stamp: &Path, ingredients: &str) -> Option<PathBuf> {
    let text = fs::read_to_string(stamp).ok()?;
    let (object, known) = text.split_once('\n')?;
    let object = PathBuf::from(object);
    (known == ingredients && object.exists()).then_some(object)
}

/// Records the ingredients of an object.
pub fn remember(stamp: &Path, object: &Path, ingredients: &str) -> std::io::Result<()> {
    fs::write(stamp, format!("{}\n{ingredients}", object.display()))
}

/// When a file, or the last header in a folder, was changed; nothing for other files.
pub fn last_change(path: &Path) -> Option<SystemTime> {
    if path.is_dir() {
        let entries = fs::read_dir(path).ok()?.flatten();
        return entries.filter_map(|entry| last_header(&entry.path())).max();
    }
    fs::metadata(path).and_then(|data| data.modified()).ok()
}

fn last_header(path: &Path) -> Option<SystemTime> {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let relevant = path.is_dir() || matches!(extension, Some("h" | "cuh" | "cpp"));
    relevant.then(|| last_change(path)).flatten()
}
