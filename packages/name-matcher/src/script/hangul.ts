/**
 * Korean syllables in Latin letters, as passports and lists write names: McCune and Reischauer's
 * way, without its marks and with every stop voiceless (`Kim`, `Pak`, `To Chun`). The state's own
 * romanisation (`Gim`, `Bak`) is used for places, hardly ever for persons.
 */

const firsts = "k kk n t tt r m p pp s ss _ j jj ch k t p h".split(" ");
const vowels = "a ae ya yae o e yo ye o wa wae oe yo u wo we wi yu u ui i".split(" ");
const lasts = "_ k k k n n n t l k m l l l p l m p p t t ng t t k t p t".split(" ");

const syllables = /[\uac00-\ud7a3]/gu;
const base = 0xac00;

/** The text with each Korean syllable in Latin letters; nothing comes between two of them. */
export function readHangul(text: string): string {
  return text.replace(syllables, (syllable) => {
    const at = syllable.charCodeAt(0) - base;
    const first = Math.floor(at / (vowels.length * lasts.length));
    const vowel = Math.floor(at / lasts.length) % vowels.length;
    const parts = [firsts[first], vowels[vowel], lasts[at % lasts.length]];
    return parts.map((part) => (part === "_" ? "" : part)).join("");
  });
}
