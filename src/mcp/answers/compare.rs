use super::head::{fitting, refused};
use crate::mcp::arguments::ToolArguments;
use crate::mcp::profiles::OpenProfile;
use crate::query::{self, ComparedFile, ComparisonOrder, ComparisonRequest, MethodOrder, Per};
use std::sync::Arc;

pub(crate) fn compare(
    before: &[Arc<OpenProfile>],
    after: &[Arc<OpenProfile>],
    arguments: &ToolArguments,
) -> Result<String, String> {
    arguments.reject_display_steps()?;
    let chosen = |profile: &Arc<OpenProfile>| {
        let view = profile.view.clone();
        let chosen = query::select_scope(view, None, &arguments.thread_request());
        Ok(ComparedFile {
            file: profile.name.clone(),
            view: chosen.map_err(refused)?.0,
        })
    };
    let files =
        |side: &[Arc<OpenProfile>]| side.iter().map(chosen).collect::<Result<Vec<_>, String>>();
    let (before, after) = (files(before)?, files(after)?);
    let per = arguments.per.as_deref().map(Per::parse).transpose();
    let per = per.map_err(refused)?.unwrap_or_default();
    let by = arguments.by().map(|by| match by {
        MethodOrder::Inclusive => ComparisonOrder::Inclusive,
        MethodOrder::OwnAndSystem => ComparisonOrder::OwnAndSystem,
        _ => ComparisonOrder::Exclusive,
    });
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
