//! All detectors on the programs that grow: time and peak memory of a whole `check`.

use crate::Section;
use crate::child::{self, EMPTY};
use crate::document::{Table, number};
use crate::growth::FAMILIES;
use raceproof_cli::check::DetectorName;

const SIZE: u64 = 100_000;
const ROUNDS: usize = 3;

/// The closure and the zipper take no graph of this size.
const DETECTORS: [DetectorName; 3] = [DetectorName::EspBags, DetectorName::Drdp, DetectorName::Default];

pub(crate) fn measure() -> Section {
    let mut columns = vec!["program".to_owned()];
    columns.extend(DETECTORS.map(|detector| format!("{} s", detector.name())));
    columns.extend(DETECTORS.map(|detector| format!("{} bytes/task", detector.name())));
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut table = Table::new(&columns);
    let mut missed = Vec::new();
    let empty =
        child::interleaved(&[(EMPTY, 0, DetectorName::None)], ROUNDS)[0].expect("the empty program runs");
    for family in FAMILIES {
        let costs = child::interleaved(&DETECTORS.map(|detector| (family, SIZE, detector)), ROUNDS);
        let mut cells = vec![family.to_owned()];
        let absent = || "–".to_owned();
        cells
            .extend(costs.iter().map(|cost| cost.map_or_else(absent, |cost| format!("{:.4}", cost.seconds))));
        let bytes =
            |cost: &Option<child::Cost>| cost.map_or_else(absent, |cost| number(cost.bytes_a_task(&empty)));
        cells.extend(costs.iter().map(bytes));
        table.row(&cells);
        let Some((Some(default), others)) = costs.split_last() else { panic!("the default refuses nothing") };
        for (other, detector) in others.iter().zip(DETECTORS) {
            let Some(other) = other else { continue };
            if other.seconds <= default.seconds {
                missed.push(format!("{family}: {} is as fast as the default", detector.name()));
            }
            if other.peak <= default.peak {
                missed.push(format!("{family}: {} needs no more memory than the default", detector.name()));
            }
        }
    }
    Section { text: table.into_text(), missed }
}
