//! The operations that the preloaded library writes down.

use std::path::{Path, PathBuf};

/// Something that a program did to files; paths are below the folder that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// An empty file.
    Create(PathBuf),
    /// An empty folder.
    Folder(PathBuf),
    Write {
        path: PathBuf,
        offset: usize,
        bytes: Vec<u8>,
    },
    Truncate {
        path: PathBuf,
        length: usize,
    },
    /// A file, or the names in a folder.
    Sync(PathBuf),
    Rename {
        from: PathBuf,
        to: PathBuf,
    },
    /// A file or an empty folder.
    Remove(PathBuf),
    /// Change of permissions, which affects neither content nor names.
    Mode,
    /// From outside the folder, which is not logged.
    Copy(PathBuf),
    Read,
}

impl Operation {
    /// Returns true if it changes something.
    pub fn changes(&self) -> bool {
        *self != Operation::Read
    }
}

/// Reads a log of entries `OPERATION NUMBER LENGTH\nPATH\nOTHER PATH\n` and LENGTH bytes.
pub fn read_log(mut log: &[u8], root: &Path) -> Vec<Operation> {
    let mut operations = Vec::new();
    while !log.is_empty() {
        let [head, path, other] = [0; 3].map(|_| line(&mut log));
        let [name, number, length] = words(head);
        let number: i64 = number.parse().expect("a number");
        let length: usize = length.parse().expect("a number");
        let (bytes, rest) = log.split_at(if name == "write" { length } else { 0 });
        log = rest;
        let below = |path: &str| Path::new(path).strip_prefix(root).expect("below").to_owned();
        let path = below(path);
        operations.push(match name {
            "create" => Operation::Create(path),
            "folder" => Operation::Folder(path),
            "write" => Operation::Write { path, offset: number as usize, bytes: bytes.to_vec() },
            "truncate" => Operation::Truncate { path, length: number as usize },
            "sync" => Operation::Sync(path),
            "rename" => Operation::Rename { from: path, to: below(other) },
            "remove" => Operation::Remove(path),
            "mode" => Operation::Mode,
            "copy" => Operation::Copy(path),
            "read" => Operation::Read,
            other => panic!("unknown operation {other}"),
        });
    }
    operations
}

fn line<'l>(log: &mut &'l [u8]) -> &'l str {
    let end = log.iter().position(|&byte| byte == b'\n').expect("a line");
    let (line, rest) = log.split_at(end);
    *log = &rest[1..];
    std::str::from_utf8(line).expect("a text")
}

fn words(head: &str) -> [&str; 3] {
    let words: Vec<_> = head.split(' ').collect();
    words.try_into().expect("three words")
}
