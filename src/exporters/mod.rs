//! Writers of profile formats, one file per format.
