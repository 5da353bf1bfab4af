//! What dotTrace itself computed for the functions of a thread: sections 0x1101 to 0x1103.
//!
//! All of it can be computed from the tree, so it serves as a check of the reader, and of the file.

use super::bytes::{Checked, Reader};
use super::sections::OwnNumbers;
use super::tree::{Node, ThreadTree};
use crate::importers::messages;

/// The flags of a node that 0x1101 repeats.
const REPEATED_FLAGS: u8 = 0xC0;
/// The bits of a function in 0x1102.
const NOT_RECURSIVE: u8 = 1;
const ALL_LEAVES: u8 = 2;

/// The sums of a function over the nodes of one thread, in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sum {
    pub function: u32,
    pub own: u64,
    /// With callees; recursion counted once.
    pub total: u64,
    /// Calls or samples of all nodes.
    pub count: u64,
    pub nodes: u64,
}

/// Reads dotTrace's sums of a thread and checks the lists of nodes beside them against the tree.
///
/// # Errors
/// Sections that break off, contradict each other, or name nodes that the tree does not have.
pub(super) fn read(tree: &ThreadTree, own: OwnNumbers) -> Checked<Vec<Sum>> {
    let mut sums = Vec::new();
    let mut places = Places::new(tree, own)?;
    read_sums(tree, own, &mut places, &mut sums)?;
    places.reader.end()?;
    read_singles(tree, own, &mut sums)?;
    let listed = sums
        .iter()
        .fold(0u64, |all, sum| all.saturating_add(sum.nodes));
    let nodes = tree.len() - 1;
    if listed != nodes {
        let problem = messages::functions_should_nodes_all_tree(&nodes, &listed);
        return Err(own.singles.damaged(0, problem));
    }
    Ok(sums)
}

/// The functions with several nodes: 0x1102, whose rows and the lists of 0x1101 come in the same order.
fn read_sums(
    tree: &ThreadTree,
    own: OwnNumbers,
    places: &mut Places,
    sums: &mut Vec<Sum>,
) -> Checked<()> {
    let mut reader = Reader::new(own.sums);
    let place_width = reader.width(messages::WIDTH_PLACES)?;
    let offset_width = reader.width(messages::WIDTH_OFFSETS)?;
    let time_width = reader.width(messages::WIDTH_TIMES)?;
    for _ in 0..reader.u32(messages::NUMBER_FUNCTIONS)? {
        let start = reader.at();
        let wrong = |problem: String| own.sums.damaged(start, problem);
        let function = reader.u32("a function")?;
        let place = reader.number(place_width, messages::PLACE_NODES)?;
        let own_ticks = reader.number(time_width, "its own time")?;
        let total = reader.u64("its total time")?;
        let count = reader.u64("its count")?;
        let lowest = reader.number(offset_width, messages::OFFSET_FIRST_NODE)?;
        let highest = reader.number(offset_width, messages::OFFSET_LAST_NODE)?;
        let marks = reader.u8("its marks")?;
        let expected = places.reader.at() as u64;
        if place != expected {
            return Err(wrong(messages::nodes_should_listed_section_x1101(
                &format_args!("{function:#010x}"),
                &format_args!("{expected:#x}"),
                &format_args!("{place:#x}"),
            )));
        }
        let list = places.next(tree, function, marks)?;
        if (list.lowest, list.highest) != (lowest, highest) {
            let problem = format!(
                "the nodes of {function:#010x} should lie from {:#x} to {:#x}, as section 0x1101 has them, and are \
                 said to lie from {lowest:#x} to {highest:#x}",
                list.lowest, list.highest
            );
            return Err(wrong(problem));
        }
        if list.all_leaves != (marks & ALL_LEAVES != 0) {
            return Err(wrong(messages::marks_nodes_say_otherwise_about(
                &format_args!("{function:#010x}"),
                &format_args!("{marks:#x}"),
            )));
        }
        sums.push(Sum {
            function,
            own: own_ticks,
            total,
            count,
            nodes: list.nodes,
        });
    }
    reader.end()
}

