//! The call tree: threads, below them methods, and the time of the samples.

use super::code::{Code, MethodId, Timeline};
use super::recording::{Activity, Recording, Sample, ThreadId};
use super::stacks::{AddressId, StackId, Stacks};
use super::thread_time::{Clock, LastSample};
use crate::importers::Progress;
use crate::importers::dotnet::{MAIN_THREAD, THREAD_NAME_DEPTH, UNKNOWN_FRAME, thread_name, thread_title};
use crate::importers::error::GrowError;
use crate::importers::truncation::{self, Fate, Mended, Moment, Tally};
use crate::model::{CountKind, FrameId, FrameKind, Frames, Metric, MetricId, RawNode, TooLarge, TreeBuilder, Truncation, Unit};
use std::collections::HashMap;

/// Time in which threads ran; its counts are samples of managed code.
pub(super) const CPU: MetricId = MetricId(0);
/// Time in which threads were there; its counts are all samples.
pub(super) const WALL: MetricId = MetricId(1);
/// Numbers of samples.
pub(super) const SAMPLES: MetricId = MetricId(2);

/// The metrics of a recording, in the order of the handles.
pub(super) fn metrics() -> Vec<Metric> {
    vec![
        Metric::time("CPU", Some(CountKind::Samples)),
        Metric::time("wall", Some(CountKind::Samples)),
        Metric { name: "samples".into(), unit: Unit::Count, counts: None },
    ]
}

/// A file has no more different call places than this and one for every two bytes: a crafted one must not fill the memory.
const MIN_NODE_LIMIT: u64 = 1 << 20;
/// Stacks are looked up again for no more frames than this and two for every byte: few bytes can change the method of one
/// address of a huge stack. Real files stay far below, because methods that the rundown has change nothing.
const MIN_AGAIN_LIMIT: u64 = 1 << 20;

/// A stack on a thread: where it ends in the tree.
pub(super) struct Place {
    node: RawNode,
    /// See [`Grower::generation`].
    generation: u32,
    /// The outermost frame.
    pub root: Root,
    pub depth: u32,
    /// How many of its frames have no name.
    pub unresolved: u32,
    pub samples: u64,
}

/// What two stacks must share to have started alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Root {
    /// There is no frame.
    Nothing,
    Frame(FrameId),
    /// A frame without a name.
    Address(AddressId),
}

/// A thread of the tree.
pub(super) struct ThreadNode {
    pub node: RawNode,
    pub id: u64,
    pub name: &'static str,
}

/// What became of the samples.
pub(super) struct Grown {
    pub frames: Frames,
    /// The tree as it was recorded. It has no values where truncated stacks were mended.
    pub builder: TreeBuilder,
    /// The tree with and without its truncated stacks mended, where there are any.
    pub mended: Option<(Mended, Truncation)>,
    pub threads: Vec<ThreadNode>,
    pub places: Vec<Place>,
    /// Where the stack of each sample ends in `builder`, in their order.
    moments: Vec<Moment>,
    /// Samples whose stack was not looked up again, though methods had changed since.
    pub outdated: u64,
    /// Whether any thread ran for some time.
    pub has_cpu: bool,
}

/// Makes the tree of a recording, whose samples are put in order of time. `file_bytes` is the size of the file.
///
/// # Errors
/// Cancelled, or too large.
pub(super) fn grow(recording: &mut Recording, file_bytes: u64, progress: &Progress) -> Result<Grown, GrowError> {
    recording.finish();
    let base = recording.samples().first().map_or(0, |sample| sample.time);
    let mut frames = Frames::default();
    let root = frames.intern(FrameKind::Root, "All threads", "");
    let mut builder = TreeBuilder::new(root, &metrics());
    // threads get their own frames once it is known what they are
    let threads = recording
        .threads
        .iter()
        .map(|&id| {
            Ok(ThreadNode { node: builder.add(TreeBuilder::ROOT, root)?, id, name: "" })
        })
        .collect::<Result<_, TooLarge>>()?;
    let unknown =
        Named { frame: frames.intern(FrameKind::Special, UNKNOWN_FRAME, ""), is_resolved: false, thread_name: "" };
    let mut grower = Grower {
        stacks: &recording.stacks,
        by_address: vec![(0, unknown); recording.stacks.address_count()],
        by_method: vec![None; recording.code.method_count()],
        timeline: recording.code.timeline(),
        unknown,
        generation: 1,
        node_limit: (MIN_NODE_LIMIT + file_bytes / 2).min(u64::from(u32::MAX)),
        again_limit: MIN_AGAIN_LIMIT.saturating_add(file_bytes.saturating_mul(2)),
        by_stack: HashMap::default(),
        grown: Grown {
            frames,
            builder,
            mended: None,
            threads,
            places: Vec::new(),
            moments: Vec::with_capacity(recording.samples().len()),
            outdated: 0,
            has_cpu: false,
        },
        progress,
        work: 0,
    };
    for sample in recording.samples() {
        grower.add(sample)?;
    }
    let mut grown = grower.grown;
    grown.name_threads(recording.header.process_id);
    let clock = Clock::new(base, recording.header.ticks_per_second);
    let times = Times { samples: recording.samples(), clock, threads: grown.threads.len() };
    grown.give_values(&times)?;
    Ok(grown)
}

