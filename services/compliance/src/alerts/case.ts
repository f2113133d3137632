import { create, toJson } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Client } from "@connectrpc/connect";
import type { AuditStore } from "@disburse/chassis/audit/store.ts";
import { callContext } from "@disburse/chassis/call-context.ts";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import type { Turns } from "@disburse/chassis/turns.ts";
import {
  type Case,
  CaseSchema,
  ExportAlertRequest_Format as Format,
} from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import type { PayoutOperatorService } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import type { FileStore } from "@disburse/files/store.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { listedEntry } from "../lists/listed-entry.ts";
import { noList } from "../screening/rules/hit.ts";
import type { ScreeningStore } from "../screening/store.ts";
import { fullScreeningMessage } from "../screening/wire.ts";
import { casePdf } from "./case-pdf.ts";
import type { Alert, AlertAction, DueHours } from "./rules/alert.ts";
import { alertMessage, fileMessage, operator, reviewEntryMessage } from "./wire.ts";

export type CaseDeps = {
  readonly screenings: Pick<ScreeningStore, "get">;
  readonly lists: Parameters<typeof listedEntry>[0];
  readonly files: FileStore;
  readonly audit: AuditStore<AlertAction>;
  readonly payout: Pick<Client<typeof PayoutOperatorService>, "listHeldPayouts">;
  readonly dueHours: DueHours;
  readonly sealer: Sealer;
  readonly clock: Clock;
  /** Renders one PDF at a time and limits its share of the thread, which screenings need too. */
  readonly renders: Turns;
};

/**
 * The maximum entries to return, more than any alert has. Beyond this number, only the newest are
 * returned.
 */
const entriesMax = 1_000;

/** Reads the records of an alert. */
export async function readCase({ screenings, audit, files, sealer }: CaseDeps, alert: Alert) {
  const [screening, entries, added] = await Promise.all([
    screenings.get(alert.detection.screeningId),
    audit.decisionsOf(alert.id, undefined, entriesMax),
    files.list(alert.files),
  ]);
  return {
    screening,
    entries: entries.toReversed().map((entry) => reviewEntryMessage(entry, sealer)),
    files: added.map(fileMessage),
  };
}

/** Creates the document of a case. */
export async function exportCase(
  deps: CaseDeps,
  alert: Alert,
  format: Format,
  signal: AbortSignal,
): Promise<{ name: string; mediaType: string; content: Buffer } | Refused<"INVALID_REQUEST">> {
  if (format !== Format.JSON && format !== Format.PDF) {
    return refused("INVALID_REQUEST", "format: is required");
  }
  const whole = await caseOf(deps, alert, signal);
  const json = toJson(CaseSchema, whole, { useProtoFieldName: true, alwaysEmitImplicit: true });
  const text = `${JSON.stringify(json, null, 2)}\n`;
  const name = `case-${alert.id}`;
  if (format === Format.JSON) {
    return { name: `${name}.json`, mediaType: "application/json", content: Buffer.from(text) };
  }
  const content = await deps.renders.take("", () => casePdf(whole, text), signal);
  return { name: `${name}.pdf`, mediaType: "application/pdf", content };
}

async function caseOf(deps: CaseDeps, alert: Alert, signal: AbortSignal): Promise<Case> {
  const { merchantId, recordId: beneficiaryId } = alert.subject;
  const [{ screening, ...found }, listed, { payees }] = await Promise.all([
    readCase(deps, alert),
    entryOf(deps, alert),
    deps.payout.listHeldPayouts(
      { payees: [{ merchantId, beneficiaryId }], withPayouts: true },
      { signal },
    ),
  ]);
  const principal = callContext()?.principal;
  const [held] = payees;
  return create(CaseSchema, {
    exportedAt: timestampFromDate(deps.clock.now()),
    ...(principal?.kind === "person" && { exportedBy: operator(principal.id) }),
    alert: alertMessage(alert, deps.dueHours),
    ...(screening && { screening: fullScreeningMessage(screening) }),
    ...(listed && { entry: listed.entry, listVersion: listed.version }),
    ...found,
    heldPayouts: held?.payouts ?? [],
    heldSums: held?.sums ?? [],
    heldPayoutsCut: held?.cut ?? false,
  });
}

/** Finds the entry in the version of the hit. A hit of no list has none. */
async function entryOf({ lists }: CaseDeps, { detection: { hit } }: Alert) {
  const { list, entryUid, listVersion } = hit;
  if (list === noList) return undefined;
  const found = await listedEntry(lists, { list, entryUid, listVersion });
  return isRefused(found) ? undefined : found;
}
