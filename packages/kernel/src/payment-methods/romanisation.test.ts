import { describe, expect, it } from "vitest";
import { isReadable, isRomanisable, romanise, swiftText, withoutEmoji } from "./romanisation.ts";

/** Splits a row such as `а a б b` into pairs. */
function pairs(row: string): [string, string][] {
  return [...row.matchAll(/(\S+) (\S+)/gu)].map(([, letter = "", latin = ""]) => [letter, latin]);
}

describe("Cyrillic by ICAO Doc 9303", () => {
  // Tests each letter within a word, because ICAO has exceptions for the first letter.
  it.each([
    ...pairs(
      "А A Б B В V Г G Д D Е E Ё E Ж ZH З Z И I Й I К K Л L М M Н N О O П P Р R С S Т T У U",
    ),
    ...pairs("Ф F Х KH Ц TS Ч CH Ш SH Щ SHCH Ъ IE Ы Y Э E Ю IU Я IA"),
    ...pairs("Ђ D Є IE Ѕ DZ І I Ї I Ј J Љ LJ Њ NJ Ќ K Ў U Џ DZ Ѫ U Ѵ Y Ґ G Ғ G Һ C Ћ C Ѓ G"),
    ...pairs("Ә A Қ K Ң N Ө O Ұ U Ү U Ҳ H Ҷ J Ӣ I Ӯ U"),
  ])("%s is %s", (letter, latin) => {
    expect(romanise(`А${letter}А`)).toBe(`A${latin}A`);
    expect(romanise(`а${letter.toLowerCase()}а`)).toBe(`a${latin.toLowerCase()}a`);
  });

  it.each([
    ["Щербаков", "Shcherbakov"],
    ["ЩЕРБАКОВ", "SHCHERBAKOV"],
    ["Юлия Щеглова", "Iuliia Shcheglova"],
    ["Гоголь", "Gogol"],
    ["Подъездов", "Podieezdov"],
    ["Ёлкин Ж. Ю.", "Elkin Zh. Iu."],
    ["Єфремов Їжак Заєць", "Yefremov Yizhak Zaiets"],
    ["Й", "I"],
    ["Сергі́й", "Sergii"],
    ["Войсе\u0308нов", "Voisenov"],
  ])("%s is %s", (name, latin) => {
    expect(romanise(name)).toBe(latin);
  });
});

describe("Greek by ELOT 743", () => {
  it.each([
    ...pairs("Α A Β V Γ G Δ D Ε E Ζ Z Η I Θ TH Ι I Κ K Λ L Μ M Ν N Ξ X Ο O Π P Ρ R Σ S Τ T Υ Y"),
    ...pairs("Φ F Χ CH Ψ PS Ω O Ά A Έ E Ή I Ί I Ό O Ύ Y Ώ O Ϊ I Ϋ Y"),
  ])("%s is %s", (letter, latin) => {
    expect(romanise(`Λ${letter}Λ`)).toBe(`L${latin}L`);
    expect(romanise(`λ${letter.toLowerCase()}λ`)).toBe(`l${latin.toLowerCase()}l`);
  });

  it.each([
    ["Παπαδόπουλος", "Papadopoulos"],
    ["ΠΑΠΑΔΟΠΟΥΛΟΥ", "PAPADOPOULOU"],
    ["Ούζο", "Ouzo"],
    // αυ, ευ, ηυ: v before vowels and voiced letters, f before other letters and at the end.
    ["Σταύρος", "Stavros"],
    ["Ευάγγελος", "Evangelos"],
    ["Ευθυμία", "Efthymia"],
    ["Ναυπλιο", "Nafplio"],
    ["Λευκωσία", "Lefkosia"],
    ["Εύξεινος", "Efxeinos"],
    ["ηύρα", "ivra"],
    ["ταυ", "taf"],
    // A diaeresis, or an accent on the first vowel, separates the two.
    ["πραΰς", "prays"],
    ["άυλος", "aylos"],
    ["γγ γκ γξ γχ", "ng gk nx nch"],
    ["Άγγελος Σφίγξ Αγχίαλος Γκίκας", "Angelos Sfinx Anchialos Gkikas"],
    // μπ: b at either end of a word, mp within it.
    ["Μπάμπης", "Bampis"],
    ["ΜΠΟΥΡΜΠΟΥΛΗΣ", "BOURMPOULIS"],
    ["Ντίνος Κόντης", "Ntinos Kontis"],
    ["Ζώτος", "Zotos"],
    ["ᾠδή", "odi"],
  ])("%s is %s", (name, latin) => {
    expect(romanise(name)).toBe(latin);
  });
});

describe("Latin letters", () => {
  it.each([
    ["Łódź Çelik Ñandú Ưng Đỗ", "Lodz Celik Nandu Ung Do"],
    ["Straße Ærø Œuvre Þór İnan ışık Ŋ Ǿ", "Strasse AEro OEuvre THor Inan isik N O"],
    ["re\u0301sume\u0301 q\u0308", "resume q"],
    ["Ｊａｎｅ ﬁn ½", "Jane fin 1/2"],
    ["O’Neill – Kaʻahu ʼn", "O'Neill - Ka'ahu 'n"],
  ])("%s is %s", (text, latin) => {
    expect(romanise(text)).toBe(latin);
  });
});

describe("symbols and emoji", () => {
  it.each([
    ["Jane 😀 Doe", "Jane Doe"],
    ["Acme™ © ® €5 + $6", "Acme 5 + 6"],
    ["👩‍👩‍👧 Mia 👍🏽 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿", "Mia 1"],
    ["❤️Love❤", "Love"],
    ["A$AP ~ <b> = `x` | ^", "AAP b x"],
    ["🇩🇪 GmbH ★", "GmbH"],
  ])("%s is %s", (text, written) => {
    expect(swiftText(text)).toBe(written);
  });
});

it.each([
  ["Łódź & 東京 €5", "Łódź & 東京 €5"],
  ["東京 😀 👩‍👩‍👧 ™ 1️⃣", "東京 1"],
  ["می‌خواهم", "می‌خواهم"],
])("%s without emoji is %s", (text, written) => {
  expect(withoutEmoji(text)).toBe(written);
});

it.each([
  ["Jane Doe 😀", true],
  ["Юлия Ελένη Łukasz", true],
  ["O’Neill & Söhne #1", true],
  ["山田太郎", false],
  ["ヤマダ", false],
  ["김철수", false],
  ["محمد", false],
  ["שלום", false],
  ["สมชาย", false],
  ["राहुल", false],
  ["გიორგი", false],
  ["Անի", false],
  ["Jane 山田", false],
  ["١٢", false],
])("%s has a safe romanisation: %s", (text, expected) => {
  expect(isRomanisable(text)).toBe(expected);
});

it("is readable where a letter or digit is left", () => {
  expect(["3M", "Ж", "★★", "山田", "-", "..", ""].map(isReadable)).toEqual([
    ...[true, true, false, false, false, false, false],
  ]);
});
