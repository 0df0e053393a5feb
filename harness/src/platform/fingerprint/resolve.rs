//! What is there that code refers to.

use super::graph::Node;
use super::program::{Kind, Program};
use super::scan::Reference;

/// A table of functions that is longer is none.
const LONGEST_TABLE: u64 = 512;
/// No type is aligned to more.
const MOST_ALIGNED: u64 = 4096;
const WORD: u64 = 8;

/// What a reference leads to.
#[derive(Debug, PartialEq)]
pub(super) enum Target<'p> {
    /// Something with references of its own.
    Node(Node),
    /// A constant.
    Constant(&'p [u8]),
}

impl Program {
    /// What a reference leads to, if that can be told and belongs to the code.
    pub(super) fn target(&self, reference: Reference) -> Option<Target<'_>> {
        match reference {
            Reference::Address(address) => self.node(address).map(Target::Node),
            Reference::Bytes(address, bytes) => self.content(address, bytes),
        }
    }

    fn content(&self, address: u64, bytes: u64) -> Option<Target<'_>> {
        let kind = self.section(address)?.kind;
        if let Some(pointer) = self.pointer(address) {
            return self.node(pointer).map(Target::Node);
        }
        let nameless = kind == Kind::Constants && self.symbol(address).is_none();
        if nameless {
            return self.bytes(address..address + bytes).map(Target::Constant);
        }
        self.node(address).map(Target::Node)
    }

    /// What lies at an address that somebody takes.
    pub(super) fn node(&self, address: u64) -> Option<Node> {
        match (self.section(address)?.kind, self.symbol(address)) {
            (Kind::Code, Some(symbol)) => {
                (!self.symbols[symbol].is_nobodys()).then_some(Node::Code(symbol))
            }
            (Kind::Constants | Kind::Pointers, Some(symbol)) => {
                let range = self.symbols[symbol].range.clone();
                Some(Node::Value(range.start, range.end))
            }
            (Kind::Pointers, None) => self.is_table(address).then_some(Node::Table(address)),
            (Kind::GlobalOffsets, _) => self.node_behind(address),
            (Kind::Code | Kind::Constants, None) => None,
        }
    }

    fn node_behind(&self, address: u64) -> Option<Node> {
        let pointer = self.pointer(address)?;
        let is_offset = |kind| kind == Kind::GlobalOffsets;
        let kind = self.section(pointer)?.kind;
        (!is_offset(kind)).then(|| self.node(pointer)).flatten()
    }

    /// Whether functions are listed there: those of a trait object, or others. What else
    /// has pointers, such as texts and the lines that panics tell, is none.
    fn is_table(&self, address: u64) -> bool {
        self.is_vtable(address) || self.points_to_code(address)
    }

    /// How to drop it, if that takes anything; size, alignment, functions.
    fn is_vtable(&self, address: u64) -> bool {
        let word = |number| self.plain_word(address + number * WORD);
        let drops = self.points_to_code(address) || word(0) == Some(0);
        let sizes = word(1).zip(word(2));
        let fits = |(size, align): (u64, u64)| {
            align.is_power_of_two() && align <= MOST_ALIGNED && size % align == 0
        };
        drops && sizes.is_some_and(fits) && self.points_to_code(address + 3 * WORD)
    }

    /// A number that is no pointer.
    fn plain_word(&self, address: u64) -> Option<u64> {
        let word = self.word(address)?;
        self.pointer(address).is_none().then_some(word)
    }

    fn points_to_code(&self, address: u64) -> bool {
        let pointer = self.pointer(address);
        let section = pointer.and_then(|pointer| self.section(pointer));
        section.is_some_and(|section| section.kind == Kind::Code)
    }

    /// The words of a table, as far as it goes.
    pub(super) fn table(&self, address: u64) -> impl Iterator<Item = u64> {
        let head = if self.is_vtable(address) { 3 } else { 1 };
        let words = (0..LONGEST_TABLE).map(move |number| address + number * WORD);
        words.enumerate().map_while(move |(number, word)| {
            let begins_another = number > head && self.is_vtable(word);
            let goes_on = number < head || self.pointer(word).is_some() && !begins_another;
            goes_on.then_some(word)
        })
    }
}
