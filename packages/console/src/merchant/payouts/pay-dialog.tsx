import type { Beneficiary, Corridor, ExecutedPayout } from "@disburse/sdk/gen/types.ts";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { accounts, payouts } from "../../api/lists.ts";
import { Problem } from "../../api/problem.ts";
import { attemptKey, send } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Modal } from "../../ui/dialog.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Notice } from "../../ui/notice.tsx";
import { ProblemNotice } from "../../ui/problem-notice.tsx";
import { PayoutLink } from "../../ui/record-link.tsx";
import { moneyText } from "../../ui/rules/amounts.ts";
import { useSingle } from "../../ui/use-attempt.ts";
import { accountOf, nameOf } from "../rules/beneficiary.ts";
import { usePayoutDraft } from "./draft.ts";
import { Outcome } from "./outcome.tsx";
import type { PayoutDetails, QuoteWish, TimedQuote } from "./quote.ts";
import { QuoteFacts } from "./quote-facts.tsx";

const words = t.payouts.create;

/**
 * Confirms a payment. The idempotency key belongs to the quote, so that repeated clicks and lost
 * responses lead to one payment. Success is shown only after the response.
 */
export function PayDialog(props: {
  timed: TimedQuote;
  wish: QuoteWish;
  corridor: Corridor;
  details: PayoutDetails;
  isOver: boolean;
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
}) {
  const { timed, wish, corridor, details, isOver, isOpen, onOpenChange } = props;
  const { quote } = timed;
  const paying = usePaying(quote.id, details, wish.beneficiary);
  const isDecided = paying.isPending || paying.isSuccess;
  // After a lost response a retry is allowed even if the quote has expired, because the first
  // attempt may have paid.
  const mayPay = !isDecided && (!isOver || paying.isError);
  return (
    <Modal
      title={words.confirmTitle}
      text={words.confirmText}
      isOpen={isOpen}
      onOpenChange={(open) => {
        if (!isDecided) onOpenChange(open);
      }}
    >
      <Facts
        rows={[
          [words.chosen, <strong key="name">{nameOf(wish.beneficiary)}</strong>],
          [
            words.destination,
            <span key="to" className="mono break">
              {accountOf(wish.beneficiary)}
            </span>,
          ],
          [words.fromAccount, wish.account.name || wish.account.id],
          [t.payouts.reference, details.reference],
        ]}
      />
      <QuoteFacts timed={timed} corridor={corridor} beneficiary={wish.beneficiary} />
      {isOver || isDecided || paying.isError ? null : (
        <Outcome quoteId={quote.id} reference={details.reference} />
      )}
      {isOver && !isDecided && !paying.isError ? (
        <Notice tone="warn">{words.expiredInDialog}</Notice>
      ) : null}
      <NotPaid error={paying.error} onPayAnyway={() => paying.mutate(true)} />
      <div className="row">
        {isDuplicate(paying.error) ? null : (
          <Button kind="primary" disabled={!mayPay} onClick={() => paying.mutate(false)}>
            {isDecided
              ? words.paying
              : words.pay({ amount: moneyText(quote.source_amount, quote.source_currency_code) })}
          </Button>
        )}
        <Button disabled={isDecided} onClick={() => onOpenChange(false)}>
          {t.actions.cancel}
        </Button>
      </div>
    </Modal>
  );
}

const isDuplicate = (error: unknown): error is Problem =>
  error instanceof Problem && error.code === "POSSIBLE_DUPLICATE";

/** Shows the problem. For a possible duplicate, the person can confirm the payment and pay. */
function NotPaid({ error, onPayAnyway }: { error: unknown; onPayAnyway: () => void }) {
  if (error === null) return null;
  if (!isDuplicate(error)) {
    return <ProblemNotice error={error} noAnswer={words.notKnown} />;
  }
  return (
    <Notice tone="warn">
      <p>{words.duplicate}</p>
      <p>
        <PayoutLink id={error.payout_id}>{error.payout_id}</PayoutLink>
      </p>
      <Button kind="danger" onClick={onPayAnyway}>
        {words.payAnyway}
      </Button>
    </Notice>
  );
}

function usePaying(
  quoteId: string,
  { reference, remittance }: PayoutDetails,
  beneficiary: Beneficiary,
) {
  const [, , forget] = usePayoutDraft(beneficiary);
  const [idempotencyKey] = useState(attemptKey);
  const client = useQueryClient();
  const navigate = useNavigate();
  return useSingle({
    mutationFn: (allowDuplicate: boolean) => {
      const body = {
        quote_id: quoteId,
        ...(reference === "" ? {} : { reference_id: reference }),
        ...(remittance === "" ? {} : { remittance_information: remittance }),
        ...(allowDuplicate ? { allow_duplicate: true } : {}),
      };
      return send<ExecutedPayout>("POST", "/api/v1/transfer/execute", { body, idempotencyKey });
    },
    onSuccess: async ({ id }) => {
      forget();
      const stale = [payouts.path, accounts.path].map((path) =>
        client.invalidateQueries({ queryKey: [path] }),
      );
      const page = { to: "/payouts/$payoutId", params: { payoutId: id } } as const;
      await Promise.all([...stale, navigate(page)]);
    },
  });
}
