/** The subjects of e-mails, in the order in which an e-mail lists them. */
export const mailKinds = ["approvals", "failures", "balances", "batches", "webhooks"] as const;
export type MailKind = (typeof mailKinds)[number];

/** The number of events of each kind. Kinds without events are absent. */
export type MailCounts = { readonly [kind in MailKind]?: number };

/** Only members with this scope get e-mails of a kind: they may see its records, or act on them. */
export const scopeOf: Readonly<Record<MailKind, string>> = {
  approvals: "payout:approve",
  failures: "payout:read",
  balances: "account:read",
  batches: "payout:read",
  webhooks: "webhook:write",
};

const kindOfType: Readonly<Record<string, MailKind>> = {
  "payout.approval_required": "approvals",
  "scheduled_payout.approval_required": "approvals",
  "batch.approval_required": "approvals",
  "account.balance_low": "balances",
  "batch.finished": "batches",
  "endpoint.failing": "webhooks",
  "webhook_endpoint.paused": "webhooks",
};

export type MailableEvent = {
  readonly eventId: string;
  readonly merchantId: string;
  readonly transactionType: string;
  readonly status: string;
  /** Of a payout. */
  readonly subStatus?: string | undefined;
  readonly occurredAt: Date;
};

/**
 * Older events are no news. A restart announces the pauses of the last month again, and the sweep
 * for lost events can find old ones.
 */
const newsMs = 86_400_000;

/** Returns the kind of e-mail that reports an event. Returns `undefined` if none does. */
export function mailKindOf(event: MailableEvent, now: Date): MailKind | undefined {
  if (now.getTime() - event.occurredAt.getTime() >= newsMs) return undefined;
  const { transactionType: type, status, subStatus } = event;
  if (type !== "payout_session") {
    return Object.hasOwn(kindOfType, type) ? kindOfType[type] : undefined;
  }
  // The merchant itself has cancelled the payout.
  return status === "failed" && subStatus !== "cancelled" ? "failures" : undefined;
}

/** Returns the counts that a member may see and wants. */
export function countsFor(
  counts: MailCounts,
  member: { readonly scopes: readonly string[]; readonly off: readonly MailKind[] },
): MailCounts {
  const kept = mailKinds.filter(
    (kind) =>
      (counts[kind] ?? 0) > 0 &&
      member.scopes.includes(scopeOf[kind]) &&
      !member.off.includes(kind),
  );
  return Object.fromEntries(kept.map((kind) => [kind, counts[kind]]));
}
