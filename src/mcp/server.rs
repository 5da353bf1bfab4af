use super::arguments::{ToolArguments, in_tool_words};
use super::profiles::{OpenProfile, OpenProfiles};
use super::tools::{AnswerFn, TOOLS, ToolRow, tools};
use crate::importers::{FORMATS, Format};
use crate::input::Progress;
use crate::mcp::messages;
use crate::query::QUESTIONS;
use crate::text::{start_of, tokens, visible};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
    CustomResult, ErrorCode, GetPromptRequestParams, GetPromptResponse, GetPromptResult,
    Implementation, ListPromptsResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, Prompt, PromptArgument, PromptMessage,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource,
    ResourceContents, Role, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::Semaphore;

const FORMATS_URI: &str = "dotspot:formats";

const MAX_REQUESTS: usize = 64;
const MAX_REPORTED_BYTES: usize = 3_000;
const REPORT_EVERY: Duration = Duration::from_millis(250);

/// A sentence that may repeat text from the client and from files.
fn for_the_client(sentence: &str) -> String {
    visible(start_of(sentence, MAX_REPORTED_BYTES)).into_owned()
}

pub(super) struct Server {
    profiles: Arc<OpenProfiles>,
    requests: Arc<Semaphore>,
}

impl Server {
    pub(super) fn new(profiles: OpenProfiles) -> Server {
        Server {
            profiles: Arc::new(profiles),
            requests: Arc::new(Semaphore::new(MAX_REQUESTS)),
        }
    }

    async fn answer(
        &self,
        tool: &'static ToolRow,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<String, String> {
        let permit = Arc::clone(&self.requests).try_acquire_owned();
        let permit = permit.map_err(|_| messages::too_many_requests(&MAX_REQUESTS))?;
        let given = request.arguments.unwrap_or_default();
        let arguments = ToolArguments::read(given, tool.takes, tool.required)?;
        let (profiles, progress) = (Arc::clone(&self.profiles), Progress::default());
        let watched = progress.clone();
        let mut work = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let cancelled = progress.check_cancelled();
            cancelled.map_err(|cancelled| cancelled.to_string())?;
            let text = answer_of(tool, &profiles, arguments, &progress)?;
            Ok(in_tool_words(&text))
        });
        loop {
            tokio::select! {
                done = &mut work => {
                    return done.unwrap_or_else(|_| Err(messages::PANICKED.into()));
                }
                () = context.ct.cancelled() => {
                    watched.cancel();
                    return Err("cancelled".into());
                }
                () = tokio::time::sleep(REPORT_EVERY) => self.report(&watched, context),
            }
        }
    }

    /// Also cancels a read that takes too much memory.
    fn report(&self, progress: &Progress, context: &RequestContext<RoleServer>) {
        if self.profiles.is_too_large(progress) {
            progress.cancel();
        }
        let (bytes, total_bytes, _) = progress.now();
        let Some(token) = context.meta.get_progress_token().filter(|_| bytes > 0) else {
            return;
        };
        let update = ProgressNotificationParam::new(token, bytes as f64);
        let mut update = update.with_message("bytes read");
        if total_bytes >= bytes {
            update = update.with_total(total_bytes as f64);
        }
        let peer = context.peer.clone();
        // when the input has ended, nobody takes progress messages, and the answer must not wait for that
        tokio::spawn(async move { peer.notify_progress(update).await });
    }
}

