import type { DescService } from "@bufbuild/protobuf";
import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import {
  type Client,
  Code,
  ConnectError,
  createClient,
  type Interceptor,
} from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import {
  ApprovalRequiredSchema,
  ApprovalService,
} from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { ComplianceService } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { ComplianceReviewService } from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { PayoutOperatorService } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { TraceService } from "@disburse/contracts/disburse/trace/v1/trace_pb.ts";
import { RefusalSchema } from "@disburse/contracts/disburse/type/v1/refusal_pb.ts";
import { Health } from "@disburse/contracts/health/v1/health_pb.ts";
import { needsApproval, needsSignIn, Problem } from "./problem.ts";
import { currentCsrfToken } from "./request.ts";

/** The operator API proxy, which calls the services' RPCs as the signed-in person. */
export const proxyPath = "/console/rpc";
const timeoutMs = 30_000;

const withToken: Interceptor = (next) => (request) => {
  request.header.set("X-CSRF-Token", currentCsrfToken());
  return next(request);
};

const transportAt = (baseUrl: string) =>
  createConnectTransport({ baseUrl, interceptors: [withToken], defaultTimeoutMs: timeoutMs });

export const transport = transportAt(proxyPath);
const clientOf = <T extends DescService>(service: T): Client<T> => createClient(service, transport);

export const rpcs = {
  compliance: clientOf(ComplianceService),
  review: clientOf(ComplianceReviewService),
  payout: clientOf(PayoutService),
  operations: clientOf(PayoutOperatorService),
  quote: clientOf(QuoteService),
  beneficiary: clientOf(BeneficiaryService),
} as const;

export const places = [
  "gateway",
  "beneficiary",
  "compliance",
  "quote",
  "payout",
  "notifier",
] as const;
export type Place = (typeof places)[number];

/** Services with RPCs that need a second person. */
export const approvalPlaces = ["payout", "quote", "compliance", "gateway", "notifier"] as const;
export type ApprovalPlace = (typeof approvalPlaces)[number];

/** Calls one service. If it has several processes, only one of them responds. */
const clientAt =
  <T extends DescService>(service: T) =>
  (place: Place): Client<T> =>
    createClient(service, transportAt(`${proxyPath}/at/${place}`));

/** Each service stores its own proposals. */
export const approvalsAt = clientAt(ApprovalService);
export const healthAt = clientAt(Health);
export const tracesAt = clientAt(TraceService);

/** Creates the mutation of an RPC, with one operation id per attempt of a person. */
export const mutationOf = (attempt: string) => ({ operationId: attempt });

/** Awaits an RPC and converts an error to a `Problem`, as for public routes. */
export async function answerOf<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ConnectError) throw problemOf(error);
    throw error;
  }
}

/** HTTP statuses by RPC code, for the codes that the console distinguishes. */
const statuses: Partial<Record<Code, number>> = {
  [Code.InvalidArgument]: 400,
  [Code.FailedPrecondition]: 400,
  [Code.Unauthenticated]: 401,
  [Code.PermissionDenied]: 403,
  [Code.NotFound]: 404,
  [Code.ResourceExhausted]: 429,
  [Code.Unimplemented]: 501,
  [Code.Unavailable]: 503,
  [Code.Internal]: 500,
};

function problemOf(error: ConnectError): Problem {
  const requestId = error.metadata.get("x-request-id") ?? "";
  const problem = (status: number, code: string, message: string, reason = "") =>
    new Problem({ status, code, message, reason, requestId }, error);
  const challenge = error.metadata.get("www-authenticate") ?? "";
  if (challenge.includes("insufficient_user_authentication")) {
    return problem(403, needsSignIn, "This step needs a fresh sign-in.");
  }
  const [approval] = error.findDetails(ApprovalRequiredSchema);
  if (approval !== undefined) return problem(202, needsApproval, approval.proposalId);
  const [refusal] = error.findDetails(RefusalSchema);
  const isLost = [Code.DeadlineExceeded, Code.Canceled, Code.Unknown].includes(error.code);
  if (refusal === undefined && isLost) return Problem.noAnswer(error);
  const { code, message, reason } = refusal ?? {
    code: Code[error.code],
    message: error.rawMessage,
    reason: "",
  };
  return problem(statuses[error.code] ?? 500, code, message, reason);
}

/** Formats an RPC timestamp as in public routes; "" if unset. */
export function isoOf(at: Timestamp | undefined): string {
  return at === undefined ? "" : timestampDate(at).toISOString();
}
