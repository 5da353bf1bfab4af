//! gzip files and zip archives for tests, written from the format descriptions (RFC 1952, PKWARE's APPNOTE).

use flate2::write::{DeflateEncoder, GzEncoder};
use flate2::{Compression, Crc};
use std::io::Write;

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A member of an archive to be written.
#[derive(Clone)]
pub struct Member {
    pub name: Vec<u8>,
    pub bytes: Vec<u8>,
    /// 0 is stored, 8 is deflate; others write the bytes as they are
    pub method: u16,
    /// bit 0 means encrypted, bit 3 puts the sizes after the bytes
    pub flags: u16,
    /// 64-bit sizes and offsets
    pub is_zip64: bool,
}

impl Member {
    pub fn new(name: &str, bytes: &[u8]) -> Member {
        Member {
            name: name.into(),
            bytes: bytes.to_vec(),
            method: 8,
            flags: 1 << 11,
            is_zip64: false,
        }
    }
}

pub fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
    let members = members.iter().map(|(name, bytes)| Member::new(name, bytes));
    zip_of(&members.collect::<Vec<_>>())
}

pub fn zip_of(members: &[Member]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for member in members {
        let start = out.len() as u64;
        let mut crc = Crc::new();
        crc.update(&member.bytes);
        let packed = match member.method {
            8 => deflate(&member.bytes),
            _ => member.bytes.clone(),
        };
        let sizes = [packed.len() as u64, member.bytes.len() as u64];
        let sums = (crc.sum(), sizes[0], sizes[1]);
        let is_behind = member.flags & 8 != 0;
        put(&mut out, &[0x0403_4b50], 4);
        put_common(
            &mut out,
            member,
            if is_behind { (0, 0, 0) } else { sums },
            None,
        );
        out.extend(&packed);
        if is_behind {
            put(&mut out, &[0x0807_4b50, u64::from(crc.sum())], 4);
            put(&mut out, &sizes, if member.is_zip64 { 8 } else { 4 });
        }
        put(&mut directory, &[0x0201_4b50], 4);
        put(&mut directory, &[if member.is_zip64 { 45 } else { 20 }], 2);
        put_common(&mut directory, member, sums, Some(start));
    }
    let is_zip64 = members.iter().any(|member| member.is_zip64);
    let lengths = [out.len(), directory.len(), members.len()];
    let [start, size, count] = lengths.map(|length| length as u64);
    out.extend(directory);
    if is_zip64 {
        let end = out.len() as u64;
        put(&mut out, &[0x0606_4b50], 4);
        put(&mut out, &[44], 8);
        put(&mut out, &[45, 45], 2);
        put(&mut out, &[0, 0], 4);
        put(&mut out, &[count, count, size, start], 8);
        put(&mut out, &[0x0706_4b50, 0], 4);
        put(&mut out, &[end], 8);
        put(&mut out, &[1], 4);
    }
    put(&mut out, &[0x0605_4b50], 4);
    put(&mut out, &[0, 0, count, count], 2);
    let start = if is_zip64 { 0xffff_ffff } else { start };
    put(&mut out, &[size, start], 4);
    put(&mut out, &[0], 2);
    out
}

fn put(out: &mut Vec<u8>, numbers: &[u64], width: usize) {
    for number in numbers {
        out.extend(&number.to_le_bytes()[..width]);
    }
}

/// Writes the common part of a member's header and its directory row, starting with the version. Only the directory
/// has a `place`.
fn put_common(
    out: &mut Vec<u8>,
    member: &Member,
    (sum, packed, unpacked): (u32, u64, u64),
    place: Option<u64>,
) {
    let mut extra = Vec::new();
    if member.is_zip64 {
        put(&mut extra, &[1, if place.is_some() { 24 } else { 16 }], 2);
        put(&mut extra, &[unpacked, packed], 8);
        place.iter().for_each(|&place| put(&mut extra, &[place], 8));
    }
    let in_32 = |number: u64| if member.is_zip64 { 0xffff_ffff } else { number };
    let [flags, method] = [member.flags, member.method].map(u64::from);
    put(out, &[20, flags, method, 0, 0x21], 2);
    put(out, &[u64::from(sum), in_32(packed), in_32(unpacked)], 4);
    put(out, &[member.name.len() as u64, extra.len() as u64], 2);
    if let Some(place) = place {
        put(out, &[0, 0, 0], 2);
        put(out, &[0, in_32(place)], 4);
    }
    out.extend(&member.name);
    out.extend(extra);
}
