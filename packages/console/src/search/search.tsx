import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type KeyboardEvent, useState } from "react";
import { t } from "../catalogue/texts.ts";
import { useSession } from "../session/use-session.ts";
import { mayOpen } from "../shell/pages.ts";
import { Button } from "../ui/button.tsx";
import { Modal } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { useRested } from "../ui/use-rested.ts";
import { find, findAcross, maySearchAll } from "./results.ts";

const words = t.search;

/** Finds pages and records. The arrow keys move between the results. */
export function Search(props: { isOpen: boolean; onOpenChange: (open: boolean) => void }) {
  const { isOpen, onOpenChange } = props;
  const session = useSession();
  const [text, setText] = useState("");
  const wanted = useRested(text.trim());
  const isAsked = wanted.length > 1;
  const { data, isFetching } = useQuery({
    queryKey: ["search", wanted],
    queryFn: () => find(session, wanted),
    enabled: isOpen && isAsked,
    placeholderData: keepPreviousData,
  });
  const across = useMutation({ mutationFn: findAcross });
  const everywhere = across.variables === wanted ? across : undefined;
  const found = isAsked ? data : undefined;
  const results = [...(everywhere?.data ?? []), ...(found?.results ?? [])].filter(
    ({ to }, at, all) => mayOpen(session, to) && all.findIndex((each) => each.to === to) === at,
  );
  const isPartial = found?.isPartial === true;
  const isNone = isAsked && !isFetching && !everywhere?.isPending && results.length === 0;
  const statusText = isPartial ? words.partial : isNone ? t.states.nothingMatches : "";
  const groups = [...new Set(results.map(({ group }) => group))];
  return (
    <Modal title={words.open} text={words.hint} isOpen={isOpen} onOpenChange={onOpenChange}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys move the focus between fields. */}
      <div className="stack" onKeyDown={moveFocus}>
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            if (isAsked && maySearchAll(session)) across.mutate(wanted);
          }}
        >
          <TextField label={words.open} type="search" value={text} onChange={setText} />
          {isAsked && maySearchAll(session) ? (
            <div className="row">
              <Button type="submit" disabled={across.isPending}>
                {words.across}
              </Button>
              <span className="soft small">{words.acrossHint}</span>
            </div>
          ) : null}
        </form>
        {everywhere?.isError ? <ProblemNotice error={everywhere.error} /> : null}
        <p className="soft small" role="status">
          {statusText}
        </p>
        {groups.map((group) => (
          <section key={group} aria-label={group}>
            <strong className="small soft">{group}</strong>
            <ul className="links">
              {results
                .filter((each) => each.group === group)
                .map(({ label, to }) => (
                  <li key={to}>
                    <Link to={to} className="break" onClick={() => onOpenChange(false)}>
                      {label}
                    </Link>
                  </li>
                ))}
            </ul>
          </section>
        ))}
      </div>
    </Modal>
  );
}

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = steps[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>("input, a")];
  all[all.indexOf(document.activeElement as HTMLElement) + step]?.focus();
}
