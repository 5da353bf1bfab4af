//! The call tree: threads, below them methods, and the time of the samples.

use super::amounts::What;
use super::code::{Code, MethodId};
use super::metrics::Metrics;
use super::recording::Recording;
use super::spaces::{NativeId, Owner, SpaceId, Spaces, View};
use super::stacks::{AddressId, StackId, Stacks};
use super::threads::{ThreadId, ThreadKey};
use super::values::{Event, Told, Values, events};
use crate::importers::Progress;
use crate::importers::dotnet::{
    MAIN_THREAD, THREAD_NAME_DEPTH, UNKNOWN_FRAME, process_title, thread_name, thread_title,
};
use crate::importers::error::GrowError;
use crate::importers::truncation::{self, Mended, Moment, Tally};
use crate::model::{FrameId, FrameKind, Frames, MetricId, RawNode, TooLarge, TreeBuilder, Truncation};
use std::collections::HashMap;

/// A file has no more different call places than this and one for every two bytes: a crafted one must not fill the memory.
const MIN_NODE_LIMIT: u64 = 1 << 20;
/// Stacks are looked up again for no more frames than this and two for every byte: few bytes can change the method of one
/// address of a huge stack. Real files stay far below, because methods that the rundown has change nothing.
const MIN_AGAIN_LIMIT: u64 = 1 << 20;

/// A stack on a thread: where it ends in the tree.
pub(super) struct Place {
    node: RawNode,
    /// See [`SpaceNow::generation`].
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
    pub key: ThreadKey,
    /// What the file says or, if it says nothing, what the thread's frames tell.
    pub name: String,
}

/// A process of the tree.
pub(super) struct ProcessNode {
    pub node: RawNode,
    pub space: SpaceId,
}

/// What became of the samples.
pub(super) struct Grown {
    pub frames: Frames,
    /// The tree as it was recorded. It has no values where truncated stacks were mended.
    pub builder: TreeBuilder,
    /// The tree with and without its truncated stacks mended, if there are any.
    pub mended: Option<(Mended, Truncation)>,
    pub metrics: Metrics,
    pub threads: Vec<ThreadNode>,
    /// Empty if the threads are of one process, which then is the whole tree.
    pub processes: Vec<ProcessNode>,
    pub places: Vec<Place>,
    /// Where the stack of each event ends in `builder`.
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
    let metrics = Metrics::of(recording);
    let mut frames = Frames::default();
    let root = frames.intern(FrameKind::Root, "All threads", "");
    let builder = TreeBuilder::new(root, &metrics.list);
    let mut grown = Grown {
        frames,
        builder,
        mended: None,
        metrics,
        threads: Vec::new(),
        processes: Vec::new(),
        places: Vec::new(),
        moments: Vec::new(),
        outdated: 0,
        has_cpu: false,
    };
    grown.add_threads(recording)?;
    let unknown = Named {
        frame: grown.frames.intern(FrameKind::Special, UNKNOWN_FRAME, ""),
        is_resolved: false,
        thread_name: "",
    };
    let mut grower = Grower {
        recording,
        stacks: &recording.stacks,
        by_address: HashMap::default(),
        spaces: recording.spaces.iter().map(|_| None).collect(),
        unknown,
        node_limit: (MIN_NODE_LIMIT + file_bytes / 2).min(u64::from(u32::MAX)),
        again_limit: MIN_AGAIN_LIMIT.saturating_add(file_bytes.saturating_mul(2)),
        by_stack: HashMap::default(),
        grown,
        progress,
        work: 0,
    };
    events(recording).try_for_each(|event| grower.add(&event))?;
    let mut grown = grower.grown;
    grown.name_threads(&recording.spaces);
    grown.give_values(recording)?;
    Ok(grown)
}

