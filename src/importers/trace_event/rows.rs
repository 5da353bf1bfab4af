use super::ids::{Id, text};
use crate::importers::dotnet::is_thread_time;
use crate::importers::tracks::{FileFrame, FrameTable, is_thread};
use crate::input::json::{JsonError, JsonReader, RawTexts};
use crate::model::FrameId;
use foldhash::fast::RandomState;
use indexmap::IndexSet;
use std::collections::HashMap;
use std::io::Read;

#[derive(Clone, Copy, Debug, Default)]
struct StackFrame {
    name: Option<u32>,
    category: Option<u32>,
    parent: Option<u32>,
}

#[derive(Default)]
struct EventFrame {
    name: Option<u32>,
    stack_frame: Option<u32>,
    file: Option<u32>,
    line: u32,
}

#[derive(Default)]
pub(super) struct EventNames {
    pub texts: RawTexts,
    rows: Vec<EventFrame>,
    /// The first row with each name, by text id.
    by_name: Vec<Option<FrameId>>,
    others: HashMap<(Option<u32>, Option<u32>), FrameId, RandomState>,
    ids: IndexSet<Id, RandomState>,
    stack_frames: Vec<Option<StackFrame>>,
    pub has_threads: bool,
}

impl EventNames {
    /// Of a stack frame, which the file may describe later.
    pub(super) fn stack_frame(&mut self, id: Id) -> u32 {
        self.ids.insert_full(id).0 as u32
    }

    #[inline]
    pub(super) fn frame(&mut self, name: Option<u32>, stack_frame: Option<u32>) -> FrameId {
        if let Some(Some(first)) = name.and_then(|name| self.by_name.get(name as usize))
            && self.rows[first.index()].stack_frame == stack_frame
        {
            return *first;
        }
        self.other_frame(name, stack_frame)
    }

    fn other_frame(&mut self, name: Option<u32>, stack_frame: Option<u32>) -> FrameId {
        if let Some(&known) = self.others.get(&(name, stack_frame)) {
            return known;
        }
        let frame = FrameId::at(self.rows.len());
        self.rows.push(EventFrame {
            name,
            stack_frame,
            ..EventFrame::default()
        });
        self.has_threads = self.has_threads || is_thread(self.text(name));
        if let Some(name) = name {
            let places = self.by_name.len().max(name as usize + 1);
            self.by_name.resize(places, None);
            if self.by_name[name as usize].is_none() {
                self.by_name[name as usize] = Some(frame);
                return frame;
            }
        }
        self.others.insert((name, stack_frame), frame);
        frame
    }

    pub(super) fn set_location(&mut self, frame: FrameId, file: u32, line: u32) {
        let row = &mut self.rows[frame.index()];
        if row.file.is_none() {
            (row.file, row.line) = (Some(file), line);
        }
    }

    #[inline]
    pub(super) fn name(&self, frame: FrameId) -> Option<u32> {
        self.rows[frame.index()].name
    }

    pub(super) fn read_stack_frames<R: Read>(
        &mut self,
        reader: &mut JsonReader<R>,
    ) -> Result<(), JsonError> {
        reader.enter_object()?;
        while let Some(key) = reader.next_key()? {
            let id = Id::of_text(key, &mut self.texts);
            let number = self.stack_frame(id) as usize;
            let mut row = StackFrame::default();
            reader.enter_object()?;
            while let Some(key) = reader.next_key_bytes()? {
                match key {
                    b"name" => row.name = text(reader, &mut self.texts)?.or(row.name),
                    b"category" => row.category = text(reader, &mut self.texts)?.or(row.category),
                    b"parent" => {
                        let id = Id::read(reader, &mut self.texts)?;
                        row.parent = id.map(|id| self.stack_frame(id));
                    }
                    _ => reader.skip()?,
                }
            }
            let rows = self.stack_frames.len().max(number + 1);
            self.stack_frames.resize(rows, None);
            self.stack_frames[number] = Some(row);
        }
        Ok(())
    }

    pub(super) fn parent(&self, stack_frame: u32) -> Option<u32> {
        let parent = self.frame_at(stack_frame)?.parent;
        parent.filter(|&parent| self.frame_at(parent).is_some())
    }

    fn frame_at(&self, stack_frame: u32) -> Option<&StackFrame> {
        self.stack_frames.get(stack_frame as usize)?.as_ref()
    }

    /// If TraceEvent wrote the file, categories are modules.
    pub(super) fn frame_table(&self) -> FrameTable {
        let mut table = FrameTable::default();
        let mut rows = self.rows.iter();
        let has_modules = rows.any(|row| is_thread_time(self.text(row.name)));
        for row in &self.rows {
            let name = self.text(row.name);
            let stack_frame = row.stack_frame.filter(|_| has_modules);
            let stack_frame = stack_frame.and_then(|number| self.frame_at(number));
            let module = stack_frame.filter(|frame| self.text(frame.name) == name);
            table.push(FileFrame {
                name,
                module: module.map_or("", |frame| self.text(frame.category)),
                file: self.text(row.file),
                line: row.line,
                is_special: false,
            });
        }
        table
    }

    pub(super) fn stack_frame_table(&self) -> FrameTable {
        let mut table = FrameTable::default();
        for frame in &self.stack_frames {
            table.push(FileFrame {
                name: self.text(frame.and_then(|frame| frame.name)),
                ..FileFrame::default()
            });
        }
        table
    }

    pub(super) fn text(&self, text: Option<u32>) -> &str {
        text.map_or("", |text| self.texts.text(text))
    }
}
