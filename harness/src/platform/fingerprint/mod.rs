//! Fingerprint of the machine code of each variant.
//!
//! Starting from the function that prepares the variant, all reachable code is found: by calls and
//! jumps, through addresses that are taken, and through tables of functions. Each function is
//! hashed without the addresses inserted by the linker, so that code that moved has the same hash.
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
use std::sync::{Mutex, OnceLock, PoisonError};

use object::Architecture;
use sha2::{Digest, Sha256};
use tasks::task::VariantInfo;

use super::build::{executable, executable_fingerprint, hash_text};
use program::{Kind, Node, Program, Scan, Target, WORD};

/// Hash of the machine code that a variant may run; that of the complete executable if the
/// variant's own can't be determined. Variants of plugins have that of their file.
pub fn variant_fingerprint(info: &VariantInfo) -> String {
    if let Some(plugin) = info.plugin {
        return plugin.fingerprint.clone();
    }
    static RUNNING: OnceLock<Option<Mutex<RunningProgram>>> = OnceLock::new();
    let running = RUNNING.get_or_init(|| RunningProgram::open().map(Mutex::new));
    let own = running.as_ref().and_then(|running| {
        let mut running = running.lock().unwrap_or_else(PoisonError::into_inner);
        running.fingerprint(info.code)
    });
    own.unwrap_or_else(executable_fingerprint)
}

/// The running program.
struct RunningProgram {
    graph: Graph<'static>,
    /// Difference between addresses in memory and those in the file.
    bias: u64,
    /// Results by start address, because suites request each of their points.
    known: HashMap<usize, Option<String>>,
}

impl RunningProgram {
    fn open() -> Option<Self> {
        let program = Program::parse(executable()?)?;
        let bias = entry_in_memory()?.checked_sub(program.entry)?;
        Some(RunningProgram { graph: Graph::new(program), bias, known: HashMap::new() })
    }

    fn fingerprint(&mut self, code: usize) -> Option<String> {
        let find = || {
            let in_file = (code as u64).checked_sub(self.bias)?;
            let root = self.graph.program.code_at(in_file)?;
            Some(hash_text("code", &self.graph.hash(&[root])))
        };
        self.known.entry(code).or_insert_with(find).clone()
    }
}

/// Entry point of this program in memory.
fn entry_in_memory() -> Option<u64> {
    // SAFETY: the call reads a table provided by the kernel, and returns 0 for a missing entry.
    let entry = unsafe { libc::getauxval(libc::AT_ENTRY) };
    (entry != 0).then_some(entry)
}

/// Minimum length of constants whose content is hashed with the value that points to them. Texts
/// are shorter; images of kernels are longer.
const LONG: u64 = 512;

type Hash = [u8; 8];

/// A program with cached results.
struct Graph<'a> {
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

impl<'a> Graph<'a> {
    fn new(program: Program<'a>) -> Self {
        Graph { program, known: HashMap::new(), linked: HashMap::new(), reached: Vec::new() }
    }

    /// Hash of everything that is reachable from the roots. Each piece contributes with those that
    /// it refers to; addresses and order of the pieces do not.
    fn hash(&mut self, roots: &[Node]) -> Hash {
        self.reached = self.reach(roots);
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
        let roots = roots.iter().map(|root| self.known[root].hash);
        combined(roots.chain(linked))
    }

    fn reach(&mut self, roots: &[Node]) -> Vec<Node> {
        let mut seen: HashSet<Node> = roots.iter().copied().collect();
        let mut left: VecDeque<Node> = roots.iter().copied().collect();
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

    /// Names of all functions that were reached last.
    #[cfg(test)]
    fn names(&self) -> impl Iterator<Item = &str> {
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

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::time::Instant;

    use crate::registry::{task, tasks};
    use tasks::device::Backend;

    use super::*;

    fn variant(of: &str, name: &str) -> VariantInfo {
        let variants = task(of).expect("a task").variants().into_iter();
        let mut found = variants.filter(|info| info.name == name && info.backend == Backend::Cpu);
        found.next().expect("a variant")
    }

    fn reached(running: &mut RunningProgram, info: &VariantInfo) -> HashSet<String> {
        running.fingerprint(info.code).expect("a fingerprint");
        running.graph.names().map(str::to_owned).collect()
    }

    #[test]
    fn variants_of_a_task_differ_and_stay_as_they_are() {
        let start = Instant::now();
        for task in tasks() {
            let mut known: HashMap<(Backend, String), &str> = HashMap::new();
            for info in task.variants() {
                if info.unavailable_reason.is_some() {
                    continue;
                }
                let fingerprint = variant_fingerprint(&info);
                assert_ne!(fingerprint, executable_fingerprint(), "{}", info.name);
                assert_eq!(fingerprint, variant_fingerprint(&info));
                let same = known.insert((info.backend, fingerprint), info.name);
                assert_eq!(same, None, "{} is the same as {}", info.name, task.name());
            }
        }
        eprintln!("all fingerprints: {:?}", start.elapsed());
    }

    #[test]
    fn a_variant_reaches_only_its_own_calls() {
        let mut running = RunningProgram::open().expect("a program");
        let names = reached(&mut running, &variant("sort", "block-merge"));
        let any = |words: &str| names.iter().any(|name| name.contains(words));
        // The sort itself, functions that it shares with others, and those of its team.
        let wanted = "11block_merge 5parts 8segments";
        for wanted in wanted.split(' ') {
            assert!(any(&format!("sts_sort3cpu{wanted}")), "{wanted}");
        }
        assert!(any("rayon_core"));
        let others = "tpc_decode 14channel_bucket 15segmented_radix harness3cli harness8commands";
        for other in others.split(' ') {
            // The linker merges functions with the same code under one of their names: dropping a
            // vector is the same for many types.
            let mut own = names.iter().filter(|name| !name.contains("drop_in_place"));
            assert_eq!(own.find(|name| name.contains(other)), None);
        }
    }

    #[test]
    fn unknown_functions_have_no_fingerprint() {
        let info = VariantInfo { code: 0, ..variant("sort", "block-merge") };
        assert_eq!(variant_fingerprint(&info), executable_fingerprint());
    }
}
