import { toJson } from "@bufbuild/protobuf";
import { createSealer } from "@disburse/chassis/crypto/sealing.ts";
import { ScreeningSchema } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { expect, it } from "vitest";
import type { ScreeningRequest } from "./request.ts";
import type { DecidedHit } from "./rules/decided-finding.ts";
import type { Screening } from "./rules/screening.ts";
import { openScreening, screeningDocument } from "./store.ts";
import { fullScreeningMessage, screeningMessage } from "./wire.ts";

const sealer = createSealer(`k1:${Buffer.alloc(32, 7).toString("base64")}`);
const createdAt = new Date("2026-03-01T10:00:00Z");
const importedAt = new Date("2026-02-28T10:00:00Z");

const hit: DecidedHit = {
  list: "ofac",
  listVersion: "2026-02-28",
  entryUid: "7",
  entryFingerprint: "f00d",
  entryType: "individual",
  source: "UN",
  programs: ["SDGT", "IRAN"],
  subjectIndex: 1,
  matchedName: "Orlan Vessik",
  score: 0.91,
  nameScore: 0.88,
  verdict: "review",
  reasons: [{ kind: "date", text: "the same birth date", effect: 0.03 }],
  parts: [{ party: "orlan", entry: "orlan", similarity: 1, weight: 0.7 }],
  partyLeftOver: ["junior"],
  entryLeftOver: ["haji"],
  alertId: "alr_1",
  dismissed: true,
};
const screening: Screening = {
  id: "scr_1",
  kind: "party",
  trigger: "list_change",
  subject: { merchantId: "mer_1", recordId: "ben_1" },
  verdict: "block",
  hits: [hit],
  lists: [
    {
      list: "ofac",
      version: "2026-02-28",
      importId: "imp_1",
      entries: 9,
      checksum: "c0",
      importedAt,
    },
  ],
  configurationVersion: "cfg-1",
  assessment: {
    provider: "chain",
    verdict: "block",
    severity: "severe",
    evidence: ["sanctions: mixer"],
    asOf: new Date("2026-03-01T09:59:00Z"),
  },
  createdAt,
};
const wallet = { families: ["evm"], address: "0xabc", networks: ["POL"] } as const;
const requested: ScreeningRequest = {
  subject: screening.subject,
  parties: [
    {
      ...{ type: "entity", name: "Vessik Ltd", date: "1990-01-01", countries: ["FR"] },
      documents: [{ number: "12-3", country: "FR" }],
    },
  ],
  banks: [],
  wallets: [wallet],
};
const actor = { kind: "service", id: "beneficiary" } as const;
const stored = { screening, request: JSON.stringify(requested) };
const record = { ...stored, operationId: "op-1", actor };

it("a screening is stored whole, with the text about its parties sealed", () => {
  const { sealed, ...open } = screeningDocument(record, sealer);
  expect(open).toStrictEqual({
    _id: "scr_1",
    schema_version: 1,
    kind: "party",
    trigger: "list_change",
    operation_id: "op-1",
    actor,
    merchant_id: "mer_1",
    record_id: "ben_1",
    verdict: "block",
    hits: [
      {
        list: "ofac",
        list_version: "2026-02-28",
        entry_uid: "7",
        entry_fingerprint: "f00d",
        entry_type: "individual",
        source: "UN",
        programs: ["SDGT", "IRAN"],
        subject_index: 1,
        matched_name: "Orlan Vessik",
        score: 0.91,
        name_score: 0.88,
        verdict: "review",
        alert_id: "alr_1",
        dismissed: true,
      },
    ],
    lists: [
      {
        ...{ list: "ofac", version: "2026-02-28", import_id: "imp_1", entries: 9, checksum: "c0" },
        imported_at: importedAt,
      },
    ],
    configuration_version: "cfg-1",
    created_at: createdAt,
  });
  expect(() => sealer.open(sealed, "mer_1|scr_2|screening")).toThrow();
  expect(() => sealer.open(sealed, "mer_2|scr_1|screening")).toThrow();
});

it("a stored screening opens unchanged, with its request", () => {
  expect(openScreening(screeningDocument(record, sealer), sealer)).toStrictEqual(stored);
  const { assessment: _, ...plain } = screening;
  const unassessed = { ...record, screening: plain };
  expect(openScreening(screeningDocument(unassessed, sealer), sealer)).toStrictEqual({
    ...stored,
    screening: plain,
  });
});

const shown = {
  id: "scr_1",
  subject: { merchantId: "mer_1", recordId: "ben_1" },
  verdict: "VERDICT_BLOCK",
  hits: [
    {
      list: "ofac",
      listVersion: "2026-02-28",
      entryUid: "7",
      matchedName: "Orlan Vessik",
      score: 0.91,
      verdict: "VERDICT_REVIEW",
      reasons: [{ kind: "date", text: "the same birth date", effect: 0.03 }],
      entryType: "individual",
      source: "UN",
      subjectIndex: 1,
      nameScore: 0.88,
      parts: [{ party: "orlan", entry: "orlan", similarity: 1, weight: 0.7 }],
      partyLeftOver: ["junior"],
      entryLeftOver: ["haji"],
      programs: ["SDGT", "IRAN"],
      alertId: "alr_1",
      dismissed: true,
    },
  ],
  lists: [
    {
      ...{ list: "ofac", version: "2026-02-28", entries: 9, checksum: "c0" },
      importedAt: "2026-02-28T10:00:00Z",
    },
  ],
  configurationVersion: "cfg-1",
  createdAt: "2026-03-01T10:00:00Z",
  kind: "party",
  trigger: "list_change",
  assessment: {
    provider: "chain",
    verdict: "VERDICT_BLOCK",
    severity: "severe",
    evidence: ["sanctions: mixer"],
    asOf: "2026-03-01T09:59:00Z",
  },
};

it("a list shows a screening whole, but only GetScreening shows the screened data", () => {
  expect(toJson(ScreeningSchema, screeningMessage(screening))).toEqual(shown);
  expect(toJson(ScreeningSchema, fullScreeningMessage(stored))).toEqual({
    ...shown,
    parties: [
      {
        ...{ type: "TYPE_ENTITY", name: "Vessik Ltd", date: "1990-01-01", countries: ["FR"] },
        documents: [{ number: "12-3", country: "FR" }],
      },
    ],
    wallets: [{ networks: ["POL"], address: "0xabc" }],
  });
});
