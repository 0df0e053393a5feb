//! A list for each address, found by hashing.

use std::collections::HashMap;

use generators::sts::{Address, Digi};

use super::{is_back, on_side};
use crate::sts::OfflineDigi;

/// Digis by module side, each with its full address, as the offline reconstruction
/// keeps them: fronts of all modules, then backs.
pub(in crate::sts) fn by_hash_map(stream: &[Digi], modules: usize) -> Vec<Vec<OfflineDigi>> {
    let mut lists: HashMap<u32, [Vec<OfflineDigi>; 2]> = HashMap::new();
    for &digi in stream {
        let lists = lists.entry(digi.address().full()).or_default();
        lists[usize::from(is_back(digi))].push(OfflineDigi::from(on_side(digi)));
    }
    let mut list = |module: usize, side: usize| {
        let address = Address::of_module(module).full();
        let lists = lists.get_mut(&address);
        lists.map_or_else(Vec::new, |lists| std::mem::take(&mut lists[side]))
    };
    let sides = (0..2).flat_map(|side| (0..modules).map(move |module| (module, side)));
    sides.map(|(module, side)| list(module, side)).collect()
}
