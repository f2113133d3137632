import type { Readable } from "node:stream";
import { create, type DescMessage, fromJson, type MessageShape } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import type { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import type { BeneficiarySandboxService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_sandbox_pb.ts";
import type { KeyService } from "@disburse/contracts/disburse/gateway/v1/keys_pb.ts";
import type { RequestLogService } from "@disburse/contracts/disburse/gateway/v1/requests_pb.ts";
import type { TeamService } from "@disburse/contracts/disburse/gateway/v1/team_pb.ts";
import type { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import type { NotifierSandboxService } from "@disburse/contracts/disburse/notifier/v1/notifier_sandbox_pb.ts";
import type { PayoutOrderService } from "@disburse/contracts/disburse/payout/v1/orders_pb.ts";
import type { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import type { PayoutSandboxService } from "@disburse/contracts/disburse/payout/v1/payout_sandbox_pb.ts";
import type { StatementService } from "@disburse/contracts/disburse/payout/v1/statements_pb.ts";
import type { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import type { QuoteSandboxService } from "@disburse/contracts/disburse/quote/v1/quote_sandbox_pb.ts";
import type { Mutation } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import {
  type Violation,
  ViolationSchema,
} from "@disburse/contracts/disburse/type/v1/refusal_pb.ts";
import { readBody } from "@disburse/forms/checks/read.ts";
import type { JsonSchema } from "@disburse/forms/describe/json-schema.ts";
import type { BodyValues, PublicBody } from "@disburse/forms/fields/field.ts";
import type { ErrorCode } from "@disburse/kernel/errors.ts";
import type { JsonObject } from "@disburse/kernel/exact-json.ts";
import type { Refused } from "@disburse/kernel/refusal.ts";
import type { Caller } from "../keys/rules/api-key.ts";
import type { Scope, ScopeNoun } from "../keys/rules/key.ts";
import type { Component, NamedSchema } from "./fields.ts";
import type { QueryRequest, QueryShape, QueryValues } from "./query.ts";

/** Groups of operations in the reference. */
export const tags = [
  { name: "Beneficiaries", description: "Recipients: bank accounts and wallets." },
  { name: "Depositors", description: "Parties that fund your account from a wallet." },
  {
    name: "Quotes",
    description: "Costs and amounts of a payout; available corridors.",
  },
  { name: "Payouts", description: "Outgoing payments: execution, status and timeline." },
  {
    name: "Scheduled payouts",
    description: "Payouts that are quoted and made at a time.",
  },
  {
    name: "Batches",
    description: "Many payouts in one file, approved as a whole.",
  },
  { name: "Accounts", description: "Balances and statements." },
  { name: "Webhook endpoints", description: "URLs that receive your webhooks." },
  {
    name: "Webhook deliveries",
    description: "Webhooks sent to your endpoints, with their attempts.",
  },
  { name: "Webhook events", description: "A feed of all events, to catch up after an outage." },
  {
    name: "Webhooks",
    description: "What your endpoints receive; see [Webhooks](/docs/webhooks).",
  },
  { name: "Requests", description: "What you asked of this API, to debug your integration." },
  { name: "Team members", description: "The people who sign in at the console for you." },
  { name: "API keys", description: "Keys of your programs: scopes, networks and ends." },
  {
    name: "Sandbox",
    description:
      "Brings your records to the states that you test; a live deployment has none of it.",
  },
  { name: "Operational", description: "For operators of the gateway; no API key is needed." },
] as const;

export type Tag = (typeof tags)[number]["name"];

/** Clients of the services that own the operations' records. */
export type Clients = {
  readonly beneficiary: Client<typeof BeneficiaryService>;
  readonly quote: Client<typeof QuoteService>;
  readonly payout: Client<typeof PayoutService>;
  readonly orders: Client<typeof PayoutOrderService>;
  readonly notifier: Client<typeof NotifierService>;
  /** Services of the gateway itself. */
  readonly keys: Client<typeof KeyService>;
  readonly team: Client<typeof TeamService>;
  readonly requests: Client<typeof RequestLogService>;
  readonly statements: Client<typeof StatementService>;
  readonly payoutSandbox: Client<typeof PayoutSandboxService>;
  readonly beneficiarySandbox: Client<typeof BeneficiarySandboxService>;
  readonly notifierSandbox: Client<typeof NotifierSandboxService>;
  readonly quoteSandbox: Client<typeof QuoteSandboxService>;
  readonly pages: { readonly linkUrl: (token: string) => string };
};

/** Body of a POST or a PATCH. Without this, the body is optional and empty. */
type OperationBody = {
  readonly form: PublicBody;
  /** The body may be omitted if all its fields may be. */
  readonly optional?: boolean;
  /** Examples in addition to the table's own. */
  readonly examples?: Readonly<Record<string, BodyValues>>;
  /** Only for bodies larger than the usual limit. */
  readonly large?: LargeBody;
};

/** A body of many lines, as JSON or as a CSV file. */
export type LargeBody = {
  readonly bytesMax: number;
  /** Counts the keys of all objects in the body. */
  readonly keysMax: number;
  /** The field that receives the lines, and the columns that a file may have. */
  readonly csv: {
    readonly lines: string;
    readonly columns: readonly string[];
    /** Columns with `true` or `false` cells. */
    readonly flags: readonly string[];
    /** An object of texts. Column `<name>.<key>` is one of its keys. */
    readonly pairs: string;
  };
  readonly csvExample: string;
};

/** A file response, streamed while it is generated. */
export type FileFormat = {
  readonly mediaType: "text/csv" | "application/json" | "application/xml" | "application/pdf";
  readonly name: string;
  readonly description: string;
  /** The first lines; for a PDF, the first bytes. */
  readonly example: unknown;
  /** Defaults to the schema of a text. */
  readonly schema?: JsonSchema;
  /** Other formats, by the value of `format` in the query. */
  readonly formats?: Readonly<Record<string, FileFormat>>;
};

type PathNames<Path> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathNames<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

export type Call<Path = string, Query = QueryShape> = {
  /** The RPC's request: the merchant, the ids of the path, and the query. */
  readonly request: { merchantId: string } & Record<PathNames<Path>, string> & QueryRequest<Query>;
  /** The same with its actor and the operation id, which the owning service keeps unique. */
  readonly change: Call<Path, Query>["request"] & { mutation: Mutation };
  readonly scopes: ReadonlySet<Scope>;
  readonly query: QueryValues<Query>;
  readonly form: PublicBody | undefined;
  /** Empty if the operation has no body. */
  readonly body: JsonObject;
};

/** Source of a response: a message of the owning service, or the bytes of a file. */
type Answered<Data> = Data extends Component<infer Value> ? Value | undefined : Readable;

/** Input of an operation's own authorisation, in addition to its scope. */
export type Authorised = Pick<Call, "form" | "body"> & { readonly caller: Caller };

type Described<Path, Query, Data> = {
  readonly summary: string;
  readonly description: string;
  readonly body?: OperationBody;
  readonly query?: Query;
  /** Schema of a success's `data`, or the file. */
  readonly data: Data;
  /** Overrides the scope derived from resource and method. */
  readonly scope?: Scope;
  /**
   * Requires a recent sign-in of a member, as decisions on approvals do, because it gives access.
   */
  readonly needsFreshSignIn?: true;
  /** In the order of the checks. `refusalsOf` adds the codes that follow from method and path. */
  readonly refusals?: readonly ErrorCode[];
  /**
   * The owning service binds an idempotency key to the body. The gateway only stores the response.
   */
  readonly isBoundByService?: true;
  /** A POST with this query changes nothing and needs no idempotency key. */
  readonly isReadOnly?: (query: URLSearchParams) => boolean;
  /**
   * Refuses a body that exceeds its caller's permissions, even before a replay. Leaves an invalid
   * body to `answer`.
   */
  readonly authorise?: (request: Authorised) => Refused<ErrorCode> | undefined;
  /** Calls the owning service. Its errors are mapped in one place. */
  readonly answer: (
    call: Call<Path, Query>,
    clients: Clients,
  ) => Promise<Answered<Data> | Refused<ErrorCode>>;
};

/** Documentation and handler of one operation. */
type ResourceOperation = Omit<
  Described<string, QueryShape, Component<unknown> | FileFormat>,
  "answer"
> & {
  /** Unique `verbNoun`: its name in the reference and in client libraries. */
  readonly id: string;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Parameters are `:name`, with the names of the RPC's request. */
  readonly path: string;
  readonly answer: (call: Call, clients: Clients) => Promise<unknown>;
};

export type Operation = Omit<ResourceOperation, "scope"> & {
  readonly scope: Scope;
  readonly tag: Tag;
};

/** A public noun: its operations, and its named schemas in the document's order. */
export type Resource = {
  /** A GET requires its `:read` scope, any other method `:write`. */
  readonly scope: ScopeNoun;
  readonly tag: Tag;
  readonly components: readonly NamedSchema[];
  readonly operations: readonly ResourceOperation[];
};

/** Builds operations of a method. Types check `answer` against path, query and data. */
function operationBy(method: Operation["method"]) {
  return <
    const Path extends string,
    Data extends Component<never> | FileFormat,
    Query extends QueryShape = Record<never, never>,
  >(
    id: string,
    path: Path,
    described: Described<Path, Query, Data>,
  ) => ({ ...described, id, method, path }) as unknown as ResourceOperation;
}

export const get = operationBy("GET");
export const post = operationBy("POST");
export const patch = operationBy("PATCH");
export const remove = operationBy("DELETE");

export function operationsOf({ scope, tag, operations }: Resource): readonly Operation[] {
  return operations.map((each) => {
    const own: Scope = `${scope}:${each.method === "GET" ? "read" : "write"}`;
    return { ...each, tag, scope: each.scope ?? own };
  });
}

/** These methods have a body and accept an idempotency key. */
export function takesBody(method: Operation["method"]): boolean {
  return method === "POST" || method === "PATCH";
}

/**
 * Adds the body as a message and the unreadable fields to a change. The owning service checks both
 * together, in its own order.
 */
export function bodyFields<Desc extends DescMessage, Change extends Call["change"]>(
  { form, body, change }: Pick<Call, "form" | "body"> & { readonly change: Change },
  desc: Desc,
): Change & { fields: MessageShape<Desc>; unreadable: Violation[] } {
  if (form === undefined) throw new Error("the operation has no fields in its body");
  const { values, unreadable } = readBody(form, body);
  return {
    ...change,
    fields: fromJson(desc, values),
    unreadable: unreadable.map((violation) => create(ViolationSchema, violation)),
  };
}

/** Builds an RPC's request whose fields are those of the body. */
export function bodyRequest<Desc extends DescMessage>(
  call: Pick<Call, "form" | "body" | "change">,
  desc: Desc,
): MessageShape<Desc> {
  const { fields, ...change } = bodyFields(call, desc);
  return Object.assign(fields, change);
}
