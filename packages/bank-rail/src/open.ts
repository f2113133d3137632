import { entryCentsMax } from "@disburse/bank-files/nacha/batches.ts";
import { openWithin } from "@disburse/bank-files/reading/open-in-worker.ts";
import type { SftpSettings } from "@disburse/bank-files/sftp/connection.ts";
import { withSftp } from "@disburse/bank-files/sftp/session.ts";
import { type Loop, startLoop } from "@disburse/chassis/loop.ts";
import { createSweepLease } from "@disburse/chassis/mongo/sweep-lease.ts";
import { readTextFile } from "@disburse/chassis/settings.ts";
import { newId } from "@disburse/kernel/id.ts";
import type { Rail } from "@disburse/rail/rail.ts";
import type { RailContext } from "@disburse/rail/rail-package.ts";
import type { Seals } from "./contents.ts";
import { createDispatcher } from "./dispatcher.ts";
import { openBankStore } from "./documents.ts";
import type { FileWork, NewMessageId } from "./files.ts";
import type { BankFormat } from "./format.ts";
import { iso20022Format } from "./iso20022/format.ts";
import { accountName } from "./iso20022/profile.ts";
import { nachaFormat } from "./nacha/format.ts";
import { scheduleOf } from "./plan.ts";
import { createBankRail } from "./rail.ts";
import type { BankServer } from "./sending.ts";
import type { BankRailSettings } from "./settings.ts";
import type { BankSftpSettings } from "./settings-parts.ts";

type BankRailDeps = Pick<RailContext, "database" | "clock" | "log" | "isPaused" | "callForWork"> & {
  readonly sealer: Seals;
};

/** A bank rail, its operator RPCs and its background loop. */
export type BankRail = {
  readonly rail: Rail;
  readonly settledThrough: BankFormat["settledThrough"];
  /** Starts processing payments and files from the bank. */
  start(): Loop;
};

/** The interval between two runs of the rail's loop. */
const everyMs = 1_000;
/** The reader's limits. A file of 64 MiB needs a quarter of this memory and a few seconds. */
const readerLimits = { heapMb: 512, timeoutMs: 120_000 };
/** The lease's lifetime. After a process is killed, its rails are idle for at most this long. */
const leaseMs = 15_000;

export function openBankRail(settings: BankRailSettings, deps: BankRailDeps): BankRail {
  const { database, sealer, clock, log } = deps;
  const { rail: name, currency, profile } = settings;
  const store = openBankStore(database);
  const schedule = scheduleOf(settings.schedule, currency);
  const { format, account, largest, returnWindowDays } = partsOf(settings, schedule);
  const work = {
    rail: name,
    format,
    schedule,
    paymentsMax: profile.payments_max,
    store,
    sealer,
    clock,
    log,
    open: openWithin(readerLimits),
    server: openServer(settings.sftp),
    refusesDuplicates: settings.refuses_duplicates,
  };
  const dispatcher = createDispatcher({
    ...work,
    newMessageId,
    isPaused: () => deps.isPaused(name),
    receiveEveryMs: settings.sftp.poll_seconds * 1_000,
    unpaidAfterBankDays: unpaidAfterBankDays(settings),
  });
  // Only the process with the lease works on a rail. The lease avoids duplicate work. The rail is
  // correct without it.
  const lease = createSweepLease(database, `rail ${name}`, leaseMs);
  const run = async () => {
    if ((await lease.hold()) === undefined) return false;
    // Renews the lease, because an upload may take longer than the lease's lifetime.
    const renewal = setInterval(() => void lease.hold().catch(() => undefined), leaseMs / 4);
    try {
      await dispatcher.run();
    } finally {
      clearInterval(renewal);
      await callPending(work, deps.callForWork);
    }
    return false;
  };
  const rail = createBankRail({
    name,
    currency,
    account,
    schedule,
    returnWindowDays,
    largest,
    store,
    sealer,
    clock,
    transferMethods: settings.transfer_methods,
    overdueAfterMs: settings.overdue_after_hours * 3_600_000,
  });
  log.info({ rail: name }, "rail opened");
  const start = (): Loop => {
    const loop = startLoop({ name: `rail ${name}`, everyMs, run, log });
    const stop = async () => {
      await loop.stop();
      await lease.release();
    };
    return { stop };
  };
  return { rail, settledThrough: format.settledThrough, start };
}

/** Only a rail with statements of bookings can prove that a payment was not executed. */
export function unpaidAfterBankDays(settings: BankRailSettings): number | undefined {
  return settings.format === "iso20022" ? settings.unpaid_after_bank_days : undefined;
}

/** Returns the parts that depend on the format. */
function partsOf(settings: BankRailSettings, schedule: ReturnType<typeof scheduleOf>) {
  if (settings.format === "iso20022") {
    const account = accountName(settings.profile);
    const format: BankFormat = iso20022Format(settings);
    return { format, account, largest: undefined, returnWindowDays: 0 };
  }
  const format: BankFormat = nachaFormat(settings, schedule);
  const { statement_account: account = "", return_window_days: returnWindowDays } = settings;
  return { format, account, largest: entryCentsMax, returnWindowDays };
}

/** Creates a unique message id: 26 capital letters and digits that sort by time. */
const newMessageId: NewMessageId = (now) => newId("payout", now).slice("po_".length).toUpperCase();

/** Reads the private key for the server immediately, so that a wrong path stops the start. */
function openServer(settings: BankSftpSettings): BankServer {
  const { host, port, username, outgoing, incoming, archives } = settings;
  const timeoutMs = settings.timeout_seconds * 1_000;
  const sftp: SftpSettings = {
    host,
    port,
    username,
    timeoutMs,
    hostKeys: settings.host_keys,
    privateKey: readTextFile("BANK_RAILS: private_key_file", settings.private_key_file),
  };
  return {
    timeoutMs,
    outgoing,
    incoming,
    archives,
    inSession: (work) => withSftp(sftp, work),
  };
}

/** The maximum number of payouts that one run notifies. */
const atOnce = 1_000;

/**
 * Tells payouts to query the rail about changed payments, until they have done so. A payout stores
 * only the response of `query`.
 */
async function callPending(
  { rail, store }: FileWork,
  callForWork: RailContext["callForWork"],
): Promise<void> {
  const pending = await store.payments
    .find({ rail, report_pending: true })
    .limit(atOnce)
    .project<{ _id: string }>({ _id: 1 })
    .toArray();
  if (pending.length === 0) return;
  await callForWork(pending.map(({ _id }) => _id));
}
