import fc from "fast-check";
import { expect, it } from "vitest";
import { type Fields, joinPrivate, splitPrivate } from "./private-fields.ts";

const depositor: Fields = {
  depositor_relation: "external",
  company_owner_details: [
    { person_details: { firstname: "A", date_of_birth: "1970-01-01" } },
    { documents: { document_number: "X1" }, person_details: {} },
  ],
  depositor_wallet_address: "T1",
};

it("parts what is sealed from what is not, by path", () => {
  expect(splitPrivate(depositor)).toEqual({
    open: {
      depositor_relation: "external",
      company_owner_details: [
        { person_details: { firstname: "A" } },
        { documents: {}, person_details: {} },
      ],
    },
    secrets: {
      "company_owner_details[0].person_details.date_of_birth": "1970-01-01",
      "company_owner_details[1].documents.document_number": "X1",
      depositor_wallet_address: "T1",
    },
  });
});

it("leaves the merchant's own data whole, whatever its keys are called", () => {
  const metadata = { iban: "mine", date_of_birth: "also mine" };
  const { open, secrets } = splitPrivate({ iban: "DE1", metadata });
  expect([open, secrets]).toEqual([{ metadata }, { iban: "DE1" }]);
});

it("joins to the whole again, whatever the body", () => {
  const name = fc.constantFrom("city", "date_of_birth", "document_number", "address", "owners");
  const { body } = fc.letrec<{ body: Fields; value: Fields[string] }>((tie) => ({
    body: fc.dictionary(name, tie("value")),
    value: fc.oneof(
      { depthSize: "small" },
      fc.string(),
      fc.boolean(),
      tie("body"),
      fc.array(tie("body"), { maxLength: 3 }),
    ),
  }));
  fc.assert(
    fc.property(body, (fields) => {
      const { open, secrets } = splitPrivate(fields);
      expect(joinPrivate(open, secrets)).toEqual(fields);
    }),
  );
  // Some seeds make large bodies: 11 s alone, 15 s and more while other runs share the processors.
}, 60_000);

it("throws for a sealed field that has no place", () => {
  expect(() => joinPrivate({}, { "documents.document_number": "X1" })).toThrow("no place");
});
