import { createHash } from "node:crypto";
import { withoutLookAlikes } from "./look-alikes.ts";

/** The length of a key in bytes. Collisions within one merchant are practically impossible. */
const keyBytes = 16;

/**
 * Returns the duplicate keys of a payout in base64url, or an empty list if it has no reference. Two
 * payouts share a key if they have the same destination and references that look the same.
 */
export function duplicateKeys(destinationKeys: readonly string[], referenceId: string): string[] {
  if (referenceId === "") return [];
  const forms = referenceForms(referenceId);
  return destinationKeys.flatMap((destination) =>
    forms.map((form) => {
      const hash = createHash("sha256")
        .update(JSON.stringify([destination, form]))
        .digest();
      return hash.subarray(0, keyBytes).toString("base64url");
    }),
  );
}

/**
 * Matches white space and invisible characters: control characters, zero-width characters, fillers
 * and the blank Braille pattern.
 */
const unseen = /[\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/**
 * Normalises compatibility forms, invisible characters, case and look-alikes in a reference. The
 * upper and lower case of a letter may have different look-alikes (`Η` and `η`). The result then
 * has two forms.
 */
function referenceForms(referenceId: string): readonly string[] {
  const plain = referenceId.normalize("NFKC").replace(unseen, "").normalize("NFKC");
  const asWritten = foldCase(withoutLookAlikes(plain));
  return [...new Set([asWritten, foldCase(plain)].map(withoutLookAlikes))];
}

/**
 * Converts the cases of each letter to one form: `ß` becomes `ss`, and both lower-case sigmas
 * become equal.
 */
function foldCase(text: string): string {
  return text.toUpperCase().toLowerCase().replaceAll("ς", "σ").normalize("NFKC");
}
