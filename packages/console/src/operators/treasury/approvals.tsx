import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { callCommands } from "@disburse/commands/commands/all.ts";
import {
  type Proposal,
  ProposalState,
} from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { enumName, enumValue } from "../../api/enum-names.ts";
import {
  type ApprovalPlace,
  answerOf,
  approvalPlaces,
  approvalsAt,
  isoOf,
  mutationOf,
} from "../../api/rpc.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { operatorName } from "../../session/session.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { BulkBar } from "../../ui/bulk.tsx";
import { codeColumn, momentColumn, textColumn } from "../../ui/columns.tsx";
import { ExportButton } from "../../ui/export-button.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Filters } from "../../ui/filters.tsx";
import { Moment } from "../../ui/moment.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemNotice } from "../../ui/problem-notice.tsx";
import { type Column, DataTable } from "../../ui/table.tsx";
import { type Selection, useSelection } from "../../ui/use-selection.tsx";
import { differenceOf } from "../actions/rules/flat.ts";
import { sentence, titleOf } from "../actions/rules/form.ts";
import { reasonLength } from "../reason-field.tsx";

const words = operatorTexts.treasury.approvals;
const route = getRouteApi("/shell/approvals");

/** Number of proposals read per service. */
const proposalsMax = 100;

type Placed = { readonly place: ApprovalPlace; readonly proposal: Proposal };

/** Returns what a proposal does, in words. Merchants' RPCs are no actions of operators. */
export function proposedAction({ rpc }: Proposal): string {
  const action = callCommands.find(
    ({ method }) => rpc === `${method.parent.typeName}/${method.name}`,
  );
  return action === undefined
    ? titleOf(rpc.slice(rpc.lastIndexOf("/") + 1))
    : sentence(action.summary);
}

/** Returns the fields that a proposal would change. */
export const proposedDifference = ({ before, after }: Proposal) =>
  differenceOf(recordIn(before), recordIn(after));

/** Reads a record of a proposal. A text that is no JSON object is its only field. */
function recordIn(text: string): JsonObject {
  const json = jsonIn(text);
  return typeof json === "object" && json !== null && !Array.isArray(json) ? json : { text };
}

