import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from "node:crypto";
import { z } from "zod";

/** A service's signing key for tokens and events. */
export type ServiceKey = {
  readonly service: string;
  readonly keyId: string;
  readonly privateKey: KeyObject;
};

/** Public keys by key id, each with its service. During a rotation a service has two keys. */
export type TrustedKeys = ReadonlyMap<
  string,
  { readonly service: string; readonly publicKey: KeyObject }
>;

const keyIdPattern = /^([a-z][a-z-]{0,31})\.[A-Za-z0-9_-]{8,43}$/;
const coordinate = z.string().regex(/^[A-Za-z0-9_-]{43}$/);
const publicJwk = z.object({
  kty: z.literal("OKP"),
  crv: z.literal("Ed25519"),
  x: coordinate,
  /** For example `payout.3q2-7wEJ`: the service and a part of the key's digest. */
  kid: z.string().regex(keyIdPattern),
});
const privateJwk = publicJwk.extend({ d: coordinate });
const jwkSet = z.object({ keys: z.array(publicJwk).min(1) });

const serviceOf = (keyId: string): string => keyIdPattern.exec(keyId)?.[1] ?? "";

/** Reads a private key (a JWK). If it is malformed, throws an error that does not show the key. */
export function readServiceKey(text: string): ServiceKey {
  const jwk = parse(privateJwk, text);
  const privateKey = createPrivateKey({ key: jwk, format: "jwk" });
  return { service: serviceOf(jwk.kid), keyId: jwk.kid, privateKey };
}

/** Reads public keys (a JWK set). Throws if the set is malformed or contains a key id twice. */
export function readTrustedKeys(text: string): TrustedKeys {
  const { keys } = parse(jwkSet, text);
  const trusted = new Map<string, { service: string; publicKey: KeyObject }>();
  for (const jwk of keys) {
    if (trusted.has(jwk.kid)) throw new TypeError(`the key id ${jwk.kid} occurs twice`);
    const publicKey = createPublicKey({ key: jwk, format: "jwk" });
    trusted.set(jwk.kid, { service: serviceOf(jwk.kid), publicKey });
  }
  return trusted;
}

function parse<T>(type: z.ZodType<T>, text: string): T {
  const result = type.safeParse(jsonOf(text));
  if (result.success) return result.data;
  const fields = new Set(result.error.issues.map(({ path }) => path.join(".")));
  const names = [...fields].join(", ");
  throw new TypeError(
    names === "" ? "is not a JSON object" : `has missing or malformed fields: ${names}`,
  );
}

/** The parser's own error is hidden because it would show the text, which is a key. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Generates a service's key. The private part has the format of `SERVICE_KEY`. The public part is a
 * JWK.
 */
export function generateServiceKey(service: string) {
  const { privateKey } = generateKeyPairSync("ed25519");
  const { x = "", d = "" } = privateKey.export({ format: "jwk" });
  const digest = createHash("sha256").update(x).digest("base64url");
  const jwk = { kty: "OKP", crv: "Ed25519", x, kid: `${service}.${digest.slice(0, 8)}` } as const;
  return { privateText: JSON.stringify({ ...jwk, d }), publicJwk: jwk };
}

/** Writes public keys in the format of `TRUSTED_KEYS`. */
export function trustedKeysText(keys: readonly z.output<typeof publicJwk>[]): string {
  return JSON.stringify({ keys });
}
