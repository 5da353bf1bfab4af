//! The MCP server: its description, tools and resources, and the handling of requests.

use super::arguments::{ToolArguments, of_tools};
use super::profiles::{OpenProfile, OpenProfiles};
use super::prompts;
use super::resources;
use super::tools::{Answer, INSTRUCTIONS, TOOLS, ToolRow, tools};
use crate::input::Progress;
use crate::mcp::messages;
use crate::text::{start_of, tokens, visible};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
    CustomResult, ErrorCode, GetPromptRequestParams, GetPromptResponse, GetPromptResult,
    Implementation, ListPromptsResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, PromptMessage, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, Role, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// How many requests are worked on or wait; more are refused.
const MAX_REQUESTS: usize = 64;
/// The longest sentence about what is wrong with a request.
const MAX_REPORTED_BYTES: usize = 3_000;
/// How often the progress of reading a profile is reported.
const REPORT_EVERY: Duration = Duration::from_millis(250);

/// What is said about a request: it may repeat text of the client, and of files.
fn for_the_client(sentence: &str) -> String {
    visible(start_of(sentence, MAX_REPORTED_BYTES)).into_owned()
}

pub(super) struct Server {
    profiles: Arc<OpenProfiles>,
    requests: Arc<AtomicUsize>,
}

/// A request that counts as long as it is worked on.
struct RunningRequest(Arc<AtomicUsize>);

impl Drop for RunningRequest {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Server {
    pub(super) fn new(profiles: OpenProfiles) -> Server {
        Server {
            profiles: Arc::new(profiles),
            requests: Arc::default(),
        }
    }

    fn counted(&self) -> Result<RunningRequest, String> {
        let counted = RunningRequest(Arc::clone(&self.requests));
        match self.requests.fetch_add(1, Ordering::Relaxed) < MAX_REQUESTS {
            true => Ok(counted),
            false => Err(messages::too_many_requests(&MAX_REQUESTS)),
        }
    }

    async fn answer(
        &self,
        tool: &'static ToolRow,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<String, String> {
        let counted = self.counted()?;
        let given = request.arguments.unwrap_or_default();
        let arguments = ToolArguments::read(given, tool.takes, tool.required)?;
        let (profiles, progress) = (Arc::clone(&self.profiles), Progress::default());
        let watched = progress.clone();
        let mut work = tokio::task::spawn_blocking(move || {
            let _counted = counted;
            // it may have been cancelled while it waited
            progress
                .check_cancelled()
                .map_err(|cancelled| cancelled.to_string())?;
            let text = answer_of(tool, &profiles, arguments, &progress)?;
            Ok(of_tools(&text))
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
                () = tokio::time::sleep(REPORT_EVERY) => self.tell(&watched, context),
            }
        }
    }

    /// Tells how far a profile is read, and ends that where it takes too much memory.
    fn tell(&self, progress: &Progress, context: &RequestContext<RoleServer>) {
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
        // apart from the request: where the input has ended, nobody takes it up, and the answer must not wait for that
        tokio::spawn(async move { peer.notify_progress(update).await });
    }
}

/// What a tool answers, and before it, once, that a file is another one now.
fn answer_of(
    tool: &ToolRow,
    profiles: &OpenProfiles,
    arguments: ToolArguments,
    progress: &Progress,
) -> Result<String, String> {
    let open = |asked: &str| profiles.open(asked, arguments.own_code(), progress);
    let side = |asked: &str| -> Result<Vec<Arc<OpenProfile>>, String> {
        match profiles.folders.matching(asked) {
            files if files.is_empty() => Ok(vec![open(asked)?]),
            files => files.iter().map(|file| open(file)).collect(),
        }
    };
    let (before, after) = match tool.answer {
        Answer::FromFolders(answer) => return answer(&profiles.folders, &arguments),
        Answer::OfOne(_) => (Vec::new(), vec![open(&arguments.profile)?]),
        Answer::OfTwo(_) => (side(&arguments.before)?, side(&arguments.profile)?),
    };
    let changed = after
        .iter()
        .filter(|profile| profile.is_changed.swap(false, Ordering::Relaxed));
    let mut first = match changed.count() {
        0 => String::new(),
        _ => messages::FILE_HAS_CHANGED.to_string(),
    };
    for prefix in after.iter().flat_map(|profile| &profile.unmatched) {
        first.push_str(&messages::own_code_fits_nothing(&visible(prefix)));
    }
    let arguments = arguments.with_budget(arguments.budget().saturating_sub(tokens(&first)));
    let text = match tool.answer {
        Answer::OfTwo(answer) => answer(&before, &after, &arguments)?,
        Answer::OfOne(answer) => answer(&after[0], &arguments)?,
        Answer::FromFolders(_) => String::new(),
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
            .with_instructions(INSTRUCTIONS)
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
            let name = for_the_client(&request.name);
            return Err(ErrorData::invalid_params(
                messages::no_such_tool(&name),
                None,
            ));
        };
        let result = match self.answer(tool, request, &context).await {
            Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
            Err(sentence) => {
                CallToolResult::error(vec![ContentBlock::text(for_the_client(&sentence))])
            }
        };
        Ok(result.into())
    }

    /// What the SDK does not know, be it the method or its parameters.
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
        Ok(ListPromptsResult::with_all_items(prompts::list()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let given = request.arguments.unwrap_or_default();
        match prompts::text(&request.name, &given) {
            Some(text) => {
                let message = PromptMessage::new_text(Role::User, text);
                Ok(GetPromptResult::new(vec![message]).into())
            }
            None => Err(ErrorData::invalid_params(
                messages::no_such_prompt(&for_the_client(&request.name)),
                None,
            )),
        }
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resources::list()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match resources::read(&request.uri) {
            Some(contents) => Ok(ReadResourceResult::new(vec![contents]).into()),
            None => Err(ErrorData::resource_not_found(
                messages::no_such_resource(&for_the_client(&request.uri)),
                None,
            )),
        }
    }
}
