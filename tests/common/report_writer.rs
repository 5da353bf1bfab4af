//! Writes a profile as a report like that of `Reporter.exe` with the pattern `.*` and full call stacks: a `Function`
//! for each method, an `Instance` for each node.
use dotspot::testing::model::{CountKind, FrameId, MetricId, NodeId, View};
use std::fmt::Write;

const TIME: MetricId = MetricId(0);

/// A report with `decimals` decimals of a millisecond, rounded half up, and methods named by `name`.
pub fn report_of(profile: &View, decimals: u32, name: impl Fn(&View, FrameId) -> String) -> String {
    let tree = &profile.tree;
    let ids = profile.frames.iter().map(|(id, _)| id);
    let names: Vec<String> = ids.map(|id| escaped(&name(profile, id))).collect();
    let ms = |stored: u64| {
        let step = 10u64.pow(6 - decimals);
        let steps = (stored + step / 2) / step;
        let whole = 10u64.pow(decimals);
        match decimals {
            0 => steps.to_string(),
            _ => {
                let (ms, rest, width) = (steps / whole, steps % whole, decimals as usize);
                format!("{ms}.{rest:0width$}")
            }
        }
    };
    let kind = match profile.recording.metric(TIME).counts {
        Some(CountKind::Samples) => "Samples",
        _ => "Calls",
    };
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<Report>\n");
    for (frame, _) in profile.frames.iter() {
        let mut places = profile.occurrences.of(frame).to_vec();
        places.retain(|&node| node != NodeId::ROOT);
        if places.is_empty() {
            continue;
        }
        let sum =
            |value: &dyn Fn(NodeId) -> u64| -> u64 { places.iter().map(|&node| value(node)).sum() };
        let count = |node| tree.count(TIME, node).unwrap_or(0);
        let total = ms(sum(&|node| tree.inclusive(TIME, node)));
        let own = ms(sum(&|node| tree.exclusive(TIME, node)));
        let calls = sum(&count);
        let (id, fqn, number) = (frame.0 + 1, &names[frame.index()], places.len());
        writeln!(
            out,
            "  <Function Id=\"{id:#010x}\" FQN=\"{fqn}\" TotalTime=\"{total}\" OwnTime=\"{own}\" {kind}=\"{calls}\" Instances=\"{number}\">"
        )
        .unwrap();
        for node in places {
            let path = std::iter::once(node).chain(tree.ancestors(node));
            let path = path.filter(|&node| node != NodeId::ROOT);
            let mut stack: Vec<&str> = path.map(|node| &*names[tree.frame(node).index()]).collect();
            stack.reverse();
            let values = [tree.inclusive(TIME, node), tree.exclusive(TIME, node)];
            let ([total, own], count) = (values.map(ms), count(node));
            let stack = stack.join("/");
            writeln!(
                out,
                "    <Instance CallStack=\"{stack}\" TotalTime=\"{total}\" OwnTime=\"{own}\" {kind}=\"{count}\" />"
            )
            .unwrap();
        }
        out.push_str("  </Function>\n");
    }
    out.push_str("</Report>\n");
    out
}

/// Escapes a text for an attribute as .NET does.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// The full name of a frame, with module and signature.
pub fn full_name(profile: &View, frame: FrameId) -> String {
    profile.frames.name(frame).to_string() + profile.frames.signature(frame)
}

/// The name of a frame as dotTrace writes it: without the module, and with only the arguments of the signature.
pub fn reporter_name(profile: &View, frame: FrameId) -> String {
    let (name, arguments) = reporter_parts(profile, frame);
    format!("{name}{arguments}")
}

/// The parts of [`reporter_name`].
pub fn reporter_parts(profile: &View, frame: FrameId) -> (String, String) {
    let name = profile.frames.name(frame);
    let name = name.split_once('!').map_or(name, |(_, name)| name);
    let arguments = profile.frames.signature(frame).split(" : ").next();
    (name.to_string(), arguments.unwrap_or("").to_string())
}
