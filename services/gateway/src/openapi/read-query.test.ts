import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { isRefused } from "@disburse/kernel/refusal.ts";
import { expect, it } from "vitest";
import * as q from "./query.ts";

const shape = {
  limit: q.limit("How many."),
  cursor: q.cursor("Where it begins."),
  quote_id: q.id("quote", "Of this quote alone."),
  currency: q.token("Of this currency alone."),
  reference_id: q.text("Of this reference alone."),
  state: q.oneOf({ pending: 1, delivered: 2 }, "In this state alone."),
  as_of: q.moment("As it was then."),
  created_from: q.bound("Made then or later."),
  metadata: q.pairs("[a-z]{1,5}", "With these pairs alone."),
  "expand[]": q.listOf(["one", "two"], "With these."),
} as const;
const read = (query: string) => q.readQuery(new URLSearchParams(query), shape);

it.each([
  ["", {}],
  ["limit=1", { limit: 1 }],
  ["limit=100&state=delivered", { limit: 100, state: 2 }],
  ["cursor=", { cursor: "" }],
  ["cursor=a-b_c-d&reference_id=%E2%82%AC 5", { cursor: "a-b_c-d", reference_id: "€ 5" }],
  [
    "created_from=2026-11-20",
    { created_from: timestampFromDate(new Date("2026-11-20T00:00:00Z")) },
  ],
  [
    "created_from=2026-11-20T11:26:00Z",
    { created_from: timestampFromDate(new Date("2026-11-20T11:26:00Z")) },
  ],
  [
    "created_from=2026-11-20T11:26:00.123%2B05:30",
    { created_from: timestampFromDate(new Date("2026-11-20T05:56:00.123Z")) },
  ],
  [
    "created_from=2026-11-20T11:26:00.649500Z&as_of=2026-11-20T11:26:00.649500Z",
    {
      created_from: timestampFromDate(new Date("2026-11-20T11:26:00.650Z")),
      as_of: timestampFromDate(new Date("2026-11-20T11:26:00.649Z")),
    },
  ],
  ["reference_id=%20order-7%09", { reference_id: "order-7" }],
  ["reference_id=Cafe%CC%81", { reference_id: "Caf\u00e9" }],
  ["quote_id=qt_1", { quote_id: "qt_1" }],
  ["quote_id=quote-7&currency=acc_1", { quote_id: "quote-7", currency: "acc_1" }],
  [`reference_id=${"x".repeat(255)}`, { reference_id: "x".repeat(255) }],
  ["metadata=order=7&metadata=b=%20x%20", { metadata: { order: "7", b: "x" } }],
  ["metadata=order%3D", { metadata: { order: "" } }],
  ["metadata=a=b=c", { metadata: { a: "b=c" } }],
  ["expand[]=two&expand%5B%5D=one", { "expand[]": ["two", "one"] }],
])("reads %s", (query, values) => {
  expect(read(query)).toEqual(values);
});

it("measures a text in the form in which it is stored", () => {
  const accented = (length: number) => `%20${"e%CC%81".repeat(length)}`;
  expect(read(`reference_id=${accented(255)}&metadata=a=${accented(500)}`)).toEqual({
    reference_id: "\u00e9".repeat(255),
    metadata: { a: "\u00e9".repeat(500) },
  });
  expect(isRefused(read(`reference_id=${accented(256)}`))).toBe(true);
});

it.each([
  ["limit=0", "limit: must be a whole number from 1 to 100"],
  ["limit=101", "limit: must be a whole number from 1 to 100"],
  ["limit=1.5", "limit: must be a whole number from 1 to 100"],
  ["limit=", "limit: must be a whole number from 1 to 100"],
  ["limit=1e1", "limit: must be a whole number from 1 to 100"],
  ["limit=1&limit=1", "limit: must not be repeated"],
  ["quote_id=acc_1", "quote_id: is the id of an account, not of a quote"],
  ["currency=", "currency: must be 1 to 255 printable characters"],
  ["quote_id=", "quote_id: must be 1 to 255 printable characters"],
  ["cursor=&cursor=", "cursor: must not be repeated"],
  ["cursor=a%20b", "cursor: must be one that a list returned"],
  [`reference_id=${"x".repeat(256)}`, "reference_id: must be 1 to 255 characters"],
  ["reference_id=", "reference_id: must be 1 to 255 characters"],
  ["reference_id=%20", "reference_id: must be 1 to 255 characters"],
  ["created_from=9999-12-31T23:59:59-23:59", "created_from: must be an ISO 8601 time such as"],
  ["state=Pending", "state: must be one of pending, delivered"],
  ["state=constructor", "state: must be one of pending, delivered"],
  ["created_from=2026-02-30", "created_from: must be an ISO 8601 time such as"],
  ["created_from=2026-11-20T24:00:00Z", "created_from: must be an ISO 8601 time such as"],
  ["created_from=2026-11-20T11:26:00", "created_from: must be an ISO 8601 time such as"],
  ["created_from=yesterday", "created_from: must be an ISO 8601 time such as"],
  ["metadata=toolong=7", "metadata: must be key=value"],
  ["metadata=a=7&metadata=a=8", "metadata: must be key=value"],
  ["metadata=7", "metadata: must be key=value"],
  [`metadata=a=${"x".repeat(501)}`, "metadata: must be key=value"],
  ["metadata[a]=7", "metadata[a]: is not known here"],
  ["expand[]=three", "expand[]: must be one of one, two"],
  ["expand[]=one&expand[]=one", "expand[]: must be one of one, two, each once"],
  ["expand=one", "expand: is not known here, did you mean expand[]?"],
  ["limi=3", "limi: is not known here, did you mean limit?"],
  ["unknown=1&unknown=2", "unknown: is not known here"],
  ["limit=x&constructor=1", "constructor: is not known here"],
  ["%0A%3A=1", "%0A%3A: is not known here"],
  ["%C3%A9=1", "%C3%A9: is not known here"],
  ["a.b=1", "a.b: is not known here"],
  ["limit=x&state=y", "limit: must be a whole number from 1 to 100; state: must be one of"],
])("refuses %s", (query, message) => {
  const refusal = read(query);
  expect(isRefused(refusal) && refusal.detail).toContain(message);
});