impl Grown {
    /// Mends truncated stacks if there are any, and gives the tree or the two trees their values.
    fn give_values(&mut self, times: &Times<'_>) -> Result<(), TooLarge> {
        let tracks: Vec<RawNode> = self.threads.iter().map(|thread| thread.node).collect();
        let moments = std::mem::take(&mut self.moments);
        let mended = truncation::mend(&self.builder, &tracks, &moments, true, &mut self.frames, &metrics())?;
        let Some(mut mended) = mended else {
            self.has_cpu = times.give(&mut self.builder, |row| moments[row].node, |_, _, _, _| {});
            return Ok(());
        };
        let Mended { marked, marked_places, mended: tree, places, fates, .. } = &mut mended;
        times.give(marked, |row| marked_places[moments[row].node.0 as usize], |_, _, _, _| {});
        let mut tally = Tally::new(tracks.len());
        self.has_cpu = times.give(
            tree,
            |row| places[row],
            |thread, row, samples, wall| {
                let fate: Fate = fates[row];
                tally.add(thread.index(), fate, samples, wall);
            },
        );
        let truncation = tally.finish(mended.limit, WALL, true);
        self.mended = Some((mended, truncation));
        Ok(())
    }

    fn name_threads(&mut self, process_id: u32) {
        for thread in &mut self.threads {
            if thread.id == u64::from(process_id) {
                thread.name = MAIN_THREAD;
            }
            let title = thread_title(&thread.id.to_string(), thread.name);
            let frame = self.frames.intern(FrameKind::Thread, &title, "");
            self.builder.set_frame(thread.node, frame);
        }
    }
}

/// The samples with their times.
struct Times<'a> {
    samples: &'a [Sample],
    clock: Clock,
    threads: usize,
}

impl Times<'_> {
    /// Adds the values of each sample, by its row, to its place, and tells `tell` its thread, its row, whether it counts as a
    /// sample (1 or 0) and, in nanoseconds, its time. Says whether any thread ran for some time.
    fn give(
        &self,
        builder: &mut TreeBuilder,
        place: impl Fn(usize) -> RawNode,
        mut tell: impl FnMut(ThreadId, usize, u64, u64),
    ) -> bool {
        let mut has_cpu = false;
        let mut last: Vec<LastSample<usize>> = vec![LastSample::default(); self.threads];
        for (row, sample) in self.samples.iter().enumerate() {
            if let Some(span) = last[sample.thread().index()].replace(&self.clock, sample, row) {
                builder.add_exclusive(WALL, place(span.place), span.nanoseconds);
                tell(sample.thread(), span.place, 0, span.nanoseconds);
                if span.on_cpu {
                    has_cpu |= span.nanoseconds > 0;
                    builder.add_exclusive(CPU, place(span.place), span.nanoseconds);
                }
            }
            let node = place(row);
            if sample.activity() == Activity::Managed {
                builder.add_count(CPU, node, 1);
            }
            if sample.activity().is_sample() {
                builder.add_count(WALL, node, 1);
                builder.add_exclusive(SAMPLES, node, 1);
                tell(sample.thread(), row, 1, 0);
            }
        }
        builder.sum_counts();
        has_cpu
    }
}

/// What an address stands for.
#[derive(Clone, Copy)]
struct Named {
    frame: FrameId,
    /// Whether that is a method with a name.
    is_resolved: bool,
    /// The name of a thread with such a frame, if the frame tells it.
    thread_name: &'static str,
}

