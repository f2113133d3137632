import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type DescMethod, type DescService, getOption } from "@bufbuild/protobuf";
import { enumNames } from "@disburse/chassis/enum-names.ts";
import { callersOf } from "@disburse/chassis/identity/access.ts";
import type { Role } from "@disburse/chassis/principal.ts";
import { callCommands, uploadCommands } from "@disburse/commands/commands/all.ts";
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
import { Role as RoleEnum } from "@disburse/contracts/disburse/type/v1/access_pb.ts";
import { event } from "@disburse/contracts/disburse/type/v1/event_pb.ts";
import { twoPersonTable } from "./access/two-persons.ts";
import { events } from "./events.ts";
import { type ServiceName, serviceNames } from "./service-names.ts";

const target = join(import.meta.dirname, "../../../docs/reference/access.md");

/** All services of the contract, with the process that serves each. */
export const contracts: readonly (readonly [ServiceName, DescService])[] = [
  ["beneficiary", BeneficiaryService],
  ["beneficiary", BeneficiarySandboxService],
  ["compliance", ComplianceService],
  ["compliance", ComplianceReviewService],
  ["compliance", ComplianceSandboxService],
  ["gateway", KeyService],
  ["gateway", TeamService],
  ["gateway", RequestLogService],
  ["notifier", NotifierService],
  ["notifier", NotifierSandboxService],
  ["payout", PayoutService],
  ["payout", PayoutOrderService],
  ["payout", PayoutOperatorService],
  ["payout", StatementService],
  ["payout", PayoutSandboxService],
  ["quote", QuoteService],
  ["quote", QuoteSandboxService],
  ...(["compliance", "gateway", "notifier", "payout", "quote"] as const).map(
    (service) => [service, ApprovalService] as const,
  ),
  ...serviceNames.map((name) => [name, AuditService] as const),
  ...serviceNames.map((name) => [name, StatusService] as const),
  ...serviceNames.map((name) => [name, TraceService] as const),
];

export const allRoles: readonly Role[] = enumNames(RoleEnum);

const head = `# Access to RPCs

The option \`disburse.type.v1.access\` of each RPC defines its callers. \`npm run generate\` writes this page from it. Other callers get \`PERMISSION_DENIED\`.
Everyone can check the health of a service. Reflection requires an identity.

- [Decision 0031](../decisions/0031-identity.md) explains how callers identify themselves. \`proto/disburse/type/v1/access.proto\` describes the roles.
- *Fresh sign-in* means that the person must have signed in within \`STEP_UP_MAX_AGE_SECONDS\`, with the class \`STEP_UP_ACR\` if it is set. Otherwise the call returns \`UNAUTHENTICATED\` with \`insufficient_user_authentication\` ([decision 0040](../decisions/0040-operators-are-persons.md)).
- *Actions* are the operators' commands and console pages that call the RPC ([command line](command-line.md)).

## Merchants: keys, members and roots

- A merchant's key or member can call the gateway's public routes within its scopes. \`payout:approve\` is the permission to decide on other actors' payouts and batches. \`payout:control\` is the permission to set the merchant's approval rules. Looser rules need a second actor ([decision 0087](../decisions/0087-merchants-settings.md)).
- An actor is a root with everything created from it. Each key that an operator or the sandbox created is a root. Other keys have the root of their creator, and a rotated key keeps its root. A member is a root, except if a key invited this member: then the member has the key's root ([decision 0035](../decisions/0035-keys.md)).
- An actor can't approve its own payouts, batches or scheduled payouts: \`same_actor\` ([decision 0053](../decisions/0053-control-before-payment.md)).
- A key that another key creates can't exceed its creator's scopes, networks and expiry.
- A caller can give a role only if it has all scopes of that role. A key with networks or an expiry can't give roles.
- An operator needs a second person to give a live key or role the permission to create, approve or control payouts.
- Operators can't act as merchants: only services can call RPCs that quote, pay, approve or register for a merchant.
- One operator can cancel, reject and tighten limits; loosening them needs two ([decision 0045](../decisions/0045-approvals.md)). The limits are \`SetVelocityLimits\` and \`SetPayoutControls\`.
- A replayed request needs the same authorisation as the first one. A person joins a team by accepting its invitation ([decision 0056](../decisions/0056-the-consoles-server.md)).
`;

export function accessTable(): string {
  const roles = allRoles.map((role) => role.replaceAll("_", " "));
  const services = new Set(contracts.map(([, service]) => service));
  const tables = [...services].map((service) =>
    [
      `## ${service.typeName}`,
      "",
      `| RPC | actions | services | ${roles.join(" | ")} |`,
      `| --- | --- | --- | ${roles.map(() => ":-:").join(" | ")} |`,
      ...service.methods.map((method) => {
        const callers = callersOf(method);
        const marks = allRoles.map((role) => (callers.roles.has(role) ? "✓" : ""));
        const name = callers.stepUp ? `${method.name} (fresh sign-in)` : method.name;
        return `| ${name} | ${actionsOf(method)} | ${[...callers.services].join(", ")} | ${marks.join(" | ")} |`;
      }),
      "",
    ].join("\n"),
  );
  return [head, twoPersonTable(), ...tables, eventTable()].join("\n");
}

/** Returns the operators' actions that call an RPC: `rails pause`. */
function actionsOf(method: DescMethod): string {
  const own = [...callCommands, ...uploadCommands].filter((each) => each.method === method);
  return own.map(({ name }) => `\`${name}\``).join(", ");
}

function eventTable(): string {
  const rows = events.map((message) => {
    const { routingKeys, publishers, consumers } = getOption(message, event);
    const keys = routingKeys.map((key) => `\`${key}\``).join(", ");
    return `| ${message.name} | ${keys} | ${publishers.join(", ")} | ${consumers.join(", ")} |`;
  });
  return [
    "## Events",
    "",
    "The option `disburse.type.v1.event` of each message defines this table ([decision 0041](../decisions/0041-signed-events.md)). `external` is another system of the operator.",
    "",
    "| event | routing keys | publishers | consumers |",
    "| --- | --- | --- | --- |",
    ...rows,
    "",
  ].join("\n");
}

if (import.meta.main) writeFileSync(target, accessTable());
