import { RailOutcome } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { enumValue } from "../../api/enum-names.ts";
import { rpcs } from "../../api/rpc.ts";
import { pageOf, readAllPages } from "../../api/rpc-pages.ts";
import { t } from "../../catalogue/en.ts";
import { hasRole } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { SelectField, TextField } from "../../ui/field.tsx";
import { ConfirmStep } from "../confirm-step.tsx";
import { ProposalNotice } from "../open-proposal.tsx";
import { isReason, ReasonField } from "../reason-field.tsx";

const words = t.treasury.exceptions;
const stale = ["payouts", "exceptions", "approvals"];

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
  const session = useSession();
  const found = useException(payoutId);
  if (found === undefined || found.proposalId !== "" || !hasRole(session, "treasury")) return null;
  return <Propose payoutId={payoutId} />;
}

/** Links to the open proposal about a payout, if there is one. */
export function ProposedResolution({ payoutId }: { payoutId: string }) {
  const proposalId = useException(payoutId)?.proposalId ?? "";
  return proposalId === "" ? null : <ProposalNotice place="payout" proposalId={proposalId} />;
}

function Propose({ payoutId }: { payoutId: string }) {
  const [outcome, setOutcome] = useState("settled");
  const [reference, setReference] = useState("");
  const [reason, setReason] = useState("");
  const isSettled = outcome === "settled";
  return (
    <ConfirmStep
      label={words.propose}
      text={words.proposeText}
      kind="primary"
      isReady={isReason(reason) && (!isSettled || reference.trim() !== "")}
      step={(mutation) =>
        rpcs.operations.resolvePayout({
          mutation,
          payoutId,
          reason: reason.trim(),
          outcome: enumValue(RailOutcome, outcome),
          transactionReference: isSettled ? reference.trim() : "",
        })
      }
      stale={stale}
    >
      <SelectField
        label={words.outcome}
        value={outcome}
        onChange={setOutcome}
        options={Object.entries(words.outcomes)}
      />
      {isSettled ? (
        <TextField
          label={words.reference}
          value={reference}
          onChange={setReference}
          maxLength={128}
          required
        />
      ) : null}
      <ReasonField
        label={words.evidence}
        hint={words.evidenceHint}
        value={reason}
        onChange={setReason}
      />
    </ConfirmStep>
  );
}
