//! Writing and copying a subtree: the dialog, reports, and their outcomes.

use crate::analysis::{occurrences_within, outermost_occurrences, sum};
use crate::app::dialogs::{REPORT_BUDGETS, file_name_for};
use crate::app::{
    Action, Content, Effect, Explorer, Export, ExportResult, Field, OccurrenceChoice, Overlay,
    ReportJob, ReportUse, messages,
};
use crate::model::NodeId;
use crate::query::{Report, ReportForm};
use crate::units;

impl Explorer {
    pub(super) fn open_export(&mut self) {
        if self.pending.file.is_some() {
            return self.show_message(messages::STILL_WRITING);
        }
        let node = self.subject();
        let occurrences = self.occurrences_to_export(node, self.shows_occurrences_as_one());
        let mut settings = self.settings.export;
        // a picture of what is already a picture
        if self.has_flame() && settings.content == Content::Tree {
            settings.content = Content::Picture;
        }
        let name = self.view().display_name(node);
        let file = file_name_for(name, settings.content.extension());
        self.overlay = Overlay::Export(Export {
            field: Field::new(&file),
            settings,
            preview: None,
            node,
            occurrences,
            asks_to_overwrite: None,
            writing: None,
            error: None,
        });
        self.ask_for_preview();
    }

    fn shows_occurrences_as_one(&self) -> bool {
        self.page().focus != 0 || self.top_page().is_some()
    }

    fn report_on(
        &self,
        node: NodeId,
        occurrences: OccurrenceChoice,
        form: ReportForm,
        budget: usize,
    ) -> ReportJob {
        let lens = self.lens();
        let recording = &lens.view.recording;
        let metric = (lens.metric != recording.default_metric)
            .then(|| recording.metric(lens.metric).name.clone());
        let all_within = Some(occurrences.within).filter(|_| occurrences.takes_all);
        let (file, waiting) = (self.from.file.clone(), lens.counts_waiting);
        ReportJob {
            file,
            node,
            all_within,
            metric,
            waiting,
            form,
            budget,
        }
    }

    fn report_in_dialog(&self) -> Option<ReportJob> {
        let Overlay::Export(export) = &self.overlay else {
            return None;
        };
        let Content::Report(form) = export.settings.content else {
            return None;
        };
        let budget = export.settings.budget;
        Some(self.report_on(export.node, export.occurrences, form, budget))
    }

    pub(super) fn ask_for_preview(&mut self) {
        let job = self.report_in_dialog();
        if let Overlay::Export(export) = &mut self.overlay {
            export.preview = None;
        }
        if let Some(job) = job {
            self.ask(Effect::Report(job, ReportUse::Preview));
        }
    }

    pub(super) fn copy_report(&mut self) {
        let node = self.subject();
        let occurrences = self.occurrences_to_export(node, self.shows_occurrences_as_one());
        let (form, budget) = (ReportForm::Markdown, self.settings.export.budget);
        let job = self.report_on(node, occurrences, form, budget);
        self.show_message("making a report …");
        self.ask(Effect::Report(job, ReportUse::Clipboard));
    }

    pub fn receive_report(
        &mut self,
        job: &ReportJob,
        purpose: ReportUse,
        result: Result<Report, String>,
    ) {
        match (purpose, result) {
            (ReportUse::Preview, result) => {
                // the settings may have changed since
                let is_wanted = self.report_in_dialog().as_ref() == Some(job);
                if let Overlay::Export(export) = &mut self.overlay
                    && is_wanted
                {
                    export.preview = Some(result);
                }
            }
            (ReportUse::Clipboard, Err(sentence)) => self.fail(sentence),
            (ReportUse::Clipboard, Ok(Report { text, tokens, .. })) => {
                let tokens = units::thousands(tokens as u64);
                let size = units::size(text.len() as u64);
                let all = match job.all_within {
                    Some(_) => "on all occurrences, ",
                    None => "",
                };
                let message = messages::copied_report(&tokens, &size, &all);
                self.copy(text, message);
            }
        }
    }

