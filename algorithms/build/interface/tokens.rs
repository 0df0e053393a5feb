//! C++ as far as kernels need it: text to tokens.

use std::path::PathBuf;

/// A word of the language, or of ours.
#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    /// A name or a keyword.
    Word(String),
    /// A whole number.
    Number(u64),
    /// Any other character.
    Sign(char),
}

/// A file, taken apart.
#[derive(Default)]
pub struct Tokens {
    /// What is included, as it is written.
    pub includes: Vec<PathBuf>,
    /// All else, without comments.
    pub tokens: Vec<Token>,
}

impl Tokens {
    /// What stands between `#if` and `#endif` is left out: it is not the same for all
    /// compilers, so no launcher can rely on it.
    pub fn of(text: &str) -> Self {
        let mut all = Tokens::default();
        let mut conditions = 0;
        for line in without_comments(text).lines() {
            let Some(directive) = line.trim_start().strip_prefix('#') else {
                if conditions == 0 {
                    all.split(line);
                }
                continue;
            };
            match directive.trim_start() {
                rest if rest.starts_with("if") => conditions += 1,
                rest if rest.starts_with("endif") => conditions -= 1,
                rest if rest.starts_with("include") => all.includes.extend(included(rest)),
                _ => {}
            }
        }
        all
    }

    fn split(&mut self, line: &str) {
        let mut rest = line.trim_start();
        while let Some(first) = rest.chars().next() {
            let length = match first {
                '"' => 2 + rest[1..].find('"').unwrap_or(rest.len() - 2),
                _ if is_in_word(first) => rest.find(|c| !is_in_word(c)).unwrap_or(rest.len()),
                _ => first.len_utf8(),
            };
            let (token, others) = rest.split_at(length);
            self.tokens.push(match first {
                '0'..='9' => number(token),
                _ if is_in_word(first) => Token::Word(token.to_owned()),
                _ => Token::Sign(first),
            });
            rest = others.trim_start();
        }
    }
}

fn is_in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// `1u`, `0xffull`; what is no whole number, such as the `0f` of `1.0f`, is a word.
fn number(token: &str) -> Token {
    let lower = token.to_ascii_lowercase();
    let digits = lower.trim_end_matches(['u', 'l']);
    let value = match digits.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => digits.parse(),
    };
    value.map_or_else(|_| Token::Word(token.to_owned()), Token::Number)
}

fn included(directive: &str) -> Option<PathBuf> {
    let (_, rest) = directive.split_once('"')?;
    Some(rest.split_once('"')?.0.into())
}

fn without_comments(text: &str) -> String {
    let mut clean = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("/*") {
        // A line comment may hold the sign.
        let line = rest[..start].rfind('\n').map_or(0, |end| end + 1);
        if rest[line..start].contains("//") {
            clean += &rest[..start + 2];
            rest = &rest[start + 2..];
            continue;
        }
        clean += &rest[..start];
        let end = rest[start..]
            .find("*/")
            .map_or(rest.len(), |end| start + end + 2);
        rest = &rest[end..];
    }
    clean += rest;
    let lines = clean.lines();
    let lines = lines.map(|line| line.split_once("//").map_or(line, |(code, _)| code));
    lines.collect::<Vec<_>>().join("\n")
}
