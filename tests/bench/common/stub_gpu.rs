//! Stub driver libraries that report a GPU, on which nothing can run.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use tempfile::TempDir;

use super::{Folder, Run};

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bench/common/stub_gpu.c");

/// The libraries of the driver.
pub struct StubGpu {
    folder: TempDir,
}

impl StubGpu {
    /// `None` without a C compiler.
    pub fn new() -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder");
        let library = folder.path().join("libcuda.so.1");
        let mut compiler = Command::new("cc");
        compiler.args(["-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o"]);
        let Ok(output) = compiler.arg(&library).arg(SOURCE).output() else {
            eprintln!("skipped: no C compiler, so that no driver can be made up");
            return None;
        };
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        for name in ["libcuda.so", "libnvidia-ml.so.1"] {
            symlink(&library, folder.path().join(name)).expect("linked");
        }
        Some(StubGpu { folder })
    }

    /// Makes the management library unloadable, as in some containers.
    pub fn spoil_management_library(&self) {
        let path = self.folder.path().join("libnvidia-ml.so.1");
        fs::remove_file(&path).expect("it was there");
        fs::write(path, "").expect("written");
    }

    /// Replaces the HIP runtime by one without functions, whatever is installed.
    pub fn spoil_hip_runtime(&self) {
        // The first name by which it is sought.
        let path = self.folder.path().join("libamdhip64.so");
        symlink(self.folder.path().join("libcuda.so.1"), path).expect("linked");
    }

    /// Has a command find these libraries instead of those of a real driver.
    pub fn lend_to(&self, command: &mut Command) {
        command.env("LD_LIBRARY_PATH", self.folder.path());
    }

    /// Runs `bench` with the words of a line there, with these variables.
    pub fn bench(&self, folder: &Folder, line: &str, variables: &[(&str, &str)]) -> Run {
        let mut command = folder.command(line);
        self.lend_to(command.env_remove("CUDA_VISIBLE_DEVICES"));
        command.envs(variables.iter().copied());
        Run::from_command(&mut command)
    }
}
