//! Arguments before they are parsed: values that start with a minus, flags that count early, and
//! secrets to remove.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

/// Joins `--flag -1s` to `--flag=-1s`: the parser would report `-1s` as an unknown flag, while the
/// parser of the value reports what is wrong with it. No flag starts with a digit.
pub(super) fn join_negatives(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
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

/// The last value of a flag, if it has one.
pub(super) fn last_value(arguments: &[OsString], flag: &str) -> Option<OsString> {
    values(arguments, flag).pop()
}

/// The values of a flag.
pub(super) fn values(arguments: &[OsString], flag: &str) -> Vec<OsString> {
    let mut arguments = arguments.iter().take_while(|it| *it != OsStr::new("--"));
    let mut values = Vec::new();
    while let Some(argument) = arguments.next() {
        let rest = argument.as_bytes().strip_prefix(flag.as_bytes());
        match rest {
            Some([]) => values.extend(arguments.next().cloned()),
            Some([b'=', value @ ..]) => values.push(OsStr::from_bytes(value).to_owned()),
            _ => {}
        }
    }
    values
}

/// Replacement of a secret.
const GONE: &str = "…";

/// Parts of the names of parameters that are secret, in small letters.
const SECRET: [&str; 7] = ["pass", "pwd", "token", "secret", "key", "auth", "jwt"];

/// Masks user name, password and secret parameters of URLs in a word.
pub(super) fn without_secrets(word: &str) -> String {
    let Some((before, rest)) = word.split_once("://") else { return word.to_owned() };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (server, rest) = rest.split_at(end);
    let server = match server.rsplit_once('@') {
        Some((_, host)) => format!("{GONE}@{host}"),
        None => server.to_owned(),
    };
    let rest = match rest.split_once('?') {
        Some((path, parameters)) => format!("{path}?{}", masked(parameters)),
        None => rest.to_owned(),
    };
    format!("{before}://{server}{rest}")
}

/// Parameters, with the values of those that are no secrets.
fn masked(parameters: &str) -> String {
    let each = parameters.split_inclusive(['&', ';', '#']);
    each.map(|parameter| match parameter.split_once('=') {
        Some((name, value)) if is_secret(name) => {
            let end = value.trim_start_matches(|letter| !matches!(letter, '&' | ';' | '#'));
            format!("{name}={GONE}{end}")
        }
        _ => parameter.to_owned(),
    })
    .collect()
}

/// Returns true for parameters with secrets; InfluxDB's password is `p`.
fn is_secret(name: &str) -> bool {
    let name = name.to_lowercase();
    name == "p" || SECRET.iter().any(|part| name.contains(part))
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
            let joined = join_negatives(typed.split(' ').map(OsString::from));
            assert_eq!(joined.join(OsStr::new(" ")), expected);
        }
    }

    #[test]
    fn passwords_and_tokens_are_gone_and_all_else_stays() {
        for (typed, kept) in [
            ("http://h:8086/write?db=lab&u=me&p=hush", "http://h:8086/write?db=lab&u=me&p=…"),
            ("http://h/write?p=hush&db=lab", "http://h/write?p=…&db=lab"),
            ("http://h/write?Password=a%26b;db=x", "http://h/write?Password=…;db=x"),
            ("http://h/api?api_token=x#end", "http://h/api?api_token=…#end"),
            ("http://h?token=a=b==", "http://h?token=…"),
            ("--influx=http://me:hush@h:1/write?db=lab", "--influx=http://…@h:1/write?db=lab"),
            ("http://me@hu:sh@h/write", "http://…@h/write"),
            ("http://h/write?db=lab&precision=ns", "http://h/write?db=lab&precision=ns"),
            ("http://h/a@b?q=c@d", "http://h/a@b?q=c@d"),
            ("http://", "http://"),
            ("--preset", "--preset"),
            ("a?p=1", "a?p=1"),
        ] {
            assert_eq!(without_secrets(typed), kept);
        }
    }

    #[test]
    fn neither_records_nor_refusals_contain_a_password() {
        let parse = |url: &str| {
            let words = ["bench", "stream", "--influx", url];
            crate::cli::parse(words.map(Into::into))
        };
        let Ok(crate::cli::Request::Stream(request)) = parse("http://h/write?db=lab&p=hush") else {
            panic!("not understood")
        };
        let url = "http://h/write?db=lab&p=…";
        assert_eq!(request.measuring.command, ["bench", "stream", "--influx", url]);
        assert!(request.flags.influx.is_some_and(|url| url.ends_with("p=hush")), "it is used");
        for url in ["http://me:hush@h/write", "https://h/write?p=hush", "http://h/?p=hush word"] {
            let refused = parse(url).err().expect(url).text();
            assert!(refused.contains("--influx") && !refused.contains("hush"), "{refused}");
        }
    }
}
