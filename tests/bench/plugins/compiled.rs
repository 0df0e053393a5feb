//! Plugins, compiled for a test.

use std::fs;
use std::ops::Deref;
use std::path::PathBuf;
use std::process::Command;

use crate::common::{Folder, Run, can_measure, folder, in_repository};

/// Defines of a correct plugin: none.
pub const RIGHT: &str = "";

/// Folder with plugins, and with the output of `bench`.
pub struct Workshop(Folder);

/// An empty one; none without a C compiler.
pub fn workshop() -> Option<Workshop> {
    if Command::new("cc").arg("--version").output().is_err() {
        eprintln!("skipped: no C compiler (cc)");
        return None;
    }
    Some(Workshop(folder()))
}

/// An empty one to measure in.
pub fn measuring() -> Option<Workshop> {
    workshop().filter(|_| can_measure())
}

impl Deref for Workshop {
    type Target = Folder;

    fn deref(&self) -> &Folder {
        &self.0
    }
}

impl Workshop {
    /// Compiles a plugin of the tests, for sorting.
    pub fn plugin(&self, name: &str, defines: &str) -> String {
        self.plugin_of("plugin.c", name, defines)
    }

    /// A plugin of the tests, by its source.
    pub fn plugin_of(&self, source: &str, name: &str, defines: &str) -> String {
        let source = format!("tests/bench/plugins/{source}");
        self.compile(&source, name, defines)
    }

    /// The example of the documentation.
    pub fn example(&self) -> String {
        self.compile("docs/plugin/example.c", "libexample.so", "")
    }

    /// A plugin of the tests, with the header and as it was in version 1.
    pub fn plugin_of_version_1(&self, source: &str, name: &str) -> String {
        let source = format!("tests/bench/plugins/{source}");
        let header = "tests/bench/plugins/version_1";
        self.compile_with("cc", &["-O2"], header, &source, name, "")
    }

    /// Compiles an example of the documentation as described there, but with warnings.
    pub fn example_of(&self, file: &str, name: &str) -> String {
        let (compiler, flags): (_, &[_]) = match file.ends_with(".cpp") {
            true => ("c++", &["-O3", "-std=c++17", "-Wextra"]),
            false => ("cc", &["-O3", "-Wextra", "-ffp-contract=off"]),
        };
        let source = format!("docs/plugin/examples/{file}");
        self.compile_with(compiler, flags, "docs/plugin", &source, name, "")
    }

    /// An example of the documentation in CUDA; none without a compiler and a GPU.
    pub fn example_in_cuda(&self, file: &str, name: &str) -> Option<String> {
        if Command::new("nvcc").arg("--version").output().is_err() {
            eprintln!("skipped: no nvcc");
            return None;
        }
        if let Err(problem) = portable_gpu::cuda::devices() {
            eprintln!("skipped: no GPU: {problem}");
            return None;
        }
        let mut nvcc = Command::new("nvcc");
        nvcc.args(["-O3", "-arch=native", "-cudart", "static", "-Werror", "all-warnings"]);
        nvcc.args(["-shared", "-Xcompiler", "-fPIC", "-o"]).arg(self.join(name));
        nvcc.arg(in_repository(&format!("docs/plugin/examples/{file}")));
        Run::from_command(&mut nvcc).exits(0);
        Some(format!("./{name}"))
    }

    pub fn compile(&self, source: &str, name: &str, defines: &str) -> String {
        self.compile_with("cc", &["-O2"], "docs/plugin", source, name, defines)
    }

    fn compile_with(
        &self,
        compiler: &str,
        flags: &[&str],
        header: &str,
        source: &str,
        name: &str,
        defines: &str,
    ) -> String {
        let mut compiler = Command::new(compiler);
        compiler.args(flags).args(["-Wall", "-Werror", "-shared", "-fPIC", "-I"]);
        compiler.arg(in_repository(header));
        compiler.args(defines.split_whitespace());
        compiler.arg("-o").arg(self.join(name));
        compiler.arg(in_repository(source)).arg("-lm");
        Run::from_command(&mut compiler).exits(0);
        format!("./{name}")
    }

    /// Measures two sorts of our own and those of plugins, a little.
    pub fn measure(&self, plugins: &[&str], variants: &str, flags: &str) -> Run {
        let plugins = plugins.iter().map(|path| format!(" --plugin {path}"));
        let plugins: String = plugins.collect();
        self.bench(format!(
            "sort --segments 24 --digis 5k --variant std-*,{variants} --max-time 100ms \
             --threads 2 --device cpu --no-charts --out r{plugins} {flags}"
        ))
    }
}

/// The processes that work in a folder, or did before they went elsewhere; not those that have
/// ended and are not waited for.
pub fn processes_in(folder: &Folder) -> Vec<PathBuf> {
    let here = folder.canonicalize().expect("a folder");
    let processes = fs::read_dir("/proc").expect("readable").flatten();
    let works_here =
        |process: &PathBuf| fs::read_link(process.join("cwd")).ok() == Some(here.clone());
    processes.map(|entry| entry.path()).filter(works_here).collect()
}
