//! Reads a report with two threads, one per half. Each row has a complete call stack, so each half grows its own tree.
//! The result equals that of one thread, down to the order of nodes and frames.

use super::elements::{Elements, ReportEnding};
use super::growing::GrowingTree;
use crate::input::parallel_tail::ParallelTail;
use crate::input::{ImportError, Input};
use std::io::Read;

/// Makes the second half a document.
const ROOT: &[u8] = b"<Report>";

/// If the second half begins within a function, or can't be read by itself, it is read after the first.
pub(super) fn read(
    input: Input,
    half: ParallelTail,
    growing: &mut GrowingTree,
) -> Result<ReportEnding, ImportError> {
    let offset = half.offset;
    let (file, progress) = (growing.file.clone(), growing.progress.second());
    let second = |half| -> Result<(GrowingTree, ReportEnding), ImportError> {
        let mut growing = GrowingTree::new(file.clone(), progress.clone());
        let input = Input::stream(&file, Box::new(ROOT.chain(half)), progress)?;
        let mut elements = Elements::new(input);
        elements.read(&mut growing, None)?;
        Ok((growing.into_rest(), elements.ending))
    };
    half.run_alongside(second, |until, second| {
        let mut elements = Elements::new(input);
        if !elements.read(growing, until)? {
            return Ok(elements.ending);
        }
        match second() {
            Some(Ok((rest, ending))) if elements.ending.rows.is_compatible(&ending.rows) => {
                growing.append(rest)?;
                growing.progress.end_second();
                elements.ending.append(ending, offset, ROOT.len() as u64);
            }
            Some(Err(ImportError::Cancelled)) => return Err(ImportError::Cancelled),
            _ => {
                growing.progress.end_second();
                elements.read(growing, None)?;
            }
        }
        Ok(elements.ending)
    })
}
