//! Paths that a source refers to, by its tokens.

/// A path of modules and an item, from the root of the crate.
pub type ModulePath = Vec<String>;

/// References of a source, apart from code that is compiled for tests only.
#[derive(Debug, Default)]
pub struct References {
    /// Paths that begin with `crate`, `super` or `self`, in declarations and in code.
    pub paths: Vec<ModulePath>,
    /// Modules in files of their own that are compiled for tests only.
    pub test_modules: Vec<ModulePath>,
}

impl References {
    /// The references of the source of a module.
    pub fn in_source(module: &[String], source: &str) -> Self {
        let mut parser = Parser {
            tokens: tokens(source),
            at: 0,
            module: module.to_vec(),
            blocks: Vec::new(),
            found: References::default(),
        };
        while parser.at < parser.tokens.len() {
            parser.step();
        }
        parser.found
    }
}

/// First tokens of items, which may have commas in them.
const ITEMS: [&str; 17] = [
    "async",
    "const",
    "enum",
    "extern",
    "fn",
    "impl",
    "let",
    "macro_rules",
    "mod",
    "pub",
    "static",
    "struct",
    "trait",
    "type",
    "union",
    "unsafe",
    "use",
];

struct Parser<'s> {
    tokens: Vec<&'s str>,
    /// Index of the next token.
    at: usize,
    /// The current module, modules within the source included.
    module: ModulePath,
    /// For each open block, true if it is a module.
    blocks: Vec<bool>,
    found: References,
}

impl<'s> Parser<'s> {
    /// The token after the next `ahead` ones; empty behind the end.
    fn peek(&self, ahead: usize) -> &'s str {
        self.tokens.get(self.at + ahead).copied().unwrap_or_default()
    }

    fn next(&mut self) -> &'s str {
        let token = self.peek(0);
        self.at += 1;
        token
    }

    fn step(&mut self) {
        match (self.peek(0), self.peek(1)) {
            ("#", "[") => {
                if self.attribute_is_for_tests() {
                    self.skip_item();
                }
            }
            ("mod", name) if self.peek(2) == "{" => {
                self.module.push(name.to_owned());
                self.blocks.push(true);
                self.at += 3;
            }
            ("{", _) => {
                self.blocks.push(false);
                self.at += 1;
            }
            ("}", _) => {
                if self.blocks.pop() == Some(true) {
                    self.module.pop();
                }
                self.at += 1;
            }
            ("crate" | "super" | "self", "::") => self.path(),
            _ => self.at += 1,
        }
    }

    /// Passes over an attribute. Returns true if it is `cfg(test)`, `cfg(all(test, …))`, or
    /// `cfg(any(test, feature = "testing"))`, which tests of other crates have.
    fn attribute_is_for_tests(&mut self) -> bool {
        let start = self.at + 2;
        let mut depth = 0;
        loop {
            match self.next() {
                "[" => depth += 1,
                "]" => depth -= 1,
                "" => return false,
                _ => {}
            }
            if depth == 0 && self.at > start {
                break;
            }
        }
        match &self.tokens[start..self.at - 1] {
            ["cfg", "(", "test", ")"] => true,
            ["cfg", "(", "any", "(", "test", ",", "feature", ..] => true,
            ["cfg", "(", "all", "(", conditions @ ..] => {
                let is_test = |index: usize| {
                    conditions[index] == "test" && (index == 0 || conditions[index - 1] == ",")
                };
                (0..conditions.len()).any(is_test)
            }
            _ => false,
        }
    }

    /// Passes over the item, the statement or the field after an attribute.
    fn skip_item(&mut self) {
        while self.peek(0) == "#" {
            self.attribute_is_for_tests();
        }
        let first = self.peek(0);
        let start = self.at;
        let mut is_use = false;
        let mut depth = 0;
        loop {
            match self.peek(0) {
                "" => return,
                "}" if depth == 0 => return,
                "use" if depth == 0 => is_use = true,
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                _ => {}
            }
            let token = self.next();
            let ends = match token {
                ";" => true,
                "}" => !is_use,
                "," => !ITEMS.contains(&first),
                _ => false,
            };
            if ends && depth == 0 {
                break;
            }
        }
        if let [.., "mod", name, ";"] = self.tokens[start..self.at] {
            let module = self.module.iter().map(String::as_str).chain([name]);
            self.found.test_modules.push(module.map(str::to_owned).collect());
        }
    }

    /// Passes over a path or a tree of paths.
    fn path(&mut self) {
        let mut start = if self.peek(0) == "crate" { Vec::new() } else { self.module.clone() };
        while matches!(self.peek(0), "crate" | "super" | "self") && self.peek(1) == "::" {
            if self.peek(0) == "super" {
                start.pop();
            }
            self.at += 2;
        }
        self.tree(start);
    }

    /// Adds the paths of a tree that continue a path.
    fn tree(&mut self, mut path: ModulePath) {
        match self.next() {
            "{" => {
                while !matches!(self.peek(0), "}" | "") {
                    self.tree(path.clone());
                    while matches!(self.peek(0), "," | "as") {
                        self.at += if self.peek(0) == "as" { 2 } else { 1 };
                    }
                }
                self.at += 1;
            }
            "self" | "*" => self.found.paths.push(path),
            name => {
                path.push(name.to_owned());
                let goes_on = self.peek(0) == "::" && self.peek(1) != "<";
                if goes_on {
                    self.at += 1;
                    self.tree(path);
                } else {
                    self.found.paths.push(path);
                }
            }
        }
    }
}

