import { renameSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Breakage } from "./breakage.ts";
import type { World } from "./world.ts";

const hourMs = 3_600_000;
/**
 * A process renews its lease of 10 s halfway. It works until then, even if another owner has the
 * lease.
 */
const leaseBelievedMs = 6_000;
/** Screens the sandbox. It has no source. */
const sandboxList = "sandbox";

type ListDocument = {
  _id: string;
  imported_at: Date;
  retained: { chunks: string[]; forms: number; since: Date; by: null };
};
const lists = ({ db }: World) => db("compliance").collection<ListDocument>("lists_in_force");

/** Changes an active list, then restores it. */
async function changeList(world: World, _id: string, change: Partial<ListDocument>) {
  const found = await lists(world).findOne({ _id });
  if (found === null) throw new Error(`no list ${_id}`);
  await lists(world).updateOne({ _id }, { $set: change });
  return () => lists(world).replaceOne({ _id }, found);
}

/** Removes a required list. Screening stops until the list is restored. */
async function removeList(world: World, _id: string) {
  const found = await lists(world).findOneAndDelete({ _id });
  if (found === null) throw new Error(`no list ${_id}`);
  return () => lists(world).replaceOne({ _id }, found, { upsert: true });
}

/** Gives the monitoring lease to another owner, so that no process checks a subject. */
async function leaveBehind({ db }: World) {
  const subjects = db("compliance").collection("subjects");
  const leases = db("compliance").collection<{ _id: string }>("leases");
  const found = await subjects.findOne({});
  if (found === null) throw new Error("no subject");
  const until = new Date(Date.now() + hourMs);
  await leases.updateOne({ _id: "monitoring" }, { $set: { owner: "operate", until } });
  await pause(leaseBelievedMs);
  const { _id, stamp, lists: compared } = found;
  await subjects.updateOne({ _id }, { $set: { stamp: "older", lists: [] } });
  return async () => {
    await subjects.updateOne({ _id }, { $set: { stamp, lists: compared } });
    await leases.updateOne({ _id: "monitoring" }, { $set: { until: new Date(0) } });
  };
}

/** Creates an alert that has been waiting for two days. */
async function leaveWaiting({ db }: World) {
  const alerts = db("compliance").collection<{ _id: string; state: string; waiting_since: Date }>(
    "alerts",
  );
  const waiting_since = new Date(Date.now() - 48 * hourMs);
  await alerts.insertOne({ _id: "al_operate", state: "open", waiting_since });
  return () => alerts.deleteOne({ _id: "al_operate" });
}

export const complianceBreakages: readonly Breakage[] = [
  {
    alert: "DisburseListTooOld",
    break: (world) =>
      changeList(world, sandboxList, { imported_at: new Date(Date.now() - 72 * hourMs) }),
  },
  {
    alert: "DisburseListImportFailed",
    break: async ({ listFile }) => {
      renameSync(listFile, `${listFile}.away`);
      return () => renameSync(`${listFile}.away`, listFile);
    },
  },
  {
    alert: "DisburseListNotIndexed",
    companions: ["DisburseMonitoringBehind"],
    break: (world) => removeList(world, "operate"),
  },
  {
    alert: "DisburseListRemovalWaiting",
    break: (world) => {
      const since = new Date(Date.now() - 48 * hourMs);
      const retained = { chunks: [], forms: 1, since, by: null };
      return changeList(world, sandboxList, { retained });
    },
  },
  { alert: "DisburseMonitoringBehind", break: leaveBehind },
  { alert: "DisburseReviewWaiting", break: leaveWaiting },
];
