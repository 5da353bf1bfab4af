//! Interns frames by the bytes of their names: a known name costs one lookup and no decoding.

use super::path::{arguments_start, decode};
use crate::model::{FrameId, Frames};
use crate::names::FrameKind;
use std::collections::HashMap;

type ByBytes = HashMap<Box<[u8]>, FrameId, foldhash::fast::RandomState>;

#[derive(Default)]
pub(super) struct ReportNames {
    pub frames: Frames,
    /// Frames below others, and outermost frames, which can be threads, by names as written.
    known: [ByBytes; 2],
    /// By frame, one of its names as written; empty if none finds it.
    written: Vec<Box<[u8]>>,
}

impl ReportNames {
    pub(super) fn forget(&mut self) {
        *self = ReportNames {
            frames: std::mem::take(&mut self.frames),
            ..ReportNames::default()
        };
    }

    #[inline]
    pub(super) fn get(&self, raw: &[u8], is_outermost: bool) -> Option<FrameId> {
        self.known[usize::from(is_outermost)].get(raw).copied()
    }

    #[inline]
    pub(super) fn written(&self, frame: FrameId) -> &[u8] {
        self.written.get(frame.index()).map_or(&[], |raw| raw)
    }

    #[inline(never)]
    pub(super) fn add(&mut self, raw: &[u8], is_outermost: bool) -> FrameId {
        let frame = self.frame(raw, is_outermost);
        self.written
            .resize(self.frames.len().max(self.written.len()), Box::default());
        self.written[frame.index()] = raw.into();
        self.known[usize::from(is_outermost)].insert(raw.into(), frame);
        frame
    }

    pub(super) fn frame(&mut self, raw: &[u8], is_outermost: bool) -> FrameId {
        let text = decode(raw);
        if text.is_empty() {
            self.frames.intern(FrameKind::Special, "[No name]", "")
        } else if is_outermost && is_thread(&text) {
            self.frames.intern(FrameKind::Thread, &text, "")
        } else if text.starts_with('[') && text.ends_with(']') {
            self.frames.intern(FrameKind::Special, &text, "")
        } else {
            let (name, signature) = text.split_at(arguments_start(&text).unwrap_or(text.len()));
            self.frames.intern(FrameKind::Method, name, signature)
        }
    }
}

/// Whether an outermost frame is a thread, going by its name: `Thread #12`, `Thread 3 (worker)`, `Main thread`. The
/// format does not say; these are the names that dotTrace and dotspot show. A method's full name has no spaces before
/// its arguments.
pub(super) fn is_thread(name: &str) -> bool {
    let bare = before_brackets(name).to_ascii_lowercase();
    bare == "thread"
        || bare.starts_with("thread ")
        || bare.starts_with("thread#")
        || bare.ends_with(" thread")
}

fn before_brackets(name: &str) -> &str {
    name.split('(').next().unwrap_or(name).trim_end()
}

/// Unknown parts are empty.
pub(super) fn thread_id_and_name(name: &str) -> (String, String) {
    let bare = before_brackets(name);
    let id: String = bare
        .chars()
        .skip_while(|c| !c.is_ascii_digit())
        .take_while(char::is_ascii_digit)
        .collect();
    let given = name[bare.len()..]
        .trim_start()
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'));
    let name = given.unwrap_or(if id.is_empty() { name } else { "" });
    (id, name.to_string())
}

#[cfg(test)]
mod tests;
