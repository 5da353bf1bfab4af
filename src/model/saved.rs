use super::tree::Shape;
use super::{Frames, Occurrences, Recording};
use borsh::{BorshDeserialize, BorshSerialize};
use std::io::{Read, Result, Write};
use std::sync::Arc;

impl Recording {
    /// Frames and tree shapes come first. What can be computed is left out.
    pub fn write(&self, out: &mut impl Write) -> Result<()> {
        let repaired = self.repaired.as_ref().map(|saved| &saved.tree.data.shape);
        (&*self.frames, &self.original.tree.data.shape, repaired).serialize(out)?;
        self.serialize(out)
    }

    /// Doesn't validate, as the cache has checksums.
    pub fn read(from: &mut impl Read) -> Result<Recording> {
        let frames = Frames::deserialize_reader(from)?;
        let (original, repaired): (Shape, Option<Shape>) =
            BorshDeserialize::deserialize_reader(from)?;
        let mut recording = Recording::deserialize_reader(from)?;
        let shapes = std::iter::once(original).chain(repaired);
        let trees = std::iter::once(&mut recording.original).chain(&mut recording.repaired);
        for (saved, mut shape) in trees.zip(shapes) {
            shape.find_ends();
            Arc::make_mut(&mut saved.tree.data).shape = shape;
            saved.occurrences = Arc::new(Occurrences::new(&saved.tree.shown(), frames.len()));
        }
        recording.frames = Arc::new(frames);
        Ok(recording)
    }
}