impl Grown {
    /// Adds the nodes of all threads, below those of their processes if there are several. They get their own frames once it
    /// is known what they are.
    fn add_threads(&mut self, recording: &Recording) -> Result<(), TooLarge> {
        let keys = || recording.threads.iter().map(|(&key, _)| key);
        let has_several = keys().any(|key| keys().next().is_some_and(|first| first.space != key.space));
        let unnamed = self.builder.frame(TreeBuilder::ROOT);
        let mut nodes: HashMap<SpaceId, RawNode> = HashMap::new();
        for (&key, name) in recording.threads.iter() {
            let above = match nodes.get(&key.space) {
                _ if !has_several => TreeBuilder::ROOT,
                Some(&known) => known,
                None => {
                    let space = recording.spaces.get(key.space);
                    let frame = self.frames.intern(FrameKind::Process, &process_title(space.id, &space.name), "");
                    let node = self.builder.add(TreeBuilder::ROOT, frame)?;
                    self.processes.push(ProcessNode { node, space: key.space });
                    nodes.insert(key.space, node);
                    node
                }
            };
            let node = self.builder.add(above, unnamed)?;
            self.threads.push(ThreadNode { node, key, name: name.into() });
        }
        Ok(())
    }

    /// Mends truncated stacks if there are any, and gives the tree or the two trees their values.
    fn give_values(&mut self, recording: &Recording) -> Result<(), TooLarge> {
        let values = Values::new(recording, &self.metrics, &mut self.frames);
        let tracks: Vec<RawNode> = self.threads.iter().map(|thread| thread.node).collect();
        let moments = std::mem::take(&mut self.moments);
        let mended = truncation::mend(&self.builder, &tracks, &moments, true, &mut self.frames, &self.metrics.list)?;
        let Some(mut mended) = mended else {
            self.has_cpu = values.give(&mut self.builder, |row| moments[row].node, |_| {})?;
            return Ok(());
        };
        let Mended { limit, marked, marked_places, mended: tree, places, fates, .. } = &mut mended;
        values.give(marked, |row| marked_places[moments[row].node.0 as usize], |_| {})?;
        let mut tally = Tally::new(tracks.len());
        let tell = |told: Told| tally.add(told.thread.index(), fates[told.row], told.samples, told.value);
        self.has_cpu = values.give(tree, |row| places[row], tell)?;
        let metric = self.metrics.wall.or(self.metrics.cpu).unwrap_or(MetricId(0));
        let truncation = tally.finish(*limit, metric, self.metrics.samples.is_some());
        self.mended = Some((mended, truncation));
        Ok(())
    }

    fn name_threads(&mut self, spaces: &Spaces) {
        for thread in &mut self.threads {
            if thread.key.id == spaces.get(thread.key.space).id {
                thread.name = MAIN_THREAD.into();
            }
            let title = thread_title(&thread.key.id.to_string(), &thread.name);
            let frame = self.frames.intern(FrameKind::Thread, &title, "");
            self.builder.set_frame(thread.node, frame);
        }
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

/// What the addresses of a process mean.
struct SpaceNow<'a> {
    view: View<'a>,
    /// Grows when addresses come to mean other methods. What was found for an address or a stack is valid in the
    /// generation in which it was found.
    generation: u32,
    by_method: Vec<Option<Named>>,
    by_native: HashMap<NativeId, Named, foldhash::fast::RandomState>,
}

struct Grower<'a> {
    recording: &'a Recording,
    stacks: &'a Stacks,
    /// Of each process that has a sample.
    spaces: Vec<Option<SpaceNow<'a>>>,
    unknown: Named,
    by_address: HashMap<(SpaceId, AddressId), (u32, Named), foldhash::fast::RandomState>,
    by_stack: HashMap<(ThreadId, StackId), usize, foldhash::fast::RandomState>,
    node_limit: u64,
    /// For how many more frames stacks are looked up again.
    again_limit: u64,
    grown: Grown,
    progress: &'a Progress,
    /// Counts steps between looks at the progress.
    work: u32,
}

