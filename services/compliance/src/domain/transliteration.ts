/**
 * Latin letters for what other scripts and the Latin alphabet's own extras write. One reading for
 * each letter: spellings that differ between romanisations meet again in the sound key of
 * `spelling.ts`. Cyrillic follows the BGN/PCGN tables roughly; Arabic and Hebrew have no short
 * vowels to give.
 */
const rows: readonly string[] = [
  // Latin letters that Unicode does not decompose.
  "ß ss æ ae œ oe ø o đ d ð d þ th ħ h ı i ł l ŋ n ŧ t ə a ĸ k ſ s ɓ b ɗ d ƙ k ƴ y",
  // Russian, Ukrainian, Belarusian, Serbian, Macedonian, Kazakh.
  "а a б b в v г g д d е e ж zh з z и i й y к k л l м m н n о o п p р r с s т t у u ф f х kh ц ts",
  "ч ch ш sh щ shch ы y э e ю yu я ya і i ї yi є ye ґ g ў u",
  "ђ dj ј j љ lj њ nj ћ c џ dz ѓ gj ќ kj ѕ dz",
  "ә a ғ gh қ q ң n ө o ұ u ү u һ h ё e",
  // Greek.
  "α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s ς s τ t",
  "υ y φ f χ ch ψ ps ω o",
  // Arabic and Persian.
  "ا a أ a إ i آ a ٱ a ء  ب b ت t ث th ج j ح h خ kh د d ذ dh ر r ز z س s ش sh ص s",
  "ض d ط t ظ z ع a غ gh",
  "ف f ق q ك k ک k ل l م m ن n ه h ة a و w ؤ w ي y ی y ى a ئ y پ p چ ch ژ zh گ g",
  // Hebrew.
  "א a ב b ג g ד d ה h ו v ז z ח h ט t י y כ k ך k ל l מ m ם m נ n ן n ס s ע a פ p ף f צ ts",
  "ץ ts ק k ר r ש sh ת t",
];

/**
 * Signs that only soften or separate in Cyrillic, and Arabic's stretching sign: nothing to write.
 */
const silent = "ьъʹʺـ";

function table(): Map<string, string> {
  const letters = new Map<string, string>();
  for (const row of rows) {
    const cells = row.split(" ");
    for (let at = 0; at + 1 < cells.length; at += 2) {
      letters.set(cells[at] ?? "", cells[at + 1] ?? "");
    }
  }
  for (const sign of silent) letters.set(sign, "");
  return letters;
}

const letters = table();
const plain = /^[\x20-\x7e]*$/;
const marks = /\p{M}+/gu;

/** Arabic writes its article as one with the word; other scripts write it apart (`al-Razzaq`). */
const arabicArticle = /(?<!\p{L})ال(?=\p{Script=Arabic}{3})/gu;

/** Lower-case text without marks, in Latin letters where a reading of the letter is known. */
export function toLatin(text: string): string {
  const lower = text.normalize("NFKC").toLowerCase();
  if (plain.test(lower)) return lower;
  const apart = lower.replace(arabicArticle, "ال ");
  let latin = "";
  // Composed letters that have a row of their own (й, ї, آ) are read before their marks come off.
  for (const letter of apart) latin += letters.get(letter) ?? letter;
  let bare = "";
  for (const letter of latin.normalize("NFKD").replace(marks, "")) {
    bare += letters.get(letter) ?? letter;
  }
  return bare;
}