    pub(super) fn occurrences_to_export(&self, node: NodeId, takes_all: bool) -> OccurrenceChoice {
        let (lens, within) = (self.lens(), self.tree().shown.root());
        let shown = &lens.view;
        let frame = shown.tree.frame(node);
        if !lens.is_method(frame) || !shown.tree.contains(within, node) {
            return OccurrenceChoice {
                within,
                count: 1,
                ..OccurrenceChoice::default()
            };
        }
        // collapsed rows may hide further occurrences
        let view = shown.uncollapsed();
        let root = shown.to_single_uncollapsed(within).unwrap_or(NodeId::ROOT);
        let count = occurrences_within(view, root, frame).len();
        let outermost = outermost_occurrences(view, root, &[frame]);
        let (nodes, measure) = (|| outermost.iter().copied(), self.measure());
        OccurrenceChoice {
            within,
            count,
            takes_all: takes_all && count > 1,
            inclusive: sum(nodes().map(|node| view.tree.inclusive(lens.metric, node))),
            weight: sum(nodes().map(|node| measure.inclusive(view, node))),
        }
    }

    pub(super) fn act_in_export(&mut self, action: Action) {
        let Overlay::Export(export) = &mut self.overlay else {
            return;
        };
        match (&export.asks_to_overwrite, &action) {
            // while it is written, or a question is open, the name can't be changed
            (_, Action::Back) => self.overlay = Overlay::None,
            _ if export.writing.is_some() => {}
            (Some(file), Action::Accept) => {
                let file = file.clone();
                self.write_export(file, true);
            }
            (Some(_), Action::Refuse) => export.asks_to_overwrite = None,
            (Some(_), _) => {}
            (None, Action::Accept) => {
                let file = export.field.text().trim().to_string();
                self.write_export(file, false);
            }
            (None, Action::ToggleOccurrences) => {
                let occurrences = &mut export.occurrences;
                occurrences.takes_all = !occurrences.takes_all && occurrences.count > 1;
                self.ask_for_preview();
            }
            (None, &Action::NextContent(step)) => self.choose_content(step),
            (None, &Action::NextBudget(step)) => self.choose_budget(step),
            (None, _) => {
                export.error = None;
                export.field.edit(action);
            }
        }
    }

    /// Switches to the next content; a file name that the user did not change follows.
    fn choose_content(&mut self, step: isize) {
        let Overlay::Export(export) = &mut self.overlay else {
            return;
        };
        let before = export.settings.content;
        let content = before.next(step);
        if let Some(name) = export.field.text().strip_suffix(before.extension()) {
            export.field = Field::new(&format!("{name}{}", content.extension()));
        }
        (export.settings.content, export.error) = (content, None);
        self.settings.export = export.settings;
        self.ask_for_preview();
    }

    fn choose_budget(&mut self, step: isize) {
        let Overlay::Export(export) = &mut self.overlay else {
            return;
        };
        if !matches!(export.settings.content, Content::Report(_)) {
            return;
        }
        let at = REPORT_BUDGETS.partition_point(|&budget| budget < export.settings.budget);
        let next = at.saturating_add_signed(step).min(REPORT_BUDGETS.len() - 1);
        export.settings.budget = REPORT_BUDGETS[next];
        self.settings.export = export.settings;
        self.ask_for_preview();
    }

    fn write_export(&mut self, file: String, overwrite: bool) {
        let report = self.report_in_dialog();
        let metric = self.lens().metric;
        let Overlay::Export(export) = &mut self.overlay else {
            return;
        };
        if file.is_empty() {
            export.error = Some(messages::FILE_NAME_NEEDED.into());
            return;
        }
        (export.asks_to_overwrite, export.error) = (None, None);
        export.writing = Some(file.clone());
        self.pending.file = Some(file.clone());
        let all_within = Some(export.occurrences.within).filter(|_| export.occurrences.takes_all);
        let job = Effect::Export {
            file,
            node: export.node,
            all_within,
            metric,
            overwrite,
            report,
        };
        self.ask(job);
    }

    pub fn receive_export(&mut self, file: String, result: ExportResult) {
        self.pending.file = None;
        let dialog = match &mut self.overlay {
            Overlay::Export(export) if export.writing.as_ref() == Some(&file) => Some(export),
            _ => None,
        };
        match (result, dialog) {
            (ExportResult::Written(sentence), dialog) => {
                if dialog.is_some() {
                    self.overlay = Overlay::None;
                }
                self.show_message(sentence);
                return self.quit_if_written();
            }
            (ExportResult::Exists, Some(export)) => {
                (export.writing, export.asks_to_overwrite) = (None, Some(file));
            }
            (ExportResult::Exists, None) => self.fail(messages::not_overwritten(&file)),
            (ExportResult::Failed(sentence), Some(export)) => {
                (export.writing, export.error) = (None, Some(sentence));
            }
            (ExportResult::Failed(sentence), None) => self.fail(sentence),
        }
        self.pending.quits_when_written = false;
    }
}