impl<'a> Grower<'a> {
    fn add(&mut self, event: &Event<'_>) -> Result<(), GrowError> {
        let (time, thread, stack, is_sample) = match event {
            Event::Sample(sample) => (sample.time, sample.thread(), sample.stack, sample.activity().is_sample()),
            Event::Amount(amount) => (amount.time, amount.thread, amount.stack, self.counts(amount.what)),
        };
        let place = self.place_at(time, thread, stack)?;
        let place = &mut self.grown.places[place];
        self.grown.moments.push(Moment { node: place.node, is_rest: false });
        place.samples += u64::from(is_sample);
        Ok(())
    }

    /// Whether an amount is a sample, see [`Metrics::of`].
    fn counts(&self, what: What) -> bool {
        what == What::Cpu && self.grown.metrics.wall.is_none()
    }

    /// The place of a stack on a thread at a time, by its row.
    fn place_at(&mut self, time: u64, thread: ThreadId, stack: StackId) -> Result<usize, GrowError> {
        self.tick()?;
        let space = self.grown.threads[thread.index()].key.space;
        let recording = self.recording;
        let now = self.spaces[space.index()].get_or_insert_with(|| {
            let view = recording.spaces.view(space);
            let by_method = vec![None; view.code().method_count()];
            SpaceNow { by_method, by_native: HashMap::default(), view, generation: 1 }
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
            let nodes = self.grown.builder.len();
            self.progress.at(nodes)?;
            if nodes as u64 > self.node_limit {
                return Err(GrowError::TooLarge { limit: self.node_limit });
            }
        }
        Ok(())
    }

    /// Whether a place is taken as it is: nothing changed since, or too much was looked up again already.
    fn may_keep(&mut self, place: usize, generation: u32) -> bool {
        let place = &self.grown.places[place];
        if place.generation == generation {
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
    fn place(&mut self, thread: ThreadId, stack: StackId, generation: u32) -> Result<usize, GrowError> {
        if let Some(&known) = self.by_stack.get(&(thread, stack))
            && self.may_keep(known, generation)
        {
            return Ok(known);
        }
        let mut place = Place {
            node: self.grown.threads[thread.index()].node,
            generation,
            root: Root::Nothing,
            depth: 0,
            unresolved: 0,
            samples: 0,
        };
        let stacks = self.stacks;
        let space = self.grown.threads[thread.index()].key.space;
        for (index, address) in stacks.outermost_first(stack).enumerate() {
            self.tick()?;
            let named = self.named(space, address);
            place.node = self.grown.builder.merge(place.node, named.frame)?;
            place.depth += 1;
            place.unresolved += u32::from(!named.is_resolved);
            if index == 0 {
                place.root = if named.is_resolved { Root::Frame(named.frame) } else { Root::Address(address) };
            }
            let name = &mut self.grown.threads[thread.index()].name;
            if index < THREAD_NAME_DEPTH && name.is_empty() {
                *name = named.thread_name.into();
            }
        }
        let row = self.grown.places.len();
        self.grown.places.push(place);
        self.by_stack.insert((thread, stack), row);
        Ok(row)
    }

    /// What an address of a process stands for now.
    fn named(&mut self, space: SpaceId, address: AddressId) -> Named {
        let Some(Some(now)) = self.spaces.get_mut(space.index()) else { return self.unknown };
        if let Some((_, named)) =
            self.by_address.get(&(space, address)).filter(|(generation, _)| *generation == now.generation)
        {
            return *named;
        }
        let frames = &mut self.grown.frames;
        let named = match now.view.find(self.stacks.address(address)) {
            Some(Owner::Method(method)) => {
                let code = now.view.code();
                *now.by_method[method.index()].get_or_insert_with(|| name_method(frames, code, method))
            }
            Some(Owner::Native(native)) => *now.by_native.entry(native).or_insert_with(|| {
                let (kind, name) = self.recording.spaces.native_name(native);
                Named { frame: frames.intern(kind, &name, ""), is_resolved: native.is_named(), thread_name: "" }
            }),
            None => self.unknown,
        };
        self.by_address.insert((space, address), (now.generation, named));
        named
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
