//! Accesses that represent each other, as the LLVM pass records them (`.raceproof.sites`): to the
//! same bytes, in one step, and if one of them is made so are the others. The runtime checks one of
//! them.

use raceproof_core::event::AccessKind;
use std::collections::HashMap;

/// An access of a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Site {
    pub(super) kind: AccessKind,
    pub(super) line: u32,
    pub(super) column: u32,
}

/// A site, and whether it is the only one of its function at its place.
type Member = (Site, bool);

/// By the name of the file, without folders, and that of the function.
#[derive(Default)]
pub(super) struct Sites(HashMap<(String, String), Vec<Vec<Member>>>);

impl Sites {
    /// From what is in the section; what is not understood is left out.
    pub(super) fn parse(section: &[u8]) -> Sites {
        let mut sites = Sites::default();
        for text in section.split(|&byte| byte == 0).filter_map(|text| std::str::from_utf8(text).ok()) {
            let mut fields = text.split('\t');
            let (Some(file), Some(function)) = (fields.next(), fields.next()) else { continue };
            let groups = fields.map(|group| group.split(' ').filter_map(member).collect());
            sites.0.entry((file.to_owned(), function.to_owned())).or_default().extend(groups);
        }
        sites
    }

    /// The others that a site represents. None if several functions of the name disagree.
    pub(super) fn others(&self, file: &str, function: &str, site: Site) -> Vec<Site> {
        let file = file.rsplit('/').next().unwrap_or(file).to_owned();
        let groups = self.0.get(&(file, function.to_owned())).map_or(&[][..], |groups| groups);
        let mut with = groups.iter().filter(|group| group.contains(&(site, true)));
        let Some(group) = with.next() else { return Vec::new() };
        let is_ambiguous =
            with.any(|other| other != group) || groups.iter().any(|group| group.contains(&(site, false)));
        if is_ambiguous {
            return Vec::new();
        }
        group.iter().map(|&(other, _)| other).filter(|&other| other != site).collect()
    }
}

/// `w12:5`, or with a `?` before it.
fn member(text: &str) -> Option<Member> {
    let (text, is_only) = text.strip_prefix('?').map_or((text, true), |text| (text, false));
    let (kind, at) = text.split_at_checked(1)?;
    let kind = match kind {
        "r" => AccessKind::Read,
        "w" => AccessKind::Write,
        _ => return None,
    };
    let (line, column) = at.split_once(':')?;
    Some((Site { kind, line: line.parse().ok()?, column: column.parse().ok()? }, is_only))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn others(section: &str, site: &str) -> usize {
        let sites = Sites::parse(section.as_bytes());
        sites.others("/a/f.c", "g", member(site).unwrap().0).len()
    }

    #[test]
    fn a_site_stands_for_the_others_of_its_group() {
        let section = "f.c\tg\tw9:9 r10:11\tr11:9 w11:9 r12:1\0f.c\th\tw9:9 r1:1 r2:2\0";
        assert_eq!(others(section, "w9:9"), 1);
        assert_eq!(others(section, "w11:9"), 2);
        assert_eq!(others(section, "r9:9"), 0);
        let sites = Sites::parse(section.as_bytes());
        assert_eq!(sites.others("f.c", "g", member("r10:11").unwrap().0), [member("w9:9").unwrap().0]);
        assert!(sites.others("other.c", "g", member("w9:9").unwrap().0).is_empty());
    }

    #[test]
    fn two_at_one_place_stand_for_nothing() {
        let section = "f.c\tg\t?w9:9 r10:11\0";
        assert_eq!((others(section, "w9:9"), others(section, "r10:11")), (0, 1));
        // Two functions of one name, in files of one name.
        assert_eq!(others("f.c\tg\tw9:9 r10:11\0f.c\tg\tw9:9 r12:1\0", "w9:9"), 0);
        assert_eq!(others("f.c\tg\tw9:9 r10:11\0f.c\tg\tw9:9 r10:11\0", "w9:9"), 1);
    }

    #[test]
    fn what_is_damaged_is_left_out() {
        for text in
            ["", "\t", "f.c", "f.c\tg", "f.c\tg\tx", "f.c\tg\tw9 r:\té1:1\t", "f.c\tg\tw9:9 r99999999999:1"]
        {
            assert_eq!(others(text, "w9:9"), 0, "{text:?}");
        }
    }
}
