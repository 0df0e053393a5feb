//! `bench completions SHELL`

use clap_complete::Shell;

use crate::cli;
use crate::failure::{Exit, Failure};

pub(super) fn run(shell: Shell) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut cli::command(), "bench", &mut script);
    super::print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Success)
}
