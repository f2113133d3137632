import { describe, expect, it } from "vitest";
import { readList } from "./list-format.ts";
import { file } from "./test-file.ts";

const entity =
  "Entity_LogicalId Entity_EU_ReferenceNumber Entity_UnitedNationId Entity_DesignationDate Entity_DesignationDetails Entity_Remark Entity_SubjectType Entity_SubjectType_ClassificationCode";
const name =
  "NameAlias_LastName NameAlias_FirstName NameAlias_MiddleName NameAlias_WholeName NameAlias_NameLanguage NameAlias_Gender NameAlias_Title NameAlias_Function NameAlias_LogicalId NameAlias_RegulationLanguage NameAlias_Remark";
const address =
  "Address_City Address_Street Address_PoBox Address_ZipCode Address_Region Address_Place Address_AsAtListingTime Address_ContactInfo Address_CountryIso2Code Address_CountryDescription Address_LogicalId Address_RegulationLanguage Address_Remark";
const birth =
  "BirthDate_BirthDate BirthDate_Day BirthDate_Month BirthDate_Year BirthDate_YearRangeFrom BirthDate_YearRangeTo BirthDate_Circa BirthDate_CalendarType BirthDate_ZipCode BirthDate_Region BirthDate_Place BirthDate_City BirthDate_CountryIso2Code BirthDate_CountryDescription BirthDate_LogicalId BirthDate_RegulationLanguage BirthDate_Remark";
const identification =
  "Identification_Number Identification_Diplomatic Identification_KnownExpired Identification_KnownFalse Identification_ReportedLost Identification_RevokedByIssuer Identification_IssuedBy Identification_IssuedDate Identification_ValidFrom Identification_ValidTo Identification_LatinNumber Identification_NameOnDocument Identification_TypeCode Identification_TypeDescription Identification_Region Identification_CountryIso2Code Identification_CountryDescription Identification_LogicalId Identification_RegulationLanguage Identification_Remark";
const citizenship =
  "Citizenship_Region Citizenship_CountryIso2Code Citizenship_CountryDescription Citizenship_LogicalId Citizenship_RegulationLanguage Citizenship_Remark";
const regulation = (part: string): string =>
  ["Type", "OrganisationType", "PublicationDate", "EntryIntoForceDate", "NumberTitle", "Programme"]
    .concat("PublicationUrl")
    .map((column) => `${part}_Regulation_${column}`)
    .join(" ");

/** The 118 columns of file version 1.1, in order. */
const header = [
  "fileGenerationDate",
  ...[entity, regulation("Entity"), name, regulation("NameAlias"), address, regulation("Address")],
  ...[birth, regulation("BirthDate"), identification, regulation("Identification"), citizenship],
  regulation("Citizenship"),
].flatMap((columns) => columns.split(" "));

type Row = Readonly<Record<string, string>>;
const line = (row: Row): string => header.map((column) => row[column] ?? "").join(";");
const csv = (...rows: readonly Row[]): string =>
  `\ufeff${header.join(";")}\n${rows.map((row) => `${line(row)}\n`).join("")}`;
const read = (text: string) => readList("eu_csv", [file(text)]);

const id = { Entity_LogicalId: "13", Entity_SubjectType: "P" };
const person = { ...id, Entity_SubjectType_ClassificationCode: "person" };
const named = { ...person, NameAlias_WholeName: "Oskar Marvek" };

