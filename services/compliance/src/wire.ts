import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type HitSchema,
  type ListVersion as ListVersionMessage,
  ListVersionSchema,
  type Screening as ScreeningMessage,
  ScreeningSchema,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import type { ListVersion } from "./domain/list-version.ts";
import type { Screening, ScreeningHit } from "./domain/screening.ts";
import { verdictCodes } from "./screening-request.ts";

function listVersionShape(version: ListVersion): MessageInitShape<typeof ListVersionSchema> {
  const { list, entries, checksum } = version;
  const importedAt = timestampFromDate(version.importedAt);
  return { list, version: version.version, entries, checksum, importedAt };
}

/** A list's version as the contract writes it. */
export function listVersionMessage(version: ListVersion): ListVersionMessage {
  return create(ListVersionSchema, listVersionShape(version));
}

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

/** A screening as the contract writes it. */
export function screeningMessage(screening: Screening): ScreeningMessage {
  return create(ScreeningSchema, {
    id: screening.id,
    kind: screening.kind,
    subject: screening.subject,
    verdict: verdictCodes[screening.verdict],
    hits: screening.hits.map(hitShape),
    lists: screening.lists.map(listVersionShape),
    configurationVersion: screening.configurationVersion,
    createdAt: timestampFromDate(screening.createdAt),
  });
}
