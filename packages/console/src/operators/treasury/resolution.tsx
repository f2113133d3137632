import type { Resolution } from "@disburse/contracts/disburse/payout/v1/payout_operations_pb.ts";
import { RailOutcome } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { valueIn, wordIn } from "../../api/enum-words.ts";
import { isoOf, rpcs } from "../../api/rpc.ts";
import { pageOf, readAllPages } from "../../api/rpc-pages.ts";
import { t } from "../../catalogue/en.ts";
import { hasRole } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { Facts } from "../../ui/facts.tsx";
import { AreaField, SelectField, TextField } from "../../ui/field.tsx";
import { Moment } from "../../ui/moment.tsx";
import { Section } from "../../ui/page.tsx";
import { ConfirmStep } from "../confirm-step.tsx";

const words = t.treasury.exceptions;
const stale = ["payouts", "exceptions"];

/** An evidence has so many characters. */
const evidenceMin = 10;
const evidenceMax = 1_000;
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

/** What operators can do about a payout that needs them; nothing for any other. */
export function PayoutResolution({ payoutId }: { payoutId: string }) {
  const session = useSession();
  const found = useException(payoutId);
  if (found === undefined) return null;
  const { resolutionId, resolution } = found;
  if (resolution === undefined) {
    return hasRole(session, "treasury") ? <Propose payoutId={payoutId} /> : null;
  }
  const isOwn = resolution.proposedBy?.id === session.person.id;
  return (
    <>
      {hasRole(session, "treasury_approver") && !isOwn ? (
        <ConfirmStep
          label={words.confirm}
          text={words.confirmText}
          step={(mutation) => rpcs.operations.confirmResolution({ mutation, resolutionId })}
          stale={stale}
        >
          <Proposed resolution={resolution} />
        </ConfirmStep>
      ) : null}
      {hasRole(session, "treasury", "treasury_approver") ? (
        <ConfirmStep
          label={words.withdraw}
          text={words.withdrawText}
          kind="plain"
          step={(mutation) => rpcs.operations.withdrawResolution({ mutation, resolutionId })}
          stale={stale}
        />
      ) : null}
    </>
  );
}

/** What was proposed about a payout that needs operators; nothing where nothing was. */
export function ProposedResolution({ payoutId }: { payoutId: string }) {
  const resolution = useException(payoutId)?.resolution;
  if (resolution === undefined) return null;
  return (
    <Section title={words.proposal}>
      <div className="card">
        <Proposed resolution={resolution} />
      </div>
    </Section>
  );
}

function Proposed({ resolution }: { resolution: Resolution }) {
  const { outcome, transactionReference, reason, proposedBy, createdAt } = resolution;
  return (
    <Facts
      rows={[
        [words.outcome, words.outcomes[wordIn(RailOutcome, outcome)]],
        [t.payouts.one.bankReference, transactionReference],
        [words.evidence, reason],
        [t.treasury.approvals.by, proposedBy?.id],
        [t.list.created, <Moment key="created" at={isoOf(createdAt)} />],
      ]}
    />
  );
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
      isReady={reason.trim().length >= evidenceMin && (!isSettled || reference.trim() !== "")}
      step={(mutation) =>
        rpcs.operations.proposeResolution({
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
      <AreaField
        label={words.evidence}
        hint={words.evidenceHint}
        value={reason}
        onChange={setReason}
        maxLength={evidenceMax}
        required
      />
    </ConfirmStep>
  );
}
