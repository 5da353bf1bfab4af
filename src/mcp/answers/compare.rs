use super::head::{fitting, refused};
use crate::mcp::arguments::ToolArguments;
use crate::mcp::profiles::OpenProfile;
use crate::model::View;
use crate::query::{self, ComparedFile, ComparisonOrder, ComparisonRequest, MethodOrder, Per};
use std::sync::Arc;

pub(crate) fn compare(
    before: &[Arc<OpenProfile>],
    after: &[Arc<OpenProfile>],
    arguments: &ToolArguments,
) -> Result<String, String> {
    arguments.refuse_display()?;
    let chosen = |profile: &Arc<OpenProfile>| {
        let view = profile.view.clone();
        let chosen = query::select_scope(view, None, &arguments.thread_request());
        Ok(chosen.map_err(refused)?.view)
    };
    let views =
        |side: &[Arc<OpenProfile>]| side.iter().map(chosen).collect::<Result<Vec<_>, String>>();
    let [views_before, views_after] = [views(before)?, views(after)?];
    fn files<'a>(side: &'a [Arc<OpenProfile>], views: &'a [View]) -> Vec<ComparedFile<'a>> {
        let file = |(profile, view): (&'a Arc<OpenProfile>, &'a View)| ComparedFile {
            file: &profile.name,
            view,
        };
        side.iter().zip(views).map(file).collect()
    }
    let per = arguments.per.as_deref().map(Per::parse).transpose();
    let per = per.map_err(refused)?.unwrap_or_default();
    let by = arguments.by().map(|by| match by {
        MethodOrder::Inclusive => ComparisonOrder::Inclusive,
        MethodOrder::OwnAndSystem => ComparisonOrder::OwnAndSystem,
        _ => ComparisonOrder::Exclusive,
    });
    let (before, after) = (files(before, &views_before), files(after, &views_after));
    let request = ComparisonRequest {
        metric: arguments.metric.as_deref(),
        leaves_out_waiting: arguments.waiting == Some(false),
        per: &per,
        steps: &arguments.requests()?,
        order: by,
        only_user_code: arguments.user_code,
        // with a budget, as many rows as fit are wanted
        max_rows: arguments.budget.map(|_| 0),
        before: &before,
        after: &after,
        ..ComparisonRequest::default()
    };
    let found = query::comparison(&request).map_err(refused)?;
    fitting(arguments.budget(), found.rows.len(), |rows| {
        found.first(rows).markdown(&request, None)
    })
}
