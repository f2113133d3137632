import { isRefused } from "@disburse/kernel/refusal.ts";
import { describe, expect, it } from "vitest";
import {
  activated,
  namedKeys,
  rotated,
  type SecretSet,
  signingKeys,
  staged,
} from "./secret-set.ts";

const now = new Date("2026-11-20T00:00:00.000Z");
const later = (seconds: number, ms = 0): Date => new Date(now.getTime() + seconds * 1_000 + ms);
const first: SecretSet = { current: "k1" };

describe("secrets", () => {
  it("sign at once after a rotation, the old ones until the overlap ends", () => {
    const set = rotated(first, { keyId: "k2", overlapSeconds: 86_400 }, now);
    expect(signingKeys(set, now)).toEqual({ current: "k2", previous: "k1" });
    expect(signingKeys(set, later(86_400, -1))).toEqual({ current: "k2", previous: "k1" });
    expect(signingKeys(set, later(86_400))).toEqual({ current: "k2" });
  });

  it("that leaked stop signing at once", () => {
    const set = rotated(first, { keyId: "k2", overlapSeconds: 0 }, now);
    expect(set).toEqual({ current: "k2" });
    expect([...namedKeys(set)]).toEqual(["k2"]);
  });

  it("are at most two, the last two", () => {
    const second = rotated(first, { keyId: "k2", overlapSeconds: 60 }, now);
    const third = rotated(second, { keyId: "k3", overlapSeconds: 60 }, now);
    expect(signingKeys(third, now)).toEqual({ current: "k3", previous: "k2" });
  });

  it("when staged sign only after activation, with the overlap from then on", () => {
    const waiting = staged(staged(first, { keyId: "k0", overlapSeconds: 1 }), {
      keyId: "k2",
      overlapSeconds: 60,
    });
    expect(signingKeys(waiting, now)).toEqual({ current: "k1" });
    expect([...namedKeys(waiting)]).toEqual(["k1", "k2"]);
    expect(activated(waiting, later(100))).toEqual({
      current: "k2",
      previous: { keyId: "k1", until: later(160) },
    });
  });

  it("cannot be activated if none are staged, or after a rotation dropped them", () => {
    const waiting = staged(first, { keyId: "k2", overlapSeconds: 60 });
    const set = rotated(waiting, { keyId: "k3", overlapSeconds: 60 }, now);
    expect(isRefused(activated(first, now))).toBe(true);
    expect(isRefused(activated(set, now))).toBe(true);
  });
});
