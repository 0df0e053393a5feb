//! Generates Rust from declarations.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::{Path, PathBuf};

use super::images::{ImageFile, image_of, is_kernel_file};
use super::layout::{FieldLayout, in_rust};
use super::parse::{Constant, Kernel, Parameter, Struct};
use super::{File, Reader, shaders};

type Files = BTreeMap<PathBuf, File>;

/// Named argument structs that several kernels share: the module of the first kernel, and its
/// parameters.
type Interfaces = BTreeMap<String, (String, Vec<Parameter>)>;

/// Beginning of the modules: the code for the emulator, and what they use of `portable-gpu`.
const PRELUDE: &str = "\
pub(crate) mod emulated {
    use ::portable_gpu::emulator as cuda_emulator;
    include!(concat!(env!(\"OUT_DIR\"), \"/kernels.rs\"));
}
mod prelude {
    pub(super) use ::portable_gpu::launchers::*;

    pub(super) use super::emulated::KERNELS;
}
";

/// Generates a module for each file.
pub fn modules(reader: &Reader<'_>) -> Result<String, Box<dyn Error>> {
    let files = &reader.files;
    let mut interfaces = Interfaces::new();
    let mut text = PRELUDE.to_owned();
    for file in files.values() {
        let shaders = if is_kernel_file(&file.path) {
            shaders::of_file(reader, file)?
        } else {
            String::new()
        };
        let own = module(file, files, &shaders, &mut interfaces)?;
        let name = module_name(&file.path);
        let path = file.path.display();
        text += &format!("/// `{path}`.\npub(crate) mod {name} {{\n{own}}}\n");
    }
    Ok(text)
}

/// `src/TASK/cuda/VARIANT.cu` is `TASK_VARIANT`; headers have their whole path from the folder of the
/// crate, and those from elsewhere their name.
fn module_name(path: &Path) -> String {
    if is_kernel_file(path) {
        return image_of(path).replace('-', "_");
    }
    let path =
        if path.is_absolute() { Path::new(path.file_name().unwrap_or_default()) } else { path };
    let path = path.with_extension("").display().to_string();
    path.trim_start_matches("src/").replace(['/', '-'], "_") + "_h"
}

fn module(
    file: &File,
    files: &Files,
    shaders: &str,
    interfaces: &mut Interfaces,
) -> Result<String, String> {
    let mut text = "#[allow(unused_imports)]\nuse super::prelude::*;\n".to_owned();
    for include in &file.includes {
        let header = module_name(include);
        text += &format!("#[allow(unused_imports)]\npub(crate) use super::{header}::*;\n");
    }
    text.extend(file.declared.constants.iter().filter_map(|own| constant(file, own)));
    let needed = needed(file, files);
    for own in file.declared.structs.iter().filter(|own| needed.contains(&own.name)) {
        text += &structure(file, own)?;
    }
    if is_kernel_file(&file.path) {
        let image = image_of(&file.path);
        let fatbin = fatbin(file.image, &image);
        text += &format!(
            "static IMAGE: Image = Image {{ source: \"{image}\",\nfatbin: {fatbin},\n\
             shaders: shaders![{shaders}],\nemulated: &KERNELS }};\n"
        );
    }
    let mut imports = BTreeSet::new();
    for kernel in &file.declared.kernels {
        text += &launched(file, kernel, interfaces, &mut imports)?;
    }
    text.extend(imports);
    Ok(text)
}

fn fatbin(file: Option<ImageFile>, image: &str) -> String {
    let (folder, path) = match file {
        Some(ImageFile::Prebuilt) => ("CARGO_MANIFEST_DIR", "kernels/prebuilt/"),
        Some(ImageFile::Compiled) => ("OUT_DIR", ""),
        None => return "None".to_owned(),
    };
    format!("Some(include_bytes!(concat!(env!(\"{folder}\"), \"/{path}{image}.fatbin\")))")
}

/// The structs that kernels of a file have as parameters, and those in them.
fn needed(own: &File, files: &Files) -> BTreeSet<String> {
    let users = files.values().filter(|file| includes(file, own, files));
    let users: Vec<_> = users.collect();
    let kernels = users.iter().flat_map(|file| &file.declared.kernels);
    let given = kernels.flat_map(|kernel| kernel.parameters.iter().map(|p| p.kind.clone()));
    let mut needed: BTreeSet<String> = given.collect();
    let structs = || users.iter().flat_map(|file| &file.declared.structs);
    let structs = || structs().chain(&own.declared.structs);
    for _ in 0..3 {
        let outer = structs().filter(|own| needed.contains(&own.name));
        let inner: Vec<_> =
            outer.flat_map(|own| own.fields.iter().map(|f| f.kind.clone())).collect();
        needed.extend(inner);
    }
    needed
}

/// True if a file is another one, or includes it.
fn includes(file: &File, other: &File, files: &Files) -> bool {
    let mut included = file.includes.iter().filter_map(|path| files.get(path));
    file.path == other.path || included.any(|header| includes(header, other, files))
}

fn constant(file: &File, constant: &Constant) -> Option<String> {
    let kind = in_rust(&constant.kind);
    let is_whole = ["u8", "u16", "u32", "u64", "i32"].contains(&kind);
    let value = file.known.values.get(&constant.name).filter(|_| is_whole)?;
    Some(format!("pub(crate) const {}: {kind} = {value};\n", constant.name))
}

fn structure(file: &File, own: &Struct) -> Result<String, String> {
    let in_file =
        |problem: &str| format!("{}: struct {}: {problem}", file.path.display(), own.name);
    let layout = file.known.layout(own);
    let layout = layout.ok_or_else(|| in_file("a field's type or length is not known"))?;
    let name = &own.name;
    let has_pointers = file.known.fields_with_pointers(name).is_some();
    let mut fields = String::new();
    let mut values = String::new();
    for (field, FieldLayout { offset, lengths }) in own.fields.iter().zip(&layout.fields) {
        let kind =
            lengths.iter().rev().fold(type_of(&field.kind, field.is_pointer), |kind, length| {
                format!("[{kind}; {length}]")
            });
        fields += &format!("pub(crate) {}: {kind},\n", field.name);
        values += &format!("({offset}, self.{}.argument()), ", field.name);
    }
    if layout.padding > 0 && !has_pointers {
        fields += &format!("pub(crate) padding: [u8; {}],\n", layout.padding);
    }
    let size = layout.size;
    let alignment = layout.alignment;
    let derived = if has_pointers { "Clone, Copy" } else { "Clone, Copy, Debug, PartialEq" };
    let declared = format!(
        "#[derive({derived})]\n#[repr(C, align({alignment}))]\n\
         pub(crate) struct {name} {{\n{fields}}}\n\
         const _: () = assert!(size_of::<{name}>() == {size});\n"
    );
    let argument = if has_pointers {
        format!("Argument::from_fields({size}, vec![{values}])")
    } else {
        "Argument::from_struct(&self)".to_owned()
    };
    let argument = format!(
        "impl KernelArg for {name} {{\nfn argument(self) -> Argument {{ {argument} }}\n}}\n"
    );
    if has_pointers {
        return Ok(declared + &argument);
    }
    Ok(format!(
        "{declared}{argument}\
         impl Default for {name} {{\nfn default() -> Self {{ bytemuck::Zeroable::zeroed() }}\n}}\n\
         // SAFETY: all fields are such, and there is nothing between them.\n\
         unsafe impl bytemuck::Zeroable for {name} {{}}\n\
         // SAFETY: as above.\n\
         unsafe impl bytemuck::Pod for {name} {{}}\n"
    ))
}

/// Rust's type of a value, or of a pointer to such values.
fn type_of(kind: &str, is_pointer: bool) -> String {
    match in_rust(kind) {
        kind if is_pointer => format!("Ptr<{kind}>"),
        kind => kind.to_owned(),
    }
}

/// Generates a kernel's arguments, unless they are a single struct or it shares them with an
/// earlier one, and its launch handle.
fn launched(
    file: &File,
    kernel: &Kernel,
    interfaces: &mut Interfaces,
    imports: &mut BTreeSet<String>,
) -> Result<String, String> {
    let name = &kernel.name;
    let in_file = |problem: String| format!("{}: kernel {name}: {problem}", file.path.display());
    let Some(interface) = file.declared.exports.get(name) else {
        return Err(in_file(format!("add KERNEL_EXPORT({name})")));
    };
    let whole = match kernel.parameters.as_slice() {
        [whole] if file.known.fields.contains_key(&whole.kind) && !whole.is_pointer => Some(whole),
        _ => None,
    };
    let arguments = match whole {
        Some(whole) => whole.kind.clone(),
        None => camel(interface.as_ref().unwrap_or(name)),
    };
    let mut text = match interfaces.get(&arguments) {
        _ if whole.is_some() => String::new(),
        Some((_, known)) if *known != kernel.parameters => {
            return Err(in_file(format!("other parameters than the first {arguments} has")));
        }
        Some((module, _)) if *module == module_name(&file.path) => String::new(),
        Some((module, _)) => {
            imports.insert(format!(
                "#[allow(unused_imports)]\npub(crate) use super::{module}::{arguments};\n"
            ));
            String::new()
        }
        None => {
            let first = (module_name(&file.path), kernel.parameters.clone());
            interfaces.insert(arguments.clone(), first);
            arguments_of(&arguments, &kernel.parameters)
        }
    };
    let threads = file.known.value(&kernel.threads);
    let threads =
        threads.ok_or_else(|| in_file("its number of threads is not known".to_owned()))?;
    let shared = file.known.values.get(&format!("{name}_shared_bytes")).unwrap_or(&0);
    let constant = name.to_uppercase();
    text += &format!(
        "/// `{name}`\npub(crate) static {constant}: Kernel<{arguments}> =\n\
         // SAFETY: made from its declaration.\n\
         unsafe {{ Kernel::new(&IMAGE, \"{name}\", {threads}, {shared}) }};\n"
    );
    Ok(text)
}

fn arguments_of(name: &str, parameters: &[Parameter]) -> String {
    let field =
        |p: &Parameter| format!("pub(crate) {}: {},\n", p.name, type_of(&p.kind, p.is_pointer));
    let fields: String = parameters.iter().map(field).collect();
    let value = |p: &Parameter| format!("self.{}.argument(), ", p.name);
    let values: String = parameters.iter().map(value).collect();
    format!(
        "#[derive(Clone, Copy)]\npub(crate) struct {name} {{\n{fields}}}\n\
         impl Arguments for {name} {{\n\
         fn values(&self) -> Vec<Argument> {{ vec![{values}] }}\n}}\n"
    )
}

/// Converts `in_camel_case` to `InCamelCase`.
fn camel(name: &str) -> String {
    let words = name.split('_').map(|word| {
        let (first, rest) = word.split_at(word.len().min(1));
        first.to_uppercase() + rest
    });
    words.collect()
}
