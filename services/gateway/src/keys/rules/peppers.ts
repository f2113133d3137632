/** The secrets under which API keys are hashed, by version. */
export type Peppers = {
  /** Hashes new keys, and those that are used. */
  readonly current: string;
  /** The others admit keys that were hashed before a rotation. */
  readonly byVersion: ReadonlyMap<string, Uint8Array>;
};

const pepper = "p[1-9][0-9]{0,5}:[A-Za-z0-9+/]{43}=";
/** `p2:BASE64,p1:BASE64`, each of 32 bytes. */
export const peppersPattern = new RegExp(`^${pepper}(?:,${pepper})*$`);

/** Reads the setting `API_KEY_PEPPER`, which matches the pattern; the first hashes. */
export function readPeppers(text: string): Peppers {
  const pairs = text.split(",").map((each): readonly [string, Uint8Array] => {
    const [version = "", base64 = ""] = each.split(":");
    return [version, Buffer.from(base64, "base64")];
  });
  return { current: pairs[0]?.[0] ?? "", byVersion: new Map(pairs) };
}

/**
 * Whether a key is hashed anew under the current version: where it is older alone, so that two
 * gateways in the midst of a roll-out do not take turns.
 */
export function isOlder(version: string, { current }: Peppers): boolean {
  return numberOf(version) < numberOf(current);
}

function numberOf(version: string): number {
  return Number(version.slice(1));
}

/** The secret that hashes. */
export function currentPepper({ current, byVersion }: Peppers): Uint8Array {
  const pepper = byVersion.get(current);
  if (pepper === undefined) throw new Error("no pepper");
  return pepper;
}
