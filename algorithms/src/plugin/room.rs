//! How much memory plugins may ask for.

use std::sync::OnceLock;

/// Beyond all addresses that a process has: sums with it don't overflow.
const MOST: u64 = 1 << 47;

static ROOM: OnceLock<fn() -> u64> = OnceLock::new();

/// Says how to find out how many bytes there are for plugins on the host. The first one who says
/// so is asked; without anybody, there is no limit.
pub fn set_room(room: fn() -> u64) {
    let _ = ROOM.set(room);
}

/// Whether so much scratch memory can be had, before any of it is taken.
///
/// # Errors
/// How much is asked for and how much there is.
pub(crate) fn check_scratch(bytes: u64, is_on_host: bool) -> Result<(), String> {
    if bytes == 0 {
        return Ok(());
    }
    let told = ROOM.get().filter(|_| is_on_host).map_or(u64::MAX, |room| room());
    check(bytes, told.min(MOST))
}

fn check(bytes: u64, room: u64) -> Result<(), String> {
    if bytes <= room {
        return Ok(());
    }
    let [bytes, room] = [bytes, room].map(|bytes| bytes as f64 / 1e9);
    Err(format!(
        "asks for {bytes:.1} GB of scratch memory, but {room:.1} GB can be had; ask for less, or \
         use less data"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_there_is_is_refused_with_both_numbers() {
        let expected = "asks for 1099.5 GB of scratch memory, but 6.0 GB can be had; ask for less, \
                        or use less data";
        assert_eq!(check(1 << 40, 6_000_000_000), Err(expected.to_owned()));
        assert_eq!(check(6_000_000_000, 6_000_000_000), Ok(()));
        // Nobody need know how much there is to refuse this.
        assert!(check_scratch(u64::MAX, false).is_err());
        assert_eq!(check_scratch(1 << 30, false), Ok(()));
    }
}
