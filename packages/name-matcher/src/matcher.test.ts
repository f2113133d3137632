import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matcherConfig } from "./config.ts";
import type { EntryType, NameKind } from "./entry.ts";
import { buildMatcher, type Party } from "./matcher.ts";
import type { ListedEntry } from "./measure/query-set.ts";

let entries = 0;
function entry(type: EntryType, name: string, more: Partial<ListedEntry> = {}): ListedEntry {
  entries += 1;
  return {
    uid: `e${entries}`,
    type,
    names: [{ name, kind: "primary" }],
    births: [],
    countries: [],
    documents: [],
    ...more,
  };
}
const alias = (name: string, kind: NameKind = "alias") => ({ name, kind });
const party = (type: EntryType, name: string, more: Partial<Party> = {}): Party => ({
  type,
  name,
  date: "",
  countries: [],
  documents: [],
  ...more,
});

const list = [
  entry("individual", "PETROSENKO, Valerij Andreevich", {
    births: ["1966-09-08"],
    countries: ["RU"],
    documents: [{ number: "AB 123456", country: "RU" }],
  }),
  entry("individual", "AL-RASHIDIN, Muhammad Yusuf", {
    names: [alias("AL-RASHIDIN, Muhammad Yusuf", "primary"), alias("Abu Zanbaq", "weak")],
  }),
  entry("entity", "KARAVELLA SHIPPING & TRADING COMPANY LIMITED"),
  entry("vessel", "KARAVELLA STAR"),
  entry("entity", "GLOBAL RELIEF FOUNDATION (GRF)"),
  entry("entity", "Defence of Something Else (Zorvek Kalim)"),
  entry("entity", "Ministry of Qorumat (J K)"),
  entry("individual", "Сергей Никифоренко"),
];
const matcher = buildMatcher(list, matcherConfig);
const verdictOf = (searched: Party): string => matcher.match(searched)[0]?.verdict ?? "clear";

