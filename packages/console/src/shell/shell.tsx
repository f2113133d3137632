import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { t } from "../catalogue/texts.ts";
import { forgetDrafts } from "../session/draft.ts";
import { type Session, sessionQuery } from "../session/session.ts";
import { useSession } from "../session/use-session.ts";
import mark from "../styles/mark.svg";
import { Badge } from "../ui/badge.tsx";
import { Notice } from "../ui/notice.tsx";
import { Toasts } from "../ui/toasts.tsx";
import { AccountButton } from "./account-button.tsx";
import { useCounts } from "./counts.ts";
import { useLiveUpdates, useReadingAgain, useSignIns } from "./live.ts";
import { navigationFor } from "./pages.ts";
import { SearchButton } from "./search-button.tsx";
import { SessionEnded } from "./session-ended.tsx";

const words = t.shell;

export function Shell() {
  const session = useSession();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const [isMenuOpen, setMenuOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const previousPath = useRef(path);
  const client = useQueryClient();
  const { data: current } = useQuery(sessionQuery);
  const isLive = useLiveUpdates(client, current?.merchant == null ? "" : current.csrf_token);
  useSignIns(client);
  useEffect(() => forgetDrafts(session.person.id), [session.person.id]);
  useReadingAgain(client, session.kind === "operator");
  useEffect(() => {
    if (previousPath.current === path) return;
    previousPath.current = path;
    setMenuOpen(false);
    // Moves the focus to the top of a new page, also for screen readers.
    main.current?.focus();
    window.scrollTo(0, 0);
  }, [path]);
  return (
    <div className="shell">
      <a className="skip" href="#content">
        {words.skip}
      </a>
      <header className="head row">
        <button
          type="button"
          className="button menu-button"
          aria-expanded={isMenuOpen}
          aria-controls="side"
          onClick={() => setMenuOpen(!isMenuOpen)}
        >
          {words.menu}
        </button>
        <Link to="/" className="brand row">
          <img src={mark} alt="" />
          {words.product}
        </Link>
        {session.merchant === null ? null : (
          <span className="merchant soft" title={session.merchant.name}>
            <span className="visually-hidden">{words.merchant}: </span>
            {session.merchant.name}
          </span>
        )}
        <div className="head-end row">
          {session.mode === "sandbox" ? (
            <Badge tone="warn">
              {words.sandbox}
              <span className="wide">{words.noRealMoney}</span>
            </Badge>
          ) : null}
          <AccountButton session={session} isLive={isLive} />
        </div>
      </header>
      <nav id="side" className="side" data-open={isMenuOpen} aria-label={words.navigation}>
        <Navigation session={session} />
      </nav>
      <main id="content" className="main" ref={main} tabIndex={-1}>
        <InvitationNotice session={session} />
        <Outlet />
        <Toasts />
      </main>
      <SessionEnded isOpen={current === null} />
    </div>
  );
}

function InvitationNotice({ session: { invitations = [] } }: { session: Session }) {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  if (invitations.length === 0 || path.endsWith("/invitations")) return null;
  return (
    <Notice tone="info">
      {words.invited({ names: invitations.map(({ merchant }) => merchant.name).join(", ") })}{" "}
      <Link to="/invitations">{words.pages.invitations}</Link>
    </Notice>
  );
}

/** True if the paths of other pages in the navigation begin with this one. */
const isOuter = (to: string) => ["/", "/payouts"].includes(to);

function Navigation({ session }: { session: Session }) {
  const counts = useCounts(session);
  return (
    <div className="side-inner">
      <SearchButton />
      {navigationFor(session).map(({ title, links }) => (
        <section key={title} aria-label={title}>
          <p className="side-title" aria-hidden="true">
            {title}
          </p>
          <ul className="links">
            {links.map(({ to, label }) => (
              <li key={to}>
                <Link to={to} activeOptions={{ exact: isOuter(to), includeSearch: false }}>
                  {label}
                  <Count of={counts.get(to)} />
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function Count({ of: count }: { of: number | undefined }) {
  if (count === undefined) return null;
  return (
    <span className="count">
      {count}
      <span className="visually-hidden"> {words.work.count({ count })}</span>
    </span>
  );
}