function jsonIn(text: string): JsonValue | undefined {
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The approval covers this text. The text is therefore shown completely, and only indented. */
function Record({ title, text }: { title: string; text: string }) {
  const json = jsonIn(text);
  const shown = json === undefined ? text : JSON.stringify(json, null, 2);
  return (
    <div>
      <strong>{title}</strong>
      <pre className="card mono break">{text === "" ? words.nothing : shown}</pre>
    </div>
  );
}

/** The complete records of a proposal. */
export function Records({ before, after }: Proposal) {
  return (
    <details>
      <summary>{words.details}</summary>
      <div className="columns">
        <Record title={words.before} text={before} />
        <Record title={words.after} text={after} />
      </div>
    </details>
  );
}

/** The id of the record, or of the merchant if the request is about no record of its own. */
const byOf = ({ proposal }: { proposal: Proposal }) => operatorName(proposal.proposedBy?.id);
const subjectOf = ({ subject, merchantId }: Proposal) => subject || merchantId;

const columns: readonly Column<Placed>[] = [
  momentColumn("created", t.list.created, ({ proposal }) => isoOf(proposal.createdAt)),
  {
    id: "what",
    header: words.what,
    cell: ({ place, proposal }) => (
      <Link to="/approvals/$place/$proposalId" params={{ place, proposalId: proposal.id }}>
        {proposedAction(proposal)}
      </Link>
    ),
    csv: ({ proposal }) => proposedAction(proposal),
  },
  codeColumn("subject", words.subject, ({ proposal }) => subjectOf(proposal)),
  {
    id: "state",
    header: words.state,
    cell: ({ proposal }) => (
      <StateBadge state={enumName(ProposalState, proposal.state)} words={words.states} />
    ),
    csv: ({ proposal }) => enumName(ProposalState, proposal.state),
  },
  textColumn("by", words.by, byOf),
  textColumn("why", words.why, ({ proposal }) => proposal.reasons.join("; "), { width: "wide" }),
  momentColumn("expires", words.expires, ({ proposal }) => isoOf(proposal.expiresAt), {
    width: "wide",
  }),
  textColumn("service", words.service, ({ place }) => place, { width: "wide" }),
];

/**
 * Reads the proposals in a state. Without a state, reads the proposals that await the person's
 * decision.
 */
export async function readProposals(state = "") {
  const request = {
    state: enumValue(ProposalState, state),
    waitingForCaller: state === "",
    limit: proposalsMax,
  };
  let isCut = false;
  const results = await Promise.allSettled(
    approvalPlaces.map(async (place) => {
      const { proposals, nextCursor } = await answerOf(approvalsAt(place).listProposals(request));
      isCut ||= nextCursor !== "";
      return proposals.map((proposal): Placed => ({ place, proposal }));
    }),
  );
  const failures = results.filter((each) => each.status === "rejected");
  if (failures.length === results.length && failures[0] !== undefined) throw failures[0].reason;
  const found = results.flatMap((each) => (each.status === "fulfilled" ? each.value : []));
  return {
    proposals: found.toSorted((one, two) =>
      isoOf(two.proposal.createdAt).localeCompare(isoOf(one.proposal.createdAt)),
    ),
    /** True if a service has more proposals. */
    isCut,
    missing: approvalPlaces.filter((_, index) => results[index]?.status === "rejected"),
  };
}

const keyOf = ({ proposal }: Placed) => proposal.id;
const nameOf = ({ proposal }: Placed) =>
  `${proposedAction(proposal)} ${subjectOf(proposal)}`.trim();
const stale = ["approvals", "payouts", "exceptions", "accounts", "compliance", "corridors"];

/** Decisions on several proposals, each by its own request and digest. */
function Decisions(props: { selection: Selection<Placed>; isOffered: boolean }) {
  const client = useQueryClient();
  const onDone = () =>
    Promise.all(stale.map((key) => client.invalidateQueries({ queryKey: [key] })));
  const decide = ({ place, proposal }: Placed, key: string) => ({
    client: approvalsAt(place),
    request: { mutation: mutationOf(key), proposalId: proposal.id },
  });
  return (
    <BulkBar
      {...{ ...props, keyOf, nameOf, onDone }}
      summary={(rows) => <Summary rows={rows} />}
      actions={[
        {
          label: words.approve,
          text: words.approveText,
          kind: "primary",
          change: (row, key) => {
            const { client: service, request } = decide(row, key);
            const { contentDigest } = row.proposal;
            return answerOf(service.approveProposal({ ...request, contentDigest }));
          },
        },
        {
          label: words.reject,
          text: words.rejectText,
          kind: "danger",
          reason: t.steps.reason,
          reasonLength,
          change: (row, key, reason) => {
            const { client: service, request } = decide(row, key);
            return answerOf(service.rejectProposal({ ...request, reason }));
          },
        },
      ]}
    />
  );
}

/** Shows the changes of the selected proposals. Their digests cover these texts. */
function Summary({ rows }: { rows: readonly Placed[] }) {
  const [first = ""] = rows.map(({ proposal }) => isoOf(proposal.expiresAt)).toSorted();
  return (
    <>
      <Facts
        rows={[
          [words.by, [...new Set(rows.map(byOf))].join(", ")],
          [t.bulk.expires, <Moment key="expires" at={first} />],
        ]}
      />
      <ul className="scrolled small">
        {rows.map((row) => (
          <li key={keyOf(row)}>
            <strong>{nameOf(row)}</strong> {differenceText(row.proposal)}
            <Records {...row.proposal} />
          </li>
        ))}
      </ul>
    </>
  );
}

function differenceText(proposal: Proposal): string {
  const { changes, facts } = proposedDifference(proposal);
  const changed = changes.map(({ title, before, after }) =>
    before === "" ? `${title}: ${after}` : `${title}: ${before} → ${after || words.nothing}`,
  );
  return [...changed, ...facts.map(([title, text]) => `${title}: ${text}`)].join("; ");
}

export function Approvals() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const found = useQuery({
    queryKey: ["approvals", search],
    queryFn: () => readProposals(search.state),
  });
  const rows = found.data?.proposals ?? [];
  const read = async () => ({ items: rows, isCut: found.data?.isCut ?? false });
  const { column, selection } = useSelection(rows, { keyOf, nameOf });
  // The list without a state has what the person may decide.
  const mayDecide = search.state === undefined;
  return (
    <Page
      title={words.title}
      actions={<ExportButton name="approvals" read={read} columns={columns} />}
    >
      <Filters
        filters={[
          {
            name: "state",
            label: words.state,
            kind: "choice",
            options: Object.entries(words.states),
            none: words.waitsForYou,
          },
        ]}
        values={search}
        onChange={(next) => void navigate({ search: next })}
      />
      {found.isPending ? <p role="status">{t.states.loading}</p> : null}
      {found.isError ? <ProblemNotice error={found.error} /> : null}
      {(found.data?.missing.length ?? 0) > 0 ? (
        <Notice tone="warn">
          {words.unreachable({ places: found.data?.missing.join(", ") ?? "" })}
        </Notice>
      ) : null}
      {found.data !== undefined && rows.length === 0 ? (
        <Notice tone="info">{mayDecide ? words.empty : t.states.nothingMatches}</Notice>
      ) : null}
      {found.data?.isCut ? <Notice tone="warn">{words.cut({ most: proposalsMax })}</Notice> : null}
      {mayDecide ? <Decisions selection={selection} isOffered={rows.length > 0} /> : null}
      {rows.length > 0 ? (
        <DataTable
          caption={words.caption}
          columns={mayDecide ? [column, ...columns] : columns}
          rows={rows}
          keyOf={keyOf}
        />
      ) : null}
    </Page>
  );
}
