import { callersOf } from "@disburse/chassis/identity/access.ts";
import { callCommands, uploadCommands } from "@disburse/commands/commands/all.ts";
import { expect, it } from "vitest";
import { contracts } from "./access-table.ts";

/** Changes that operators may make, but that aren't rows of the table of actions. */
const othersBy: Readonly<Record<string, string>> = {
  "ApprovalService/ApproveProposal": "approvals have commands and a page of their own",
  "ApprovalService/RejectProposal": "approvals have commands and a page of their own",
  "ApprovalService/WithdrawProposal": "approvals have commands and a page of their own",
  "NotifierService/PublishEvent": "repairs a notifier that lost events",
  "PayoutOperatorService/ReceiveRailCallback": "a rail's message, not a person's",
  "PayoutService/ReportRailOutcome": "the sandbox's simulated rail reports by it",
};

it("each change that operators may make is an action, or says why it isn't", () => {
  const inTable = new Set([...callCommands, ...uploadCommands].map(({ method }) => method));
  const others = contracts.flatMap(([, service]) =>
    service.methods
      .filter(
        (method) =>
          method.input.fields.some(({ name }) => name === "mutation") ||
          method.methodKind !== "unary",
      )
      .filter((method) => callersOf(method).roles.size > 0 && !inTable.has(method as never))
      .map((method) => `${service.name}/${method.name}`),
  );
  expect(new Set(others)).toEqual(new Set(Object.keys(othersBy)));
});
