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

it("says of a changed entry what is gone and what is new", () => {
  const after = { ...before, births: ["1968", "1969-02-01"], documents: [] };
  const changed = difference({ before, after, changedFields: ["births", "documents"] });
  expect(fieldChanges(changed)).toEqual([
    { field: "births", gone: [], added: ["1969-02-01"] },
    { field: "documents", gone: ["Passport P1"], added: [] },
  ]);
  expect(entryTitle(changed)).toBe("Timur Zhdanov");
});

it("says nothing of fields where an entry came or went, and has a name for it", () => {
  expect(fieldChanges(difference({ after: before }))).toEqual([]);
  expect(entryTitle(difference({ before }))).toBe("Timur Zhdanov");
  expect(entryTitle(difference({}))).toBe("");
});
