import { isRefused } from "@disburse/kernel/refusal.ts";
import { describe, expect, it } from "vitest";
import { payment, swiftProfile } from "../initiation/test-payments.ts";
import { writeInitiation } from "../initiation/write.ts";
import { schemaBreaches } from "./validate.ts";

const initiation = {
  messageId: "DSB261124A1",
  createdAt: new Date("2026-11-24T09:30:00.000Z"),
  payments: [payment(1)],
};
const file = writeInitiation(swiftProfile, initiation);
if (isRefused(file)) throw new Error("was not written");
const text = new TextDecoder().decode(file.bytes);

describe("the check against the schema", () => {
  it.each([
    [/<ChrgBr>\w+<\/ChrgBr>/, "<ChrgBr>Jane Doe</ChrgBr>", "ChrgBr: enumeration"],
    [/<Nm>[^<]*<\/Nm>/g, "<Nm></Nm>", "Nm: minLength"],
    [/<MsgId>[^<]*<\/MsgId>/, "", "CreDtTm: does not stand"],
    [/<IBAN>[^<]*</, "<IBAN>Jane Doe<", "IBAN: pattern"],
    [/<\/Document>/, "", "is not well-formed XML"],
  ])("finds %s made %j, and quotes no content", async (found, other, problem) => {
    const bytes = new TextEncoder().encode(text.replace(found, other));
    const breaches = await schemaBreaches(swiftProfile.version, bytes);
    expect(breaches.map((breach) => breach.problem).join("; ")).toContain(problem);
    expect(JSON.stringify(breaches)).not.toContain("Jane");
  });

  it("accepts no file of another version", async () => {
    expect(await schemaBreaches("pain.001.001.03", file.bytes)).not.toEqual([]);
  });
});
