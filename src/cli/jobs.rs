//! Runs the jobs that the explorer requests.

use super::convert::{OutputFormat, why_unwritable};
use super::files::{CheckedWriter, Destination, why_not_written, write_whole};
use super::notes;
use crate::analysis::compared::BEFORE;
use crate::analysis::make::make_watched;
use crate::analysis::search::SearchIndex;
use crate::analysis::{
    CallerTree, CallerTreeSums, Chart, Hotspot, ReadyView, merged_watched, occurrences_within,
    outermost_occurrences,
};
use crate::app::panels::node_at_path;
use crate::app::{
    ButterflyParts, ButterflySubject, Effect, ExportResult, Findings, HotspotLists, Message,
    MethodSums, MethodsRequest, OpenedCallers, ReportJob, SearchHit, SumsRow, hotspots_below,
};
use crate::cli::messages;
use crate::exporters::Part;
use crate::model::{
    BuildError, FrameId, MethodKey, MethodNotes, MetricId, NodeId, Progress, TooLarge, View,
};
use crate::query::messages::TREE_TOO_LARGE;
use crate::query::{
    ListRequest, ListedMethod, MethodList, MethodOrder, PartRequest, QueryError, Report,
    ReportRequest, ReportSubject, Waits, list_methods, occurrences_of, report,
};
use crate::units::{counted, size, thousands};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Uses the view before rows were collapsed, since reports collapse them themselves.
fn report_of(shown: &View, job: &ReportJob) -> Result<Report, String> {
    let (view, frame) = (shown.uncollapsed(), shown.tree.frame(job.node));
    let (roots, occurrences) = match job.all_within {
        None => (shown.to_uncollapsed(job.node), None),
        Some(within) => {
            let within = shown.to_single_uncollapsed(within).unwrap_or(NodeId::ROOT);
            let count = occurrences_within(view, within, frame).len();
            (outermost_occurrences(view, within, &[frame]), Some(count))
        }
    };
    let request = ReportRequest {
        file: job.file.as_deref().unwrap_or("the bundled recording"),
        part: PartRequest {
            metric: job.metric.as_deref(),
            waiting: job.waiting,
            ..PartRequest::default()
        },
        about: ReportSubject::Subtrees(&roots, occurrences),
        budget: job.budget,
        spent: 0,
        form: job.form,
        question: None,
        has_raw_names: false,
    };
    report(view, &request).map_err(|error| error.to_string())
}

const SEARCH_ROWS: usize = 1000;

pub struct Jobs {
    pub(super) view: Arc<View>,
    index: Option<SearchIndex>,
    /// the sums of the whole view by frame, for the metric of the last search
    sums: Option<(MetricId, Vec<Option<Hotspot>>)>,
    /// the last requested caller tree, with the rows built so far
    callers: Option<(ButterflySubject, ReadyView)>,
    notes: MethodNotes,
    pub(super) notes_file: Option<PathBuf>,
    pub(super) input: Option<PathBuf>,
}

type SumsRows = Vec<(SumsRow, CallerTreeSums)>;

fn thread_rows(view: &View, callers: &CallerTree, metric: MetricId) -> SumsRows {
    let threads = callers.threads(metric).into_iter();
    let name = |thread| view.display_name(thread).to_string();
    let rows = threads.map(|(thread, sums)| (SumsRow::Thread(name(thread)), sums));
    by_weight(rows.collect())
}

fn user_caller_rows(tree: &CallerTree, metric: MetricId) -> SumsRows {
    let rows = tree.callers_of(CallerTree::TOP);
    let row = |at| (SumsRow::UserCaller(tree.first(at)), tree.sums(at, metric));
    let mut rows: Vec<_> = rows.map(row).collect();
    let rest = tree.without_user_caller(CallerTree::TOP, metric);
    let rest = rest.filter(|sums| !rows.is_empty() && sums.inclusive > 0);
    rows.extend(rest.map(|sums| (SumsRow::NoUserCaller, sums)));
    by_weight(rows)
}