/// The functions with one node: 0x1103.
fn read_singles(tree: &ThreadTree, own: OwnNumbers, sums: &mut Vec<Sum>) -> Checked<()> {
    let mut reader = Reader::new(own.singles);
    let offset_width = reader.width(messages::WIDTH_OFFSETS)?;
    let mut last = None;
    for _ in 0..reader.u32(messages::NUMBER_FUNCTIONS)? {
        let start = reader.at();
        let function = reader.u32("a function")?;
        let offset = reader.number(offset_width, messages::OFFSET_NODE)?;
        let node = node_of(tree, function, offset)
            .map_err(|problem| own.singles.damaged(start, problem))?;
        if last.is_some_and(|last| offset <= last) {
            return Err(own.singles.damaged(
                start,
                messages::offsets_should_ascend_does_not(&format_args!("{offset:#x}")),
            ));
        }
        last = Some(offset);
        let count = u64::from(node.count);
        sums.push(Sum {
            function,
            own: node.own,
            total: node.total,
            count,
            nodes: 1,
        });
    }
    reader.end()
}

/// The node at an offset, which has to be one of `function`.
#[inline]
fn node_of(tree: &ThreadTree, function: u32, offset: u64) -> Result<Node, String> {
    match tree.node_at(offset) {
        Some(node) if node.function == function => Ok(node),
        found => Err(wrong_node(tree, function, offset, found)),
    }
}

#[cold]
fn wrong_node(tree: &ThreadTree, function: u32, offset: u64, found: Option<Node>) -> String {
    match found {
        Some(node) => messages::node_should_one_one(
            &tree.label(offset),
            &format_args!("{function:#010x}"),
            &format_args!("{:#010x}", node.function),
        ),
        None => messages::node_expected_none_starts_there(
            &format_args!("{function:#010x}"),
            &format_args!("{offset:#x}"),
        ),
    }
}

/// The lists of nodes in 0x1101.
struct Places<'a> {
    own: OwnNumbers<'a>,
    reader: Reader<'a>,
    offset_width: usize,
}

/// The list of a function's nodes.
struct List {
    nodes: u64,
    lowest: u64,
    highest: u64,
    all_leaves: bool,
}

impl<'a> Places<'a> {
    fn new(tree: &ThreadTree, own: OwnNumbers<'a>) -> Checked<Places<'a>> {
        let mut reader = Reader::new(own.places);
        let offset_width = reader.width(messages::WIDTH_OFFSETS)?;
        if offset_width != tree.offset_width() {
            let problem = messages::offsets_should_bytes_tree(&tree.offset_width(), &offset_width);
            return Err(own.places.damaged(0, problem));
        }
        Ok(Places {
            own,
            reader,
            offset_width,
        })
    }

    /// Reads the next list, which is the one of `function`.
    fn next(&mut self, tree: &ThreadTree, function: u32, marks: u8) -> Checked<List> {
        let start = self.reader.at();
        let nodes = u64::from(self.reader.u32(messages::NUMBER_NODES)?);
        if nodes < 2 {
            let problem =
                messages::should_two_nodes_more_here(&format_args!("{function:#010x}"), &nodes);
            return Err(self.own.places.damaged(start, problem));
        }
        let mut list = List {
            nodes,
            lowest: u64::MAX,
            highest: 0,
            all_leaves: true,
        };
        for place in 0..nodes {
            let start = self.reader.at();
            let offset = self
                .reader
                .number(self.offset_width, messages::OFFSET_NODE_2)?;
            let parent = self
                .reader
                .number(self.offset_width, messages::OFFSET_PARENT)?;
            let node = node_of(tree, function, offset)
                .map_err(|problem| self.own.places.damaged(start, problem))?;
            let wrong = |what: &str, expected: u64, found: u64| {
                let label = tree.label(offset);
                self.own.places.damaged(
                    start,
                    messages::node_should(
                        &what,
                        &label,
                        &format_args!("{expected:#x}"),
                        &format_args!("{found:#x}"),
                    ),
                )
            };
            if parent != node.parent {
                return Err(wrong("the parent", node.parent, parent));
            }
            if marks & NOT_RECURSIVE == 0 {
                let flags = self.reader.u8(messages::FLAGS_NODE)?;
                if flags != node.flags & REPEATED_FLAGS {
                    return Err(wrong(
                        "the flags",
                        u64::from(node.flags & REPEATED_FLAGS),
                        u64::from(flags),
                    ));
                }
            }
            if place > 0 && offset >= list.lowest {
                let problem =
                    messages::offsets_should_descend_does_not(&format_args!("{offset:#x}"));
                return Err(self.own.places.damaged(start, problem));
            }
            list.highest = list.highest.max(offset);
            list.lowest = offset;
            list.all_leaves &= node.first == offset;
        }
        Ok(list)
    }
}
