import { describe, expect, it } from "vitest";
import { readList } from "./list-format.ts";
import { file } from "./test-file.ts";

/** The 58 columns of the published file, in order. */
const header = [
  "Last Updated|Unique ID|OFSI Group ID|UN Reference Number",
  "Name 6|Name 1|Name 2|Name 3|Name 4|Name 5|Name type|Alias strength|Title",
  "Name non-latin script|Non-latin script type|Non-latin script language",
  "Regime Name|Designation Type|Designation source|Sanctions Imposed|Other Information",
  "UK Statement of Reasons|Address Line 1|Address Line 2|Address Line 3|Address Line 4",
  "Address Line 5|Address Line 6|Address Postal Code|Address Country|Phone number|Website",
  "Email address|Date Designated|D.O.B|Nationality(/ies)|National Identifier number",
  "National Identifier additional information|Passport number|Passport additional information",
  "Position|Gender|Town of birth|Country of birth|Type of entity|Subsidiaries|Parent company",
  "Business registration number (s)|IMO number|Current owner/operator (s)",
  "Previous owner/operator (s)|Current believed flag of ship|Previous flags|Type of ship",
  "Tonnage of ship|Length of ship|Year Built|Hull identification number (HIN)",
].flatMap((columns) => columns.split("|"));

type Row = Readonly<Record<string, string>>;
const quoted = (cell: string): string => (/[,\n"]/.test(cell) ? JSON.stringify(cell) : cell);
const csv = (...rows: readonly Row[]): string =>
  [
    "\ufeffReport Date: 27-Jan-2026",
    header.map(quoted).join(","),
    ...rows.map((row) => header.map((column) => quoted(row[column] ?? "")).join(",")),
  ].join("\r\n");
const read = (text: string) => readList("uk_csv", [file(text)]);

const person = {
  "Unique ID": "XXX0001",
  "Designation Type": "Individual",
  "Name 1": "Oskar",
  "Name 6": "MARVEK",
  "Name type": "Primary Name",
};
const ship = {
  "Unique ID": "XXX0002",
  "Designation Type": "Ship",
  "Name 6": "LADY INVENTED",
  "Name type": "Primary name",
  "IMO number": "7406780",
  "Current believed flag of ship": "Samoa",
  "Previous flags": "Panama|Gabon",
};

describe("the UK's list", () => {
  it("has the 58 columns of the published file", () => expect(header).toHaveLength(58));

  it("joins the rows of an entry under its report date", () => {
    const rows = [
      {
        ...person,
        "Name 6": "MARWEK",
        "Name type": "Alias",
        "Alias strength": "Good quality alias",
      },
      { ...person, "Regime Name": "The Invented Regulations 2020", "D.O.B": "08/09/1966" },
      {
        ...person,
        "Name 1": "",
        "Name 6": "Owl",
        "Name type": "Alias",
        "Alias strength": "Low quality",
      },
      {
        ...person,
        "Name non-latin script": "Марвек",
        "Nationality(/ies)": "(1) Iran (2) Burma",
        "Country of birth": "Viet Nam",
        "Address Line 1": "1 Street,\nTown",
        "Address Country": "Malta",
        "Passport number": "A 12|B 13",
        "National Identifier number": "55-66",
      },
      ship,
    ];
    expect(read(csv(...rows))).toEqual({
      notes: [],
      gaps: [],
      entries: [
        {
          uid: "XXX0001",
          source: "",
          type: "individual",
          names: [
            { name: "Oskar MARVEK", kind: "primary" },
            { name: "Oskar MARWEK", kind: "alias" },
            { name: "Owl", kind: "weak" },
            { name: "Марвек", kind: "alias" },
          ],
          births: ["1966-09-08"],
          countries: ["MT", "IR", "MM", "VN"],
          documents: [
            { type: "Passport", number: "A 12", country: "" },
            { type: "Passport", number: "B 13", country: "" },
            { type: "National Identifier", number: "55-66", country: "" },
          ],
          wallets: [],
          programs: ["The Invented Regulations 2020"],
        },
        expect.objectContaining({
          type: "vessel",
          countries: ["WS", "PA", "GA"],
          documents: [{ type: "IMO number", number: "7406780", country: "" }],
        }),
      ],
    });
  });

  it.each([
    ["08/09/1966", ["1966-09-08"]],
    ["dd/09/1966", ["1966-09"]],
    ["dd/mm/1966", ["1966"]],
    ["00/00/1966", ["1966"]],
    ["1966", ["1966"]],
    ["1966-1967", ["1966", "1967"]],
    ["(1) 08/09/1966 (2) 1970", ["1966-09-08", "1970"]],
  ])("reads the birth %s as %j", (text, births) => {
    const list = read(csv({ ...person, "D.O.B": text }));
    expect(list).toMatchObject({ entries: [{ births }], notes: [] });
  });

  it("notes a birth that is not understood", () => {
    expect(read(csv({ ...person, "D.O.B": "30/02/1966" }))).toMatchObject({
      entries: [{ births: [] }],
      notes: ["line 3: a date of birth has an unknown format"],
    });
  });

  it("is read under an older heading and without a report date too", () => {
    const text = csv(person).replace("Designation Type", '"Individual, Entity, Ship"');
    expect(read(text.slice(text.indexOf("\n") + 1))).toMatchObject({
      entries: [{ uid: "XXX0001" }],
    });
  });
});

it.each([
  ["", "line 1: must be a report date"],
  [csv(), "list: must have at least one entry"],
  ["Report Date: 1-Jan-2026\na,b\n1,2", "line 2: lacks the column Unique ID"],
  [`${csv(person)}\nXXX0002,Ship`, "line 4: has 2 columns, not 58"],
  [csv({ ...person, "Unique ID": "" }), "line 3: has no Unique ID"],
  [csv({ ...person, "Designation Type": "Tree" }), "line 3: type Tree is not known"],
  [csv(person, { ...ship, "Unique ID": "XXX0001" }), "line 4: Unique ID XXX0001 has two types"],
  [csv({ ...ship, "Name 6": "" }), "Unique ID XXX0002: has no name"],
])("refuses %.40s", (text, problem) => {
  expect(read(text)).toEqual({ problem: expect.stringContaining(problem) });
});
