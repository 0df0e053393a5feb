//! An executable: sections, symbols, and the pointers that the loader fills in.

use std::ops::Range;

use object::{
    Architecture, Object, ObjectSection, ObjectSymbol, RelocationTarget, SectionKind, SymbolKind,
};

use super::graph::Node;

/// What is needed of an executable. Addresses are those in the file.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) architecture: Architecture,
    pub(super) entry: u64,
    pub(super) sections: Vec<Section>,
    /// Sorted by where they begin.
    pub(super) symbols: Vec<Symbol>,
    /// Where pointers are, and where they point to; sorted.
    pub(super) pointers: Vec<(u64, u64)>,
}

/// A part that is in memory while the program runs.
#[derive(Debug)]
pub(super) struct Section {
    pub(super) begin: u64,
    pub(super) bytes: Vec<u8>,
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
pub(super) struct Symbol {
    pub(super) range: Range<u64>,
    pub(super) name: String,
}

/// How the names of values begin that the compiler made up: what they are is told by
/// their content.
const NAMELESS: [&str; 4] = ["anon.", "alloc_", "vtable.", ".L"];
/// What panicking and its messages do: it is nobody's own, and no time is spent in it.
const NOBODYS: [&str; 2] = ["4core9panicking", "4core3fmt"];

impl Program {
    /// `None` if it can't be read, or has no symbols.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let file = object::File::parse(bytes).ok()?;
        let sections = file.sections().filter_map(|section| {
            Some(Section {
                begin: section.address(),
                kind: kind(section.name().ok()?, section.kind())?,
                bytes: section.data().ok()?.to_vec(),
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

    pub(super) fn section(&self, address: u64) -> Option<&Section> {
        let mut sections = self.sections.iter();
        sections.find(|section| section.range().contains(&address))
    }

    /// The symbol that an address is in.
    pub(super) fn symbol(&self, address: u64) -> Option<usize> {
        let after = self.symbols.partition_point(|s| s.range.start <= address);
        let number = after.checked_sub(1)?;
        self.symbols[number]
            .range
            .contains(&address)
            .then_some(number)
    }

    /// Where the pointer at an address points to.
    pub(super) fn pointer(&self, address: u64) -> Option<u64> {
        let place = self
            .pointers
            .binary_search_by_key(&address, |(from, _)| *from);
        place.ok().map(|place| self.pointers[place].1)
    }

    /// The bytes of a range, if they are all in one section.
    pub(super) fn bytes(&self, range: Range<u64>) -> Option<&[u8]> {
        let section = self.section(range.start)?;
        let at = |address: u64| usize::try_from(address - section.begin).ok();
        section
            .bytes
            .get(at(range.start)?..at(range.end.max(range.start))?)
    }

    /// A number of 8 bytes.
    pub(super) fn word(&self, address: u64) -> Option<u64> {
        let bytes = self.bytes(address..address.checked_add(8)?)?;
        Some(u64::from_le_bytes(bytes.try_into().ok()?))
    }

    /// The function at an address.
    pub(super) fn code_at(&self, address: u64) -> Option<Node> {
        let is_code = self.section(address)?.kind == Kind::Code;
        self.symbol(address).filter(|_| is_code).map(Node::Code)
    }
}

impl Section {
    pub(super) fn range(&self) -> Range<u64> {
        self.begin..self.begin + self.bytes.len() as u64
    }
}

impl Symbol {
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

fn symbols(file: &object::File<'_>) -> Vec<Symbol> {
    let is_wanted = |kind| matches!(kind, SymbolKind::Text | SymbolKind::Data);
    let named = file.symbols().filter_map(|symbol| {
        let name = symbol.name().ok()?;
        let nameless = NAMELESS.iter().any(|begin| name.starts_with(begin));
        let wanted = is_wanted(symbol.kind()) && symbol.size() > 0 && !nameless;
        wanted.then(|| Symbol {
            range: symbol.address()..symbol.address().saturating_add(symbol.size()),
            name: name.to_owned(),
        })
    });
    let mut symbols: Vec<Symbol> = named.collect();
    // Of several names of the same code the longest range comes first and stays.
    symbols.sort_by_key(|symbol| (symbol.range.start, std::cmp::Reverse(symbol.range.end)));
    symbols.dedup_by_key(|symbol| symbol.range.start);
    symbols
}
