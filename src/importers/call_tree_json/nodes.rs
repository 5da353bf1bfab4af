use super::header::{DocumentHeader, MAX_METRICS};
use super::ids::Ids;
use super::names::{NameTable, Slot};
use crate::importers::messages;
use crate::input::json::{
    JsonError, JsonKind, JsonProblem, JsonReader, Literal, RawString, in_member,
};
use crate::model::{CountKind, FrameId, Frames, Metric, MetricId, RawNode, TooLarge, TreeBuilder};
use crate::names::FrameKind;
use crate::words::words;
use std::io::Read;

/// A crafted second half may close more callers than were opened.
const MAX_ENDED_CALLERS: usize = 1 << 20;
const NODES_PER_REPORT: usize = 4096;

const MAIN: MetricId = MetricId(0);

#[derive(Default)]
struct OpenObject {
    node: RawNode,
    name: Option<Slot>,
    signature: Option<Slot>,
    thread_name: Option<Slot>,
    kind: Option<FrameKind>,
    id_key: u64,
    inclusive: Option<u64>,
    exclusive: Option<u64>,
    count: u64,
    callees: u64,
}

impl OpenObject {
    fn at(node: RawNode) -> OpenObject {
        OpenObject {
            node,
            ..OpenObject::default()
        }
    }
}

pub(super) struct EndedCaller {
    pub offset: u64,
    /// The sum of the inclusive values of its callees in the second half.
    pub callees: u64,
    pub nodes: usize,
    pub frames: usize,
    pub threads: usize,
}

pub(super) struct RawThread {
    pub node: RawNode,
    pub id_key: u64,
    pub thread_name: Option<String>,
    pub name: String,
}

#[derive(Clone, Copy)]
pub(super) struct NodeColumn {
    pub scale: u64,
    pub has_counts: bool,
}

/// Has an explicit stack of open nodes instead of recursion.
#[derive(Default)]
pub(super) struct Nodes {
    pub builder: TreeBuilder,
    pub frames: Frames,
    pub columns: Vec<NodeColumn>,
    /// Of the first metric, if its member says so.
    pub stated_counts: Option<CountKind>,
    pub threads: Vec<RawThread>,
    pub ids: Ids,
    /// values that were negative or too large
    pub clamped_values: u64,
    pub nameless_nodes: u64,
    /// how many nodes have an unknown kind, and the first such kind
    pub unknown_kinds: Option<(String, u64)>,
    names: NameTable,
    open: Vec<OpenObject>,
}

impl Nodes {
    pub(super) fn new(header: &DocumentHeader) -> Nodes {
        let main = NodeColumn {
            scale: header.unit_and_scale().1,
            has_counts: false,
        };
        let others = header.snapshot.other_metrics.iter().take(MAX_METRICS - 1);
        let columns = others.clone().map(|row| NodeColumn {
            scale: row.unit().stored_per_unit(),
            has_counts: false,
        });
        let mut builder = TreeBuilder::new(
            FrameId(0),
            &[Metric::time("", header.main_metric(true, None).counts)],
        );
        for row in others {
            builder.add_metric(row.counts_or(Some(CountKind::Unknown)).is_some());
        }
        Nodes {
            builder,
            columns: std::iter::once(main).chain(columns).collect(),
            ..Nodes::default()
        }
    }

    /// Reads from a node whose callers are unknown, up to any error. Returns the ended callers, innermost first.
    pub(super) fn read_rest<R: Read>(
        &mut self,
        reader: &mut JsonReader<R>,
        header: &DocumentHeader,
    ) -> Vec<EndedCaller> {
        self.open.push(OpenObject::at(TreeBuilder::ROOT));
        let mut ended_callers = Vec::new();
        let _ = self.read(reader, header, None, Some(&mut ended_callers));
        ended_callers
    }

