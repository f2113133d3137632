import { type AuditRecord, auditKeyOf } from "@disburse/chassis/audit/trail.ts";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { insertOnce, onceByKey } from "@disburse/chassis/mongo/once.ts";
import type { PageCursor } from "@disburse/chassis/paging/page.ts";
import { type Days, dayOf } from "@disburse/kernel/days.ts";
import type { Collection, Filter, UpdateFilter } from "mongodb";
import { noList } from "../screening/rules/hit.ts";
import type { Subject } from "../screening/rules/screening.ts";
import {
  type AlertDocument,
  alertDocument,
  changingFields,
  openAlert,
  pendingAuditDocument,
  type ReviewAction,
  reviewActionDocument,
  type StoredAlert,
} from "./document.ts";
import { type Alert, type AlertAction, type AlertStateKind, pendingKinds } from "./rules/alert.ts";

/** The filter of a page of alerts. "" matches any value. */
export type AlertFilter = {
  readonly states: readonly AlertStateKind[];
  readonly assignee: string;
  readonly merchantId: string;
  readonly recordId: string;
  readonly list: string;
  /** The lowest score; 0 matches any alert. */
  readonly scoreFrom: number;
};

/** Finds other alerts of the same record, party or list entry. */
export type RelatedTo = Pick<Alert, "id" | "subject"> & {
  readonly partyKeys: readonly string[];
  readonly entry: Pick<Alert["detection"]["hit"], "list" | "entryUid">;
};

/** Steps that follow an operator's action. The write of the action records them. */
export type FollowUp = {
  readonly reviewAction: ReviewAction;
  readonly pendingAudit: AuditRecord<AlertAction>;
  /** True if the subject's verdict must be updated. */
  readonly isVerdictDue: boolean;
};

/** The most alerts that one run of the sweep completes. */
const unfinishedMax = 100;

/** The most alerts that one report counts. Reading them takes about a second. */
export const alertsMax = 200_000;
const readMaxMs = 5_000;

const decidedKinds: readonly AlertStateKind[] = ["false_positive", "true_match"];
const allKinds: AlertStateKind[] = [...pendingKinds, ...decidedKinds, "closed"];

/** The longest-waiting alerts come first. */
const longest = { waiting_since: 1, _id: 1 } as const;
const shortest = { waiting_since: -1, _id: -1 } as const;

/** The most related alerts. A reviewer decides no more at once. */
const relatedMax = 50;

/** Lists need no actions, which may be long. */
const listed = { projection: { actions: 0, pending_audit: 0 } } as const;

export type AlertStore = ReturnType<typeof openAlertStore>;

/** Each change is one write that also records its pending steps. */
export function openAlertStore({ db }: Pick<Database, "db">, sealer: Sealer) {
  const alerts = db.collection<AlertDocument>("alerts");
  const beside = besideReads(alerts, sealer);
  return { ...alertReads(alerts, sealer), ...beside, ...alertWrites(alerts, sealer) };
}

function alertReads(alerts: Collection<AlertDocument>, sealer: Sealer) {
  const opened = (document: AlertDocument) => openAlert(document, sealer);
  const find = async (filter: Filter<AlertDocument>) =>
    (await alerts.find(filter).toArray()).map(opened);
  return {
    read: async (id: string): Promise<StoredAlert | undefined> => {
      const found = await alerts.findOne({ _id: id });
      return found === null ? undefined : opened(found);
    },

    readAll: (ids: readonly string[]) => find({ _id: { $in: [...ids] } }),

    /** Returns a subject's alerts in any of these states. */
    ofSubject: ({ merchantId, recordId }: Subject, states: readonly AlertStateKind[]) =>
      find({ merchant_id: merchantId, record_id: recordId, state: { $in: [...states] } }),

    /** Returns alerts with pending steps. */
    unfinished: async (): Promise<StoredAlert[]> => {
      const some = (filter: Filter<AlertDocument>) =>
        alerts.find(filter).limit(unfinishedMax).toArray();
      const [owing, due] = await Promise.all([
        some({ "pending_audit.at": { $gt: new Date(0) } }),
        some({ verdict_due: { $gt: 0 } }),
      ]);
      const all = new Map([...owing, ...due].map((each) => [each._id, each]));
      return [...all.values()].map(opened);
    },

    /** The longest-waiting alerts come first. */
    list: async (
      filter: AlertFilter,
      after: PageCursor | undefined,
      limit: number,
    ): Promise<Alert[]> => {
      const found = alerts.find(pageOf(filter, after), listed).sort(longest).limit(limit);
      return (await found.toArray()).map((document) => opened(document).alert);
    },

    /** Counts pending alerts by state, with the start of the oldest one's waiting time. */
    countPending: async () => {
      const found = await alerts
        .aggregate<{ _id: AlertStateKind; count: number; oldest: Date }>([
          { $match: { state: { $in: [...pendingKinds] } } },
          { $group: { _id: "$state", count: { $sum: 1 }, oldest: { $min: "$waiting_since" } } },
        ])
        .toArray();
      return found.map(({ _id: state, count, oldest }) => ({ state, count, oldest }));
    },

    countByDay: (days: Days) => countByDay(alerts, days),
  };
}

