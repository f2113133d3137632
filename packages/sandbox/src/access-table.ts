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

const head = `# Who may call what

Each RPC says so itself, by its option \`disburse.type.v1.access\`; this page is made from that by \`npm run generate\`. A call by another is
\`PERMISSION_DENIED\`. Health is open to all, reflection to all who have an identity.
[Decision 0031](../decisions/0031-identity.md) says how a caller shows who it is; \`proto/disburse/type/v1/access.proto\` what each role is for.
Where it says *fresh sign-in*, a person must have signed in within \`STEP_UP_MAX_AGE_SECONDS\`, by \`STEP_UP_ACR\` where that is set; else the call is
\`UNAUTHENTICATED\` with \`insufficient_user_authentication\` ([decision 0040](../decisions/0040-operators-are-persons.md)).

## Merchants: keys, members and roots

- A merchant's key or member calls the gateway's public routes within its scopes. \`payout:approve\` decides on other actors' payouts and batches; \`payout:control\` sets the merchant's approval rules, which a second actor loosens ([decision 0087](../decisions/0087-merchants-settings.md)).
- One actor is a root and everything made from it: a key that an operator or the sandbox created is a root, and so is a member. A key that a member created, a key or a person that a key created or invited, and the successor of a rotation have the root of their maker ([decision 0035](../decisions/0035-keys.md)).
- An actor does not approve its own payouts, batches or scheduled payouts: \`same_actor\` ([decision 0053](../decisions/0053-control-before-payment.md)).
- A key that another key creates has at most the scopes, networks and end of its maker. A role is given only by a caller that has all of its scopes, and by no key that has networks or an end. An operator who gives a live key or role with rights over payouts needs a second person.
- Operators do not act as merchants: what prices, pays, approves or registers for a merchant is open to services alone. What stops money (cancelling, rejecting) takes one operator; so does tightening \`SetVelocityLimits\` and \`SetPayoutControls\`, and anything else about them takes two ([decision 0045](../decisions/0045-approvals.md)).
- *Actions* are the operators' commands and pages of the console that call the RPC ([command line](command-line.md)).
- A replay is authorised as the first request was. A person joins a team by accepting its invitation ([decision 0056](../decisions/0056-the-consoles-server.md)).
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
    "By the option `disburse.type.v1.event` of each message ([decision 0041](../decisions/0041-signed-events.md)). `external` is another system of the operator's.",
    "",
    "| event | routing keys | may publish it | take it |",
    "| --- | --- | --- | --- |",
    ...rows,
    "",
  ].join("\n");
}

if (import.meta.main) writeFileSync(target, accessTable());
