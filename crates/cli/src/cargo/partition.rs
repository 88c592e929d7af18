//! A part of the tests, so that several machines can share them.

/// A part of the tests of each program, as nextest's `--partition` names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Partition {
    by_hash: bool,
    part: u64,
    of: u64,
}

impl Partition {
    pub(super) fn parse(text: &str) -> Result<Partition, String> {
        let wrong = || {
            format!(
                "--partition {text}: expected count:M/N or hash:M/N, with M from 1 to N, such as count:1/4"
            )
        };
        let (kind, numbers) = text.split_once(':').ok_or_else(wrong)?;
        let (part, of) = numbers.split_once('/').ok_or_else(wrong)?;
        let number = |text: &str| text.parse::<u64>().map_err(|_| wrong());
        let (part, of) = (number(part)?, number(of)?);
        if !["count", "hash"].contains(&kind) || part == 0 || part > of {
            return Err(wrong());
        }
        Ok(Partition { by_hash: kind == "hash", part, of })
    }

    pub(super) fn has(self, index: usize, test: &str) -> bool {
        // FNV: the same on every machine and in every version.
        let hash = || {
            test.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            })
        };
        let number = if self.by_hash { hash() } else { index as u64 };
        number % self.of == self.part - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_disjoint_and_whole() {
        for kind in ["count", "hash"] {
            let parts: Vec<Partition> =
                (1..=3).map(|part| Partition::parse(&format!("{kind}:{part}/3")).unwrap()).collect();
            for (index, test) in ["a", "b::c", "d", "e"].into_iter().enumerate() {
                assert_eq!(parts.iter().filter(|part| part.has(index, test)).count(), 1);
            }
        }
        for wrong in ["count:0/2", "count:3/2", "slice:1/2", "count", "count:1", "count:a/b"] {
            assert!(Partition::parse(wrong).is_err(), "{wrong}");
        }
    }
}
