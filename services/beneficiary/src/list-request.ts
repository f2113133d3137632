import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import {
  ArchivedFilter,
  BeneficiaryKind,
  DepositorStatus,
  type ListBeneficiariesRequest,
  type ListDepositorsRequest,
  ScreeningStatus,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { invalidRequest, type Refused } from "@disburse/kernel/refusal.ts";
import {
  type AccountType,
  accountTypes,
  type BeneficiaryKind as Kind,
} from "./domain/beneficiary.ts";
import type { ScreeningStatus as Status } from "./domain/screening.ts";
import type { ListedField, ListedValue, RecordFilter } from "./record-list.ts";

/** What a filter asks for; `null` for any. */
type Asked<Value> = Value | null;

const kinds: Readonly<Record<BeneficiaryKind, Asked<Kind>>> = {
  [BeneficiaryKind.UNSPECIFIED]: null,
  [BeneficiaryKind.CRYPTO]: "crypto",
  [BeneficiaryKind.FIAT]: "fiat",
};

const screeningStatuses: Readonly<Record<ScreeningStatus, Asked<Status>>> = {
  [ScreeningStatus.UNSPECIFIED]: null,
  [ScreeningStatus.PENDING]: "pending",
  [ScreeningStatus.CLEARED]: "cleared",
  [ScreeningStatus.REVIEW]: "review",
  [ScreeningStatus.BLOCKED]: "blocked",
};

const depositorStatuses: Readonly<Record<DepositorStatus, Asked<Status>>> = {
  [DepositorStatus.UNSPECIFIED]: null,
  [DepositorStatus.PENDING]: "pending",
  [DepositorStatus.WHITELISTED]: "cleared",
  [DepositorStatus.REVIEW]: "review",
  [DepositorStatus.REJECTED]: "blocked",
};

const archivedFilters: Readonly<Record<ArchivedFilter, Asked<boolean>>> = {
  [ArchivedFilter.UNSPECIFIED]: false,
  [ArchivedFilter.EXCLUDED]: false,
  [ArchivedFilter.ONLY]: true,
  [ArchivedFilter.ANY]: null,
};

/** The type of a party; `undefined` where there is none of that name. */
function partyType(sent: string): Asked<AccountType> | undefined {
  return sent === "" ? null : accountTypes.find((type) => type === sent);
}

/** What a list of beneficiaries is narrowed to. */
export function readBeneficiaryFilter(
  message: ListBeneficiariesRequest,
): RecordFilter | Refused<"INVALID_REQUEST"> {
  return readFilter(message, [
    ["kind", "kind", kinds[message.kind]],
    ["account_type", "account_type", partyType(message.accountType)],
    ["destination_currency", "destination_currency", message.destinationCurrency || null],
    ["screening_status", "screening.status", screeningStatuses[message.screeningStatus]],
    ["archived", "archived", archivedFilters[message.archived]],
  ]);
}

/** What a list of depositors is narrowed to. */
export function readDepositorFilter(
  message: ListDepositorsRequest,
): RecordFilter | Refused<"INVALID_REQUEST"> {
  return readFilter(message, [
    ["status", "screening.status", depositorStatuses[message.status]],
    ["depositor_type", "fields.depositor_type", partyType(message.depositorType)],
  ]);
}

/** A filter's name in the request, its field in the documents, and what is asked for. */
type AskedField = readonly [string, ListedField, Asked<ListedValue> | undefined];

type Bounds = { createdFrom?: Timestamp | undefined; createdTo?: Timestamp | undefined };

/** A value that is not known is refused: ignoring it would show what was not asked for. */
function readFilter(
  bounds: Bounds,
  asked: readonly AskedField[],
): RecordFilter | Refused<"INVALID_REQUEST"> {
  const createdFrom = bounds.createdFrom && timestampDate(bounds.createdFrom);
  const createdTo = bounds.createdTo && timestampDate(bounds.createdTo);
  const times = Object.entries({ created_from: createdFrom, created_to: createdTo });
  const violations = [
    ...asked
      .filter(([, , value]) => value === undefined)
      .map(([field]) => ({ field, problem: "must be one of its values" })),
    ...times
      .filter(([, time]) => time !== undefined && Number.isNaN(time.getTime()))
      .map(([field]) => ({ field, problem: "must be a time" })),
  ];
  if (violations.length > 0) return invalidRequest(violations);
  const narrowing = asked.filter(([, , value]) => value !== null);
  const where = Object.fromEntries(narrowing.map(([, field, value]) => [field, value]));
  return { where, createdFrom, createdTo };
}
