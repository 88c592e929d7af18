//! The words of `RACEPROOF_OPTIONS`: `name=value`, separated by colons or white space, any bytes.
//!
//! What stands between two `'` or two `"` is taken as it is, so that a path may have colons and
//! spaces: `trace='/a b/c:d'`.

fn is_separator(byte: u8) -> bool {
    byte == b':' || byte.is_ascii_whitespace()
}

/// The words, without their quotes; none if a quote is not closed.
pub fn split(text: &[u8]) -> Option<Vec<Vec<u8>>> {
    let (mut words, mut word, mut quote) = (Vec::new(), Vec::new(), None);
    for &byte in text {
        match quote {
            Some(open) if open == byte => quote = None,
            Some(_) => word.push(byte),
            None if byte == b'\'' || byte == b'"' => quote = Some(byte),
            None if is_separator(byte) => words.push(std::mem::take(&mut word)),
            None => word.push(byte),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    quote.is_none().then_some(words)
}

/// A word that [`split`] gives back as it is.
pub fn quoted(word: &[u8]) -> Vec<u8> {
    if !word.iter().any(|&byte| is_separator(byte) || byte == b'\'' || byte == b'"') {
        return word.to_vec();
    }
    let inside = word.iter().flat_map(|byte| match byte {
        b'\'' => b"'\"'\"'",
        other => std::slice::from_ref(other),
    });
    [b"'", inside.copied().collect::<Vec<u8>>().as_slice(), b"'"].concat()
}

/// The user's options for another run, without those that say where a run reports and those that
/// keep the detector from looking; none if there is nothing to say.
pub fn for_another_run(text: &[u8]) -> Option<Vec<u8>> {
    let dropped = |word: &Vec<u8>| {
        [&b"report="[..], b"trace=", b"exitcode=", b"detect="].iter().any(|begin| word.starts_with(begin))
    };
    let words = split(text)?.into_iter().filter(|word| !dropped(word));
    let kept: Vec<Vec<u8>> = words.map(|word| quoted(&word)).collect();
    (!text.is_empty()).then(|| kept.join(&b':'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use raceproof_core::random::random;

    #[test]
    fn words_are_separated_by_colons_and_spaces() {
        let words = split(b" threads=3::report=/tmp/x \t\ndetect=off:").unwrap();
        assert_eq!(words, [&b"threads=3"[..], b"report=/tmp/x", b"detect=off"]);
        assert_eq!(split(b""), Some(vec![]));
    }

    #[test]
    fn quotes_keep_them_together() {
        let words = split(b"trace='/a b:c':report=\"/it's\"").unwrap();
        assert_eq!(words, [&b"trace=/a b:c"[..], b"report=/it's"]);
        assert_eq!(split(b"trace='/a b:c"), None);
    }

    #[test]
    fn every_word_survives_its_quotes() {
        for word in [&b"a=b"[..], b"a=b c", b"a=:", b"a='\"'", b"a=\xff\x80 \xfe", b"'", b"a=\n", b"\"\"' '"]
        {
            let text = [b"x=1:", quoted(word).as_slice(), b":y=2"].concat();
            assert_eq!(split(&text).unwrap(), [b"x=1", word, b"y=2"], "{word:?}");
        }
    }

    #[test]
    fn generated_words_survive_their_quotes() {
        for seed in 0..2000 {
            let mut any = random(seed);
            let word = |any: &mut dyn FnMut(usize) -> usize| -> Vec<u8> {
                (0..1 + any(8)).map(|_| b"ab=:'\" \t\n\xff"[any(10)]).collect()
            };
            let words: Vec<Vec<u8>> = (0..any(5)).map(|_| word(&mut any)).collect();
            let text = words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(&b':');
            assert_eq!(split(&text), Some(words), "seed {seed}");
        }
    }
}
