//! Checks declarations against the compiled images.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use super::File;
use super::evaluate::KnownConstants;
use super::parse::{Kernel, Parameter};

/// First bytes of PTX after its comments.
const PTX_START: &[u8] = b".version ";

const ADVICE: &str = "scripts/build-kernels.sh makes it anew";

/// Checks that the image of each kernel file has kernels with these parameters and threads, and
/// reads their shared memory from it.
pub fn check(root: &Path, files: &mut BTreeMap<PathBuf, File>) -> Result<(), Box<dyn Error>> {
    for file in files.values_mut().filter(|file| is_kernel_file(&file.path)) {
        let path = root.join(format!("kernels/prebuilt/{}.fatbin", image_of(&file.path)));
        println!("cargo:rerun-if-changed={}", path.display());
        let in_file = |problem: String| format!("{}: {problem}; {ADVICE}", path.display());
        let image = fs::read(&path).map_err(|error| in_file(error.to_string()))?;
        let image = ptx_of(&image).ok_or_else(|| in_file("no PTX, or compressed".into()))?;
        let declared = &file.declared;
        for kernel in &declared.kernels {
            let threads = file.known.value(&kernel.threads);
            let fits = entry(image, &kernel.name).is_some_and(|entry| {
                sizes(entry) == expected(kernel, &file.known)
                    && after(entry, ".maxntid ") == threads
            });
            if !fits {
                let problem =
                    format!("kernel {} is not that of {}", kernel.name, file.path.display());
                return Err(in_file(problem).into());
            }
        }
        for name in &declared.shared {
            let constant = format!(" {name}_shared_bytes = ");
            let bytes = after(image, &constant);
            let bytes = bytes.ok_or_else(|| in_file(format!("no shared memory of {name}")))?;
            file.known.values.insert(format!("{name}_shared_bytes"), bytes);
        }
    }
    Ok(())
}

pub fn is_kernel_file(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "cu")
}

/// `src/TASK/cuda/VARIANT.cu` is `TASK-VARIANT`.
pub fn image_of(path: &Path) -> String {
    let mut parts = path.iter().skip(1);
    let task = parts.next().unwrap_or_default().to_string_lossy();
    let variant = path.file_stem().unwrap_or_default().to_string_lossy();
    format!("{task}-{variant}")
}

/// The PTX in an image, which is not compressed: it ends with a NUL.
fn ptx_of(image: &[u8]) -> Option<&str> {
    let start = image.windows(PTX_START.len()).position(|bytes| bytes == PTX_START)?;
    let text = &image[start..];
    let end = text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
    std::str::from_utf8(&text[..end]).ok()
}

/// The text of an image from a kernel's parameters to the next kernel.
fn entry<'a>(image: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = image.split_once(&format!(".entry {name}("))?;
    Some(rest.split_once(".entry ").map_or(rest, |(own, _)| own))
}

/// The bits of each parameter: `.u64 name`, or `.align 4 .b8 name[bytes]` for a struct.
fn sizes(entry: &str) -> Vec<u64> {
    let parameters = entry.split_once(')').map_or(entry, |(head, _)| head);
    let bits = parameters.split(".param .").skip(1);
    let bits = bits.filter_map(|kind| match kind.split_once('[') {
        Some((_, bytes)) => Some(8 * number(bytes)?),
        None => number(&kind[1..]),
    });
    bits.collect()
}

/// Expected bits of parameters; 0 for unknown types, which no image has.
fn expected(kernel: &Kernel, known: &KnownConstants) -> Vec<u64> {
    let bits = |parameter: &Parameter| {
        if parameter.is_pointer {
            return 64;
        }
        8 * known.sizes.get(&parameter.kind).copied().unwrap_or(0)
    };
    kernel.parameters.iter().map(bits).collect()
}

/// The number that follows some words.
fn after(text: &str, words: &str) -> Option<u64> {
    number(text.split_once(words)?.1)
}

fn number(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}