fn by_weight(mut rows: SumsRows) -> SumsRows {
    rows.sort_by_key(|(_, sums)| Reverse((sums.weight(false), sums.inclusive)));
    rows
}

impl Jobs {
    pub fn new(view: Arc<View>) -> Jobs {
        Jobs {
            notes: view.recording.method_notes.clone(),
            view,
            index: None,
            sums: None,
            callers: None,
            notes_file: None,
            input: None,
        }
    }

    #[must_use]
    pub fn with_notes_in(self, notes_file: Option<PathBuf>) -> Jobs {
        Jobs { notes_file, ..self }
    }

    /// Runs an effect whose nodes are those of `view`; `None` for effects that are not for the worker.
    pub fn run(&mut self, view: &Arc<View>, effect: Effect) -> Option<Message> {
        self.run_watched(view, effect, &Progress::default())
    }

    fn adopt(&mut self, view: &Arc<View>) {
        if !Arc::ptr_eq(view, &self.view) {
            (self.index, self.sums, self.callers) = (None, None, None);
            self.view = Arc::clone(view);
        }
    }

    /// Like [`Jobs::run`], with progress and cancellation; `None` also if it was cancelled.
    pub(super) fn run_watched(
        &mut self,
        view: &Arc<View>,
        effect: Effect,
        progress: &Progress,
    ) -> Option<Message> {
        self.adopt(view);
        match self.answer(view, effect.clone(), progress) {
            Ok(answer) => Some(answer),
            Err(why) => why.map(|why| Message::Failed(effect, why)),
        }
    }

    /// Fails with a sentence, or with `None` if it was cancelled or is not for the worker.
    fn answer(
        &mut self,
        view: &Arc<View>,
        effect: Effect,
        progress: &Progress,
    ) -> Result<Message, Option<String>> {
        let for_view = Arc::clone(view);
        Ok(match effect {
            Effect::Hotspots { scope, measure } => {
                let lists = Arc::new(HotspotLists::new(view, scope, measure));
                Message::Hotspots(for_view, lists)
            }
            Effect::Search { query, metric } => {
                Message::Found(for_view, Arc::new(self.search(query, metric)))
            }
            Effect::Export {
                file,
                node,
                all_within,
                metric,
                overwrite,
                report,
            } => {
                let to = (file.as_str(), overwrite);
                let result = match report {
                    Some(job) => self.write_report(&job, to),
                    None => self.export((node, all_within), metric, to, progress),
                };
                let result = result.map_or_else(|refused| refused, ExportResult::Written);
                Message::Exported(file, result)
            }
            Effect::Report(job, purpose) => {
                let report = report_of(&self.view, &job);
                Message::Reported(job, purpose, report)
            }
            Effect::Note {
                method,
                note,
                writes,
            } => Message::Noted(self.keep_note(method, &note, writes).ok_or(None)??),
            Effect::Methods(request) => Message::Methods(for_view, self.methods(request)?),
            Effect::CallerTree(subject) => {
                Message::CallerTree(for_view, Arc::new(self.butterfly_parts(subject, progress)?))
            }
            Effect::Waits(within) => Message::Waits(for_view, within, self.waits(within)?),
            Effect::Time(metric) => {
                let over_time = crate::app::ViewOverTime::new(view, metric).map(Arc::new);
                Message::Time(for_view, over_time)
            }
            Effect::Chart(lane) => {
                let chart = Chart::new(view, lane.metric, &lane.rows, lane.root);
                Message::Chart(for_view, lane, chart.map(Arc::new))
            }
            Effect::OpenCallers { subject, opened } => {
                Message::Callers(for_view, subject, self.callers(subject, &opened)?)
            }
            Effect::Show(steps) => {
                let view = make_watched(&view.recording, &steps, progress);
                let view = view.map(ReadyView::of).map_err(build_error)?;
                Message::Shown(steps, view)
            }
            Effect::UpdateView(_) | Effect::StopRecording | Effect::CancelView => return Err(None),
            Effect::Copy(_) | Effect::Suspend | Effect::Quit => return Err(None),
        })
    }

