//! Commands to which the system refuses a call, as containers do.

use std::os::unix::process::CommandExt;
use std::process::Command;

use nix::errno::Errno;
use nix::libc;

/// Has a system call fail with an error in a command and in all that it starts.
pub fn refuse(command: &mut Command, call: libc::c_long, error: Errno) {
    let load_number = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0);
    let is_the_call = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, 1, call as u32);
    let refused = libc::SECCOMP_RET_ERRNO | error as u32;
    let answers = [refused, libc::SECCOMP_RET_ALLOW].map(|it| (libc::BPF_RET, 0, 0, it));
    let program = [load_number, is_the_call, answers[0], answers[1]];
    let mut program =
        program.map(|(code, jt, jf, k)| libc::sock_filter { code: code as u16, jt, jf, k });
    let filter = move || {
        let filter = libc::sock_fprog { len: program.len() as u16, filter: program.as_mut_ptr() };
        let on: libc::c_ulong = 1;
        let none: libc::c_ulong = 0;
        // SAFETY: both calls take numbers and a program that outlives them.
        let answers = unsafe {
            [
                libc::prctl(libc::PR_SET_NO_NEW_PRIVS, on, none, none, none),
                libc::prctl(
                    libc::PR_SET_SECCOMP,
                    libc::c_ulong::from(libc::SECCOMP_MODE_FILTER),
                    &raw const filter,
                ),
            ]
        };
        if answers == [0, 0] { Ok(()) } else { Err(Errno::last().into()) }
    };
    // SAFETY: between fork and exec nothing is allocated, and only system calls are made.
    unsafe { command.pre_exec(filter) };
}
