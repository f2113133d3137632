import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { UpdateBeneficiaryRequestSchema } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { describe, expect, it } from "vitest";
import { readUpdate, updatedFields } from "./update.ts";

const now = new Date("2026-11-20T11:26:00.000Z");
const read = (sent: MessageInitShape<typeof UpdateBeneficiaryRequestSchema>) =>
  readUpdate(create(UpdateBeneficiaryRequestSchema, sent), now);
const invalid = (detail: string) => ({ refused: "INVALID_REQUEST", detail });

describe("a sent update", () => {
  it.each([
    [{ beneficiaryAlias: " jane " }, { beneficiary_alias: "jane" }, {}],
    [{ beneficiaryAlias: "" }, { beneficiary_alias: "" }, {}],
    [{ beneficiaryEmail: "  " }, { beneficiary_email: "" }, {}],
    [{ referenceId: "17", metadata: { a: " b " } }, { reference_id: "17" }, { a: "b" }],
    [{ metadata: { a: "" } }, {}, { a: "" }],
  ])("%j is taken", (sent, texts, metadata) => {
    expect(read(sent)).toEqual({ texts, metadata });
  });

  it.each([
    [
      {},
      "body: must have at least one of beneficiary_alias, beneficiary_email, reference_id, metadata",
    ],
    [{ beneficiaryEmail: "jane" }, "beneficiary_email: must be a valid email address"],
    [{ beneficiaryAlias: "x".repeat(101) }, "beneficiary_alias: must be at most 100 characters"],
    [
      {
        beneficiaryEmail: "jane",
        unreadable: [{ field: "beneficiary_alias", problem: "must be a string" }],
      },
      "beneficiary_alias: must be a string; beneficiary_email: must be a valid email address",
    ],
  ])("%j is refused", (sent, detail) => {
    expect(read(sent)).toEqual(invalid(detail));
  });
});

describe("an update", () => {
  const fields = { destination_currency: "USD", beneficiary_alias: "old", metadata: { a: "1" } };
  const kind = "fiat";
  const stored = { kind, fields } as const;
  const nothing = { texts: {}, metadata: {} };

  it("sets and removes texts, and leaves the others", () => {
    const texts = { beneficiary_alias: "", beneficiary_email: "a@b.example" };
    expect(updatedFields(stored, { ...nothing, texts })).toEqual({
      ...{ destination_currency: "USD", beneficiary_email: "a@b.example" },
      metadata: { a: "1" },
    });
  });

  it("merges metadata by key", () => {
    const metadata = { b: "2" };
    expect(updatedFields(stored, { ...nothing, metadata })).toMatchObject({
      metadata: { a: "1", b: "2" },
    });
    const removed = updatedFields(stored, { ...nothing, metadata: { a: "" } });
    expect(removed).not.toHaveProperty("metadata");
  });

  it("keeps at most 50 keys", () => {
    const many = Object.fromEntries(Array.from({ length: 49 }, (_each, at) => [`k${at}`, "v"]));
    expect(updatedFields(stored, { ...nothing, metadata: many })).toHaveProperty("metadata.k48");
    const over = updatedFields(stored, { ...nothing, metadata: { ...many, z: "v" } });
    expect(over).toMatchObject(invalid(expect.stringContaining("at most 50 strings")));
  });

  it("removes no field that the form requires", () => {
    const inr = { kind, fields: { ...fields, destination_currency: "INR" } } as const;
    const texts = { beneficiary_alias: "" };
    expect(updatedFields(inr, { ...nothing, texts })).toEqual(
      invalid("beneficiary_alias: is required"),
    );
    expect(updatedFields({ kind: "crypto", fields }, { ...nothing, texts })).not.toHaveProperty(
      "beneficiary_alias",
    );
  });
});
