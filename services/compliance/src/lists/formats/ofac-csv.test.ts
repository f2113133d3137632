import { describe, expect, it } from "vitest";
import { readList } from "./list-format.ts";
import { file } from "./test-file.ts";

const none = "-0- ";
const row = (...cells: readonly string[]): string => `${cells.join(",")}\r\n`;
const primary = (uid: string, name: string, type = none, remarks = none, programs = '"X-EO1"') =>
  row(uid, `"${name}"`, type, programs, none, none, none, none, none, none, none, remarks);
const published = (text: string) => `${text}\u001a`;
const readRaw = (files: Readonly<Record<string, string>>) =>
  readList(
    "ofac_csv",
    Object.entries(files).map(([name, text]) => file(text, name)),
  );
const read = (files: Readonly<Record<string, string>>) =>
  readRaw(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, published(text)])));

const person = primary(
  "11",
  "MARVEK, Oskar",
  '"individual"',
  `"DOB 08 Sep 1966; alt. DOB circa 1965; POB Pyongyang, Korea, North; nationality Iran; alt. citizen Burma; Gender Male; a.k.a. 'THE OWL'; Passport A 1084010 (Egypt) issued 18 Jan 1984 expires 17 Jan 1991; Digital Currency Address - XBT bc1qinvented; alt. Digital Currency Address - ETH 0xinvented; Wizard Permit Code 77-X (Malta); Phone Number 98 21 555 (Iran)."`,
  '"X-EO1] [Y-EO2"',
);
const ship = row(
  "12",
  '"LADY INVENTED"',
  '"vessel"',
  '"X-EO1"',
  none,
  '"E5U000"',
  '"Bulk Carrier"',
  none,
  none,
  '"Samoa"',
  none,
  '"Vessel Registration Identification IMO 7406780; MMSI 572469000; Former Vessel Flag Panama."',
);

describe("an entry of OFAC's", () => {
  it("is read with the data of all its files", () => {
    const alternates = row("11", "1", '"aka"', '"MARWEK, Oscar"', none);
    const addresses = row("11", "1", none, '"Valletta"', '"Malta"', none);
    const list = read({ primary: person + ship, alternates, addresses });
    expect(list).toEqual({
      notes: [],
      gaps: [],
      entries: [
        {
          uid: "11",
          source: "",
          type: "individual",
          names: [
            { name: "MARVEK, Oskar", kind: "primary" },
            { name: "THE OWL", kind: "weak" },
            { name: "MARWEK, Oscar", kind: "alias" },
          ],
          births: ["1966-09-08", "1965"],
          countries: ["KP", "IR", "MM", "MT"],
          documents: [
            { type: "Passport", number: "A 1084010", country: "EG" },
            { type: "Wizard Permit Code", number: "77-X", country: "MT" },
          ],
          wallets: [
            { currency: "XBT", address: "bc1qinvented" },
            { currency: "ETH", address: "0xinvented" },
          ],
          programs: ["X-EO1", "Y-EO2"],
        },
        expect.objectContaining({
          type: "vessel",
          countries: ["WS", "PA"],
          documents: [
            { type: "Call Sign", number: "E5U000", country: "" },
            { type: "Vessel Registration Identification", number: "7406780", country: "" },
            { type: "MMSI", number: "572469000", country: "" },
          ],
        }),
      ],
    });
  });

  it("has the date when a company was established", () => {
    const company = primary("7", "CO", none, '"Organization Established Date 15 May 2001."');
    expect(read({ primary: company })).toMatchObject({ entries: [{ births: ["2001-05-15"] }] });
  });

  it("keeps a repeated name as its better kind", () => {
    const alternates = row("11", "1", '"nka"', '"THE OWL"', none);
    expect(read({ primary: person, alternates })).toMatchObject({
      entries: [{ names: [{ kind: "primary" }, { name: "THE OWL", kind: "alias" }] }],
    });
  });
});

describe("remarks that are cut", () => {
  const start =
    "; Digital Currency Address - XBT bc1qfirst; alt. Digital Currency Address - ETH 0xinv";
  const cut = "x".repeat(1_000 - start.length) + start;
  const text = primary("7", "CUT", none, `"${cut}"`);

  it("continue in the comments, in the middle of a word", () => {
    const comments = row("7", '"ented; Registration Number 12345 (Cyprus)."');
    expect(read({ primary: text, comments })).toMatchObject({
      entries: [
        {
          wallets: [{ address: "bc1qfirst" }, { address: "0xinvented" }],
          documents: [{ number: "12345", country: "CY" }],
        },
      ],
    });
  });

  it("lose their half word where there are no comments", () => {
    expect(read({ primary: text })).toMatchObject({
      entries: [{ wallets: [{ address: "bc1qfirst" }] }],
      notes: ["primary line 1: remarks are truncated, and no comments file continues them"],
    });
  });

  it("refuse comments of another day", () => {
    expect(read({ primary: text, comments: row("8", '"ented."') })).toEqual({
      problem:
        "primary line 1: entry 7 has truncated remarks that the comments file does not continue",
    });
  });

  it("are no longer cut when they end with a full stop", () => {
    const whole = primary("7", "WHOLE", none, `"${"x".repeat(999)}."`);
    const comments = row("8", '"of somebody else"');
    expect(read({ primary: whole, comments })).toMatchObject({ entries: [{ uid: "7" }] });
  });

  it("ignore comments for remarks that were complete", () => {
    const comments = row("7", '"; Digital Currency Address - XBT bc1qother"');
    const short = primary("7", "SHORT", none, '"Gender Male."');
    expect(read({ primary: short, comments })).toMatchObject({ entries: [{ wallets: [] }] });
  });
});

