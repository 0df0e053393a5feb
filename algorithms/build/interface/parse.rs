//! What kernel files declare: constants, structs and kernels. Anything else is skipped.

use std::collections::BTreeMap;

use super::tokens::{Token, Tokens};

/// What a file declares at the level of its namespaces.
#[derive(Default)]
pub struct Declarations {
    pub constants: Vec<Constant>,
    pub structs: Vec<Struct>,
    pub kernels: Vec<Kernel>,
    /// What `KERNEL_EXPORT` says: the interface of each kernel that can be launched, if it
    /// has a name of its own.
    pub exports: BTreeMap<String, Option<String>>,
    /// The kernels with dynamic shared memory, and its type: what `KERNEL_SHARED` says.
    pub shared: BTreeMap<String, String>,
}

/// `constexpr u32 name = value;`
pub struct Constant {
    pub name: String,
    pub kind: String,
    pub value: Vec<Token>,
}

/// `struct alignas(alignment) name { fields };`
pub struct Struct {
    pub name: String,
    pub alignment: Vec<Token>,
    pub fields: Vec<Field>,
}

/// `kind name[lengths];`
pub struct Field {
    pub name: String,
    pub kind: String,
    pub lengths: Vec<Vec<Token>>,
}

/// `extern "C" __global__ void __launch_bounds__(threads) name(parameters)`
pub struct Kernel {
    pub name: String,
    pub threads: Vec<Token>,
    pub parameters: Vec<Parameter>,
}

/// `kind name` or `const kind* name`
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    pub name: String,
    pub kind: String,
    pub is_pointer: bool,
}

/// The declarations of a file; says which one can't be understood.
pub fn parse(tokens: &Tokens) -> Result<Declarations, String> {
    let mut found = Declarations::default();
    let mut rest = Cursor(&tokens.tokens);
    while let Some(first) = rest.0.first() {
        match first {
            Token::Word(word) => match word.as_str() {
                "namespace" => rest.skip_past('{'),
                "constexpr" => found.constants.extend(constants(rest.statement())),
                "enum" => found.constants.extend(enumerators(rest.statement())),
                "struct" => found.structs.extend(structure(rest.statement())),
                "extern" => found.kernels.extend(kernel(rest.statement())?),
                "KERNEL_EXPORT" => {
                    let (name, interface) = pair(rest.statement());
                    let interface = Some(interface).filter(|interface| !interface.is_empty());
                    found.exports.insert(name, interface);
                }
                "KERNEL_SHARED" => {
                    let (name, kind) = pair(rest.statement());
                    found.shared.insert(name, kind);
                }
                _ => drop(rest.statement()),
            },
            // The end of a namespace, or what is left of a statement.
            Token::Sign('}' | ';') => rest.0 = &rest.0[1..],
            _ => drop(rest.statement()),
        }
    }
    Ok(found)
}

struct Cursor<'a>(&'a [Token]);

impl<'a> Cursor<'a> {
    fn skip_past(&mut self, sign: char) {
        let end = self.0.iter().position(|token| *token == Token::Sign(sign));
        self.0 = &self.0[end.map_or(self.0.len(), |end| end + 1)..];
    }

    /// Up to the semicolon, or the brace that closes a body. A line of ours that looks like
    /// a call is a statement too.
    fn statement(&mut self) -> &'a [Token] {
        let ours = matches!(&self.0[0], Token::Word(word) if word.starts_with("KERNEL_"));
        let (mut depth, mut end) = (0, self.0.len());
        for (at, token) in self.0.iter().enumerate() {
            match token {
                Token::Sign('{' | '(' | '[') => depth += 1,
                Token::Sign('}' | ')' | ']') => depth -= 1,
                _ => {}
            }
            let closes = *token == Token::Sign('}') || ours && *token == Token::Sign(')');
            if depth == 0 && (closes || *token == Token::Sign(';')) {
                end = at + 1;
                break;
            }
        }
        let (statement, rest) = self.0.split_at(end);
        self.0 = rest;
        statement
    }
}

/// `KERNEL_...(first, second)`; a second with signs is written without spaces.
fn pair(statement: &[Token]) -> (String, String) {
    let inner = &statement[2..statement.len() - 1];
    let comma = inner.iter().position(|token| *token == Token::Sign(','));
    let (first, second) = inner.split_at(comma.unwrap_or(inner.len()));
    (text(first), text(second.get(1..).unwrap_or_default()))
}

fn text(tokens: &[Token]) -> String {
    let words = tokens.iter().map(|token| match token {
        Token::Word(word) => word.clone(),
        Token::Number(number) => number.to_string(),
        Token::Sign(sign) => sign.to_string(),
    });
    words.collect()
}

fn word(token: &Token) -> Option<&str> {
    match token {
        Token::Word(word) => Some(word),
        _ => None,
    }
}

/// Parts between commas that are in no brackets.
fn split(tokens: &[Token], at: char) -> Vec<&[Token]> {
    let mut depth = 0;
    let parts = tokens.split(|token| {
        match token {
            Token::Sign('{' | '(' | '[') => depth += 1,
            Token::Sign('}' | ')' | ']') => depth -= 1,
            _ => {}
        }
        depth == 0 && *token == Token::Sign(at)
    });
    parts.collect()
}