    /// Reads `call_tree` up to a node that begins at the offset `until`. Returns whether it stopped there; the next
    /// call continues.
    pub(super) fn read<R: Read>(
        &mut self,
        reader: &mut JsonReader<R>,
        header: &DocumentHeader,
        until: Option<u64>,
        mut ended_callers: Option<&mut Vec<EndedCaller>>,
    ) -> Result<bool, JsonError> {
        let mut is_node_due = true;
        let mut order = Order::default();
        loop {
            if is_node_due {
                if until == Some(reader.offset()) {
                    return Ok(true);
                }
                let member = match self.open.is_empty() {
                    true => "call_tree",
                    false => NodeMember::Children.name(),
                };
                self.enter(reader).map_err(in_member(member))?;
                is_node_due = false;
                order.begin();
            }
            let member = if let Some(guessed) = order.take(reader) {
                Some(guessed)
            } else if let Some(key) = reader.next_raw_key()? {
                let member = match NodeMember::with_key(key.bytes()) {
                    // unknown, or spelled with escapes
                    None => NodeMember::with_key(key.decode()?.as_bytes()),
                    known => known,
                };
                order.note(member);
                member
            } else {
                self.close(false);
                is_node_due = match (self.open.len(), &mut ended_callers) {
                    (0, _) => {
                        reader.report_nodes(self.builder.len());
                        return Ok(false);
                    }
                    (1, Some(ended_callers)) => match self.climb(reader, ended_callers)? {
                        true => true,
                        false => return Ok(false),
                    },
                    _ => reader
                        .next_element()
                        .map_err(in_member(NodeMember::Children.name()))?,
                };
                order.continue_after(NodeMember::Children);
                continue;
            };
            match member {
                Some(NodeMember::Children) => self
                    .enter_children(reader)
                    .map(|is_child_due| is_node_due = is_child_due),
                Some(member) => self.read_member(reader, header, member),
                None => reader.skip(),
            }
            .map_err(in_member(member.map_or("call_tree", NodeMember::name)))?;
        }
    }

    pub(super) fn has_any_name(&self) -> bool {
        !self.frames.is_empty() || self.open.iter().any(|open| open.name.is_some())
    }

    pub(super) fn close_all(&mut self) {
        while !self.open.is_empty() {
            self.close(true);
        }
    }

    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    pub(super) fn open_nodes(&self) -> impl Iterator<Item = RawNode> {
        self.open.iter().map(|open| open.node)
    }

    /// Closes the innermost open node, some of whose callees were read separately.
    pub(super) fn close_with(&mut self, callees: u64) {
        if let Some(open) = self.open.last_mut() {
            open.callees = open.callees.saturating_add(callees);
        }
        self.close(false);
    }

    fn enter<R: Read>(&mut self, reader: &mut JsonReader<R>) -> Result<(), JsonError> {
        if self.builder.len().is_multiple_of(NODES_PER_REPORT) {
            reader.report_nodes(self.builder.len());
        }
        reader.enter_object()?;
        let node = match self.open.last() {
            None => TreeBuilder::ROOT,
            Some(parent) => self
                .builder
                .add(parent.node, FrameId(0))
                .map_err(|TooLarge| too_many_nodes(reader.offset()))?,
        };
        self.open.push(OpenObject::at(node));
        Ok(())
    }

    /// Moves on from a node whose callers are unknown. Returns whether another node follows before any caller has
    /// another member.
    fn climb<R: Read>(
        &mut self,
        reader: &mut JsonReader<R>,
        ended_callers: &mut Vec<EndedCaller>,
    ) -> Result<bool, JsonError> {
        while !reader.next_element()? {
            if ended_callers.len() == MAX_ENDED_CALLERS || reader.next_raw_key()?.is_some() {
                return Ok(false);
            }
            ended_callers.push(EndedCaller {
                offset: reader.offset(),
                callees: std::mem::take(&mut self.open[0].callees),
                nodes: self.builder.len(),
                frames: self.frames.len(),
                threads: self.threads.len(),
            });
        }
        Ok(true)
    }

    #[inline]
    fn enter_children<R: Read>(&mut self, reader: &mut JsonReader<R>) -> Result<bool, JsonError> {
        if reader.take_null()? {
            return Ok(false);
        }
        reader.enter_array()?;
        reader.next_element()
    }

