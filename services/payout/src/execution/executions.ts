import type { Database } from "@disburse/chassis/mongo/database.ts";
import { insertOrFind } from "@disburse/chassis/mongo/once.ts";
import {
  isOther,
  type RequestedChange,
  type StoredContent,
} from "@disburse/chassis/mutations/content.ts";
import { type Metadata, metadataOf, type StoredEntry } from "@disburse/kernel/metadata.ts";
import type { Collection } from "mongodb";
import { metadataFields } from "../payouts/document.ts";

/** The quote that an operation is for: bound before money is held, and never changed. */
type ExecutionDocument = StoredContent & {
  /** `<merchant id>:<operation id>`. */
  _id: string;
  schema_version: number;
  quote_id: string;
  /** The merchant asked to pay although another payout may be the same. */
  allow_duplicate?: true;
  /** Absent where none was sent: here and not with the hold, as an account has many of those. */
  metadata?: StoredEntry[];
  created_at: Date;
};

/** What operations of execute are bound to. */
export type Executions = Collection<ExecutionDocument>;

/** Where operations are bound to quotes. */
export function openExecutions({ db }: Database): Executions {
  return db.collection<ExecutionDocument>("executions");
}

type Operation = { readonly merchantId: string; readonly operationId: string };

type Bound = Operation &
  Pick<RequestedChange, "content"> & {
    readonly quoteId: string;
    readonly allowDuplicate: boolean;
    readonly metadata: Metadata;
  };

/** Binds the operation to its quote and content; `false`: it is bound to others already. */
export async function bindOperation(
  executions: Executions,
  { quoteId, content, allowDuplicate, metadata, ...operation }: Bound,
  created_at: Date,
): Promise<boolean> {
  const _id = executionId(operation);
  const allowed = allowDuplicate && ({ allow_duplicate: true } as const);
  const sent = { ...allowed, ...metadataFields(metadata) };
  const bound = { quote_id: quoteId, operation_content: content, ...sent };
  const execution = { _id, schema_version: 1, ...bound, created_at };
  const first = await insertOrFind(executions, execution, { _id });
  return first.quote_id === quoteId && !isOther(first, content);
}

/** What an operation is bound to. */
export function findExecution(executions: Executions, operation: Operation) {
  return executions.findOne({ _id: executionId(operation) });
}

/** The metadata that an operation came with, after a crash. */
export async function boundMetadata(executions: Executions, operation: Operation) {
  return metadataOf((await findExecution(executions, operation))?.metadata);
}

function executionId({ merchantId, operationId }: Operation): string {
  return `${merchantId}:${operationId}`;
}
