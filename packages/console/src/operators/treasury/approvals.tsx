import {
  type Proposal,
  ProposalState,
} from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { getRouteApi } from "@tanstack/react-router";
import { enumName } from "../../api/enum-names.ts";
import type { Source } from "../../api/pages.ts";
import { answerOf, approvalsAt, isoOf, mutationOf } from "../../api/rpc.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { operatorName } from "../../session/session.ts";
import type { Bulk } from "../../ui/bulk.tsx";
import { codeColumn, momentColumn, stateColumn, textColumn } from "../../ui/columns.tsx";
import { Facts } from "../../ui/facts.tsx";
import { choiceFilter } from "../../ui/filters.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import { Moment } from "../../ui/moment.tsx";
import type { Column } from "../../ui/table.tsx";
import { reasonLength } from "../confirm-step.tsx";
import { ProposalLink } from "../open-proposal.tsx";
import {
  type Placed,
  proposalsMax,
  proposedAction,
  proposedDifference,
  readProposals,
} from "./proposals.ts";
import { Records } from "./records.tsx";

const words = operatorTexts.treasury.approvals;
const route = getRouteApi("/shell/approvals");
const wide = { width: "wide" } as const;

/** The id of the record, or of the merchant if the request is about no record of its own. */
const subjectOf = ({ proposal: { subject, merchantId } }: Placed) => subject || merchantId;
const actionOf = ({ proposal }: Placed) => proposedAction(proposal);
const makerOf = ({ proposal }: Placed) => operatorName(proposal.proposedBy?.id);
const keyOf = ({ proposal }: Placed) => proposal.id;
const nameOf = (row: Placed) => `${actionOf(row)} ${subjectOf(row)}`.trim();

const columns: readonly Column<Placed>[] = [
  momentColumn("created", t.list.created, ({ proposal }) => isoOf(proposal.createdAt)),
  textColumn("what", words.what, actionOf, {
    cell: (row) => (
      <ProposalLink place={row.place} proposalId={keyOf(row)}>
        {actionOf(row)}
      </ProposalLink>
    ),
  }),
  codeColumn("subject", words.subject, subjectOf),
  stateColumn(words.state, ({ proposal }) => enumName(ProposalState, proposal.state), words.states),
  textColumn("by", words.by, makerOf),
  textColumn("why", words.why, ({ proposal }) => proposal.reasons.join("; "), wide),
  momentColumn("expires", words.expires, ({ proposal }) => isoOf(proposal.expiresAt), wide),
  textColumn("service", words.service, ({ place }) => place, wide),
];

const filters = [choiceFilter("state", words.state, words.states, words.waitsForYou)];

const sourceFor = (state: string | undefined): Source<Placed> => ({
  key: ["approvals", "list", state],
  read: async () => {
    const { proposals: items, isCut, missing } = await readProposals(state);
    const warnings = [
      ...(missing.length > 0 ? [words.unreachable({ places: missing.join(", ") })] : []),
      ...(isCut ? [words.cut({ most: proposalsMax })] : []),
    ];
    return { items, next: "", total: undefined, isCapped: false, warnings };
  },
});

const requestOf = ({ proposal }: Placed, key: string) => ({
  mutation: mutationOf(key),
  proposalId: proposal.id,
});

/** Decisions on several proposals, each by its own request and digest. */
const decisions: Bulk<Placed> = {
  nameOf,
  summary: (rows) => <Summary rows={rows} />,
  actions: [
    {
      label: words.approve,
      text: words.approveText,
      kind: "primary",
      change: (row, key) => {
        const { contentDigest } = row.proposal;
        const request = { ...requestOf(row, key), contentDigest };
        return answerOf(approvalsAt(row.place).approveProposal(request));
      },
    },
    {
      label: words.reject,
      text: words.rejectText,
      kind: "danger",
      reason: t.steps.reason,
      reasonLength,
      change: (row, key, reason) =>
        answerOf(approvalsAt(row.place).rejectProposal({ ...requestOf(row, key), reason })),
    },
  ],
};

export function Approvals() {
  // The list without a state has what the person may decide.
  const mayDecide = route.useSearch().state === undefined;
  return (
    <ListPage
      caption={words.caption}
      source={({ state }) => sourceFor(state)}
      columns={columns}
      keyOf={keyOf}
      empty={words.empty}
      file={{ name: "approvals" }}
      filters={filters}
      bulk={mayDecide ? decisions : undefined}
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
          [words.by, [...new Set(rows.map(makerOf))].join(", ")],
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
