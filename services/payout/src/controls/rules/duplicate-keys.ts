import { createHash } from "node:crypto";
import { withoutLookAlikes } from "./look-alikes.ts";

/** Bytes of a key: collisions are out of reach within one merchant. */
const keyBytes = 16;

/**
 * Keys of a payout to a destination under a reference, in base64url; none without a reference. Two
 * payouts have one in common where both destination and reference are the same, however written.
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

/** White space, and what is not seen: controls, zero-width characters, fillers, a blank Braille. */
const unseen = /[\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/**
 * A reference without what readers do not see in it: compatibility forms, unseen characters, case
 * and look-alikes. A letter may look like another one in upper case than in lower case (`Η` and
 * `η`), so there are two forms where those differ.
 */
function referenceForms(referenceId: string): readonly string[] {
  const plain = referenceId.normalize("NFKC").replace(unseen, "").normalize("NFKC");
  const asWritten = foldCase(withoutLookAlikes(plain));
  return [...new Set([asWritten, foldCase(plain)].map(withoutLookAlikes))];
}

/** Every case of a letter as one: `ß` as `ss`, both lower-case sigmas alike. */
function foldCase(text: string): string {
  return text.toUpperCase().toLowerCase().replaceAll("ς", "σ").normalize("NFKC");
}
