//! The call tree: threads, their methods, and the time of the samples.

use super::log::log_of;
use super::metrics::Metrics;
use super::recording::{Activities, AmountKind, NettraceRecording, Sample, SampledAmount};
use super::spaces::{NativeId, Owner, SpaceId, SpaceView};
use super::stacks::{AddressId, StackId, Stacks};
use super::threads::ThreadId;
use crate::importers::assembly::{FileProcess, ProfileAssembly};
use crate::importers::dotnet::{
    MAIN_THREAD, THREAD_NAME_DEPTH, UNKNOWN_FRAME, process_title, thread_name,
};
use crate::importers::node_limit::GrowthLimits;
use crate::importers::runtime::{Code, MethodId};
use crate::input::Progress;
use crate::input::error::GrowError;
use crate::model::{FrameId, Frames, RawNode, SampleLog, Source, Thread, TooLarge, TreeBuilder};
use crate::names::FrameKind;
use std::collections::HashMap;

#[derive(Default)]
pub(super) struct StackLeaf {
    node: RawNode,
    generation: u32,
    pub root: Root,
    pub depth: u32,
    pub unresolved: u32,
    pub samples: u64,
}

/// What two stacks must share to have started alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum Root {
    #[default]
    Nothing,
    Frame(FrameId),
    Address(AddressId),
}

pub(super) struct SampleTree {
    pub grown: ProfileAssembly,
    pub metrics: Metrics,
    pub places: Vec<StackLeaf>,
    pub log: SampleLog,
    pub activities: Activities,
    pub has_content: bool,
    pub outdated: u64,
}

pub(super) fn grow(
    recording: &mut NettraceRecording,
    source: Source,
    file_bytes: u64,
    progress: &Progress,
) -> Result<SampleTree, GrowError> {
    let metrics = Metrics::of(recording);
    let mut grown = ProfileAssembly::new(source, "All threads", metrics.list.clone());
    add_threads(&mut grown, recording)?;
    let has_content = recording.has_content();
    let (mut samples, mut amounts) = recording.take_events();
    let activities = Activities::of(&samples);
    let unknown = ResolvedFrame {
        frame: grown.frames.intern(FrameKind::Special, UNKNOWN_FRAME, ""),
        is_resolved: false,
        thread_name: "",
    };
    let mut grower = StackTreeBuilder {
        recording,
        stacks: &recording.stacks,
        by_address: HashMap::default(),
        spaces: recording.spaces.iter().map(|_| None).collect(),
        unknown,
        by_stack: HashMap::default(),
        processes: recording.threads.iter().map(|(key, _)| key.space).collect(),
        limits: GrowthLimits::new(&metrics.list, file_bytes, progress),
        tree: SampleTree {
            grown,
            metrics,
            places: Vec::new(),
            log: SampleLog::default(),
            activities,
            has_content,
            outdated: 0,
        },
    };
    grower.add_all(&mut samples, &mut amounts)?;
    let StackTreeBuilder {
        mut tree, limits, ..
    } = grower;
    tree.outdated = limits.outdated;
    tree.grown.name_threads();
    (tree.log, tree.grown.markers) = log_of(
        recording,
        (samples, amounts),
        &tree.metrics,
        &mut tree.grown.frames,
    );
    Ok(tree)
}

fn add_threads(grown: &mut ProfileAssembly, recording: &NettraceRecording) -> Result<(), TooLarge> {
    let ids: Vec<SpaceId> = recording.threads.iter().map(|(key, _)| key.space).collect();
    let tops = grown.add_processes(&ids, |row| {
        let space = recording.spaces.get(ids[row]);
        let (id, name) = (space.id, space.name.clone());
        (process_title(id, &name), FileProcess { id, name })
    })?;
    let unnamed = grown.builder.frame(TreeBuilder::ROOT);
    for ((key, name), above) in recording.threads.iter().zip(tops) {
        let is_main = key.id == recording.spaces.get(key.space).id;
        grown.threads.push(Thread {
            node: grown.builder.add(above, unnamed)?,
            id: key.id.to_string(),
            name: if is_main { MAIN_THREAD } else { name }.into(),
        });
    }
    Ok(())
}

