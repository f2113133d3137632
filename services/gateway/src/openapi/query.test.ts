import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  ListPayoutsRequestSchema,
  PayoutStatus,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import { expect, it } from "vitest";
import * as q from "./query.ts";

const shape = q.queryOf(ListPayoutsRequestSchema, {
  ...q.page,
  status: q.word(PayoutStatus, "Of this status alone."),
  quote_id: q.token("Of this quote alone."),
  to: q.token("To this beneficiary alone.", "beneficiaryId"),
  created_from: q.bound("Made then or later."),
});

it("makes the fields of the RPC's request out of a query", () => {
  const query = "limit=5&status=failed&quote_id=qt_1&to=ben_1&created_from=2026-11-20";
  const values = q.readQuery(new URLSearchParams(query), shape);
  if (isRefused(values)) throw new Error(values.detail);
  expect(q.queryRequest(shape, values)).toEqual({
    limit: 5,
    status: PayoutStatus.FAILED,
    quoteId: "qt_1",
    beneficiaryId: "ben_1",
    createdFrom: timestampFromDate(new Date("2026-11-20T00:00:00Z")),
  });
  expect(q.queryRequest(shape, {})).toEqual({});
});

it("leaves lists to the route: no RPC has them", () => {
  const lists = { "expand[]": q.listOf(["one"], "With it.") };
  expect(q.queryRequest(lists, { "expand[]": ["one"] })).toEqual({});
});

it("does not compile with a parameter that the request has no field for", () => {
  // @ts-expect-error: the request has no such field.
  q.queryOf(ListPayoutsRequestSchema, { colour: q.token("Its colour.") });
  // @ts-expect-error: the request has no such field.
  q.queryOf(ListPayoutsRequestSchema, { to: q.token("To whom.", "receiver") });
  // @ts-expect-error: the status is an enum, no text.
  q.queryOf(ListPayoutsRequestSchema, { status: q.token("Its status.") });
});
