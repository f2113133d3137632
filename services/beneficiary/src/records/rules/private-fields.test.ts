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

it("splits private fields from the open body, by path", () => {
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

it("leaves the merchant's metadata open, even under private field names", () => {
  const metadata = { iban: "mine", date_of_birth: "also mine" };
  const { open, secrets } = splitPrivate({ iban: "DE1", metadata });
  expect([open, secrets]).toEqual([{ metadata }, { iban: "DE1" }]);
});

it("joins any split body to the original", () => {
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
  // Some seeds generate large bodies: 11 s alone, over 15 s with other runs on the same CPUs.
}, 60_000);

it("throws for a sealed field without a place in the record", () => {
  expect(() => joinPrivate({}, { "documents.document_number": "X1" })).toThrow(
    "the record has no object",
  );
});
