//! The state of the explorer and what actions do to it: no terminal, no clock, no files, no threads.
