//! Flags that a file has added to a command line.

use std::ffi::{OsStr, OsString};

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};

/// Returns the flags that make a command line without the file equivalent to one with it: records
/// contain them, so that a run can be repeated without the file.
///
/// `plain` is the command without the file's defaults. A default that has no effect because it
/// would contradict a typed flag is left out.
pub fn applied(
    plain: &Command,
    with_defaults: &Command,
    matches: &ArgMatches,
    typed: &[OsString],
) -> Vec<String> {
    let mut plain_below = plain;
    let mut below = with_defaults;
    let mut matches = matches;
    while let Some((name, matches_below)) = matches.subcommand() {
        let find = |command| Command::find_subcommand(command, name);
        let Some(plain_next) = find(plain_below) else { break };
        let Some(next) = find(below) else { break };
        plain_below = plain_next;
        below = next;
        matches = matches_below;
    }
    let mut flags: Vec<String> = Vec::new();
    for flag in below.get_arguments() {
        let is_default = matches.value_source(flag.get_id().as_str());
        let before = plain_below.get_arguments().find(|it| it.get_id() == flag.get_id());
        let before = before.map_or(&[][..], Arg::get_default_values);
        let defaults = flag.get_default_values();
        if is_default != Some(ValueSource::DefaultValue) || defaults == before {
            continue;
        }
        let added = [flags.clone(), words(flag, defaults)].concat();
        let line = typed.iter().cloned().chain(added.iter().map(OsString::from));
        if plain.clone().try_get_matches_from(line).is_ok() {
            flags = added;
        }
    }
    flags
}

/// Returns a flag with its values, in words of the form `--flag=value`.
fn words(flag: &Arg, values: &[impl AsRef<OsStr>]) -> Vec<String> {
    let Some(name) = flag.get_long() else { return Vec::new() };
    let mut values = values.iter().map(|value| value.as_ref().to_string_lossy().into_owned());
    if matches!(flag.get_action(), ArgAction::SetTrue) {
        return values.filter(|value| value == "true").map(|_| format!("--{name}")).collect();
    }
    match flag.get_value_delimiter() {
        Some(mark) => {
            let values: Vec<String> = values.collect();
            vec![format!("--{name}={}", values.join(&mark.to_string()))]
        }
        None if matches!(flag.get_action(), ArgAction::Append) => {
            values.map(|value| format!("--{name}={value}")).collect()
        }
        None => values.next().map(|value| format!("--{name}={value}")).into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::command;
    use super::super::with_defaults;
    use super::*;

    fn added(line: &str, file: &str) -> String {
        let plain = command();
        let with_file = with_defaults(plain.clone(), "recobench.toml", file).expect("understood");
        let typed: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let matches = with_file.clone().try_get_matches_from(typed.iter().cloned());
        let matches = matches.expect("understood");
        applied(&plain, &with_file, &matches, &typed).join(" ")
    }

    #[test]
    fn flags_from_a_file_can_be_typed() {
        let file = "threads = [1, 2]\nquiet = true\n[sort]\ndigis = \"2M\"\n";
        let flags = added("bench sort --segments 24", file);
        for flag in ["--threads=1,2", "--quiet", "--digis=2M"] {
            assert!(flags.split(' ').any(|word| word == flag), "{flag}: {flags}");
        }
        assert!(!added("bench sort --digis 1k", file).contains("--digis"));
        assert_eq!(added("bench merge", ""), "");
    }

    #[test]
    fn defaults_that_contradict_what_was_typed_had_no_effect() {
        let file = "[sort]\ndigis = \"2M\"\nthreads = 1\n";
        assert_eq!(added("bench sort --input a.bin", file), "--threads=1");
    }
}
