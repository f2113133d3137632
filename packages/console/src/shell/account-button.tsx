import { lazyRouteComponent } from "@tanstack/react-router";
import { type ComponentProps, Suspense, useState } from "react";
import { t } from "../catalogue/texts.ts";
import type { Session } from "../session/session.ts";

const AccountMenu = lazyRouteComponent(() => import("./account-menu.tsx"), "AccountMenu");

/** Opens the account menu. Its code, with that of all menus, loads when it is first opened. */
export function AccountButton({ session, isLive }: { session: Session; isLive: boolean }) {
  const [isUsed, setUsed] = useState(false);
  const attributes: ComponentProps<"button"> = {
    type: "button",
    className: "button account",
    "aria-label": `${t.shell.account}: ${session.person.name}`,
    children: session.person.name,
  };
  const button = (
    <button
      {...attributes}
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={() => setUsed(true)}
    />
  );
  if (!isUsed) return button;
  return (
    <Suspense fallback={button}>
      <AccountMenu {...{ session, isLive }} trigger={attributes} />
    </Suspense>
  );
}