    /// If it is to be written, returns all notes in the file.
    fn keep_note(
        &mut self,
        method: MethodKey,
        note: &str,
        writes: bool,
    ) -> Option<Result<MethodNotes, String>> {
        let file = self.notes_file.as_deref().filter(|_| writes);
        let methods = std::slice::from_ref(&method);
        let own_notes = &self.view.recording.own_notes;
        let written = file.map(|file| notes::write(file, methods, note, own_notes));
        if let Some(Ok(notes)) = &written {
            self.notes.extend(notes);
        }
        self.notes.set(method, note);
        written
    }

    fn methods(&self, requested: MethodsRequest) -> Result<MethodSums, String> {
        // collapsed methods are in the tree below
        let (view, uncollapsed) = (&self.view, self.view.uncollapsed());
        let measure = requested.measure;
        let within = view.to_single_uncollapsed(requested.within);
        let request = ListRequest {
            group: requested.group,
            part: PartRequest {
                within: within.ok_or(messages::ROW_MERGES_SUBTREES)?,
                metric: Some(&view.recording.metric(measure.metric).name),
                waiting: Some(measure.counts_waiting),
            },
            order: MethodOrder::OwnAndSystem,
            has_own_and_system: true,
            ..ListRequest::default()
        };
        let list = |request: &ListRequest| {
            list_methods(uncollapsed, request).map_err(|error| error.to_string())
        };
        let before = view.recording.is_comparison().then(|| {
            let metric = Some(&*view.recording.metric(BEFORE).name);
            list(&ListRequest {
                part: PartRequest {
                    metric,
                    ..request.part
                },
                ..request
            })
        });
        let by_frame = |list: &MethodList| -> HashMap<FrameId, ListedMethod> {
            list.rows.iter().map(|row| (row.sums.frame, *row)).collect()
        };
        let before = before.transpose()?;
        let value_before = |before: &MethodList| before.no_user_caller.value;
        let list = list(&request)?;
        let (part, rows) = (list.selection.part, by_frame(&list));
        let rest = list.without_user_caller.iter();
        let rest = rest.filter_map(|&(frame, charged)| {
            Some(ListedMethod {
                own_and_system: Some(charged),
                ..*rows.get(&frame)?
            })
        });
        Ok(MethodSums {
            request: requested,
            rows: list.rows,
            no_user_caller_before: before.as_ref().map_or(0, value_before),
            before: before.as_ref().map(by_frame),
            grouped: list.grouped,
            without_user_caller: rest.collect(),
            no_user_caller: list.no_user_caller,
            weight: part.whole(),
        })
    }

    fn waits(&self, within: NodeId) -> Result<Waits, String> {
        let within = self.view.to_single_uncollapsed(within);
        let request = PartRequest {
            within: within.ok_or(messages::ROW_MERGES_SUBTREES)?,
            metric: None,
            waiting: Some(true),
        };
        crate::query::waits(self.view.uncollapsed(), &request).map_err(|error| error.to_string())
    }

