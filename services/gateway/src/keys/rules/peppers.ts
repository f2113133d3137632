/** The secrets that API keys are hashed with, keyed by version. */
export type Peppers = {
  /** The version for new keys. A key with an older version changes to it when the key is used. */
  readonly current: string;
  /** Includes older versions, which verify keys that were hashed before a rotation. */
  readonly byVersion: ReadonlyMap<string, Uint8Array>;
};

const pepper = "p[1-9][0-9]{0,5}:[A-Za-z0-9+/]{43}=";
/** For example `p2:BASE64,p1:BASE64`. Each pepper has 32 bytes. */
export const peppersPattern = new RegExp(`^${pepper}(?:,${pepper})*$`);

/** Reads the setting `API_KEY_PEPPER`. It must match `peppersPattern`. */
export function readPeppers(text: string): Peppers {
  const pairs = text.split(",").map((each): readonly [string, Uint8Array] => {
    const [version = "", base64 = ""] = each.split(":");
    return [version, Buffer.from(base64, "base64")];
  });
  return { current: pairs[0]?.[0] ?? "", byVersion: new Map(pairs) };
}

/**
 * Returns true if a version is older than the current one. Only older keys are rehashed. Otherwise,
 * two gateways with different settings would rehash a key in turn during a roll-out.
 */
export function isOlder(version: string, { current }: Peppers): boolean {
  return numberOf(version) < numberOf(current);
}

function numberOf(version: string): number {
  return Number(version.slice(1));
}

export function currentPepper({ current, byVersion }: Peppers): Uint8Array {
  const pepper = byVersion.get(current);
  if (pepper === undefined)
    throw new Error("the current pepper is not one of the configured peppers");
  return pepper;
}
