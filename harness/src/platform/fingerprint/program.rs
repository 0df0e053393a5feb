//! An executable: sections, symbols, and the pointers that the loader fills in.

use std::ops::Range;

use object::{
    Architecture, Object, ObjectSection, ObjectSymbol, RelocationTarget, SectionKind, SymbolKind,
};

use super::scan::Reference;

/// What is needed of an executable. Addresses are those in the file.
#[derive(Debug)]
pub(super) struct Program<'a> {
    pub(super) architecture: Architecture,
    pub(super) entry: u64,
    pub(super) sections: Vec<Section<'a>>,
    /// Sorted by where they begin.
    pub(super) symbols: Vec<Symbol<'a>>,
    /// Where pointers are, and where they point to; sorted.
    pub(super) pointers: Vec<(u64, u64)>,
}

/// A part that is in memory while the program runs.
#[derive(Debug)]
pub(super) struct Section<'a> {
    pub(super) begin: u64,
    pub(super) bytes: &'a [u8],
    pub(super) kind: Kind,
}

/// What a section holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Code,
    /// That never changes, and has no pointers.
    Constants,
    /// Constants with pointers, such as tables of functions.
    Pointers,
    /// Pointers one by one, to what may be in libraries.
    GlobalOffsets,
}

/// A function, or a value with a name.
#[derive(Debug)]
pub(super) struct Symbol<'a> {
    pub(super) range: Range<u64>,
    pub(super) name: &'a str,
}

/// A piece of a program that refers to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    /// A function, by the number of its symbol.
    Code(usize),
    /// A value, from and to these addresses.
    Value(u64, u64),
    /// A table of functions at this address.
    Table(u64),
}

/// What a reference leads to.
#[derive(Debug, PartialEq)]
pub(super) enum Target<'p> {
    /// Something with references of its own.
    Node(Node),
    /// A constant.
    Constant(&'p [u8]),
}

/// A table of functions that is longer is none.
const LONGEST_TABLE: u64 = 512;
/// No type is aligned to more.
const MOST_ALIGNED: u64 = 4096;
pub(super) const WORD: u64 = 8;
/// How the names of values begin that the compiler made up: what they are is told by
/// their content.
const NAMELESS: [&str; 4] = ["anon.", "alloc_", "vtable.", ".L"];
/// What panicking and its messages do: it is nobody's own, and no time is spent in it.
const NOBODYS: [&str; 2] = ["4core9panicking", "4core3fmt"];

impl<'a> Program<'a> {
    /// `None` if it can't be read, or has no symbols.
    pub(super) fn parse(bytes: &'a [u8]) -> Option<Self> {
        let file = object::File::parse(bytes).ok()?;
        let sections = file.sections().filter_map(|section| {
            Some(Section {
                begin: section.address(),
                kind: kind(section.name().ok()?, section.kind())?,
                bytes: section.data().ok()?,
            })
        });
        let mut program = Program {
            architecture: file.architecture(),
            entry: file.entry(),
            sections: sections.collect(),
            symbols: symbols(&file),
            pointers: Vec::new(),
        };
        for (address, relocation) in file.dynamic_relocations().into_iter().flatten() {
            // Others point into libraries.
            if relocation.target() == RelocationTarget::Absolute {
                let target = relocation.addend() as u64;
                program.pointers.push((address, target));
            }
        }
        program.pointers.sort_unstable();
        (!program.symbols.is_empty()).then_some(program)
    }

    pub(super) fn section(&self, address: u64) -> Option<&Section<'a>> {
        let mut sections = self.sections.iter();
        sections.find(|section| section.range().contains(&address))
    }

    /// The symbol that an address is in.
    pub(super) fn symbol(&self, address: u64) -> Option<usize> {
        let after = self.symbols.partition_point(|s| s.range.start <= address);
        let number = after.checked_sub(1)?;
        let is_in = self.symbols[number].range.contains(&address);
        is_in.then_some(number)
    }

    /// Where the pointer at an address points to.
    pub(super) fn pointer(&self, address: u64) -> Option<u64> {
        let place = self.pointers.binary_search_by_key(&address, |it| it.0);
        place.ok().map(|place| self.pointers[place].1)
    }

    /// The bytes of a range, if they are all in one section.
    pub(super) fn bytes(&self, range: Range<u64>) -> Option<&[u8]> {
        let section = self.section(range.start)?;
        let at = |address: u64| usize::try_from(address - section.begin).ok();
        let (from, to) = (at(range.start)?, at(range.end.max(range.start))?);
        section.bytes.get(from..to)
    }

    /// A number of 8 bytes.
    pub(super) fn word(&self, address: u64) -> Option<u64> {
        let bytes = self.bytes(address..address.checked_add(8)?)?;
        Some(u64::from_le_bytes(bytes.try_into().ok()?))
    }

    /// The function at an address.
    pub(super) fn code_at(&self, address: u64) -> Option<Node> {
        let is_code = self.is(address, Kind::Code);
        self.symbol(address).filter(|_| is_code).map(Node::Code)
    }

    /// Whether an address is in a section of such a kind.
    pub(super) fn is(&self, address: u64, kind: Kind) -> bool {
        self.section(address).is_some_and(|it| it.kind == kind)
    }

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
        if kind == Kind::Constants && self.symbol(address).is_none() {
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
        if self.is(pointer, Kind::GlobalOffsets) {
            return None;
        }
        self.node(pointer)
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
        pointer.is_some_and(|pointer| self.is(pointer, Kind::Code))
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

impl Section<'_> {
    pub(super) fn range(&self) -> Range<u64> {
        self.begin..self.begin + self.bytes.len() as u64
    }
}

impl Symbol<'_> {
    /// Whether it is code that belongs to no variant.
    pub(super) fn is_nobodys(&self) -> bool {
        NOBODYS.iter().any(|part| self.name.contains(part))
    }
}

fn kind(name: &str, kind: SectionKind) -> Option<Kind> {
    match kind {
        SectionKind::Text => Some(Kind::Code),
        _ if name.starts_with(".rodata") => Some(Kind::Constants),
        _ if name.starts_with(".data.rel.ro") => Some(Kind::Pointers),
        _ if name.starts_with(".got") => Some(Kind::GlobalOffsets),
        _ => None,
    }
}

fn symbols<'a>(file: &object::File<'a>) -> Vec<Symbol<'a>> {
    let is_wanted = |kind| matches!(kind, SymbolKind::Text | SymbolKind::Data);
    let named = file.symbols().filter_map(|symbol| {
        let name = symbol.name().ok()?;
        let nameless = NAMELESS.iter().any(|begin| name.starts_with(begin));
        let wanted = is_wanted(symbol.kind()) && symbol.size() > 0 && !nameless;
        wanted.then(|| Symbol {
            range: symbol.address()..symbol.address().saturating_add(symbol.size()),
            name,
        })
    });
    let mut symbols: Vec<Symbol<'a>> = named.collect();
    // Of several names of the same code the longest range comes first and stays.
    symbols.sort_by_key(|symbol| (symbol.range.start, std::cmp::Reverse(symbol.range.end)));
    symbols.dedup_by_key(|symbol| symbol.range.start);
    symbols
}
