//! Resolves the function ids of a tree to named frames.

use super::bytes::{SectionReader, SectionResult, number};
use super::catalog::{INDIRECT, METADATA, MODULES};
use super::metadata::{Metadata, TypeRow};
use super::sections::Sections;
use super::signature::{SignatureText, method_signature, push_type};
use super::warnings::Warnings;
use crate::diagnostics::{Anomaly, Diagnostic};
use crate::model::{FrameId, Frames};
use crate::names::{FrameKind, NO_MANAGED_FRAMES, TypeParameters};
use crate::text::file_name;
use std::borrow::Cow;
use std::collections::HashMap;

type FunctionMap<K, V> = HashMap<K, V, foldhash::fast::RandomState>;

/// Lower ids are not methods.
const FIRST_METHOD: u32 = 0x10_0000;
/// Marks ids that are indices into section 0x0120.
const IS_INDIRECT: u32 = 0x8000_0000;
const METHOD_DEF: u32 = 0x06;
/// Module id and token.
const INDIRECT_ROW: usize = 8;

/// Its metadata is read when its first method is named.
#[derive(Default)]
struct Module<'a> {
    path: Cow<'a, str>,
    root: Option<&'a [u8]>,
    image: Option<Result<Image<'a>, &'static str>>,
}

struct Image<'a> {
    metadata: Metadata<'a>,
    assembly: String,
    signatures: FunctionMap<u32, String>,
}

struct FunctionName<'a> {
    name: String,
    signature: String,
    /// Of the types and of the method.
    type_parameters: [Vec<Cow<'a, str>>; 2],
}

#[derive(Default)]
pub(super) struct Functions<'a> {
    modules: FunctionMap<u32, Module<'a>>,
    /// Section 0x0120.
    indirect: &'a [u8],
    frames: FunctionMap<u32, FrameId>,
    unresolved: usize,
}