    fn butterfly_parts(
        &mut self,
        subject: ButterflySubject,
        progress: &Progress,
    ) -> Result<ButterflyParts, Option<String>> {
        // collapsed methods are in the tree below
        let view = self.view.uncollapsed().clone();
        let within = self.subject_root(subject);
        let metrics = || (0..view.recording.metrics.len()).map(MetricId::at);
        let caller_tree = caller_tree_of(&view, subject, within)?;
        let (callees, heaviest) = match subject.method {
            None => (None, within),
            Some(frame) => {
                let outermost = outermost_occurrences(&view, within, &[frame]);
                let total = |node| view.tree.inclusive(view.recording.default_metric, node);
                let nodes = outermost.iter().copied();
                let heaviest = nodes.max_by_key(|&node| (total(node), Reverse(node)));
                let callees = merged_watched(&view, &outermost, progress).map_err(build_error)?;
                (Some(ReadyView::of(callees)), heaviest.unwrap_or(within))
            }
        };
        let threads = |metric| match subject.method {
            Some(_) => thread_rows(&view, &caller_tree, metric),
            None => Vec::new(),
        };
        let user_callers = |frame| CallerTree::callers(&view, within, &[frame], true);
        let user_callers = subject.method.and_then(user_callers);
        let user_callers = user_callers.map(|mut tree| tree.open(CallerTree::TOP).map(|()| tree));
        let user_callers = user_callers.transpose().map_err(too_large)?;
        let user_callers = |metric| match &user_callers {
            Some(tree) => user_caller_rows(tree, metric),
            None => Vec::new(),
        };
        let sums = |metric| caller_tree.sums(CallerTree::TOP, metric);
        Ok(ButterflyParts {
            subject,
            user_callers: metrics().map(user_callers).collect(),
            callees,
            threads: metrics().map(threads).collect(),
            sums: metrics().map(sums).collect(),
            occurrences: caller_tree.occurrence_count(CallerTree::TOP),
            heaviest: self.view.from_uncollapsed(heaviest).unwrap_or(NodeId::ROOT),
            callers: self.first_callers(subject, caller_tree)?,
        })
    }

    /// The whole tree if the row merges several nodes.
    fn subject_root(&self, subject: ButterflySubject) -> NodeId {
        let within = self.view.to_single_uncollapsed(subject.within);
        within.unwrap_or(NodeId::ROOT)
    }

    fn first_callers(
        &mut self,
        subject: ButterflySubject,
        mut callers: CallerTree,
    ) -> Result<ReadyView, String> {
        callers.open(CallerTree::TOP).map_err(too_large)?;
        let callers = ReadyView::of(callers.into_view().map_err(too_large)?);
        self.callers = Some((subject, callers.clone()));
        Ok(callers)
    }

    fn callers(
        &mut self,
        subject: ButterflySubject,
        opened: &[OpenedCallers],
    ) -> Result<ReadyView, String> {
        let (mut callers, new) = match self.callers.take() {
            // all rows but the last were opened before
            Some((last, callers)) if last == subject => {
                (callers, &opened[opened.len().saturating_sub(1)..])
            }
            _ => {
                let within = self.subject_root(subject);
                let caller_tree = caller_tree_of(self.view.uncollapsed(), subject, within)?;
                (self.first_callers(subject, caller_tree)?, opened)
            }
        };
        for OpenedCallers { path, opening } in new {
            let Some(row) = node_at_path(&callers, path) else {
                continue;
            };
            if let Some(more) = callers.opened(row, *opening).map_err(too_large)? {
                callers = ReadyView::of(more.view);
            }
        }
        self.callers = Some((subject, callers.clone()));
        Ok(callers)
    }

    fn export(
        &self,
        (node, all_within): (NodeId, Option<NodeId>),
        metric: MetricId,
        (file, overwrite): (&str, bool),
        progress: &Progress,
    ) -> Result<String, ExportResult> {
        let path = Path::new(file);
        if let Some(reason) = why_unwritable(path) {
            return Err(ExportResult::Failed(reason));
        }
        let all = all_within.map(|within| {
            let below = self.view.to_single_uncollapsed(within);
            let below = below.unwrap_or(NodeId::ROOT);
            let frame = self.view.tree.frame(node);
            occurrences_of(self.view.uncollapsed(), &[frame], below)
        });
        let failed = |error: QueryError| ExportResult::Failed(error.to_string());
        let all = all.transpose().map_err(failed)?.flatten();
        let occurrences = all.as_ref().map(|all| all.count);
        let (view, merged, root) = match all {
            Some(all) => (self.view.uncollapsed(), all.merged, all.root),
            None => (&*self.view, None, node),
        };
        let view = merged.as_ref().unwrap_or(view);
        let output_format = OutputFormat::of(path, None);
        let part = Part {
            notes: &self.notes,
            ..Part::new(view, root, metric)
        };
        if let Some(reason) = (output_format.exporter.refusal)(&part) {
            let name = output_format.exporter.name;
            return Err(ExportResult::Failed(format!("{name}: {reason}")));
        }
        let check = || {
            progress
                .check_cancelled()
                .map_err(|_| io::Error::other("cancelled"))
        };
        let write =
            |out: &mut dyn io::Write| output_format.write(&part, &mut CheckedWriter { out, check });
        let (path, size) = self.write((path, overwrite), write)?;
        let all = occurrences.map_or(String::new(), |count| {
            messages::all_as_one(&counted(count as u64, "occurrence"))
        });
        let nodes = counted(view.subtree_node_count(root) as u64, "node");
        Ok(format!("wrote {path}: {all}{nodes}, {size}"))
    }

