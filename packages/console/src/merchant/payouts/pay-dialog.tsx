import type { ExecutedPayout } from "@disburse/sdk/gen/types.ts";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Problem } from "../../api/problem.ts";
import { attemptKey, post } from "../../api/request.ts";
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
import { detailsBody, type Quoted } from "./quote.ts";
import { QuoteFacts } from "./quote-facts.tsx";

const words = t.payouts.create;

/**
 * Confirms a payment. The idempotency key belongs to the quote, so that repeated clicks and lost
 * responses lead to one payment. Success is shown only after the response.
 */
export function PayDialog(
  props: Quoted & {
    readonly isOver: boolean;
    readonly isOpen: boolean;
    readonly onOpenChange: (isOpen: boolean) => void;
  },
) {
  const { isOver, isOpen, onOpenChange, ...quoted } = props;
  const { quote } = quoted.timed;
  const { beneficiary, account } = quoted.wish;
  const { reference } = quoted.details;
  const paying = usePaying(quoted);
  const isDecided = paying.isPending || paying.isSuccess;
  const isTried = isDecided || paying.isError;
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
          [words.chosen, <strong key="name">{nameOf(beneficiary)}</strong>],
          [words.destination, <code key="to">{accountOf(beneficiary)}</code>],
          [words.fromAccount, account.name || account.id],
          [t.payouts.reference, reference],
        ]}
      />
      <QuoteFacts {...quoted} />
      {isOver || isTried ? null : <Outcome quoteId={quote.id} reference={reference} />}
      {isOver && !isTried ? <Notice tone="warn">{words.expiredInDialog}</Notice> : null}
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
  if (!isDuplicate(error)) return <ProblemNotice error={error} noAnswer={words.notKnown} />;
  return (
    <Notice tone="warn">
      <p>{words.duplicate}</p>
      <p>
        <PayoutLink id={error.payout_id} />
      </p>
      <Button kind="danger" onClick={onPayAnyway}>
        {words.payAnyway}
      </Button>
    </Notice>
  );
}

function usePaying({ timed, details, wish }: Quoted) {
  const [, , forget] = usePayoutDraft(wish.beneficiary);
  const [idempotencyKey] = useState(attemptKey);
  const navigate = useNavigate();
  return useSingle({
    mutationFn: (allowDuplicate: boolean) => {
      const body = {
        quote_id: timed.quote.id,
        ...detailsBody(details),
        ...(allowDuplicate ? { allow_duplicate: true } : {}),
      };
      return post<ExecutedPayout>("/api/v1/transfer/execute", body, idempotencyKey);
    },
    onSuccess: ({ id }) => {
      forget();
      return navigate({ to: "/payouts/$payoutId", params: { payoutId: id } });
    },
  });
}
