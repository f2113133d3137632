import { newId } from "@disburse/kernel/id.ts";
import { describe, expect, it } from "vitest";
import { endToEndIdOf, isUetr, payoutIdOf } from "./references.ts";
import { isBankReference } from "./text/swift-characters.ts";

describe("the reference of a payment", () => {
  it("is the payout's id in capitals, and leads back to it", () => {
    const id = newId("payout");
    const reference = endToEndIdOf(id);
    expect(reference).toBe(id.slice(3).toUpperCase());
    expect(isBankReference(reference)).toBe(true);
    expect(payoutIdOf(reference)).toBe(id);
    expect(payoutIdOf(` ${reference.toLowerCase()} `)).toBe(id);
  });

  it("is of a payout alone", () => {
    expect(() => endToEndIdOf(newId("quote"))).toThrow("not the id of a payout");
    for (const other of ["NOTPROVIDED", "", newId("payout"), "01ARZ3NDEKTSV4RRFFQ69G5FAU"]) {
      expect(payoutIdOf(other)).toBeUndefined();
    }
  });

  it.each([
    ["8a562c67-ca16-48ba-b074-65581be6f001", true],
    ["8a562c67-ca16-18ba-b074-65581be6f001", false],
    ["8a562c67-ca16-48ba-7074-65581be6f001", false],
    ["8A562C67-CA16-48BA-B074-65581BE6F001", false],
    ["", false],
  ])("%j as a UETR: %s", (text, expected) => {
    expect(isUetr(text)).toBe(expected);
  });
});
