//! Values that start with a minus.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

/// Joins `--flag -1s` to `--flag=-1s`: the parser would report `-1s` as an unknown flag, while the
/// parser of the value reports what is wrong with it. No flag starts with a digit.
pub(super) fn joined(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut joined: Vec<OsString> = Vec::new();
    for argument in arguments {
        match joined.last_mut() {
            Some(flag) if takes_next(flag) && is_negative(&argument) => {
                flag.push("=");
                flag.push(argument);
            }
            _ => joined.push(argument),
        }
    }
    joined
}

fn takes_next(argument: &OsStr) -> bool {
    let name = argument.as_bytes().strip_prefix(b"--");
    name.is_some_and(|name| !name.is_empty() && !name.contains(&b'='))
}

fn is_negative(argument: &OsStr) -> bool {
    let number = argument.as_bytes().strip_prefix(b"-");
    let number = number.map(|number| number.strip_prefix(b".").unwrap_or(number));
    number.and_then(<[u8]>::first).is_some_and(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_behind_flags_are_joined() {
        for (typed, expected) in [
            ("sort --seed -1", "sort --seed=-1"),
            ("sort --max-time -.5s --quiet", "sort --max-time=-.5s --quiet"),
            ("sort --seed=3 -1", "sort --seed=3 -1"),
            ("sort -1 -- -1 --quiet -q --out -", "sort -1 -- -1 --quiet -q --out -"),
        ] {
            let joined = joined(typed.split(' ').map(OsString::from));
            assert_eq!(joined.join(OsStr::new(" ")), expected);
        }
    }
}
