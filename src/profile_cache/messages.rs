use crate::messages::messages;

messages! {
    const TRAILING_BYTES = "there is more than was written";
    const BLOCK_TOO_LONG = "a block is too long";
    const WRONG_CHECKSUM = "a block has another checksum";
}
