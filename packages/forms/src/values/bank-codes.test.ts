import { expect, it } from "vitest";
import { isAbaRoutingNumber, isBic, isIbanOf, isIfsc, usesIban } from "./bank-codes.ts";

it.each([
  ["021000021", true],
  ["011401533", true],
  ["122105155", true],
  ["000000000", false],
  ["021000022", false],
  ["201000021", false],
  ["130000006", false],
  ["130000007", false],
  ["12345678", false],
  ["0210000210", false],
  [" 021000021", false],
])("ABA %s: %s", (text, yes) => {
  expect(isAbaRoutingNumber(text)).toBe(yes);
});

it.each([
  ["DEUTDEFF", true],
  ["DEUTDEFF500", true],
  ["CHASUS33", true],
  ["chasus33", false],
  ["DEUTXXFF", false],
  ["DEUTDEFF5", false],
  ["DEUT DEFF", false],
  ["", false],
])("BIC %s: %s", (text, yes) => {
  expect(isBic(text)).toBe(yes);
});

it.each([
  ["HDFC0000001", true],
  ["SBIN0ABC123", true],
  ["HDFC1000001", false],
  ["hdfc0000001", false],
  ["HDFC000001", false],
  ["HDFC00000012", false],
])("IFSC %s: %s", (text, yes) => {
  expect(isIfsc(text)).toBe(yes);
});

it.each([
  ["DE", "DE89370400440532013000", true],
  ["GB", "GB82WEST12345698765432", true],
  ["FR", "FR1420041010050500013M02606", true],
  ["RE", "FR1420041010050500013M02606", true],
  ["AX", "FI2112345600000785", true],
  ["DE", "GB82WEST12345698765432", false],
  ["DE", "DE89370400440532013001", false],
  ["DE", "de89370400440532013000", false],
])("IBAN of %s %s: %s", (country, text, yes) => {
  expect(usesIban(country)).toBe(true);
  expect(isIbanOf(country, text)).toBe(yes);
});

it.each(["US", "IN", "JP", "AU"])("no IBAN in %s", (country) => {
  expect(usesIban(country)).toBe(false);
});
