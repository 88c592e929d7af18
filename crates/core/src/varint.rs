//! Numbers in as few bytes as they need: seven bits a byte, the lowest first, the top bit says that
//! more follow.

pub(crate) fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Takes a number off the front; `None` if the bytes end too early or say more than 64 bits.
#[inline]
pub(crate) fn take(bytes: &mut &[u8]) -> Option<u64> {
    let (&first, rest) = bytes.split_first()?;
    if first < 0x80 {
        *bytes = rest;
        return Some(u64::from(first));
    }
    take_long(bytes)
}

#[inline]
fn take_long(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for (at, &byte) in bytes.iter().take(10).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * at);
        if byte < 0x80 {
            *bytes = &bytes[at + 1..];
            // The tenth byte has room for one bit.
            return (at < 9 || byte <= 1).then_some(value);
        }
    }
    None
}

pub(crate) fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

#[inline]
pub(crate) fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let near = (0..64).flat_map(|bit| [(1u64 << bit) - 1, 1 << bit, (1 << bit) + 1]);
        for value in near.chain([u64::MAX]) {
            let mut out = Vec::new();
            put(&mut out, value);
            let mut bytes = &out[..];
            assert_eq!((take(&mut bytes), bytes.len()), (Some(value), 0));
            assert_eq!(take(&mut &out[..out.len() - 1]), None);
            assert_eq!(zigzag(unzigzag(value)), value);
        }
        assert_eq!(take(&mut &[0xff; 11][..]), None);
    }
}
