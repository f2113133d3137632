import { describe, expect, it } from "vitest";
import { SentPayments } from "./sent-payment.ts";
import { sentPayment } from "./test-sent.ts";

const [one, two] = [
  sentPayment(1, { bankReference: "B1" }),
  sentPayment(2, { bankReference: "B1" }),
];
const three = sentPayment(3, { endToEndId: "E1", uetr: "u3", bankReference: "B3" });
const four = sentPayment(4, { instructionId: "I4" });
const sent = new SentPayments([one, two, three, four]);

describe("a payment", () => {
  it.each([
    [{ endToEndId: "E2" }, two],
    [{ endToEndId: " e2 " }, two],
    [{ uetr: "u1" }, one],
    [{ endToEndId: "FOREIGN", uetr: "u1" }, "contradicting-references"],
    [{ endToEndId: "FOREIGN", bankReference: "B3" }, "contradicting-references"],
    [{ endToEndId: "FOREIGN", instructionId: "I4" }, "contradicting-references"],
    [{ instructionId: "I4" }, four],
    [{ endToEndId: "E4", instructionId: "FOREIGN" }, four],
    [{ endToEndId: "E2", uetr: "u2", bankReference: "B1" }, two],
    [{ endToEndId: "E2", uetr: "FOREIGN" }, two],
    [{}, "no-reference"],
    [{ endToEndId: "FOREIGN", bankReference: "FOREIGN" }, "unknown"],
    [{ bankReference: "B1" }, "ambiguous"],
    [{ endToEndId: "E1" }, "ambiguous"],
    [{ endToEndId: "E2", uetr: "u1" }, "contradicting-references"],
  ])("is found by %j, or not", (references, expected) => {
    expect(sent.find(references)).toEqual(expected);
  });

  it("is not found where a reference that the report repeats from its order differs", () => {
    const references = { endToEndId: "E4", instructionId: "FOREIGN" };
    const repeated = ["endToEndId", "instructionId"] as const;
    expect(sent.find(references, repeated)).toBe("contradicting-references");
  });

  it("is one of a block and of a file", () => {
    expect(sent.ofBatch("m1-1")).toHaveLength(4);
    expect(sent.ofFile("M1")).toHaveLength(4);
    expect(sent.ofBatch(undefined)).toEqual([]);
    expect(sent.ofFile("M2")).toEqual([]);
  });
});
