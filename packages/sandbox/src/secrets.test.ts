import { expect, it } from "vitest";
import {
  encryptionKeysOf,
  generateSecrets,
  ownSettings,
  sealingServices,
  sharedSettings,
  workloads,
} from "./secrets.ts";

it("makes a ring of encryption keys for each service that seals, and gives it to no other", () => {
  const secrets = generateSecrets();
  const rings = sealingServices.map((name) => encryptionKeysOf(secrets, name));
  expect(new Set(rings).size).toBe(sealingServices.length);
  expect(rings).toEqual(sealingServices.map((name) => ownSettings(secrets, name).ENCRYPTION_KEYS));
  const others = workloads.filter((name) => !sealingServices.some((each) => each === name));
  for (const name of others)
    expect(ownSettings(secrets, name)).not.toHaveProperty("ENCRYPTION_KEYS");
  expect(sharedSettings(secrets)).not.toHaveProperty("ENCRYPTION_KEYS");
});

it("has a ring for payout, which seals where rails of banks are configured", () => {
  const { payout, ...others } = generateSecrets().encryptionKeys;
  expect(payout).toMatch(/^k1:/);
  expect(Object.values(others)).not.toContain(payout);
});
