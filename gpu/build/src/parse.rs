//! Parses declarations of kernel files: constants, structs and kernels. Anything else is skipped.
//!
//! The declarations have the same tokens and brackets in C++ and in Rust, so they are tokenised as
//! Rust.

use std::collections::BTreeMap;
use std::path::PathBuf;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Declarations of a file, at the level of its namespaces.
#[derive(Default)]
pub struct Declarations {
    /// Included files, as written.
    pub includes: Vec<PathBuf>,
    pub constants: Vec<Constant>,
    pub structs: Vec<Struct>,
    pub kernels: Vec<Kernel>,
    /// Arguments of `KERNEL_EXPORT`: each kernel that can be launched, with the name of its
    /// interface, if that has one.
    pub exports: BTreeMap<String, Option<String>>,
    /// Kernels with dynamic shared memory of a type, which `KERNEL_SHARED` declares.
    pub shared: Vec<String>,
}

/// `constexpr u32 name = value;`
pub struct Constant {
    pub name: String,
    pub kind: String,
    pub value: TokenStream,
}

/// `struct alignas(alignment) name { fields };`
pub struct Struct {
    pub name: String,
    pub alignment: Option<TokenStream>,
    pub fields: Vec<Field>,
}

/// `kind name[lengths];` or `const kind* name = nullptr;`
#[derive(Clone)]
pub struct Field {
    pub name: String,
    pub kind: String,
    pub is_pointer: bool,
    pub lengths: Vec<TokenStream>,
}

/// `extern "C" __global__ void __launch_bounds__(threads) name(parameters)`
pub struct Kernel {
    pub name: String,
    pub threads: TokenStream,
    pub parameters: Vec<Parameter>,
}

/// `kind name`, `const __grid_constant__ kind name` or `const kind* name`
#[derive(Clone, PartialEq)]
pub struct Parameter {
    pub name: String,
    pub kind: String,
    pub is_pointer: bool,
}

/// Parses the declarations of a file; the error contains the one that can't be parsed.
pub fn parse(text: &str) -> Result<Declarations, String> {
    let mut found = Declarations::default();
    let code = found.preprocess(text);
    let tokens = code.parse().map_err(|error| format!("{error}"))?;
    found.read(tokens)?;
    Ok(found)
}

impl Declarations {
    /// Removes directives. Code between `#if` and `#endif` is skipped, because it depends on the
    /// compiler, so launchers can't rely on it.
    fn preprocess(&mut self, text: &str) -> String {
        let mut code = String::new();
        let mut conditions = 0;
        let mut continues = false;
        for line in text.lines() {
            let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
            match directive {
                Some(rest) if rest.starts_with("if") => conditions += 1,
                Some(rest) if rest.starts_with("endif") => conditions -= 1,
                Some(rest) => self.includes.extend(included(rest)),
                None if conditions == 0 && !continues => code.extend([line, "\n"]),
                None => {}
            }
            continues = line.ends_with('\\') && (continues || directive.is_some());
        }
        code
    }

    fn read(&mut self, tokens: TokenStream) -> Result<(), String> {
        for statement in statements(tokens) {
            match word(&statement[0]).as_str() {
                "namespace" => {
                    let body = groups(&statement, Delimiter::Brace).next();
                    self.read(body.unwrap_or_default())?;
                }
                "constexpr" => self.constants.extend(constants(&statement)),
                "enum" => self.constants.extend(enumerators(&statement)),
                "struct" => self.structs.extend(structure(&statement)),
                "extern" => self.kernels.extend(kernel(&statement)?),
                "KERNEL_EXPORT" => {
                    let exported = arguments(&statement);
                    let interface = exported.get(1).map(|interface| text_of(interface));
                    self.exports.insert(text_of(&exported[0]), interface);
                }
                "KERNEL_INSTANCE" => {
                    let instance = instance(&statement)?;
                    self.exports.insert(instance.name.clone(), None);
                    self.kernels.push(instance);
                }
                "KERNEL_SHARED" => self.shared.push(text_of(&arguments(&statement)[0])),
                _ => {}
            }
        }
        Ok(())
    }
}

fn included(directive: &str) -> Option<PathBuf> {
    let (_, rest) = directive.strip_prefix("include")?.split_once('"')?;
    Some(rest.split_once('"')?.0.into())
}

/// Splits statements, which end with a semicolon or a body, or are a macro call with its brackets.
fn statements(tokens: TokenStream) -> Vec<Vec<TokenTree>> {
    let mut all = Vec::new();
    let mut open = Vec::new();
    for token in tokens {
        let is_kernel_macro = open.first().is_some_and(|first| word(first).starts_with("KERNEL_"));
        let ends = match &token {
            TokenTree::Punct(sign) if sign.as_char() == ';' => true,
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace || is_kernel_macro,
            _ => false,
        };
        open.push(token);
        if ends {
            all.push(std::mem::take(&mut open));
        }
    }
    all.retain(|statement| statement.len() > 1);
    all
}

/// The name or keyword of a token, or nothing.
fn word(token: &TokenTree) -> String {
    match token {
        TokenTree::Ident(word) => word.to_string(),
        _ => String::new(),
    }
}

fn words(tokens: &[TokenTree]) -> impl Iterator<Item = String> {
    tokens.iter().map(word).filter(|word| !word.is_empty())
}

fn text_of(tokens: &[TokenTree]) -> String {
    tokens.iter().map(ToString::to_string).collect()
}

fn is(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign)
}

