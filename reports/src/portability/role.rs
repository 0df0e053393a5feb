//! Roles of devices.

/// Role of a device in a comparison of kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A GPU with native kernels.
    Native,
    /// A second opening of the native GPU: differences in time are noise.
    Again,
    /// A GPU whose shaders run without checks, as native kernels do.
    Shaders,
    /// A GPU whose shaders are checked.
    Checked,
}

impl Role {
    /// Role of a device by its name; `None` if it is not a GPU.
    pub(super) fn from_device(device: &str) -> Option<Self> {
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
        let roles = ["cuda:0", "cuda:3+again", "wgpu:1", "wgpu:0+checked"].map(Role::from_device);
        let expected = [Role::Native, Role::Again, Role::Shaders, Role::Checked];
        assert_eq!(roles, expected.map(Some));
        assert_eq!(["cpu", "emulator", "wgpu:0+again", "hip:0"].map(Role::from_device), [None; 4]);
    }
}
