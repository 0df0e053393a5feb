//! `--format FORMAT[=FILE]`: how results are printed, and written to files.

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command};

use super::by_hand::flags_at_run_time;
use crate::request::{FormatSet, Outputs};

const FLAG: &str = "format";

/// A value of the flag.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FormatArg {
    name: String,
    /// Standard output without one.
    file: Option<PathBuf>,
}

flags_at_run_time!(Outputs<S> where S: FormatSet, with_formats::<S>, outputs);

fn with_formats<S: FormatSet>(command: Command) -> Command {
    let names = S::FORMATS.iter().map(|format| format.name());
    let default = S::FORMATS[0].name();
    let flag = Arg::new(FLAG)
        .long(FLAG)
        .value_name("FORMAT[=FILE]")
        .action(ArgAction::Append)
        .value_parser(Parser(names.collect()))
        .help(format!(
            "Print the results in this format, or write them to FILE; repeatable [default: {default}]"
        ));
    command.arg(flag)
}

fn outputs<S: FormatSet>(matches: &ArgMatches) -> Result<Outputs<S>, clap::Error> {
    check(matches).map_err(super::senseless)?;
    let format = |wanted: &FormatArg| {
        let known = S::FORMATS.iter().find(|format| format.name() == wanted.name);
        // The parser takes no others.
        *known.unwrap_or(&S::FORMATS[0])
    };
    let mut outputs = Outputs::only(S::FORMATS[0]);
    for wanted in matches.get_many::<FormatArg>(FLAG).into_iter().flatten() {
        match &wanted.file {
            Some(file) => outputs.files.push((format(wanted), file.clone())),
            None => outputs.stdout = format(wanted),
        }
    }
    Ok(outputs)
}

/// Refuses two formats for one standard output.
fn check(matches: &ArgMatches) -> Result<(), String> {
    let wanted = matches.get_many::<FormatArg>(FLAG).into_iter().flatten();
    let printed = wanted.filter(|wanted| wanted.file.is_none());
    let printed: Vec<&str> = printed.map(|wanted| wanted.name.as_str()).collect();
    let [_, .., last] = &printed[..] else {
        return Ok(());
    };
    let names = printed.join(" and ");
    Err(format!(
        "--format {names} can't both go to standard output; name a file: --format {last}=FILE"
    ))
}

/// Takes the names of formats with or without a file.
#[derive(Clone, Debug)]
struct Parser(Vec<&'static str>);

impl TypedValueParser for Parser {
    type Value = FormatArg;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<FormatArg, clap::Error> {
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
        Ok(FormatArg { name, file: file.map(PathBuf::from) })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().copied().map(PossibleValue::new)))
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args, FromArgMatches};
    use reports::table::Format;

    use super::*;
    use crate::request::Results;

    fn outputs(line: &str) -> Result<Outputs, clap::Error> {
        let command = Outputs::<Results>::augment_args(Command::new("bench"));
        Outputs::from_arg_matches(&command.try_get_matches_from(line.split(' '))?)
    }

    fn parsed(line: &str) -> Outputs {
        outputs(line).expect("understood")
    }

    fn refusal(line: &str) -> String {
        outputs(line).expect_err("refused").to_string()
    }

    #[test]
    fn formats_go_to_standard_output_and_to_files() {
        assert_eq!(parsed("bench"), Outputs::only(Format::Table));
        assert_eq!(parsed("bench --format json"), Outputs::only(Format::Json));
        let both = parsed("bench --format csv=a=b.csv --format json --format table=t.txt");
        assert_eq!(both.stdout, Format::Json);
        let files =
            [(Format::Csv, PathBuf::from("a=b.csv")), (Format::Table, PathBuf::from("t.txt"))];
        assert_eq!(both.files, files);
    }

    #[test]
    fn two_formats_for_one_standard_output_are_refused() {
        assert_eq!(parsed("bench --format csv --format json=x").stdout, Format::Csv);
        let said = refusal("bench --format csv --format json");
        assert!(said.contains("--format json=FILE"), "{said}");
    }

    #[test]
    fn unknown_formats_are_refused_with_a_suggestion() {
        assert!(refusal("bench --format jsn").contains("'json'"));
        assert!(refusal("bench --format jsn=file").contains("'json'"));
        assert!(refusal("bench --format json=").contains("lacks the name"));
    }
}
