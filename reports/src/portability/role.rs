//! What a device stands for.

/// What a device stands for where kernels are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A GPU by the driver of its make.
    Native,
    /// The same, opened once more: what it takes for more or less time is noise.
    Again,
    /// A GPU whose shaders are trusted as native kernels are.
    Shaders,
    /// One whose shaders are checked.
    Checked,
}

impl Role {
    /// That of a device by its name; `None` if it is no GPU.
    pub(super) fn of(device: &str) -> Option<Self> {
        let (kind, number) = device.split_once(':')?;
        match (kind, number.split_once('+')) {
            ("cuda", None) => Some(Role::Native),
            ("cuda", Some((_, "again"))) => Some(Role::Again),
            ("wgpu", None) => Some(Role::Shaders),
            ("wgpu", Some((_, "checked"))) => Some(Role::Checked),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_have_their_roles_by_name() {
        let roles = ["cuda:0", "cuda:3+again", "wgpu:1", "wgpu:0+checked"].map(Role::of);
        let expected = [Role::Native, Role::Again, Role::Shaders, Role::Checked];
        assert_eq!(roles, expected.map(Some));
        assert_eq!(["cpu", "emulator", "wgpu:0+again", "hip:0"].map(Role::of), [None; 4]);
    }
}
