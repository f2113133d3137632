import { describe, expect, it } from "vitest";
import { readList } from "./list-format.ts";
import { file } from "./test-file.ts";

const list = (individuals: string, entities = "") =>
  `<?xml version="1.0" encoding="UTF-8"?>
<CONSOLIDATED_LIST dateGenerated="2026-01-01"><INDIVIDUALS>${individuals}</INDIVIDUALS>
<ENTITIES>${entities}</ENTITIES></CONSOLIDATED_LIST>`;
const read = (xml: string) => readList("un_xml", [file(xml)]);
const person = (uid: string, more = "", name = "<FIRST_NAME>OSKAR</FIRST_NAME>") =>
  `<INDIVIDUAL><DATAID>9${uid.slice(-3)}</DATAID>${name}
  <REFERENCE_NUMBER>${uid}</REFERENCE_NUMBER><UN_LIST_TYPE>XX</UN_LIST_TYPE>${more}</INDIVIDUAL>`;
const only = (more: string) => read(list(person("XXi.001", more)));
const alias = (quality: string, name: string) =>
  `<INDIVIDUAL_ALIAS><QUALITY>${quality}</QUALITY><ALIAS_NAME>${name}</ALIAS_NAME></INDIVIDUAL_ALIAS>`;
const birth = (inside: string) => `<INDIVIDUAL_DATE_OF_BIRTH>${inside}</INDIVIDUAL_DATE_OF_BIRTH>`;

describe("the Security Council's list", () => {
  it("is read with names in every script, births, countries and documents", () => {
    const names = `<FIRST_NAME>OSKAR</FIRST_NAME><SECOND_NAME>VAN
      DER</SECOND_NAME><THIRD_NAME>MARVEK</THIRD_NAME>`;
    const more = `<NAME_ORIGINAL_SCRIPT>مرفك</NAME_ORIGINAL_SCRIPT>
      <NATIONALITY><VALUE>Iran (Islamic Republic of)</VALUE><VALUE>Türkiye</VALUE></NATIONALITY>
      ${alias("Good", "Oscar &amp; Marwek")}${alias("Low", "“The Owl”")}${alias("", "")}
      ${birth("<TYPE_OF_DATE>EXACT</TYPE_OF_DATE><DATE>1966-09-08</DATE>")}
      <INDIVIDUAL_ADDRESS><COUNTRY>Malta</COUNTRY></INDIVIDUAL_ADDRESS>
      <INDIVIDUAL_PLACE_OF_BIRTH><COUNTRY>Viet Nam</COUNTRY></INDIVIDUAL_PLACE_OF_BIRTH>
      <INDIVIDUAL_DOCUMENT><TYPE_OF_DOCUMENT>Passport</TYPE_OF_DOCUMENT><NUMBER> A 12 </NUMBER>
      <COUNTRY_OF_ISSUE>Oman</COUNTRY_OF_ISSUE></INDIVIDUAL_DOCUMENT><INDIVIDUAL_DOCUMENT/>`;
    expect(read(list(person("XXi.001", more, names)))).toEqual({
      notes: [],
      gaps: [],
      entries: [
        {
          uid: "XXi.001",
          source: "",
          type: "individual",
          names: [
            { name: "OSKAR VAN DER MARVEK", kind: "primary" },
            { name: "مرفك", kind: "alias" },
            { name: "Oscar & Marwek", kind: "alias" },
            { name: "The Owl", kind: "weak" },
          ],
          births: ["1966-09-08"],
          countries: ["IR", "TR", "MT", "VN"],
          documents: [{ type: "Passport", number: "A 12", country: "OM" }],
          wallets: [],
          programs: ["XX"],
        },
      ],
    });
  });

  it.each([
    ["A One; B Two", ["A One", "B Two"]],
    ["القلم (The Pen; Al Qalam)", ["القلم", "The Pen", "Al Qalam"]],
    ["القلم (original script); b) A Pen", ["القلم", "A Pen"]],
    ["Pen Trading (PTC)", ["Pen Trading (PTC)"]],
  ])("reads the alias %s as %j", (written, names) => {
    const primary = { name: "OSKAR", kind: "primary" };
    const aliases = names.map((name) => ({ name, kind: "alias" }));
    expect(only(alias("Good", written))).toMatchObject({
      entries: [{ names: [primary, ...aliases] }],
    });
  });

  it.each([
    ["<YEAR>1971</YEAR>", ["1971"]],
    ["<FROM_YEAR>1973</FROM_YEAR><TO_YEAR>1975</TO_YEAR>", ["1973", "1974", "1975"]],
    ["<TYPE_OF_DATE>EXACT</TYPE_OF_DATE><NOTE>Nov. 1973 </NOTE>", ["1973-11"]],
    ["<DATE>1979-03-03</DATE><NOTE>from false passport</NOTE>", ["1979-03-03"]],
    ["<TYPE_OF_DATE/>", []],
  ])("reads the birth %s as %j", (inside, births) => {
    expect(only(birth(inside))).toMatchObject({ entries: [{ births }], notes: [] });
  });

  it("has no birth in a name, and also reads numbers within text", () => {
    const number = "diplomatic passport no. D00000898";
    const more = `${alias("Good", "Safi Marwek, born 1 Jan. 1953 (Oman passport no. 0428720)")}
      <INDIVIDUAL_DOCUMENT><NUMBER>${number}</NUMBER></INDIVIDUAL_DOCUMENT>`;
    expect(only(more)).toMatchObject({
      entries: [
        {
          names: [{ name: "OSKAR" }, { name: "Safi Marwek" }],
          documents: [{ number }, { number: "D00000898" }],
        },
      ],
    });
  });

  it("notes a birth that is not understood", () => {
    expect(only(birth("<NOTE>30-35 years old</NOTE>"))).toMatchObject({
      entries: [{ births: [] }],
      notes: ["XXi.001: a date of birth has an unknown format"],
    });
  });

  it("has entities, whose first of several names is the primary one", () => {
    const entity = `<ENTITY><DATAID>7</DATAID><FIRST_NAME>PEN CO ; PEN LTD</FIRST_NAME>
      <REFERENCE_NUMBER>XXe.001</REFERENCE_NUMBER></ENTITY>`;
    expect(read(list("", entity))).toMatchObject({
      entries: [
        { type: "entity", names: [{ name: "PEN CO", kind: "primary" }, { name: "PEN LTD" }] },
      ],
    });
  });
});

