import { ConnectError } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import type { Principal } from "../principal.ts";
import { demandStepUp } from "./step-up.ts";

const nowMs = Date.parse("2026-11-23T12:00:00Z");
const person = (signIn: (Principal & { kind: "person" })["signIn"]): Principal => ({
  ...{ kind: "person", id: "ada", roles: new Set(["treasury_approver"] as const) },
  signIn,
});
const signedIn = (secondsAgo: number, acr = "pwd") =>
  person({ atSeconds: nowMs / 1_000 - secondsAgo, acr });
const refusalOf = (principal: Principal, stepUp: Parameters<typeof demandStepUp>[1]) => {
  try {
    demandStepUp(principal, stepUp, nowMs);
    return undefined;
  } catch (error) {
    const { message, metadata } = ConnectError.from(error);
    return [message, metadata.get("www-authenticate")];
  }
};

describe("a sign-in", () => {
  const stepUp = { maxAgeSeconds: 900 };
  const tooOld = [
    "[unauthenticated] insufficient_user_authentication: the sign-in must be at most 900 s old; sign in again",
    'Bearer error="insufficient_user_authentication", max_age=900',
  ];

  it.each([
    ["now", signedIn(0), undefined],
    ["as old as it may be", signedIn(900), undefined],
    ["too old", signedIn(901), tooOld],
    ["by a clock that is fast", signedIn(-120), undefined],
    ["from later", signedIn(-121), tooOld],
    ["that the token does not name", person(undefined), tooOld],
    ["that the sandbox made by itself", person("exempt"), undefined],
    ["of a service", { kind: "service", name: "payout" } as const, undefined],
  ])("%s", (_what, principal, refusal) => {
    expect(refusalOf(principal, stepUp)).toEqual(refusal);
  });

  it("must be of the class that is set, however fresh it is", () => {
    const strict = { maxAgeSeconds: 60, acr: "mfa" };
    expect(refusalOf(signedIn(60, "mfa"), strict)).toBeUndefined();
    expect(refusalOf(signedIn(60, "pwd"), strict)).toEqual([
      "[unauthenticated] insufficient_user_authentication: the sign-in does not have the authentication class mfa; sign in again",
      'Bearer error="insufficient_user_authentication", max_age=60, acr_values="mfa"',
    ]);
    expect(refusalOf(signedIn(61, "mfa"), strict)?.[0]).toContain("at most 60 s old");
    expect(refusalOf(person("exempt"), strict)).toBeUndefined();
  });
});
