//! Size of the terminal of standard output.

/// Number of rows if a terminal reports only its width, as that of `script` does.
const ROWS: usize = 24;

/// Size of a terminal in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TerminalSize {
    /// Characters in a row.
    pub(crate) columns: usize,
    /// Rows on the screen.
    pub(crate) rows: usize,
}

/// Size of the terminal; `None` if there is none, or its width is unknown.
pub(crate) fn terminal_size() -> Option<TerminalSize> {
    let mut size = libc::winsize { ws_row: 0, ws_col: 0, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: the call writes only to `size`, which is a valid local variable; it fails for
    // anything that is not a terminal.
    let answer = unsafe { libc::ioctl(libc::STDOUT_FILENO, libc::TIOCGWINSZ, &raw mut size) };
    (answer == 0).then(|| size_of(size.ws_col, size.ws_row)).flatten()
}

fn size_of(columns: u16, rows: u16) -> Option<TerminalSize> {
    let rows = if rows == 0 { ROWS } else { rows.into() };
    (columns > 0).then_some(TerminalSize { columns: columns.into(), rows })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_needs_only_a_width() {
        assert_eq!(size_of(80, 0), Some(TerminalSize { columns: 80, rows: 24 }));
        assert_eq!(size_of(80, 50), Some(TerminalSize { columns: 80, rows: 50 }));
        assert_eq!(size_of(0, 50), None);
    }
}
