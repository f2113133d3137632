import type { JsonObject } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Argument } from "@disburse/commands/table/command.ts";
import { fieldAt, jsonOfText } from "@disburse/commands/table/fields.ts";
import { enumChoices, plainOf } from "@disburse/commands/table/plain.ts";
import { messageOf } from "@disburse/commands/table/request.ts";
import { ApprovalService } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { CommandError } from "../output/failure.ts";
import { recordText } from "../output/print.ts";
import type { ServiceName } from "../session/target.ts";
import type { OwnCommand } from "../table/command.ts";
import type { Invocation } from "../table/invocation.ts";

const method = ApprovalService.method;

/** Services with RPCs that need a second person. */
const serving: readonly ServiceName[] = ["payout", "quote", "compliance", "gateway", "notifier"];

const stateField = fieldAt(method.listProposals.input, "state");

/**
 * Each service stores the proposals for its own RPCs. This function merges the lists of all
 * services that permit the person to list proposals.
 */
async function listProposals(invocation: Invocation): Promise<JsonObject[]> {
  const state = invocation.text("--state");
  const of =
    state === undefined
      ? { waiting_for_caller: true }
      : { state: jsonOfText(stateField, "--state", state) };
  const wanted = { ...of, limit: 100 };
  const found: JsonObject[] = [];
  const refused: unknown[] = [];
  for (const service of servicesOf(invocation)) {
    try {
      found.push(...(await proposalsOf(invocation, service, wanted)));
    } catch (error) {
      if (!isNotForUs(error)) throw error;
      refused.push(error);
    }
  }
  const [first] = refused;
  if (refused.length === servicesOf(invocation).length) throw first;
  return found.sort((one, other) => (String(one.created_at) < String(other.created_at) ? 1 : -1));
}

async function proposalsOf(
  { calls }: Invocation,
  service: ServiceName,
  wanted: JsonObject,
): Promise<JsonObject[]> {
  const { listProposals: list } = method;
  const found: JsonObject[] = [];
  let cursor = "";
  do {
    const request = messageOf(list, { ...wanted, cursor });
    const answer = plainOf(list.output, await calls.call(list, request, service));
    const proposals = (answer.proposals ?? []) as JsonObject[];
    found.push(...proposals.map((each) => ({ service, ...each })));
    cursor = String(answer.next_cursor ?? "");
  } while (cursor !== "");
  return found;
}

/** Returns true if the service has no approvals, or if the person may not see its proposals. */
function isNotForUs(error: unknown): boolean {
  const { code } = ConnectError.from(error);
  return code === Code.PermissionDenied || code === Code.Unimplemented;
}

function servicesOf(invocation: Invocation): readonly ServiceName[] {
  const chosen = invocation.text("--service");
  return chosen === undefined ? serving : serving.filter((name) => name === chosen);
}

type Found = { readonly service: ServiceName; readonly proposal: JsonObject };

async function findProposal(invocation: Invocation): Promise<Found> {
  const proposal_id = invocation.required("<proposal>");
  const { getProposal: get } = method;
  for (const service of servicesOf(invocation)) {
    try {
      const request = messageOf(get, { proposal_id });
      const answer = plainOf(get.output, await invocation.calls.call(get, request, service));
      return { service, proposal: { service, ...(answer.proposal as JsonObject) } };
    } catch (error) {
      const isUnknown = ConnectError.from(error).code === Code.NotFound;
      if (!isUnknown && !isNotForUs(error)) throw error;
    }
  }
  throw new CommandError(`no proposal ${proposal_id} found`, {
    exit: "failed",
    code: "RECORD_NOT_FOUND",
  });
}

/** Parses the JSON in `before` and `after`, so that the output shows it as YAML. */
function proposalText(proposal: JsonObject): string {
  const read = (text: unknown) => (text === "" ? "" : JSON.parse(String(text)));
  const { before, after, ...rest } = proposal;
  return recordText({ ...rest, before: read(before), after: read(after) });
}

/**
 * Approves only the content that the person has read. `--digest` identifies content that the person
 * read earlier.
 */
