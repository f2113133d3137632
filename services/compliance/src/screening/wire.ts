import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { enumValue } from "@disburse/chassis/enum-names.ts";
import {
  BankSchema,
  type HitSchema,
  Party_Type,
  PartySchema,
  type Screening as ScreeningMessage,
  ScreeningSchema,
  Verdict,
  WalletSchema,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { listVersionShape } from "../lists/wire.ts";
import type { ScreeningRequest } from "./request.ts";
import type { ScreeningHit } from "./rules/hit.ts";
import type { Screening } from "./rules/screening.ts";
import type { StoredScreening } from "./store.ts";

export function hitShape(hit: ScreeningHit): MessageInitShape<typeof HitSchema> {
  const { entryFingerprint: _internal, verdict, ...rest } = hit;
  return {
    ...rest,
    verdict: enumValue(Verdict, verdict),
    reasons: [...hit.reasons],
    parts: [...hit.parts],
    partyLeftOver: [...hit.partyLeftOver],
    entryLeftOver: [...hit.entryLeftOver],
    programs: [...hit.programs],
  };
}

export function screeningMessage(screening: Screening): ScreeningMessage {
  const { assessment } = screening;
  return create(ScreeningSchema, {
    id: screening.id,
    kind: screening.kind,
    subject: screening.subject,
    verdict: enumValue(Verdict, screening.verdict),
    trigger: screening.trigger,
    hits: screening.hits.map(hitShape),
    lists: screening.lists.map(listVersionShape),
    configurationVersion: screening.configurationVersion,
    createdAt: timestampFromDate(screening.createdAt),
    ...(assessment && {
      assessment: {
        ...assessment,
        verdict: enumValue(Verdict, assessment.verdict),
        evidence: [...assessment.evidence],
        asOf: timestampFromDate(assessment.asOf),
      },
    }),
  });
}

/** A screening with its screened data. */
export function fullScreeningMessage({ screening, request }: StoredScreening): ScreeningMessage {
  const { parties, wallets, banks } = JSON.parse(request) as ScreeningRequest;
  const message = screeningMessage(screening);
  message.parties = parties.map((party) =>
    create(PartySchema, {
      ...party,
      type: enumValue(Party_Type, party.type) ?? Party_Type.UNSPECIFIED,
      countries: [...party.countries],
      documents: [...party.documents],
    }),
  );
  message.wallets = wallets.map(({ networks, address }) =>
    create(WalletSchema, { networks: [...networks], address }),
  );
  message.banks = banks.map((bank) => create(BankSchema, bank));
  return message;
}
