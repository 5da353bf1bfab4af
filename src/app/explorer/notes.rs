//! The user's notes on methods.

use crate::app::{Action, Effect, Explorer, Field, NotePrompt, Overlay, messages};
use crate::model::{FrameId, MethodNotes};
use crate::text::visible;
use crate::units::thousands;
use std::sync::Arc;

impl Explorer {
    pub(super) fn open_note_on(&mut self, frame: FrameId) {
        if !self.lens().is_method(frame) {
            return self.show_message(messages::NOT_A_METHOD_FOR_NOTES);
        }
        let field = Field::new(self.lens().note_on(frame).unwrap_or_default());
        let behind = std::mem::take(&mut self.overlay);
        self.overlay = Overlay::Note(Box::new(NotePrompt {
            frame,
            field,
            asks_to_write: false,
            behind,
        }));
    }

    pub(super) fn act_in_note(&mut self, action: Action) {
        let lens = self.lens().clone();
        let Overlay::Note(prompt) = &mut self.overlay else {
            return;
        };
        match (prompt.asks_to_write, action) {
            (true, Action::Back) => prompt.asks_to_write = false,
            (true, Action::Accept) => {
                self.from.are_notes_there = true;
                self.take_note();
            }
            // only this note: the next one asks again
            (true, Action::Refuse) => self.take_note(),
            (true, _) => {}
            (false, Action::Back) => self.close_overlay(),
            (false, Action::Accept) => {
                let before = lens.note_on(prompt.frame).unwrap_or_default();
                let text = prompt.field.text().trim();
                if text == before {
                    self.close_overlay();
                } else if text.len() > MethodNotes::MAX_BYTES {
                    let most = thousands(MethodNotes::MAX_BYTES as u64);
                    self.fail(messages::note_too_long(&most));
                } else if self.from.notes_file.is_some() && !self.from.are_notes_there {
                    prompt.asks_to_write = true;
                } else {
                    self.take_note();
                }
            }
            (false, Action::Paste(text)) => prompt
                .field
                .edit(Action::Paste(text.replace(['\n', '\r', '\t'], " "))),
            (false, typed) => prompt.field.edit(typed),
        }
    }

    fn take_note(&mut self) {
        let Overlay::Note(prompt) = std::mem::take(&mut self.overlay) else {
            return;
        };
        let method = self.view().frames.key(prompt.frame);
        let note = prompt.field.text().trim().to_string();
        self.overlay = prompt.behind;
        Arc::make_mut(&mut self.tree_mut().lens.notes).set(method.clone(), &note);
        self.adopt();
        let writes = self.from.notes_file.is_some() && self.from.are_notes_there;
        match (writes, &self.from.notes_file) {
            (true, _) => self.pending.notes += 1,
            (false, Some(_)) => self.show_message(messages::NOTE_NOT_WRITTEN),
            (false, None) => self.show_message(messages::NOTE_WITHOUT_FILE),
        }
        self.ask(Effect::Note {
            method,
            note,
            writes,
        });
    }

    pub fn receive_notes(&mut self, notes: &MethodNotes) {
        self.pending.notes = self.pending.notes.saturating_sub(1);
        // other programs may have written notes there, too; newer notes of ours are still to be written
        if self.pending.notes == 0 {
            Arc::make_mut(&mut self.tree_mut().lens.notes).extend(notes);
            self.adopt();
        }
        let file = self.from.notes_file.as_deref().unwrap_or_default();
        self.show_message(messages::note_written(&visible(file)));
        self.quit_if_written();
    }

    pub(super) fn quit_if_written(&mut self) {
        if self.pending.quits_when_written && !self.pending.is_writing() {
            self.ask(Effect::Quit);
        }
    }
}
