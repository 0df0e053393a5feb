//! Shaders of kernels: WGSL with the parameters and the function of a kernel.
//!
//! The shaders of the kernels in `src/TASK/cuda/FILE.cu` are in `src/TASK/wgpu/FILE.wgsl`, or in
//! `FILE.wgsl` beside the kernel file. A line
//! `#part NAME` starts a part of a file, which ends at the next part; the text before the first one
//! belongs to all of them. The part `KERNEL` is the shader of that kernel. A part `KERNEL_RULES` is
//! one for each set of rules, whose name replaces the word `RULES` in it.
//!
//! A line `#include "FILE.wgsl"` includes what all parts of a file of the same folder, or of a folder
//! of headers, share, and `#include "FILE.wgsl" PART` a part with it, each of them once. The constants
//! of the kernel file are available in the shader, unless it declares them itself.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use super::evaluate::KnownConstants;
use super::parse::{Kernel, Parameter};
use super::{File, Reader, without_dots};

/// Word of a part that the name of the rules replaces.
const RULES: &str = "RULES";
/// Rules that kernels have variants for.
const ALL_RULES: [&str; 2] = ["exact", "published"];

/// Generates the shaders of a file's kernels as a list in Rust.
pub fn of_file(reader: &Reader<'_>, file: &File) -> Result<String, Box<dyn Error>> {
    let mut text = String::new();
    let folder = without_dots(&file.path.with_file_name("").join("../wgpu"));
    let beside = file.path.with_extension("wgsl");
    let in_folder = folder.join(beside.file_name().unwrap_or_default());
    let mut both = [in_folder, beside].into_iter();
    let Some(path) = both.find(|path| reader.root.join(path).exists()) else {
        return Ok(text);
    };
    for kernel in &file.declared.kernels {
        let mut parts = Parts { reader, included: BTreeSet::new() };
        if let Some(code) = parts.part(&path, &kernel.name)? {
            text += &shader(&path, kernel, &file.known, &code)?;
        }
    }
    Ok(text)
}

fn shader(
    path: &Path,
    kernel: &Kernel,
    known: &KnownConstants,
    code: &str,
) -> Result<String, Box<dyn Error>> {
    let constants = constants(known, code);
    let in_file = |problem: String| format!("{}: {problem}", path.display());
    let parameters = parameters(kernel, known, code).map_err(in_file)?;
    let name = &kernel.name;
    Ok(format!(
        "Shader {{ kernel: \"{name}\", parameters: &[{parameters}],\n\
         text: r####\"{constants}{code}\"#### }},\n"
    ))
}

/// Reads a shader with all that it includes.
struct Parts<'a> {
    reader: &'a Reader<'a>,
    /// Parts of files that were included; that without a name is what all parts share.
    included: BTreeSet<(PathBuf, String)>,
}

impl Parts<'_> {
    /// The text of a part after that which it includes, without what was included before; `None`
    /// if the file has no such part.
    fn part(&mut self, path: &Path, name: &str) -> Result<Option<String>, Box<dyn Error>> {
        let read = fs::read_to_string(self.reader.root.join(path));
        let text = read.map_err(|error| format!("{}: {error}", path.display()))?;
        let mut parts = text.split("#part ");
        let shared = parts.next().unwrap_or_default();
        if name.is_empty() {
            return self.once(path, name, shared).map(Some);
        }
        let part = parts.find_map(|part| {
            let (header, body) = part.split_once('\n')?;
            let with = |rules| header.replace(RULES, rules) == name;
            if header == name {
                return Some(body.to_owned());
            }
            let rules = ALL_RULES.into_iter().find(|rules| with(rules))?;
            Some(body.replace(RULES, rules))
        });
        let Some(part) = part else { return Ok(None) };
        Ok(Some(self.once(path, "", shared)? + &self.once(path, name, &part)?))
    }

    fn once(&mut self, path: &Path, name: &str, own: &str) -> Result<String, Box<dyn Error>> {
        let mut text = String::new();
        if !self.included.insert((path.to_owned(), name.to_owned())) {
            return Ok(text);
        }
        for line in own.lines() {
            let Some((file, part)) =
                line.strip_prefix("#include \"").and_then(|rest| rest.split_once('"'))
            else {
                text.extend([line, "\n"]);
                continue;
            };
            let missing = || format!("{}: there is no {file}{part}", path.display());
            let include = self.reader.found(path, Path::new(file)).ok_or_else(missing)?;
            text += &self.part(&include, part.trim())?.ok_or_else(missing)?;
        }
        Ok(text)
    }
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
