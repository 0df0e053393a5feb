//! Small files of the kernel.

use std::fs;
use std::path::Path;

/// The content of a file without the line end; `None` if it can't be read.
pub(super) fn text(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    Some(text.trim().to_owned())
}

/// Number in a file.
pub(super) fn number<T: std::str::FromStr>(path: &Path) -> Option<T> {
    text(path)?.parse().ok()
}

/// CPUs in a file.
pub(super) fn cpus(path: &Path) -> Option<Vec<usize>> {
    list(&text(path)?)
}

/// Parses a list of CPUs or nodes such as `0-3,8`; `None` if it is invalid.
pub(super) fn list(text: &str) -> Option<Vec<usize>> {
    let mut cpus = Vec::new();
    let ranges = text.split(',').map(str::trim);
    for range in ranges.filter(|range| !range.is_empty()) {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        cpus.extend(first.parse::<usize>().ok()?..=last.parse().ok()?);
    }
    Some(cpus)
}

/// Parses a size such as `32768K`, in bytes.
pub(super) fn size(text: &str) -> Option<u64> {
    let (digits, scale) = match text.as_bytes().last()? {
        b'K' => (&text[..text.len() - 1], 1 << 10),
        b'M' => (&text[..text.len() - 1], 1 << 20),
        b'G' => (&text[..text.len() - 1], 1 << 30),
        _ => (text, 1),
    };
    Some(digits.parse::<u64>().ok()? * scale)
}

/// Selected option in brackets of a file such as `always [madvise] never`.
pub(super) fn chosen(path: &Path) -> Option<String> {
    let text = text(path)?;
    let start = text.find('[')? + 1;
    let end = text[start..].find(']')? + start;
    Some(text[start..end].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_sizes_are_read() {
        let lists = ["0-2,8", "", "x"].map(list);
        assert_eq!(lists, [Some(vec![0, 1, 2, 8]), Some(vec![]), None]);
        let sizes = ["32768K", "1024", "K"].map(size);
        assert_eq!(sizes, [Some(32 << 20), Some(1024), None]);
    }
}
