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

/** What operations are listed under. */
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

/** What an operation is listed under. */
export type Tag = (typeof tags)[number]["name"];

/** The services that own what the operations are about. */
export type Clients = {
  readonly beneficiary: Client<typeof BeneficiaryService>;
  readonly quote: Client<typeof QuoteService>;
  readonly payout: Client<typeof PayoutService>;
  readonly orders: Client<typeof PayoutOrderService>;
  readonly notifier: Client<typeof NotifierService>;
  /** The gateway's own. */
  readonly keys: Client<typeof KeyService>;
  readonly team: Client<typeof TeamService>;
  readonly requests: Client<typeof RequestLogService>;
  readonly statements: Client<typeof StatementService>;
  /** Of a sandbox. */
  readonly payoutSandbox: Client<typeof PayoutSandboxService>;
  readonly beneficiarySandbox: Client<typeof BeneficiarySandboxService>;
  readonly notifierSandbox: Client<typeof NotifierSandboxService>;
  readonly quoteSandbox: Client<typeof QuoteSandboxService>;
  /** Addresses of our own pages. */
  readonly pages: { readonly linkUrl: (token: string) => string };
};

/** The body of a POST or a PATCH; one without it takes an optional, empty body. */
type OperationBody = {
  /** The table of its fields. */
  readonly form: PublicBody;
  /** It may be left out where each of its fields may be left out. */
  readonly optional?: boolean;
  /** Bodies to show beside those of the table. */
  readonly examples?: Readonly<Record<string, BodyValues>>;
  /** Of a body that is larger than the others. */
  readonly large?: LargeBody;
};

/** A body of many lines, which may come as a CSV file too. */
export type LargeBody = {
  readonly bytesMax: number;
  /** Of all objects in it together. */
  readonly keysMax: number;
  /** The field that has its lines, and the columns that a file may have. */
  readonly csv: {
    readonly lines: string;
    readonly columns: readonly string[];
    /** Those whose cells are `true` or `false`. */
    readonly flags: readonly string[];
    /** An object of texts: `<name>.<key>` is the column of one of its keys. */
    readonly pairs: string;
  };
  /** The first lines of a file. */
  readonly csvExample: string;
};

/** What an operation answers with that is no JSON: a file, sent while it is made. */
export type FileFormat = {
  readonly mediaType: "text/csv" | "application/json" | "application/xml" | "application/pdf";
  /** What it is called where it is saved. */
  readonly name: string;
  readonly description: string;
  /** Its first lines; of a PDF, its first bytes. */
  readonly example: unknown;
  /** Text where there is none. */
  readonly schema?: JsonSchema;
  /** Other formats of the same, by the value of `format` in the query. */
  readonly formats?: Readonly<Record<string, FileFormat>>;
};

type PathNames<Path> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathNames<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** An authenticated request. */
export type Call<Path = string, Query = QueryShape> = {
  /** The RPC's request: the merchant, the ids of the path, and the query. */
  readonly request: { merchantId: string } & Record<PathNames<Path>, string> & QueryRequest<Query>;
  /** The same with its actor, and the operation id that the owning service keeps unique. */
  readonly change: Call<Path, Query>["request"] & { mutation: Mutation };
  /** What the caller may do. */
  readonly scopes: ReadonlySet<Scope>;
  readonly query: QueryValues<Query>;
  readonly form: PublicBody | undefined;
  /** Empty where the operation takes none. */
  readonly body: JsonObject;
};

/** What an answer is made of: a message of the owning service, or the bytes of a file. */
type Answered<Data> = Data extends Component<infer Value> ? Value | undefined : Readable;

/** What an operation authorises a request by, beside its scope. */
export type Authorised = Pick<Call, "form" | "body"> & { readonly caller: Caller };

type Described<Path, Query, Data> = {
  readonly summary: string;
  readonly description: string;
  readonly body?: OperationBody;
  readonly query?: Query;
  /** What `data` of a success is, or the file that a success is. */
  readonly data: Data;
  /** Where it is not the one that follows from its resource and method. */
  readonly scope?: Scope;
  /** Needs a recent sign-in of a member, as decisions on approvals do: it lets others in. */
  readonly needsFreshSignIn?: true;
  /** Its own, in the order of the checks; `refusalsOf` adds what follows from method and path. */
  readonly refusals?: readonly ErrorCode[];
  /** Its service binds an idempotency key to the body, so that the gateway stores the answer alone. */
  readonly isBoundByService?: true;
  /** Whether a POST with this query changes nothing and so needs no idempotency key. */
  readonly isReadOnly?: (query: URLSearchParams) => boolean;
  /**
   * Refuses a body that exceeds what its caller may do; judged before a replay too. A body that is
   * not sound is left to `answer`, which refuses it.
   */
  readonly authorise?: (request: Authorised) => Refused<ErrorCode> | undefined;
  /** Calls the owning service; its errors are mapped in one place. */
  readonly answer: (
    call: Call<Path, Query>,
    clients: Clients,
  ) => Promise<Answered<Data> | Refused<ErrorCode>>;
};

/** One operation of a resource: its documentation, and what serves it. */
type ResourceOperation = Omit<
  Described<string, QueryShape, Component<unknown> | FileFormat>,
  "answer"
> & {
  /** `verbNoun`, unique: its name in the reference and in client libraries. */
  readonly id: string;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** With `:name` for a parameter, named as in the RPC's request. */
  readonly path: string;
  readonly answer: (call: Call, clients: Clients) => Promise<unknown>;
};

/** One public operation. */
export type Operation = Omit<ResourceOperation, "scope"> & {
  readonly scope: Scope;
  readonly tag: Tag;
};

/** A public noun: its operations, and the named parts of their answers in the document's order. */
export type Resource = {
  /** What of its scopes: a GET needs `:read`, any other method `:write`. */
  readonly scope: ScopeNoun;
  readonly tag: Tag;
  readonly components: readonly NamedSchema[];
  readonly operations: readonly ResourceOperation[];
};

/** Makes operations of a method, with their answers checked against path, query and data. */
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

/** Operations by their methods. */
export const get = operationBy("GET");
export const post = operationBy("POST");
export const patch = operationBy("PATCH");
export const remove = operationBy("DELETE");

/** The operations of a resource. */
export function operationsOf({ scope, tag, operations }: Resource): readonly Operation[] {
  return operations.map((each) => {
    const own: Scope = `${scope}:${each.method === "GET" ? "read" : "write"}`;
    return { ...each, tag, scope: each.scope ?? own };
  });
}

/** Whether operations of a method have a body and may be made idempotent by a key. */
export function takesBody(method: Operation["method"]): boolean {
  return method === "POST" || method === "PATCH";
}

/**
 * A change with the body as the message that its fields are part of, and with what could not be
 * read. The owning service judges both together, in its own order of checks.
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

/** The RPC's request where the fields of the body are its own. */
export function bodyRequest<Desc extends DescMessage>(
  call: Pick<Call, "form" | "body" | "change">,
  desc: Desc,
): MessageShape<Desc> {
  const { fields, ...change } = bodyFields(call, desc);
  return Object.assign(fields, change);
}
