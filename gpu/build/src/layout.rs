//! Types in both languages, and the layout of structs.

use super::evaluate::KnownConstants;
use super::parse::{Declarations, Field, Struct};

/// Types of both languages: name in Rust, size in bytes, and alignment.
const SCALARS: [(&str, &str, u64, u64); 10] = [
    ("u8", "u8", 1, 1),
    ("u16", "u16", 2, 2),
    ("u32", "u32", 4, 4),
    ("u64", "u64", 8, 8),
    ("i32", "i32", 4, 4),
    ("float", "f32", 4, 4),
    ("double", "f64", 8, 8),
    ("uint2", "Vector<8>", 8, 8),
    ("uint4", "Vector<16>", 16, 16),
    ("ulonglong2", "Vector<16>", 16, 16),
];

/// A type with the layout of pointers.
const POINTER: &str = "u64";

/// Rust's name of a C++ type.
pub fn in_rust(kind: &str) -> &str {
    let scalar = SCALARS.iter().find(|(name, ..)| *name == kind);
    scalar.map_or(kind, |(_, name, ..)| name)
}

impl KnownConstants {
    /// Adds the values of another file.
    pub fn extend(&mut self, other: &KnownConstants) {
        self.values.extend(other.values.clone());
        self.sizes.extend(other.sizes.clone());
        self.alignments.extend(other.alignments.clone());
        self.fields.extend(other.fields.clone());
    }

    /// Adds declarations, except those that can't be evaluated.
    pub fn learn(&mut self, declared: &Declarations) {
        for (name, _, size, alignment) in SCALARS {
            self.sizes.insert(name.to_owned(), size);
            self.alignments.insert(name.to_owned(), alignment);
        }
        // Lengths in structs may be constants, and constants may be sizes of structs: the second
        // round resolves what the first could not.
        for _ in 0..2 {
            for constant in &declared.constants {
                if let Some(value) = self.value(&constant.value) {
                    self.values.insert(constant.name.clone(), value);
                }
            }
            for declared in &declared.structs {
                if let Some(layout) = self.layout(declared) {
                    self.sizes.insert(declared.name.clone(), layout.size);
                    self.alignments.insert(declared.name.clone(), layout.alignment);
                    self.fields.insert(declared.name.clone(), declared.fields.clone());
                }
            }
        }
    }

    /// The fields of a struct that has pointers, itself or in a field: launchers fill such a struct
    /// with pointers to buffers.
    pub fn fields_with_pointers(&self, kind: &str) -> Option<&[Field]> {
        let fields = self.fields.get(kind)?;
        let has_some =
            |field: &Field| field.is_pointer || self.fields_with_pointers(&field.kind).is_some();
        fields.iter().any(has_some).then_some(fields)
    }

    /// Layout of a struct; `None` if a field has an unknown type.
    pub fn layout(&self, declared: &Struct) -> Option<Layout> {
        let asked = declared.alignment.as_ref().and_then(|tokens| self.value(tokens)).unwrap_or(1);
        let mut layout = Layout { fields: Vec::new(), size: 0, padding: 0, alignment: asked };
        for field in &declared.fields {
            let lengths = field.lengths.iter().map(|length| self.value(length));
            let lengths = lengths.collect::<Option<Vec<_>>>()?;
            let kind = if field.is_pointer { POINTER } else { &field.kind };
            let alignment = *self.alignments.get(kind)?;
            let bytes = self.sizes.get(kind)? * lengths.iter().product::<u64>();
            layout.alignment = layout.alignment.max(alignment);
            let offset = layout.size.next_multiple_of(alignment);
            layout.size = offset + bytes;
            layout.fields.push(FieldLayout { offset, lengths });
        }
        let size = layout.size.next_multiple_of(layout.alignment);
        layout.padding = size - layout.size;
        layout.size = size;
        Some(layout)
    }
}

/// Layout of a struct in memory.
pub struct Layout {
    pub fields: Vec<FieldLayout>,
    /// Size in bytes, including padding.
    pub size: u64,
    /// Padding after the last field in bytes.
    pub padding: u64,
    /// Alignment in bytes.
    pub alignment: u64,
}

/// Location of a field in its struct.
pub struct FieldLayout {
    /// Offset in bytes.
    pub offset: u64,
    /// Lengths, outermost first, of a field that is an array.
    pub lengths: Vec<u64>,
}
