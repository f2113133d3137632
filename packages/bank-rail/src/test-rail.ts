import { entryCentsMax } from "@disburse/bank-files/nacha/batches.ts";
import { type OpenBankFile, openHere } from "@disburse/bank-files/reading/opened-file.ts";
import { createSealer } from "@disburse/chassis/crypto/sealing.ts";
import { silentLog } from "@disburse/chassis/log.ts";
import type { Instruction } from "@disburse/rail/rail.ts";
import { instruction } from "@disburse/rail/test-contract.ts";
import { createDispatcher, type DispatchDeps } from "./dispatcher.ts";
import type { BankStore } from "./documents.ts";
import { iso20022Format } from "./iso20022/format.ts";
import { accountName } from "./iso20022/profile.ts";
import { nachaFormat } from "./nacha/format.ts";
import { unpaidAfterBankDays } from "./open.ts";
import { scheduleOf } from "./plan.ts";
import { createBankRail } from "./rail.ts";
import type { BankServer } from "./sending.ts";
import { type BankRailSettings, readBankRails } from "./settings.ts";
import { iso20022Settings, nachaSettings } from "./test-settings.ts";

/** Returns a time on Wednesday, 25 November 2026, in New York: the day before Thanksgiving. */
export const wednesday = (time: string) => new Date(`2026-11-25T${time}:00.000-05:00`);

export const sealer = createSealer(`k1:${Buffer.alloc(32, 7).toString("base64")}`);

/** A SWIFT transfer to a beneficiary in Berlin. */
export const swiftTransfer: Instruction = {
  ...instruction,
  ...{ transferMethod: "SWIFT", beneficiaryName: "Jürgen Weiß & Söhne" },
  ...{ accountNumber: "DE89370400440532013000", routingCodeType: "SWIFT" },
  ...{ routingCodeValue: "DEUTDEFF", destinationCountry: "DE", accountType: "Corporate" },
  address: {
    ...{ street: "Hauptstraße 42", city: "Berlin", state: "" },
    ...{ postcode: "10115", countryCode: "DE" },
  },
};

/** Returns the settings of a test rail, with changes to its `BANK_RAILS` entry. */
export function testSettings(format: "iso20022" | "nacha", changes: object = {}): BankRailSettings {
  const base = format === "iso20022" ? iso20022Settings : nachaSettings;
  const [read] = readBankRails(JSON.stringify([{ ...base, ...changes }]));
  if (read === undefined) throw new Error("no rail");
  return read;
}

/**
 * Passes the deadline by which a file may get its final name. A test can't set the database's
 * clock.
 */
export async function passSending({ files }: Pick<BankStore, "files">): Promise<void> {
  await files.updateMany({ state: "sending" }, { $set: { sending_until: new Date(0) } });
}

/** Opens the parts of a rail as a service does, but with the test's server and clock. */
export function testRail(
  settings: BankRailSettings,
  on: {
    readonly store: BankStore;
    readonly server: BankServer;
    readonly now: () => Date;
    readonly isPaused?: () => Promise<boolean>;
    readonly open?: OpenBankFile;
  },
) {
  const { store, server, now } = on;
  const { rail: name, currency, profile } = settings;
  const schedule = scheduleOf(settings.schedule, currency);
  const isIso = settings.format === "iso20022";
  const clock = { now };
  let files = 0;
  const work: DispatchDeps = {
    ...{ rail: name, schedule, store, sealer, server, clock, log: silentLog },
    format: isIso ? iso20022Format(settings) : nachaFormat(settings, schedule),
    paymentsMax: profile.payments_max,
    refusesDuplicates: settings.refuses_duplicates,
    newMessageId: () => `TEST${crypto.randomUUID().slice(0, 8).toUpperCase()}${++files}`,
    isPaused: on.isPaused ?? (async () => false),
    receiveEveryMs: 0,
    unpaidAfterBankDays: unpaidAfterBankDays(settings),
    open: on.open ?? openHere,
  };
  const rail = createBankRail({
    ...{ name, currency, schedule, store, sealer, clock },
    transferMethods: settings.transfer_methods,
    account: isIso ? accountName(settings.profile) : "",
    returnWindowDays: isIso ? 0 : settings.return_window_days,
    overdueAfterMs: settings.overdue_after_hours * 3_600_000,
    largest: isIso ? undefined : entryCentsMax,
  });
  return { rail, work, dispatcher: createDispatcher(work) };
}