    #[inline]
    fn read_member<R: Read>(
        &mut self,
        reader: &mut JsonReader<R>,
        header: &DocumentHeader,
        member: NodeMember,
    ) -> Result<(), JsonError> {
        if reader.take_null()? {
            return Ok(());
        }
        let Some(open) = self.open.last_mut() else {
            return Ok(());
        };
        match member {
            NodeMember::Id => {
                let node = open.node;
                open.id_key = match reader.peek()? {
                    JsonKind::Number => {
                        self.ids.push(node, "");
                        header.id_key(reader.number()?.text().as_bytes())
                    }
                    _ => {
                        let id = reader.raw_string()?;
                        let id = id.decode()?;
                        self.ids.push(node, &id);
                        header.id_key(id.as_bytes())
                    }
                };
            }
            NodeMember::Name => open.name = Some(self.names.slot(&reader.raw_string()?)?),
            NodeMember::Signature => open.signature = Some(self.names.slot(&reader.raw_string()?)?),
            NodeMember::ThreadName => {
                open.thread_name = Some(self.names.slot(&reader.raw_string()?)?)
            }
            NodeMember::Kind => {
                const METHOD: Literal = Literal::string("method");
                open.kind = match reader.take_value(&METHOD) {
                    true => Some(FrameKind::Method),
                    false => kind_of(&reader.raw_string()?, &mut self.unknown_kinds)?,
                };
            }
            NodeMember::Inclusive | NodeMember::Exclusive => {
                let scaled = reader.number()?.scaled(self.columns[0].scale);
                self.clamped_values += u64::from(scaled.is_clamped);
                match member {
                    NodeMember::Inclusive => open.inclusive = Some(scaled.value),
                    _ => open.exclusive = Some(scaled.value),
                }
            }
            NodeMember::Calls | NodeMember::Samples | NodeMember::Counts => {
                self.stated_counts = match member {
                    NodeMember::Samples => Some(CountKind::Samples),
                    NodeMember::Counts => Some(CountKind::Unknown),
                    _ => self.stated_counts,
                };
                let scaled = reader.number()?.scaled(1);
                self.clamped_values += u64::from(scaled.is_clamped);
                open.count = scaled.value;
                self.columns[0].has_counts = true;
            }
            NodeMember::Other => {
                let node = open.node;
                return self.read_other(reader, node);
            }
            NodeMember::Children => {}
        }
        Ok(())
    }

    fn read_other<R: Read>(
        &mut self,
        reader: &mut JsonReader<R>,
        node: RawNode,
    ) -> Result<(), JsonError> {
        reader.enter_array()?;
        let mut index = 0;
        while reader.next_element()? {
            index += 1;
            if index >= MAX_METRICS {
                reader.skip()?;
                continue;
            }
            if index == self.columns.len() {
                // not declared yet: a time, until the header says otherwise
                self.columns.push(NodeColumn {
                    scale: 1_000_000,
                    has_counts: false,
                });
                self.builder.add_metric(true);
            }
            let (mut values, mut place) = ([0; 3], 0);
            reader.enter_array()?;
            while reader.next_element()? {
                if place < values.len() && !reader.take_null()? {
                    let is_count = place == 2;
                    let scale = if is_count {
                        1
                    } else {
                        self.columns[index].scale
                    };
                    let scaled = reader.number()?.scaled(scale);
                    self.clamped_values += u64::from(scaled.is_clamped);
                    self.columns[index].has_counts |= is_count;
                    values[place] = scaled.value;
                } else if place >= values.len() {
                    reader.skip()?;
                }
                place += 1;
            }
            // the last of repeated members counts, even if it is shorter
            self.builder.set_values(MetricId::at(index), node, values);
        }
        for rest in index + 1..self.columns.len() {
            self.builder.set_values(MetricId::at(rest), node, [0; 3]);
        }
        Ok(())
    }

