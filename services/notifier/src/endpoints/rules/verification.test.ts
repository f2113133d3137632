import { isRefused } from "@disburse/kernel/refusal.ts";
import { describe, expect, it } from "vitest";
import type { Outcome } from "../../sender/rules/outcome.ts";
import {
  challengeBody,
  challengeFailure,
  challengeResult,
  unverifiedUrl,
  urlChange,
  verification,
} from "./verification.ts";

const made = new Date("2026-11-20T00:00:00.000Z");
const at = new Date("2026-11-21T00:00:00.000Z");
const [old, fresh] = ["https://old.example.com/", "https://new.example.com/"];
const live = { url: old, verifiedAt: made };
const moving = { ...live, pendingUrl: fresh };
const first = { url: old };

describe("a new URL", () => {
  it.each([
    ["waits beside the one that serves", live, fresh, { pendingUrl: fresh }],
    ["takes the place of another that waits", moving, `${fresh}2`, { pendingUrl: `${fresh}2` }],
    ["that serves already ends the wait", moving, old, { pendingUrl: undefined }],
    ["is the first one's where none serves", first, fresh, { url: fresh }],
  ])("%s where URLs are verified", (_what, endpoint, url, change) => {
    expect(urlChange(endpoint, url, { mustVerify: true, at })).toStrictEqual(change);
  });

  it.each([live, moving, first])("serves at once where they are not: %j", (endpoint) => {
    const changed = { url: fresh, pendingUrl: undefined, verifiedAt: at };
    expect(urlChange(endpoint, fresh, { mustVerify: false, at })).toStrictEqual(changed);
  });
});

it("changes no time if the URL is in use and verification is off", () => {
  const change = (endpoint: typeof live) => urlChange(endpoint, old, { mustVerify: false, at });
  expect(change(live)).toStrictEqual({ pendingUrl: undefined });
  expect(change(moving)).toStrictEqual({ pendingUrl: undefined });
});

describe("verification", () => {
  it.each([
    ["nothing", live, undefined, {}],
    ["the new URL", moving, fresh, { url: fresh, pendingUrl: undefined, verifiedAt: at }],
    ["the first URL", first, old, { url: old, pendingUrl: undefined, verifiedAt: at }],
  ])("is of %s", (_what, endpoint, url, change) => {
    expect(unverifiedUrl(endpoint)).toBe(url);
    expect(verification(endpoint, at)).toStrictEqual(change);
  });

  it.each([
    ["the URL that waits", moving, fresh, verification(moving, at)],
    ["the first URL", first, old, verification(first, at)],
    ["one that serves by now", { url: fresh, verifiedAt: made }, fresh, {}],
    ["one that another took the place of", moving, `${fresh}2`, undefined],
    ["one that was taken back", live, fresh, undefined],
    ["the one that serves while another waits", moving, old, undefined],
  ])("after a challenge to %s", (_what, endpoint, challenged, change) => {
    const result = challengeResult(endpoint, challenged, at);
    if (change === undefined) expect(isRefused(result)).toBe(true);
    else expect(result).toEqual(change);
  });
});

describe("a challenge", () => {
  const answered = (statusCode: number): Outcome => ({ kind: "answered", statusCode, body: "x" });
  it.each([
    [answered(200), undefined],
    [answered(201), "The endpoint returned 201."],
    [answered(307), "The endpoint returned 307."],
    [answered(500), "The endpoint returned 500."],
    [{ kind: "failed", error: "timeout" } as const, "The endpoint did not respond (timeout)."],
  ])("that ended with %j", (outcome, detail) => {
    expect(challengeFailure(outcome)?.detail).toBe(detail);
  });

  it("has the frame of every webhook", () => {
    const body = challengeBody({
      ...{ eventId: "evt_1", merchantId: "mer_1", endpointId: "whe_1", createdAt: at },
    });
    expect(JSON.parse(new TextDecoder().decode(body))).toEqual({
      transaction_type: "webhook_challenge",
      transaction_id: "evt_1",
      data: {
        ...{ id: "evt_1", status: "challenge", merchant_id: "mer_1", endpoint_id: "whe_1" },
        created_at: "2026-11-21T00:00:00.000Z",
      },
    });
  });
});