fn answer_of(
    tool: &ToolRow,
    profiles: &OpenProfiles,
    arguments: ToolArguments,
    progress: &Progress,
) -> Result<String, String> {
    let open = |requested: &str| profiles.open(requested, arguments.own_code(), progress);
    let side = |requested: &str| -> Result<Vec<Arc<OpenProfile>>, String> {
        let mut files = match requested.contains('*') {
            true => {
                let all = profiles.folders.matching(requested).into_iter();
                all.filter(|listed| listed.format().is_some()).collect()
            }
            false => Vec::new(),
        };
        if files.is_empty() {
            return Ok(vec![open(requested)?]);
        }
        files.sort_by(|a, b| a.name.cmp(&b.name));
        files.iter().map(|file| open(&file.name)).collect()
    };
    let (before, after) = match tool.answer {
        AnswerFn::Folders(answer) => return answer(&profiles.folders, &arguments),
        AnswerFn::Profile(_) => (Vec::new(), vec![open(&arguments.profile)?]),
        AnswerFn::Sides(_) => (side(&arguments.before)?, side(&arguments.profile)?),
    };
    let mut first = String::new();
    for profile in &after {
        if profile.is_changed.swap(false, Ordering::Relaxed) {
            first = messages::FILE_HAS_CHANGED.into();
        }
    }
    for prefix in after.iter().flat_map(|profile| &profile.unmatched) {
        first.push_str(&messages::own_code_fits_nothing(&visible(prefix)));
    }
    let arguments = arguments.with_budget(arguments.budget().saturating_sub(tokens(&first)));
    let text = match tool.answer {
        AnswerFn::Sides(answer) => answer(&before, &after, &arguments)?,
        AnswerFn::Profile(answer) => answer(&after[0], &arguments)?,
        AnswerFn::Folders(_) => String::new(),
    };
    Ok(format!("{first}{text}"))
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("dotspot", env!("CARGO_PKG_VERSION")))
            .with_instructions(messages::INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = TOOLS.iter().find(|tool| tool.name == request.name) else {
            let sentence = messages::no_such_tool(&for_the_client(&request.name));
            return Err(ErrorData::invalid_params(sentence, None));
        };
        let content = |text| vec![ContentBlock::text(text)];
        let result = match self.answer(tool, request, &context).await {
            Ok(text) => CallToolResult::success(content(text)),
            Err(sentence) => CallToolResult::error(content(for_the_client(&sentence))),
        };
        Ok(result.into())
    }

    /// The error for an unknown method or wrong parameters, which the SDK does not handle.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = for_the_client(&request.method);
        Err(match request.method.as_str() {
            "tools/call" | "resources/read" => {
                ErrorData::invalid_params(messages::wrong_parameters(&method), None)
            }
            _ => {
                let sentence = messages::no_such_method(&method);
                ErrorData::new(ErrorCode::METHOD_NOT_FOUND, sentence, None)
            }
        })
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let given = request.arguments.unwrap_or_default();
        let Some(text) = prompt_text(&request.name, &given) else {
            let sentence = messages::no_such_prompt(&for_the_client(&request.name));
            return Err(ErrorData::invalid_params(sentence, None));
        };
        let message = PromptMessage::new_text(Role::User, text);
        Ok(GetPromptResult::new(vec![message]).into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let formats = Resource::new(FORMATS_URI, "formats").with_mime_type("text/plain");
        let formats = formats.with_description(messages::ABOUT_FORMATS);
        Ok(ListResourcesResult::with_all_items(vec![formats]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if request.uri != FORMATS_URI {
            let sentence = messages::no_such_resource(&for_the_client(&request.uri));
            return Err(ErrorData::resource_not_found(sentence, None));
        }
        let row = |format: &Format| {
            let (name, title, metrics) = (format.name, format.title, format.metrics);
            let extensions = format.extensions.join(" ");
            format!("{name}: {title} ({extensions}); {metrics}\n")
        };
        let formats: String = FORMATS.iter().map(row).collect();
        let contents = ResourceContents::text(formats, FORMATS_URI);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }
}

const COMPARE_PROMPT: &str = "compare-with";

fn prompts() -> Vec<Prompt> {
    let argument = |name: &str| PromptArgument::new(name).with_required(true);
    let prompt = |(name, question): &(&str, &str)| {
        let before = (*name == COMPARE_PROMPT).then(|| argument("before"));
        let arguments = before.into_iter().chain([argument("profile")]).collect();
        Prompt::new(
            *name,
            question.trim().split_inclusive(['.', '?']).next(),
            Some(arguments),
        )
    };
    QUESTIONS.iter().map(prompt).collect()
}

fn prompt_text(name: &str, given: &Map<String, Value>) -> Option<String> {
    let (_, question) = QUESTIONS.iter().find(|(known, _)| *known == name)?;
    let file = |what| given.get(what).and_then(Value::as_str).unwrap_or(what);
    let (profile, question) = (file("profile"), question.trim());
    Some(match name {
        COMPARE_PROMPT => messages::compare_prompt(&file("before"), &profile, &question),
        _ => messages::report_prompt(&profile, &question),
    })
}
