use super::head::{part, refused, requested_as_tree};
use crate::mcp::arguments::ToolArguments;
use crate::mcp::messages;
use crate::mcp::profiles::OpenProfile;
use crate::query::{self, ReportForm, ReportRequest, ReportSubject};

pub(crate) fn report(profile: &OpenProfile, arguments: &ToolArguments) -> Result<String, String> {
    let view = requested_as_tree(profile, arguments)?;
    let method = Some(arguments.method.as_str()).filter(|method| !method.is_empty());
    let request = ReportRequest {
        file: &profile.name,
        part: part(&view, arguments),
        about: ReportSubject::named(method, arguments.node.as_deref()),
        budget: arguments.budget(),
        spent: 0,
        form: ReportForm::Markdown,
        // the model asks its own question
        question: None,
        has_raw_names: false,
    };
    let text = query::report(&view, &request).map_err(refused)?.text;
    // suggested commands are tools here
    let line = |line: &str| match line {
        line if line.starts_with("More: `dotspot report") => {
            format!("{}\n", messages::MORE_OF_REPORT)
        }
        line if line.starts_with("- … ") => line.replace("`dotspot ", "`").replace(" FILE`", "`"),
        line => line.to_string(),
    };
    Ok(text.split_inclusive('\n').map(line).collect())
}
