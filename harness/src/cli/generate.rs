//! `bench generate`: data sets as files.

use std::path::PathBuf;

use algorithms::axis::{Axis, Kind, NO, YES};
use algorithms::data_sets::{DataSet, data_set, data_sets};
use clap::builder::PathBufValueParser;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, Subcommand};

use super::axes;
use crate::request::{GenerateRequest, values};

/// Flags common to all data sets.
#[derive(Args)]
struct WritingFlags {
    /// Seed of the generated data.
    #[arg(long, value_name = "N", value_parser = values::seed, default_value = "1")]
    seed: u64,
    #[arg(long, value_name = "FILE", value_parser = PathBufValueParser::new())]
    out: PathBuf,
}

fn subcommand(data: &'static dyn DataSet) -> Command {
    let info = data.info();
    let flags = data.axes().into_iter().map(flag);
    let command = Command::new(info.name).args(flags);
    WritingFlags::augment_args(command)
        .mut_arg("out", |out| out.help(format!("Output file: {}", info.endings)))
        .about(info.summary)
}

/// A data set is generated once: a switch is on or off, and needs no value.
fn flag(axis: &'static Axis) -> Arg {
    if axis.kind != Kind::Switch {
        return axes::flag(axis, false);
    }
    Arg::new(axis.name)
        .long(axis.name)
        .help(axis.help)
        .help_heading("Data")
        .action(ArgAction::SetTrue)
        .value_parser(values::switch(NO.to_owned(), YES.to_owned()))
}

impl Subcommand for GenerateRequest {
    fn augment_subcommands(command: Command) -> Command {
        command.subcommands(data_sets().iter().map(|data| subcommand(*data)))
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        data_set(name).is_some()
    }
}

impl FromArgMatches for GenerateRequest {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let named = matches.subcommand();
        let Some((data, matches)) = named.and_then(|(name, below)| Some((data_set(name)?, below)))
        else {
            return Err(clap::Error::new(ErrorKind::MissingSubcommand));
        };
        let flags = WritingFlags::from_arg_matches(matches)?;
        Ok(GenerateRequest {
            data,
            axes: axes::generated(data.axes(), matches),
            seed: flags.seed,
            out: flags.out,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
