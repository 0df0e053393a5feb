//! What is printed instead of doing what was asked for.

use std::io::Write;
use std::process::ExitCode;

use clap::error::ErrorKind;

use crate::failure::Exit;

/// What the parser has to say instead of a request: help, or an error.
pub struct Answer(pub(super) clap::Error);

impl Answer {
    /// Prints it, with colours where they are wanted; the exit code is that of a usage error,
    /// or of success if help was asked for.
    pub fn print(self) -> ExitCode {
        let text = self.0.render().ansi().to_string();
        let asked = matches!(self.0.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
        // A reader that has left is no failure.
        if asked {
            let _ = write!(anstream::stdout(), "{text}");
            Exit::Success.into()
        } else {
            let _ = write!(anstream::stderr(), "{text}");
            Exit::Usage.into()
        }
    }

    /// What it says, without colours.
    pub fn text(&self) -> String {
        self.0.render().to_string()
    }
}
