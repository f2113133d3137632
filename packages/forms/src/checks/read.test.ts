import { type ExactJson, isJsonObject, parseExactJson } from "@disburse/kernel/exact-json.ts";
import { describe, expect, it } from "vitest";
import { depositor } from "../bodies/depositor.ts";
import { fiatBeneficiary } from "../bodies/fiat-beneficiary.ts";
import { executePayout, requestForQuote } from "../bodies/transfer.ts";
import { createReplay, rotateSecret } from "../bodies/webhooks.ts";
import { readBody, unknownFields, wholeBody } from "./read.ts";

const read = (body: typeof depositor, json: string) => readBody(body, parseExactJson(json));

describe("readBody", () => {
  it.each(["[]", "null", '"a"', "1", "true"])("refuses %s as a body", (json) => {
    expect(read(depositor, json)).toEqual({
      values: {},
      unreadable: [{ field: wholeBody, problem: "must be a JSON object" }],
    });
  });

  it("takes own, declared fields alone and leaves strings as they are", () => {
    const json = `{"__proto__":{"beneficiary_city":"x"},"constructor":{"prototype":1},"admin":true,
      "beneficiary_state":" NY ","hasOwnProperty":1}`;
    const { values, unreadable } = read(fiatBeneficiary, json);
    expect(values).toEqual({ beneficiary_state: " NY " });
    expect(unreadable).toEqual([]);
    expect(Object.hasOwn(Object.prototype, "beneficiary_city")).toBe(false);
  });

  it("keeps the digits of numbers where a field takes them, and nowhere else", () => {
    const contact = '{"beneficiary_contact_number":00919820012345}'.replace("00", "");
    expect(read(fiatBeneficiary, contact).values).toEqual({
      beneficiary_contact_number: "919820012345",
    });
    const amounts = '{"source_amount":9007199254740993.10,"receiving_amount":1e400}';
    expect(read(requestForQuote, amounts).values).toEqual({
      source_amount: "9007199254740993.10",
      receiving_amount: "1e400",
    });
    expect(read(fiatBeneficiary, '{"beneficiary_postcode":10001}').unreadable).toEqual([
      { field: "beneficiary_postcode", problem: "must be a string" },
    ]);
  });

  it.each([
    ["with the other one", '{"source_amount":"","receiving_amount":"10"}', "source_amount"],
    ["alone", '{"source_amount":""}', "source_amount"],
    ["for the other one", '{"source_amount":"10","receiving_amount":""}', "receiving_amount"],
    ["or one with an exponent in a text", '{"source_amount":"1e2"}', "source_amount"],
  ])("refuses an empty amount %s", (_, json, field) => {
    const { values, unreadable } = read(requestForQuote, json);
    expect(unreadable).toEqual([{ field, problem: "must be a decimal number" }]);
    expect(values).not.toHaveProperty(field);
  });

  it.each([
    ['{"overlap_seconds":0,"stage":false}', { overlap_seconds: 0, stage: false }, []],
    ['{"overlap_seconds":604800}', { overlap_seconds: 604_800 }, []],
    ["{}", {}, []],
    ['{"overlap_seconds":null}', {}, []],
    ['{"overlap_seconds":604801}', {}, ["must be a whole number from 0 to 604800"]],
    ['{"overlap_seconds":-1}', {}, ["must be a whole number from 0 to 604800"]],
    ['{"overlap_seconds":1.0}', { overlap_seconds: 1 }, []],
    ['{"overlap_seconds":6e1}', { overlap_seconds: 60 }, []],
    ['{"overlap_seconds":1.5}', {}, ["must be a whole number from 0 to 604800"]],
    ['{"overlap_seconds":1e400}', {}, ["must be a whole number from 0 to 604800"]],
    ['{"overlap_seconds":"5"}', {}, ["must be a whole number from 0 to 604800"]],
    ['{"stage":1}', {}, ["must be true or false"]],
  ])("of a rotation %s", (json, values, problems) => {
    const answer = read(rotateSecret, json);
    expect(answer.values).toEqual(values);
    expect(answer.unreadable.map((each) => each.problem)).toEqual(problems);
  });

  it.each([
    ['["exhausted"]', { states: ["exhausted"] }, 0],
    ['["exhausted","delivered"]', { states: ["exhausted", "delivered"] }, 0],
    ['["exhausted","\\ud800"]', {}, 1],
    ['["exhausted",1]', {}, 1],
    ['["exhausted","delivered","pending","exhausted"]', {}, 1],
    ['"exhausted"', {}, 1],
  ])("of a replay's states %s, so that they can travel in a message", (states, values, count) => {
    const answer = read(createReplay, `{"states":${states}}`);
    expect(answer.values).toEqual(values);
    expect(answer.unreadable).toHaveLength(count);
  });

  it("names nested fields by dotted paths and keeps the places of a list", () => {
    const json = `{"depositor_details":[],"depositor_business_details":{"address":{"city":5}},
      "company_owner_details":[7,{"person_details":{"firstname":["a"],"lastname":"Doe"}},null]}`;
    expect(read(depositor, json)).toEqual({
      values: {
        depositor_business_details: { address: {} },
        company_owner_details: [{}, { person_details: { lastname: "Doe" } }, {}],
      },
      unreadable: [
        { field: "depositor_details", problem: "must be an object" },
        { field: "depositor_business_details.address.city", problem: "must be a string" },
        { field: "company_owner_details[0]", problem: "must be an object" },
        {
          field: "company_owner_details[1].person_details.firstname",
          problem: "must be a string",
        },
        { field: "company_owner_details[2]", problem: "must be an object" },
      ],
    });
  });

  it("does not read a list that is too long", () => {
    const owners = (count: number): ExactJson => ({
      company_owner_details: Array.from({ length: count }, () => "1"),
    });
    expect(readBody(depositor, owners(20)).unreadable).toHaveLength(20);
    expect(readBody(depositor, owners(21)).unreadable).toEqual([
      { field: "company_owner_details", problem: "must have at most 20 entries" },
    ]);
  });

  it("refuses text that protobuf cannot carry", () => {
    expect(readBody(depositor, { depositor_relation: "a\ud800" }).unreadable).toEqual([
      { field: "depositor_relation", problem: "must be well-formed Unicode" },
    ]);
  });
});