describe("files that look incomplete", () => {
  const two = person + primary("13", "OTHER, Person", '"individual"');
  const alternates = row("11", "1", '"aka"', '"MARWEK, Oscar"', none);
  const missing = "the file alternates, which has the aliases, is missing";
  const cut = (name: string) => `the file ${name} is truncated: it has no end mark (0x1A)`;

  it.each<[string, Record<string, string>, string[]]>([
    ["whole", { primary: published(two), alternates: published(alternates) }, []],
    [
      "whole, with blank lines at its end",
      { primary: published(two), alternates: `${alternates}\u001a\r\n\r\n` },
      [],
    ],
    ["without alternates", { primary: published(two) }, [missing]],
    ["one file without a name", { "": published(two) }, [missing]],
    [
      "empty alternates",
      { primary: published(two), alternates: published("") },
      ["the file alternates is empty"],
    ],
    ["a cut primary", { primary: person, alternates: published(alternates) }, [cut("primary")]],
    [
      "cut alternates, addresses and comments",
      {
        primary: published(two),
        alternates,
        addresses: row("11", "1", none, none, '"Malta"', none),
        comments: row("11", '"x"'),
      },
      [cut("alternates"), cut("addresses"), cut("comments")],
    ],
    ["only a cut primary", { primary: person }, [missing, cut("primary")]],
  ])("%s", (_what, files, gaps) => {
    expect(readRaw(files)).toMatchObject({ gaps });
  });
});

it("notes unusable rows", () => {
  const odd = primary("7", "ODD", '"individual"', '"DOB in his thirties"');
  const alternates = row("8", "1", '"aka"', '"STRANGER"', none);
  expect(read({ primary: odd, alternates })).toMatchObject({
    entries: [{ births: [] }],
    notes: [
      "primary line 1: a date has an unknown format",
      "alternates: 1 entries are not in the file primary",
    ],
  });
});

const good = primary("7", "GOOD");

it.each<[Readonly<Record<string, string>>, string]>([
  [{ primary: "" }, "primary: must have at least one entry"],
  [{ alternates: "" }, "files: primary is missing"],
  [{ primary: good, "": good }, "files: primary occurs twice"],
  [{ primary: good, sdn: good }, "files: sdn must be one of primary, alternates"],
  [{ primary: good + good }, "primary line 2: uid 7 occurs twice"],
  [{ primary: `${good}8,"A"\r\n` }, "primary line 2: has 2 columns, not 12"],
  [{ primary: primary("x", "A") }, "primary line 1: must begin with the number"],
  [{ primary: primary("7", "A", '"submarine"') }, "primary line 1: type submarine is not known"],
  [{ primary: primary("7", "") }, "primary line 1: has no name"],
  [
    { primary: primary("7", "A", none, '"Digital Currency Address - XBT"') },
    "primary line 1: has a wallet that cannot be read",
  ],
  [{ primary: good, alternates: good }, "alternates line 1: has 12 columns, not 5"],
  [
    { primary: good, alternates: row("7", "1", '"dba"', '"A"', none) },
    "alternates line 1: must be one of aka, fka, nka",
  ],
  [{ primary: good, alternates: row("7", "1", '"aka"', none, none) }, "line 1: has no name"],
  [{ primary: primary("7", "A".repeat(1_001)) }, "line 1: has a text of more than 1000"],
])("refuses %j", (files, problem) => {
  expect(read(files)).toEqual({ problem: expect.stringContaining(problem) });
});

it("accepts the end-of-file character of DOS only at the end", () => {
  expect(readRaw({ primary: `${good}\u001a` })).toMatchObject({ entries: [{ uid: "7" }] });
  const within = readRaw({ primary: `${good}\u001a${primary("8", "B")}` });
  expect(within).toEqual({ problem: expect.stringContaining("line 2: must begin with") });
});

describe("a broken quote on line 9,000", () => {
  const lines = Array.from({ length: 9_500 }, (_, at) => primary(String(at + 1), `NAME ${at}`));
  const broken = (from: string, to: string): string =>
    lines.map((line, at) => (at === 8_999 ? line.replace(from, to) : line)).join("");

  it.each([
    ["in front", '"NAME', 'NA"ME'],
    ["not closed", '8999"', "8999"],
    ["followed by a letter", '8999"', '8999"x'],
    ["that is the last of its line", '"X-EO1"', '"X-EO1'],
  ])("refuses the file whole with the line: %s", (_, from, to) => {
    expect(readRaw({ primary: broken(from, to) })).toEqual({
      problem: expect.stringContaining("primary: line 9000: is not CSV"),
    });
  });
});
