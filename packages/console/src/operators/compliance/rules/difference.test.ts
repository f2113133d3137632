import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { EntryDifferenceSchema } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { expect, it } from "vitest";
import { entryTitle, fieldChanges } from "./difference.ts";

const difference = (shape: MessageInitShape<typeof EntryDifferenceSchema>) =>
  create(EntryDifferenceSchema, shape);
const before = {
  names: [
    { name: "Tim", kind: "alias" },
    { name: "Timur Zhdanov", kind: "primary" },
  ],
  births: ["1968"],
  documents: [{ type: "Passport", number: "P1", country: "" }],
};

it("returns removed and added values of a changed entry", () => {
  const after = { ...before, births: ["1968", "1969-02-01"], documents: [] };
  const changed = difference({ before, after, changedFields: ["births", "documents"] });
  expect(fieldChanges(changed)).toEqual([
    { field: "births", gone: [], added: ["1969-02-01"] },
    { field: "documents", gone: ["Passport P1"], added: [] },
  ]);
  expect(entryTitle(changed)).toBe("Timur Zhdanov");
});

it("returns no fields for an added or removed entry, but its name", () => {
  expect(fieldChanges(difference({ after: before }))).toEqual([]);
  expect(entryTitle(difference({ before }))).toBe("Timur Zhdanov");
  expect(entryTitle(difference({}))).toBe("");
});
