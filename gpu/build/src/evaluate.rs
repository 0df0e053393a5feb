//! Values of constants.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use syn::{BinOp, Expr, Lit};

use super::parse::Field;

/// Values of names, sizes and alignments of types, and fields of structs.
#[derive(Default)]
pub struct KnownConstants {
    pub values: BTreeMap<String, u64>,
    pub sizes: BTreeMap<String, u64>,
    pub alignments: BTreeMap<String, u64>,
    pub fields: BTreeMap<String, Vec<Field>>,
}

impl KnownConstants {
    /// Evaluates an integer expression in Rust's syntax; `None` if it contains a value that is
    /// unknown when launchers are compiled, such as the lanes of a warp.
    pub fn value(&self, tokens: &TokenStream) -> Option<u64> {
        self.evaluate(&syn::parse2(tokens.clone()).ok()?)
    }

    fn evaluate(&self, expression: &Expr) -> Option<u64> {
        match expression {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Int(number) => number.base10_parse().ok(),
                _ => None,
            },
            Expr::Paren(inner) => self.evaluate(&inner.expr),
            Expr::Path(path) => self.values.get(&path.path.get_ident()?.to_string()).copied(),
            Expr::Call(call) => match (&*call.func, call.args.first()?) {
                (Expr::Path(function), Expr::Path(kind)) if function.path.is_ident("sizeof") => {
                    self.sizes.get(&kind.path.get_ident()?.to_string()).copied()
                }
                _ => None,
            },
            Expr::Binary(both) => {
                let left = self.evaluate(&both.left)?;
                let right = self.evaluate(&both.right)?;
                apply(&both.op, left, right)
            }
            _ => None,
        }
    }
}

fn apply(operator: &BinOp, left: u64, right: u64) -> Option<u64> {
    match operator {
        BinOp::BitOr(_) => Some(left | right),
        BinOp::BitXor(_) => Some(left ^ right),
        BinOp::BitAnd(_) => Some(left & right),
        BinOp::Shl(_) => left.checked_shl(right.try_into().ok()?),
        BinOp::Shr(_) => left.checked_shr(right.try_into().ok()?),
        BinOp::Add(_) => left.checked_add(right),
        BinOp::Sub(_) => left.checked_sub(right),
        BinOp::Mul(_) => left.checked_mul(right),
        BinOp::Div(_) => left.checked_div(right),
        BinOp::Rem(_) => left.checked_rem(right),
        _ => None,
    }
}