/// Contents of brackets of a kind.
fn groups(tokens: &[TokenTree], delimiter: Delimiter) -> impl Iterator<Item = TokenStream> {
    tokens.iter().filter_map(move |token| match token {
        TokenTree::Group(group) if group.delimiter() == delimiter => Some(group.stream()),
        _ => None,
    })
}

/// Splits at commas.
fn split(tokens: &[TokenTree]) -> Vec<Vec<TokenTree>> {
    let parts = tokens.split(|token| is(token, ','));
    parts.map(<[_]>::to_vec).filter(|part| !part.is_empty()).collect()
}

/// Splits the contents of the first round brackets at commas.
fn arguments(tokens: &[TokenTree]) -> Vec<Vec<TokenTree>> {
    let inner = groups(tokens, Delimiter::Parenthesis).next().unwrap_or_default();
    split(&inner.into_iter().collect::<Vec<_>>())
}

/// `constexpr kind name = value, name = value;`
fn constants(statement: &[TokenTree]) -> Vec<Constant> {
    let [_, kind, rest @ .., _] = statement else {
        return Vec::new();
    };
    let constant = |part: Vec<TokenTree>| match part.as_slice() {
        [name, equals, value @ ..] if is(equals, '=') => Some(Constant {
            name: word(name),
            kind: word(kind),
            value: value.iter().cloned().collect(),
        }),
        _ => None,
    };
    split(rest).into_iter().filter_map(constant).collect()
}

/// `enum name : kind { first, second };`, without values.
fn enumerators(statement: &[TokenTree]) -> Vec<Constant> {
    let body = groups(statement, Delimiter::Brace).next().unwrap_or_default();
    let body: Vec<_> = body.into_iter().collect();
    let kind = match statement {
        [_, _, colon, kind, _] if is(colon, ':') => word(kind),
        _ => return Vec::new(),
    };
    if body.iter().any(|token| is(token, '=')) {
        return Vec::new();
    }
    let constant = |(name, value): (String, u64)| Constant {
        name,
        kind: kind.clone(),
        value: TokenTree::from(proc_macro2::Literal::u64_unsuffixed(value)).into(),
    };
    words(&body).zip(0..).map(constant).collect()
}

/// A struct without bases; functions and constants in it are skipped.
fn structure(statement: &[TokenTree]) -> Option<Struct> {
    let body = groups(statement, Delimiter::Brace).next()?;
    if statement.iter().any(|token| is(token, ':')) {
        return None;
    }
    Some(Struct {
        name: words(statement).last()?,
        alignment: groups(statement, Delimiter::Parenthesis).next(),
        fields: statements(body).iter().flat_map(|member| fields(member)).collect(),
    })
}

/// `kind name, name[length];` or `const kind *name, *name;`, with or without initial values.
fn fields(member: &[TokenTree]) -> Vec<Field> {
    let member = if word(&member[0]) == "const" { &member[1..] } else { member };
    let kind = word(&member[0]);
    let others = ["static", "using", "struct", "enum", "template"];
    let is_group = |token: &TokenTree| matches!(token, TokenTree::Group(group) if group.delimiter() != Delimiter::Bracket);
    if others.contains(&kind.as_str()) || member.iter().any(is_group) {
        return Vec::new();
    }
    let field = |part: Vec<TokenTree>| Field {
        name: words(&part).next().unwrap_or_default(),
        kind: kind.clone(),
        is_pointer: part.iter().any(|token| is(token, '*')),
        lengths: groups(&part, Delimiter::Bracket).collect(),
    };
    split(&member[1..member.len() - 1]).into_iter().map(field).collect()
}

/// `KERNEL_INSTANCE(name, arguments, (threads, blocks), function)`
fn instance(statement: &[TokenTree]) -> Result<Kernel, String> {
    let given = arguments(statement);
    let [name, kind, bounds, ..] = given.as_slice() else {
        return Err(format!("what is {}?", text_of(statement)));
    };
    let threads = arguments(bounds).into_iter().next().unwrap_or_default().into_iter().collect();
    let whole = Parameter { name: "arguments".into(), kind: text_of(kind), is_pointer: false };
    Ok(Kernel { name: text_of(name), threads, parameters: vec![whole] })
}

/// Parses a kernel; `None` for other `extern` declarations.
fn kernel(statement: &[TokenTree]) -> Result<Option<Kernel>, String> {
    let position = |name: &str| statement.iter().position(|token| word(token) == name);
    let Some(global) = position("__global__") else {
        return Ok(None);
    };
    // Followed by: void name(…) or void __launch_bounds__(…) name(…).
    let Some(bounds) = position("__launch_bounds__") else {
        let name = words(&statement[global..]).nth(2).unwrap_or_default();
        return Err(format!("kernel {name}: add __launch_bounds__(THREADS)"));
    };
    let name = word(&statement[bounds + 2]);
    let threads = arguments(&statement[bounds..]).into_iter().next().unwrap_or_default();
    let parameters = arguments(&statement[bounds + 3..]).into_iter().map(|tokens| {
        let what = || format!("kernel {name}: what is {}?", text_of(&tokens));
        parameter(&tokens).ok_or_else(what)
    });
    let parameters = parameters.collect::<Result<_, _>>()?;
    let threads = threads.into_iter().collect();
    Ok(Some(Kernel { name, threads, parameters }))
}

fn parameter(tokens: &[TokenTree]) -> Option<Parameter> {
    const SILENT: [&str; 3] = ["const", "__restrict__", "__grid_constant__"];
    let mut words = words(tokens).filter(|word| !SILENT.contains(&word.as_str()));
    Some(Parameter {
        kind: words.next()?,
        name: words.next()?,
        is_pointer: tokens.iter().any(|token| is(token, '*')),
    })
}
