import { Link } from "@tanstack/react-router";
import { DropdownMenu } from "radix-ui";
import type { ComponentProps } from "react";
import { leavePage } from "../api/request.ts";
import { t } from "../catalogue/texts.ts";
import { forgetDrafts } from "../session/draft.ts";
import { type Session, signOut, switchTeam } from "../session/session.ts";
import { applyTheme, storedTheme, type Theme, themes } from "./theme.ts";

const words = t.shell;

/** Appears opened. */
export function AccountMenu(props: {
  session: Session;
  isLive: boolean;
  trigger: ComponentProps<"button">;
}) {
  const { session, isLive, trigger } = props;
  return (
    // A modal menu would add a style element, which the content security policy blocks.
    <DropdownMenu.Root modal={false} defaultOpen>
      <DropdownMenu.Trigger {...trigger} />
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" align="end" sideOffset={6}>
          <DropdownMenu.Label className="menu-label soft small">
            {words.signedInAs({ name: session.person.email || session.person.name })}
            <br />
            {words.roles({ roles: session.roles.join(", ") })}
            <br />
            {connectionText(session, isLive)}
          </DropdownMenu.Label>
          <Teams session={session} />
          {session.merchant === null ? null : (
            <DropdownMenu.Item asChild>
              <Link to="/notifications">{words.pages.notifications}</Link>
            </DropdownMenu.Item>
          )}
          <DropdownMenu.Label className="menu-label soft small">
            {words.theme.title}
          </DropdownMenu.Label>
          <DropdownMenu.RadioGroup
            aria-label={words.theme.title}
            defaultValue={storedTheme()}
            onValueChange={(theme) => applyTheme(theme as Theme)}
          >
            {themes.map((each) => (
              <DropdownMenu.RadioItem key={each} value={each}>
                {words.theme[each]}
                <DropdownMenu.ItemIndicator>✓</DropdownMenu.ItemIndicator>
              </DropdownMenu.RadioItem>
            ))}
          </DropdownMenu.RadioGroup>
          <DropdownMenu.Item onSelect={() => void leave()}>{words.signOut}</DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

/** The person's other teams; a click switches the session. */
function Teams({ session: { merchant, merchants = [] } }: { session: Session }) {
  const others = merchants.filter((each) => each.merchant.id !== merchant?.id);
  return others.map(({ id, merchant: { name } }) => (
    <DropdownMenu.Item key={id} onSelect={() => void switchTeam(id)}>
      {words.switchTo({ name })}
    </DropdownMenu.Item>
  ));
}

function connectionText({ kind }: Session, isLive: boolean): string {
  if (kind === "operator") return words.connection.again;
  return isLive ? words.connection.live : words.connection.off;
}

async function leave(): Promise<void> {
  forgetDrafts();
  try {
    await signOut();
  } finally {
    // Loading a new page clears all cached data.
    await leavePage();
  }
}
