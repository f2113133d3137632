import type { Database } from "@disburse/chassis/mongo/database.ts";
import { onceByKey } from "@disburse/chassis/mongo/once.ts";
import { deliveryLeaseMs } from "../deliveries/dispatch/work-store.ts";
import { deadlineOf } from "../deliveries/rules/schedule.ts";
import { type MailCounts, type MailKind, mailKinds } from "./rules/kind.ts";
import { type MailTransition, rejectionsMax } from "./rules/mail.ts";

/**
 * A member's preferences and e-mails. All changes of a member are writes of this one document. It
 * has no name and no address: the gateway owns them.
 */
export type RecipientDocument = {
  _id: string;
  schema_version: number;
  merchant_id: string;
  /** Kinds that the member doesn't want. */
  off: MailKind[];
  /** Rejections of the address in succession. */
  rejections: number;
  paused_at: Date | null;
  /** The last digest that was added to `waiting`. */
  round: number;
  /** The counts of the next e-mail. */
  waiting: MailCounts;
  /** The e-mail that is being sent, stored before its first attempt. */
  mail: MailDocument | null;
  lease: string | null;
  /** The next attempt, the end of the lease, or the start of the next e-mail. */
  due_at: Date | null;
  /** No e-mail starts earlier, so that a member doesn't get two in succession. */
  not_before: Date | null;
};

export type MailDocument = {
  id: string;
  counts: MailCounts;
  attempts: number;
  deadline: Date;
  created_at: Date;
};

export type LeasedRecipient = RecipientDocument & { mail: MailDocument; lease: string };

const none = Object.fromEntries(mailKinds.map((kind) => [kind, 0]));

const defaults = {
  schema_version: 1,
  ...Object.fromEntries(
    (["paused_at", "mail", "lease", "due_at", "not_before"] as const).map((field) => [
      field,
      { $ifNull: [`$${field}`, null] },
    ]),
  ),
  off: { $ifNull: ["$off", []] },
  rejections: { $ifNull: ["$rejections", 0] },
  round: { $ifNull: ["$round", 0] },
};

const waitingOf = (kind: MailKind) => ({ $ifNull: [`$waiting.${kind}`, 0] });
const waitingCount = { $add: mailKinds.map(waitingOf) };

export type RecipientStore = ReturnType<typeof openRecipientStore>;

export function openRecipientStore({ db }: Pick<Database, "db">, digestMs: number) {
  const recipients = db.collection<RecipientDocument>("mail_recipients");
  return {
    collection: recipients,

    /**
     * Adds a digest to a member's next e-mail, once. A repeat, and a digest for a paused member,
     * match no document, and their insert finds the member's key in use.
     */
    add: async (
      member: { readonly id: string; readonly merchantId: string },
      { number, counts }: { readonly number: number; readonly counts: MailCounts },
      now: Date,
    ): Promise<void> => {
      const filter = {
        _id: member.id,
        merchant_id: member.merchantId,
        round: { $lt: number },
        paused_at: null,
      };
      const waiting = Object.fromEntries(
        mailKinds.map((kind) => [kind, { $add: [waitingOf(kind), counts[kind] ?? 0] }]),
      );
      const due_at = { $ifNull: ["$due_at", { $max: [now, "$not_before"] }] };
      const update = [{ $set: { ...defaults, waiting, round: number, due_at } }];
      await onceByKey(() => recipients.updateOne(filter, update, { upsert: true }));
    },

    /**
     * Leases the member who is due first. Stores the e-mail before it is sent. Later digests go to
     * the next e-mail.
     */
    claim: async (now: Date): Promise<LeasedRecipient | undefined> => {
      const isNew = { $eq: [{ $ifNull: ["$mail", null] }, null] };
      const mail = {
        id: crypto.randomUUID(),
        counts: "$waiting",
        attempts: 0,
        deadline: deadlineOf(now),
        created_at: now,
      };
      const claimed = await recipients.findOneAndUpdate(
        { due_at: { $lte: now } },
        [
          {
            $set: {
              mail: { $cond: [isNew, mail, "$mail"] },
              waiting: Object.fromEntries(
                mailKinds.map((kind) => [kind, { $cond: [isNew, 0, waitingOf(kind)] }]),
              ),
              lease: crypto.randomUUID(),
              due_at: new Date(now.getTime() + deliveryLeaseMs),
            },
          },
        ],
        { sort: { due_at: 1 }, returnDocument: "after" },
      );
      return (claimed as LeasedRecipient | null) ?? undefined;
    },

    /** Writes the outcome of an attempt, if the lease still holds. */
    settle: async (
      { _id, lease }: LeasedRecipient,
      transition: MailTransition,
      now: Date,
    ): Promise<void> => {
      await recipients.updateOne({ _id, lease }, settling(transition, now, digestMs));
    },

    find: (_id: string) => recipients.findOne({ _id }),

    /** Replaces the kinds that a member doesn't want. Ends a pause. */
    setPreferences: async (
      _id: string,
      merchant_id: string,
      off: readonly MailKind[],
    ): Promise<void> => {
      const waiting = Object.fromEntries(mailKinds.map((kind) => [kind, waitingOf(kind)]));
      const chosen = { off: { $literal: [...off] }, rejections: 0, paused_at: null };
      const update = [{ $set: { ...defaults, waiting, ...chosen } }];
      const write = () => recipients.updateOne({ _id, merchant_id }, update, { upsert: true });
      // A digest may insert the document at the same time.
      if (!(await onceByKey(write))) await write();
    },

    /** Returns the creation of the oldest e-mail that is not sent. */
    oldestUnsentAt: async (): Promise<Date | undefined> => {
      const oldest = await recipients.findOne(
        { "mail.created_at": { $gt: new Date(0) } },
        { sort: { "mail.created_at": 1 } },
      );
      return oldest?.mail?.created_at;
    },
  };
}

function settling(transition: MailTransition, now: Date, digestMs: number) {
  if (transition.state === "pending") {
    const attempts = { $add: ["$mail.attempts", 1] };
    return [{ $set: { mail: { attempts }, lease: null, due_at: transition.nextAttemptAt } }];
  }
  const { rejections } = transition;
  const isPaused = rejections >= rejectionsMax;
  const next = new Date(now.getTime() + digestMs);
  return [
    {
      $set: {
        mail: null,
        lease: null,
        rejections,
        not_before: next,
        ...(isPaused
          ? { paused_at: now, waiting: none, due_at: null }
          : { due_at: { $cond: [{ $gt: [waitingCount, 0] }, next, null] } }),
      },
    },
  ];
}
