//! Header of a microslice: 32 bytes.

/// Bytes of a descriptor.
pub const DESCRIPTOR_BYTES: usize = 32;
/// The system id of the STS.
pub const STS_SYSTEM: u8 = 0x10;
/// The only version of its data that is unpacked.
pub const SYSTEM_VERSION: u8 = 0x20;

const HEADER_ID: u8 = 0xdd;
const HEADER_VERSION: u8 = 1;

/// The fields of a descriptor that are used, and the others unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// Header id and header version.
    pub header: [u8; 2],
    /// ID of the read-out board that sent it.
    pub equipment: u16,
    /// Bits: 1 checksum is right, 2 cut by the board's link, 4 cut by user logic, 8 data error.
    pub flags: u16,
    /// The detector.
    pub system: u8,
    /// The version of its data.
    pub version: u8,
    /// Start of the microslice, in ns of Unix time.
    pub index: u64,
    /// CRC-32C of the content.
    pub crc: u32,
    /// Bytes of the content.
    pub size: u32,
    /// Offset of the content, relative to the offset of the component's first microslice.
    pub offset: u64,
}

impl Descriptor {
    /// Descriptor of a microslice of the STS, from a board and starting at a time, without a
    /// checksum.
    pub fn of_sts(equipment: u16, index: u64) -> Self {
        Descriptor {
            header: [HEADER_ID, HEADER_VERSION],
            equipment,
            flags: 0,
            system: STS_SYSTEM,
            version: SYSTEM_VERSION,
            index,
            crc: 0,
            size: 0,
            offset: 0,
        }
    }

    /// The descriptor in these bytes.
    #[inline]
    pub fn from_bytes(bytes: &[u8; DESCRIPTOR_BYTES]) -> Self {
        Descriptor {
            header: part(bytes, 0),
            equipment: u16::from_le_bytes(part(bytes, 2)),
            flags: u16::from_le_bytes(part(bytes, 4)),
            system: bytes[6],
            version: bytes[7],
            index: u64::from_le_bytes(part(bytes, 8)),
            crc: u32::from_le_bytes(part(bytes, 16)),
            size: u32::from_le_bytes(part(bytes, 20)),
            offset: u64::from_le_bytes(part(bytes, 24)),
        }
    }

    /// Its bytes.
    pub fn to_bytes(self) -> [u8; DESCRIPTOR_BYTES] {
        let mut bytes = [0; DESCRIPTOR_BYTES];
        let mut put = |at: usize, part: &[u8]| bytes[at..at + part.len()].copy_from_slice(part);
        put(0, &self.header);
        put(2, &self.equipment.to_le_bytes());
        put(4, &self.flags.to_le_bytes());
        put(6, &[self.system, self.version]);
        put(8, &self.index.to_le_bytes());
        put(16, &self.crc.to_le_bytes());
        put(20, &self.size.to_le_bytes());
        put(24, &self.offset.to_le_bytes());
        bytes
    }
}

#[inline]
fn part<const N: usize>(bytes: &[u8; DESCRIPTOR_BYTES], at: usize) -> [u8; N] {
    std::array::from_fn(|byte| bytes[at + byte])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_come_back() {
        let bytes: [u8; DESCRIPTOR_BYTES] = std::array::from_fn(|byte| byte as u8);
        let descriptor = Descriptor::from_bytes(&bytes);
        assert_eq!((descriptor.equipment, descriptor.index), (0x0302, 0x0f0e_0d0c_0b0a_0908));
        assert_eq!((descriptor.size, descriptor.version), (0x1716_1514, 7));
        assert_eq!(descriptor.to_bytes(), bytes);
    }
}
