import { readAllFrom } from "../../api/pages.ts";
import { rpcs } from "../../api/rpc.ts";
import { pagesOf } from "../../api/rpc-pages.ts";
import { useOptionalAnswer } from "../../api/use-answer.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { ActionLink } from "../actions/action-link.tsx";
import { ProposalNotice } from "../open-proposal.tsx";

/** Maximum number of exceptions searched for a payout's exception. */
const searchedMax = 1_000;

export const readExceptions = pagesOf("exceptions", rpcs.operations.listPayoutExceptions);

/** Returns the exception of a payout, if the payout is one. */
function useException(payoutId: string) {
  const data = useOptionalAnswer(["exceptions", "all"], () =>
    readAllFrom({ read: readExceptions }, searchedMax),
  );
  return data?.items.find(({ payout }) => payout?.id === payoutId);
}

/** Treasury's actions on an exception. Shows nothing for any other payout. */
export function PayoutResolution({ payoutId }: { payoutId: string }) {
  if (useException(payoutId)?.proposalId !== "") return null;
  const label = operatorTexts.treasury.exceptions.propose;
  return <ActionLink name="payouts resolve" label={label} values={{ payout: payoutId }} />;
}

/** Links to the open proposal about a payout, if there is one. */
export function ProposedResolution({ payoutId }: { payoutId: string }) {
  const proposalId = useException(payoutId)?.proposalId ?? "";
  return proposalId === "" ? null : <ProposalNotice place="payout" proposalId={proposalId} />;
}
