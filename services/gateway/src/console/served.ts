import type { DescService } from "@bufbuild/protobuf";
import { ApprovalService } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { AuditService } from "@disburse/contracts/disburse/audit/v1/audit_pb.ts";
import { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { BeneficiarySandboxService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_sandbox_pb.ts";
import { ComplianceService } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { ComplianceReviewService } from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { ComplianceSandboxService } from "@disburse/contracts/disburse/compliance/v1/compliance_sandbox_pb.ts";
import { KeyService } from "@disburse/contracts/disburse/gateway/v1/keys_pb.ts";
import { RequestLogService } from "@disburse/contracts/disburse/gateway/v1/requests_pb.ts";
import { TeamService } from "@disburse/contracts/disburse/gateway/v1/team_pb.ts";
import { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { NotifierSandboxService } from "@disburse/contracts/disburse/notifier/v1/notifier_sandbox_pb.ts";
import { PayoutOrderService } from "@disburse/contracts/disburse/payout/v1/orders_pb.ts";
import { PayoutOperatorService } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { PayoutSandboxService } from "@disburse/contracts/disburse/payout/v1/payout_sandbox_pb.ts";
import { StatementService } from "@disburse/contracts/disburse/payout/v1/statements_pb.ts";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { QuoteSandboxService } from "@disburse/contracts/disburse/quote/v1/quote_sandbox_pb.ts";
import { StatusService } from "@disburse/contracts/disburse/status/v1/status_pb.ts";
import { TraceService } from "@disburse/contracts/disburse/trace/v1/trace_pb.ts";
import { Health } from "@disburse/contracts/health/v1/health_pb.ts";

/** Services that operators can call through the operator API proxy, keyed by place. */
const served = {
  beneficiary: [BeneficiaryService, BeneficiarySandboxService],
  compliance: [ComplianceService, ComplianceReviewService, ComplianceSandboxService],
  quote: [QuoteService, QuoteSandboxService],
  payout: [
    PayoutService,
    PayoutOperatorService,
    PayoutOrderService,
    StatementService,
    PayoutSandboxService,
  ],
  notifier: [NotifierService, NotifierSandboxService],
  gateway: [KeyService, TeamService, RequestLogService],
} as const satisfies Readonly<Record<string, readonly DescService[]>>;

/** Every service process serves these, so the request path must name the place. */
const everywhere: readonly DescService[] = [
  ApprovalService,
  AuditService,
  StatusService,
  TraceService,
  Health,
];

export type Place = keyof typeof served;

export const places = Object.keys(served) as readonly Place[];

/** Returns the services of a place, or none if the place is unknown. */
export function servicesOf(place: Place): readonly DescService[] {
  const own: readonly DescService[] | undefined = Object.hasOwn(served, place)
    ? served[place]
    : undefined;
  return own === undefined ? [] : [...own, ...everywhere];
}

/** Returns the place of a service. Returns `undefined` if the service has none or several. */
export function placeOf(typeName: string): Place | undefined {
  return places.find((place) => served[place].some((each) => each.typeName === typeName));
}
