//! Which events of the runtime are read, and what they tell.

use super::markers::MarkerEvent;

/// A provider of the runtime's events. The numbers of events differ between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RuntimeProvider {
    /// `Microsoft-Windows-DotNETRuntime`: what happens while the program runs.
    Runtime,
    /// `Microsoft-Windows-DotNETRuntimeRundown`: what was there at the start or at the end of a recording.
    Rundown,
}

/// What happens to a method in an event about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Life {
    /// It is there from now on.
    Begins,
    /// It is there until now.
    Ends,
    /// It is there at the start or at the end of the recording, whenever the event itself was sent.
    Known,
}

/// An event about code, by what its payload holds. Payloads grow at their ends from version to version of an event, so that
/// its version need not be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CodeEvent {
    /// A method with its names.
    Method(Life),
    /// A method that is reported with only its module and addresses.
    NamelessMethod(Life),
    /// Where a precompiled method starts, with its names.
    EntryPoint,
    /// A module. In events of domains, the id of a domain is before the path.
    Module { of_domain: bool },
}

/// An event that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RuntimeEvent {
    Code(CodeEvent),
    Marker(MarkerEvent),
}

impl RuntimeEvent {
    /// What an event of a provider tells, if it is read.
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
    /// What an event of a provider tells; `None` if it tells nothing of code.
    ///
    /// Source of the numbers: `ClrEtwAll.man` in dotnet/runtime.
    fn of(provider: RuntimeProvider, event: u32) -> Option<CodeEvent> {
        use Life::{Begins, Ends, Known};
        use RuntimeProvider::{Rundown, Runtime};
        Some(match (provider, event) {
            (Runtime, 143) => CodeEvent::Method(Begins),
            (Runtime, 144) => CodeEvent::Method(Ends),
            (Runtime, 139 | 140) | (Rundown, 143 | 144) => CodeEvent::Method(Known),
            (Runtime, 141) => CodeEvent::NamelessMethod(Begins),
            (Runtime, 142) => CodeEvent::NamelessMethod(Ends),
            (Runtime, 137 | 138) | (Rundown, 141 | 142) => CodeEvent::NamelessMethod(Known),
            (Runtime, 159) => CodeEvent::EntryPoint,
            (Runtime, 149 | 150 | 152 | 153) | (Rundown, 153 | 154) => {
                CodeEvent::Module { of_domain: false }
            }
            (Runtime, 151) | (Rundown, 151 | 152) => CodeEvent::Module { of_domain: true },
            _ => return None,
        })
    }
}
