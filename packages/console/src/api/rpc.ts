import type { DescService } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { timestampDate } from "@bufbuild/protobuf/wkt";
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
import { PayoutOperationsService } from "@disburse/contracts/disburse/payout/v1/payout_operations_pb.ts";
import { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { TraceService } from "@disburse/contracts/disburse/trace/v1/trace_pb.ts";
import { RefusalSchema } from "@disburse/contracts/disburse/type/v1/refusal_pb.ts";
import { Health } from "@disburse/contracts/health/v1/health_pb.ts";
import { Problem } from "./problem.ts";
import { attemptKey, currentCsrfToken } from "./request.ts";

/** The operators' door: the services' RPCs, called as the person of the session. */
const door = "/console/rpc";
const timeoutMs = 30_000;

const withToken: Interceptor = (next) => (request) => {
  request.header.set("X-CSRF-Token", currentCsrfToken());
  return next(request);
};

const transportAt = (baseUrl: string) =>
  createConnectTransport({ baseUrl, interceptors: [withToken], defaultTimeoutMs: timeoutMs });

const transport = transportAt(door);
const clientOf = <T extends DescService>(service: T): Client<T> => createClient(service, transport);

/** Clients of the services. */
export const rpcs = {
  compliance: clientOf(ComplianceService),
  review: clientOf(ComplianceReviewService),
  payout: clientOf(PayoutService),
  operations: clientOf(PayoutOperationsService),
  quote: clientOf(QuoteService),
  beneficiary: clientOf(BeneficiaryService),
} as const;

/** The services that have steps for which one person is not enough. */
export const approvalPlaces = ["payout", "quote", "compliance", "gateway", "notifier"] as const;
export type ApprovalPlace = (typeof approvalPlaces)[number];

/** Approvals of one service: every service has its own. */
export const approvalsAt = (place: ApprovalPlace): Client<typeof ApprovalService> =>
  createClient(ApprovalService, transportAt(`${door}/at/${place}`));

/** Every place where RPCs are served. */
export const places = [
  ...(["gateway", "beneficiary", "compliance", "quote", "payout", "notifier"] as const),
] as const;
/** One of them. */
export type Place = (typeof places)[number];

/** How a service is: of its processes one answers. */
export const healthAt = (place: Place): Client<typeof Health> =>
  createClient(Health, transportAt(`${door}/at/${place}`));

/** The spans that a service keeps: of its processes one answers. */
export const tracesAt = (place: Place): Client<typeof TraceService> =>
  createClient(TraceService, transportAt(`${door}/at/${place}`));

/** What an RPC needs that changes something: one operation for one attempt of a person. */
export const mutationOf = (attempt = attemptKey()) => ({ operationId: attempt });

/** The code of a problem that is none: another person has to approve. */
export const needsApproval = "APPROVAL_REQUIRED";

/** The code of a problem that a fresh sign-in solves. */
export const needsSignIn = "SIGN_IN_AGAIN";

/** Awaits an RPC; what goes wrong is a `Problem`, as of the public routes. */
export async function answerOf<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ConnectError) throw problemOf(error);
    throw error;
  }
}

/** Statuses of HTTP by those of RPCs, as far as the console tells them apart. */
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
  const challenge = error.metadata.get("www-authenticate") ?? "";
  if (challenge.includes("insufficient_user_authentication")) {
    const message = "This step needs a fresh sign-in.";
    return new Problem({ status: 403, code: needsSignIn, message, requestId }, error);
  }
  const [approval] = error.findDetails(ApprovalRequiredSchema);
  if (approval !== undefined) {
    const message = approval.proposalId;
    return new Problem({ status: 202, code: needsApproval, message, requestId }, error);
  }
  const [refusal] = error.findDetails(RefusalSchema);
  const isLost = [Code.DeadlineExceeded, Code.Canceled, Code.Unknown].includes(error.code);
  if (refusal === undefined && isLost) return Problem.noAnswer(error);
  return new Problem(
    {
      status: statuses[error.code] ?? 500,
      code: refusal?.code ?? Code[error.code],
      message: refusal?.message ?? error.rawMessage,
      reason: refusal?.reason ?? "",
      requestId,
    },
    error,
  );
}

/** A moment of an RPC as the public routes write it; empty where there is none. */
export function isoOf(at: Timestamp | undefined): string {
  return at === undefined ? "" : timestampDate(at).toISOString();
}
