import { describe, expect, it } from "vitest";
import { childProblem, type MakerLimits, withInherited } from "./child.ts";
import type { KeyOrder } from "./key.ts";
import { liesWithin } from "./source-address.ts";

const end = new Date("2026-11-20T12:00:00.000Z");
const after = (ms: number) => new Date(end.getTime() + ms);
const maker: MakerLimits = {
  scopes: new Set(["key:write", "payout:read"]),
  sourceCidrs: ["10.0.0.0/8"],
  endsAt: end,
};
const unlimited: MakerLimits = { ...maker, sourceCidrs: [], endsAt: undefined };
const wish = { scopes: ["payout:read"], sourceCidrs: ["10.1.0.0/16"], expiresAt: end };
const order: KeyOrder = {
  merchantId: "mer_1",
  scopes: ["payout:read"],
  sourceCidrs: [],
  expiresAt: null,
  description: "",
};

const inside = { sourceCidrs: ["10.1.1.1"] };

describe("a key that another key creates", () => {
  it.each<[string, object, string]>([
    ["as much as its maker has", {}, "created"],
    ["another scope", { scopes: ["payout:read", "payout:write"] }, "ACCESS_FORBIDDEN"],
    ["a network outside", { sourceCidrs: ["10.1.0.0/16", "11.0.0.1"] }, "INVALID_REQUEST"],
    ["a wider network", { sourceCidrs: ["10.0.0.0/7"] }, "INVALID_REQUEST"],
    ["no network and no end", { sourceCidrs: [], expiresAt: null }, "created"],
    ["a later end", { expiresAt: after(1) }, "INVALID_REQUEST"],
    ["an earlier end", { expiresAt: after(-1) }, "created"],
  ])("with %s", (_what, change, expected) => {
    expect(childProblem(maker, { ...wish, ...change })?.refused ?? "created").toBe(expected);
  });

  it("names every limit that it exceeds", () => {
    const detail =
      "source_cidrs: must be within the networks of the key that creates it; " +
      "expires_at: must not be after 2026-11-20T12:00:00.000Z, when the key that creates it expires";
    const wide = { ...wish, sourceCidrs: ["::/0"], expiresAt: after(1) };
    expect(childProblem(maker, wide)).toEqual({ refused: "INVALID_REQUEST", detail });
    expect(childProblem(unlimited, wide)).toBeUndefined();
  });

  it.each<[string, MakerLimits, Partial<KeyOrder>, Date | null, object]>([
    ["its maker's", maker, {}, null, { sourceCidrs: ["10.0.0.0/8"], expiresAt: end }],
    ["its maker's before the default", maker, inside, after(1), { expiresAt: end }],
    ["the default before its maker's", maker, inside, after(-1), { expiresAt: after(-1) }],
    ["its own", maker, { expiresAt: after(-5), sourceCidrs: ["10.1.1.1"] }, null, {}],
    ["the default of a maker without an end", unlimited, {}, after(1), {}],
  ])("has limits: %s", (_what, limits, change, defaultEnd, expected) => {
    const wanted = { ...order, ...change };
    expect(withInherited(limits, wanted, defaultEnd)).toEqual({ ...wanted, ...expected });
  });
});

it.each<[string, string[], boolean]>([
  ["10.1.2.3", ["10.0.0.0/8"], true],
  ["10.1.2.3/32", ["10.1.2.3"], true],
  ["10.1.2.0/31", ["10.1.2.3"], false],
  ["10.1.2.3", ["11.0.0.0/8", "10.1.2.0/24"], true],
  ["10.0.0.0/7", ["10.0.0.0/8"], false],
  ["0.0.0.0/0", ["0.0.0.0/0"], true],
  ["2001:db8::1", ["0.0.0.0/0"], false],
  ["2001:db8:1::/48", ["2001:db8::/32"], true],
  ["2001:db8::/31", ["2001:db8::/32"], false],
  ["::ffff:10.1.2.3", ["10.0.0.0/8"], false],
  ["::ffff:0:0/96", ["10.0.0.0/8"], false],
  ["10.1.2.3", ["::/0"], false],
])("%s lies within %j: %s", (network, networks, isWithin) => {
  expect(liesWithin(networks, network)).toBe(isWithin);
});
