import { describe, expect, it } from "vitest";
import { isIban } from "./iban.ts";

describe("an IBAN", () => {
  it.each([
    ["as banks print it", "DE89 3704 0044 0532 0130 00", true],
    ["in one word", "GB29NWBK60161331926819", true],
    ["with a wrong check digit", "DE88370400440532013000", false],
    ["of a country without IBANs", "US64SVBKUS6S3300958879", false],
    ["that is an account number", "000123456789", false],
    ["that is nothing", "", false],
  ])("%s", (_what, text, isOne) => {
    expect(isIban(text)).toBe(isOne);
  });
});
