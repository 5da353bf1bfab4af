use super::head::name;
use crate::mcp::arguments::ToolArguments;
use crate::mcp::folders::{Folders, ListedFile};
use crate::mcp::messages;
use crate::text::fit_rows;
use crate::units::{counted, size};
use std::time::{Duration, SystemTime};

const MAX_ROWS: usize = 300;

pub(crate) fn list_profiles(
    folders: &Folders,
    arguments: &ToolArguments,
) -> Result<String, String> {
    let all = match &arguments.glob {
        Some(glob) => folders.matching(glob),
        None => folders.profiles(),
    };
    let now = SystemTime::now();
    let row = |listed: &ListedFile| {
        let format = listed.format()?;
        let age = age(now.duration_since(listed.changed).unwrap_or_default());
        let (size, path) = (size(listed.size_bytes), name(&listed.name));
        Some(format!("{size}, {age}, {format}, {path}\n"))
    };
    let rows: Vec<String> = all.iter().take(MAX_ROWS).filter_map(row).collect();
    let more = all.len().saturating_sub(MAX_ROWS);
    let folders = name(&folders.names());
    let head = match (rows.len(), &arguments.glob) {
        (0, None) => messages::no_profiles_in(&folders),
        (0, Some(glob)) => messages::no_profiles_match(&name(glob), &folders),
        (count, _) => {
            let count = counted((count + more) as u64, "profile");
            messages::profiles_in(&count, &folders)
        }
    };
    Ok(fit_rows(arguments.budget(), rows.len(), |shown| {
        let rest = match rows.len() - shown + more {
            0 => String::new(),
            rest => messages::profiles_left_out(&counted(rest as u64, "profile")),
        };
        format!("{head}{}{rest}", rows[..shown].concat())
    }))
}

fn age(since: Duration) -> String {
    let seconds = since.as_secs();
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}
