//! The values of constants.

use std::collections::BTreeMap;

use super::tokens::Token;

/// Values of names, sizes and alignments of types.
#[derive(Default)]
pub struct Known {
    pub values: BTreeMap<String, u64>,
    pub sizes: BTreeMap<String, u64>,
    pub alignments: BTreeMap<String, u64>,
}

impl Known {
    /// The value of an expression of whole numbers; `None` if it has anything that is not
    /// known when launchers are compiled, such as the lanes of a warp.
    pub fn value(&self, tokens: &[Token]) -> Option<u64> {
        let mut rest = Rest {
            tokens,
            known: self,
        };
        let value = rest.binary(0)?;
        rest.tokens.is_empty().then_some(value)
    }
}

struct Rest<'a> {
    tokens: &'a [Token],
    known: &'a Known,
}

/// What binds more tightly comes later.
const OPERATORS: [&[&str]; 6] = [
    &["|"],
    &["^"],
    &["&"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Rest<'_> {
    fn binary(&mut self, level: usize) -> Option<u64> {
        let Some(operators) = OPERATORS.get(level) else {
            return self.unary();
        };
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = operators.iter().find(|operator| self.takes(operator)) {
            let right = self.binary(level + 1)?;
            left = apply(operator, left, right)?;
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<u64> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        match first {
            Token::Number(number) => Some(*number),
            Token::Sign('(') => {
                let value = self.binary(0)?;
                self.takes(")").then_some(value)
            }
            Token::Word(word) if word == "sizeof" => {
                let [
                    Token::Sign('('),
                    Token::Word(kind),
                    Token::Sign(')'),
                    rest @ ..,
                ] = rest
                else {
                    return None;
                };
                self.tokens = rest;
                self.known.sizes.get(kind).copied()
            }
            Token::Word(word) => self.known.values.get(word).copied(),
            Token::Sign(_) => None,
        }
    }

    fn takes(&mut self, signs: &str) -> bool {
        let wanted = signs.chars().map(Token::Sign);
        let length = wanted.clone().count();
        let found = self.tokens.iter().take(length).cloned().eq(wanted);
        if found {
            self.tokens = &self.tokens[length..];
        }
        found
    }
}

fn apply(operator: &str, left: u64, right: u64) -> Option<u64> {
    match operator {
        "|" => Some(left | right),
        "^" => Some(left ^ right),
        "&" => Some(left & right),
        "<<" => left.checked_shl(right.try_into().ok()?),
        ">>" => left.checked_shr(right.try_into().ok()?),
        "+" => left.checked_add(right),
        "-" => left.checked_sub(right),
        "*" => left.checked_mul(right),
        "/" => left.checked_div(right),
        _ => left.checked_rem(right),
    }
}