impl<'a> Functions<'a> {
    /// Locates metadata without reading it.
    pub(super) fn read(
        sections: &Sections<'a>,
        warnings: &mut Warnings,
    ) -> SectionResult<Functions<'a>> {
        let mut functions = Functions::default();
        match sections.get(MODULES) {
            Some(section) => section.read(|reader| functions.read_paths(reader))?,
            None => warnings.add(Diagnostic::NoModules {}),
        }
        if let Some(section) = sections.get(INDIRECT) {
            functions.indirect = section.read(|reader| {
                let count = reader.u32()? as usize;
                reader.take(count.saturating_mul(INDIRECT_ROW))
            })?;
        }
        match sections.get(METADATA) {
            Some(section) => section.read(|reader| functions.read_metadata(reader, warnings))?,
            None => warnings.add(Diagnostic::NoMetadata {}),
        }
        Ok(functions)
    }

    fn read_paths(&mut self, reader: &mut SectionReader<'a>) -> SectionResult<()> {
        // 1 in all known snapshots
        reader.u8()?;
        for _ in 0..reader.u32()? {
            let id = reader.compressed()?;
            // 1 and 0 in all known snapshots
            reader.take(2)?;
            self.modules.entry(id).or_default().path = reader.text()?;
        }
        Ok(())
    }

    fn read_metadata(
        &mut self,
        reader: &mut SectionReader<'a>,
        warnings: &mut Warnings,
    ) -> SectionResult<()> {
        for _ in 0..reader.u32()? {
            let id = reader.u32()?;
            let size_bytes = reader.u32()?;
            let root = reader.take(size_bytes as usize)?;
            let module = self.modules.entry(id).or_default();
            if module.root.replace(root).is_some() {
                warnings.add(Diagnostic::MetadataTwice { module: id });
            }
            // entries of the debug directory
            for _ in 0..reader.u32()? {
                // characteristics, timestamp, two versions and type
                reader.take(16)?;
                let size = reader.u32()?;
                reader.take(size as usize)?;
            }
        }
        Ok(())
    }

    pub(super) fn frame(&mut self, function: u32, frames: &mut Frames) -> FrameId {
        if let Some(&known) = self.frames.get(&function) {
            return known;
        }
        let frame = self.new_frame(function, frames);
        self.frames.insert(function, frame);
        frame
    }

    fn new_frame(&mut self, function: u32, frames: &mut Frames) -> FrameId {
        if function < FIRST_METHOD {
            return frames.intern(FrameKind::Special, &special(function), "");
        }
        let Some(resolved) = self.resolve(function) else {
            self.unresolved += 1;
            let name = format!("[Unresolved function {function:#010x}]");
            return frames.intern(FrameKind::Special, &name, "");
        };
        let (name, signature) = (resolved.name, resolved.signature);
        let [of_types, of_method] = resolved.type_parameters.map(|names| names.join(","));
        let type_parameters = TypeParameters {
            of_types: &of_types,
            of_method: &of_method,
        };
        let before = frames.len();
        let frame = frames.intern_with(FrameKind::Method, &name, &signature, type_parameters);
        if frames.len() > before {
            return frame;
        }
        // Another function has the same name and signature: the same module twice, or a hidden difference.
        let signature = format!("{signature} [function {function:#010x}]");
        frames.intern_with(FrameKind::Method, &name, &signature, type_parameters)
    }

    /// `None` if the snapshot does not contain the method.
    fn resolve(&mut self, function: u32) -> Option<FunctionName<'a>> {
        let (module, row) = if function & IS_INDIRECT != 0 {
            let at = ((function & !IS_INDIRECT) as usize).checked_mul(INDIRECT_ROW)?;
            let module = number(self.indirect, at, 4)? as u32;
            let token = number(self.indirect, at + 4, 4)? as u32;
            let row = (token >> 24 == METHOD_DEF).then_some(token & 0xFF_FFFF)?;
            (module, row)
        } else {
            (function >> 20, function & 0xF_FFFF)
        };
        let image = self.modules.get_mut(&module)?.image()?;
        let method = image.metadata.method(row)?;
        let owner = method.owner?;
        let mut text = SignatureText::new();
        if !image.assembly.is_empty() {
            text.push(&image.assembly);
            text.push("!");
        }
        if push_type(&image.metadata, TypeRow::Def(owner), &mut text).is_some() {
            text.push(".");
        }
        text.push(&method.name);
        let Image {
            metadata,
            signatures,
            ..
        } = image;
        let signature = signatures.entry(method.signature).or_insert_with(|| {
            metadata
                .blob(method.signature)
                .and_then(|blob| method_signature(metadata, blob))
                .unwrap_or_default()
        });
        let name = text.into_string();
        // only for types with an arity, and `!0` and `!!0` in a signature
        let is_of_types = name.contains('`') || signature.contains('!');
        let type_parameters = |owner: u32, is_shown: bool| match is_shown {
            true => metadata.type_parameters(owner),
            false => Vec::new(),
        };
        let type_parameters = [
            type_parameters(owner << 1, is_of_types),
            type_parameters(row << 1 | 1, signature.contains("!!")),
        ];
        Some(FunctionName {
            name,
            signature: signature.clone(),
            type_parameters,
        })
    }

    pub(super) fn warn(&self, warnings: &mut Warnings) {
        let broken = self
            .modules
            .iter()
            .filter_map(|(&id, module)| match module.image {
                Some(Err(reason)) => Some((id, file_stem(&module.path), reason)),
                _ => None,
            });
        let mut broken: Vec<(u32, &str, &str)> = broken.collect();
        broken.sort_unstable();
        for (module, name, reason) in broken {
            warnings.add(Diagnostic::MetadataUnreadable {
                module,
                name: name.to_string(),
                reason: reason.to_string(),
            });
        }
        warnings.extend(Anomaly::FunctionsUnresolved.times(self.unresolved as u64));
    }
}

impl<'a> Module<'a> {
    fn image(&mut self) -> Option<&mut Image<'a>> {
        let root = self.root?;
        let image = self.image.get_or_insert_with(|| {
            let metadata = Metadata::parse(root)?;
            let assembly = metadata
                .assembly_name()
                .unwrap_or(Cow::Borrowed(file_stem(&self.path)))
                .into_owned();
            Ok(Image {
                metadata,
                assembly,
                signatures: FunctionMap::default(),
            })
        });
        image.as_mut().ok()
    }
}

/// Without folders and extension.
fn file_stem(path: &str) -> &str {
    let name = file_name(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

fn special(function: u32) -> Cow<'static, str> {
    match function {
        0 => "[Native code]".into(),
        2 => "[Garbage collection]".into(),
        5 => NO_MANAGED_FRAMES.into(),
        6 => "[Runtime start]".into(),
        other => format!("[Special {other:#x}]").into(),
    }
}

#[cfg(test)]
mod tests;
