import type { Readable } from "node:stream";
import { type DescMessage, fromJson, type MessageShape } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import { violationMessage } from "@disburse/chassis/rpc/refusal.ts";
import type { ApprovalService } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
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
import type { Violation } from "@disburse/contracts/disburse/type/v1/refusal_pb.ts";
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
import type { CsvTable, Sheet } from "./rules/sheet.ts";

/** Groups of routes in the reference. */
export const tags = [
  {
    name: "Beneficiaries",
    description: "The parties that you pay, with a bank account or a wallet.",
  },
  { name: "Depositors", description: "The parties that fund your account from a wallet." },
  {
    name: "Quotes",
    description: "The fees and amounts of a payout, and the corridors that you can use.",
  },
  { name: "Payouts", description: "Outgoing payments: execution, status and timeline." },
  {
    name: "Scheduled payouts",
    description: "Payouts that are quoted and created at a time that you set.",
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
    description: "The requests that your endpoints receive; see [Webhooks](/docs/webhooks).",
  },
  { name: "Requests", description: "Your requests to this API, to debug your integration." },
  {
    name: "Company profile",
    description: "What you keep about your company, and the look of the pages for your payees.",
  },
  {
    name: "Approval rules",
    description: "The rules by which your payouts await approval, and proposals to loosen them.",
  },
  { name: "Team members", description: "The members of your team, who sign in to the console." },
  {
    name: "API keys",
    description: "Keys for your programs, with their scopes, IP networks and expiry.",
  },
  {
    name: "Sandbox",
    description:
      "Brings your records to the states that you test. Send `Disburse-Sandbox-Error: RATE_LIMITED`, or another code of the operation, with any request under `/api/v1` to get that error before anything is done. A live deployment has none of it.",
  },
  {
    name: "Operational",
    description: "Health checks, public signing keys and this reference. No API key is needed.",
  },
] as const;

export type Tag = (typeof tags)[number]["name"];

/** Clients for the services that own the records of the routes. */
export type Clients = {
  readonly beneficiary: Client<typeof BeneficiaryService>;
  readonly quote: Client<typeof QuoteService>;
  readonly payout: Client<typeof PayoutService>;
  readonly orders: Client<typeof PayoutOrderService>;
  readonly notifier: Client<typeof NotifierService>;
  /** The gateway's own services. */
  readonly keys: Client<typeof KeyService>;
  readonly team: Client<typeof TeamService>;
  readonly requests: Client<typeof RequestLogService>;
  readonly statements: Client<typeof StatementService>;
  /** The proposals of the payout service. */
  readonly approvals: Client<typeof ApprovalService>;
  readonly payoutSandbox: Client<typeof PayoutSandboxService>;
  readonly beneficiarySandbox: Client<typeof BeneficiarySandboxService>;
  readonly notifierSandbox: Client<typeof NotifierSandboxService>;
  readonly quoteSandbox: Client<typeof QuoteSandboxService>;
  readonly admins: {
    /** Returns true if the merchant has an admin with another root. */
    readonly hasOther: (merchantId: string, ownRoot: string) => Promise<boolean>;
  };
  readonly pages: { readonly linkUrl: (token: string) => string };
  readonly actorNames: { readonly add: (response: unknown) => Promise<void> };
};

/** Body of a POST or a PATCH. If a route has none, its request body is optional and empty. */
type RouteBody = {
  readonly form: PublicBody;
  /** Clients may omit the body if all its fields are optional. */
  readonly optional?: boolean;
  /** Examples in addition to those of the field table. */
  readonly examples?: Readonly<Record<string, BodyValues>>;
  /** Set only for bodies that may exceed the usual size limit. */
  readonly large?: LargeBody;
};

/** A body that may exceed the usual limits. */
export type LargeBody = {
  readonly bytesMax: number;
  /** Maximum keys of all objects in the body together. */
  readonly keysMax: number;
  /** Set for a body of many lines, which may also be a CSV file. */
  readonly csv?: CsvTable & { readonly example: string };
};

