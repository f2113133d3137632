import { expect, it } from "vitest";
import { authorizationHint, mediaTypeHint, otherKinds, withKinds, withMisspelt } from "./hints.ts";
import { jsonProblem } from "./request.ts";

it.each([
  ["nothing", [], false, "Send it as `Authorization: Bearer <api key>`."],
  ["another header", [], true, "Send it as `Authorization: Bearer <api key>`, not as X-API-Key."],
  ["Basic", ["Basic YTpi"], false, "Send it as `Authorization: Bearer <api key>`, not as Basic."],
  ["the bare key", ["dsb_test_x"], false, "Send it as `Authorization: Bearer <api key>`."],
  ["two", ["Bearer a", "Bearer b"], false, "Send exactly one Authorization header."],
  ["a live key", ["Bearer dsb_live_x"], false, "Keys of this sandbox begin with dsb_test_."],
  ["an invalid key", ["Bearer dsb_test_x"], false, ""],
])("tells of %s how to send a key", (_, authorizations, isKeyHeader, hint) => {
  expect(authorizationHint(authorizations, isKeyHeader, "sandbox")).toBe(hint);
});

it("tells in live mode of a sandbox key, and nothing of a live one", () => {
  expect(authorizationHint(["Bearer dsb_test_x"], false, "live")).toBe(
    "Keys of live mode begin with dsb_live_.",
  );
  expect(authorizationHint(["Bearer dsb_live_x"], false, "live")).toBe("");
});

it.each([
  [undefined, undefined, "It has no Content-Type. Send `Content-Type: application/json`."],
  ["text/plain", undefined, "It is text/plain. Send `Content-Type: application/json`."],
  ["<x>\u0001", undefined, "Its Content-Type is invalid. Send `Content-Type: application/json`."],
  [
    "application/json; charset=latin1",
    undefined,
    "Its charset is latin1, not UTF-8. Send `Content-Type: application/json`.",
  ],
  [
    'application/json; charset="<x>"',
    undefined,
    "Its charset is not UTF-8. Send `Content-Type: application/json`.",
  ],
  ["application/json", "gzip", "It has a Content-Encoding. Send it without."],
])("tells of the type %j and encoding %j how to send JSON", (type, encoding, hint) => {
  expect(mediaTypeHint(type, encoding)).toBe(hint);
});

it.each([
  ["text/csv; charset=iso-8859-1", "Its charset is iso-8859-1, not UTF-8."],
  ["application/vnd.ms-excel;charset=windows-1252", "Its charset is windows-1252, not UTF-8."],
  ["text/tab-separated-values", "It is text/tab-separated-values."],
])("tells of the type %j how to send a file", (type, hint) => {
  const send = "Send `Content-Type: application/json` or `Content-Type: text/csv`.";
  expect(mediaTypeHint(type, undefined, ["application/json", "text/csv"])).toBe(`${hint} ${send}`);
});

it.each([
  ["", "is empty: send a JSON object"],
  ['{"a":', "is not valid JSON at line 1, column 6"],
  ['{\n  "a": 1,\n  b: 2\n}', "is not valid JSON at line 3, column 3"],
  ['{"a":1,"a":2}', "must not repeat a key"],
  ['{"a":1,"a":1}', "must not repeat a key"],
  ["[".repeat(11), "must nest at most 10 levels deep"],
])("places the error of %j", (text, problem) => {
  expect(jsonProblem(text)).toBe(problem);
});

const suffix = "01hqz0000000000000000000ab";

it("names the kind of an id that is of another kind", () => {
  const params = { payoutId: `qt_${suffix}` };
  const body = {
    beneficiary_id: `acc_${suffix}`,
    account_id: `acc_${suffix}`,
    endpoint_id: "x",
    reference_id: `qt_${suffix}`,
    corridor_id: `xyz_${suffix}`,
  };
  expect(otherKinds(params, body)).toEqual([
    { field: "payoutId", problem: "is the id of a quote, not of a payout" },
    { field: "beneficiary_id", problem: "is the id of an account, not of a beneficiary" },
  ]);
  expect(otherKinds({ scheduledPayoutId: `po_${suffix}` }, {})).toEqual([
    { field: "scheduledPayoutId", problem: "is the id of a payout, not of a scheduled payout" },
  ]);
});

it("names the kind of an id in place of the service's words for it", () => {
  const own = ["account_id", "beneficiary_id"].map(
    (field) => ({ field, rule: "unknown", message: "is not known" }) as const,
  );
  const kind = { field: "account_id", rule: "format", message: "is the id of a quote" } as const;
  expect(withKinds(own, [kind])).toEqual([own[1], kind]);
});

it("names an unknown field with the missing one that it is in another case", () => {
  const missing = (field: string) => ({ field, rule: "required", message: "is required" }) as const;
  const violations = [missing("quote_id"), missing("depositor_details.address.zip_code")];
  const unknown = ["quoteId", "depositor_details.address.ZIPCode", "note"];
  expect(withMisspelt(violations, unknown)).toEqual([
    { ...violations[0], message: "is required, and quoteId is not known here" },
    {
      ...violations[1],
      message: "is required, and depositor_details.address.ZIPCode is not known here",
    },
  ]);
  expect(withMisspelt([{ ...missing("quote_id"), rule: "type" }], unknown)).toEqual([
    { ...missing("quote_id"), rule: "type" },
  ]);
});
