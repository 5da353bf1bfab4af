//! Type names and method signatures in the IL spelling of .NET's event traces: `(class System.String,int32) : bool`.

use super::bytes::compressed;
use super::metadata::{Metadata, TypeRow};
use crate::text::start_of;

/// Longer texts are cut: nesting in a damaged file could make a very long one.
const TEXT_BYTES: usize = 1000;
/// Of types, in a signature or by enclosing types.
const DEPTH: usize = 32;
/// Type specifications that refer to each other could make a signature endless.
const TYPES: usize = 2000;
const PARAMETERS: [&str; 2] = ["(", ")"];

#[derive(Debug)]
pub(super) struct SignatureText {
    text: String,
    is_full: bool,
}

impl SignatureText {
    pub(super) fn new() -> SignatureText {
        SignatureText {
            text: String::with_capacity(160),
            is_full: false,
        }
    }

    pub(super) fn push(&mut self, more: &str) {
        if self.is_full {
            return;
        }
        let room = TEXT_BYTES - self.text.len();
        if more.len() <= room {
            self.text.push_str(more);
        } else {
            self.text.push_str(start_of(more, room));
            self.text.push('…');
            self.is_full = true;
        }
    }

    pub(super) fn into_string(self) -> String {
        self.text
    }
}

/// Appends `Namespace.Type+Nested`; `None` if there is no such row.
pub(super) fn push_type(metadata: &Metadata, row: TypeRow, text: &mut SignatureText) -> Option<()> {
    // from the type outwards; damaged metadata can nest types in a cycle
    let mut chain = [row; DEPTH];
    let mut depth = 1;
    while let Some(outer) = metadata
        .enclosing(chain[depth - 1])
        .filter(|_| depth < DEPTH)
    {
        chain[depth] = outer;
        depth += 1;
    }
    for (place, &row) in chain[..depth].iter().rev().enumerate() {
        if text.is_full {
            break;
        }
        let (namespace, name) = metadata.type_name(row)?;
        if place > 0 {
            text.push("+");
        }
        if !namespace.is_empty() {
            text.push(&namespace);
            text.push(".");
        }
        text.push(&name);
    }
    Some(())
}

/// Parameters, ` : ` and the return type of a signature blob (II.23.2.1). `None` if it is none.
pub(super) fn method_signature(metadata: &Metadata, blob: &[u8]) -> Option<String> {
    let mut decoder = SignatureDecoder {
        metadata,
        blob,
        at: 0,
        text: SignatureText::new(),
        types_read: 0,
    };
    let is_whole = decoder.method().is_some() && decoder.at == blob.len();
    (is_whole || decoder.text.is_full).then(|| decoder.text.into_string())
}

struct SignatureDecoder<'a, 'm> {
    metadata: &'m Metadata<'a>,
    blob: &'a [u8],
    at: usize,
    text: SignatureText,
    types_read: usize,
}

impl SignatureDecoder<'_, '_> {
    fn method(&mut self) -> Option<()> {
        let parameters = self.head()?;
        let is_read = self.any_type(0).is_some();
        let returned = self.new_text();
        if is_read {
            self.types(parameters, PARAMETERS, 0)?;
        } else if returned.is_full {
            // the start of the parameters is unknown
            self.text.push("(…)");
        } else {
            return None;
        }
        self.text.push(" : ");
        self.text.push(&returned.text);
        Some(())
    }

