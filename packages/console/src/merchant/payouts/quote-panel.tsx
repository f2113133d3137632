import type { Corridor } from "@disburse/sdk/gen/types.ts";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { t } from "../../catalogue/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { ProblemNotice } from "../../ui/problem-notice.tsx";
import { countDownText } from "../../ui/rules/times.ts";
import { Outcome } from "./outcome.tsx";
import { PayDialog } from "./pay-dialog.tsx";
import {
  type PayoutDetails,
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
  const { wish, corridor, details } = props;
  const [round, setRound] = useState(0);
  const found = useQuery(quoteQuery(wish, round));
  if (wish === undefined) return <Notice tone="info">{words.quoteHint}</Notice>;
  if (found.isPending) return <p role="status">{words.quoting}</p>;
  const again = () => setRound(round + 1);
  if (found.isError) {
    return (
      <div className="stack">
        <ProblemNotice error={found.error} />
        <div>
          <Button onClick={again}>{words.again}</Button>
        </div>
      </div>
    );
  }
  return (
    <Quoted
      key={found.data.quote.id}
      timed={found.data}
      {...{ wish, corridor, details, onAgain: again }}
    />
  );
}

function Quoted(props: {
  timed: TimedQuote;
  wish: QuoteWish;
  corridor: Corridor;
  details: PayoutDetails;
  onAgain: () => void;
}) {
  const { timed, wish, corridor, details, onAgain } = props;
  const leftMs = useLeft(timed);
  const [isPaying, setPaying] = useState(false);
  const isOver = leftMs <= 0;
  return (
    <div className="card">
      <QuoteFacts timed={timed} corridor={corridor} beneficiary={wish.beneficiary} />
      {isOver || isPaying ? null : <Outcome quoteId={timed.quote.id} reference="" />}
      {isOver ? (
        <Notice tone="warn">{words.expired}</Notice>
      ) : (
        <p className="soft" role="timer">
          {words.validFor({ time: countDownText(leftMs) })}
        </p>
      )}
      <div className="row">
        {isOver ? null : (
          <Button kind="primary" onClick={() => setPaying(true)}>
            {words.review}
          </Button>
        )}
        <Button onClick={onAgain}>{words.again}</Button>
      </div>
      <PayDialog
        {...{ timed, wish, corridor, details, isOver }}
        isOpen={isPaying}
        onOpenChange={setPaying}
      />
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
