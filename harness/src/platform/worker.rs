//! Worker processes of this executable. Requests and responses are lines of JSON, on their standard
//! input and output.

use std::env;
use std::io::{self, BufRead, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::children::end_with_parent;
use super::process::lines_of;

/// Timeout for the last lines of standard error of a lost worker.
const STDERR_TIMEOUT: Duration = Duration::from_millis(200);
/// Number of these lines that are reported.
const LAST_LINES: usize = 3;

/// A worker process that was started.
pub(crate) struct Worker {
    pub(crate) process: Child,
    pub(crate) requests: ChildStdin,
    pub(crate) responses: ChildStdout,
    /// Lines that it writes to standard error.
    pub(crate) stderr_lines: Receiver<String>,
}

/// Error of receiving a message.
#[derive(Debug)]
pub(crate) enum IpcError {
    /// The other side has closed the channel.
    PeerClosed,
    /// The message is not part of the protocol.
    NotUnderstood(String),
}

impl Worker {
    /// Starts a worker with its subcommand; `prepare` adds resources that it inherits. It is killed
    /// when the thread that starts it ends, which should be the main one.
    ///
    /// # Errors
    /// If it can't be started.
    pub(crate) fn start(subcommand: &str, prepare: impl FnOnce(&mut Command)) -> io::Result<Self> {
        let mut command = Command::new(env::current_exe()?);
        command.arg(subcommand);
        prepare(&mut command);
        // Ctrl-C is handled by this process, which lets workers finish their current work.
        command.process_group(0);
        end_with_parent(&mut command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn()?;
        match (process.stdin.take(), process.stdout.take(), process.stderr.take()) {
            (Some(requests), Some(responses), Some(stderr_lines)) => match lines_of(stderr_lines) {
                Ok(stderr_lines) => Ok(Worker { process, requests, responses, stderr_lines }),
                Err(error) => Err(given_up(process, error)),
            },
            _ => Err(given_up(process, io::Error::other("it has no standard streams"))),
        }
    }
}

/// Kills a process that can't be listened to; returns the reason.
fn given_up(mut process: Child, error: io::Error) -> io::Error {
    let _ = process.kill();
    let _ = process.wait();
    error
}

/// A message between processes, as a line.
pub(crate) fn line(message: &impl Serialize) -> String {
    serde_json::to_string(message).expect("messages have a form in JSON, paths by `any_path`")
        + "\n"
}

/// A path in a message: as text, or as bytes if it is not UTF-8, which JSON can't represent.
pub(crate) mod any_path {
    use std::ffi::OsString;
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    use std::path::PathBuf;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    #[serde(untagged)]
    enum Form {
        Text(String),
        Bytes(Vec<u8>),
    }

    pub(crate) fn serialize<S: Serializer>(
        path: &Option<PathBuf>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let form = path.as_ref().map(|path| match path.to_str() {
            Some(text) => Form::Text(text.to_owned()),
            None => Form::Bytes(path.as_os_str().as_bytes().to_vec()),
        });
        form.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<PathBuf>, D::Error> {
        let form: Option<Form> = Option::deserialize(deserializer)?;
        Ok(form.map(|form| match form {
            Form::Text(text) => PathBuf::from(text),
            Form::Bytes(bytes) => PathBuf::from(OsString::from_vec(bytes)),
        }))
    }
}

/// Waits for the end of a worker that ends or is killed; returns a description with its last lines.
pub(crate) fn end_of(process: &mut Child, stderr_lines: &Receiver<String>) -> String {
    let how = match process.wait() {
        Ok(status) => format!("ended with {status}"),
        Err(error) => format!("ended: {error}"),
    };
    let until = Instant::now() + STDERR_TIMEOUT;
    let left = || until.saturating_duration_since(Instant::now());
    let message: Vec<_> = std::iter::from_fn(|| stderr_lines.recv_timeout(left()).ok()).collect();
    let last = &message[message.len().saturating_sub(LAST_LINES)..];
    if last.is_empty() { how } else { format!("{how}: {}", last.join(" / ")) }
}

/// Receives the next request of a worker; `None` at the end.
///
/// # Errors
/// If it can't be read or parsed.
pub(crate) fn recv<T: DeserializeOwned>() -> Result<Option<T>, IpcError> {
    let mut line = String::new();
    match io::stdin().lock().read_line(&mut line) {
        Ok(0) => Ok(None),
        Ok(_) => {
            let heard = serde_json::from_str(&line).map(Some);
            heard.map_err(|error| IpcError::NotUnderstood(error.to_string()))
        }
        Err(_) => Err(IpcError::PeerClosed),
    }
}

/// Sends a message to the process that started this worker.
///
/// # Errors
/// If that process is gone.
pub(crate) fn send(message: &impl Serialize) -> Result<(), IpcError> {
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(line(message).as_bytes()).and_then(|()| stdout.flush());
    written.map_err(|_| IpcError::PeerClosed)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::path::PathBuf;

    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Message {
        #[serde(default, with = "any_path")]
        path: Option<PathBuf>,
    }

    #[test]
    fn any_path_arrives_in_a_message() {
        let other = OsStr::from_bytes(b"hits-\xff/0");
        for path in [Some("d/hits".into()), Some(PathBuf::from(other)), None] {
            let message = Message { path };
            let text = line(&message);
            assert!(text.len() > 1 && text.ends_with('\n'), "{text}");
            assert_eq!(serde_json::from_str::<Message>(&text).expect("parses"), message);
        }
    }
}
