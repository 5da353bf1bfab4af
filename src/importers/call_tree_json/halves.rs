//! A call tree read by two threads, each a half of the file.
//!
//! The second half begins with some node, whose callers stand in the first: how many there are, and where the tree ends, is known
//! only once the first has been read. So the second thread notes for each of them where it ends ([`Outer`]), and goes on as if
//! there were always another one. What comes out is what one thread would have made, down to the order of nodes and frames.

use super::header::Header;
use super::nodes::{Nodes, no_room};
use crate::input::json::{JsonError, JsonReader};
use crate::input::second_half::SecondHalf;
use crate::input::{Input, Progress};
use crate::model::{FrameId, RawNode, TooLarge};
use std::thread;

/// A caller of the second half's nodes, which ends there.
pub(super) struct Outer {
    /// Where the next byte behind it stands.
    offset: u64,
    /// The sum of the inclusive values of its callees in the second half.
    callees: u64,
    /// How many nodes, frames and threads there were when it ended.
    nodes: usize,
    frames: usize,
    threads: usize,
}

impl Outer {
    /// That which ends here in what was read so far.
    pub(super) fn ended(offset: u64, callees: u64, nodes: &Nodes) -> Outer {
        let (frames, threads) = (nodes.frames.len(), nodes.threads.len());
        Outer { offset, callees, nodes: nodes.builder.len(), frames, threads }
    }
}

/// What the second thread made.
struct Rest {
    nodes: Nodes,
    /// The callers, innermost first.
    outers: Vec<Outer>,
    half: SecondHalf,
}

/// Where a node seems to begin: an object in an array, with a member that is called by letters.
pub(super) fn next_node(text: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'{', text).find(|&at| {
        let (before, behind) = (text[..at].trim_ascii_end(), text[at + 1..].trim_ascii_start());
        matches!(before.last(), Some(b',' | b'[')) && matches!(behind, [b'"', b'a'..=b'z', ..])
    })
}

