use super::{
    Built, FrameId, Frames, NodeId, Process, RawNode, Thread, TooLarge, TreeBuilder, View,
};

pub struct DerivedTree<'a> {
    pub view: &'a View,
    pub builder: TreeBuilder,
    /// By raw node, the node of the view it comes from; the first of several.
    pub sources: Vec<NodeId>,
}

pub struct RemadeTree {
    pub frames: Frames,
    pub built: Built,
    pub origins: Vec<NodeId>,
    pub processes: Vec<Process>,
    /// Each with the indices of the view's threads that it consists of.
    pub threads: Vec<(Thread, Vec<usize>)>,
}

impl<'a> DerivedTree<'a> {
    pub fn new(view: &'a View, frame: FrameId, source: NodeId) -> DerivedTree<'a> {
        DerivedTree {
            view,
            builder: TreeBuilder::new(frame, &view.recording.metrics),
            sources: vec![source],
        }
    }

    pub fn add(
        &mut self,
        caller: RawNode,
        frame: FrameId,
        source: NodeId,
    ) -> Result<RawNode, TooLarge> {
        let node = self.builder.add(caller, frame)?;
        self.sources.push(source);
        Ok(node)
    }

    pub fn merge(
        &mut self,
        caller: RawNode,
        frame: FrameId,
        source: NodeId,
    ) -> Result<RawNode, TooLarge> {
        let node = self.builder.merge(caller, frame)?;
        if node.0 as usize == self.sources.len() {
            self.sources.push(source);
        }
        Ok(node)
    }

    pub fn add_values(&mut self, node: RawNode, source: NodeId) {
        let tree = &self.view.tree;
        for metric in self.view.recording.metric_ids() {
            let inclusive = tree.inclusive(metric, source);
            let exclusive = tree.exclusive(metric, source);
            let count = tree.count(metric, source).unwrap_or(0);
            self.builder
                .add_values(metric, node, inclusive, exclusive, count);
        }
    }

    pub fn finish(
        self,
        frames: Frames,
        processes: Vec<Process<RawNode>>,
        threads: Vec<(Thread<RawNode>, Vec<usize>)>,
    ) -> RemadeTree {
        let order_by = self.view.recording.default_metric;
        let built: Built = self.builder.finish(&frames, order_by);
        let process = |process: Process<RawNode>| process.at(|node| built.node(node));
        let thread = |(thread, rows): (Thread<RawNode>, Vec<usize>)| {
            (thread.at(|node| built.node(node)), rows)
        };
        RemadeTree {
            origins: built.by_node(self.sources, NodeId::ROOT),
            processes: processes.into_iter().map(process).collect(),
            threads: threads.into_iter().map(thread).collect(),
            frames,
            built,
        }
    }

    pub fn finish_with_threads(
        self,
        frames: Frames,
        place: impl Fn(NodeId) -> RawNode,
    ) -> RemadeTree {
        let processes = self.view.processes.iter();
        let processes = processes.map(|process| process.clone().at(&place));
        let threads = (0..).zip(self.view.threads.iter());
        let threads = threads.map(|(row, thread)| (thread.clone().at(&place), vec![row]));
        let (processes, threads) = (processes.collect(), threads.collect());
        self.finish(frames, processes, threads)
    }
}
