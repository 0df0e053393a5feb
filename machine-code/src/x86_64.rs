//! Instructions of x86-64.

use iced_x86::{Decoder, DecoderOptions, Instruction, OpKind, Register};

use super::program::{Reference, Scan};

/// Reads a function that starts at this address.
pub(super) fn scan(code: &[u8], address: u64) -> Scan {
    let mut scan = Scan::new(code);
    let inside = address..address + code.len() as u64;
    let mut decoder = Decoder::with_ip(64, code, address, DecoderOptions::NONE);
    let mut instruction = Instruction::default();
    let mut thread_pointer = Register::None;
    while decoder.can_decode() {
        let at = decoder.position();
        decoder.decode_out(&mut instruction);
        if instruction.is_invalid() {
            // Data between code: only its length is hashed.
            scan.mask(at..code.len());
            break;
        }
        if let Some(reference) = reference(&instruction) {
            if inside.contains(&reference.address()) {
                continue;
            }
            scan.references.push(reference);
        } else if !is_thread_local(&instruction, thread_pointer) {
            thread_pointer = holder(&instruction).unwrap_or(thread_pointer);
            continue;
        }
        let offsets = decoder.get_constant_offsets(&instruction);
        let (from, bytes) = if offsets.has_displacement() {
            (offsets.displacement_offset(), offsets.displacement_size())
        } else {
            (offsets.immediate_offset(), offsets.immediate_size())
        };
        scan.mask(at + from..at + from + bytes);
    }
    scan
}

/// Reference of an instruction, relative to its address.
fn reference(instruction: &Instruction) -> Option<Reference> {
    if instruction.op0_kind() == OpKind::NearBranch64 {
        return Some(Reference::Address(instruction.near_branch64()));
    }
    if !instruction.is_ip_rel_memory_operand() {
        return None;
    }
    let address = instruction.ip_rel_memory_address();
    // Taking an address reads nothing.
    Some(match instruction.memory_size().size() {
        0 => Reference::Address(address),
        bytes => Reference::Bytes(address, bytes as u64),
    })
}

/// True if the instruction accesses a thread-local variable, whose offset depends on all others of
/// the program.
fn is_thread_local(instruction: &Instruction, thread_pointer: Register) -> bool {
    let memory = (0..instruction.op_count()).any(|i| instruction.op_kind(i) == OpKind::Memory);
    let by_pointer = thread_pointer != Register::None
        && instruction.memory_base() == thread_pointer
        && instruction.memory_displ_size() > 1;
    memory
        && (instruction.segment_prefix() == Register::FS || by_pointer)
        && instruction.memory_displacement64() != 0
}

/// Register that receives the thread pointer: `mov register, fs:[0]`.
fn holder(instruction: &Instruction) -> Option<Register> {
    let from_thread = instruction.segment_prefix() == Register::FS
        && instruction.memory_displacement64() == 0
        && instruction.op0_kind() == OpKind::Register;
    from_thread.then(|| instruction.op0_register())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Code at an address, with references to other addresses.
    fn function(address: u64, callee: u64, constant: u64, table: u64) -> Vec<u8> {
        fn add(code: &mut Vec<u8>, address: u64, opcode: &[u8], target: u64) {
            code.extend(opcode);
            let next = address + code.len() as u64 + 4;
            code.extend((target.wrapping_sub(next) as u32).to_le_bytes());
        }
        let mut code = vec![0x55];
        // call callee; movaps xmm0, [constant]; lea rax, [table]
        add(&mut code, address, &[0xe8], callee);
        add(&mut code, address, &[0x0f, 0x28, 0x05], constant);
        add(&mut code, address, &[0x48, 0x8d, 0x05], table);
        // je over the addition, within the function; add rax, 0x12345678; ret; jmp callee
        code.extend([0x74, 0x06, 0x48, 0x05, 0x78, 0x56, 0x34, 0x12, 0xc3]);
        add(&mut code, address, &[0xe9], callee);
        code
    }

    #[test]
    fn code_that_moved_is_the_same_code() {
        let here = function(0x1000, 0x5000, 0x9000, 0xa000);
        let there = function(0x7777_0000, 0x2000, 0x40, 0x7777_8000);
        assert_ne!(here, there);
        let here = scan(&here, 0x1000);
        let there = scan(&there, 0x7777_0000);
        assert_eq!(here.code, there.code);
        let expected = [
            Reference::Address(0x5000),
            Reference::Bytes(0x9000, 16),
            Reference::Address(0xa000),
            Reference::Address(0x5000),
        ];
        assert_eq!(here.references, expected);
        assert_eq!(there.references[0], Reference::Address(0x2000));
    }

    #[test]
    fn what_is_in_the_function_counts() {
        let code = function(0x1000, 0x5000, 0x9000, 0xa000);
        let masked = scan(&code, 0x1000).code;
        // The register of a push, the jump within, the constant that is added.
        for changed in [0, 21, 24, 27] {
            let mut other = code.clone();
            other[changed] ^= 1;
            assert_ne!(scan(&other, 0x1000).code, masked, "byte {changed}");
        }
    }

    #[test]
    fn thread_local_variables_may_move() {
        // mov rax, fs:[0]; lea rcx, [rax - offset]; mov edx, fs:[offset]; mov [rbx + 8], 1
        let code = |offset: u8| {
            [
                &[0x64, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0][..],
                &[0x48, 0x8d, 0x88, offset, 0xfe, 0xff, 0xff],
                &[0x64, 0x8b, 0x14, 0x25, offset, 0xff, 0xff, 0xff],
                &[0xc6, 0x43, 8, 1],
            ]
            .concat()
        };
        let one = scan(&code(0x10), 0x1000);
        let other = scan(&code(0x48), 0x1000);
        assert_eq!(one, other);
        assert_eq!(one.code[26..], [8, 1]);
    }

    #[test]
    fn damaged_code_is_accepted() {
        let code = [0x90, 0x06, 0x07, 0xff];
        assert_eq!(scan(&code, 0).code, [0x90, 0, 0, 0]);
        assert_eq!(scan(&[], 0), Scan::default());
    }
}