/** Formats a limit of a body: `64 KiB`, `8 MiB`. */
export function sizeText(bytes: number): string {
  return bytes < 2 ** 20 ? `${bytes / 2 ** 10} KiB` : `${bytes / 2 ** 20} MiB`;
}

/** A file response, streamed while it is generated. */
export type FileFormat = {
  readonly mediaType:
    | "text/csv"
    | "application/json"
    | "application/xml"
    | "application/pdf"
    | "image/png";
  readonly name: string;
  readonly description: string;
  /** The first lines of the file. For a PDF, its first bytes. */
  readonly example: unknown;
  /** The default is the schema of a text. */
  readonly schema?: JsonSchema;
  /** Other formats, keyed by the value of `format` in the query. */
  readonly formats?: Readonly<Record<string, FileFormat>>;
};

/** Returns true for files that are no text. */
export function isBinary(mediaType: FileFormat["mediaType"]): boolean {
  return mediaType === "application/pdf" || mediaType === "image/png";
}

type PathNames<Path> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathNames<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

export type Call<Path = string, Query = QueryShape> = {
  /** The request for the RPC. Contains the merchant, the ids in the path, and the query. */
  readonly request: { merchantId: string } & Record<PathNames<Path>, string> & QueryRequest<Query>;
  /**
   * The request for an RPC that changes data. Adds the actor and the operation id. The owning
   * service ensures that the id is unique.
   */
  readonly change: Call<Path, Query>["request"] & { mutation: Mutation };
  readonly scopes: ReadonlySet<Scope>;
  readonly query: QueryValues<Query>;
  readonly form: PublicBody | undefined;
  /** Empty if the route has no body. */
  readonly body: JsonObject;
  /** Identifies a repeat by its body, for a service whose request has more than the body. */
  readonly fingerprint: string;
  /** Set if the lines of the body were sent as a file. */
  readonly sheet: Sheet | undefined;
};

/**
 * The value that a response is built from. It is a message from the owning service, or the bytes of
 * a file.
 */
type Answered<Data> = Data extends Component<infer Value> ? Value | undefined : Readable;

/** A success that the caller should know more about. The texts are ASCII, for a header. */
export type Warned<Value> = { readonly warned: Value; readonly warnings: readonly string[] };

export function isWarned(answered: unknown): answered is Warned<unknown> {
  return typeof answered === "object" && answered !== null && "warned" in answered;
}

/** The input of a route's own permission check, which runs in addition to the scope check. */
export type Authorised = Pick<Call, "form" | "body"> & { readonly caller: Caller };

/** The schema and the calculation of a dry run. */
export type DryRun = {
  readonly data: Component<never>;
  readonly answer: (call: Call, clients: Clients) => Promise<unknown>;
};

/** The media type of a dry run, so that no client takes it for the operation's own response. */
export const dryRunType = "application/vnd.disburse.dry-run+json";

type Described<Path, Query, Data> = {
  readonly summary: string;
  readonly description: string;
  readonly body?: RouteBody;
  readonly query?: Query;
  /** The schema of `data` in a successful response, or the file. */
  readonly data: Data;
  /** Replaces the scope that follows from the resource and the method. */
  readonly scope?: Scope;
  /**
   * The member must have signed in recently, because the route gives access. Decisions on
   * approvals require the same.
   */
  readonly needsFreshSignIn?: true;
  /**
   * The codes in the order of the checks. `refusalsOf` adds the codes that follow from the method
   * and the path.
   */
  readonly refusals?: readonly ErrorCode[];
  /**
   * Set if the owning service binds the idempotency key to the body. Then the gateway only stores
   * the response.
   */
  readonly isBoundByService?: true;
  /** Set for a POST that changes nothing. It takes no idempotency key. */
  readonly isReadOnly?: true;
  /**
   * Returns what the operation would do, and does nothing (`Disburse-Dry-Run`). All other routes
   * refuse that header.
   */
  readonly dryRun?: DryRun;
  /** Set if a success may have the header `Disburse-Warnings`. */
  readonly mayWarn?: true;
  /**
   * Refuses a body that exceeds the caller's permissions, even if a stored response exists. Ignores
   * an invalid body, which `answer` refuses.
   */
  readonly authorise?: (request: Authorised) => Refused<ErrorCode> | undefined;
  /** Calls the owning service. Errors are converted to responses in one central place. */
  readonly answer: (
    call: Call<Path, Query>,
    clients: Clients,
  ) => Promise<Answered<Data> | Warned<Answered<Data>> | Refused<ErrorCode>>;
};

