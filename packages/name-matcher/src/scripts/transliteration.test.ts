import { describe, expect, it } from "vitest";
import { toLatin, toLatinBySound } from "./transliteration.ts";

describe("toLatin", () => {
  it.each([
    ["Russian", "Сергей СОЛОВЬЁВ", "sergey solovev"],
    ["Ukrainian", "Юрій Ївженко", "yuriy yivzhenko"],
    ["Greek, its double letters too", "Νίκος Παπαδόπουλος", "nikos papadopulos"],
    ["Greek pairs with an accent", "Πούτιν Παύλος", "putin pavlos"],
    ["Greek pairs at the beginning of a word", "Μπασάρ Ντμίτρι Γκέοργκ", "basar dmitri georgk"],
    ["Greek pairs within a word", "Λάμπρος Αντώνης Άγγελος", "lampros antonis angelos"],
    ["Arabic names as wholes", "محمد حسين عبد الله", "muhammad husayn abd allah"],
    ["a Persian keyboard", "یوسف کریمی", "yusuf karimi"],
    ["the article apart", "الدريسي", "al darisi"],
    ["Arabic words that nobody knows", "بلقاسم", "balaqasam"],
    ["Arabic marks and stretching", "مُحَمَّـــد", "muhammad"],
    ["Hebrew with the vowels that it leaves out", "חסן נסראללה", "hasan nasaralla"],
    ["Hebrew letters that are vowels", "איסמעיל הניה", "isamil hania"],
    ["Chinese, the family name apart", "习近平", "xi jinping"],
    ["Korean as names are written, the family name apart", "김정은", "kim jongun"],
    ["Korean ends", "박도춘", "pak tochun"],
    ["Japanese with its voiced sounds", "ジョンウン", "jiyonun"],
    ["Japanese of one row only", "ビン", "bin"],
    ["Georgian", "გიორგი", "giorgi"],
    ["Armenian", "Հայկ", "hayk"],
    ["Devanagari with its vowels", "मोदी", "modi"],
    ["letters that Unicode does not take apart", "Łukasz Øster Straße", "lukasz oster strasse"],
    ["nothing of an emoji", "😀", "😀"],
    ["symbols that are drawn letters", "🅑🅘🅝 🅻🅰🅳🅴🅽", "bin laden"],
    ["braille", "⠥⠎⠁⠍⠁", "usama"],
    ["nothing of a flag", "Anna 🇫🇷", "anna  "],
  ])("reads %s: %s as %s", (_, written, latin) => {
    expect(toLatin(written)).toBe(latin);
  });

  it.each([
    ["Cyrillic letters in a Latin word", "Vlаdimir Рutin", "vladimir putin"],
    ["a word that only looks Latin among Latin ones", "Ivan Рарор", "ivan papop"],
    ["a Greek letter in a Latin word", "Αnna Smith", "anna smith"],
    ["Greek capitals", "USAMA BIΝ LADEΝ YΥSUF", "usama bin laden yysuf"],
    ["small Greek letters", "usama biη ladeη", "usama bin laden"],
    ["a Latin letter in a Cyrillic word", "Влaдимир", "vladimir"],
    ["Cyrillic alone", "ОАО Сокол", "oao sokol"],
  ])("reads by look %s: %s as %s", (_, written, latin) => {
    expect(toLatin(written)).toBe(latin);
  });

  it.each([
    ["pairs within a word", "Βλαντίμιρ Πριγκόζιν Λάμπρος", "vladimir prigozin labros"],
    ["a Greek J", "Τζαμάλ", "jamal"],
    ["a Greek Y", "Γιεβγκένι Γιούρι", "yevgeni yuri"],
    ["a Greek kh", "Μιχαήλ Χαταμί", "mikhail khatami"],
    ["Cyrillic as before", "Сергей", "sergey"],
  ])("reads by sound %s: %s as %s", (_, written, latin) => {
    expect(toLatinBySound(written)).toBe(latin);
  });

  it.each([
    ["zero-width joiners", "Vla\u200ddi\u200cmir", "vladimir"],
    ["right-to-left marks", "\u200fVladimir\u202e Putin\u202c", "vladimir putin"],
    ["a soft hyphen", "Vladi\u00admir", "vladimir"],
    ["a flood of marks", `V${"\u0301".repeat(200)}ladimir`, "vladimir"],
  ])("takes off %s", (_, written, latin) => {
    expect(toLatin(written)).toBe(latin);
  });

  it.each([
    ["Arabic", "بتثجحخدذرزسشصضطظغفقكلمنه"],
    ["Persian", "پچژگک"],
    ["Urdu", "ٹڈڑ"],
    ["Pashto", "ټډړښځڅګڼ"],
    ["Kurdish", "ڤ"],
  ])("puts a vowel before each consonant of %s", (_, consonants) => {
    const read = [...consonants].map((letter) => toLatin(`ب${letter}ب`));
    expect(read.filter((latin) => !/^ba[a-z]{1,2}ab$/.test(latin))).toEqual([]);
  });
});
