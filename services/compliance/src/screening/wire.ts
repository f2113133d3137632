import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type HitSchema,
  Party_Type,
  PartySchema,
  type Screening as ScreeningMessage,
  ScreeningSchema,
  type WalletAssessmentSchema,
  WalletSchema,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import type { EntryType } from "@disburse/name-matcher/entry.ts";
import { listVersionShape } from "../lists/wire.ts";
import type { WalletAssessment } from "../wallets/rules/assessment.ts";
import { type ScreeningRequest, verdictCodes } from "./request.ts";
import type { ScreeningHit } from "./rules/hit.ts";
import type { Screening } from "./rules/screening.ts";
import type { StoredScreening } from "./store.ts";

/** A hit as the contract writes it. */
export function hitShape(hit: ScreeningHit): MessageInitShape<typeof HitSchema> {
  return {
    list: hit.list,
    listVersion: hit.listVersion,
    entryUid: hit.entryUid,
    matchedName: hit.matchedName,
    score: hit.score,
    verdict: verdictCodes[hit.verdict],
    reasons: hit.reasons.map(({ kind, text, effect }) => ({ kind, text, effect })),
    entryType: hit.entryType,
    source: hit.source,
    subjectIndex: hit.subjectIndex,
    nameScore: hit.nameScore,
    parts: hit.parts.map(({ party, entry, similarity, weight }) => ({
      ...{ party, entry, similarity, weight },
    })),
    partyLeftOver: [...hit.partyLeftOver],
    entryLeftOver: [...hit.entryLeftOver],
    programs: [...hit.programs],
  };
}

function assessmentShape(word: WalletAssessment): MessageInitShape<typeof WalletAssessmentSchema> {
  const { provider, severity, evidence } = word;
  const [verdict, asOf] = [verdictCodes[word.verdict], timestampFromDate(word.asOf)];
  return { provider, verdict, severity, evidence: [...evidence], asOf };
}

/** A screening as the contract writes it. */
export function screeningMessage(screening: Screening): ScreeningMessage {
  return create(ScreeningSchema, {
    id: screening.id,
    kind: screening.kind,
    subject: screening.subject,
    verdict: verdictCodes[screening.verdict],
    trigger: screening.trigger,
    hits: screening.hits.map((hit) => ({
      ...hitShape(hit),
      alertId: hit.alertId,
      dismissed: hit.dismissed,
    })),
    lists: screening.lists.map(listVersionShape),
    configurationVersion: screening.configurationVersion,
    createdAt: timestampFromDate(screening.createdAt),
    ...(screening.assessment && { assessment: assessmentShape(screening.assessment) }),
  });
}

/** A screening with what was screened. */
export function fullScreeningMessage({ screening, request }: StoredScreening): ScreeningMessage {
  const { parties, wallets } = JSON.parse(request) as ScreeningRequest;
  const message = screeningMessage(screening);
  message.parties = parties.map((party) =>
    create(PartySchema, {
      type: partyTypeCodes[party.type],
      name: party.name,
      date: party.date,
      countries: [...party.countries],
      documents: [...party.documents],
    }),
  );
  message.wallets = wallets.map(({ networks, address }) =>
    create(WalletSchema, { networks: [...networks], address }),
  );
  return message;
}

const partyTypeCodes: Readonly<Record<EntryType, Party_Type>> = {
  individual: Party_Type.INDIVIDUAL,
  entity: Party_Type.ENTITY,
  // No request is about one of these.
  vessel: Party_Type.UNSPECIFIED,
  aircraft: Party_Type.UNSPECIFIED,
};