/// Reads the value of the member `call_tree` as [`Nodes::read`] does, while another thread reads the second half of the file. The
/// reader is left behind that value.
///
/// If the second half can't be read by itself, it is read after the first.
///
/// # Errors
/// Those of [`Nodes::read`].
pub(super) fn read(
    nodes: &mut Nodes,
    reader: &mut JsonReader<Input>,
    header: &Header,
    progress: &Progress,
    half: SecondHalf,
) -> Result<(), JsonError> {
    let (offset, stop) = (half.offset, half.stop());
    let apart = progress.apart();
    let second = move || {
        let mut reader = JsonReader::in_the_middle(half, offset).watched_by(apart.clone());
        let mut nodes = Nodes::new(header);
        let outers = nodes.read_rest(&mut reader, header, &apart);
        Rest { nodes, outers, half: reader.into_source() }
    };
    thread::scope(|scope| {
        // without a thread the first goes on
        let second = thread::Builder::new().name("second half".into()).spawn_scoped(scope, second).ok();
        let _stop = stop;
        if !nodes.read(reader, header, progress, second.is_some().then_some(offset))? {
            return Ok(());
        }
        let rest = second.map(|second| second.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        match rest.and_then(|rest| nodes.end_of(&rest).map(|end| (rest, end))) {
            Some((rest, end)) if rest.half.can_go_to(end) => {
                let file = nodes.append(rest).map_err(|TooLarge| no_room(reader.offset()))?.into_file();
                reader.go_on_at(end, |input| input.go_on_with(Box::new(file)));
                Ok(())
            }
            _ => nodes.read(reader, header, progress, None).map(|_| ()),
        }
    })
}

impl Nodes {
    /// Where the tree ends, if the rest can be added.
    fn end_of(&self, rest: &Rest) -> Option<u64> {
        let root = rest.outers.get(self.depth().checked_sub(1)?)?;
        // what stands behind the tree is no node, and what was met in the rest only may change what was read before
        let is_whole = rest.nodes.builder.len() == root.nodes && rest.nodes.columns.len() == self.columns.len();
        is_whole.then_some(root.offset)
    }

    /// Adds what was read of the rest of the tree, and ends all nodes that are open.
    fn append(&mut self, rest: Rest) -> Result<SecondHalf, TooLarge> {
        let Rest { nodes, outers, half } = rest;
        let outers = &outers[..self.depth()];
        let callers: Vec<RawNode> = self.open_nodes().collect();
        let before = self.builder.len() as u32 - 1;
        let mut threads = nodes.threads.into_iter().map(|mut thread| {
            thread.node.0 += before;
            thread
        });
        let (mut frames, mut threads_before) = (Vec::with_capacity(nodes.frames.len()), 0);
        for outer in outers {
            for id in frames.len()..outer.frames {
                let (id, from) = (FrameId::at(id), &nodes.frames);
                frames.push(self.frames.intern(from.get(id).kind, from.name(id), from.signature(id)));
            }
            self.threads.extend(threads.by_ref().take(outer.threads - threads_before));
            threads_before = outer.threads;
            self.close_with(outer.callees);
        }
        // a node has the callers that had not ended when it began
        let mut ended = 0;
        let caller = |node: RawNode| {
            while outers[ended].nodes <= node.0 as usize {
                ended += 1;
            }
            callers[callers.len() - 1 - ended]
        };
        self.builder.append(nodes.builder, &frames, caller)?;
        self.ids.append(nodes.ids, before);
        for (column, more) in self.columns.iter_mut().zip(nodes.columns) {
            column.has_counts |= more.has_counts;
        }
        self.counts_named = nodes.counts_named.or(self.counts_named);
        self.clamped_values += nodes.clamped_values;
        self.nameless_nodes += nodes.nameless_nodes;
        if let Some((name, count)) = nodes.unknown_kinds {
            self.unknown_kinds.get_or_insert((name, 0)).1 += count;
        }
        Ok(half)
    }
}

#[cfg(test)]
mod tests {
    use super::super::read_as_far;
    use super::*;
    use std::io::Write;

    #[test]
    fn nodes_seem_to_begin_in_arrays() {
        let check = |text: &str, expect: Option<usize>| assert_eq!(next_node(text.as_bytes()), expect, "{text}");
        check(r#"5,"children":[{"id":"1"}]"#, Some(14));
        check("}, \n {\n \"id\"", Some(5));
        check(r#""name":"[{","kind":"#, None);
        check(r#""name":"a,{b","x":{"y":1}"#, None);
        check("", None);
    }

    /// Reads a file as one, and as halves that are parted at each of its bytes: what comes out is the same.
    #[track_caller]
    fn check(text: &str) {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let read = |offset: Option<usize>| {
            let input = Input::open(file.path(), Progress::default()).unwrap();
            let half = offset.map(|offset| SecondHalf::at(&input, offset as u64));
            let recording = read_as_far(input, half, true);
            recording.map(|recording| borsh::to_vec(&recording).unwrap()).map_err(|error| error.to_string())
        };
        let expect = read(None);
        for offset in 0..=text.len() {
            assert!(read(Some(offset)) == expect, "parted at {offset} of {text}");
        }
    }

    const HEAD: &str = r#"{"schema":"dotspot.call-tree/1","snapshot":{"source":"x","time_unit":"ms",
        "other_metrics":[{"name":"bytes","unit":"bytes","counts":"calls"}]},"#;
    const TREE: &str = r#""call_tree":{"id":"0x0","name":"All","kind":"root","inclusive_time":20,"children":[
        {"id":"0x1","name":"Main","kind":"thread","thread_name":"main","inclusive_time":12,"exclusive_time":1,"children":[
            {"id":"0x2","name":"A","inclusive_time":7.5,"call_count":2,"children":[{"id":"0x3","name":"B","inclusive_time":3},
                {"id":"0x4","name":"C","signature":"(x)","kind":"odd","inclusive_time":-1,"children":null}]},
            {"id":"0x5","name":"B","inclusive_time":3,"other":[[1,2,3]],"children":[{"id":"0x6","inclusive_time":4000000000}]}]},
        {"id":"0x7","name":"T","kind":"thread","exclusive_time":2,"call_count":4294967296,"children":[]}]}"#;
    const TAIL: &str =
        r#","hotspots":{"exclusive":[{"name":"A","exclusive_time":1}],"inclusive":[]}, "more":[{"a":{}}] }"#;

    #[test]
    fn halves_are_what_the_whole_is() {
        let whole = [HEAD, TREE, TAIL].concat();
        check(&whole);
        check(&[HEAD, TREE, "}"].concat());
        check(&["{", TREE, r#","schema":"dotspot.call-tree/1"}"#].concat());
        // members behind the callees, ids of another form, a name that looks like a node
        check(&whole.replace(r#""children":[]}"#, r#""children":[],"call_count":7}"#));
        check(&whole.replace(r#":4000000000}]}"#, r#":4000000000}],"inclusive_time":4}"#));
        check(&whole.replace("0x5", "n5"));
        // a metric that is met in one half only
        check(&whole.replace("other_metrics", "others"));
        check(&whole.replace("0x", "n"));
        check(&whole.replace(r#""name":"T""#, r#""name":",{\"id\":\"5\"}""#));
    }

    #[test]
    fn halves_break_off_where_the_whole_does() {
        let whole = [HEAD, TREE, TAIL].concat();
        for behind in ["\"0x3", "\"0x5\"", ":4000000000}", "\"children\":[]}", "]}]}", "\"hotspots\""] {
            let end = whole.rfind(behind).unwrap() + behind.len();
            check(&whole[..end]);
        }
        check(&whole.replace("[[1,2,3]]", "[[1,2,3]}"));
        check(&whole.replace(r#""hotspots":"#, r#"{"id":"9"}"#));
        check(&whole.replace(r#"]}]},"#, r#"]}]}]},"#));
    }
}