/// `constexpr kind name = value, name = value;`
fn constants(statement: &[Token]) -> Vec<Constant> {
    let Some((kind, rest)) = statement.get(1..).and_then(<[Token]>::split_first) else {
        return Vec::new();
    };
    let rest = &rest[..rest.len().saturating_sub(1)];
    let constant = |part: &[Token]| {
        let [Token::Word(name), Token::Sign('='), value @ ..] = part else {
            return None;
        };
        let (name, kind) = (name.clone(), word(kind)?.to_owned());
        let value = value.to_vec();
        Some(Constant { name, kind, value })
    };
    split(rest, ',').into_iter().filter_map(constant).collect()
}

/// `enum name : kind { first, second, … };`
fn enumerators(statement: &[Token]) -> Vec<Constant> {
    let open = statement.iter().position(|t| *t == Token::Sign('{'));
    let (head, body) = statement.split_at(open.unwrap_or(statement.len()));
    let [
        Token::Word(_),
        Token::Word(_),
        Token::Sign(':'),
        Token::Word(kind),
    ] = head
    else {
        return Vec::new();
    };
    let names = body.iter().filter_map(word).zip(0..);
    let constant = |(name, value): (&str, u64)| Constant {
        name: name.to_owned(),
        kind: kind.clone(),
        value: vec![Token::Number(value)],
    };
    match body.contains(&Token::Sign('=')) {
        true => Vec::new(),
        false => names.map(constant).collect(),
    }
}

/// A struct without bases; functions and constants in it are skipped.
fn structure(statement: &[Token]) -> Option<Struct> {
    let open = statement.iter().position(|t| *t == Token::Sign('{'))?;
    let (head, body) = statement.split_at(open);
    let name = word(head.last()?)?.to_owned();
    if head.contains(&Token::Sign(':')) {
        return None;
    }
    let alignment = bracketed(head).unwrap_or_default();
    let mut rest = Cursor(&body[1..body.len() - 1]);
    let mut fields = Vec::new();
    while !rest.0.is_empty() {
        fields.extend(members(rest.statement()));
    }
    Some(Struct {
        name,
        alignment: alignment.to_vec(),
        fields,
    })
}

/// `kind name, name[length];`
fn members(statement: &[Token]) -> Vec<Field> {
    let is_field = matches!(statement, [Token::Word(kind), Token::Word(_), ..]
            if !matches!(kind.as_str(), "static" | "using" | "struct" | "enum" | "template"));
    let end = statement.len().saturating_sub(1);
    if !is_field
        || statement
            .iter()
            .any(|token| matches!(token, Token::Sign('(' | '{')))
    {
        return Vec::new();
    }
    let kind = word(&statement[0]).unwrap_or_default();
    let field = |part: &[Token]| {
        let mut parts = part.split(|token| *token == Token::Sign('['));
        let name = word(parts.next()?.first()?)?.to_owned();
        let lengths = parts.map(|length| length[..length.len() - 1].to_vec());
        let lengths = lengths.collect();
        Some(Field {
            name,
            kind: kind.to_owned(),
            lengths,
        })
    };
    split(&statement[1..end], ',')
        .into_iter()
        .filter_map(field)
        .collect()
}

/// What stands in the first round brackets.
fn bracketed(tokens: &[Token]) -> Option<&[Token]> {
    let open = tokens.iter().position(|t| *t == Token::Sign('('))?;
    let mut depth = 0;
    let close = tokens[open..].iter().position(|token| {
        match token {
            Token::Sign('(') => depth += 1,
            Token::Sign(')') => depth -= 1,
            _ => {}
        }
        depth == 0
    })?;
    Some(&tokens[open + 1..open + close])
}

/// A kernel; nothing for whatever else is `extern`.
fn kernel(statement: &[Token]) -> Result<Option<Kernel>, String> {
    let is = |token: &Token, name: &str| word(token) == Some(name);
    if !statement.iter().any(|token| is(token, "__global__")) {
        return Ok(None);
    }
    let bounds = statement
        .iter()
        .position(|token| is(token, "__launch_bounds__"));
    let open = statement
        .iter()
        .position(|t| *t == Token::Sign('{'))
        .unwrap_or(statement.len());
    let head = &statement[..open];
    let (threads, head) = match bounds {
        Some(at) => {
            let bounds = bracketed(&head[at..]).unwrap_or_default();
            (
                split(bounds, ',')[0].to_vec(),
                &head[at + 3 + bounds.len()..],
            )
        }
        None => (
            Vec::new(),
            &head[head.iter().position(|t| is(t, "void")).unwrap_or(0) + 1..],
        ),
    };
    let name = head.first().and_then(word).unwrap_or_default().to_owned();
    if threads.is_empty() {
        return Err(format!("kernel {name}: say __launch_bounds__(THREADS)"));
    }
    let inner = bracketed(head).unwrap_or_default();
    let parameters = split(inner, ',')
        .into_iter()
        .filter(|part| !part.is_empty());
    let parameters = parameters
        .map(|part| {
            parameter(part).ok_or_else(|| format!("kernel {name}: what is {}?", text(part)))
        })
        .collect::<Result<_, _>>()?;
    Ok(Some(Kernel {
        name,
        threads,
        parameters,
    }))
}

fn parameter(tokens: &[Token]) -> Option<Parameter> {
    let is_pointer = tokens.contains(&Token::Sign('*'));
    let mut words = tokens.iter().filter_map(word);
    let kind = words.find(|&word| word != "const")?.to_owned();
    let name = words.find(|&word| word != "__restrict__")?.to_owned();
    Some(Parameter {
        name,
        kind,
        is_pointer,
    })
}
