import { describe, expect, it } from "vitest";
import { checkBody } from "../checks/body.ts";
import { createEndpoint, createReplay, headerMask, updateEndpoint } from "./webhooks.ts";

const url = "https://merchant.example/webhooks";
const context = { now: new Date("2026-11-22T00:00:00Z") };

function checked(event_types: string[]) {
  return checkBody(createEndpoint, { url, event_types }, context);
}

const statuses = (count: number) => Array.from({ length: count }, (_none, at) => `refund.s${at}`);

describe("event types", () => {
  it.each([
    [["*"]],
    [["payout_session", "payment_session", "refund"]],
    [["payout_session.initiated", "payout_session.succeeded", "payout_session.failed"]],
    [["refund.partly-done_2", "payment_session.Paid"]],
    [["endpoint.failing", "endpoint.recovered", "webhook_endpoint.paused"]],
    [["*", "account.credited", "beneficiary.screening_changed", "payout.approval_required"]],
    [statuses(50)],
  ])("%j are taken", (types) => {
    expect(checked(types)).toHaveProperty("values", { url, order: "bounded", event_types: types });
  });

  it.each([
    [["webhook_test"]],
    [["payout"]],
    [["payout_session."]],
    [["payout_session.paid"]],
    [["payout_session.*"]],
    [["refund."]],
    [["refund.a b"]],
    [[`refund.${"a".repeat(65)}`]],
    [["PAYOUT_SESSION"]],
    [["account"]],
    [["accountxcredited"]],
    [["account.credited.credited"]],
    [["beneficiary.screening_changed.blocked"]],
    [["**"]],
    [["*\nrefund"]],
    [["refund", "refund"]],
    [["refund", " refund"]],
    [statuses(51)],
  ])("%j are refused", (types) => {
    expect(checked(types)).toEqual([{ field: "event_types", problem: expect.any(String) }]);
  });
});

it("event types are trimmed", () => {
  expect(checked([" refund.failed "])).toHaveProperty("values.event_types", ["refund.failed"]);
});

describe("an update", () => {
  it("needs no field of its own and fills none in", () => {
    expect(checkBody(updateEndpoint, {}, context)).toHaveProperty("values", {});
  });

  it("keeps an empty set of headers, which a creation ignores", () => {
    expect(checkBody(updateEndpoint, { headers: {} }, context)).toHaveProperty("values", {
      headers: {},
    });
    const created = checkBody(createEndpoint, { url, headers: {} }, context);
    expect(created).not.toHaveProperty("values.headers");
  });
});

describe("headers", () => {
  const withHeaders = (headers: Record<string, string>) =>
    checkBody(createEndpoint, { url, headers }, context);
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_none, at) => [`x-${at}`, "1"]));

  it.each([
    [{ Authorization: "Bearer 3f9a 0c7d" }],
    [{ "!#$%&'*+.^_`|~0-9Az": "~" }],
    [{ ["x".repeat(64)]: "v".repeat(1_024) }],
    [{ x: "*******", y: "*********" }],
    [many(10)],
  ])("%j are taken", (headers) => {
    expect(withHeaders(headers)).toHaveProperty("values.headers", headers);
  });

  it.each([
    [{ "": "1" }],
    [{ "a b": "1" }],
    [{ "a:": "1" }],
    [{ "\u00e9": "1" }],
    [{ ["__proto__"]: "1" }],
    [{ ["x".repeat(65)]: "1" }],
    [{ x: "" }],
    [{ x: " " }],
    [{ x: "v".repeat(1_025) }],
    [{ x: "a\r\nb: c" }],
    [{ x: "a\nb" }],
    [{ x: "a\tb" }],
    [{ x: "caf\u00e9" }],
    [{ x: headerMask }],
    [{ x: ` ${headerMask} ` }],
    [many(11)],
  ])("%j are refused", (headers) => {
    expect(withHeaders(headers)).toEqual([{ field: "headers", problem: expect.any(String) }]);
  });

  it("are texts, also in a message with other values", () => {
    const values = { url, headers: { x: { y: "1" } } };
    expect(checkBody(createEndpoint, values, context)).toEqual([
      { field: "headers", problem: expect.any(String) },
    ]);
  });
});

it("a replay's event types are those of an endpoint", () => {
  const replayed = (types: string[]) => {
    const terms = { endpoint_id: "whe_1", since: "2026-11-20", event_types: types };
    return checkBody(createReplay, terms, context);
  };
  const types = ["payout_session.failed", "account.credited", "*"];
  expect(replayed(types)).toHaveProperty("values.event_types", types);
  expect(replayed(["webhook_test"])).toEqual([
    { field: "event_types", problem: expect.any(String) },
  ]);
});
