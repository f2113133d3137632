import { expect, test } from "vitest";
import { partyBlockingKeys } from "./blocking-keys.ts";
import { matcherConfig } from "./config.ts";
import type { EntryType, NameKind } from "./entry.ts";
import { buildMatcher, type Hit, type Party } from "./matcher.ts";
import type { ListedEntry } from "./measure/query-set.ts";
import { latinLookalike } from "./scripts/homoglyphs.ts";
import { toLatin } from "./scripts/transliteration.ts";

/*
 * Records the matcher's exact results for some hundred parties and invented entries. A change of
 * the matcher shows its side effects here. Read the difference, and run `vitest -u` if every
 * changed line is intended.
 */

const people = [
  "PETROSENKO, Valerij Andreevich",
  "AL-RASHIDIN, Muhammad Yusuf bin Khalid",
  "Sergey Nikiforenko",
  "Сергей Никифоренко",
  "Юрій Ївженко-Щербак",
  "Νίκος Παπαδρουλόπουλος",
  "محمد خالد الدريسي",
  "عبد الرحمن بلقاسم طرابزونی",
  "غلامحسین پورژاله چگینی",
  "אברהם נסרליצקי",
  "习近水",
  "김정운",
  "ジョンウン タナベ",
  "გიორგი ზუმბაძე",
  "Հայկ Զումբյան",
  "रामेश्वर मोदीकर",
  "María José Quintanilla de la Vega",
  "Jean-Baptiste d'Orvalle",
  "Łukasz Brzęczyszczykowski",
  "Dr. Ahmad Shah Zadran Haqqanifar",
  "Nguyễn Văn Thuận",
  "Kim Jongseok",
  "O'Harrigan, Siobhan Mary",
  "Von Zumbusch, Karl-Heinz",
  "Abdurrahmanzoda Umarjon",
];
const companies = [
  "KARAVELLA SHIPPING & TRADING COMPANY LIMITED",
  "Global Qorvex Relief Foundation (GQRF)",
  "ОАО Соколовка Экспорт",
  "Zumbrota Handels Aktiengesellschaft",
  "شركة الزمرد الدريسية",
  "Banco Quintanillo S.A. de C.V.",
  "North Qorvath General Import Export Corporation",
  "深圳库尔贸易有限公司",
  "7 Seas Qormat 24 LLC",
];
const vessels = ["KARAVELLA STAR", "QORVATH 7"];

const entry =
  (type: EntryType) =>
  (name: string, at: number): ListedEntry => ({
    ...{ uid: `${type}:${at}`, type },
    names: [
      { name, kind: "primary" },
      ...(at % 4 === 1 ? [{ name: `Abu Zanbaq${at}`, kind: "weak" as NameKind }] : []),
      ...(at % 5 === 2
        ? [{ name: `${name.split(" ")[0]} Mosswick`, kind: "alias" as NameKind }]
        : []),
    ],
    births: [[], ["1966-09-08"], ["1971"], ["1980-02", "1981-03-04"]][at % 4] ?? [],
    countries: [[], ["RU"], ["IR", "SY"]][at % 3] ?? [],
    documents: at % 3 === 0 ? [{ number: `AB ${100_000 + at}-X`, country: "RU" }] : [],
  });
const entries = [
  ...people.map(entry("individual")),
  ...companies.map(entry("entity")),
  ...vessels.map(entry("vessel")),
];

const letters = [..."aeioubcdfghklmnprstvz"];
/** A wrong letter, a missing one, a doubled one, and two swapped ones. */
function typos(name: string): string[] {
  const at = 1 + (name.length % Math.max(1, name.length - 3));
  const [head, letter, tail] = [name.slice(0, at), name.charAt(at), name.slice(at + 1)];
  return [
    `${head}${letters[name.length % letters.length]}${tail}`,
    `${head}${tail}`,
    `${head}${letter}${letter}${tail}`,
    `${head}${tail.charAt(0)}${letter}${tail.slice(1)}`,
  ];
}

/** Variants of a listed name that a party may write. */
function spellings(listed: string): string[] {
  const words = listed.replace(/[(),]/g, " ").trim().split(/\s+/);
  const latin = toLatin(words.join(" "));
  const parts = latin.split(" ");
  return [
    listed,
    latin,
    parts.toReversed().join(" "),
    parts.join(""),
    parts.slice(0, -1).join(" "),
    parts.slice(1).join(" "),
    [parts[0]?.charAt(0), ...parts.slice(1)].join(" "),
    [parts[0], ...parts.slice(1).map((part) => part.charAt(0))].join(". "),
    latin.replaceAll(/[aeiou]/g, (vowel) => "eaoiu"["aeiou".indexOf(vowel)] ?? ""),
    latin.replaceAll("k", "q").replaceAll("v", "w").replaceAll("y", "j"),
    `Mr ${latin} Harlan`,
    `${latin} Ltd`,
    `The ${latin} Company Limited`,
    ...typos(latin),
  ];
}