const doctype = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>';

it.each([
  ["", "line 1: is not XML"],
  ["<CONSOLIDATED_LIST/>", "list: must have at least one entry"],
  ["<sdnList/>", "line 1: is not the Security Council's list"],
  ["<CONSOLIDATED_LIST><VESSELS/></CONSOLIDATED_LIST>", "VESSELS is not known"],
  [list("<ENTITY2/>"), "ENTITY2 is not known"],
  [list(person("XXi.001"), person("XXi.001")), "DATAID 9001: XXi.001 occurs twice"],
  [list(person("XXi.001", "", "")), "DATAID 9001: has no name"],
  [list("<INDIVIDUAL><DATAID>5</DATAID></INDIVIDUAL>"), "DATAID 5: has no REFERENCE_NUMBER"],
  [`${doctype}${list(person("XXi.001"))}`, "line 1: declares a document type or entities"],
  [`\n<!doctype html><html/>`, "line 2: declares a document type or entities"],
  [list(`\n${person("XXi.001", "&b;")}`), "line 4: is not XML: Named entity isn't defined: &b;"],
  [list(`${person("XXi.001")}\n</INDIVIDUALS`), "line 4: is not XML"],
  [list(person("XXi.001")).slice(0, -30), "is not XML"],
  ["<a>".repeat(100_000), "is more than 64 levels deep"],
  ["uid,name\n1,A", "line 1: is not XML"],
])("refuses %.60s", (xml, problem) => {
  expect(read(xml)).toEqual({ problem: expect.stringContaining(problem) });
});
