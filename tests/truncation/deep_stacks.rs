//! The recordings of `DeepStacks.cs`, whose source says who can call whom and, on the thread "irregular", which method is at
//! which depth.

use crate::common::shared;
use crate::profiles::read_file;
use dotspot::model::{FrameKind, MetricId, NodeId, Profile, Thread};

/// The methods of the mode "cycle", in the order of `Next.Call`.
const METHODS: [&str; 12] = [
    "Grammar.Document",
    "Grammar.Section",
    "Grammar.Paragraph",
    "Grammar.Sentence",
    "Grammar.Clause",
    "Grammar.Phrase",
    "Renderer.Block",
    "Renderer.Line",
    "Renderer.Span",
    "Renderer.Glyph",
    "Renderer.Outline",
    "Renderer.Curve",
];

/// `Next.Build()`.
fn table() -> Vec<usize> {
    let mut x: u32 = 2_463_534_242;
    (0..1100)
        .map(|_| {
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
            x as usize % 12
        })
        .collect()
}

/// `Grammar.Document` of `DeepStacks!Demo.Stacks.Grammar.Document(int32,class Demo.Stacks.Walker)`.
fn short(name: &str) -> &str {
    let bare = name.split('(').next().unwrap();
    bare.strip_prefix("DeepStacks!Demo.Stacks.").unwrap_or(bare)
}

fn thread<'a>(profile: &'a Profile, id: &str) -> &'a Thread {
    profile.threads.iter().find(|thread| thread.id == id).unwrap()
}

/// The stacks of a thread with samples of their own: outermost first, and how many.
fn stacks(profile: &Profile, thread: &Thread) -> Vec<(Vec<String>, u64)> {
    let samples = profile.metric_named("samples").unwrap();
    let tree = &profile.tree;
    let own = tree.range(thread.node).map(NodeId::at).filter(|&node| tree.exclusive(samples, node) > 0);
    own.map(|node| {
        let above = std::iter::once(node).chain(tree.ancestors(node)).take_while(|&at| at != thread.node);
        let mut stack: Vec<String> = above.map(|at| short(profile.name(at)).to_string()).collect();
        stack.reverse();
        (stack, tree.exclusive(samples, node))
    })
    .collect()
}

#[test]
fn irregular() {
    let Some(path) = shared("net10/deepstacks-cycle.nettrace") else { return };
    let profile = read_file(&path);
    let table = table();
    let (mut right, mut wrong, mut left) = (0, 0, 0);
    for (stack, samples) in stacks(&profile, thread(&profile, "10978")) {
        if stack.first().is_some_and(|top| top.starts_with("[truncated")) {
            left += samples;
            println!("left {samples} {:?}", &stack[1..6]);
            continue;
        }
        let levels: Vec<usize> = stack.iter().filter_map(|name| METHODS.iter().position(|m| m == name)).collect();
        let fits = levels.iter().zip(0..).all(|(&m, level)| m == if level == 0 { 0 } else { table[level] });
        if stack.len() > 100 {
            if fits { right += samples } else { wrong += samples; println!("wrong {} {:?}", stack.len(), &stack[..]);  }
        } else { assert!(fits, "{stack:?}"); }
    }
    println!("right {right} wrong {wrong} left {left} {:?}", profile.truncation);
    panic!();
}
