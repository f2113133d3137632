import { idPrefixes, isId } from "@disburse/kernel/id.ts";

/**
 * Returns the end-to-end reference of a payout: its id without the prefix, 26 letters and digits.
 * The letters are capitals, because some banks return references in capitals. Throws for an id of
 * another form.
 */
export function endToEndIdOf(payoutId: string): string {
  if (!isId("payout", payoutId)) throw new Error("payoutId is not the id of a payout");
  return payoutId.slice(idPrefixes.payout.length + 1).toUpperCase();
}

/**
 * Returns the payout id for a reference from a bank. Returns `undefined` if the reference cannot be
 * one of ours.
 */
export function payoutIdOf(endToEndId: string): string | undefined {
  const id = `${idPrefixes.payout}_${endToEndId.trim().toLowerCase()}`;
  return isId("payout", id) ? id : undefined;
}

const uetrText = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** A UETR is a UUID of version 4 in lower case (SWIFT gpi, RFC 9562). */
export function isUetr(text: string): boolean {
  return uetrText.test(text);
}
