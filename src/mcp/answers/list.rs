use super::head::name;
use crate::mcp::arguments::ToolArguments;
use crate::mcp::folders::{Folders, ListedFile};
use crate::mcp::messages;
use crate::text::fit_rows;
use crate::units::{counted, rounded_duration, size};
use std::time::SystemTime;

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
        let age = now.duration_since(listed.changed).unwrap_or_default();
        let age = rounded_duration(age.as_secs());
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
