//! Implementations of clap's traits for requests whose flags or subcommands are known at run time.

/// Implements the subcommands of a request, which are named as the entries of a registry: all
/// entries, the one with a name, the command of an entry, and the request of an entry and its flags.
macro_rules! subcommands_by_name {
    ($request:ty, $all:path, $find:path, $command:path, $parse:path) => {
        impl clap::Subcommand for $request {
            fn augment_subcommands(command: clap::Command) -> clap::Command {
                command.subcommands($all().iter().map(|entry| $command(*entry)))
            }

            fn augment_subcommands_for_update(command: clap::Command) -> clap::Command {
                Self::augment_subcommands(command)
            }

            fn has_subcommand(name: &str) -> bool {
                $find(name).is_some()
            }
        }

        $crate::cli::by_hand::from_matches!($request, |matches: &clap::ArgMatches| {
            let named = matches.subcommand();
            match named.and_then(|(name, below)| Some(($find(name)?, below))) {
                Some((entry, below)) => $parse(entry, below),
                None => Err(clap::Error::new(clap::error::ErrorKind::MissingSubcommand)),
            }
        });
    };
}

/// Implements the flags of a request: a function that adds them to a command, and one that reads
/// them.
macro_rules! flags_at_run_time {
    ($request:ty $(where $format:ident: $bound:ident)?, $augment:path, $parse:path) => {
        impl$(<$format: $bound>)? clap::Args for $request {
            fn augment_args(command: clap::Command) -> clap::Command {
                $augment(command)
            }

            fn augment_args_for_update(command: clap::Command) -> clap::Command {
                $augment(command)
            }
        }

        $crate::cli::by_hand::from_matches!($request $(where $format: $bound)?, $parse);
    };
}

/// Implements the conversion of parsed flags to a request by a function.
macro_rules! from_matches {
    ($request:ty $(where $format:ident: $bound:ident)?, $parse:expr) => {
        impl$(<$format: $bound>)? clap::FromArgMatches for $request {
            fn from_arg_matches(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
                $parse(matches)
            }

            fn update_from_arg_matches(
                &mut self,
                matches: &clap::ArgMatches,
            ) -> Result<(), clap::Error> {
                *self = Self::from_arg_matches(matches)?;
                Ok(())
            }
        }
    };
}

pub(super) use {flags_at_run_time, from_matches, subcommands_by_name};