describe("match", () => {
  it.each([
    ["the name as listed", "individual", "PETROSENKO, Valerij Andreevich", "block"],
    ["reordered, other case", "individual", "valerij andreevich Petrosenko", "block"],
    ["without the middle name", "individual", "Valerij Petrosenko", "review"],
    ["with an initial", "individual", "Valerij A. Petrosenko", "review"],
    ["with an honorific", "individual", "Dr. Valerij Andreevich Petrosenko", "block"],
    ["first letter wrong", "individual", "Balerij Petrosenko", "review"],
    ["first letter missing", "individual", "Valerij Andreevich Etrosenko", "block"],
    ["another romanisation", "individual", "Valery Andreyevich Petrosenko", "block"],
    ["in its own script", "individual", "Валерий Андреевич Петросенко", "block"],
    ["with another family name", "individual", "Valerij Petrosenko y Gasset", "clear"],
    ["with a family name of two words", "individual", "Valerij Petrosenko y de Gasset", "clear"],
    ["surname alone", "individual", "Petrosenko", "clear"],
    ["another first name", "individual", "Igor Petrosenko", "clear"],
    ["other vowels, no particle", "individual", "Mohamed Yousef Rashidin", "review"],
    ["particle joined", "individual", "Muhammad Yusuf Alrashidin", "block"],
    ["a weak alias", "individual", "Abu Zanbaq", "block"],
    ["Latin for Cyrillic", "individual", "Sergey Nikiforenko", "block"],
    ["a company as listed", "entity", "Karavella Shipping and Trading Co., Ltd.", "block"],
    ["without its legal form", "entity", "KARAVELLA SHIPPING & TRADING", "block"],
    ["words joined", "entity", "Kara Vella Shipping Trading", "block"],
    ["another trade", "entity", "Karavella Dental Clinic", "clear"],
    ["a branch of it", "entity", "Karavella Shipping & Trading, London Branch", "review"],
    [
      "its name beside another",
      "entity",
      "Acme Kelvin Ltd dba Karavella Shipping & Trading",
      "block",
    ],
    ["what it trades as", "entity", "Acme Ltd t/a Global Relief Foundation", "block"],
    ["its words among others", "entity", "Karavella Dental Shipping Clinic Trading", "review"],
    ["an organisation without its acronym", "entity", "Global Relief Foundation", "block"],
    ["what it is called in brackets", "entity", "Zorvek Kalim", "block"],
    ["two letters in brackets, which are no name", "entity", "J K", "review"],
    ["only trade words", "entity", "Shipping & Trading Company Limited", "clear"],
    ["a person of a company's name", "individual", "Karavella Shipping Trading", "review"],
    ["a company of a person's name", "entity", "Petrosenko Valerij Andreevich", "review"],
    ["a company of nearly a person's name", "entity", "Petrosenko Valerij", "clear"],
    ["a company of a vessel's name", "entity", "Karavella Star", "clear"],
    ["nothing to compare", "individual", "--", "clear"],
  ] as const)("%s: %s %s is %s", (_, type, name, verdict) => {
    expect(verdictOf(party(type, name))).toBe(verdict);
  });

  it.each([
    ["the listed date", { date: "1966-09-08" }, "block"],
    ["a contradicting date", { date: "1990-01-01" }, "review"],
    ["a contradicting date and country", { date: "1990-01-01", countries: ["BR"] }, "review"],
    ["another country", { countries: ["BR"] }, "block"],
  ] as const)("a strong name with %s is %s", (_, more, verdict) => {
    expect(verdictOf(party("individual", "Valerij Andreevich Petrosenko", more))).toBe(verdict);
  });

  it.each([
    ["without", "", [], "clear"],
    ["with the listed birth date", "1966-09-08", [], "review"],
    ["with another birth date", "1990-01-01", [], "clear"],
    ["with the listed birth date and country", "1966-09-08", ["RU"], "review"],
  ])("half a name %s is %s", (_, date, countries, verdict) => {
    const searched = party("individual", "Valerij Petrosenka Quintanilla", { date, countries });
    expect(verdictOf(searched)).toBe(verdict);
  });

  it.each([
    ["AB-123456", "Quentin Unrelated", "review"],
    ["AB-123456", "Petrosenko", "block"],
    ["AB-123457", "Quentin Unrelated", "clear"],
    ["ＡＢ ١٢٣٤٥٦", "Quentin Unrelated", "review"],
  ])("a document %s of %s is %s", (number, name, verdict) => {
    expect(verdictOf(party("individual", name, { documents: [{ number, country: "" }] }))).toBe(
      verdict,
    );
  });

  it("finds a document number in entries of every type", () => {
    const documents = [{ number: "ab123456", country: "" }];
    expect(verdictOf(party("entity", "Unrelated Bakery", { documents }))).toBe("review");
  });

  it("gives the reason why a contained name is a review", () => {
    const name = "Karavella Shipping & Trading, London Branch";
    const [hit] = matcher.match(party("entity", name));
    expect(hit?.reasons.at(-1)).toMatchObject({
      text: expect.stringMatching(
        /^name: contains every word of a listed name: karavella, shipping, trading \(rarity 2\.\d+, /,
      ),
      effect: 0,
    });
    const sum = hit?.reasons.reduce((total, reason) => total + reason.effect, 0);
    expect(sum).toBeCloseTo(hit?.score ?? 0, 3);
  });

  it("gives reasons whose effects add up to the score: aligned parts, left-over parts, evidence", () => {
    const evidence = { date: "1990-01-01", countries: ["RU"] };
    const [hit] = matcher.match(party("individual", "Valery Petrosenko A. Dr.", evidence));
    expect(hit?.reasons.map(({ text }) => text)).toEqual([
      "name: petrosenko is listed",
      expect.stringMatching(/^name: valery ~ valerij \(0\.\d\d\)$/),
      "name: a ~ andreevich (0.60)",
      "name: left over of the party: dr",
      "date: 1990-01-01 contradicts 1966-09-08",
      "country: RU is listed too",
      "name: alike enough that nothing else clears it",
    ]);
    const sum = hit?.reasons.reduce((total, reason) => total + reason.effect, 0);
    expect(sum).toBeCloseTo(hit?.score ?? 0, 3);
  });

  it("gives the reason why a weak alias counts less", () => {
    const [hit] = matcher.match(party("individual", "Abu Zanbaq"));
    expect(hit?.reasons.at(-1)?.text).toBe("name: a weak alias, as the list calls it");
    const sum = hit?.reasons.reduce((total, reason) => total + reason.effect, 0);
    expect(sum).toBeCloseTo(hit?.score ?? 0, 3);
  });

  it("returns the best hits first, up to the limit", () => {
    const twins = Array.from({ length: 40 }, (_, at) =>
      entry("individual", `Tamerlan Zhdanovski ${at === 30 ? "" : "Oktay"}`),
    );
    const hits = buildMatcher(twins, matcherConfig).match(
      party("individual", "Tamerlan Zhdanovski"),
    );
    expect(hits).toHaveLength(matcherConfig.hitsMax);
    expect(hits[0]?.entry).toBe(twins[30]);
    expect(hits.map(({ score }) => score)).toEqual(
      hits.map(({ score }) => score).toSorted((a, b) => b - a),
    );
  });

  it("keeps no state between searches", () => {
    const searched = party("individual", "Valerij Petrosenko");
    const first = matcher.match(searched);
    matcher.match(party("individual", "Muhammad Rashidin Petrosenko"));
    expect(matcher.match(searched)).toEqual(first);
  });
});

const letter = fc.constantFrom(..."abcdefghijklmnopqrstuvwxyz");
const word = fc.string({ unit: letter, minLength: 5, maxLength: 12 });
/** Words of one name differ clearly; similar ones could match each other. */
const name = fc.uniqueArray(word, { minLength: 2, maxLength: 4 });

/** Edits a text at one position: inserts, deletes, replaces a letter or swaps it with the next. */
function edited(text: string, kind: number, at: number, by: string): string {
  const place = at % text.length;
  const [before, after] = [text.slice(0, place), text.slice(place + 1)];
  const next = after.charAt(0);
  return [
    `${before}${by}${text.slice(place)}`,
    before + after,
    before + by + after,
    next + text.charAt(place) === " " ? text : before + next + text.charAt(place) + after.slice(1),
  ][kind % 4] as string;
}

describe("any listed name of two or more words of five or more letters", () => {
  const others = fc.sample(name, { numRuns: 300, seed: 7 });

  it("is found after any one edit and any reordering", () => {
    const property = fc.property(
      name,
      fc.constantFrom<EntryType>("individual", "entity"),
      fc.nat(3),
      fc.nat(60),
      letter,
      fc.nat(),
      (words, type, kind, at, by, turn) => {
        const written = edited(words.join(" "), kind, at, by);
        const parts = written.split(" ");
        const turned = [
          ...parts.slice(turn % parts.length),
          ...parts.slice(0, turn % parts.length),
        ];
        const listed = entry(type, words.join(" ").toUpperCase());
        const index = buildMatcher(
          [...others.map((each) => entry(type, each.join(" "))), listed],
          matcherConfig,
        );
        const hits = index.match(party(type, turned.join(" "), { date: "1999-12-31" }));
        expect(hits.map((hit) => hit.entry.uid)).toContain(listed.uid);
      },
    );
    fc.assert(property, { numRuns: 200 });
  });
});

describe("a name of words that more names share than are compared", () => {
  const letters = [..."bdfgklmnprstvz"];
  const others = letters.flatMap((one) => letters.map((other) => `${one}o${other}a${one}i`));
  const persons = others.map((other) => entry("individual", `${other}, Mohammed`));
  const companies = others.map((other) => entry("entity", `${other} International`));
  const sheikh = entry("individual", "AL-SHAYKH, Muhammad");
  const des = entry("entity", "D.E.S. INTERNATIONAL CO., LTD.");
  const index = buildMatcher([...persons, ...companies, sheikh, des], matcherConfig);

  it.each([
    ["individual", "Muhammad al-Shaykh", sheikh, "block"],
    ["individual", "al Shaykh, Mohamed", sheikh, "review"],
    ["entity", "DES International", des, "block"],
    ["entity", "D.E.S. International Company Limited", des, "block"],
  ] as const)("is found all the same: %s %s", (type, name, { uid }, verdict) => {
    expect(index.match(party(type, name))).toMatchObject([{ entry: { uid }, verdict }]);
  });
});

describe("a name in other words than it is listed in", () => {
  const long = "Babesolanik Fidegomurad Navekiponulat Lemirasutobevik Nopuratuvelas";
  const longer = "Bolanikuset Fugimoradet Novukiponalet Lamerisotubovuk Nepiritavolusa";
  const short = [
    ...["ABC LTD", "OOO ZAR", "QOR ULLEM", "QORVATHEM LTD", "LAMARINOV LTD"],
    ...["BOXMARINAD LTD", "MYK HAVA", "ZUMBRO TALIK", "HARLAN OSMIC", "HARLANOSNIC LTD"],
  ];
  const names = [...short, long, longer].map((name) => entry("entity", name));
  const index = buildMatcher(names, matcherConfig);

  it.each([
    ["a legal form after it", "Abcltd", "ABC LTD"],
    ["a legal form before it", "Ooozar", "OOO ZAR"],
    ["two words as one, differently", "Qorulem", "QOR ULLEM"],
    ["a letter less, which is two in canonical spelling", "Bomarinad", "BOXMARINAD LTD"],
    ["two words as one, which read differently together", "Mykhava", "MYK HAVA"],
    ["two words as one, with a typo", "Zumbrodalik", "ZUMBRO TALIK"],
    ["one word as two", "Qor Vathem", "QORVATHEM LTD"],
    ["a letter more, which is two in canonical spelling", "Laxmarinov", "LAMARINOV LTD"],
  ])("is found: %s, %s", (_, name, matchedName) => {
    expect(index.match(party("entity", name))).toMatchObject([{ matchedName }]);
  });

  it("does not match two words with a typo if it is listed itself", () => {
    const hits = index.match(party("entity", "Harlanosnic"));
    expect(hits.map(({ matchedName }) => matchedName)).toEqual(["HARLANOSNIC LTD"]);
  });

  it("is found as one word of so many letters and no more", () => {
    const [most, tooMany] = [long, longer].map((name) => name.replaceAll(" ", ""));
    expect([most?.length, tooMany?.length]).toEqual([63, 64]);
    expect(index.match(party("entity", most ?? ""))).toMatchObject([{ matchedName: long }]);
    expect(index.match(party("entity", tooMany ?? ""))).toEqual([]);
  });
});

describe("a variant of a name of common words", () => {
  const family = [..."bdfgklmnprstvz"].flatMap((one) =>
    [..."bdfgklmnprstvz"].map((other) => `${one}o${other}ar`),
  );
  const crowd = family.flatMap((middle) => [
    entry("individual", `AL-ZAMBI, ${middle} Qadim ${middle}ov`),
    entry("individual", `${middle} ZAMBI, Qadim`),
  ]);
  const listed = entry("individual", "AL-ZAMBI, Qadim");
  const index = buildMatcher([...crowd, listed], matcherConfig);

  it.each([["Zambi Qadim"], ["Qadim Zambi"], ["Qadim al Zambi"], ["Qadeem al-Zambi"]])(
    "is found among more that share its words: %s",
    (name) => {
      const hits = index.match(party("individual", name), { most: crowd.length });
      expect(hits.map(({ entry: { uid } }) => uid)).toContain(listed.uid);
    },
  );
});

describe("an entry with a strong and a weak alias that are both alike", () => {
  const names = [alias("Tamerlan Zhdanovski", "weak"), alias("Tamerlan Zhdanovskij", "alias")];
  const index = buildMatcher([entry("individual", "", { names })], matcherConfig);

  it("is weighed by the one that counts more after the share of a weak alias", () => {
    const [hit] = index.match(party("individual", "Tamerlan Zhdanovski"));
    expect(hit?.matchedName).toBe("Tamerlan Zhdanovskij");
  });
});

it.each([
  ["the entry's own type", "individual", "block"],
  ["another type", "entity", "review"],
] as const)("a bound of 1 is reached by the very same name, of %s", (_, type, verdict) => {
  const evidence = { ...matcherConfig.evidence, nameMin: 1 };
  const config = { ...matcherConfig, bands: { review: 1, block: 1 }, evidence };
  const searched = party(type, "Valerij Andreevich Petrosenko");
  expect(buildMatcher(list, config).match(searched)).toMatchObject([{ verdict, score: 1 }]);
});

describe("a company that writes its name in disguise", () => {
  const names = ["ZOTAVIK", "SOLBERGANK", "BRANTOM QUELLAR ORRUM", "LIMOVAR TRADING", "3M QUORIT"];
  const index = buildMatcher(
    names.map((name) => entry("entity", `${name} LLC`)),
    matcherConfig,
  );

  it.each([
    ["a digit for a letter", "Z0TAVIK", "block"],
    ["a digit in front", "50lbergank", "block"],
    ["several digits", "S0lb3rg4nk", "block"],
    ["a one for an i", "Zotav1k", "block"],
    ["a one for an l", "So1bergank", "block"],
    ["its first word as an initial", "B. Quellar Orrum", "review"],
    ["its first word as a letter, and a legal form", "LLC B Quellar Orrum", "review"],
  ])("is found: %s, %s", (_, name, verdict) => {
    expect(index.match(party("entity", name))).toMatchObject([{ verdict }]);
  });

  it.each([
    ["a number with a unit", "24h"],
    ["two letters and a digit", "L1m Trading"],
    ["digits that look like no letter", "Z2tavik"],
    ["another initial", "C. Quellar"],
    ["an initial of a name of two words", "L. Trading"],
  ])("is clear: %s, %s", (_, name) => {
    expect(index.match(party("entity", name))).toEqual([]);
  });

  it("is compared as written too", () => {
    expect(index.match(party("entity", "3M Quorit LLC"))).toMatchObject([{ score: 1 }]);
  });
});

describe("two words of a listed company", () => {
  const index = buildMatcher(
    [entry("entity", "EMMA TEL"), entry("entity", "EMMATEL")],
    matcherConfig,
  );

  it.each(["Mattel, Inc", "Mattel"])("are not one word that has other letters: %s", (name) => {
    expect(index.match(party("entity", name))).toEqual([]);
  });

  it.each(["Emmatel", "Emma Tel Ltd", "Ematel"])("are one word of their letters: %s", (name) => {
    expect(index.match(party("entity", name))).not.toEqual([]);
  });
});

it("an authority is not that of another country", () => {
  const names = ["Ministry of Defence [Syria]", "General Intelligence Directorate [Syria]"];
  const index = buildMatcher(
    names.map((name) => entry("entity", name)),
    matcherConfig,
  );
  const found = (name: string) => index.match(party("entity", name));
  expect(found("Ministry of Defence of Denmark")).toEqual([]);
  expect(found("General Intelligence Directorate of Norway")).toEqual([]);
  expect(found("Syrian Arab Republic, Ministry of Defence, Syria")).not.toEqual([]);
});

describe("a name in Greek letters", () => {
  const listed: ListedEntry[] = [
    "DERIMOSKA, Oleg Vladimirovich",
    "MEDVEDOV, Dmitri Anatolyevich",
    "Bashar al-Tassad",
    "PRIGOTIN, Yevgeniy Viktorovich",
    "KADIROF, Ramzan",
    "ANTONOPULOS, Charalampos",
    "JAMALIDIN, Khatim",
  ].map((name) => ({
    uid: name,
    type: "individual",
    names: [{ name, kind: "primary" }],
    births: [],
    countries: [],
    documents: [],
  }));
  const greek = buildMatcher(listed, matcherConfig);

  it.each([
    ["Ντεριμόσκα Ολέγκ", "DERIMOSKA, Oleg Vladimirovich"],
    ["Ντμίτρι Μεντβέντοφ", "MEDVEDOV, Dmitri Anatolyevich"],
    ["Μπασάρ Αλ Τάσαντ", "Bashar al-Tassad"],
    ["Γιεβγκένι Πριγκότιν", "PRIGOTIN, Yevgeniy Viktorovich"],
    ["Ραμζάν Καντίροφ", "KADIROF, Ramzan"],
    ["Χαράλαμπος Αντωνόπουλος", "ANTONOPULOS, Charalampos"],
    ["Τζαμαλιντίν Χατίμ", "JAMALIDIN, Khatim"],
  ])("is found where ντ, γκ, μπ and τζ have either sound: %s", (name, matchedName) => {
    const [hit] = greek.match(party("individual", name));
    expect(hit?.matchedName).toBe(matchedName);
    expect(hit?.score).toBeGreaterThanOrEqual(matcherConfig.bands.review);
  });

  it("is found in brackets", () => {
    const [hit] = greek.match(party("individual", "Anna Walker (Ραμζάν Καντίροφ)"));
    expect(hit?.matchedName).toBe("KADIROF, Ramzan");
  });
});

describe("a company with another word of the same trade", () => {
  const listed: ListedEntry[] = ["QORVATH AIR", "BANK ZOTAVIK", "ZEMBLING SHIPPING LINES"].map(
    (name) => ({
      ...{ uid: name, type: "entity", names: [{ name, kind: "primary" }] },
      ...{ births: [], countries: [], documents: [] },
    }),
  );
  const firms = buildMatcher(listed, matcherConfig);

  it.each([
    ["Qorvath Airlines", "QORVATH AIR"],
    ["Qorvath Airways Ltd", "QORVATH AIR"],
    ["Qorvath Air Lines", "QORVATH AIR"],
    ["Zotavik Banking Corporation", "BANK ZOTAVIK"],
    ["Zembling Ship Lines", "ZEMBLING SHIPPING LINES"],
    ["Zembling Shiplines", "ZEMBLING SHIPPING LINES"],
  ])("is found: %s", (name, matchedName) => {
    expect(firms.match(party("entity", name))).toMatchObject([{ matchedName }]);
  });

  it.each(["Qorvath Bank", "Zotavik Airlines", "Walker Airways"])("is not %s", (name) => {
    expect(firms.match(party("entity", name))).toEqual([]);
  });
});
