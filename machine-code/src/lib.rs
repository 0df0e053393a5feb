//! Hashes of the machine code that functions of a program may run.
//!
//! Starting from a function, all reachable code is found: by calls and jumps, through addresses that
//! are taken, and through tables of functions. Each function is hashed without the addresses inserted
//! by the linker, so that code that moved has the same hash.
//!
//! | module | holds |
//! |---|---|
//! | `program` | an executable: its layout, targets of pointers, and references of functions |
//! | `x86_64`, `aarch64` | instructions, and their references |

mod aarch64;
mod program;
mod x86_64;

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;

use object::Architecture;
use sha2::{Digest, Sha256};

use program::{Kind, Node, Program, Scan, Target, WORD};

/// Hash of code.
pub type Hash = [u8; 8];

/// Minimum length of constants whose content is hashed with the value that points to them. Texts
/// are shorter; images of kernels are longer.
const LONG: u64 = 512;

/// Functions of a program, with cached hashes of their pieces. Addresses are those in its file.
pub struct Functions<'a> {
    program: Program<'a>,
    known: HashMap<Node, Piece>,
    /// Hashes of pieces including those that they refer to.
    linked: HashMap<Node, Hash>,
    /// Pieces that were reached last.
    reached: Vec<Node>,
}

/// Properties of a node.
struct Piece {
    /// Hash of its own content, without addresses.
    hash: Hash,
    /// References, in order.
    next: Vec<Node>,
}

impl<'a> Functions<'a> {
    /// Reads an executable; `None` if it can't be read, or has no symbols.
    pub fn of_executable(bytes: &'a [u8]) -> Option<Self> {
        let program = Program::parse(bytes)?;
        Some(Functions {
            program,
            known: HashMap::new(),
            linked: HashMap::new(),
            reached: Vec::new(),
        })
    }

    /// Address of the entry point.
    pub fn entry(&self) -> u64 {
        self.program.entry
    }

    /// Hash of all code that the function at an address may run; `None` if there is no function.
    /// Each piece contributes with those that it refers to; addresses and order of the pieces do
    /// not.
    pub fn hash(&mut self, address: u64) -> Option<Hash> {
        let root = self.program.code_at(address)?;
        self.reached = self.reach(root);
        let mut linked: Vec<Hash> = Vec::with_capacity(self.reached.len());
        for node in &self.reached {
            let known = self.linked.get(node).copied();
            let hash = known.unwrap_or_else(|| {
                let piece = &self.known[node];
                let next = piece.next.iter().map(|node| self.known[node].hash);
                combined(std::iter::once(piece.hash).chain(next))
            });
            self.linked.insert(*node, hash);
            linked.push(hash);
        }
        linked.sort_unstable();
        let root = self.known[&root].hash;
        Some(combined(std::iter::once(root).chain(linked)))
    }

    fn reach(&mut self, root: Node) -> Vec<Node> {
        let mut seen = HashSet::from([root]);
        let mut left = VecDeque::from([root]);
        let mut reached = Vec::new();
        while let Some(node) = left.pop_front() {
            let program = &self.program;
            let piece = self.known.entry(node);
            let piece = piece.or_insert_with(|| Piece::from_node(program, node));
            left.extend(piece.next.iter().filter(|next| seen.insert(**next)));
            reached.push(node);
        }
        reached
    }

    /// Names of the functions that the last hash covers.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.reached.iter().filter_map(|node| match node {
            Node::Code(symbol) => Some(self.program.symbols[*symbol].name),
            Node::Value(..) | Node::Table(_) => None,
        })
    }
}

impl Piece {
    fn new(hash: Sha256, next: Vec<Node>) -> Self {
        let hash = short(hash);
        Piece { hash, next }
    }

    fn from_node(program: &Program<'_>, node: Node) -> Self {
        match node {
            Node::Code(symbol) => Piece::from_code(program, program.symbols[symbol].range.clone()),
            Node::Value(from, to) => Piece::from_value(program, from..to),
            Node::Table(address) => Piece::from_table(program, address),
        }
    }

    fn from_code(program: &Program<'_>, range: Range<u64>) -> Self {
        let code = program.bytes(range.clone()).unwrap_or_default();
        let scan = scan(program.architecture, code, range.start);
        let mut hash = Sha256::new();
        let mut next = Vec::new();
        hash.update(&scan.code);
        for reference in scan.references {
            match program.target(reference) {
                Some(Target::Node(node)) => next.push(node),
                Some(Target::Constant(bytes)) => hash.update(bytes),
                None => {}
            }
        }
        Piece::new(hash, next)
    }

    /// Piece for a value. Pointers are followed; addresses are not hashed. A pointer to a constant
    /// is followed by its length: the constant is hashed only if it has at least `LONG` bytes.
    fn from_value(program: &Program<'_>, range: Range<u64>) -> Self {
        let mut hash = Sha256::new();
        let mut next = Vec::new();
        let mut address = range.start;
        while address < range.end {
            let end = range.end.min(address + WORD);
            let Some(pointer) = program.pointer(address) else {
                hash.update(program.bytes(address..end).unwrap_or_default());
                address = end;
                continue;
            };
            address = end;
            next.extend(program.node(pointer));
            if program.is(pointer, Kind::Constants) && end < range.end {
                let length = program.word(end).unwrap_or_default();
                let long = program.bytes(pointer..pointer.saturating_add(length));
                hash.update(long.filter(|_| length >= LONG).unwrap_or_default());
                address = end + WORD;
            }
        }
        Piece::new(hash, next)
    }

    fn from_table(program: &Program<'_>, address: u64) -> Self {
        let mut hash = Sha256::new();
        let mut next = Vec::new();
        for word in program.table(address) {
            match program.pointer(word) {
                Some(pointer) => next.extend(program.node(pointer)),
                None => hash.update(program.word(word).unwrap_or_default().to_le_bytes()),
            }
        }
        Piece::new(hash, next)
    }
}

/// Reads a function that starts at this address. On unsupported architectures the bytes are used
/// unchanged.
fn scan(architecture: Architecture, code: &[u8], address: u64) -> Scan {
    match architecture {
        Architecture::X86_64 => x86_64::scan(code, address),
        Architecture::Aarch64 => aarch64::scan(code, address),
        _ => Scan::new(code),
    }
}

fn combined(hashes: impl Iterator<Item = Hash>) -> Hash {
    let mut all = Sha256::new();
    hashes.for_each(|hash| all.update(hash));
    short(all)
}

fn short(hash: Sha256) -> Hash {
    let mut short = Hash::default();
    short.copy_from_slice(&hash.finalize()[..8]);
    short
}
