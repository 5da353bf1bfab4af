/// The name for all processes of a whole machine, of which only one is shown by default.
pub const ALL_PROCESSES: &str = "all";

pub struct NamedRow {
    pub id: String,
    pub name: String,
    pub title: String,
}

impl NamedRow {
    pub fn matches(&self, requested: &str) -> bool {
        self.id == requested || self.name.to_lowercase() == requested.to_lowercase()
    }
}

/// Named by the runtime, or by importers after what the thread runs.
pub fn is_pool_thread(name: &str) -> bool {
    const NAMES: [&str; 4] = [
        ".NET pool",
        ".NET ThreadPool",
        ".NET TP Worker",
        ".NET ThreadPool Worker",
    ];
    NAMES.contains(&name)
}

pub fn pool_threads(count: u32) -> String {
    format!("{count} .NET pool threads")
}

/// By id, otherwise by whole name, otherwise by part of the title. Only ids are case-sensitive.
pub fn rows_matching(rows: &[NamedRow], requested: &str) -> Vec<usize> {
    let lower = requested.to_lowercase();
    let criteria: [&dyn Fn(&NamedRow) -> bool; 3] = [
        &|row| row.id == requested,
        &|row| row.name.to_lowercase() == lower,
        &|row| row.title.to_lowercase().contains(&lower),
    ];
    let found = |fits: &dyn Fn(&NamedRow) -> bool| {
        (0..rows.len()).filter(|&row| fits(&rows[row])).collect()
    };
    let mut found = criteria.into_iter().map(found);
    found
        .find(|found: &Vec<usize>| !found.is_empty())
        .unwrap_or_default()
}

/// `option NAME` for each chosen row, with names that match only chosen rows; `None` if a row has no such name.
pub(crate) fn options(option: &str, rows: &[NamedRow], is_chosen: &[bool]) -> Option<Vec<String>> {
    let mut is_named = vec![false; rows.len()];
    let mut options = Vec::new();
    for row in 0..rows.len() {
        if is_named[row] || !is_chosen[row] {
            continue;
        }
        let NamedRow { id, name, title } = &rows[row];
        let (text, found) = [id, name, title]
            .into_iter()
            .filter(|text| !text.is_empty())
            .find_map(|text| {
                let found = rows_matching(rows, text);
                let fits = found.contains(&row) && found.iter().all(|&other| is_chosen[other]);
                fits.then_some((text, found))
            })?;
        found.into_iter().for_each(|row| is_named[row] = true);
        match text.starts_with('-') {
            // otherwise it would be taken for an option
            true => options.push(format!("{option}={text}")),
            false => options.extend([option.to_string(), text.clone()]),
        }
    }
    Some(options)
}