const plain = { date: "", countries: [], documents: [] };
/** Additional facts that a party may state. */
const evidence: Partial<Party>[] = [
  { date: "1966-09-08" },
  { date: "1966-08-09" },
  { date: "1966-12-01" },
  { date: "1971-05-05" },
  { date: "1972-05-05" },
  { date: "1980-02-20" },
  { date: "1991-01-01" },
  { countries: ["RU"] },
  { countries: ["FR", "SY"] },
  { countries: ["FR"] },
  ...["RU", "", "FR"].map((country) => ({ documents: [{ number: "ab100000x", country }] })),
  { date: "1966-09-08", countries: ["RU"], documents: [{ number: "AB/100003/X", country: "RU" }] },
];

const matcher = buildMatcher(entries, matcherConfig);

function lineOf({
  entry: { uid },
  verdict,
  score,
  nameScore,
  matchedName,
  ...hit
}: Hit<ListedEntry>): string {
  const parts = hit.parts.map((each) => Object.values(each).join("~"));
  const left = [hit.partyLeftOver, hit.entryLeftOver].map((tokens) => tokens.join(" "));
  const reasons = hit.reasons.map(({ kind, text, effect }) => `${kind} ${effect} ${text}`);
  const found = `${uid.padEnd(14)} ${verdict} ${score} ${nameScore} ${matchedName}`;
  return `  ${found}\n    ${parts.join(" ")} | ${left.join(" | ")}\n    ${reasons.join("; ")}`;
}

/** The matcher's result, with the number and the sum of the keys that monitoring compares. */
function resultOf(party: Party): string {
  const keys = [...new Set(partyBlockingKeys(party))].sort();
  const sum = [...keys.join()].reduce((all, each) => (all * 31 + each.charCodeAt(0)) >>> 0, 7);
  const { type, name, date, countries, documents } = party;
  const more = [date, countries.join(), documents.map((each) => Object.values(each).join("/"))];
  const head = `${type} ${name} [${more.join(" ")}] ${keys.length} keys ${sum}`;
  return [head, ...matcher.match(party).map(lineOf)].join("\n");
}

const typeOf = (name: string): EntryType => (companies.includes(name) ? "entity" : "individual");
const parties: Party[] = [
  ...[...people, ...companies].flatMap((listed) =>
    spellings(listed).map((name) => ({ ...plain, type: typeOf(listed), name })),
  ),
  ...people
    .slice(0, 6)
    .flatMap((name) =>
      evidence.map((more) => ({ ...plain, type: "individual" as const, name, ...more })),
    ),
  ...people.slice(0, 3).map((name) => ({ ...plain, type: "entity" as const, name })),
  ...companies.slice(0, 3).map((name) => ({ ...plain, type: "individual" as const, name })),
  ...[...vessels, "Karavela Star"].map((name) => ({ ...plain, type: "vessel" as const, name })),
];

test("the matcher answers as it did", async () => {
  const results = parties.map(resultOf).join("\n");
  await expect(`${results}\n`).toMatchFileSnapshot("test-golden/answers.txt");
});

/** Letters of the script tables and their homoglyphs, each with its neighbours. */
const scripts: readonly (readonly [string, string, number, number])[] = [
  ["Greek", "πα", 0x370, 0x3ff],
  ["Cyrillic", "ба", 0x400, 0x52f],
  ["Armenian", "բա", 0x531, 0x587],
  ["Hebrew", "בג", 0x5d0, 0x5ea],
  ["Arabic", "بت", 0x620, 0x6d5],
  ["Devanagari", "मब", 0x904, 0x94d],
  ["Georgian", "ბა", 0x10d0, 0x10fa],
  ["hiragana", "びあ", 0x3041, 0x3096],
  ["katakana", "ビア", 0x30a1, 0x30fc],
  ["Hangul", "김정", 0xac00, 0xac30],
  ["Latin", "ba", 0xc0, 0x24f],
];

test("each letter reads as it did: alone, in its script, in a Latin word, at both ends", async () => {
  const lines = scripts.flatMap(([script, [first = "", last = ""], from, to]) =>
    Array.from({ length: to - from + 1 }, (_, at) => {
      const letter = String.fromCodePoint(from + at);
      const written = [
        letter,
        first + letter + last,
        `qo${letter}rm`,
        letter + last,
        first + letter,
      ];
      return `${script} ${[...written, ...written.map(toLatin)].join(" ")}`;
    }),
  );
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("test-golden/letters.txt");
});

test("each letter looks like the Latin one it did, in a word without Latin letters", async () => {
  const lines = scripts.flatMap(([script, , from, to]) => {
    const letters = Array.from({ length: to - from + 1 }, (_, at) =>
      String.fromCodePoint(from + at),
    );
    const alike = letters
      .map((letter) => [letter, latinLookalike(letter)])
      .filter(([letter, latin]) => latin !== "" && latin !== letter);
    return alike.map(([letter, latin]) => `${script} ${letter} ${latin}`);
  });
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("test-golden/lookalikes.txt");
});
