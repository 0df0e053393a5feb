//! Claims of a file that the crate `parquet` believes: sizes of pages and of groups in the schema.
//! They are written in Thrift's compact protocol.

use super::Problem;

/// Types of Thrift.
const BYTE: u8 = 3;
const INTEGERS: [u8; 3] = [4, 5, 6];
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const STRUCT: u8 = 12;
/// Values within values, and groups within groups of a schema. Tables have one or two.
const MAX_DEPTH: usize = 64;
/// Length and magic after the footer.
const END_BYTES: usize = 8;
/// Fields of a page header.
const DECOMPRESSED: i64 = 2;
const COMPRESSED: i64 = 3;
/// Field of the schema in the footer.
const SCHEMA: i64 = 2;
/// Field of the number of children in an element of the schema.
const CHILDREN: i64 = 5;

pub(super) struct PageSizes {
    pub(super) decompressed: u64,
    pub(super) compressed: u64,
}

impl PageSizes {
    /// Reads the sizes from a page header.
    pub(super) fn read(header: &[u8]) -> Option<Self> {
        let mut from = Compact { rest: header };
        let mut decompressed = None;
        let mut compressed = None;
        let mut id = 0;
        while let Some(field) = from.next_field(id)? {
            id = field.id;
            match id {
                DECOMPRESSED => decompressed = decompressed.max(Some(from.integer()?)),
                COMPRESSED => compressed = compressed.max(Some(from.integer()?)),
                _ => from.skip(field.kind, MAX_DEPTH)?,
            }
        }
        let decompressed = decompressed?.try_into().ok()?;
        let compressed = compressed?.try_into().ok()?;
        Some(PageSizes { decompressed, compressed })
    }
}

/// Refuses a schema whose groups claim more children than there are, or are nested too deeply.
pub(super) fn check_schema(file: &[u8]) -> Result<(), Problem> {
    let is_sound = footer(file).and_then(check_fields).is_some();
    let problem = || Problem::File("damaged Parquet data: no sound footer".to_owned());
    if is_sound { Ok(()) } else { Err(problem()) }
}

fn footer(file: &[u8]) -> Option<&[u8]> {
    let (rest, end) = file.split_at_checked(file.len().checked_sub(END_BYTES)?)?;
    let length = u32::from_le_bytes(*end.first_chunk()?) as usize;
    rest.get(rest.len().checked_sub(length)?..)
}

fn check_fields(footer: &[u8]) -> Option<()> {
    let mut from = Compact { rest: footer };
    let mut id = 0;
    while let Some(field) = from.next_field(id)? {
        id = field.id;
        match (id, field.kind) {
            (SCHEMA, LIST) => from.check_groups()?,
            (_, kind) => from.skip(kind, MAX_DEPTH)?,
        }
    }
    Some(())
}

struct Field {
    id: i64,
    kind: u8,
}

/// Values in the compact protocol.
struct Compact<'a> {
    rest: &'a [u8],
}

impl Compact<'_> {
    /// The next field of a struct, given the one before: `Some(None)` at its end.
    fn next_field(&mut self, before: i64) -> Option<Option<Field>> {
        let header = self.byte()?;
        if header == 0 {
            return Some(None);
        }
        let step = i64::from(header >> 4);
        let id = if step == 0 { self.integer()? } else { before.checked_add(step)? };
        Some(Some(Field { id, kind: header & 0xf }))
    }

    /// Type and number of the elements of a list.
    fn list(&mut self) -> Option<(u8, u64)> {
        let header = self.byte()?;
        let count = if header >> 4 == 0xf { self.varint()? } else { u64::from(header >> 4) };
        Some((header & 0xf, count))
    }

    /// Checks the elements of a schema.
    fn check_groups(&mut self) -> Option<()> {
        let (_, elements) = self.list()?;
        // Missing children of the groups around an element.
        let mut missing: Vec<u64> = Vec::new();
        for element in 0..elements {
            if let Some(of_parent) = missing.last_mut() {
                *of_parent -= 1;
            }
            let children = self.children()?;
            if children > elements - element - 1 || missing.len() == MAX_DEPTH {
                return None;
            }
            missing.push(children);
            while missing.last() == Some(&0) {
                missing.pop();
            }
        }
        Some(())
    }

    /// Number of children of an element of the schema.
    fn children(&mut self) -> Option<u64> {
        let mut children = 0;
        let mut id = 0;
        while let Some(field) = self.next_field(id)? {
            id = field.id;
            if id == CHILDREN && INTEGERS.contains(&field.kind) {
                children = self.integer()?.try_into().ok()?;
            } else {
                self.skip(field.kind, MAX_DEPTH)?;
            }
        }
        Some(children)
    }

    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match kind {
            // Fields that are true or false have no bytes.
            1 | 2 => Some(()),
            BYTE => self.bytes(1),
            DOUBLE => self.bytes(8),
            BINARY => {
                let length = self.varint()?;
                self.bytes(usize::try_from(length).ok()?)
            }
            LIST | SET => {
                let (kind, count) = self.list()?;
                // In lists they have one byte.
                let kind = if kind <= 2 { BYTE } else { kind };
                (0..count).try_for_each(|_| self.skip(kind, depth))
            }
            STRUCT => {
                let mut id = 0;
                while let Some(field) = self.next_field(id)? {
                    id = field.id;
                    self.skip(field.kind, depth)?;
                }
                Some(())
            }
            kind if INTEGERS.contains(&kind) => self.varint().map(drop),
            _ => None,
        }
    }

    fn bytes(&mut self, count: usize) -> Option<()> {
        self.rest = self.rest.get(count..)?;
        Some(())
    }

    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    fn integer(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that ends with a footer: a version, and a schema of groups with these children.
    fn file(children: &[u8]) -> Vec<u8> {
        let mut footer = vec![0x15, 2, 0x19, 0xfc, children.len() as u8];
        for &count in children {
            // Field 4, a name of one byte, then field 5.
            footer.extend([0x48, 1, b'a', 0x15, 2 * count, 0]);
        }
        footer.push(0);
        let length = footer.len() as u32;
        [&b"PAR1"[..], &footer, &length.to_le_bytes(), b"PAR1"].concat()
    }

    #[test]
    fn groups_have_the_children_that_they_claim() {
        let is_sound = |children: &[u8]| check_schema(&file(children)).is_ok();
        assert!(is_sound(&[5, 0, 0, 0, 0, 0]));
        assert!(is_sound(&[2, 1, 0, 0]));
        assert!(!is_sound(&[5, 0, 0, 0, 0]));
        assert!(!is_sound(&[1, 60, 0]));
        assert!(is_sound(&[[1; 60].as_slice(), &[0]].concat()));
        assert!(!is_sound(&[[1; 100].as_slice(), &[0]].concat()), "nested deeply");
        let sound = file(&[1, 0]);
        assert!((0..sound.len()).all(|end| check_schema(&sound[..end]).is_err()));
    }

    #[test]
    fn sizes_of_pages_are_read() {
        let sizes = PageSizes::read(&[0x15, 0, 0x15, 0x80, 1, 0x15, 6, 0x2c, 0x15, 2, 0, 0])
            .expect("a header");
        assert_eq!((sizes.decompressed, sizes.compressed), (64, 3));
        for header in [&[0x15, 0, 0x15, 1, 0x15, 6, 0][..], &[0x15, 0, 0x15, 2, 0], &[0x15, 0], &[]]
        {
            assert!(PageSizes::read(header).is_none(), "{header:?}");
        }
    }
}
