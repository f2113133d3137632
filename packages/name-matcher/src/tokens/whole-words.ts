import { canonicalSpelling, concatSpellings } from "./canonical-spelling.ts";

/*
 * Joins words that companies write in several ways to one token: spelled-out legal forms and
 * numbers. Otherwise the `s` of `obshchestvo s ogranichennoy otvetstvennostyu` would weigh like a
 * rare name, and `Fourteen` would differ from `14`.
 */

/**
 * Legal forms as national company laws spell them out, each after its usual abbreviation, in Latin
 * letters without diacritics. One romanisation of each is enough, because words are compared by
 * canonical spelling.
 */
const spelledOut = `
  llc: limited liability company, limited liability co
  llp: limited liability partnership
  plc: public limited company
  pjsc: public joint stock company, public joint stock co
  ojsc: open joint stock company, open joint stock co
  cjsc: closed joint stock company, closed joint stock co
  jsc: joint stock company, joint stock co, private joint stock company
  jsc: non public joint stock company
  fzllc: free zone limited liability company, free zone llc, fz llc
  fze: free zone establishment, fz establishment
  fzco: free zone company, free zone co, fz company, fz co
  ooo: obshchestvo s ogranichennoy otvetstvennostyu, obshchestva s ogranichennoy otvetstvennostyu
  ooo: obschestvo s ogranichennoy otvetstvennostyu, obtchestvo s ogranitchennoi otvetstvennostiou
  ooo: s ogranichennoy otvetstvennostyu, tavarystva z abmezhavanay adkaznastsyu
  odo: obshchestvo s dopolnitelnoy otvetstvennostyu
  pao: publichnoe aktsionernoe obshchestvo, publichnoe aktsionernoe obschestvo
  oao: otkrytoe aktsionernoe obshchestvo, otkrytoe aktsionernoe obschestvo
  zao: zakrytoe aktsionernoe obshchestvo, zakrytoe aktsionernoe obschestvo
  nao: nepublichnoe aktsionernoe obshchestvo, nepublichnoe aktsionernoe obschestvo
  ao: aktsionernoe obshchestvo, aktsionernoe obschestvo
  fgup: federalnoe gosudarstvennoe unitarnoe predpriyatie
  fgbu: federalnoe gosudarstvennoe byudzhetnoe uchrezhdenie
  gup: gosudarstvennoe unitarnoe predpriyatie
  ano: avtonomnaya nekommercheskaya organizatsiya
  ip: individualnyy predprinimatel
  tov: tovarystvo z obmezhenoyu vidpovidalnistyu
  pat: publichne aktsionerne tovarystvo
  prat: pryvatne aktsionerne tovarystvo
  ood: druzhestvo s ogranichena otgovornost
  eood: ednolichno druzhestvo s ogranichena otgovornost
  ad: aktsionerno druzhestvo, akcionarsko drustvo
  doo: drustvo s ogranicenom odgovornoscu, drustvo sa ogranicenom odgovornoscu, d o o
  doo: drustvo so ogranicena odgovornost, druzba z omejeno odgovornostjo
  dd: dionicko drustvo, delniska druzba
  spzoo: spolka z ograniczona odpowiedzialnoscia, spolka z o o, spolka z oo, spolka zoo
  spzoo: sp z o o, sp z oo, sp zoo
  sro: spolecnost s rucenim omezenym, spolocnost s rucenim obmedzenym, spol s r o, s r o
  kft: korlatolt felelossegu tarsasag
  zrt: zartkoruen mukodo reszvenytarsasag
  nyrt: nyilvanosan mukodo reszvenytarsasag
  rt: reszvenytarsasag
  srl: societate cu raspundere limitata, societatea cu raspundere limitata
  srl: societa a responsabilita limitata, sociedad de responsabilidad limitada, s r l
  sa: societate pe actiuni, societatea pe actiuni, spolka akcyjna, societe anonyme
  sa: sociedad anonima, sociedade anonima, sociedade por acoes, sociedade por acoes de capital aberto
  spa: societa per azioni
  gmbh: gesellschaft mit beschrankter haftung, gesellschaft mit beschraenkter haftung
  sarl: societe a responsabilite limitee
  sas: societe par actions simplifiee, sociedad por acciones simplificada
  sl: sociedad limitada
  ltda: sociedade por quotas de responsabilidade limitada, sociedade por quotas
  bv: besloten vennootschap met beperkte aansprakelijkheid, besloten vennootschap
  bv: vennootschap met beperkte aansprakelijkheid
  nv: naamloze vennootschap, aandelenvennootschap
  as: akciova spolecnost, akciova spolocnost, aktsiaselts, anonim sirketi, anonim sirket, a s
  as: akciju sabiedriba
  sia: sabiedriba ar ierobezotu atbildibu
  uab: uzdaroji akcine bendrove
  ab: akcine bendrove
  ou: osauhing
  oyj: julkinen osakeyhtio
  oy: osakeyhtio
  epe: etaireia periorismenis evthynis
  ae: anonymi etaireia
  pjs: sherkat sahami khass, sherkat sahami am
`;

