//! The call tree: threads, their methods, and the time of the samples.

use super::facts::facts;
use super::log::log_of;
use super::metrics::Metrics;
use super::name::NAME;
use super::recording::{Activities, AmountKind, NettraceRecording, Sample, SampledAmount};
use super::spaces::{NativeId, Owner, SpaceId, SpaceView};
use super::stacks::{AddressId, StackId, Stacks};
use super::threads::{ThreadId, ThreadKey};
use crate::importers::assembly::{FileProcess, ProfileAssembly};
use crate::importers::dotnet::{
    MAIN_THREAD, THREAD_NAME_DEPTH, UNKNOWN_FRAME, process_title, thread_name, thread_title,
};
use crate::importers::node_limit::{LookupLimit, max_nodes};
use crate::importers::runtime::{Code, MethodId};
use crate::input::Progress;
use crate::input::error::GrowError;
use crate::model::{
    FrameId, Frames, ProfileKind, RawNode, SampleLog, Source, Thread, TooLarge, TreeBuilder,
};
use crate::names::FrameKind;
use std::collections::HashMap;

/// The node where a stack on a thread ends in the tree.
#[derive(Default)]
pub(super) struct StackLeaf {
    node: RawNode,
    /// See [`SpaceNow::generation`].
    generation: u32,
    /// The outermost frame.
    pub root: Root,
    pub depth: u32,
    /// The number of frames without a name.
    pub unresolved: u32,
    pub samples: u64,
}

/// What two stacks must share to have started alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum Root {
    /// There is no frame.
    #[default]
    Nothing,
    Frame(FrameId),
    /// A frame without a name.
    Address(AddressId),
}

/// A thread of the tree.
struct ThreadNode {
    node: RawNode,
    key: ThreadKey,
    /// The name in the file, else one derived from the thread's frames.
    name: String,
}

/// The tree of the samples.
pub(super) struct SampleTree {
    /// Has no values yet.
    pub grown: ProfileAssembly,
    pub metrics: Metrics,
    pub places: Vec<StackLeaf>,
    /// All events with a stack.
    pub log: SampleLog,
    /// The samples by activity.
    pub activities: Activities,
    /// Whether there was anything to build a tree from.
    pub has_content: bool,
    /// Samples whose stack was not looked up again, although methods had changed.
    pub outdated: u64,
}

/// Makes the tree of a recording and puts its samples in time order. `file_bytes` is the size of the file.
///
/// # Errors
/// If cancelled, or if the tree is too large.
pub(super) fn grow(
    recording: &mut NettraceRecording,
    name: String,
    file_bytes: u64,
    progress: &Progress,
) -> Result<SampleTree, GrowError> {
    recording.finish();
    let metrics = Metrics::of(recording);
    let source = Source::read_here(name, NAME, ProfileKind::Sampling, facts(recording));
    let mut grown = ProfileAssembly::new(source, "All threads", metrics.list.clone());
    let threads = add_threads(&mut grown, recording)?;
    let has_content = recording.has_content();
    let (mut samples, mut amounts) = recording.take_events();
    let activities = Activities::of(&samples);
    let unknown = ResolvedFrame {
        frame: grown.frames.intern(FrameKind::Special, UNKNOWN_FRAME, ""),
        is_resolved: false,
        thread_name: "",
    };
    let max_nodes = max_nodes(&metrics.list, file_bytes);
    let mut grower = Grower {
        recording,
        stacks: &recording.stacks,
        by_address: HashMap::default(),
        spaces: recording.spaces.iter().map(|_| None).collect(),
        unknown,
        max_nodes,
        again: LookupLimit::of(file_bytes),
        by_stack: HashMap::default(),
        threads,
        tree: SampleTree {
            grown,
            metrics,
            places: Vec::new(),
            log: SampleLog::default(),
            activities,
            has_content,
            outdated: 0,
        },
        progress,
        work: 0,
    };
    grower.add_all(&mut samples, &mut amounts)?;
    grower.name_threads();
    let Grower { mut tree, .. } = grower;
    (tree.log, tree.grown.markers) = log_of(
        recording,
        (samples, amounts),
        &tree.metrics,
        &mut tree.grown.frames,
    );
    Ok(tree)
}

