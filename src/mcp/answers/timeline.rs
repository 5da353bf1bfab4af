use super::head::{Answer, name, part, refused, requested_view};
use crate::mcp::arguments::ToolArguments;
use crate::mcp::messages;
use crate::mcp::profiles::OpenProfile;
use crate::query::{self, TimelineBy, TimelineLane};
use crate::units::percent;

const BUCKETS: usize = 10;

pub(crate) fn timeline(profile: &OpenProfile, arguments: &ToolArguments) -> Result<String, String> {
    let view = requested_view(profile, arguments)?;
    let view = view.uncollapsed();
    let part = part(view, arguments);
    let by = arguments.lanes.as_deref().and_then(TimelineBy::named);
    let by = by.unwrap_or(TimelineBy::Thread);
    let found = query::timeline(view, &part, by, BUCKETS, true, 0).map_err(refused)?;
    let mut answer = Answer::new(profile, view, arguments, found.part, &found.about(view));
    answer.noun = "lane";
    let phases = found.phase_lines(view);
    for line in phases.iter().filter(|_| phases.len() > 1) {
        answer.push_line(&messages::phase(&name(line)));
    }
    let notable = found.markers.iter().filter(|lane| lane.kind.is_notable());
    for lane in notable {
        let counts: Vec<String> = lane.counts.iter().map(u64::to_string).collect();
        answer.push_line(&format!("{}: {}", lane.kind.title(), counts.join(" ")));
    }
    answer.push_line(&messages::lanes_columns(&found.by.name()));
    let scale = found.scale(view);
    let counts = found.part.counts_waiting;
    let weight = |lane: &TimelineLane| lane.values.total(counts);
    let line = |lane: &TimelineLane| {
        let whole = weight(lane).max(1);
        let values = lane.values.values(counts);
        let shares = values.map(|value| format!("{:.0}", percent(value, whole)));
        let shares = shares.collect::<Vec<_>>().join(" ");
        let value = scale.number(weight(lane));
        format!("{value} {}: {shares}", name(&lane.name))
    };
    let all = std::iter::once(&found.all).chain(&found.lanes);
    let lines = all.map(line).collect();
    let largest = |shown: usize| found.lanes.get(shown.saturating_sub(1)).map(weight);
    answer.with_lines(lines).list(usize::MAX, 0, largest)
}