async function approve(invocation: Invocation): Promise<void> {
  const { service, proposal } = await findProposal(invocation);
  const digest = invocation.text("--digest") ?? String(proposal.content_digest);
  const decided = { content_digest: digest };
  if (!invocation.isDryRun && invocation.text("--digest") === undefined) {
    if (!invocation.isJson) invocation.world.out(proposalText(proposal));
    if (!(await invocation.confirm("approve it?"))) {
      throw new CommandError("the proposal was not approved", {
        exit: "failed",
        code: "not_confirmed",
      });
    }
  }
  await decide(invocation, service, method.approveProposal, decided);
}

async function reject(invocation: Invocation): Promise<void> {
  const { service } = await findProposal(invocation);
  const reason = invocation.required("--reason");
  await decide(invocation, service, method.rejectProposal, { reason });
}

async function withdraw(invocation: Invocation): Promise<void> {
  const { service } = await findProposal(invocation);
  await decide(invocation, service, method.withdrawProposal, {});
}

type Deciding = (typeof method)["approveProposal" | "rejectProposal" | "withdrawProposal"];

async function decide(
  invocation: Invocation,
  service: ServiceName,
  rpc: Deciding,
  more: JsonObject,
): Promise<void> {
  const { calls } = invocation;
  const mutation = calls.mutation();
  const json = { mutation, proposal_id: invocation.required("<proposal>"), ...more };
  const request = messageOf(rpc, json);
  if (invocation.isDryRun) {
    const planned = { rpc: `${rpc.parent.typeName}/${rpc.name}`, service };
    return invocation.record({ ...planned, request: plainOf(rpc.input, request) });
  }
  const answer = plainOf(rpc.output, await calls.call(rpc, request, service));
  invocation.show(answer, () => proposalText(answer.proposal as JsonObject));
}

const proposal: Argument = { name: "proposal", about: "the proposal's id" };
const serviceOption = {
  name: "service",
  value: "name",
  choices: serving,
  about: "only this service",
};
const stateChoices = stateField.enum === undefined ? [] : enumChoices(stateField.enum);

export const approvalCommands: readonly OwnCommand[] = [
  {
    name: "approvals list",
    summary: "proposals in all services that await your approval, newest first",
    details:
      "With --state: proposals in that state that you created or may decide. payouts exceptions and\n" +
      "alerts list show work that needs a first decision.",
    examples: ["approvals list", "approvals list --state open --service payout --json"],
    options: [
      { name: "state", about: "in this state", choices: stateChoices.map(({ choice }) => choice) },
      serviceOption,
    ],
    run: async (invocation) => {
      const proposals = await listProposals(invocation);
      const columns = ["id", "service", "state", "rpc", "subject", "proposed_by.id", "reasons"];
      invocation.show({ proposals }, () =>
        proposals.length === 0 ? "" : invocation.table(proposals, [...columns, "expires_at"]),
      );
      if (proposals.length === 0) invocation.note("no proposals");
    },
  },
  {
    name: "approvals get",
    summary: "show a proposal and its changes",
    examples: ["approvals get prp_01k…"],
    arguments: [proposal],
    options: [serviceOption],
    run: async (invocation) => {
      const { proposal: found } = await findProposal(invocation);
      invocation.show(found, () => proposalText(found));
    },
  },
  {
    name: "approvals approve",
    summary: "show and approve another person's proposal",
    details:
      "Approval runs the proposed request once. With --digest, only that content is approved.",
    examples: ["approvals approve prp_01k…", "approvals approve prp_01k… --digest 4f… --json"],
    arguments: [proposal],
    options: [
      { name: "digest", about: "content_digest of the proposal that you read" },
      { name: "yes", value: "", about: "approve without asking" },
      serviceOption,
    ],
    isChange: true,
    run: approve,
  },
  {
    name: "approvals reject",
    summary: "reject another person's proposal",
    examples: ['approvals reject prp_01k… --reason "the bank has no wire with this reference"'],
    arguments: [proposal],
    options: [
      { name: "reason", about: "the reason, at least 10 characters", isRequired: true },
      serviceOption,
    ],
    isChange: true,
    run: reject,
  },
  {
    name: "approvals withdraw",
    summary: "withdraw your own proposal",
    examples: ["approvals withdraw prp_01k…"],
    arguments: [proposal],
    options: [serviceOption],
    isChange: true,
    run: withdraw,
  },
];