/// Adds the nodes of all threads, below those of their processes if there are several. Their frames are set once their
/// names are known.
fn add_threads(
    grown: &mut ProfileAssembly,
    recording: &NettraceRecording,
) -> Result<Vec<ThreadNode>, TooLarge> {
    let ids: Vec<SpaceId> = recording.threads.iter().map(|(key, _)| key.space).collect();
    let tops = grown.add_processes(&ids, |row| {
        let space = recording.spaces.get(ids[row]);
        let (id, name) = (space.id, space.name.clone());
        (process_title(id, &name), FileProcess { id, name })
    })?;
    let unnamed = grown.builder.frame(TreeBuilder::ROOT);
    let mut threads = Vec::with_capacity(tops.len());
    for ((&key, name), above) in recording.threads.iter().zip(tops) {
        threads.push(ThreadNode {
            node: grown.builder.add(above, unnamed)?,
            key,
            name: name.into(),
        });
    }
    Ok(threads)
}

/// The frame of an address.
#[derive(Clone, Copy)]
struct ResolvedFrame {
    frame: FrameId,
    /// Whether it is a method with a name.
    is_resolved: bool,
    /// The thread name that this frame implies, or the empty string.
    thread_name: &'static str,
}

/// The current meaning of addresses in a process.
struct SpaceNow<'a> {
    view: SpaceView<'a>,
    /// Incremented when addresses change their meaning. Results for an address or a stack are valid only in the
    /// generation they were found in.
    generation: u32,
    by_method: Vec<Option<ResolvedFrame>>,
    by_native: HashMap<NativeId, ResolvedFrame, foldhash::fast::RandomState>,
}

struct Grower<'a> {
    recording: &'a NettraceRecording,
    stacks: &'a Stacks,
    /// By process; `None` for those without samples.
    spaces: Vec<Option<SpaceNow<'a>>>,
    unknown: ResolvedFrame,
    by_address: HashMap<(SpaceId, AddressId), (u32, ResolvedFrame), foldhash::fast::RandomState>,
    by_stack: HashMap<(ThreadId, StackId), usize, foldhash::fast::RandomState>,
    max_nodes: u64,
    again: LookupLimit,
    threads: Vec<ThreadNode>,
    tree: SampleTree,
    progress: &'a Progress,
    /// Counts steps between progress reports.
    work: u32,
}

impl<'a> Grower<'a> {
    /// Adds all events in time order; samples precede amounts with the same time. Their stacks are replaced with the
    /// nodes where they end.
    fn add_all(
        &mut self,
        samples: &mut [Sample],
        amounts: &mut [SampledAmount],
    ) -> Result<(), GrowError> {
        let mut amounts = amounts.iter_mut().peekable();
        for sample in samples {
            while let Some(amount) = amounts.next_if(|amount| amount.time < sample.time) {
                self.add_amount(amount)?;
            }
            let node = self.add(sample.time, sample.thread(), sample.stack, true)?;
            sample.stack = StackId::ending_at(node);
        }
        amounts.try_for_each(|amount| self.add_amount(amount))
    }

    fn add_amount(&mut self, amount: &mut SampledAmount) -> Result<(), GrowError> {
        let is_sample = self.counts(amount.what);
        let node = self.add(amount.time, amount.thread, amount.stack, is_sample)?;
        amount.stack = StackId::ending_at(node);
        Ok(())
    }

    fn add(
        &mut self,
        time: u64,
        thread: ThreadId,
        stack: StackId,
        is_sample: bool,
    ) -> Result<RawNode, GrowError> {
        let place = self.place_at(time, thread, stack)?;
        let place = &mut self.tree.places[place];
        place.samples += u64::from(is_sample);
        Ok(place.node)
    }

    /// Whether an amount is a sample, see [`Metrics::of`].
    fn counts(&self, what: AmountKind) -> bool {
        what == AmountKind::Cpu && self.tree.metrics.wall.is_none()
    }

    /// The row of a stack's place on a thread at a time.
    fn place_at(
        &mut self,
        time: u64,
        thread: ThreadId,
        stack: StackId,
    ) -> Result<usize, GrowError> {
        self.tick()?;
        let space = self.threads[thread.index()].key.space;
        let recording = self.recording;
        let now = self.spaces[space.index()].get_or_insert_with(|| {
            let view = recording.spaces.view(space);
            let by_method = vec![None; view.code().method_count()];
            SpaceNow {
                by_method,
                by_native: HashMap::default(),
                view,
                generation: 1,
            }
        });
        if now.view.advance(time) {
            now.generation = now.generation.wrapping_add(1);
        }
        let generation = now.generation;
        self.place(thread, stack, generation)
    }

