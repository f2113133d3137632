/** Secrets that hash API keys, by version. */
export type Peppers = {
  /** Version that hashes new keys and keys in use. */
  readonly current: string;
  /** Older versions verify keys hashed before a rotation. */
  readonly byVersion: ReadonlyMap<string, Uint8Array>;
};

const pepper = "p[1-9][0-9]{0,5}:[A-Za-z0-9+/]{43}=";
/** `p2:BASE64,p1:BASE64`, each of 32 bytes. */
export const peppersPattern = new RegExp(`^${pepper}(?:,${pepper})*$`);

/** Reads the setting `API_KEY_PEPPER`, which must match the pattern. */
export function readPeppers(text: string): Peppers {
  const pairs = text.split(",").map((each): readonly [string, Uint8Array] => {
    const [version = "", base64 = ""] = each.split(":");
    return [version, Buffer.from(base64, "base64")];
  });
  return { current: pairs[0]?.[0] ?? "", byVersion: new Map(pairs) };
}

/** Only older keys are rehashed, so that two gateways do not alternate during a roll-out. */
export function isOlder(version: string, { current }: Peppers): boolean {
  return numberOf(version) < numberOf(current);
}

function numberOf(version: string): number {
  return Number(version.slice(1));
}

export function currentPepper({ current, byVersion }: Peppers): Uint8Array {
  const pepper = byVersion.get(current);
  if (pepper === undefined) throw new Error("the current pepper is missing");
  return pepper;
}
