//! What is printed instead of doing what was asked for.

use std::io::Write;
use std::process::ExitCode;

use clap::error::ErrorKind;

use crate::failure::Exit;

/// What the parser has to say instead of a request: help, or an error.
pub struct Answer(pub(super) clap::Error);

impl Answer {
    /// Prints it; the exit code is that of a usage error, or of success if
    /// help was asked for.
    pub fn print(self) -> ExitCode {
        let text = self.0.render();
        let asked = matches!(
            self.0.kind(),
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
        );
        // A reader that has left is no failure.
        if asked {
            let _ = write!(std::io::stdout(), "{text}");
            Exit::Success.into()
        } else {
            let _ = write!(std::io::stderr(), "{text}");
            Exit::Usage.into()
        }
    }
}
