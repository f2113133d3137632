import type { Corridor } from "@disburse/sdk/gen/types.ts";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { t } from "../../catalogue/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { ProblemNotice } from "../../ui/problem-notice.tsx";
import { countDownText } from "../../ui/rules/times.ts";
import { Outcome } from "./outcome.tsx";
import { PayDialog } from "./pay-dialog.tsx";
import {
  type PayoutDetails,
  type Quoted,
  type QuoteWish,
  quoteQuery,
  type TimedQuote,
  validMs,
} from "./quote.ts";
import { QuoteFacts } from "./quote-facts.tsx";

const words = t.payouts.create;

/** Shows the current quote with its countdown and the button to pay. */
export function QuotePanel(props: {
  wish: QuoteWish | undefined;
  corridor: Corridor;
  details: PayoutDetails;
}) {
  const { wish } = props;
  const [round, setRound] = useState(0);
  const { data: timed, error } = useQuery(quoteQuery(wish, round));
  if (wish === undefined) return <Notice tone="info">{words.quoteHint}</Notice>;
  const again = <Button onClick={() => setRound(round + 1)}>{words.again}</Button>;
  if (error !== null) {
    return (
      <div className="stack">
        <ProblemNotice error={error} />
        <div>{again}</div>
      </div>
    );
  }
  if (timed === undefined) return <p role="status">{words.quoting}</p>;
  return <Offer key={timed.quote.id} {...props} {...{ wish, timed, again }} />;
}

function Offer({ again, ...quoted }: Quoted & { again: ReactNode }) {
  const leftMs = useLeft(quoted.timed);
  const [isOpen, onOpenChange] = useState(false);
  const isOver = leftMs <= 0;
  return (
    <div className="card">
      <QuoteFacts {...quoted} />
      {isOver || isOpen ? null : <Outcome quoteId={quoted.timed.quote.id} reference="" />}
      {isOver ? (
        <Notice tone="warn">{words.expired}</Notice>
      ) : (
        <p className="soft" role="timer">
          {words.validFor({ time: countDownText(leftMs) })}
        </p>
      )}
      <div className="row">
        {isOver ? null : (
          <Button kind="primary" onClick={() => onOpenChange(true)}>
            {words.review}
          </Button>
        )}
        {again}
      </div>
      <PayDialog {...quoted} {...{ isOver, isOpen, onOpenChange }} />
    </div>
  );
}

/** Returns the milliseconds until a quote expires, updated every second. */
function useLeft(timed: TimedQuote): number {
  const [now, setNow] = useState(() => performance.now());
  const left = validMs(timed, now);
  const isOver = left <= 0;
  useEffect(() => {
    if (isOver) return;
    const timer = setInterval(() => setNow(performance.now()), 1_000);
    return () => clearInterval(timer);
  }, [isOver]);
  return left;
}