    fn tick(&mut self) -> Result<(), GrowError> {
        self.work = self.work.wrapping_add(1);
        if self.work.is_multiple_of(4096) {
            let nodes = self.tree.grown.builder.len();
            self.progress.at(nodes)?;
            if nodes as u64 > self.max_nodes {
                return Err(GrowError::TooLarge);
            }
        }
        Ok(())
    }

    /// Whether to reuse a place, because nothing changed since or the lookup limit is reached.
    fn may_keep(&mut self, place: usize, generation: u32) -> bool {
        let place = &self.tree.places[place];
        if place.generation == generation {
            return true;
        }
        let is_outdated = !self.again.takes(place.depth);
        self.tree.outdated += u64::from(is_outdated);
        is_outdated
    }

    /// The row of a stack's place on a thread.
    fn place(
        &mut self,
        thread: ThreadId,
        stack: StackId,
        generation: u32,
    ) -> Result<usize, GrowError> {
        if let Some(&known) = self.by_stack.get(&(thread, stack))
            && self.may_keep(known, generation)
        {
            return Ok(known);
        }
        let mut place = StackLeaf {
            node: self.threads[thread.index()].node,
            generation,
            ..StackLeaf::default()
        };
        let stacks = self.stacks;
        let space = self.threads[thread.index()].key.space;
        for (index, address) in stacks.outermost_first(stack).enumerate() {
            self.tick()?;
            let named = self.named(space, address);
            place.node = self.tree.grown.builder.merge(place.node, named.frame)?;
            place.depth += 1;
            place.unresolved += u32::from(!named.is_resolved);
            if index == 0 {
                place.root = if named.is_resolved {
                    Root::Frame(named.frame)
                } else {
                    Root::Address(address)
                };
            }
            let name = &mut self.threads[thread.index()].name;
            if index < THREAD_NAME_DEPTH && name.is_empty() {
                *name = named.thread_name.into();
            }
        }
        let row = self.tree.places.len();
        self.tree.places.push(place);
        self.by_stack.insert((thread, stack), row);
        Ok(row)
    }

    /// The current meaning of an address in a process.
    fn named(&mut self, space: SpaceId, address: AddressId) -> ResolvedFrame {
        let Some(Some(now)) = self.spaces.get_mut(space.index()) else {
            return self.unknown;
        };
        match self.by_address.get(&(space, address)) {
            Some((generation, named)) if *generation == now.generation => return *named,
            _ => {}
        }
        let frames = &mut self.tree.grown.frames;
        let named = match now.view.find(self.stacks.address(address)) {
            Some(Owner::Method(method)) => {
                let code = now.view.code();
                *now.by_method[method.index()]
                    .get_or_insert_with(|| name_method(frames, code, method))
            }
            Some(Owner::Native(native)) => *now.by_native.entry(native).or_insert_with(|| {
                let (kind, name) = self.recording.spaces.native_name(native);
                ResolvedFrame {
                    frame: frames.intern(kind, &name, ""),
                    is_resolved: native.is_named(),
                    thread_name: "",
                }
            }),
            None => self.unknown,
        };
        self.by_address
            .insert((space, address), (now.generation, named));
        named
    }

    fn name_threads(&mut self) {
        let grown = &mut self.tree.grown;
        for ThreadNode { node, key, name } in std::mem::take(&mut self.threads) {
            let is_main = key.id == self.recording.spaces.get(key.space).id;
            let name = if is_main { MAIN_THREAD.into() } else { name };
            let id = key.id.to_string();
            let title = thread_title(&id, &name);
            let frame = grown.frames.intern(FrameKind::Thread, &title, "");
            grown.builder.set_frame(node, frame);
            grown.threads.push(Thread { node, id, name });
        }
    }
}

fn name_method(frames: &mut Frames, code: &Code, method: MethodId) -> ResolvedFrame {
    let name = code.frame_name(method);
    ResolvedFrame {
        frame: frames.intern(FrameKind::Method, &name, ""),
        is_resolved: code.is_named(method),
        thread_name: thread_name(&name),
    }
}
