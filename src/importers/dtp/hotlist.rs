//! dotTrace's own sums of the functions of a thread (sections 0x1101 to 0x1103), which serve as a check.

use super::bytes::{SectionBytes, SectionReader, SectionResult};
use super::sections::SumSections;
use super::tree::{Node, ThreadTree};
use crate::importers::messages;

/// The bit of a function in 0x1102; without it, each of its nodes in 0x1101 has a byte of flags.
const NOT_RECURSIVE: u8 = 1;

/// The sums of a function over the nodes of one thread, in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FunctionSum {
    pub function: u32,
    pub own: u64,
    /// Includes callees; recursion is counted once.
    pub total: u64,
    /// Calls or samples of all nodes.
    pub count: u64,
    pub nodes: u64,
}

/// Reads dotTrace's sums of a thread.
pub(super) fn read(tree: &ThreadTree, sections: SumSections) -> SectionResult<Vec<FunctionSum>> {
    let mut sums = sections
        .places
        .read(|places| sections.sums.read(|reader| read_sums(reader, places)))?;
    sections
        .singles
        .read(|reader| read_singles(reader, tree, sections.singles, &mut sums))?;
    let listed = sums
        .iter()
        .fold(0u64, |all, sum| all.saturating_add(sum.nodes));
    let nodes = tree.len() - 1;
    if listed != nodes {
        let problem = messages::sums_miss_nodes(&nodes, &listed);
        return Err(sections.singles.damaged(0, problem));
    }
    Ok(sums)
}

/// The functions with several nodes: 0x1102. Its rows and the lists of nodes in 0x1101 have the same order.
fn read_sums(
    reader: &mut SectionReader,
    places: &mut SectionReader,
) -> SectionResult<Vec<FunctionSum>> {
    let mut sums = Vec::new();
    let place_width = reader.width()?;
    let offset_width = reader.width()?;
    let time_width = reader.width()?;
    let listed_width = places.width()?;
    for _ in 0..reader.u32()? {
        let function = reader.u32()?;
        reader.number(place_width)?;
        let own = reader.number(time_width)?;
        let total = reader.u64()?;
        let count = reader.u64()?;
        reader.number(offset_width)?;
        reader.number(offset_width)?;
        let is_recursive = reader.u8()? & NOT_RECURSIVE == 0;
        let nodes = u64::from(places.u32()?);
        for _ in 0..nodes {
            places.number(listed_width)?;
            places.number(listed_width)?;
            if is_recursive {
                places.u8()?;
            }
        }
        sums.push(FunctionSum {
            function,
            own,
            total,
            count,
            nodes,
        });
    }
    Ok(sums)
}

/// The functions with one node: 0x1103.
fn read_singles(
    reader: &mut SectionReader,
    tree: &ThreadTree,
    section: SectionBytes,
    sums: &mut Vec<FunctionSum>,
) -> SectionResult<()> {
    let offset_width = reader.width()?;
    let mut last = None;
    for _ in 0..reader.u32()? {
        let start = reader.at();
        let function = reader.u32()?;
        let offset = reader.number(offset_width)?;
        let node = tree.node_at(offset);
        let Some(node) = node.filter(|node| node.function == function) else {
            return Err(section.damaged(start, wrong_node(tree, function, offset, node)));
        };
        if last.is_some_and(|last| offset <= last) {
            return Err(section.damaged(
                start,
                messages::offsets_unsorted(&format_args!("{offset:#x}")),
            ));
        }
        last = Some(offset);
        let count = u64::from(node.count);
        sums.push(FunctionSum {
            function,
            own: node.own,
            total: node.total,
            count,
            nodes: 1,
        });
    }
    Ok(())
}

#[cold]
fn wrong_node(tree: &ThreadTree, function: u32, offset: u64, found: Option<Node>) -> String {
    match found {
        Some(node) => messages::node_of_other_function(
            &tree.label(offset),
            &format_args!("{function:#010x}"),
            &format_args!("{:#010x}", node.function),
        ),
        None => messages::no_node_there(
            &format_args!("{function:#010x}"),
            &format_args!("{offset:#x}"),
        ),
    }
}
