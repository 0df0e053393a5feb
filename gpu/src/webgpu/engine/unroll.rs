//! Unrolls loops of shaders.
//!
//! `nvcc` unrolls loops of a known length. Shader compilers don't always, and a thread-local array
//! that a loop indexes then lies in memory, not in registers: on an H100 that took half of the time
//! of sorting by shaders.

use std::collections::HashMap;
use std::fmt::Write;

use wgpu::naga::{Expression, Literal, Module};

/// Start of loops that are unrolled: `for (var i = 0u; i < BOUND; i++) {`.
const HEAD: &str = "for (var ";
/// Maximum number of iterations of a loop that is unrolled.
const MAX_ROUNDS: u32 = 32;
/// Statements that can't be unrolled.
const JUMPS: [&str; 2] = ["break", "continue"];

/// A loop of known length.
struct Loop<'a> {
    variable: &'a str,
    rounds: u32,
    body: &'a str,
    /// Text after the loop.
    rest: &'a str,
}

/// Unrolls all loops of known, small length without jumps; in each iteration their variable is a
/// constant.
pub(super) fn unrolled(text: &str, module: &Module) -> String {
    let constants = constants(module);
    let without_comments: Vec<&str> =
        text.lines().map(|line| line.split("//").next().unwrap_or_default().trim_end()).collect();
    write_out(&without_comments.join("\n"), &constants)
}

fn write_out(text: &str, constants: &HashMap<&str, u32>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(HEAD) {
        out += &rest[..at];
        rest = &rest[at..];
        let Some(found) = known_loop(rest, constants) else {
            out += HEAD;
            rest = &rest[HEAD.len()..];
            continue;
        };
        let body = write_out(found.body, constants);
        for round in 0..found.rounds {
            // Writing to a string does not fail.
            let _ = writeln!(out, "{{ const {} = {round}u;{body}}}", found.variable);
        }
        rest = found.rest;
    }
    out + rest
}

/// Parses the loop at the start of a text, if it can be unrolled.
fn known_loop<'a>(text: &'a str, constants: &HashMap<&str, u32>) -> Option<Loop<'a>> {
    let (variable, rest) = text.strip_prefix(HEAD)?.split_once(" = 0u; ")?;
    let (bound, rest) = rest.strip_prefix(variable)?.strip_prefix(" < ")?.split_once("; ")?;
    let rest = rest.strip_prefix(variable)?;
    let rest = rest.strip_prefix("++) {").or_else(|| rest.strip_prefix(" += 1u) {"))?;
    let rounds = value(bound, constants).filter(|&rounds| rounds <= MAX_ROUNDS)?;
    let (body, rest) = rest.split_at(end_of_block(rest)?);
    let jumps = JUMPS.iter().any(|jump| body.contains(jump));
    (!jumps).then(|| Loop { variable, rounds, body, rest: &rest[1..] })
}

/// Offset of the brace that closes a block, after its opening brace.
fn end_of_block(text: &str) -> Option<usize> {
    let mut depth = 1;
    text.bytes().position(|byte| {
        depth += i32::from(byte == b'{') - i32::from(byte == b'}');
        depth == 0
    })
}

/// Evaluates `8u`, `ITEMS`, or two of these with an operator between them.
fn value(bound: &str, constants: &HashMap<&str, u32>) -> Option<u32> {
    let known = |name: &str| match name.strip_suffix('u').map(str::parse) {
        Some(Ok(number)) => Some(number),
        _ => constants.get(name).copied(),
    };
    match bound.split(' ').collect::<Vec<_>>().as_slice() {
        [one] => known(one),
        [left, "*", right] => known(left)?.checked_mul(known(right)?),
        [left, "/", right] => known(left)?.checked_div(known(right)?),
        _ => None,
    }
}

/// All unsigned integer constants of a module.
fn constants(module: &Module) -> HashMap<&str, u32> {
    let value = |expression| match module.global_expressions[expression] {
        Expression::Literal(Literal::U32(value)) => Some(value),
        _ => None,
    };
    let named = module
        .constants
        .iter()
        .filter_map(|(_, constant)| Some((constant.name.as_deref()?, value(constant.init)?)));
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unrolled(text: &str) -> String {
        write_out(text, &HashMap::from([("ITEMS", 2), ("LANES", 32), ("MANY", 33)]))
    }

    #[test]
    fn loops_of_known_length_are_unrolled() {
        let twice = unrolled("for (var i = 0u; i < ITEMS; i++) { own[i] = i; } end();");
        assert_eq!(twice, "{ const i = 0u; own[i] = i; }\n{ const i = 1u; own[i] = i; }\n end();");
        let ratio = unrolled("for (var k = 0u; k < LANES / 32u; k += 1u) { f(k); }");
        assert_eq!(ratio, "{ const k = 0u; f(k); }\n");
        let nested =
            "for (var i = 0u; i < ITEMS; i++) { for (var k = 0u; k < ITEMS; k++) { f(); } }";
        assert_eq!(unrolled(nested).matches("f();").count(), 4);
    }

    #[test]
    fn other_loops_are_unchanged() {
        for text in [
            "for (var i = 0u; i < count; i++) { f(i); }",
            "for (var i = 0u; i < MANY; i++) { f(i); }",
            "for (var i = thread; i < ITEMS; i += THREADS) { f(i); }",
            "for (var i = 0u; i < ITEMS; i++) { if is_over { break; } f(i); }",
            "for (var i = 0u; i < ITEMS; i++) { if is_over { continue; } f(i); }",
            "for (var i = 0u; i < ITEMS; i++) { f(i);",
        ] {
            assert_eq!(unrolled(text), text);
        }
    }
}
