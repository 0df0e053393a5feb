//! Messages between a process and its workers: one line of JSON each.

use std::io::{self, BufRead, BufReader, Read, Write};

use files::Lines;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Maximum length of a message: all samples of a point are in one.
const MAX_LINE: usize = 64 << 20;

/// Error of receiving or sending a message.
#[derive(Debug)]
pub(crate) enum IpcError {
    /// The other side has closed the channel.
    PeerClosed(io::Error),
    /// The message is not part of the protocol.
    NotUnderstood(String),
}

/// A message as a line.
pub(crate) fn line(message: &impl Serialize) -> String {
    serde_json::to_string(message).expect("messages have a form in JSON, paths by `any_path`")
        + "\n"
}

/// Messages of the other process, until it closes the channel; lines that are not understood are
/// returned as errors.
pub(super) fn messages<T: DeserializeOwned>(
    input: impl Read,
) -> impl Iterator<Item = Result<T, String>> {
    let lines = BufReader::new(Lines::for_stream(input, MAX_LINE)).lines();
    let lines = lines.map_while(Result::ok);
    lines.map(|line| serde_json::from_str(&line).map_err(|_| line))
}

/// Receives the next request of this worker from standard input; `None` at the end.
pub(crate) fn recv<T: DeserializeOwned>() -> Result<Option<T>, IpcError> {
    let mut line = String::new();
    let input = io::stdin().lock();
    match input.take(MAX_LINE as u64).read_line(&mut line) {
        Ok(0) => Ok(None),
        Ok(_) => {
            let request = serde_json::from_str(&line).map(Some);
            request.map_err(|error| IpcError::NotUnderstood(error.to_string()))
        }
        Err(error) => Err(IpcError::PeerClosed(error)),
    }
}

/// Sends a response of this worker to standard output.
pub(crate) fn send(message: &impl Serialize) -> Result<(), IpcError> {
    let mut output = io::stdout().lock();
    let written = output.write_all(line(message).as_bytes()).and_then(|()| output.flush());
    written.map_err(IpcError::PeerClosed)
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
            let received: Vec<_> = messages(text.as_bytes()).collect();
            assert_eq!(received, [Ok(message)]);
        }
    }

    #[test]
    fn lines_that_are_not_messages_are_returned() {
        let received: Vec<Result<u32, String>> = messages(&b"1\nnoise\n2"[..]).collect();
        assert_eq!(received, [Ok(1), Err("noise".to_owned()), Ok(2)]);
    }
}
