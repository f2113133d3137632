import type { SealedPlace } from "@disburse/chassis/crypto/resealing.ts";
import { createSealer } from "@disburse/chassis/crypto/sealing.ts";
import { expect, it } from "vitest";
import {
  type AlertDocument,
  alertDocument,
  openAlert,
  reviewActionDocument,
  sealedAlerts,
} from "./alerts/document.ts";
import type { Alert, AlertState } from "./alerts/rules/alert.ts";
import {
  openRequest,
  type SubjectDocument,
  sealedSubjects,
  sealRequest,
} from "./monitoring/document.ts";
import type { ScreeningHit } from "./screening/rules/hit.ts";
import type { Screening } from "./screening/rules/screening.ts";
import {
  openScreening,
  type ScreeningDocument,
  screeningDocument,
  sealedScreenings,
} from "./screening/store.ts";

const key = (byte: number) => Buffer.alloc(32, byte).toString("base64");
const old = createSealer(`k1:${key(1)}`);
const both = createSealer(`k2:${key(2)},k1:${key(1)}`);
/** The sealer after the older key is retired. */
const alone = createSealer(`k2:${key(2)}`);

/** A document with the changes of its place applied at each dotted path. */
function resealed<T extends object>({ reseal }: SealedPlace, document: T): T {
  const after = structuredClone(document);
  const change = reseal(document, both);
  for (const [path, text] of Object.entries(change?.set ?? {})) {
    const steps = path.split(".");
    const name = steps.pop() ?? "";
    const owner = steps.reduce((at, step) => at[step] as never, after as Record<string, unknown>);
    expect(owner[name]).toBe(change?.where[path]);
    owner[name] = text;
  }
  expect(reseal(after, both)).toBeUndefined();
  expect(JSON.stringify(after)).not.toContain('"k1.');
  return after;
}

const at = new Date("2026-11-20T12:00:00.000Z");
const subject = { merchantId: "mer_1", recordId: "ben_1" };
const hit: ScreeningHit = {
  ...{ list: "invented", listVersion: "1", entryUid: "7", entryFingerprint: "f-7" },
  ...{ entryType: "individual", source: "", programs: [], subjectIndex: 0 },
  ...{ matchedName: "Listed 7", score: 0.9, nameScore: 0.9, verdict: "review" },
  reasons: [{ kind: "name", text: "orlan is written so in both", effect: 0.9 }],
  ...{ parts: [], partyLeftOver: [], entryLeftOver: [] },
};
const screening: Screening = {
  ...{ id: "scr_1", kind: "party", trigger: "request", subject, verdict: "review" },
  ...{ hits: [], lists: [], configurationVersion: "c1", createdAt: at },
};
const request = { subject, parties: [], wallets: [], banks: [] };
const record = {
  ...{ screening, request: JSON.stringify(request), operationId: "op-1" },
  actor: { kind: "service", id: "beneficiary" },
} as const;
const storedScreening: ScreeningDocument = screeningDocument(record, old);

it("a screening is resealed", () => {
  const after = resealed(sealedScreenings, storedScreening);
  expect(openScreening(after, alone)).toEqual(openScreening(storedScreening, old));
});

it("a subject is resealed, with the screening that it records", () => {
  const compared = { stamp: "s", keyring: "k1/1", configuration_version: "c1", lists: [] };
  const stored: SubjectDocument = {
    ...{ _id: "mer_1 ben_1", schema_version: 1, merchant_id: "mer_1", record_id: "ben_1" },
    ...{
      ...compared,
      configuration_revision: 1,
      revision: 1,
      verdict: "review",
      screening_id: "scr_1",
      found: "",
    },
    ...{
      screened_at: at,
      compared_at: at,
      entries: [],
      keys: [],
      sealed: sealRequest(request, old),
    },
    recording: storedScreening,
  };
  const after = resealed(sealedSubjects, stored);
  expect(openRequest(after, alone)).toEqual(request);
  expect(openScreening(after.recording!, alone).screening.id).toBe("scr_1");
});

const by = { person: "ada", operation: "op-2", at };
const decided: AlertState = {
  ...{ kind: "true_match", by, reason: "the same birth date", confirmed: "bob" },
};

it.each<AlertState>([
  { kind: "open" },
  { kind: "escalated", by, reason: "the same birth date" },
  decided,
  { kind: "closed", before: decided, at },
])("an alert that is $kind is resealed, with its actions", (state) => {
  const alert: Alert = {
    ...{ id: "alr_1", subject, partyKey: "p", assignee: "", state, files: [], comments: 0 },
    detection: { screeningId: "scr_1", revision: 1, hit, party: "Orlan" },
    ...{ waitingSince: at, createdAt: at, updatedAt: at },
  };
  const reviewAction = {
    by,
    action: "alert.escalated",
    given: "words",
    assignee: "",
    state,
  } as const;
  const stored: AlertDocument = {
    ...alertDocument(alert, old),
    actions: [
      reviewActionDocument(alert, reviewAction, old),
      reviewActionDocument(alert, reviewAction, both),
    ],
  };
  const after = resealed(sealedAlerts, stored);
  expect(openAlert(after, alone)).toEqual(openAlert(stored, both));
  expect(openAlert(after, alone).alert).toEqual(alert);
});