/** Decided alerts, also those whose hit no longer exists. Others have no value. */
const decidedAt = {
  $cond: [
    { $in: ["$standing.kind", decidedKinds] },
    "$standing.by.at",
    { $cond: [{ $in: ["$standing.before.kind", decidedKinds] }, "$standing.before.by.at", null] },
  ],
};

const countOf = (...states: readonly AlertStateKind[]) => ({
  $sum: { $cond: [{ $in: ["$state", states] }, 1, 0] },
});

const waitMs = { $subtract: [decidedAt, "$waiting_since"] };

/** The alerts that began to wait on each day, by state. `state` is the index for it. */
export function alertsByDay({ start, end }: Pick<Days, "start" | "end">) {
  return [
    { $match: { state: { $in: allKinds }, waiting_since: { $gte: start, $lt: end } } },
    { $limit: alertsMax + 1 },
    {
      $group: {
        _id: { $dateTrunc: { date: "$waiting_since", unit: "day" } },
        all: { $sum: 1 },
        pending: countOf(...pendingKinds),
        falsePositives: countOf("false_positive"),
        trueMatches: countOf("true_match"),
        closed: countOf("closed"),
        // `$median` needs MongoDB 7.
        waits: { $push: waitMs },
      },
    },
  ];
}

/** Returns `undefined` if the days have more than `alertsMax` alerts. */
async function countByDay(alerts: Collection<AlertDocument>, days: Days) {
  type Counts = Record<"all" | "pending" | "falsePositives" | "trueMatches" | "closed", number>;
  type Waits = { readonly waits: readonly (number | null)[] };
  const rows = await alerts
    .aggregate<{ readonly _id: Date } & Counts & Waits>(alertsByDay(days), {
      hint: "state",
      maxTimeMS: readMaxMs,
    })
    .toArray();
  if (rows.reduce((sum, { all }) => sum + all, 0) > alertsMax) return undefined;
  const found = new Map(rows.map((row) => [dayOf(row._id), row]));
  const seconds = (ms: number | undefined) =>
    ms === undefined ? undefined : BigInt(Math.round(ms / 1_000));
  return days.days.map((date) => {
    const row = found.get(date);
    const waits = (row?.waits ?? []).filter((ms) => ms !== null).toSorted((a, b) => a - b);
    const median = seconds(waits[Math.floor((waits.length - 1) / 2)]);
    const longest = seconds(waits.at(-1));
    return {
      date,
      pending: BigInt(row?.pending ?? 0),
      falsePositives: BigInt(row?.falsePositives ?? 0),
      trueMatches: BigInt(row?.trueMatches ?? 0),
      closed: BigInt(row?.closed ?? 0),
      ...(median !== undefined && { medianDecisionSeconds: median }),
      ...(longest !== undefined && { longestDecisionSeconds: longest }),
    };
  });
}

