import type { KeyedHash } from "@disburse/chassis/crypto/sealing.ts";
import { hashedId } from "@disburse/kernel/id.ts";
import type { ScreeningHit } from "../screening/rules/hit.ts";
import type { ScreeningRequest, Subject } from "../screening/rules/screening.ts";
import { screenedForm, screenedForms } from "./rules/screened-form.ts";

/** Keyed hashes under each key of the deployment: the first makes new ids, the others find. */
export type AlertKeys = readonly [KeyedHash, ...KeyedHash[]];

/**
 * The ids that the alert of a hit may have: it is one for subject, party or wallet, list, entry and
 * what is compared of both, so that a decision lapses by itself when one of them changes.
 */
export function alertIds(
  [first, ...others]: AlertKeys,
  { merchantId, recordId }: Subject,
  request: ScreeningRequest,
  hit: ScreeningHit,
): [string, ...string[]] {
  const form = screenedForm(request, hit.subjectIndex);
  const { list, entryUid, entryFingerprint } = hit;
  const text = JSON.stringify([merchantId, recordId, form, list, entryUid, entryFingerprint]);
  const idUnder = (key: KeyedHash) => hashedId("alert", key.hash(text));
  return [idUnder(first), ...others.map(idUnder)];
}

/** What a new alert names its party or wallet by. */
export function partyKey([first]: AlertKeys, request: ScreeningRequest, at: number): string {
  return keyText(first, screenedForm(request, at));
}

/** All names that alerts may have for the parties and wallets of a request. */
export function partyKeys(keys: AlertKeys, request: ScreeningRequest): ReadonlySet<string> {
  const forms = screenedForms(request);
  return new Set(keys.flatMap((key) => forms.map((form) => keyText(key, form))));
}

function keyText({ hash }: KeyedHash, form: string): string {
  return hash(form).toString("hex");
}
