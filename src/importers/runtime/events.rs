use super::markers::MarkerEvent;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RuntimeProvider {
    Runtime,
    /// `Microsoft-Windows-DotNETRuntimeRundown`: what existed at the start or the end of a recording.
    Rundown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lifecycle {
    Begins,
    Ends,
    /// At the start or end of the recording, whenever the event was sent.
    Known,
}

/// By the content of the payload. New versions only append fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CodeEvent {
    Method(Lifecycle),
    NamelessMethod(Lifecycle),
    EntryPoint,
    Module,
    /// Like [`CodeEvent::Module`], but a domain id precedes the path.
    DomainModule,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RuntimeEvent {
    Code(CodeEvent),
    Marker(MarkerEvent),
}

impl RuntimeEvent {
    pub(crate) fn of(provider: RuntimeProvider, event: u32) -> Option<RuntimeEvent> {
        let marker = match provider {
            RuntimeProvider::Runtime => MarkerEvent::of(event),
            RuntimeProvider::Rundown => None,
        };
        let code = CodeEvent::of(provider, event).map(RuntimeEvent::Code);
        code.or(marker.map(RuntimeEvent::Marker))
    }
}

impl CodeEvent {
    /// Ids: `ClrEtwAll.man` in dotnet/runtime.
    fn of(provider: RuntimeProvider, event: u32) -> Option<CodeEvent> {
        use Lifecycle::{Begins, Ends, Known};
        use RuntimeProvider::{Rundown, Runtime};
        Some(match (provider, event) {
            (Runtime, 143) => CodeEvent::Method(Begins),
            (Runtime, 144) => CodeEvent::Method(Ends),
            (Runtime, 139 | 140) | (Rundown, 143 | 144) => CodeEvent::Method(Known),
            (Runtime, 141) => CodeEvent::NamelessMethod(Begins),
            (Runtime, 142) => CodeEvent::NamelessMethod(Ends),
            (Runtime, 137 | 138) | (Rundown, 141 | 142) => CodeEvent::NamelessMethod(Known),
            (Runtime, 159) => CodeEvent::EntryPoint,
            (Runtime, 149 | 150 | 152 | 153) | (Rundown, 153 | 154) => CodeEvent::Module,
            (Runtime, 151) | (Rundown, 151 | 152) => CodeEvent::DomainModule,
            _ => return None,
        })
    }
}
