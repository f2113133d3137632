import { createHash } from "node:crypto";
import { withoutLookAlikes } from "./look-alikes.ts";

/** Bytes of a key. Collisions within one merchant are practically impossible. */
const keyBytes = 16;

/**
 * Returns the keys of a payout to a destination with a reference, in base64url. Empty without a
 * reference. Two payouts share a key if destination and reference are equal in any spelling.
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
 * White space and invisible characters: controls, zero-width characters, fillers, a blank Braille.
 */
const unseen = /[\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/**
 * Normalises a reference: compatibility forms, invisible characters, case and look-alikes. A letter
 * may have different look-alikes in upper and lower case (`Η` and `η`), so there are two forms if
 * they differ.
 */
function referenceForms(referenceId: string): readonly string[] {
  const plain = referenceId.normalize("NFKC").replace(unseen, "").normalize("NFKC");
  const asWritten = foldCase(withoutLookAlikes(plain));
  return [...new Set([asWritten, foldCase(plain)].map(withoutLookAlikes))];
}

/**
 * Folds every case of a letter into one: `ß` becomes `ss`, and both lower-case sigmas are equal.
 */
function foldCase(text: string): string {
  return text.toUpperCase().toLowerCase().replaceAll("ς", "σ").normalize("NFKC");
}