/** Documentation and handler of one route. */
type ResourceRoute = Omit<
  Described<string, QueryShape, Component<unknown> | FileFormat>,
  "answer"
> & {
  /** Unique name in the form `verbNoun`. The reference and the client libraries use it. */
  readonly id: string;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** The path. A parameter `:name` has the same name as the field of the RPC's request. */
  readonly path: string;
  readonly answer: (call: Call, clients: Clients) => Promise<unknown>;
};

export type Route = Omit<ResourceRoute, "scope"> & {
  readonly scope: Scope;
  readonly tag: Tag;
};

/** A resource with its routes. Its named schemas are in the order of the document. */
export type Resource = {
  /** A GET requires the `:read` scope of this noun. All other methods require `:write`. */
  readonly scope: ScopeNoun;
  readonly tag: Tag;
  readonly components: readonly NamedSchema[];
  readonly routes: readonly ResourceRoute[];
};

/**
 * Returns a function that builds operations with this method. The types check `answer` against the
 * path, query and data.
 */
function routeBy(method: Route["method"]) {
  return <
    const Path extends string,
    Data extends Component<never> | FileFormat,
    Query extends QueryShape = Record<never, never>,
  >(
    id: string,
    path: Path,
    described: Described<Path, Query, Data>,
  ) => ({ ...described, id, method, path }) as unknown as ResourceRoute;
}

export const get = routeBy("GET");
export const post = routeBy("POST");
export const patch = routeBy("PATCH");
export const remove = routeBy("DELETE");

export function routesOf({ scope, tag, routes }: Resource): readonly Route[] {
  return routes.map((each) => {
    const own: Scope = `${scope}:${each.method === "GET" ? "read" : "write"}`;
    return { ...each, tag, scope: each.scope ?? own };
  });
}

export function takesBody(method: Route["method"]): boolean {
  return method === "POST" || method === "PATCH";
}

export function takesKey({ method, isReadOnly }: Pick<Route, "method" | "isReadOnly">): boolean {
  return takesBody(method) && isReadOnly === undefined;
}

/**
 * Adds the body to a change as a message, with the names of its unreadable fields. The owning
 * service checks both together, in its own order.
 */
export function bodyFields<Desc extends DescMessage, Change extends Call["change"]>(
  {
    form,
    body,
    sheet,
    change,
  }: Pick<Call, "form" | "body" | "sheet"> & { readonly change: Change },
  desc: Desc,
): Change & { fields: MessageShape<Desc>; unreadable: Violation[] } {
  if (form === undefined) throw new Error("the route defines no fields for its body");
  const { values, unreadable } = readBody(form, body);
  return {
    ...change,
    fields: fromJson(desc, values),
    unreadable: [...unreadable, ...(sheet?.problems ?? [])].map(violationMessage),
  };
}

/** Builds an RPC's request from a body with the same fields. */
export function bodyRequest<Desc extends DescMessage>(
  call: Pick<Call, "form" | "body" | "sheet" | "change">,
  desc: Desc,
): MessageShape<Desc> {
  const { fields, ...change } = bodyFields(call, desc);
  return Object.assign(fields, change);
}