struct Grower<'a> {
    stacks: &'a Stacks,
    timeline: Timeline<'a>,
    unknown: Named,
    /// Grows when addresses come to mean other methods. What was found for an address or a stack is valid in the
    /// generation in which it was found.
    generation: u32,
    by_address: Vec<(u32, Named)>,
    by_method: Vec<Option<Named>>,
    by_stack: HashMap<(ThreadId, StackId), usize, foldhash::fast::RandomState>,
    node_limit: u64,
    /// For how many more frames stacks are looked up again.
    again_limit: u64,
    grown: Grown,
    progress: &'a Progress,
    /// Counts steps between looks at the progress.
    work: u32,
}

impl Grower<'_> {
    fn add(&mut self, sample: &Sample) -> Result<(), GrowError> {
        self.tick()?;
        if self.timeline.advance(sample.time) {
            self.generation = self.generation.wrapping_add(1);
        }
        let place = self.place(sample.thread(), sample.stack)?;
        let place = &mut self.grown.places[place];
        self.grown.moments.push(Moment { node: place.node, is_rest: false });
        place.samples += u64::from(sample.activity().is_sample());
        Ok(())
    }

    fn tick(&mut self) -> Result<(), GrowError> {
        self.work = self.work.wrapping_add(1);
        if self.work.is_multiple_of(4096) {
            let nodes = self.grown.builder.len();
            self.progress.at(nodes)?;
            if nodes as u64 > self.node_limit {
                return Err(GrowError::TooLarge { limit: self.node_limit });
            }
        }
        Ok(())
    }

    /// Whether a place is taken as it is: nothing changed since, or too much was looked up again already.
    fn may_keep(&mut self, place: usize) -> bool {
        let place = &self.grown.places[place];
        if place.generation == self.generation {
            return true;
        }
        match self.again_limit.checked_sub(u64::from(place.depth)) {
            Some(left) => {
                self.again_limit = left;
                false
            }
            None => {
                self.grown.outdated += 1;
                true
            }
        }
    }

    /// The place of a stack on a thread, by its row.
    fn place(&mut self, thread: ThreadId, stack: StackId) -> Result<usize, GrowError> {
        if let Some(&known) = self.by_stack.get(&(thread, stack))
            && self.may_keep(known)
        {
            return Ok(known);
        }
        let mut place = Place {
            node: self.grown.threads[thread.index()].node,
            generation: self.generation,
            root: Root::Nothing,
            depth: 0,
            unresolved: 0,
            samples: 0,
        };
        let stacks = self.stacks;
        for (index, address) in stacks.outermost_first(stack).enumerate() {
            self.tick()?;
            let named = self.named(address);
            place.node = self.grown.builder.merge(place.node, named.frame)?;
            place.depth += 1;
            place.unresolved += u32::from(!named.is_resolved);
            if index == 0 {
                place.root = if named.is_resolved { Root::Frame(named.frame) } else { Root::Address(address) };
            }
            let name = &mut self.grown.threads[thread.index()].name;
            if index < THREAD_NAME_DEPTH && name.is_empty() {
                *name = named.thread_name;
            }
        }
        let row = self.grown.places.len();
        self.grown.places.push(place);
        self.by_stack.insert((thread, stack), row);
        Ok(row)
    }

    /// What an address stands for now.
    fn named(&mut self, address: AddressId) -> Named {
        let (generation, named) = self.by_address[address.index()];
        if generation == self.generation {
            return named;
        }
        let named = match self.timeline.find(self.stacks.address(address)) {
            Some(method) => self.named_method(method),
            None => self.unknown,
        };
        self.by_address[address.index()] = (self.generation, named);
        named
    }

    fn named_method(&mut self, method: MethodId) -> Named {
        let frames = &mut self.grown.frames;
        let code = self.timeline.code();
        *self.by_method[method.index()].get_or_insert_with(|| name_method(frames, code, method))
    }
}

fn name_method(frames: &mut Frames, code: &Code, method: MethodId) -> Named {
    let name = code.frame_name(method);
    Named {
        frame: frames.intern(FrameKind::Method, &name, ""),
        is_resolved: code.is_named(method),
        thread_name: thread_name(&name),
    }
}