/** Reads for a reviewer who works through several alerts. */
function besideReads(alerts: Collection<AlertDocument>, sealer: Sealer) {
  return {
    /** Returns the ids of the alerts before and after a place in a list; "" for none. */
    adjacent: async (filter: AlertFilter, place: PageCursor) => {
      const idOf = (query: Filter<AlertDocument>, sort: typeof longest | typeof shortest) =>
        alerts
          .find(query, { projection: { _id: 1 } })
          .sort(sort)
          .limit(1)
          .next();
      const [previous, next] = await Promise.all([
        idOf({ ...pageOf(filter, undefined), ...beforePlace(place) }, shortest),
        idOf(pageOf(filter, place), longest),
      ]);
      return { previous: previous?._id ?? "", next: next?._id ?? "" };
    },

    /** Returns other pending alerts of the same record, party or list entry. */
    related: async ({ id, subject, partyKeys, entry }: RelatedTo): Promise<Alert[]> => {
      const waiting = { state: { $in: [...pendingKinds] }, _id: { $ne: id } };
      const { list, entryUid: entry_uid } = entry;
      const same: Filter<AlertDocument>[] = [
        { merchant_id: subject.merchantId, record_id: subject.recordId },
        { party_key: { $in: [...partyKeys] } },
        ...(list === noList ? [] : [{ list, entry_uid }]),
      ];
      const found = await Promise.all(
        same.map((each) =>
          alerts
            .find({ ...each, ...waiting }, listed)
            .sort(longest)
            .limit(relatedMax)
            .toArray(),
        ),
      );
      const all = new Map(found.flat().map((each) => [each._id, each]));
      return [...all.values()]
        .map((document) => openAlert(document, sealer).alert)
        .toSorted((one, other) => +one.waitingSince - +other.waitingSince)
        .slice(0, relatedMax);
    },
  };
}

function alertWrites(alerts: Collection<AlertDocument>, sealer: Sealer) {
  return {
    /** Stores a new alert; `false` if it already exists. */
    insert: (alert: Alert) => insertOnce(alerts, alertDocument(alert, sealer)),

    /**
     * Writes the changed alert. "overtaken" means that another write came first. "operation_used"
     * means that the operation belongs to another alert.
     */
    change: async (
      { alert, version }: StoredAlert,
      next: Alert,
      follows?: FollowUp,
    ): Promise<"written" | "overtaken" | "operation_used"> => {
      const update: UpdateFilter<AlertDocument> = {
        $set: {
          ...changingFields(next, sealer),
          ...(follows?.isVerdictDue === true ? { verdict_due: version + 1 } : {}),
        },
        $inc: { version: 1 },
        ...(follows && {
          $push: {
            // All actions are kept. Otherwise one person could later repeat an old operation that
            // now requires two persons.
            actions: reviewActionDocument(alert, follows.reviewAction, sealer),
            pending_audit: pendingAuditDocument(follows.pendingAudit),
          },
        }),
      };
      let matched = 0;
      const isFree = await onceByKey(async () => {
        matched = (await alerts.updateOne({ _id: alert.id, version }, update)).matchedCount;
      });
      if (!isFree) return "operation_used";
      return matched === 1 ? "written" : "overtaken";
    },

    /** Removes a pending record after it was written to the audit trail. */
    recorded: async (id: string, record: AuditRecord<AlertAction>): Promise<void> => {
      await alerts.updateOne(
        { _id: id },
        { $pull: { pending_audit: { key: auditKeyOf(record) } } },
      );
    },

    /** Marks the verdict as updated for a version, unless a newer decision is pending. */
    verdictTaken: async (id: string, due: number): Promise<void> => {
      await alerts.updateOne({ _id: id, verdict_due: due }, { $unset: { verdict_due: "" } });
    },
  };
}

/** Builds the query of a page. Every filter includes states, so that the query uses an index. */
export function pageOf(
  { states, assignee, merchantId, recordId, list, scoreFrom }: AlertFilter,
  after: PageCursor | undefined,
): Filter<AlertDocument> {
  return {
    state: { $in: [...states] },
    ...(assignee === "" ? {} : { assignee }),
    ...(merchantId === "" ? {} : { merchant_id: merchantId }),
    ...(recordId === "" ? {} : { record_id: recordId }),
    ...(list === "" ? {} : { list }),
    ...(scoreFrom === 0 ? {} : { score: { $gte: scoreFrom } }),
    ...(after && {
      waiting_since: { $gte: after.at },
      $or: [{ waiting_since: { $gt: after.at } }, { _id: { $gt: after.id } }],
    }),
  };
}

function beforePlace({ at, id }: PageCursor): Filter<AlertDocument> {
  return {
    waiting_since: { $lte: at },
    $or: [{ waiting_since: { $lt: at } }, { _id: { $lt: id } }],
  };
}
