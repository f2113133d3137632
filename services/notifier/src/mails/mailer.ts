import type { Client } from "@connectrpc/connect";
import type { Log } from "@disburse/chassis/log.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import type { TeamService } from "@disburse/contracts/disburse/gateway/v1/team_pb.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { type DigestDocument, type DigestStore, openDigestStore } from "./digest-store.ts";
import {
  type LeasedRecipient,
  openRecipientStore,
  type RecipientStore,
} from "./recipient-store.ts";
import { countsFor, type MailableEvent } from "./rules/kind.ts";
import {
  type MailOutcome,
  type MailTransition,
  rejectionsMax,
  transitionAfter,
} from "./rules/mail.ts";
import { mailText } from "./rules/text.ts";
import type { SendMail } from "./smtp.ts";

/** How a deployment sends e-mails. */
export type MailDelivery = {
  readonly send: SendMail;
  /** Owns members and their addresses. */
  readonly team: Pick<Client<typeof TeamService>, "listMailRecipients">;
  /** Origin of the members' console. */
  readonly consoleUrl: string;
  readonly mode: "sandbox" | "live";
  /** Events are collected for this time, and a member gets at most one e-mail in it. */
  readonly digestMs: number;
};

type MailerDeps = MailDelivery & {
  readonly digests: DigestStore;
  readonly recipients: RecipientStore;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
};

export type Mails = ReturnType<typeof openMails>;

/**
 * The part of e-mails in the notifier. A deployment without a mail server has preferences, but
 * counts no events and sends nothing.
 */
export function openMails(deps: {
  readonly database: Pick<Database, "db">;
  readonly delivery: MailDelivery | undefined;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
}) {
  const { database, delivery, clock } = deps;
  const { digestMs = 0 } = delivery ?? {};
  const recipients = openRecipientStore(database, digestMs);
  if (delivery === undefined) {
    return { recipients, count: async () => undefined, mailer: undefined };
  }
  const digests = openDigestStore(database, digestMs);
  return {
    recipients,
    /** Counts events. A repeat counts nothing twice. */
    count: (events: readonly MailableEvent[]) => digests.count(events, clock.now()),
    mailer: createMailer({ ...deps, ...delivery, digests, recipients }),
  };
}

/** E-mails that a process sends at once. A mail server takes about a second for each. */
const atOnce = 4;

function createMailer(deps: MailerDeps) {
  const { digests, clock } = deps;
  const count = createMailCount(deps);
  return {
    /**
     * Distributes due digests to the members who may see their kinds. Each step can be repeated, so
     * several processes and a crash change nothing.
     */
    distribute: async (): Promise<boolean> => {
      await digests.begin(clock.now());
      const begun = await digests.begun();
      const ended = await Promise.allSettled(begun.map((each) => distributeOne(deps, each)));
      // One merchant's failure delays no other merchant. The loop reports it and tries again.
      const failed = ended.find((each) => each.status === "rejected");
      if (failed !== undefined) throw failed.reason;
      return false;
    },

    /** Sends e-mails that are due. Returns true if more may be due. */
    send: async (): Promise<boolean> => {
      const sent = await Promise.all(Array.from({ length: atOnce }, () => sendNext(deps, count)));
      return sent.every(Boolean);
    },
  };
}

async function distributeOne(
  { digests, recipients, team, clock }: MailerDeps,
  { _id: merchantId, round }: DigestDocument,
): Promise<void> {
  if (round === null) return;
  const { recipients: members } = await team.listMailRecipients({ merchantId });
  for (const { memberId: id, scopes } of members) {
    const counts = countsFor(round.counts, { scopes, off: [] });
    if (Object.keys(counts).length === 0) continue;
    await recipients.add({ id, merchantId }, { ...round, counts }, clock.now());
  }
  await digests.finish(merchantId, round.number);
}

/** Returns false if no e-mail is due. */
async function sendNext(deps: MailerDeps, count: (outcome: string) => void): Promise<boolean> {
  const { recipients, clock, log } = deps;
  const leased = await recipients.claim(clock.now());
  if (leased === undefined) return false;
  const outcome = await attempt(deps, leased);
  const at = clock.now();
  const transition = afterAttempt(leased, outcome, at);
  await recipients.settle(leased, transition, at);
  const { state } = transition;
  count(state === "pending" ? "failed" : state);
  if (outcome === "dropped" || outcome === "late" || outcome.kind === "sent") return true;
  const { _id: member_id, merchant_id, mail } = leased;
  const isPaused = state === "refused" && transition.rejections >= rejectionsMax;
  const fields = { member_id, merchant_id, mail_id: mail.id, state, code: outcome.code };
  log.warn({ ...fields, paused: isPaused }, "e-mail was not accepted");
  return true;
}

/** `dropped`: the member left, or may not or doesn't want to read this. `late`: the time is over. */
type Attempted = MailOutcome | "dropped" | "late";

function afterAttempt(
  { mail, rejections }: LeasedRecipient,
  outcome: Attempted,
  at: Date,
): MailTransition {
  if (outcome === "dropped") return { state: "dropped", rejections };
  if (outcome === "late") return { state: "given_up", rejections };
  return transitionAfter(outcome, { ...mail, attempts: mail.attempts + 1 }, rejections, at);
}

/** Reads the member's address and scopes immediately before the e-mail is sent. */
async function attempt(
  { team, send, clock, ...where }: MailerDeps,
  { _id, merchant_id: merchantId, mail, off }: LeasedRecipient,
): Promise<Attempted> {
  if (clock.now() >= mail.deadline) return "late";
  const { recipients } = await team.listMailRecipients({ merchantId });
  const member = recipients.find(({ memberId }) => memberId === _id);
  if (member === undefined) return "dropped";
  const counts = countsFor(mail.counts, { scopes: member.scopes, off });
  if (Object.keys(counts).length === 0) return "dropped";
  return send({ id: mail.id, to: member.email, ...mailText(counts, where) });
}

const outcomes = ["sent", "failed", "refused", "given_up", "dropped"] as const;

function createMailCount({ metrics, recipients, clock }: MailerDeps) {
  const mails = metrics.counter(
    "disburse_mails_total",
    "Attempts to send e-mails, by outcome; `failed` ones are retried.",
    ["outcome"],
  );
  for (const outcome of outcomes) mails.inc({ outcome }, 0);
  metrics.measured(
    "disburse_mails_oldest_unsent_seconds",
    "Age of the oldest e-mail that is not sent. 0 if all are sent.",
    [],
    async (gauge) => {
      const at = await recipients.oldestUnsentAt();
      gauge.set(at === undefined ? 0 : (clock.now().getTime() - at.getTime()) / 1_000);
    },
  );
  return (outcome: string): void => mails.inc({ outcome });
}
