//! Images of kernel files: those that a crate brings, or those that `nvcc` compiles, checked against
//! the declarations.

use std::error::Error;
use std::fs;
use std::path::Path;

use super::evaluate::KnownConstants;
use super::nvcc::Nvcc;
use super::parse::{Kernel, Parameter};
use super::{File, Reader};

/// First bytes of PTX after its comments.
const PTX_START: &[u8] = b".version ";

/// Folder of a crate with images.
const PREBUILT: &str = "kernels/prebuilt";

const ADVICE: &str = "; build the images of kernels/prebuilt anew (scripts/build-kernels.sh)";

/// Location of the image of a kernel file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageFile {
    /// In the folder of prebuilt images.
    Prebuilt,
    /// In `OUT_DIR`, where it was compiled.
    Compiled,
}

/// True if a crate brings images. It must then bring those of all its kernel files.
pub fn are_prebuilt(root: &Path) -> bool {
    let entries = fs::read_dir(root.join(PREBUILT)).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).any(|path| path.extension().is_some_and(|e| e == "fatbin"))
}

/// Finds or compiles the image of each kernel file, and checks that it has kernels with the declared
/// parameters and threads. Without images and without a compiler there are none.
pub fn find(reader: &mut Reader<'_>, nvcc: Option<&Nvcc>) -> Result<(), Box<dyn Error>> {
    let are_prebuilt = are_prebuilt(reader.root);
    let kernels: Vec<_> = reader.files.keys().filter(|path| is_kernel_file(path)).collect();
    for path in kernels.into_iter().cloned().collect::<Vec<_>>() {
        let name = format!("{}.fatbin", image_of(&path));
        let (image, at, advice) = if are_prebuilt {
            let at = reader.root.join(PREBUILT).join(name);
            println!("cargo:rerun-if-changed={}", at.display());
            (ImageFile::Prebuilt, at, ADVICE)
        } else if let Some(nvcc) = nvcc {
            (ImageFile::Compiled, nvcc.compile(reader, &path, &name)?, "")
        } else {
            continue;
        };
        if let Some(file) = reader.files.get_mut(&path) {
            file.image = Some(image);
            check(&at, file).map_err(|problem| format!("{}: {problem}{advice}", at.display()))?;
        }
    }
    Ok(())
}

/// Checks that an image has the kernels of a file, and reads their shared memory from it.
fn check(image: &Path, file: &mut File) -> Result<(), String> {
    let image = fs::read(image).map_err(|error| error.to_string())?;
    let image = ptx_of(&image).ok_or_else(|| "no PTX, or compressed".to_owned())?;
    for kernel in &file.declared.kernels {
        let threads = file.known.value(&kernel.threads);
        let fits = entry(image, &kernel.name).is_some_and(|entry| {
            sizes(entry) == expected(kernel, &file.known) && after(entry, ".maxntid ") == threads
        });
        if !fits {
            return Err(format!("kernel {} is not that of {}", kernel.name, file.path.display()));
        }
    }
    for name in &file.declared.shared {
        let bytes = after(image, &format!(" {name}_shared_bytes = "));
        let bytes = bytes.ok_or_else(|| format!("no shared memory of {name}"))?;
        file.known.values.insert(format!("{name}_shared_bytes"), bytes);
    }
    Ok(())
}

pub fn is_kernel_file(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "cu")
}

/// `src/TASK/cuda/VARIANT.cu` is `TASK-VARIANT`, `kernels/VARIANT.cu` is `VARIANT`.
pub fn image_of(path: &Path) -> String {
    let variant = path.file_stem().unwrap_or_default().to_string_lossy();
    let parts: Vec<_> = path.iter().collect();
    match parts.as_slice() {
        [_, task, _, ..] => format!("{}-{variant}", task.to_string_lossy()),
        _ => variant.into_owned(),
    }
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
