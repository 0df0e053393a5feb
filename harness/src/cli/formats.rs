//! `--format FORMAT[=FILE]`: how results are printed, and written to files.

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::request::Outputs;

/// The id of the flag.
pub(super) const FLAG: &str = "format";

/// A value of the flag.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Wanted {
    name: String,
    /// Standard output without one.
    file: Option<PathBuf>,
}

/// The flag with the formats that a command has, the default one first.
pub(super) fn flag<F>(formats: &[(&'static str, F)]) -> Arg {
    let names: Vec<&'static str> = formats.iter().map(|(name, _)| *name).collect();
    let default = names.first().copied().unwrap_or_default();
    Arg::new(FLAG)
        .long(FLAG)
        .value_name("FORMAT[=FILE]")
        .action(ArgAction::Append)
        .value_parser(Parser(names))
        .help(format!(
            "How to print the results, or to write them to a file; repeatable [default: {default}]"
        ))
}

/// What was asked for; standard output has the first of the formats unless another is named.
pub(super) fn outputs<F: Copy>(matches: &ArgMatches, formats: &[(&str, F)]) -> Outputs<F> {
    let format = |wanted: &Wanted| {
        let known = formats.iter().find(|(name, _)| *name == wanted.name);
        // The parser takes no others.
        known.unwrap_or(&formats[0]).1
    };
    let mut outputs = Outputs::only(formats[0].1);
    for wanted in matches.get_many::<Wanted>(FLAG).into_iter().flatten() {
        match &wanted.file {
            Some(file) => outputs.files.push((format(wanted), file.clone())),
            None => outputs.stdout = format(wanted),
        }
    }
    outputs
}

/// Refuses two formats for one standard output.
///
/// # Errors
/// What to do instead.
pub(super) fn check(matches: &ArgMatches) -> Result<(), String> {
    let Ok(Some(wanted)) = matches.try_get_many::<Wanted>(FLAG) else {
        return Ok(());
    };
    let printed: Vec<&str> = wanted
        .filter(|wanted| wanted.file.is_none())
        .map(|wanted| wanted.name.as_str())
        .collect();
    if printed.len() < 2 {
        return Ok(());
    }
    let (names, last) = (printed.join(" and "), printed[printed.len() - 1]);
    Err(format!(
        "--format {names} can't both go to standard output; name a file: --format {last}=FILE"
    ))
}

/// Refuses formats that only others of a command's results have.
///
/// # Errors
/// Which, and which there are.
pub(super) fn check_known<F>(
    matches: &ArgMatches,
    formats: &[(&str, F)],
    results: &str,
) -> Result<(), String> {
    let names: Vec<&str> = formats.iter().map(|(name, _)| *name).collect();
    let wanted = matches.get_many::<Wanted>(FLAG).into_iter().flatten();
    let mut unknown = wanted.filter(|wanted| !names.contains(&wanted.name.as_str()));
    unknown.next().map_or(Ok(()), |wanted| {
        let (name, names) = (&wanted.name, names.join(", "));
        Err(format!(
            "{results} can't be written as {name}; there are {names}"
        ))
    })
}

/// Takes the names of formats with or without a file.
#[derive(Clone, Debug)]
struct Parser(Vec<&'static str>);

impl TypedValueParser for Parser {
    type Value = Wanted;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Wanted, clap::Error> {
        let text = value.to_string_lossy();
        let (name, file) = match text.split_once('=') {
            Some((name, file)) => (name, Some(file)),
            None => (&*text, None),
        };
        let names = PossibleValuesParser::new(self.0.iter().copied());
        let name = names.parse_ref(command, arg, OsStr::new(name))?;
        if file == Some("") {
            let problem = format!("--format {name}= lacks the name of a file");
            let mut command = command.clone();
            return Err(command.error(ErrorKind::ValueValidation, problem));
        }
        Ok(Wanted {
            name,
            file: file.map(PathBuf::from),
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().copied().map(PossibleValue::new)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMATS: [(&str, u8); 3] = [("table", 0), ("csv", 1), ("json", 2)];

    fn matches(line: &str) -> Result<ArgMatches, clap::Error> {
        let command = Command::new("bench").arg(flag(&FORMATS));
        command.try_get_matches_from(line.split(' '))
    }

    fn parsed(line: &str) -> Outputs<u8> {
        outputs(&matches(line).expect("understood"), &FORMATS)
    }

    #[test]
    fn formats_go_to_standard_output_and_to_files() {
        assert_eq!(parsed("bench"), Outputs::only(0));
        assert_eq!(parsed("bench --format json"), Outputs::only(2));
        let both = parsed("bench --format csv=a=b.csv --format json --format table=t.txt");
        assert_eq!(both.stdout, 2);
        let files = [(1, PathBuf::from("a=b.csv")), (0, PathBuf::from("t.txt"))];
        assert_eq!(both.files, files);
    }

    #[test]
    fn two_formats_for_one_standard_output_are_refused() {
        let problem = |line: &str| check(&matches(line).expect("understood")).err();
        assert_eq!(problem("bench --format csv --format json=x"), None);
        let said = problem("bench --format csv --format json").expect("refused");
        assert!(said.contains("--format json=FILE"), "{said}");
        assert_eq!(check(&ArgMatches::default()), Ok(()));
    }

    #[test]
    fn unknown_formats_are_refused_with_a_suggestion() {
        let refusal = |line: &str| matches(line).expect_err("refused").to_string();
        assert!(refusal("bench --format jsn").contains("'json'"));
        assert!(refusal("bench --format jsn=file").contains("'json'"));
        assert!(refusal("bench --format json=").contains("lacks the name"));
    }
}