describe("the EU's list", () => {
  it("has the 118 columns of the published file", () => expect(header).toHaveLength(118));

  it("joins the rows of an entry: names, addresses, births, documents, citizenships", () => {
    const rows = [
      { ...named, Entity_Regulation_Programme: "XYZ" },
      {
        ...person,
        NameAlias_FirstName: "Oscar",
        NameAlias_MiddleName: "van",
        NameAlias_LastName: "Marwek",
      },
      { ...person, NameAlias_WholeName: "The Owl", NameAlias_Remark: "Low quality a.k.a." },
      { ...person, NameAlias_WholeName: '"Марвек; ""О"""', Entity_Regulation_Programme: "XYZ" },
      { ...person, Address_CountryIso2Code: "MT", Address_CountryDescription: "MALTA" },
      { ...person, Address_CountryIso2Code: "00", Address_CountryDescription: "UNKNOWN" },
      { ...person, BirthDate_BirthDate: "1966-09-08", BirthDate_CountryIso2Code: "IR" },
      {
        ...person,
        Identification_Number: "A 12",
        Identification_TypeDescription: "National passport",
        Identification_CountryIso2Code: "OM",
      },
      { ...person, Citizenship_CountryDescription: "KOREA, DEMOCRATIC PEOPLE'S REPUBLIC OF" },
    ];
    expect(read(csv(...rows))).toEqual({
      notes: [],
      gaps: [],
      entries: [
        {
          uid: "13",
          source: "",
          type: "individual",
          names: [
            { name: "Oskar Marvek", kind: "primary" },
            { name: "Oscar van Marwek", kind: "alias" },
            { name: "The Owl", kind: "weak" },
            { name: 'Марвек; "О"', kind: "alias" },
          ],
          births: ["1966-09-08"],
          countries: ["MT", "IR", "KP"],
          documents: [{ type: "National passport", number: "A 12", country: "OM" }],
          wallets: [],
          programs: ["XYZ"],
        },
      ],
    });
  });

  it.each<[Row, readonly string[]]>([
    [{ BirthDate_Year: "1966" }, ["1966"]],
    [{ BirthDate_Year: "1966", BirthDate_Month: "9" }, ["1966-09"]],
    [{ BirthDate_Year: "1966", BirthDate_Month: "9", BirthDate_Day: "8" }, ["1966-09-08"]],
    [{ BirthDate_BirthDate: "1966-09-08", BirthDate_Circa: "true" }, ["1966"]],
    [{ BirthDate_YearRangeFrom: "1966", BirthDate_YearRangeTo: "1967" }, ["1966", "1967"]],
    [{ BirthDate_YearRangeTo: "1967" }, ["1967"]],
  ])("reads the birth %j as %j", (row, births) => {
    expect(read(csv({ ...named, ...row }))).toMatchObject({ entries: [{ births }], notes: [] });
  });

  it.each<[Row]>([
    [{ BirthDate_BirthDate: "08.09.1966" }],
    [{ BirthDate_Year: "1345", BirthDate_CalendarType: "ISLAMIC" }],
  ])("notes the birth %j", (row) => {
    const notes = ["line 2: a date of birth has an unknown format"];
    expect(read(csv({ ...named, ...row }))).toMatchObject({ entries: [{ births: [] }], notes });
  });

  it("finds its columns by name, whatever their order", () => {
    const columns = header.toReversed();
    const text = [columns, columns.map((column) => ({ ...named })[column] ?? "")];
    expect(read(text.map((cells) => cells.join(";")).join("\r\n"))).toMatchObject({
      entries: [{ uid: "13", names: [{ name: "Oskar Marvek" }] }],
    });
  });
});

const enterprise = { ...named, Entity_SubjectType_ClassificationCode: "enterprise" };

it.each([
  ["", "line 1: must be a header"],
  [csv(), "list: must have at least one entry"],
  ["a;b\n1;2", "line 1: lacks the column Entity_LogicalId"],
  [`${csv(named)}13;P\n`, "line 3: has 2 columns, not 118"],
  [csv({ ...named, Entity_LogicalId: "" }), "line 2: has no Entity_LogicalId"],
  [csv({ ...id, Entity_SubjectType: "X" }), "line 2: Entity_SubjectType X is not known"],
  [csv(named, enterprise), "line 3: Entity_LogicalId 13 has two subject types"],
  [csv(person), "Entity_LogicalId 13: has no name"],
  [csv(named, { ...named, NameAlias_Remark: 'a "b' }), "line 3: is not CSV: a quote is misplaced"],
])("refuses %.40s", (text, problem) => {
  expect(read(text)).toEqual({ problem: expect.stringContaining(problem) });
});
