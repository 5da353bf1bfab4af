//! What a change did.

use super::head::refused;
use crate::mcp::arguments::ToolArguments;
use crate::mcp::messages;
use crate::mcp::profiles::OpenProfile;
use crate::query::{self, ComparedFile, ComparisonOrder, ComparisonRequest, MethodOrder, Per};
use crate::text::{fit_rows, tokens};

pub(crate) fn compare(
    before: &OpenProfile,
    after: &OpenProfile,
    arguments: &ToolArguments,
) -> Result<String, String> {
    arguments.refuse_display()?;
    let chosen = |profile: &OpenProfile| {
        query::chosen(profile.view.clone(), None, &arguments.thread_request())
            .map(|chosen| chosen.view)
            .map_err(refused)
    };
    let views = [chosen(before)?, chosen(after)?];
    let per = arguments.per.as_deref().map(Per::parse).transpose();
    let per = per.map_err(refused)?.unwrap_or_default();
    let request = ComparisonRequest {
        before: &[ComparedFile {
            file: &before.name,
            view: &views[0],
        }],
        after: &[ComparedFile {
            file: &after.name,
            view: &views[1],
        }],
        metric: arguments.metric.as_deref(),
        per: &per,
        renames: &[],
        steps: &arguments.requests()?,
        order: match arguments.by()? {
            Some(MethodOrder::Inclusive) => ComparisonOrder::Inclusive,
            Some(MethodOrder::OwnAndSystem) => {
                return Err(messages::COMPARE_HAS_NO_OWN_AND_SYSTEM.into());
            }
            _ => ComparisonOrder::Exclusive,
        },
        is_user_code: arguments.user_code,
        most: 0,
    };
    let found = query::comparison(&request).map_err(refused)?;
    let text = fit_rows(arguments.budget(), found.rows.len(), |rows| {
        found.first(rows).markdown(&request, None)
    });
    match tokens(&text) {
        least if least > arguments.budget() => Err(messages::budget_too_small(&least)),
        _ => Ok(text),
    }
}
