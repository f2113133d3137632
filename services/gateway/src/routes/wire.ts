import { type DescMessage, type MessageShape, toJson } from "@bufbuild/protobuf";
import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { exactNumber } from "@disburse/kernel/exact-json.ts";
import { isoTime } from "@disburse/kernel/time.ts";

/** A service's moment on the wire; `""` where there is none yet. */
export function wireTime(moment: Timestamp | undefined): string {
  return moment === undefined ? "" : isoTime(timestampDate(moment));
}

/** An amount, rate or count as a JSON number, digit for digit. */
export function wireNumber(digits: string | bigint): unknown {
  return exactNumber(String(digits));
}

/** What every list says beside its records (decisions: payouts). */
export function pageMetaData(reply: {
  readonly totalCount: bigint;
  readonly totalCountCapped: boolean;
  readonly nextCursor: string;
}) {
  return {
    total_count: wireNumber(reply.totalCount),
    next_cursor: reply.nextCursor,
    ...(reply.totalCountCapped ? { total_count_capped: true } : {}),
  };
}

/** What a reply must hold by its contract; a service that leaves it out has a bug. */
export function present<T>(part: T | undefined): T {
  if (part === undefined) throw new Error("a service's reply has no record in it");
  return part;
}

/** A message's fields under the names of the public body; those that are empty are left out. */
export function messageFields<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc>,
): object {
  return toJson(schema, message, { useProtoFieldName: true }) as object;
}
