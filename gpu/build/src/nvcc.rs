//! The CUDA compiler, for crates that bring no images.

use std::collections::BTreeSet;
use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use super::Reader;

/// Environment variables with the compiler, and with the folder of a toolkit.
const COMPILER: &str = "NVCC";
const TOOLKITS: [&str; 2] = ["CUDA_HOME", "CUDA_PATH"];
/// Line of a kernel file with flags of its own.
const OWN_FLAGS: &str = "// nvcc: ";
/// Machine code for all GPUs that this compiler knows, PTX for later ones, and PTX that the build can
/// read.
const FLAGS: [&str; 5] = ["-std=c++17", "-O3", "-arch=all-major", "--no-compress", "--fatbin"];

/// `nvcc`, and the folder that it writes images to.
pub struct Nvcc {
    program: PathBuf,
    out: PathBuf,
}

impl Nvcc {
    /// Finds the compiler: `$NVCC`, that of `$CUDA_HOME` or `$CUDA_PATH`, or `nvcc` on the path.
    /// `None` if there is none.
    ///
    /// # Errors
    /// If the one of an environment variable can't be run.
    pub fn find(out: &Path) -> Result<Option<Self>, Box<dyn Error>> {
        for name in TOOLKITS.into_iter().chain([COMPILER]) {
            println!("cargo:rerun-if-env-changed={name}");
        }
        let nvcc = |program: PathBuf| Nvcc::at(program, out);
        let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
        if let Some(program) = set(COMPILER) {
            let compiler = nvcc(program.into());
            let problem = || format!("NVCC={}: it can't be run", compiler.program.display());
            return if compiler.runs() { Ok(Some(compiler)) } else { Err(problem().into()) };
        }
        let toolkits = TOOLKITS.into_iter().filter_map(set);
        let of_toolkits = toolkits.map(|toolkit| Path::new(&toolkit).join("bin/nvcc"));
        let mut all = of_toolkits.chain([PathBuf::from("nvcc")]).map(nvcc);
        Ok(all.find(Nvcc::runs))
    }

    /// A compiler by its path.
    pub fn at(program: impl Into<PathBuf>, out: &Path) -> Self {
        Nvcc { program: program.into(), out: out.to_owned() }
    }

    fn runs(&self) -> bool {
        let mut probe = Command::new(&self.program);
        probe.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        probe.status().is_ok_and(|status| status.success())
    }

    /// Compiles a kernel file to an image of this name, unless that is newer than its sources.
    pub(super) fn compile(
        &self,
        reader: &Reader<'_>,
        kernel: &Path,
        image: &str,
    ) -> Result<PathBuf, Box<dyn Error>> {
        let image = self.out.join(image);
        let source = reader.root.join(kernel);
        if is_up_to_date(reader, kernel, &image) {
            return Ok(image);
        }
        let emulator = cuda_emulator_build::include_folder();
        let headers = reader.headers.iter().map(|folder| reader.root.join(folder));
        let mut command = Command::new(&self.program);
        command.args(FLAGS);
        for folder in headers.chain([emulator.to_owned()]) {
            command.arg("-I").arg(folder);
        }
        let text = fs::read_to_string(&source)?;
        let own = text.lines().filter_map(|line| line.strip_prefix(OWN_FLAGS));
        command.args(own.flat_map(str::split_whitespace));
        let output = command.arg("-o").arg(&image).arg(&source).output()?;
        if !output.status.success() {
            let messages = String::from_utf8_lossy(&output.stderr);
            return Err(format!("{} does not compile:\n{messages}", source.display()).into());
        }
        Ok(image)
    }
}

/// True if an image is newer than its kernel file and all headers.
fn is_up_to_date(reader: &Reader<'_>, kernel: &Path, image: &Path) -> bool {
    let mut inputs = BTreeSet::new();
    add_inputs(reader, kernel, &mut inputs);
    let inputs = inputs.into_iter().map(|path| reader.root.join(path));
    let portable = cuda_emulator_build::include_folder().join("portable.h");
    let changed: Option<Vec<SystemTime>> =
        inputs.chain([portable]).map(|path| last_change(&path)).collect();
    match (last_change(image), changed) {
        (Some(compiled), Some(changed)) => changed.into_iter().all(|time| time < compiled),
        _ => false,
    }
}

fn add_inputs(reader: &Reader<'_>, path: &Path, inputs: &mut BTreeSet<PathBuf>) {
    if let Some(file) = reader.files.get(path).filter(|_| inputs.insert(path.to_owned())) {
        file.includes.iter().for_each(|include| add_inputs(reader, include, inputs));
    }
}

fn last_change(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|data| data.modified()).ok()
}
