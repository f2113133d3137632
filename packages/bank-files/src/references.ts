import { idPrefixes, isId } from "@disburse/kernel/id.ts";

/**
 * The reference that travels with a payment from end to end: the payout's id without its prefix, in
 * capitals, as some banks make capitals of what they return. 26 letters and digits. An id of
 * another form is a bug.
 */
export function endToEndIdOf(payoutId: string): string {
  if (!isId("payout", payoutId)) throw new Error("not the id of a payout");
  return payoutId.slice(idPrefixes.payout.length + 1).toUpperCase();
}

/** The payout of a reference that a bank returned; `undefined` where it can be none of ours. */
export function payoutIdOf(endToEndId: string): string | undefined {
  const id = `${idPrefixes.payout}_${endToEndId.trim().toLowerCase()}`;
  return isId("payout", id) ? id : undefined;
}

const uetrText = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Whether a text is a UETR: a UUID of version 4 in lower case (SWIFT gpi, RFC 9562). */
export function isUetr(text: string): boolean {
  return uetrText.test(text);
}