    /// `is_cut`: its object did not end.
    #[inline]
    fn close(&mut self, is_cut: bool) {
        let Some(open) = self.open.pop() else { return };
        let exclusive = match (open.exclusive, open.inclusive) {
            (Some(given), _) => given,
            (None, Some(inclusive)) if !is_cut => inclusive.saturating_sub(open.callees),
            (None, _) => 0,
        };
        let inclusive = open
            .inclusive
            .unwrap_or(exclusive.saturating_add(open.callees))
            .max(exclusive);
        let is_root = open.node == TreeBuilder::ROOT;
        let kind = open.kind.unwrap_or(if is_root {
            FrameKind::Root
        } else {
            FrameKind::Method
        });
        let frame = match open.name {
            Some(name) => self
                .names
                .frame(&mut self.frames, kind, name, open.signature),
            None => self.nameless(kind, is_cut),
        };
        self.builder.set_frame(open.node, frame);
        self.builder
            .add_values(MAIN, open.node, inclusive, exclusive, open.count);
        if let Some(parent) = self.open.last_mut() {
            parent.callees = parent.callees.saturating_add(inclusive);
        }
        if kind == FrameKind::Thread
            || (is_root && kind != FrameKind::Root && open.thread_name.is_some())
        {
            self.threads.push(RawThread {
                node: open.node,
                id_key: open.id_key,
                thread_name: open
                    .thread_name
                    .map(|slot| self.names.text(slot).to_string()),
                name: self.frames.name(frame).to_string(),
            });
        }
    }

    #[cold]
    fn nameless(&mut self, kind: FrameKind, is_cut: bool) -> FrameId {
        match kind {
            FrameKind::Root => self.frames.intern(kind, "All threads", ""),
            FrameKind::Process => self.frames.intern(kind, "Process", ""),
            FrameKind::Thread => self.frames.intern(kind, "Thread", ""),
            _ if is_cut => self.frames.intern(FrameKind::Special, "[Broken off]", ""),
            _ => {
                self.nameless_nodes += 1;
                self.frames.intern(FrameKind::Special, "[No name]", "")
            }
        }
    }
}

#[cold]
pub(super) fn too_many_nodes(offset: u64) -> JsonError {
    let problem = JsonProblem::Unexpected {
        expected: messages::NODE_LIMIT,
        found: "more".to_string(),
    };
    JsonError::new(offset, problem)
}

#[cold]
fn kind_of(
    raw: &RawString<'_>,
    unknown: &mut Option<(String, u64)>,
) -> Result<Option<FrameKind>, JsonError> {
    let name = raw.decode()?;
    let kind = FrameKind::named(&name);
    if kind.is_none() {
        unknown.get_or_insert_with(|| (name.into_owned(), 0)).1 += 1;
    }
    Ok(kind)
}

/// Most writers have a fixed order of members, so the next one can be guessed.
#[derive(Default)]
struct Order {
    /// what came last after each member; before them, what came first
    next: [Option<NodeMember>; 1 + NodeMember::ALL.len()],
    last: usize,
}

impl Order {
    fn begin(&mut self) {
        self.last = 0;
    }

    fn continue_after(&mut self, member: NodeMember) {
        self.last = 1 + member as usize;
    }

    #[inline]
    fn take<R: Read>(&mut self, reader: &mut JsonReader<R>) -> Option<NodeMember> {
        let guess = self.next[self.last].filter(|guess| reader.take_key(guess.key()))?;
        self.continue_after(guess);
        Some(guess)
    }

    fn note(&mut self, member: Option<NodeMember>) {
        if let Some(member) = member {
            self.next[self.last] = Some(member);
            self.continue_after(member);
        }
    }
}

words! {
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum NodeMember {
        Id = "id",
        Name = "name",
        Kind = "kind",
        Inclusive = "inclusive_time",
        Exclusive = "exclusive_time",
        Calls = "call_count",
        Samples = "sample_count",
        Counts = "count",
        ThreadName = "thread_name",
        Signature = "signature",
        Other = "other",
        Children = "children",
    }
}

impl NodeMember {
    #[inline]
    fn key(self) -> &'static Literal {
        static KEYS: [Literal; NodeMember::ALL.len()] = {
            let mut keys = [Literal::key(""); NodeMember::ALL.len()];
            let mut at = 0;
            while at < keys.len() {
                keys[at] = Literal::key(NodeMember::ALL[at].name());
                at += 1;
            }
            keys
        };
        &KEYS[self as usize]
    }

    #[inline]
    fn with_key(key: &[u8]) -> Option<NodeMember> {
        let mut all = NodeMember::ALL.into_iter();
        all.find(|member| member.name().as_bytes() == key)
    }
}
