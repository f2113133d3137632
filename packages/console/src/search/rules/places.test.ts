import { expect, it } from "vitest";
import { matches, pageOfId } from "./places.ts";

it.each([
  ["po_01m8pe4d3c4fhrfg7fff", "member", "/payouts/po_01m8pe4d3c4fhrfg7fff"],
  ["po_01m8pe4d3c4fhrfg7fff", "operator", "/treasury/payouts/po_01m8pe4d3c4fhrfg7fff"],
  ["alr_01m8pe4d3c4fhrfg7fff", "member", undefined],
  ["alr_01m8pe4d3c4fhrfg7fff", "operator", "/compliance/alerts/alr_01m8pe4d3c4fhrfg7fff"],
  ["req_a1b2c3d4e5", "operator", "/trace?request_id=req_a1b2c3d4e5"],
  ["evt_01m8pe4d3c4fhrfg7fff_2", "member", "/deliveries?transaction_id=po_01m8pe4d3c4fhrfg7fff"],
  ["evt_01m8pe4d3c4fhrfg7fff_2", "operator", "/treasury/payouts/po_01m8pe4d3c4fhrfg7fff"],
  ["evt_01m8pe4d3c4fhrfg7fff", "member", undefined],
  ["po_1", "member", undefined],
  ["constructor_12345678", "member", undefined],
  ["po_01m8pe4d/../../keys", "member", undefined],
  ["invoice 17", "member", undefined],
] as const)("%s of a %s is %s", (text, kind, page) => {
  expect(pageOfId(text, kind)).toBe(page);
});

it.each([
  ["Corridors and rates", "rat", true],
  ["Corridors and rates", "rates CORR", true],
  ["Corridors and rates", "ates", false],
  ["Overzichtspagina's van Müller", "muller", true],
  ["Payouts", "", false],
])("%j is found by %j: %s", (text, search, isFound) => {
  expect(matches(text, search)).toBe(isFound);
});
