import { createHash } from "node:crypto";
import { jitterFactor, nextAttemptAt } from "../../deliveries/rules/schedule.ts";

/** The result of one attempt to hand an e-mail to the mail server. */
export type MailOutcome =
  | { readonly kind: "sent" }
  /** The server permanently rejected the recipient's address or the e-mail itself. */
  | { readonly kind: "refused"; readonly isAddress: boolean; readonly code: string }
  /** Anything else. A fault of our account or of the connection, which an operator can repair. */
  | { readonly kind: "failed"; readonly code: string };

/** After this many rejections of the address in succession, a member gets no more e-mails. */
export const rejectionsMax = 3;

/** The state of an e-mail after an attempt, or instead of one. */
export type MailEnd = "sent" | "refused" | "given_up" | "dropped";
export type MailTransition =
  | { readonly state: "pending"; readonly nextAttemptAt: Date }
  | { readonly state: MailEnd; readonly rejections: number };

type Attempted = {
  readonly id: string;
  /** Number of attempts, including this one. */
  readonly attempts: number;
  readonly deadline: Date;
};

/** E-mails have the retry schedule of webhooks: 15 attempts in 24 hours. */
export function transitionAfter(
  outcome: MailOutcome,
  mail: Attempted,
  rejections: number,
  endedAt: Date,
): MailTransition {
  if (outcome.kind === "sent") return { state: "sent", rejections: 0 };
  if (outcome.kind === "refused") {
    return { state: "refused", rejections: rejections + (outcome.isAddress ? 1 : 0) };
  }
  const jitter = jitterFactor(createHash("sha256").update(mail.id).digest());
  const next = nextAttemptAt({ ...mail, endedAt, jitter });
  return next === undefined
    ? { state: "given_up", rejections }
    : { state: "pending", nextAttemptAt: next };
}