    fn new_text(&mut self) -> SignatureText {
        std::mem::replace(&mut self.text, SignatureText::new())
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = *self.blob.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn number(&mut self) -> Option<u32> {
        let (value, length) = compressed(self.blob, self.at)?;
        self.at += length;
        Some(value)
    }

    fn head(&mut self) -> Option<u32> {
        let convention = self.byte()?;
        // 0 to 5: managed, unmanaged, variable arguments; 9: unmanaged by modifier
        if !matches!(convention & 0x0F, 0..=5 | 9) {
            return None;
        }
        if convention & 0x10 != 0 {
            self.number()?; // how many type parameters the method has
        }
        self.number()
    }

    fn types(&mut self, count: u32, [open, close]: [&str; 2], depth: usize) -> Option<()> {
        self.text.push(open);
        for place in 0..count {
            if place > 0 {
                self.text.push(",");
            }
            if self.blob.get(self.at) == Some(&0x41) {
                self.at += 1;
                self.text.push("...,");
            }
            self.any_type(depth)?;
        }
        self.text.push(close);
        Some(())
    }

    /// A type (II.23.2.12), `void`, by-ref or modified. `None` for anything else, and if the text is full.
    fn any_type(&mut self, depth: usize) -> Option<()> {
        self.types_read += 1;
        if self.text.is_full || depth > DEPTH || self.types_read > TYPES {
            return None;
        }
        let element = self.byte()?;
        if let Some(name) = simple(element) {
            self.text.push(name);
            return Some(());
        }
        match element {
            0x0F => self.followed_by("*", depth),
            0x10 => self.followed_by("&", depth),
            0x11 => self.named("value class ", depth),
            0x12 => self.named("class ", depth),
            0x13 => self.variable("!"),
            0x14 => self.array(depth),
            0x15 => self.generic(depth),
            0x1B => self.function_pointer(depth),
            0x1D => self.followed_by("[]", depth),
            0x1E => self.variable("!!"),
            0x1F => self.modified(" modreq(", depth),
            0x20 => self.modified(" modopt(", depth),
            _ => None,
        }
    }

    fn followed_by(&mut self, suffix: &str, depth: usize) -> Option<()> {
        self.any_type(depth + 1)?;
        self.text.push(suffix);
        Some(())
    }

    fn variable(&mut self, prefix: &str) -> Option<()> {
        let index = self.number()?;
        self.text.push(prefix);
        self.text.push(&index.to_string());
        Some(())
    }

    /// Encoded as in II.23.2.8.
    fn named(&mut self, prefix: &str, depth: usize) -> Option<()> {
        let token = self.number()?;
        let row = match token & 3 {
            0 => TypeRow::Def(token >> 2),
            1 => TypeRow::Ref(token >> 2),
            2 => return self.specified(token >> 2, depth),
            _ => return None,
        };
        self.text.push(prefix);
        push_type(self.metadata, row, &mut self.text)
    }

    fn specified(&mut self, row: u32, depth: usize) -> Option<()> {
        let blob = self.metadata.type_spec(row)?;
        let outer = (
            std::mem::replace(&mut self.blob, blob),
            std::mem::replace(&mut self.at, 0),
        );
        self.any_type(depth + 1)?;
        (self.blob, self.at) = outer;
        Some(())
    }

    fn modified(&mut self, keyword: &str, depth: usize) -> Option<()> {
        // the modifier comes first in the blob, but last in the text
        let outer = self.new_text();
        let is_read = self.named("", depth);
        let modifier = std::mem::replace(&mut self.text, outer);
        is_read?;
        self.any_type(depth + 1)?;
        self.text.push(keyword);
        self.text.push(&modifier.text);
        self.text.push(")");
        Some(())
    }

    fn generic(&mut self, depth: usize) -> Option<()> {
        self.any_type(depth + 1)?;
        let arguments = self.number()?;
        self.types(arguments, ["<", ">"], depth + 1)
    }

    /// An array with a shape (II.23.2.13), without sizes and lower bounds, which no C# compiler writes.
    fn array(&mut self, depth: usize) -> Option<()> {
        self.any_type(depth + 1)?;
        let rank = self.number()?;
        // .NET allows 32 dimensions
        if rank == 0 || rank > 32 {
            return None;
        }
        for _ in 0..2 {
            for _ in 0..self.number()? {
                self.number()?;
            }
        }
        self.text.push("[");
        self.text.push(&",".repeat(rank as usize - 1));
        self.text.push("]");
        Some(())
    }

    fn function_pointer(&mut self, depth: usize) -> Option<()> {
        let parameters = self.head()?;
        self.text.push("fnptr ");
        self.any_type(depth + 1)?;
        self.types(parameters, PARAMETERS, depth + 1)
    }
}

/// Encoded as one byte (II.23.1.16).
fn simple(element: u8) -> Option<&'static str> {
    Some(match element {
        0x01 => "void",
        0x02 => "bool",
        0x03 => "wchar",
        0x04 => "int8",
        0x05 => "unsigned int8",
        0x06 => "int16",
        0x07 => "unsigned int16",
        0x08 => "int32",
        0x09 => "unsigned int32",
        0x0A => "int64",
        0x0B => "unsigned int64",
        0x0C => "float32",
        0x0D => "float64",
        0x0E => "class System.String",
        0x16 => "refany",
        0x18 => "int",
        0x19 => "unsigned int",
        0x1C => "class System.Object",
        _ => return None,
    })
}
