import { RailOutcome } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { valueIn } from "../../api/enum-words.ts";
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

/** Exceptions that are looked through for the one of a payout. */
const searchedMax = 1_000;

/** Every payout that needs a person, longest waiting first. */
export const readExceptions = async (page: { limit: number; cursor: string }) => {
  const { payouts, nextCursor } = await rpcs.operations.listPayoutsInDoubt(page);
  return pageOf(payouts, nextCursor);
};

/** The exception of a payout; nothing where it has none. */
function useException(payoutId: string) {
  const { data } = useQuery({
    queryKey: ["exceptions", "all"],
    queryFn: () => readAllPages(readExceptions, searchedMax),
  });
  return data?.items.find(({ payout }) => payout?.id === payoutId);
}

/** What treasury can do about a payout that needs a person; nothing for any other. */
export function PayoutResolution({ payoutId }: { payoutId: string }) {
  const session = useSession();
  const found = useException(payoutId);
  if (found === undefined || found.proposalId !== "" || !hasRole(session, "treasury")) return null;
  return <Propose payoutId={payoutId} />;
}

/** Leads to the open proposal about a payout; nothing where there is none. */
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
          outcome: valueIn(RailOutcome, outcome),
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