type Form = { readonly letters: string; readonly token: string };

/**
 * Legal forms by the beginning of their first word. Most words begin no form, so this lookup is
 * usually empty.
 */
const formsByBeginning = new Map<string, Form[]>();
const beginningLength = 2;
const beginningOf = (word: string): string => word.slice(0, beginningLength);
/** The minimum letters of a form that may contain one edit. A shorter form must match exactly. */
const editedLengthMin = 12;

for (const line of spelledOut.trim().split("\n")) {
  const [token = "", forms = ""] = line.trim().split(": ");
  for (const form of forms.split(", ")) addForm(token, form.split(" "));
}

function addForm(token: string, words: readonly string[]): void {
  const beginning = beginningOf(words[0] ?? "");
  const known = formsByBeginning.get(beginning) ?? [];
  known.push({ letters: words.map(spelled).reduce(concatSpellings), token });
  formsByBeginning.set(beginning, known);
}

/** A single Cyrillic `с` becomes a Latin `c` beside Latin words. */
function spelled(token = ""): string {
  return token === "c" ? "s" : canonicalSpelling(token);
}

/** The abbreviations are legal forms by themselves. */
export const legalAbbreviations: ReadonlySet<string> = new Set(
  [...formsByBeginning.values()].flat().map(({ token }) => token),
);

const units = `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
  fifteen sixteen seventeen eighteen nineteen`.split(/\s+/);
const tens = "_ _ twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const numbers: ReadonlyMap<string, number> = new Map([
  ...units.map((word, value): [string, number] => [word, value]),
  ...tens.map((word, value): [string, number] => [word, value * 10]),
]);
const unitsMax = 9;
const tensMin = 20;

/** Joins each spelled-out legal form and each number in words of a company's name to one token. */
export function wholeWords(tokens: readonly string[]): string[] {
  const whole: string[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] ?? "";
    const form = formAt(tokens, at);
    const value = numbers.get(token);
    if (form !== undefined) {
      whole.push(form.token);
      at += form.count - 1;
    } else if (value !== undefined) {
      const unit = value >= tensMin ? (numbers.get(tokens[at + 1] ?? "") ?? 0) : 0;
      const isTwoWords = unit >= 1 && unit <= unitsMax;
      whole.push(String(isTwoWords ? value + unit : value));
      if (isTwoWords) at += 1;
    } else whole.push(token);
  }
  return whole;
}

/** The maximum consecutive tokens that add no letter. No legal form has more. */
const repeatedMax = 1;

type FormFound = { readonly form: Form; readonly count: number; readonly isExact: boolean };

/**
 * Returns the longest legal form that begins at a token, and the number of tokens that it covers.
 * Spaces may be at any position (`Limitedliability Company`).
 */
function formAt(
  tokens: readonly string[],
  at: number,
): { readonly token: string; readonly count: number } | undefined {
  const forms = formsByBeginning.get(beginningOf(tokens[at] ?? ""));
  if (forms === undefined) return undefined;
  const longest = forms.reduce((most, { letters }) => Math.max(most, letters.length), 0);
  let letters = "";
  let repeated = 0;
  let best: FormFound | undefined;
  for (let count = 1; at + count <= tokens.length && letters.length <= longest; count += 1) {
    const next = spelled(tokens[at + count - 1]);
    const more = letters === "" ? next : concatSpellings(letters, next);
    // `L L C` repeats a letter once. Without this limit, a long row of `L` would be read to its end
    // again at each token.
    repeated = more === letters ? repeated + 1 : 0;
    if (repeated > repeatedMax) break;
    letters = more;
    for (const form of forms) {
      if (!isForm(letters, form)) continue;
      const found = { form, count, isExact: letters === form.letters };
      if (best === undefined || isBetter(found, best)) best = found;
    }
  }
  return best && { token: best.form.token, count: best.count };
}

/** Prefers the longer form, then tokens whose letters match exactly. */
function isBetter(found: FormFound, best: FormFound): boolean {
  const more = found.form.letters.length - best.form.letters.length;
  return more > 0 || (more === 0 && found.isExact && !best.isExact);
}

function isForm(letters: string, { letters: form }: Form): boolean {
  if (letters === form) return true;
  return form.length >= editedLengthMin && isOneEdit(letters, form);
}

/** True if two texts differ in one letter, which is replaced, added or missing. */
function isOneEdit(a: string, b: string): boolean {
  const longest = Math.max(a.length, b.length);
  const shortest = Math.min(a.length, b.length);
  if (longest - shortest > 1) return false;
  let same = 0;
  while (same < shortest && a.charCodeAt(same) === b.charCodeAt(same)) same += 1;
  const rest = longest - same - 1;
  return a.slice(a.length - rest) === b.slice(b.length - rest);
}
