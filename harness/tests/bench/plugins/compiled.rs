//! Plugins, compiled for a test.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::common::{Run, bench_in, folder};

/// What is right about a plugin that is not compiled to be otherwise.
pub const RIGHT: &str = "";

/// Plugins in a folder, beside what `bench` leaves there.
pub struct Workshop {
    folder: TempDir,
}

impl Workshop {
    /// An empty one; none without a C compiler.
    pub fn new() -> Option<Self> {
        if Command::new("cc").arg("--version").output().is_err() {
            eprintln!("skipped: no C compiler (cc)");
            return None;
        }
        Some(Workshop { folder: folder() })
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A plugin of the tests, for sorting.
    pub fn plugin(&self, name: &str, defines: &str) -> String {
        self.plugin_of("plugin.c", name, defines)
    }

    /// A plugin of the tests, by its source.
    pub fn plugin_of(&self, source: &str, name: &str, defines: &str) -> String {
        self.compile(&format!("tests/bench/plugins/{source}"), name, defines)
    }

    /// The example of the documentation.
    pub fn example(&self) -> String {
        self.compile("../docs/plugin/example.c", "libexample.so", "")
    }

    fn compile(&self, source: &str, name: &str, defines: &str) -> String {
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let output = Command::new("cc")
            .args(["-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-I"])
            .arg(root.join("../docs/plugin"))
            .args(defines.split_whitespace())
            .arg("-o")
            .arg(self.path().join(name))
            .arg(root.join(source))
            .output();
        let output = output.expect("the compiler runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        format!("./{name}")
    }

    /// Runs `bench` there.
    pub fn bench(&self, line: &str) -> Run {
        let run = bench_in(self.path(), line);
        assert!(!run.stderr.contains("panicked"), "{line}: {}", run.stderr);
        run
    }

    /// Measures two sorts of our own and those of plugins, a little.
    pub fn measure(&self, plugins: &[&str], variants: &str, flags: &str) -> Run {
        let plugins: String = plugins
            .iter()
            .map(|path| format!(" --plugin {path}"))
            .collect();
        self.bench(&format!(
            "sort --segments 24 --digis 5k --variant std-*,{variants} --max-time 100ms \
             --threads 2 --device cpu --no-charts --out r{plugins} {flags}"
        ))
    }
}