    fn write_report(
        &self,
        job: &ReportJob,
        (file, overwrite): (&str, bool),
    ) -> Result<String, ExportResult> {
        let report = report_of(&self.view, job).map_err(ExportResult::Failed)?;
        let to = (Path::new(file), overwrite);
        let (path, size) = self.write(to, |out| out.write_all(report.text.as_bytes()))?;
        let tokens = thousands(report.tokens as u64);
        Ok(messages::wrote_report(&path, &tokens, &size))
    }

    /// Returns the absolute path of the file and its size.
    fn write(
        &self,
        (path, overwrite): (&Path, bool),
        content: impl FnOnce(&mut dyn io::Write) -> io::Result<()>,
    ) -> Result<(String, String), ExportResult> {
        let to = Destination {
            input: self.input.as_deref(),
            ..Destination::new(path, overwrite)
        };
        match write_whole(to, content) {
            Ok(size_bytes) => {
                let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
                Ok((path.display().to_string(), size(size_bytes)))
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(ExportResult::Exists),
            Err(error) => Err(ExportResult::Failed(why_not_written(path, &error))),
        }
    }

    fn search(&mut self, query: String, metric: MetricId) -> Findings {
        let view = &self.view;
        let uncollapsed = view.uncollapsed();
        let summed = self.sums.as_ref().map(|(summed, _)| *summed);
        if summed != Some(metric) {
            let mut by_frame = vec![None; view.frames.len()];
            for hotspot in hotspots_below(view, NodeId::ROOT, metric.into()) {
                by_frame[hotspot.frame.index()] = Some(hotspot);
            }
            self.sums = Some((metric, by_frame));
        }
        let occurs = |id| uncollapsed.occurs(id);
        let index = self
            .index
            .get_or_insert_with(|| SearchIndex::of(&uncollapsed.frames, occurs));
        let sums = self.sums.as_ref().map_or(&[][..], |(_, sums)| sums);
        let weight = |frame: FrameId| sums[frame.index()].map_or(0, |hotspot| hotspot.inclusive);
        let result = index.search(&query, weight, SEARCH_ROWS);
        let rows = result.rows.into_iter().filter_map(|row| {
            let (hotspot, matched) = (sums[row.frame.index()]?, row.positions);
            Some(SearchHit { hotspot, matched })
        });
        Findings {
            query,
            total: result.total_matches,
            is_approximate: result.is_approximate,
            rows: rows.collect(),
        }
    }
}

fn too_large(_: TooLarge) -> String {
    TREE_TOO_LARGE.into()
}

fn build_error(error: BuildError) -> Option<String> {
    match error {
        BuildError::Cancelled => None,
        BuildError::TooLarge => Some(TREE_TOO_LARGE.into()),
    }
}

fn caller_tree_of(
    view: &View,
    subject: ButterflySubject,
    within: NodeId,
) -> Result<CallerTree, String> {
    let only_user_code = subject.only_user_code;
    let callers = match subject.method {
        None => Some(CallerTree::inverted(view, within, only_user_code)),
        Some(frame) => CallerTree::callers(view, within, &[frame], only_user_code),
    };
    callers.ok_or_else(|| messages::METHOD_NOT_IN_TREE.into())
}

#[cfg(test)]
mod tests;
