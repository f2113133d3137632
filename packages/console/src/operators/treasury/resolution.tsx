import { useQuery } from "@tanstack/react-query";
import { rpcs } from "../../api/rpc.ts";
import { pageOf, readAllPages } from "../../api/rpc-pages.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { ActionLink } from "../actions/action-link.tsx";
import { ProposalNotice } from "../open-proposal.tsx";

const words = operatorTexts.treasury.exceptions;

/** Maximum number of exceptions searched for a payout's exception. */
const searchedMax = 1_000;

export const readExceptions = async (page: { limit: number; cursor: string }) => {
  const { exceptions, nextCursor } = await rpcs.operations.listPayoutExceptions(page);
  return pageOf(exceptions, nextCursor);
};

/** Returns the exception of a payout, if the payout is one. */
function useException(payoutId: string) {
  const { data } = useQuery({
    queryKey: ["exceptions", "all"],
    queryFn: () => readAllPages(readExceptions, searchedMax),
  });
  return data?.items.find(({ payout }) => payout?.id === payoutId);
}

/** Treasury's actions on an exception. Shows nothing for any other payout. */
export function PayoutResolution({ payoutId }: { payoutId: string }) {
  const found = useException(payoutId);
  if (found === undefined || found.proposalId !== "") return null;
  return <ActionLink name="payouts resolve" label={words.propose} values={{ payout: payoutId }} />;
}

/** Links to the open proposal about a payout, if there is one. */
export function ProposedResolution({ payoutId }: { payoutId: string }) {
  const proposalId = useException(payoutId)?.proposalId ?? "";
  return proposalId === "" ? null : <ProposalNotice place="payout" proposalId={proposalId} />;
}
