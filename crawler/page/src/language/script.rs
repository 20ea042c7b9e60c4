//! The scripts of a text, and how much of it each has.

/// A script. Kana counts as [`Script::Han`], because Japanese mixes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Script {
    Latin,
    Han,
    Hangul,
    Cyrillic,
    Arabic,
    Hebrew,
    Greek,
    Armenian,
    Georgian,
    Devanagari,
    Bengali,
    Gurmukhi,
    Gujarati,
    Oriya,
    Tamil,
    Telugu,
    Kannada,
    Malayalam,
    Sinhala,
    Thai,
    Lao,
    Tibetan,
    Burmese,
    Khmer,
    Ethiopic,
}

/// Number of scripts.
pub(super) const SCRIPTS: usize = Script::Ethiopic as usize + 1;

impl Script {
    /// All scripts, each at its number.
    pub(super) const ALL: [Self; SCRIPTS] = [
        Self::Latin,
        Self::Han,
        Self::Hangul,
        Self::Cyrillic,
        Self::Arabic,
        Self::Hebrew,
        Self::Greek,
        Self::Armenian,
        Self::Georgian,
        Self::Devanagari,
        Self::Bengali,
        Self::Gurmukhi,
        Self::Gujarati,
        Self::Oriya,
        Self::Tamil,
        Self::Telugu,
        Self::Kannada,
        Self::Malayalam,
        Self::Sinhala,
        Self::Thai,
        Self::Lao,
        Self::Tibetan,
        Self::Burmese,
        Self::Khmer,
        Self::Ethiopic,
    ];

    /// The script of a character by its block of Unicode; `None` for marks, digits and scripts of few web pages.
    pub(super) fn of(c: char) -> Option<Self> {
        Some(match u32::from(c) {
            0x41..=0x5a | 0x61..=0x7a | 0xaa | 0xba | 0xc0..=0x24f | 0x1e00..=0x1eff => Self::Latin,
            0x370..=0x3ff | 0x1f00..=0x1fff => Self::Greek,
            0x400..=0x52f => Self::Cyrillic,
            0x531..=0x58f => Self::Armenian,
            0x5d0..=0x5f4 => Self::Hebrew,
            0x620..=0x64a | 0x66e..=0x6d5 | 0x6ee..=0x6ff | 0x750..=0x77f | 0xfb50..=0xfdff | 0xfe70..=0xfefc => {
                Self::Arabic
            }
            0x900..=0x963 | 0x970..=0x97f => Self::Devanagari,
            0x980..=0x9ff => Self::Bengali,
            0xa00..=0xa7f => Self::Gurmukhi,
            0xa80..=0xaff => Self::Gujarati,
            0xb00..=0xb7f => Self::Oriya,
            0xb80..=0xbff => Self::Tamil,
            0xc00..=0xc7f => Self::Telugu,
            0xc80..=0xcff => Self::Kannada,
            0xd00..=0xd7f => Self::Malayalam,
            0xd80..=0xdff => Self::Sinhala,
            0xe00..=0xe7f => Self::Thai,
            0xe80..=0xeff => Self::Lao,
            0xf00..=0xfff => Self::Tibetan,
            0x1000..=0x109f => Self::Burmese,
            0x10a0..=0x10ff | 0x1c90..=0x1cbf => Self::Georgian,
            0x1200..=0x139f => Self::Ethiopic,
            0x1780..=0x17ff => Self::Khmer,
            0x1100..=0x11ff | 0x3130..=0x318f | 0xac00..=0xd7a3 => Self::Hangul,
            0x3041..=0x30ff
            | 0x31f0..=0x31ff
            | 0x3400..=0x4dbf
            | 0x4e00..=0x9fff
            | 0xf900..=0xfaff
            | 0x2_0000..=0x3_ffff => Self::Han,
            _ => return None,
        })
    }

    /// How many letters of an alphabet say as much as one character.
    fn letters(self) -> u32 {
        match self {
            Self::Han => 3,
            Self::Hangul => 2,
            _ => 1,
        }
    }
}

/// Whether a character is kana, which only Japanese has.
pub(super) fn is_kana(c: char) -> bool {
    matches!(u32::from(c), 0x3041..=0x30fa | 0x30fc..=0x30ff | 0x31f0..=0x31ff)
}

/// How much of a text each script has, in letters of an alphabet.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Amounts([u32; SCRIPTS]);

impl Amounts {
    /// Counts the characters of a text.
    pub(super) fn of(text: &str) -> Self {
        let mut amounts = Self::default();
        for script in text.chars().filter_map(Script::of) {
            amounts.0[script as usize] += script.letters();
        }
        amounts
    }

    /// The amount of one script.
    pub(super) fn get(&self, script: Script) -> u32 {
        self.0[script as usize]
    }

    /// Adds to the amount of one script.
    pub(super) fn add(&mut self, script: Script, letters: u32) {
        self.0[script as usize] += letters;
    }

    /// Leaves out one script.
    pub(super) fn remove(&mut self, script: Script) {
        self.0[script as usize] = 0;
    }

    /// All letters.
    pub(super) fn total(&self) -> u32 {
        self.0.iter().sum()
    }

    /// The script with the largest amount, of equal ones the first, and this amount.
    pub(super) fn most(&self) -> (Script, u32) {
        let mut most = (Script::Latin, self.get(Script::Latin));
        for script in Script::ALL {
            if self.get(script) > most.1 {
                most = (script, self.get(script));
            }
        }
        most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_script_is_at_its_number() {
        for (number, script) in Script::ALL.into_iter().enumerate() {
            assert_eq!(script as usize, number);
        }
    }

    #[test]
    fn a_character_of_an_alphabet_and_one_of_words_weigh_differently() {
        let amounts = Amounts::of("数据 is data, かな; 42");
        assert_eq!((amounts.get(Script::Han), amounts.get(Script::Latin)), (12, 6));
        assert_eq!(Amounts::of("数据 data").most(), (Script::Han, 6));
        assert_eq!(Amounts::of("1 + 2").most(), (Script::Latin, 0));
    }
}
