//! The form of Chrome before 2016: `head` is the outermost node, and `children` are nodes in it.

use super::profile::{CallFrame, CpuProfile, FileNode, read_id};
use crate::importers::tracks::Quantity;
use crate::input::json::{JsonError, JsonReader};
use std::io::Read;

/// A node whose object was entered and not yet left.
#[derive(Default)]
struct Open {
    node: FileNode,
    frame: CallFrame,
    /// Where its callees begin among those that wait for their caller.
    first_callee: usize,
}

/// Nodes on the way down, instead of recursion.
#[derive(Default)]
struct Head {
    open: Vec<Open>,
    /// The rows of nodes whose caller was not left yet: a node has its row once all its members are known.
    waiting: Vec<usize>,
}

/// Reads the value of the member `head`. What was read of a file that breaks off in it is kept.
///
/// # Errors
/// Those of the reader, and cancelled.
pub(super) fn read<R: Read>(
    reader: &mut JsonReader<R>,
    profile: &mut CpuProfile,
) -> Result<(), JsonError> {
    let mut head = Head::default();
    let read = head.read(reader, profile);
    head.close_all(profile);
    read
}

impl Head {
    /// Reads the value of the member `head`. After an error the nodes that were entered are still open.
    fn read<R: Read>(
        &mut self,
        reader: &mut JsonReader<R>,
        profile: &mut CpuProfile,
    ) -> Result<(), JsonError> {
        self.enter(reader)?;
        while let Some(open) = self.open.last_mut() {
            let Some(key) = reader.next_key()? else {
                self.close(profile);
                profile.report(reader)?;
                if !self.open.is_empty() && reader.next_element()? {
                    self.enter(reader)?;
                }
                continue;
            };
            match key {
                "id" => open.node.id = read_id(reader)?.unwrap_or(u64::MAX),
                "hitCount" => {
                    open.node.hits = Quantity::read(reader)?
                        .scaled(1)
                        .map_or(0, |hits| hits.value)
                }
                "functionName" => open.frame.name = reader.text()?,
                "url" => open.frame.url = reader.text()?,
                // from 1 on, with 0 where there is none; `as` takes the nearest bound
                "lineNumber" => {
                    open.frame.line = Quantity::read(reader)?
                        .to_f64()
                        .map_or(0, |line| line as u32)
                }
                "children" => {
                    reader.enter_array()?;
                    if reader.next_element()? {
                        self.enter(reader)?;
                    }
                }
                _ => reader.skip()?,
            }
        }
        Ok(())
    }

    /// Closes all nodes that are still open because the file broke off.
    fn close_all(&mut self, profile: &mut CpuProfile) {
        while !self.open.is_empty() {
            self.close(profile);
        }
    }

    fn enter<R: Read>(&mut self, reader: &mut JsonReader<R>) -> Result<(), JsonError> {
        reader.enter_object()?;
        self.open.push(Open {
            first_callee: self.waiting.len(),
            ..Open::default()
        });
        Ok(())
    }

    fn close(&mut self, profile: &mut CpuProfile) {
        let Some(Open {
            node,
            frame,
            first_callee,
        }) = self.open.pop()
        else {
            return;
        };
        let row = profile.nodes.len();
        for callee in self.waiting.drain(first_callee..) {
            profile.nodes[callee].caller = Some(row);
        }
        self.waiting.push(row);
        profile.push(node, &frame);
    }
}