#[derive(Clone, Copy)]
struct ResolvedFrame {
    frame: FrameId,
    is_resolved: bool,
    /// The thread name that this frame implies, or the empty string.
    thread_name: &'static str,
}

struct CurrentSpace<'a> {
    view: SpaceView<'a>,
    /// Incremented when addresses change their meaning. Results for an address or a stack are valid only in the
    /// generation they were found in.
    generation: u32,
    by_method: Vec<Option<ResolvedFrame>>,
    by_native: HashMap<NativeId, ResolvedFrame, foldhash::fast::RandomState>,
}

struct StackTreeBuilder<'a> {
    recording: &'a NettraceRecording,
    stacks: &'a Stacks,
    spaces: Vec<Option<CurrentSpace<'a>>>,
    unknown: ResolvedFrame,
    by_address: HashMap<(SpaceId, AddressId), (u32, ResolvedFrame), foldhash::fast::RandomState>,
    by_stack: HashMap<(ThreadId, StackId), usize, foldhash::fast::RandomState>,
    processes: Vec<SpaceId>,
    limits: GrowthLimits<'a>,
    tree: SampleTree,
}

impl<'a> StackTreeBuilder<'a> {
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
            sample.stack = self.add(sample.time, sample.thread(), sample.stack, true)?;
        }
        amounts.try_for_each(|amount| self.add_amount(amount))
    }

    fn add_amount(&mut self, amount: &mut SampledAmount) -> Result<(), GrowError> {
        // see [`Metrics::of`]
        let is_sample = amount.kind == AmountKind::Cpu && self.tree.metrics.wall.is_none();
        amount.stack = self.add(amount.time, amount.thread, amount.stack, is_sample)?;
        Ok(())
    }

    /// Adds a stack of a thread. Returns it with the node where it ends.
    fn add(
        &mut self,
        time: u64,
        thread: ThreadId,
        stack: StackId,
        is_sample: bool,
    ) -> Result<StackId, GrowError> {
        self.limits.step(&self.tree.grown.builder)?;
        let space = self.processes[thread.index()];
        let recording = self.recording;
        let now = self.spaces[space.index()].get_or_insert_with(|| {
            let view = recording.spaces.view(space);
            let by_method = vec![None; view.code().method_count()];
            CurrentSpace {
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
        let place = self.insert_stack(thread, stack, generation)?;
        let place = &mut self.tree.places[place];
        place.samples += u64::from(is_sample);
        Ok(StackId::ending_at(place.node))
    }

    fn insert_stack(
        &mut self,
        thread: ThreadId,
        stack: StackId,
        generation: u32,
    ) -> Result<usize, GrowError> {
        if let Some(&row) = self.by_stack.get(&(thread, stack)) {
            let known = &self.tree.places[row];
            if known.generation == generation || !self.limits.may_look_up(known.depth.into()) {
                return Ok(row);
            }
        }
        let mut place = StackLeaf {
            node: self.tree.grown.threads[thread.index()].node,
            generation,
            ..StackLeaf::default()
        };
        let stacks = self.stacks;
        let space = self.processes[thread.index()];
        for (index, address) in stacks.outermost_first(stack).enumerate() {
            self.limits.step(&self.tree.grown.builder)?;
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
            let name = &mut self.tree.grown.threads[thread.index()].name;
            if index < THREAD_NAME_DEPTH && name.is_empty() {
                *name = named.thread_name.into();
            }
        }
        let row = self.tree.places.len();
        self.tree.places.push(place);
        self.by_stack.insert((thread, stack), row);
        Ok(row)
    }

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
                    is_resolved: native.symbol.is_some(),
                    thread_name: "",
                }
            }),
            None => self.unknown,
        };
        self.by_address
            .insert((space, address), (now.generation, named));
        named
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
