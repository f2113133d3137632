import { isJsonObject, parseExactJson } from "@disburse/kernel/exact-json.ts";
import { expect, it } from "vitest";
import { depositor } from "../bodies/depositor.ts";
import { executePayout } from "../bodies/transfer.ts";
import { unknownFields } from "./unknown.ts";

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
  ['{"a b":1}', ["body: is not known here"]],
])("an execute of %s", (text, problems) => {
  expect(unknown(executePayout, text)).toEqual(problems);
});

it("looks into objects and lists", () => {
  const text = `{"depositor_details":{"adress":{},"documents":{"x":1}},
    "company_owner_details":[{},{"person_details":{"first_name":"A"}}]}`;
  expect(unknown(depositor, text)).toEqual([
    "depositor_details.adress: is not known here, did you mean address?",
    "depositor_details.documents.x: is not known here",
    "company_owner_details[1].person_details.first_name: is not known here, did you mean firstname?",
  ]);
});

it("knows no field of an operation without any", () => {
  expect(unknown(undefined, '{"reason":"x"}')).toEqual(["reason: is not known here"]);
});

it("names twenty of them at most", () => {
  const names = Array.from({ length: 30 }, (_, at) => `"x${at}":1`);
  expect(unknown(executePayout, `{${names.join()}}`)).toHaveLength(20);
});
