import {
  generateServiceKey,
  readServiceKey,
  readTrustedKeys,
  trustedKeysText,
} from "../identity/keys.ts";
import type { EventKeys } from "./signature.ts";

const services = ["payout", "compliance", "quote"] as const;
const made = new Map(services.map((service) => [service, generateServiceKey(service)]));
const trusted = readTrustedKeys(
  trustedKeysText([...made.values()].map(({ publicJwk }) => publicJwk)),
);

/** The keys of a test service; all test services trust each other. */
export function testKeys(service: (typeof services)[number]): EventKeys {
  const { privateText } = made.get(service) ?? generateServiceKey(service);
  const serviceKey = readServiceKey(privateText);
  return { serviceKey: () => serviceKey, trustedKeys: () => trusted };
}
