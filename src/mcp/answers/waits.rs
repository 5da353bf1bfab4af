use super::head::{Answer, name, part, refused, requested_view};
use crate::mcp::arguments::ToolArguments;
use crate::mcp::messages;
use crate::mcp::profiles::OpenProfile;
use crate::query::{self, PartTotal, WaitCells, with_prefix};

pub(crate) fn waits(profile: &OpenProfile, arguments: &ToolArguments) -> Result<String, String> {
    let view = requested_view(profile, arguments)?;
    let view = view.uncollapsed();
    let found = query::waits(view, &part(view, arguments)).map_err(refused)?;
    // percentages refer to all waiting
    let waiting = PartTotal {
        total: found.part.waiting,
        waiting: 0,
        ..found.part
    };
    let mut answer = Answer::new(profile, view, arguments, waiting, &found.title(view));
    let is_cpu = found.is_on_cpu(view);
    let cells = found.cells(view);
    if let Some(at) = found.most_on_cpu().filter(|_| !is_cpu) {
        let row = &found.rows[at];
        let who = match row.user {
            Some(_) => &cells[at].user,
            None => &cells[at].wait,
        };
        let on_cpu = found.scale(view).with_unit(row.on_cpu);
        answer.push_line(&messages::most_in_waits_and_spins(&on_cpu, &name(who)));
    }
    answer.push_line(match is_cpu {
        true => messages::WAITS_COLUMNS_OF_CPU,
        false => messages::WAITS_COLUMNS,
    });
    let line = |cells: WaitCells| {
        let on_cpu = match cells.on_cpu.as_str() {
            _ if is_cpu => String::new(),
            "" => " 0".into(),
            on_cpu => format!(" {on_cpu}"),
        };
        let (share, waiting) = (&cells.share, &cells.waiting);
        let (user, wait) = (name(&cells.user), name(&cells.whole_wait()));
        let kind = with_prefix(", ", cells.kind.as_deref().unwrap_or_default());
        let threads = name(&cells.threads);
        format!("{share} {waiting}{on_cpu} {user}: {wait}{kind} ({threads})")
    };
    let lines = cells.into_iter().map(line).collect();
    let largest = |shown: usize| found.rows.get(shown).map(|row| row.waiting);
    answer.with_lines(lines).list(usize::MAX, 0, largest)
}
