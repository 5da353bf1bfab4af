//! A report read by two threads, each a half of it: call stacks are whole in each row, so each half grows a tree of its own, and
//! the second is merged into the first. What comes out is what one thread would have made, down to the order of nodes and frames.

use super::super::elements::{Elements, Ending, read_elements};
use super::{Growing, Value, too_many};
use crate::input::second_half::SecondHalf;
use crate::input::{ImportError, Input};
use crate::model::{FrameId, TooLarge, TreeBuilder};
use std::io::Read;
use std::thread;

/// Stands in front of the second half, so that it is a document.
const ROOT: &[u8] = b"<Report>";

/// Reads the first half of `input` into `growing` while another thread reads the second, and adds that.
///
/// Whether the second half begins between two functions turns out when the first has been read. If it does not, and if the second
/// can't be read by itself for any other reason, it is read after the first.
///
/// # Errors
/// Those of [`read_elements`].
pub(super) fn read(input: Input, half: SecondHalf, growing: &mut Growing) -> Result<Ending, ImportError> {
    let (offset, stop) = (half.offset, half.stop());
    let (file, progress) = (growing.file.clone(), growing.progress.apart());
    let second = move || -> Result<(Growing, Ending), ImportError> {
        let mut growing = Growing::new(file.clone(), progress.clone());
        let input = Input::stream(&file, Box::new(ROOT.chain(half)), progress)?;
        let ending = read_elements(input, &mut growing)?;
        Ok((growing, ending))
    };
    thread::scope(|scope| {
        // without a thread the first goes on
        let second = thread::Builder::new().name("second half".into()).spawn_scoped(scope, second).ok();
        let stop = stop;
        let mut elements = Elements::new(input);
        if !elements.read(growing, second.is_some().then_some(offset))? {
            return Ok(elements.ending);
        }
        let rest = second.map(|second| second.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        drop(stop);
        match rest {
            Some(Ok((rest, ending)))
                if growing.goes_with(&rest) && elements.ending.numbers.goes_with(&ending.numbers) =>
            {
                growing.append(rest)?;
                elements.ending.append(ending, offset, ROOT.len() as u64);
            }
            Some(Err(ImportError::Cancelled)) => return Err(ImportError::Cancelled),
            _ => {
                elements.read(growing, None)?;
            }
        }
        Ok(elements.ending)
    })
}

impl Growing {
    /// Whether the rest of the file can be added: without a limit being met, and without counting again what was counted before.
    fn goes_with(&self, rest: &Growing) -> bool {
        rest.names.unknown_entities == 0
            && self.builder.len() + rest.builder.len() <= self.stacks.limit_with(&rest.stacks)
    }

    /// Adds what was read of the rest of the file.
    fn append(&mut self, rest: Growing) -> Result<(), ImportError> {
        let frames = rest.names.frames;
        let frames: Vec<FrameId> = frames
            .iter()
            .map(|(id, frame)| self.names.frames.intern(frame.kind, frames.name(id), frames.signature(id)))
            .collect();
        let mut places = Vec::with_capacity(rest.builder.len());
        places.push(TreeBuilder::ROOT);
        for (_, caller, frame) in rest.builder.nodes() {
            let node = self.builder.merge(places[caller.0 as usize], frames[frame.index()]);
            places.push(node.map_err(|TooLarge| too_many(&self.file, self.builder.len()))?);
        }
        self.values.resize(self.builder.len(), Value::default());
        for (value, place) in rest.values.into_iter().zip(places) {
            self.values[place.0 as usize].add(value);
        }
        self.functions.append(rest.functions);
        self.instances += rest.instances;
        self.placeless += rest.placeless;
        self.strange += rest.strange;
        self.progress.at(self.builder.len())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{SecondHalf, read_as_halves};
    use crate::input::{Input, Progress};
    use std::io::Write;

    /// Reads a report as one, and as halves that are parted at each of its bytes: what comes out is the same.
    #[track_caller]
    fn check(report: &str) {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(report.as_bytes()).unwrap();
        let read = |offset: Option<usize>| {
            let input = Input::open(file.path(), Progress::default()).unwrap();
            let half = offset.map(|offset| SecondHalf::at(&input, offset as u64));
            read_as_halves(input, half)
                .map(|recording| borsh::to_vec(&recording).unwrap())
                .map_err(|error| error.to_string())
        };
        let expect = read(None);
        for offset in 0..=report.len() {
            assert!(read(Some(offset)) == expect, "parted at {offset}: {}", &report[offset..]);
        }
    }

    const REPORT: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<!-- <Function --><Report>
  <Function Id="0x1" FQN="A" TotalTime="30" OwnTime="10" Calls="2" Instances="2">
    <Instance CallStack="Thread #1/A" TotalTime="20" OwnTime="4" Calls="1" />
    <Instance CallStack="Thread #2/A" TotalTime="10" OwnTime="6.5" Calls="1" />
  </Function>
  <Function Id="0x2" FQN="B" TotalTime="-1" OwnTime="x" Calls="3" Instances="3">
    <Instance CallStack="Thread #1/A/B" TotalTime="16" OwnTime="16" Calls="3" />
    <Instance CallStack="Thread #3/C(x/y)/B" TotalTime="1" OwnTime="1" Calls="3" />
    <Instance CallStack="" TotalTime="1" OwnTime="1" Calls="3" />
  </Function>
  <Function Id="0x3" FQN="D" TotalTime="3" OwnTime="3" Calls="2" Instances="0" />
  <Function Id="0x4" FQN="A" TotalTime="1" OwnTime="1" Calls="2" Instances="1">
    <Instance CallStack="Thread #1/A" TotalTime="1" OwnTime="1" Calls="1" />
  </Function>
</Report>
"#;

    #[test]
    fn halves_are_what_the_whole_is() {
        check(REPORT);
        // counts of two kinds, and references that nobody knows, in either half
        for (part, other) in [("Calls=\"3\" />", "Samples=\"3\" />"), ("/B\"", "/&who;\""), ("#2/A", "#2/&who;")] {
            check(&REPORT.replace(part, other));
        }
        check(&REPORT.replace("TotalTime=\"3\"", "TotalTimeDiff=\"3\""));
    }

    #[test]
    fn halves_break_off_where_the_whole_does() {
        for end in [REPORT.find("D\"").unwrap(), REPORT.find("<Function Id=\"0x4").unwrap(), REPORT.len() - 3] {
            check(&REPORT[..end]);
        }
        check(&REPORT.replace("</Report>", "</Function></Report>"));
        check(&REPORT.replace("<Function Id=\"0x2\"", "<Function < Id=\"0x2\""));
    }
}
