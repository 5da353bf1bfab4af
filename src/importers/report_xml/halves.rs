//! Reads a report with two threads, one per half. Each row has a complete call stack, so each half grows its own
//! tree. The result equals that of a single thread, down to the order of nodes and frames.

use super::elements::{Elements, ReportEnding};
use super::growing::GrowingTree;
use crate::input::parallel_tail::ParallelTail;
use crate::input::{ImportError, Input};
use std::io::Read;
use std::thread;

/// Precedes the second half to make it a document.
const ROOT: &[u8] = b"<Report>";

/// If the second half turns out to begin within a function, or can't be read by itself, it is read after the first.
pub(super) fn read(
    input: Input,
    half: ParallelTail,
    growing: &mut GrowingTree,
) -> Result<ReportEnding, ImportError> {
    let (offset, stop) = (half.offset, half.stop());
    let (file, progress) = (growing.file.clone(), growing.progress.second());
    let second = move || -> Result<(GrowingTree, ReportEnding), ImportError> {
        let mut growing = GrowingTree::new(file.clone(), progress.clone());
        let input = Input::stream(&file, Box::new(ROOT.chain(half)), progress)?;
        let mut elements = Elements::new(input);
        elements.read(&mut growing, None)?;
        Ok((growing.into_rest(), elements.ending))
    };
    thread::scope(|scope| {
        // without a second thread, the first one continues
        let second = thread::Builder::new()
            .name("second half".into())
            .spawn_scoped(scope, second)
            .ok();
        let stop = stop;
        let mut elements = Elements::new(input);
        if !elements.read(growing, second.is_some().then_some(offset))? {
            return Ok(elements.ending);
        }
        let rest = second.map(|second| {
            second
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        match rest {
            Some(Ok((rest, ending)))
                if rest.names.unknown_entities == 0
                    && elements.ending.numbers.is_compatible(&ending.numbers) =>
            {
                growing.append(rest)?;
                growing.progress.end_second();
                elements.ending.append(ending, offset, ROOT.len() as u64);
            }
            Some(Err(ImportError::Cancelled)) => return Err(ImportError::Cancelled),
            _ => {
                drop(stop);
                growing.progress.end_second();
                elements.read(growing, None)?;
            }
        }
        Ok(elements.ending)
    })
}
