//! Shaders of kernels: WGSL with the parameters and the function of a kernel.
//!
//! The shader of `KERNEL` in `src/TASK/cuda/FILE.cu` is `src/TASK/wgpu/KERNEL.wgsl`. A line
//! `#include "FILE.wgsl"` includes a file of the same folder or of `kernels`, as in kernels. The
//! constants of the kernel file are available in the shader, unless it declares them itself.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use super::evaluate::KnownConstants;
use super::images::is_kernel_file;
use super::parse::{Kernel, Parameter};
use super::{File, found, without_dots};

/// Generates the list of all shaders as Rust.
pub fn table(root: &Path, files: &BTreeMap<PathBuf, File>) -> Result<String, Box<dyn Error>> {
    let mut text = "pub(super) static SHADERS: &[Shader] = &[\n".to_owned();
    for file in files.values().filter(|file| is_kernel_file(&file.path)) {
        let folder = without_dots(&file.path.with_file_name("").join("../wgpu"));
        for kernel in &file.declared.kernels {
            let path = folder.join(format!("{}.wgsl", kernel.name));
            if root.join(&path).exists() {
                text += &shader(root, &path, kernel, &file.known)?;
            }
        }
    }
    Ok(text + "];\n")
}

fn shader(
    root: &Path,
    path: &Path,
    kernel: &Kernel,
    known: &KnownConstants,
) -> Result<String, Box<dyn Error>> {
    let code = with_includes(root, path, &mut BTreeSet::new())?;
    let constants = constants(known, &code);
    let in_file = |problem: String| format!("{}: {problem}", path.display());
    let parameters = parameters(kernel, known, &code).map_err(in_file)?;
    let name = &kernel.name;
    Ok(format!(
        "Shader {{ kernel: \"{name}\", parameters: &[{parameters}],\n\
         text: r####\"{constants}{code}\"#### }},\n"
    ))
}

/// The text of a file after those that it includes, each of them once.
fn with_includes(
    root: &Path,
    path: &Path,
    known: &mut BTreeSet<PathBuf>,
) -> Result<String, Box<dyn Error>> {
    if !known.insert(path.to_owned()) {
        return Ok(String::new());
    }
    let in_file = |problem: &str| format!("{}: {problem}", path.display());
    let own = fs::read_to_string(root.join(path)).map_err(|error| in_file(&error.to_string()))?;
    let mut text = String::new();
    for line in own.lines() {
        match line.strip_prefix("#include \"").and_then(|rest| rest.strip_suffix('"')) {
            Some(name) => {
                let include = found(root, path, Path::new(name));
                let include = include.ok_or_else(|| in_file(&format!("there is no {name}")))?;
                text += &with_includes(root, &include, known)?;
            }
            None => text.extend([line, "\n"]),
        }
    }
    Ok(text)
}

/// Known constants that fit into WGSL's types, without those that the code declares.
fn constants(known: &KnownConstants, code: &str) -> String {
    let fits = |(name, value): &(&String, &u64)| {
        let has_it = [" ", ":"].iter().any(|end| code.contains(&format!("const {name}{end}")));
        u32::try_from(**value).is_ok() && !has_it
    };
    let constants = known.values.iter().filter(fits);
    constants.map(|(name, value)| format!("const {name} = {value}u;\n")).collect()
}

/// The bindings of the parameters of the kernel, and of the fields of structs with pointers.
fn parameters(kernel: &Kernel, known: &KnownConstants, code: &str) -> Result<String, String> {
    let mut text = String::new();
    let mut bindings = 0;
    for leaf in kernel.parameters.iter().flat_map(|parameter| leaves(parameter, known)) {
        if leaf.is_pointer {
            text += &format!("Parameter::Buffer({}), ", access(bindings, code));
            bindings += 1;
            continue;
        }
        let bytes = known.sizes.get(&leaf.kind).copied().unwrap_or(0);
        let alignment = known.alignments.get(&leaf.kind).copied().unwrap_or(0);
        if alignment > 4 || bytes % 4 != 0 {
            return Err(format!("the size of {} is not a multiple of a word", leaf.name));
        }
        text += &format!("Parameter::Value({bytes}), ");
    }
    if code.contains(&format!("@binding({bindings})")) {
        return Err(format!("the kernel has {bindings} pointers"));
    }
    Ok(text)
}

/// A parameter, or its fields if it is a struct with pointers.
fn leaves(parameter: &Parameter, known: &KnownConstants) -> Vec<Parameter> {
    let fields =
        if parameter.is_pointer { None } else { known.fields_with_pointers(&parameter.kind) };
    let Some(fields) = fields else {
        return vec![parameter.clone()];
    };
    let parameters = fields.iter().map(|field| Parameter {
        name: field.name.clone(),
        kind: field.kind.clone(),
        is_pointer: field.is_pointer,
    });
    parameters.flat_map(|field| leaves(&field, known)).collect()
}

/// Access to the buffer of a binding.
fn access(binding: usize, code: &str) -> &'static str {
    match code.split_once(&format!("@binding({binding}) ")) {
        None => "Access::None",
        Some((_, rest)) if rest.starts_with("var<storage, read_write>") => "Access::Write",
        Some(_) => "Access::Read",
    }
}
