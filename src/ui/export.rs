use super::dialog::Dialog;
use super::messages;
use super::pen::Pen;
use crate::app::{Content, Explorer, Export, OccurrenceChoice};
use crate::text::{fit_end, fit_name, visible, width};
use crate::units::{counted, size, thousands};
use ratatui::prelude::Span;

pub(super) fn draw(pen: &mut Pen, explorer: &Explorer, export: &Export) -> Option<(u16, u16)> {
    let theme = pen.theme;
    let Export { settings, .. } = export;
    let (content, next) = (settings.content, settings.content.next(1));
    let what = messages::next_content(&content.name(), &next.name());
    let mut lines = vec![("writes", what)];
    if let Content::Report(_) = content {
        let budget = messages::budget_keys(&thousands(settings.budget as u64));
        lines.push(("budget", budget));
    }
    lines.extend(occurrences_text(explorer, export).map(|text| ("takes", text)));
    let first = 2 + lines.len();
    let dialog = Dialog::open(pen, explorer, "Export subtree", first + 2);
    let numbers = numbers(explorer, export);
    let room = dialog.room().saturating_sub(width(&numbers) + 2);
    let name = fit_name(&visible(explorer.lens().node_name(export.node)), room);
    let subtree = vec![
        Span::styled(name, theme.strong()),
        Span::raw(format!("  {numbers}")),
    ];
    dialog.labeled(pen, 0, "subtree", subtree);
    let cursor = dialog.field(pen, 1, "file", &export.field);
    for (row, (label, text)) in (2..).zip(&lines) {
        let text = fit_end(&explorer.keymap.fill(text), dialog.room());
        dialog.labeled(pen, row, label, vec![Span::raw(text)]);
    }
    let (text, style) = if export.writing.is_some() {
        ("writing …".into(), theme.dim())
    } else if export.asks_to_overwrite.is_some() {
        (messages::OVERWRITE_QUESTION.into(), theme.warning())
    } else if let Some(sentence) = &export.error {
        (sentence.clone(), theme.error())
    } else if let Some(Err(sentence)) = &export.preview {
        (sentence.clone(), theme.error())
    } else {
        (remark(explorer, export), theme.dim())
    };
    dialog.text(pen, first, &explorer.keymap.fill(&text), style);
    (export.asks_to_overwrite.is_none() && export.writing.is_none()).then_some(cursor)
}

fn remark(explorer: &Explorer, export: &Export) -> String {
    let name = export.field.text().to_lowercase();
    let mut known = [Content::Page, Content::Picture].into_iter();
    let by_extension = known.find(|content| name.ends_with(content.extension()));
    let content = by_extension.unwrap_or(export.settings.content);
    match (content, &export.preview) {
        (Content::Tree, _) => messages::EXPORT_FORMAT_HINT.into(),
        (Content::Picture, _) => messages::EXPORT_PICTURE_HINT.into(),
        (Content::Page, _) => messages::EXPORT_PAGE_HINT.into(),
        (Content::Report(_), Some(Ok(report))) => {
            let tokens = thousands(report.tokens as u64);
            let size = size(report.text.len() as u64);
            let metric = explorer.lens().metric_name(explorer.lens().metric);
            messages::report_size(&tokens, &size, &report.explained_percent, &metric)
        }
        (Content::Report(_), _) => "making a preview …".into(),
    }
}

fn numbers(explorer: &Explorer, export: &Export) -> String {
    let (lens, tree) = (explorer.lens(), explorer.tree());
    let view = &lens.view;
    let all = export.occurrences;
    let (value, share, nodes) = match all.takes_all {
        true => {
            let share = tree.share_of(all.weight, all.inclusive);
            (all.weight, share, counted(all.count as u64, "occurrence"))
        }
        false => {
            let nodes = counted(view.subtree_node_count(export.node) as u64, "node");
            let value = tree.measure().inclusive(view, export.node);
            (value, tree.share(export.node), nodes)
        }
    };
    let share = share.map_or("waiting".into(), |share| format!("{share:.1} %"));
    format!("{} · {share} · {nodes}", lens.scale().with_unit(value))
}

/// `None` if there is only one.
fn occurrences_text(explorer: &Explorer, export: &Export) -> Option<String> {
    let OccurrenceChoice {
        count, takes_all, ..
    } = export.occurrences;
    let all = counted(count as u64, "occurrence");
    let label = explorer.view().node_label(export.node);
    (count > 1).then(|| match takes_all {
        true => messages::export_all_occurrences(&all, &label),
        false => messages::export_one_occurrence(&all, &label),
    })
}