/// Returns identifiers, numbers, `::`, and all other punctuation as single characters.
pub fn tokens(source: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => block_comment(rest),
            '"' => string(rest),
            '\'' => character_or_lifetime(rest),
            _ if first.is_whitespace() => first.len_utf8(),
            _ if is_in_word(first) => {
                let word = word(rest);
                if let Some(length) = raw_string(word, &rest[word.len()..]) {
                    length
                } else {
                    tokens.push(word);
                    word.len()
                }
            }
            _ => {
                let length = if rest.starts_with("::") { 2 } else { first.len_utf8() };
                tokens.push(&rest[..length]);
                length
            }
        };
        rest = &rest[length..];
    }
    tokens
}

fn is_in_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn word(text: &str) -> &str {
    let end = text.find(|character| !is_in_word(character));
    &text[..end.unwrap_or(text.len())]
}

/// Length of a comment, which may have others in it.
fn block_comment(text: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        let two = text.as_bytes().get(at..at + 2);
        if two == Some(b"/*") {
            depth += 1;
            at += 2;
        } else if two == Some(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    text.len()
}

/// Length of a string with its quotation marks.
fn string(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Length of `r"…"` or `r#"…"#`, given the word before the mark and the text after it.
fn raw_string(word: &str, after: &str) -> Option<usize> {
    let hashes = after.bytes().take_while(|&byte| byte == b'#').count();
    if !["r", "br", "cr"].contains(&word) || !after[hashes..].starts_with('"') {
        return None;
    }
    let end = format!("\"{}", "#".repeat(hashes));
    let start = hashes + 1;
    let length = after[start..].find(&end).map_or(after.len(), |at| start + at + end.len());
    Some(word.len() + length)
}

fn character_or_lifetime(text: &str) -> usize {
    let mut characters = text[1..].char_indices();
    match (characters.next(), characters.next()) {
        (Some((_, '\\')), Some((_, escaped))) => {
            let start = 2 + escaped.len_utf8();
            text[start..].find('\'').map_or(text.len(), |at| start + at + 1)
        }
        (Some(_), Some((at, '\''))) => 1 + at + 1,
        _ => 1 + word(&text[1..]).len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn references(source: &str) -> References {
        References::in_source(&["a".to_owned(), "b".to_owned()], source)
    }

    fn paths(source: &str) -> Vec<String> {
        references(source).paths.iter().map(|path| path.join("::")).collect()
    }

    #[test]
    fn trees_have_a_path_for_each_leaf() {
        let source = "use super::{c::X as Y, d, e::{self, f::*}}; use crate::g; use std::fmt;";
        assert_eq!(paths(source), ["a::c::X", "a::d", "a::e", "a::e::f", "g"]);
    }

    #[test]
    fn paths_in_code_count() {
        let source =
            "pub(in crate::a) fn f() -> super::X { crate::c::g::<u8>(super::super::D {}) }";
        assert_eq!(paths(source), ["a", "a::X", "c::g", "D"]);
    }

    #[test]
    fn modules_within_a_source_have_paths_of_their_own() {
        let source = "mod inner { use super::X; fn f() { self::y() } } use self::Z;";
        assert_eq!(paths(source), ["a::b::X", "a::b::inner::y", "a::b::Z"]);
    }

    #[test]
    fn code_for_tests_is_left_out() {
        let source = "
            #[cfg(test)] use super::{c::X, d};
            #[cfg(any(test, feature = \"testing\"))] use super::c::Y;
            #[cfg(all(test, unix))] #[allow(unused)] fn f<A, B>() { super::c::x() }
            struct S { #[cfg(test)] own: super::c::X, other: super::Y }
            #[cfg(not(test))] use super::Z;
            #[cfg(any(test, unix))] use super::W;
            #[cfg(test)] pub(crate) mod testing;
            #[cfg(test)] mod tests { use super::super::c; mod inner {} }
            use super::V;
        ";
        assert_eq!(paths(source), ["a::Y", "a::Z", "a::W", "a::V"]);
        assert_eq!(references(source).test_modules, [["a", "b", "testing"]]);
    }

    #[test]
    fn comments_strings_and_characters_are_no_tokens() {
        let source = r##"
            // super::a
            /* crate::b /* nested */ still */ use x::y;
            let s: &'static str = "super::\"c"; let t = r#"crate::" d"#; let u = b"self::e";
            let v = ['{', '\'', '\u{7d}', b'"', 'ß']; 'outer: loop {}
        "##;
        let expected = "use x :: y ; let s : & str = ; let t = ; let u = b ; \
                        let v = [ , , , b , ] ; : loop { }";
        assert_eq!(tokens(source).join(" "), expected);
    }
}
