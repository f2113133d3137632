import type { ApprovalRuleSet, RulesProposal } from "@disburse/sdk/gen/types.ts";
import { useQuery } from "@tanstack/react-query";
import { rulesProposals } from "../../api/lists.ts";
import { pathOf, readAll } from "../../api/pages.ts";
import { post } from "../../api/request.ts";
import { settingsTexts } from "../../catalogue/settings-texts.ts";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Moment } from "../../ui/moment.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Section } from "../../ui/page.tsx";
import { actorName } from "../names.tsx";
import { Decision } from "../payouts/decision.tsx";
import { changesOf } from "./sentences.ts";

const words = settingsTexts.proposals;
/** Proposals publish no events, so the page polls. */
const readAgainMs = 10_000;

const openProposals = (waiting_for_caller: boolean) => ({
  queryKey: [rulesProposals.path, waiting_for_caller],
  queryFn: async () => {
    const query = { state: "open", ...(waiting_for_caller && { waiting_for_caller }) };
    return (await readAll(rulesProposals, query)).items;
  },
  refetchInterval: readAgainMs,
});

export const Sentences = ({ sentences }: { sentences: readonly string[] }) => (
  <ul className="plain">
    {sentences.map((sentence) => (
      <li key={sentence}>{sentence}</li>
    ))}
  </ul>
);

/** The change between two sets of rules, in words. */
export function RulesChange(props: { before: ApprovalRuleSet; after: ApprovalRuleSet }) {
  const { gone, added } = changesOf(props.before, props.after);
  const { rules } = settingsTexts;
  if (gone.length + added.length === 0) return <Notice tone="info">{rules.same}</Notice>;
  const rows = [
    [rules.gone, gone[0] && <Sentences key="gone" sentences={gone} />],
    [rules.added, added[0] && <Sentences key="added" sentences={added} />],
  ] as const;
  return <Facts rows={rows} />;
}

/** Proposals to loosen the rules, with the decision of who may make it. */
export function RulesProposals({ isQueue = false }: { isQueue?: boolean }) {
  const open = useQuery({ ...openProposals(false), enabled: !isQueue });
  const decidable = useQuery(openProposals(true));
  const mine = new Set(decidable.data?.map(({ id }) => id));
  const shown = isQueue ? decidable.data : open.data;
  if (shown === undefined || decidable.data === undefined || shown.length === 0) return null;
  return (
    <Section title={words.title}>
      {shown.map((each) => (
        <Proposal key={each.id} proposal={each} mayDecide={mine.has(each.id)} />
      ))}
    </Section>
  );
}

function Proposal({ proposal, mayDecide }: { proposal: RulesProposal; mayDecide: boolean }) {
  const { id, before, after, digest, reasons, operator_decides: isOperators } = proposal;
  return (
    <div className="card stack">
      <RulesChange before={before} after={after} />
      <Facts
        rows={[
          [words.loosens, reasons.join("; ")],
          [words.by, actorName(proposal.proposed_by)],
          [words.expires, <Moment key="expires" at={proposal.expires_at} />],
        ]}
      />
      {isOperators ? <Notice tone="info">{words.operator}</Notice> : null}
      <div className="row">
        {mayDecide ? (
          <Decision
            path={pathOf(rulesProposals, id)}
            texts={words}
            approval={{ digest }}
            reasonMin={10}
          >
            <RulesChange before={before} after={after} />
          </Decision>
        ) : (
          <ConfirmButton
            label={words.withdraw}
            text={words.withdrawText}
            confirm={(key) => post(pathOf(rulesProposals, id, "/withdraw"), {}, key)}
          />
        )}
      </div>
    </div>
  );
}