const unknown = (body: Parameters<typeof unknownFields>[0], text: string) => {
  const json = parseExactJson(text);
  if (!isJsonObject(json)) throw new Error("the body is an object");
  return unknownFields(body, json).map(({ field, problem }) => `${field}: ${problem}`);
};

it.each([
  ["{}", []],
  ['{"quote_id":"qt_1","reference_id":null}', []],
  ['{"quote_id":"qt_1","scheduled_at":"2027"}', ["scheduled_at: is not known here"]],
  ['{"quot_id":"qt_1"}', ["quot_id: is not known here, did you mean quote_id?"]],
  ['{"constructor":1}', ["constructor: is not known here"]],
  ['{"a b":1}', ["a%20b: is not known here"]],
  ['{"é":1}', ["%C3%A9: is not known here"]],
  ['{"a.b":1}', ["a%2Eb: is not known here"]],
  ['{"référence_id":1}', ["r%C3%A9f%C3%A9rence_id: is not known here, did you mean reference_id?"]],
  ['{"a; b: (c)\\r\\n":1}', ["a%3B%20b%3A%20%28c%29%0D%0A: is not known here"]],
  ['{"\\ud800":1}', ["%EF%BF%BD: is not known here"]],
  ['{"":1}', ["[]: is not known here"]],
  [`{"${"x".repeat(65)}":1}`, [`${"x".repeat(64)}...: is not known here`]],
])("an execute of %s", (text, problems) => {
  expect(unknown(executePayout, text)).toEqual(problems);
});

it("finds unknown fields in objects and lists", () => {
  const text = `{"depositor_details":{"adress":{},"documents":{"x":1,"é":2}},
    "company_owner_details":[{},{"person_details":{"first_name":"A"}}]}`;
  expect(unknown(depositor, text)).toEqual([
    "depositor_details.adress: is not known here, did you mean address?",
    "depositor_details.documents.x: is not known here",
    "depositor_details.documents.%C3%A9: is not known here",
    "company_owner_details[1].person_details.first_name: is not known here, did you mean firstname?",
  ]);
});

it("reports any field of an operation without a body", () => {
  expect(unknown(undefined, '{"reason":"x"}')).toEqual(["reason: is not known here"]);
});

it("names at most twenty unknown fields", () => {
  const names = Array.from({ length: 30 }, (_, at) => `"x${at}":1`);
  expect(unknown(executePayout, `{${names.join()}}`)).toHaveLength(20);
});
