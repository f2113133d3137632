import { expect, test } from "vitest";
import { labelOf } from "../field-label.ts";
import { bodyOf, formProblems } from "./form-body.ts";
import { type FormField, schemaFields } from "./form-field.ts";

const components = {
  Owner: {
    type: "object",
    properties: { person_details: { $ref: "#/components/schemas/PersonDetails" } },
  },
  PersonDetails: {
    type: "object",
    properties: { firstname: { type: "string" }, citizenship: { pattern: "^[A-Z]{2}$" } },
    required: ["firstname"],
  },
};
const schema = {
  properties: {
    depositor_relation: { type: "string", enum: ["business"] },
    owners: { type: "array", items: { $ref: "#/components/schemas/Owner" } },
  },
  required: ["depositor_relation"],
};

test("flattens objects and lists, and builds them again", () => {
  const fields = schemaFields(schema, components, { owners: 2 });
  expect(fields.map(({ path }) => path)).toEqual([
    "depositor_relation",
    ...["owners[0].person_details.firstname", "owners[0].person_details.citizenship"],
    ...["owners[1].person_details.firstname", "owners[1].person_details.citizenship"],
  ]);
  const values = {
    owners: [
      { person_details: { firstname: " Jane " } },
      { person_details: { firstname: "Ivo", citizenship: "" } },
    ],
  };
  expect(bodyOf(fields, values)).toEqual({
    depositor_relation: "business",
    owners: [{ person_details: { firstname: "Jane" } }, { person_details: { firstname: "Ivo" } }],
  });
});

const words = { required: "is required", format: "has another form" };
const field: FormField = {
  ...{ path: "routing", label: "Routing", type: "text", hint: "", initial: "" },
  ...{ isRequired: true, pattern: "^[0-9]{9}$", patternMessage: "must be nine digits" },
};

test.each([
  ["", { routing: "is required" }],
  ["  ", { routing: "is required" }],
  ["12345678", { routing: "must be nine digits" }],
  ["123456789", {}],
  [" 123456789 ", {}],
])("validates %j with %j", (routing, problems) => {
  expect(formProblems([field], { routing }, words)).toEqual(problems);
});

test("an optional field may be empty", () => {
  expect(formProblems([{ ...field, isRequired: false }], {}, words)).toEqual({});
});

test.each([
  ["beneficiary_first_name", "First name"],
  ["depositor_details.address.zip_code", "Postcode"],
  ["a_field_of_a_newer_contract", "A field of a newer contract"],
  ["iban", "IBAN"],
])("labels %s as %s", (name, label) => {
  expect(labelOf(name)).toBe(label);
});

test("sends each word of a text", () => {
  const types: FormField = { ...field, path: "types", type: "words", pattern: undefined };
  expect(bodyOf([types], { types: " a.b\n c  " })).toEqual({ types: ["a.b", "c"] });
  expect(bodyOf([types], { types: " " })).toEqual({});
});

test("a field is required unless its boolean flag is set", () => {
  const first: FormField = {
    ...field,
    path: "first",
    pattern: undefined,
    requiredUnless: "single",
  };
  const single: FormField = { ...first, path: "single", type: "flag", isRequired: false };
  expect(formProblems([first, single], { single: "false" }, words)).toEqual({
    first: "is required",
  });
  expect(formProblems([first, single], { single: "true" }, words)).toEqual({});
  expect(bodyOf([first, single], { single: "true" })).toEqual({ single: true });
  expect(bodyOf([first, single], { first: "Jane" })).toEqual({ first: "Jane" });
});
